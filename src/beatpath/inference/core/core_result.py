"""What `core` hands back: two sets with scores, what stands beside them, and witnesses on demand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._result import Record, Result
from beatpath._text import listed, quoted
from beatpath.evidence import Convention, Margins
from beatpath.inference.core.core_posterior import CorePosterior
from beatpath.inference.core.undetermined import Undetermined
from beatpath.methods.tournament.witnesses import (
    Covered,
    InTopCycle,
    OutOfTopCycle,
    Uncovered,
    top_cycle_witness,
    uncovered_witness,
)


@dataclass(frozen=True, slots=True)
class CoreSet(Record):
    """A set of agents, and the soft membership score of every agent.

    Attributes
    ----------
    members : tuple of str
        Who is in it by majority.
    scores : mapping of agent to float
        Soft membership, from 0 to 1.
    """

    members: tuple[str, ...]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Core(Result):
    """The top cycle and the uncovered set, hard and soft, and what stands beside them.

    Attributes
    ----------
    agents : tuple of str
    top_cycle, uncovered_set : CoreSet
        Members by the margins, a tie or a pair without one counting as tied; scores by the soft operators, which are
        strengths of membership and no probabilities.
    posterior : CorePosterior or None
        The probability of each agent to be in the top cycle of the true majorities; none where there are no counts.
    win_rate : mapping of agent to float
        The mean win rate against every other agent, as `resolve` scores it, where win rates are estimated; of counts the
        share of its comparisons that an agent won; of a matrix of probabilities its mean chance against a rival.
    bradley_terry : mapping of agent to float, or None
        Log-strengths, where there are counts and the estimate exists.
    undetermined : tuple of Undetermined
        One for each of the two sets that hangs on pairs that never met.
    margins : Margins or None
        The lead of each agent over each other, from which the members follow and witnesses are drawn: twice its estimated
        win rate, less one, where these are estimated; none where there are too many agents for all pairs.
    resolved : (n, n) bool or None
        Where win rates are estimated, the pairs whose 95 % interval, each by itself, leaves one half out.
    settings : mapping
    conventions : tuple of Convention
    notes : tuple of str
        What a reader should know besides.
    """

    document: ClassVar = (
        "top_cycle",
        "uncovered_set",
        "posterior",
        "win_rate",
        "win_rate_is",
        "pairs",
        "unresolved_pairs",
        "bradley_terry",
        "undetermined",
        "settings",
        "conventions",
        "notes",
    )

    agents: tuple[str, ...]
    top_cycle: CoreSet
    uncovered_set: CoreSet
    posterior: CorePosterior | None
    win_rate: Mapping[str, float]
    bradley_terry: Mapping[str, float] | None
    undetermined: tuple[Undetermined, ...]
    margins: Margins | None
    resolved: Bools | None
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most probable core first, who it is by majorities, and what is not known."""
        probably = () if self.posterior is None else self.posterior.sentences
        return (*probably, _core_by_majority(self), *(open_.sentence for open_ in self.undetermined))

    @property
    def pairs(self) -> int | None:
        """How many pairs have a margin."""
        return None if self.margins is None or self.margins.played is None else int(self.margins.played.sum()) // 2

    @property
    def unresolved_pairs(self) -> int | None:
        """How many pairs with an estimated win rate have a sign that is not resolved."""
        if self.resolved is None or self.pairs is None:
            return None
        return self.pairs - int(self.resolved.sum()) // 2

    @property
    def win_rate_is(self) -> str:
        """What `win_rate` is."""
        if self.share_won:
            return "share of its comparisons won, which says nothing of whom it met"
        return "mean win rate against every other agent" + (
            ", as `resolve` scores it" if self.resolved is not None else ""
        )

    @property
    def share_won(self) -> bool:
        """Whether `win_rate` is but the share of its comparisons that an agent won."""
        return self.resolved is None and (self.posterior is not None or self.margins is None)

    def witness(self, agent: str) -> tuple[InTopCycle | OutOfTopCycle, Covered | Uncovered]:
        """Return why an agent is in the top cycle or not, and why it is uncovered or not."""
        if self.margins is None:
            raise UsageError(
                f"a witness needs a table of all pairs, which is not made for {len(self.agents):,} agents. Keep fewer agents."
            )
        return top_cycle_witness(self.margins, agent, self.resolved), uncovered_witness(
            self.margins, agent, self.resolved
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, the likeliest members first: Table 9 of Soft Tournament Equilibrium."""
        chance = {} if self.posterior is None else self.posterior.top_cycle
        strength = self.bradley_terry or {}
        rows = [
            {
                "agent": agent,
                "top_cycle": self.top_cycle.scores[agent],
                "uncovered_set": self.uncovered_set.scores[agent],
                "in_core": chance.get(agent),
                "win_rate": self.win_rate[agent],
                "unresolved": None if self.resolved is None else int((~self.resolved[k]).sum()) - 1,
                "bradley_terry": strength.get(agent),
            }
            for k, agent in enumerate(self.agents)
        ]
        return sorted(rows, key=lambda r: (-(r["in_core"] or 0.0), -r["top_cycle"], -r["uncovered_set"], r["agent"]))


def _core_by_majority(found: Core) -> str:
    """Who the core is by the margins alone, and how many of them are not resolved."""
    inside, uncovered, n = found.top_cycle.members, found.uncovered_set.members, len(found.agents)
    if n == 1:
        return f"The core is {quoted(inside[0])}, the only agent."
    start, same = _start(found), _same(found)
    if len(inside) == 1:
        return f"{start} is {'the same: ' if same else ''}{quoted(inside[0])}{_ahead(found, inside[0], same)}"
    if len(inside) == n:
        said = f"{start} is all {n:,} agents: chains of wins or ties lead from each to every other, and nobody is singled out."
    elif same:
        said = f"{start} is the same."
    else:
        said = f"{start} has {len(inside):,} of {n:,} agents, its top cycle: {listed(inside, 10)}."
    if len(uncovered) == len(inside):
        return f"{said} None of them is covered."
    are = "1 is" if len(uncovered) == 1 else f"{len(uncovered):,} are"
    return f"{said} Of these {are} uncovered: {listed(uncovered, 10)}."


def _ahead(found: Core, agent: str, same: bool) -> str:
    """That one agent is ahead of every rival, and of how many that is not resolved."""
    who = "" if same else " alone, who"
    open_ = 0 if found.resolved is None else int((~found.resolved[found.agents.index(agent)]).sum()) - 1
    if not open_:
        return f"{who} beats every rival."
    return f"{who} is ahead of every rival, which is not resolved for {open_:,} of {len(found.agents) - 1:,}."


def _start(found: Core) -> str:
    """By what the core is told: majorities of what was counted, or of estimated win rates."""
    if found.posterior is None:
        return "The core"
    if found.unresolved_pairs is None:
        return "By bare majorities the core"
    return f"By the estimated win rates alone ({found.unresolved_pairs:,} of {found.pairs:,} not resolved) the core"


def _same(found: Core) -> bool:
    """Whether the most probable core is the top cycle, and some agent is outside."""
    told, inside = found.posterior, found.top_cycle.members
    return told is not None and set(told.most_probable) == set(inside) and len(inside) < len(found.agents)
