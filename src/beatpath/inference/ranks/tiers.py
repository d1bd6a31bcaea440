r"""Tiers: a leaderboard in a few levels, each separation supported by the data.

All schemes follow from the relation *certainly above*, :math:`\succ`, so their statements hold simultaneously with the
confidence of that relation: where no certain order is wrong, no tier is.

`top`
    The first tier holds the agents that are not certainly below the leader, who has the best score; the second those
    of the rest that are not certainly below the leader of the rest, and so on. With leaders :math:`l_1, l_2, \dots`

    .. math::  T_k = \{a \in R_k : l_k \nsucc a\}, \qquad R_{k+1} = R_k \setminus T_k , \qquad l_k = \arg\max_{R_k} S .

    Every agent of a lower tier is certainly below the leader of each higher tier, by construction. Nobody of a lower
    tier is certainly above anybody of a higher one: from :math:`l_k \succ b` and :math:`b \succ a` would follow
    :math:`l_k \succ a`, and *a* would not be in :math:`T_k`. Two agents of one tier may differ, even certainly.
    Leaders with equal scores lead together: an agent certainly below one of them is in a lower tier.

    An agent with few data may belong to a tier above others that have a better score. It then stands in the tier of its
    score, and its label is the range from the first tier that it may belong to, such as ``2-4``; tiers thus never fall as
    scores fall.
`letters`
    Agents that share no letter certainly differ; see `grouping`.
`cuts`
    Groups of which each is certainly above the next, everyone above everyone; see `grouping`.

Each connected component has its own tiers and letters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, get_args

from beatpath._arrays import Ints
from beatpath._errors import UsageError
from beatpath._result import Delegate, TableResult, plot_result
from beatpath._text import confidence, counted, listed, quoted
from beatpath._typing import TierScheme
from beatpath._validate import require_known
from beatpath.inference.ranks.ranks import Ranks, span

SCHEMES: tuple[TierScheme, ...] = get_args(TierScheme)  # the schemes, in the order that help texts list them
HEADINGS: dict[TierScheme, str] = {"top": "tier", "letters": "letters", "cuts": "group"}  # column title by scheme
# what a sentence counts, by scheme
PLURALS: dict[TierScheme, str] = {"top": "tiers", "letters": "letters", "cuts": "groups"}


class HasRanks(Protocol):
    """Anything with ranks, such as a resolution."""

    @property
    def ranks(self) -> Ranks:
        """Scores, rank sets, and who is certainly above whom."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tiers(TableResult):
    """A board in tiers, letters or groups.

    Attributes
    ----------
    ranks : Ranks
        Who is certainly above whom.
    scheme : {"top", "letters", "cuts"}
        How tiers are formed.
    """

    plot = plot_result

    document: ClassVar = ("scheme", "estimand", "labels=by_agent", "groups", "part=part_by_agent", "settings")

    ranks: Ranks
    scheme: TierScheme

    agents = Delegate[tuple[str, ...]]("ranks.agents", "The agents, in the order of the board's arrays.")

    @property
    def heading(self) -> str:
        """Title of the column: tier, letters or group."""
        return HEADINGS[self.scheme]

    @property
    def part(self) -> Ints:
        """Connected component of every agent, from 1, the largest first."""
        return self.ranks.part + 1

    tier = Delegate[Ints]("ranks.tier", "Tier of every agent from the top of its component; 0 without a score.")
    group = Delegate[Ints]("ranks.group", "Group of every agent between cuts, in its component; 0 without a score.")
    cliques = Delegate[tuple[Ints, ...]]("ranks.grouping.cliques", "The agents of each letter, best first.")

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names in each tier, letter or group, best first, by component."""
        if self.scheme == "letters":
            return tuple(tuple(self.agents[i] for i in some) for some in self.cliques)
        return self.ranks.names_by(self._number)

    @property
    def _number(self) -> Ints:
        return self.group if self.scheme == "cuts" else self.tier

    letters = Delegate[tuple[str, ...]]("ranks.letters", "Letters of every agent as one string; empty without a score.")

    @property
    def labels(self) -> tuple[str, ...]:
        """Label of every agent: a number, or letters; empty without a score."""
        if self.scheme == "letters":
            return self.letters
        several = self.part.max(initial=1) > 1
        first = self._number if self.scheme == "cuts" else self.ranks.best_tier
        return tuple(
            "" if not k else f"{span(f, k)} (component {p})" if several else span(f, k)
            for f, k, p in zip(first.tolist(), self._number.tolist(), self.part.tolist(), strict=True)
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many tiers there are, what they mean and do not mean, and with which confidence."""
        if len(self.agents) == 1:
            return (f"{quoted(self.agents[0])} is the only agent.",)
        parts = int(self.part.max(initial=1))
        apart = (f"Each of the {parts:,} connected components has its own {PLURALS[self.scheme]}.",)
        return (self._amount, self.meaning, *(apart if parts > 1 else ()), self._confidence_text)

    @property
    def meaning(self) -> str:
        """What the column means, and what it does not."""
        if self.scheme == "letters":
            within = " of one component" if self.part.max(initial=1) > 1 else ""
            return (
                f"Agents{within} that share no letter certainly differ, and the one with the better score is above; two that share "
                "a letter are not separated, which does not make them equal."
            )
        if self.scheme == "cuts":
            return "Every agent of a group is certainly above every agent of the next; within a group the order is not fully certain."
        if len(self.groups) == 1:
            return "Two agents of one tier may differ."
        several = int((self.ranks.best_tier < self.tier).sum())
        spanning = f" {counted(several, 'agent spans', 'agents span')} tiers, shown as a range." if several else ""
        never = " and certainly above no agent there" if self.ranks.simultaneous else ""
        return (
            "Every agent in a lower tier is certainly below the leader (the best score) of each tier above"
            f"{never}; two agents of one tier may differ.{spanning}"
        )

    @property
    def _amount(self) -> str:
        n = len(self.groups)
        if not n:
            return "No agent has a score: there are no tiers."
        if self.scheme == "letters":
            return f"{counted(n, 'letter separates', 'letters separate')} the agents that the data resolve."
        if n == 1:
            why = f"no agent is certainly below {quoted(self.groups[0][0])}, which has the best score"
            if self.scheme != "top":
                why = "no cut has every agent above it certainly above every agent below it"
            return f"One {self.heading} holds all agents: {why}."
        kind = "tiers from the top" if self.scheme == "top" else "groups whose order is certain"
        first, whose = self.groups[0], " of the largest component" if self.part.max(initial=1) > 1 else ""
        held = f"{len(first):,} of {counted(len(self.agents), 'agent')}"
        return f"{n:,} {kind}; the first{whose} holds {held}: {listed(first, 10)}."

    @property
    def _confidence_text(self) -> str:
        sure = confidence(self.ranks.level)
        if self.ranks.simultaneous:
            return f"This holds with simultaneous {sure} confidence."
        return f"Each agent's place holds by itself with {sure} confidence, not simultaneously."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, best first."""
        labels = self.labels
        return [
            {"agent": self.agents[i], self.heading: labels[i], "part": int(self.part[i])} for i in self.ranks.listed
        ]

    def by_agent(self) -> dict[str, str]:
        """Tier, letters or group by agent; empty without a score."""
        return dict(zip(self.agents, self.labels, strict=True))

    def part_by_agent(self) -> dict[str, int]:
        """Connected component by agent; agents of different components were never compared."""
        return dict(zip(self.agents, self.part.tolist(), strict=True))

    estimand = Delegate[str]("ranks.estimand", "What a score estimates.")
    settings = Delegate[Mapping[str, Any]]("ranks.settings", "All settings of the analysis.")


def tiers(result: Ranks | HasRanks, scheme: TierScheme = "top") -> Tiers:
    """Group a leaderboard into tiers, simultaneously valid at the confidence of its rank sets.

    Parameters
    ----------
    result : Resolution, Report or RankSets
        Who is certainly above whom.
    scheme : {"top", "letters", "cuts"}
        "top": tiers from the top, the agents not certainly below the leader, then the same among the rest. "letters": a
        compact letter display, where agents that share no letter certainly differ. "cuts": groups, each certainly above
        the next, everyone above everyone.

    Returns
    -------
    Tiers

    Raises
    ------
    UsageError
        When the scheme is unknown, or the result has no ranks.

    See Also
    --------
    rank_sets : The rank sets behind the tiers.
    resolve : From evidence to rank sets.

    Examples
    --------
    Bob is neither certainly below ada nor certainly above cyd; ada is certainly above cyd.

    >>> import beatpath as bp
    >>> import numpy as np
    >>> score, known = np.array([0.80, 0.77, 0.74]), np.full((3, 3), np.inf)
    >>> board = bp.results.Leaderboard(("ada", "bob", "cyd"), score, 1e-4 * np.eye(3), known, "mean score")
    >>> sets = bp.rank_sets(board)
    >>> [bp.tiers(sets, scheme).labels for scheme in ("top", "letters", "cuts")]
    [('1', '1', '2'), ('a', 'ab', 'b'), ('1', '1', '1')]
    """
    require_known(scheme, SCHEMES, f"tiers must be one of {listed(SCHEMES)}; got {quoted(scheme)}.")
    resolution = getattr(result, "resolution", result)
    ranks = resolution if isinstance(resolution, Ranks) else getattr(resolution, "ranks", None)
    if not isinstance(ranks, Ranks):
        raise UsageError(
            f"`tiers` are read off what `resolve`, `report` or `rank_sets` returns; got {type(result).__name__}. "
            "Give it `resolve(evidence)`."
        )
    return Tiers(ranks, scheme)
