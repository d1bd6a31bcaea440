r"""What `core` returns: two sets with scores, what stands beside them, what is undetermined, and witnesses on demand.

A pair that never met may end either way. An agent is *surely* a member when it is one however those pairs end,
*possibly* when it is one for some way they may end: the necessary and the possible winners of a partial tournament [1]_.
The members that `top_cycle` and `uncovered_set` return, counting such pairs as tied, lie between the two.

References
----------
.. [1] H. Aziz, M. Brill, F. Fischer, P. Harrenstein, J. Lang, H. G. Seedig, "Possible and necessary winners of partial
       tournaments", *Journal of Artificial Intelligence Research* 54 (2015), 493-534.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._result import Record, Result
from beatpath._text import counted, listed, quoted
from beatpath.evidence import Convention, Margins
from beatpath.inference.core.core_posterior import CorePosterior
from beatpath.methods.graph.relation import beats
from beatpath.methods.tournament.solutions import does_at_least_as_well, top_cycle, uncovered
from beatpath.methods.tournament.witnesses import (
    Covered,
    InTopCycle,
    OutOfTopCycle,
    Uncovered,
    top_cycle_witness,
    uncovered_witness,
)


@dataclass(frozen=True, slots=True)
class Undetermined(Record):
    """Whose membership hangs on pairs that never met.

    Attributes
    ----------
    solution : str
        "top cycle" or "uncovered set".
    sure : tuple of str
        Members however those pairs end.
    agents : tuple of str
        Members or not, as those pairs end; empty when everything is known.
    pairs : tuple of (str, str)
        The pairs to play: when they have met, all is known. No other pair can change the answer.
    """

    derived: ClassVar = ("sentence",)

    solution: str
    sure: tuple[str, ...]
    agents: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """What is not known, and what to play; that all is known, where it is."""
        if not self.agents:
            return f"No pair that was not compared can change the {self.solution}."
        text = ", ".join(f"{quoted(a)} and {quoted(b)}" for a, b in self.pairs[:3])
        more = f", and {len(self.pairs) - 3:,} more" if len(self.pairs) > 3 else ""
        return (
            f"Whether {listed(self.agents)} belong{'s' if len(self.agents) == 1 else ''} to the {self.solution} is "
            f"undetermined: it depends on {counted(len(self.pairs), 'pair that was', 'pairs that were')} not compared. Play {text}{more}."
        )


def undetermined_top_cycle(margins: Margins) -> Undetermined:
    """Return who is in the top cycle for sure, whose membership is open, and the pairs that decide it.

    An agent is surely a member when chains of wins and ties over pairs that did meet lead from it to all others. It is
    possibly one exactly if it is one with every open pair tied. Between two members of one strongly connected part of
    the pairs that met, a further pair decides nothing.

    Parameters
    ----------
    margins : Margins
        With `played` false where two never met.

    Returns
    -------
    Undetermined

    Examples
    --------
    Two groups that never met: nobody is known to be in the core or out of it.

    >>> wins = [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    >>> agents = ["ada", "bob", "cyd", "dan"]
    >>> M = Margins.from_wins(wins, agents).matrix
    >>> result = undetermined_top_cycle(Margins(M, agents, M != 0))
    >>> result.sure, result.agents
    ((), ('ada', 'bob', 'cyd', 'dan'))
    >>> result.pairs
    (('ada', 'cyd'), ('ada', 'dan'), ('bob', 'cyd'), ('bob', 'dan'))

    Notes
    -----
    :math:`O(n^2)`.
    """
    W, unmet = beats(margins), _unmet(margins)
    steps = ~W.T & ~unmet & ~np.eye(len(W), dtype=bool)
    n_parts, part = connected_components(csr_array(steps), connection="strong")
    _, to = np.nonzero(steps & (part[:, None] != part))
    first = np.setdiff1d(np.arange(n_parts), part[to])
    sure = part == first[0] if len(first) == 1 else np.zeros(len(W), dtype=bool)
    possible = top_cycle(margins)
    deciding = unmet & possible & possible[:, None] & (part[:, None] != part)
    return _undetermined_of("top cycle", margins, sure, possible, deciding)


def undetermined_uncovered_set(margins: Margins) -> Undetermined:
    """Return who is uncovered for sure, for whom it is open, and the pairs that decide it.

    Covering is McKelvey's. An agent is surely uncovered when nobody covers it even if the pairs of the would-be coverer
    end well and its own badly, and possibly when nobody covers it with all of these the other way round.

    Parameters
    ----------
    margins : Margins
        With `played` false where two never met.

    Returns
    -------
    Undetermined
        `pairs` are all open pairs within the possible top cycle when anything is open.

    Examples
    --------
    Ada beats Bob, and both have yet to meet Cyd.

    >>> agents = ("ada", "bob", "cyd")
    >>> met = [[False, True, False], [True, False, False], [False, False, False]]
    >>> result = undetermined_uncovered_set(Margins([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], agents, met))
    >>> print(result.sentence)
    Whether 'ada', 'bob', 'cyd' belong to the uncovered set is undetermined: it depends on 2 pairs that were not compared. \
Play 'ada' and 'cyd', 'bob' and 'cyd'.

    Notes
    -----
    Four matrix products.
    """
    W, unmet = beats(margins), _unmet(margins)
    sure = uncovered(does_at_least_as_well(W | unmet, W))
    possible = uncovered(does_at_least_as_well(W, W | unmet))
    inside = top_cycle(margins)
    deciding = unmet & inside & inside[:, None] & (possible & ~sure).any()
    return _undetermined_of("uncovered set", margins, sure, possible, deciding)


def _unmet(margins: Margins) -> NDArray[np.bool_]:
    """The pairs that never met, both ways round."""
    assert margins.played is not None
    met = margins.played | (margins.matrix != 0)
    return ~met & ~np.eye(len(met), dtype=bool)


def _undetermined_of(
    solution: str,
    margins: Margins,
    sure: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    deciding: NDArray[np.bool_],
) -> Undetermined:
    names = margins.agents
    pairs = sorted(tuple(sorted((names[a], names[b]))) for a, b in zip(*np.nonzero(np.triu(deciding)), strict=True))
    certain = sorted(names[a] for a in np.flatnonzero(sure))
    open_ = sorted(names[a] for a in np.flatnonzero(possible & ~sure))
    return Undetermined(solution, tuple(certain), tuple(open_), tuple((a, b) for a, b in pairs))


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


@dataclass(frozen=True, slots=True)
class Component(Record):
    """A connected component, whose agents met none of the others, and its core.

    Attributes
    ----------
    agents : tuple of str
    top_cycle, uncovered_set : tuple of str
        Members by the margins.
    posterior : CorePosterior or None
        As for `Core`.
    """

    agents: tuple[str, ...]
    top_cycle: tuple[str, ...]
    uncovered_set: tuple[str, ...]
    posterior: CorePosterior | None


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
        The probability of each agent to be in the top cycle of the true majorities; none where there are no counts, and where
        there are several components, each of which has its own.
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
    parts : tuple of Core
        The cores of the connected components, the largest first, where there are several. Members and scores of the whole are
        those of the components side by side.
    """

    hidden: ClassVar = ("margins", "resolved", "parts")
    derived: ClassVar = ("win_rate_is", "pairs", "unresolved_pairs", "components")

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
    parts: "tuple[Core, ...]" = ()

    @property
    def components(self) -> tuple[Component, ...]:
        """The connected components with their cores, the largest first; none where all agents are connected."""
        return tuple(
            Component(one.agents, one.top_cycle.members, one.uncovered_set.members, one.posterior) for one in self.parts
        )

    @property
    def membership(self) -> dict[str, float]:
        """The probability of each agent to be in the core of its component, where it has one."""
        known = [one.posterior for one in self.parts or (self,)]
        return {agent: p for one in known if one is not None for agent, p in one.top_cycle.items()}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most probable core first, who it is by majorities, and what is not known; component by component."""
        if self.parts:
            return _component_sentences(self)
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
            return "share of its comparisons won, whatever its opponents"
        return "mean win rate against every other agent" + (
            ", as `resolve` scores it" if self.resolved is not None else ""
        )

    @property
    def share_won(self) -> bool:
        """Whether `win_rate` is but the share of its comparisons that an agent won."""
        return self.resolved is None and (bool(self.membership) or self.margins is None)

    def witness(self, agent: str) -> tuple[InTopCycle | OutOfTopCycle, Covered | Uncovered]:
        """Return why an agent is in the top cycle or not, and why it is uncovered or not."""
        for one in self.parts:
            if agent in one.agents:
                return one.witness(agent)
        if self.margins is None:
            raise UsageError(
                f"a witness needs a table of all pairs, which is not made for {len(self.agents):,} agents. Keep fewer agents."
            )
        return top_cycle_witness(self.margins, agent, self.resolved), uncovered_witness(
            self.margins, agent, self.resolved
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, the likeliest members first: Table 9 of Soft Tournament Equilibrium."""
        chance = self.membership
        strength = self.bradley_terry or {}
        rows = [
            {
                "agent": agent,
                "top_cycle": self.top_cycle.scores[agent],
                "uncovered_set": self.uncovered_set.scores[agent],
                "in_core": chance.get(agent),
                "win_rate": self.win_rate[agent],
                "unresolved": None if self.resolved is None else _unresolved(self, k),
                "bradley_terry": strength.get(agent),
            }
            for k, agent in enumerate(self.agents)
        ]
        return sorted(rows, key=lambda r: (-(r["in_core"] or 0.0), -r["top_cycle"], -r["uncovered_set"], r["agent"]))


MOST_PARTS = 5  # components whose core is told in sentences; `components` has all


def _component_sentences(result: Core) -> tuple[str, ...]:
    """The core of every component, by name."""
    several = [one for one in result.parts if len(one.agents) > 1]
    alone = [one.agents[0] for one in result.parts if len(one.agents) == 1]
    start = f"The {len(result.agents):,} agents form {len(result.parts):,} connected components"
    opening = f"{start}: each has its own core, and agents of different components are not compared."
    parts = tuple(
        f"Component {k} ({counted(len(one.agents), 'agent')}: {listed(one.agents, 3)}): {' '.join(one.sentences)}"
        for k, one in enumerate(several[:MOST_PARTS], start=1)
    )
    more = len(several) - MOST_PARTS
    rest = (
        (f"{counted(more, 'smaller component')} more {'has' if more == 1 else 'have'} cores too.",) if more > 0 else ()
    )
    nobody = (f"{counted(len(alone), 'agent has', 'agents have')} no battle: {listed(alone, 3)}.",) if alone else ()
    return (opening, *parts, *rest, *nobody)


def _unresolved(result: Core, k: int) -> int:
    """How many rivals that an agent is compared with have no resolved sign against it."""
    assert result.margins is not None
    assert result.margins.played is not None
    assert result.resolved is not None
    return int((result.margins.played[k] & ~result.resolved[k]).sum())


def side_by_side(agents: tuple[str, ...], parts: "tuple[Core, ...]", conventions: tuple[Convention, ...]) -> Core:
    """Return the cores of connected components as one result, none compared with another; the parts hold all agents."""
    strength = {name: value for one in parts for name, value in (one.bradley_terry or {}).items()}
    win_rate = {name: value for one in parts for name, value in one.win_rate.items()}
    tables = all(one.margins is not None for one in parts)
    estimated = tables and any(one.resolved is not None for one in parts)
    return Core(
        agents,
        _merged_sets(agents, [one.top_cycle for one in parts]),
        _merged_sets(agents, [one.uncovered_set for one in parts]),
        None,
        {name: win_rate[name] for name in agents},
        {name: strength[name] for name in agents if name in strength} or None,
        tuple(open_ for one in parts for open_ in one.undetermined),
        _block_margins(agents, parts) if tables else None,
        _blocks(agents, parts, [one.resolved for one in parts], bool) if estimated else None,
        parts[0].settings,
        conventions,
        tuple(dict.fromkeys(note for one in parts for note in one.notes)),
        parts,
    )


def _merged_sets(agents: tuple[str, ...], sets: list[CoreSet]) -> CoreSet:
    score = {name: value for one in sets for name, value in one.scores.items()}
    members = tuple(sorted(name for one in sets for name in one.members))
    return CoreSet(members, {name: score[name] for name in agents})


def _block_margins(agents: tuple[str, ...], parts: "tuple[Core, ...]") -> Margins:
    leads = [one.margins for one in parts if one.margins is not None]
    matrix = _blocks(agents, parts, [one.matrix for one in leads], float)
    return Margins(matrix, agents, _blocks(agents, parts, [one.played for one in leads], bool))


def _blocks(agents: tuple[str, ...], parts: "tuple[Core, ...]", values: list[Any], kind: type) -> NDArray[Any]:
    """Tables of the components as one of all agents, zero across."""
    place = {name: i for i, name in enumerate(agents)}
    table: NDArray[Any] = np.zeros((len(agents),) * 2, dtype=kind)
    for one, value in zip(parts, values, strict=True):
        at = [place[name] for name in one.agents]
        if value is not None:
            table[np.ix_(at, at)] = value
    return table


def _core_by_majority(result: Core) -> str:
    """Who the core is by the margins alone, and how many of them are not resolved."""
    inside, uncovered, n = result.top_cycle.members, result.uncovered_set.members, len(result.agents)
    if n == 1:
        return f"The core is {quoted(inside[0])}, the only agent."
    start, same = _start(result), _same(result)
    if len(inside) == 1:
        return f"{start} is {'the same: ' if same else ''}{quoted(inside[0])}{_ahead(result, inside[0], same)}"
    if len(inside) == n:
        text = f"{start} is all {n:,} agents: chains of wins or ties lead from each to every other, so no agent is singled out."
    elif same:
        text = f"{start} is the same."
    else:
        text = f"{start} has {len(inside):,} of {n:,} agents, its top cycle: {listed(inside, 10)}."
    if len(uncovered) == len(inside):
        return f"{text} None of them is covered."
    are = "1 is" if len(uncovered) == 1 else f"{len(uncovered):,} are"
    return f"{text} Of these {are} uncovered: {listed(uncovered, 10)}."


def _ahead(result: Core, agent: str, same: bool) -> str:
    """That one agent is ahead of every rival, and of how many that is not resolved."""
    who = "" if same else " alone, which"
    open_ = 0 if result.resolved is None else int((~result.resolved[result.agents.index(agent)]).sum()) - 1
    if not open_:
        return f"{who} beats every rival."
    return f"{who} is ahead of every rival; {open_:,} of these {len(result.agents) - 1:,} leads are not resolved."


def _start(result: Core) -> str:
    """By what the core is told: majorities of what was counted, or of estimated win rates."""
    if result.posterior is None:
        return "The core"
    if result.unresolved_pairs is None:
        return "By majorities alone the core"
    return f"By the estimated win rates alone ({result.unresolved_pairs:,} of {result.pairs:,} pairs not resolved) the core"


def _same(result: Core) -> bool:
    """Whether the most probable core is the top cycle, and some agent is outside."""
    posterior, inside = result.posterior, result.top_cycle.members
    return posterior is not None and set(posterior.most_probable) == set(inside) and len(inside) < len(result.agents)
