"""The result of `core`: top cycle and uncovered set with scores, undetermined members, and witnesses on demand.

A pair never compared directly may go either way. An agent is *surely* a member if it is one however those pairs go,
*possibly* if it is one for some outcome: the necessary and possible winners of a partial tournament [1]_. The members
that `top_cycle` and `uncovered_set` return, counting such pairs as tied, lie between the two.

References
----------
.. [1] H. Aziz, M. Brill, F. Fischer, P. Harrenstein, J. Lang, H. G. Seedig, "Possible and necessary winners of partial
       tournaments", *Journal of Artificial Intelligence Research* 54 (2015), 493-534.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._result import Record, TableResult, plot_result
from beatpath._text import all_of, counted, listed, quoted
from beatpath.evidence import Convention, Margins
from beatpath.inference.core.core_posterior import CorePosterior
from beatpath.methods.graph.relation import beats
from beatpath.methods.tournament.solutions import does_at_least_as_well, top_cycle, uncovered
from beatpath.methods.tournament.witnesses import (
    Covered,
    InTopCycle,
    OutOfTopCycle,
    Uncovered,
    top_cycle_sentence,
    top_cycle_witness,
    uncovered_witness,
)


@dataclass(frozen=True, slots=True)
class Undetermined(Record):
    """Members that depend on pairs never compared directly.

    Attributes
    ----------
    solution : str
        "top cycle" or "uncovered set".
    sure : tuple of str
        Members however those pairs go.
    agents : tuple of str
        Members or not, depending on those pairs; empty when everything is known.
    pairs : tuple of (str, str)
        The pairs to play: their results settle the answer. No other pair can change it.
    """

    derived: ClassVar = ("sentence",)

    solution: str
    sure: tuple[str, ...]
    agents: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """What is unknown and which pairs to play, or that everything is known."""
        if not self.agents:
            return f"No pair that was not compared can change the {self.solution}."
        text = ", ".join(f"{quoted(a)} and {quoted(b)}" for a, b in self.pairs[:3])
        more = f", and {len(self.pairs) - 3:,} more" if len(self.pairs) > 3 else ""
        return (
            f"Whether {listed(self.agents)} belong{'s' if len(self.agents) == 1 else ''} to the {self.solution} is "
            f"undetermined: it depends on {counted(len(self.pairs), 'pair that was', 'pairs that were')} not compared. Play {text}{more}."
        )


def undetermined_top_cycle(margins: Margins) -> Undetermined:
    """Return who is surely in the top cycle, whose membership is open, and the pairs that decide it.

    An agent is surely a member when paths of wins and ties over compared pairs lead from it to all others. It is
    possibly one exactly if it is one with every open pair tied. A further pair within one strongly connected component
    of the compared pairs decides nothing.

    Parameters
    ----------
    margins : Margins
        With `played` false for pairs never compared directly.

    Returns
    -------
    Undetermined

    Examples
    --------
    Two groups that are not connected: nobody is known to be in the core or out of it.

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
    W, unmet = beats(margins), _open(margins)
    steps = ~W.T & ~unmet & ~np.eye(len(W), dtype=bool)
    n_parts, part = connected_components(csr_array(steps), connection="strong")
    _, to = np.nonzero(steps & (part[:, None] != part))
    first = np.setdiff1d(np.arange(n_parts), part[to])
    sure = part == first[0] if len(first) == 1 else np.zeros(len(W), dtype=bool)
    possible = top_cycle(margins)
    deciding = unmet & possible & possible[:, None] & (part[:, None] != part)
    return _undetermined_of("top cycle", margins, sure, possible, deciding)


def undetermined_uncovered_set(margins: Margins) -> Undetermined:
    """Return who is surely uncovered, whose membership is open, and the pairs that decide it.

    Covering is McKelvey's. An agent is surely uncovered when nobody covers it even if open pairs of the coverer are
    won and its own are lost, and possibly uncovered when nobody covers it with the opposite outcomes.

    Parameters
    ----------
    margins : Margins
        With `played` false for pairs never compared directly.

    Returns
    -------
    Undetermined
        `pairs` are all open pairs within the possible top cycle when anything is open.

    Examples
    --------
    Ada beats bob; neither has played cyd.

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
    W, unmet = beats(margins), _open(margins)
    sure = uncovered(does_at_least_as_well(W | unmet, W))
    possible = uncovered(does_at_least_as_well(W, W | unmet))
    inside = top_cycle(margins)
    deciding = unmet & inside & inside[:, None] & (possible & ~sure).any()
    return _undetermined_of("uncovered set", margins, sure, possible, deciding)


def _open(margins: Margins) -> NDArray[np.bool_]:
    """Return the pairs never compared directly, in both directions."""
    assert margins.played is not None
    met = margins.played | (margins.matrix != 0)
    return ~met & ~np.eye(len(met), dtype=bool)


def _undetermined_of(solution: str, margins: Margins, sure: Bools, possible: Bools, deciding: Bools) -> Undetermined:
    names = margins.agents
    pairs = sorted(tuple(sorted((names[a], names[b]))) for a, b in zip(*np.nonzero(np.triu(deciding)), strict=True))
    certain = sorted(names[a] for a in np.flatnonzero(sure))
    open_ = sorted(names[a] for a in np.flatnonzero(possible & ~sure))
    return Undetermined(solution, tuple(certain), tuple(open_), tuple((a, b) for a, b in pairs))


@dataclass(frozen=True, slots=True)
class CoreSet(Record):
    """A set of agents, with the soft membership score of every agent.

    Attributes
    ----------
    members : tuple of str
        Members by majority.
    scores : mapping of agent to float
        Soft membership, from 0 to 1.
    """

    members: tuple[str, ...]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Component(Record):
    """A connected component and its core.

    Attributes
    ----------
    agents : tuple of str
        Its agents, none of which was compared with the others.
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
class Core(TableResult):
    """The top cycle and the uncovered set, hard and soft, with posterior probabilities.

    Attributes
    ----------
    agents : tuple of str
        Names.
    top_cycle, uncovered_set : CoreSet
        Members by the margins, pairs without one counting as tied; scores by the soft operators, which measure the
        strength of membership and are not probabilities.
    posterior : CorePosterior or None
        Probability of each agent to be in the top cycle of the true majorities; None without counts, and with several
        components, each of which has its own.
    win_rate : mapping of agent to float
        With estimated win rates the mean against every other agent, as `resolve` scores it; with counts the share of
        comparisons won; with a matrix of probabilities the mean against all rivals.
    bradley_terry : mapping of agent to float, or None
        Log-strengths, where there are counts and the estimate exists.
    undetermined : tuple of Undetermined
        One for each of the two sets that depends on pairs never compared directly.
    margins : Margins or None
        The lead of each agent over each other, which decides members and witnesses: twice its estimated win rate minus
        one, where these are estimated; None where agents are too many for all pairs.
    resolved : (n, n) bool or None
        With estimated win rates, the pairs whose own 95 % confidence interval excludes one half.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How evidence became edges.
    notes : tuple of str
        Caveats.
    parts : tuple of Core
        The cores of the connected components, the largest first, where there are several. Members and scores of the
        whole are those of the components together.
    """

    plot = plot_result

    hidden: ClassVar = ("margins", "resolved", "parts")
    derived: ClassVar = ("win_rate_is", "pairs", "unresolved_pairs", "components")

    agents: tuple[str, ...]
    top_cycle: CoreSet
    uncovered_set: CoreSet
    _: KW_ONLY
    posterior: CorePosterior | None = None
    win_rate: Mapping[str, float]
    bradley_terry: Mapping[str, float] | None = None
    undetermined: tuple[Undetermined, ...] = ()
    margins: Margins | None = None
    resolved: Bools | None = None
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
        """Probability of each agent to be in the core of its component, where it has one."""
        known = [one.posterior for one in self.parts or (self,)]
        return {agent: p for one in known if one is not None for agent, p in one.top_cycle.items()}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The most probable core first, the core by majorities, and what is unknown; by component."""
        if self.parts:
            return _component_sentences(self)
        probably = () if self.posterior is None else self.posterior.sentences
        return (*probably, _core_by_majority(self), *(open_.sentence for open_ in self.undetermined))

    @property
    def pairs(self) -> int | None:
        """Number of pairs with a margin."""
        return None if self.margins is None or self.margins.played is None else int(self.margins.played.sum()) // 2

    @property
    def unresolved_pairs(self) -> int | None:
        """Number of pairs with an estimated win rate whose sign is not significant."""
        if self.resolved is None or self.pairs is None:
            return None
        return self.pairs - int(self.resolved.sum()) // 2

    @property
    def win_rate_is(self) -> str:
        """What `win_rate` estimates."""
        if self.share_won:
            return "share of its comparisons won, whatever its opponents"
        return "mean win rate against every other agent"

    @property
    def share_won(self) -> bool:
        """Whether `win_rate` is the plain share of comparisons won."""
        return self.resolved is None and (bool(self.membership) or self.margins is None)

    def witness(self, agent: str) -> tuple[InTopCycle | OutOfTopCycle, Covered | Uncovered]:
        """Return why an agent is in the top cycle or not, and why it is uncovered or not."""
        one, margins = self._with_margins(agent)
        return top_cycle_witness(margins, agent, one.resolved), uncovered_witness(margins, agent, one.resolved)

    def reasons(self, agent: str) -> tuple[str, str]:
        """Return the sentences of `witness`, in a fraction of its time: they name one path."""
        one, margins = self._with_margins(agent)
        return (
            top_cycle_sentence(margins, agent, one.resolved),
            uncovered_witness(margins, agent, one.resolved).sentence,
        )

    def _with_margins(self, agent: str) -> "tuple[Core, Margins]":
        """The component of an agent, and its margins."""
        one = next((part for part in self.parts if agent in part.agents), self)
        if one.margins is None:
            raise UsageError(
                f"a witness needs a table of all pairs, which is not made for {len(one.agents):,} agents. Keep fewer agents."
            )
        return one, one.margins

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, the most probable members first: Table 9 of Soft Tournament Equilibrium."""
        chance, strength = self.membership, self.bradley_terry or {}
        open_: list[int | None] = [None] * len(self.agents)
        if self.resolved is not None and self.margins is not None and self.margins.played is not None:
            open_ = (self.margins.played & ~self.resolved).sum(axis=1).tolist()
        rows = [
            {
                "agent": agent,
                "top_cycle": self.top_cycle.scores[agent],
                "uncovered_set": self.uncovered_set.scores[agent],
                "in_core": chance.get(agent),
                "win_rate": self.win_rate[agent],
                "unresolved": unresolved,
                "bradley_terry": strength.get(agent),
            }
            for agent, unresolved in zip(self.agents, open_, strict=True)
        ]
        return sorted(rows, key=lambda r: (-(r["in_core"] or 0.0), -r["top_cycle"], -r["uncovered_set"], r["agent"]))


MOST_PARTS = 5  # most components whose core is described in sentences; `components` has all


def _component_sentences(result: Core) -> tuple[str, ...]:
    """Describe the core of each component."""
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


def side_by_side(agents: tuple[str, ...], parts: "tuple[Core, ...]", conventions: tuple[Convention, ...]) -> Core:
    """Combine the cores of connected components, which together have all agents, into one result."""
    place = {name: i for i, name in enumerate(agents)}
    at = [np.array([place[name] for name in one.agents]) for one in parts]

    def merged(values: Iterable[Mapping[str, float]]) -> dict[str, float]:
        every = {name: value for one in values for name, value in one.items()}
        return {name: every[name] for name in agents if name in every}

    def merged_set(sets: Sequence[CoreSet]) -> CoreSet:
        return CoreSet(tuple(sorted(name for one in sets for name in one.members)), merged(one.scores for one in sets))

    def blocks(tables: Iterable[NDArray[Any] | None], kind: type) -> NDArray[Any]:
        """Combine tables of the components into one of all agents, zero across."""
        whole: NDArray[Any] = np.zeros((len(agents),) * 2, dtype=kind)
        for own, table in zip(at, tables, strict=True):
            if table is not None:
                whole[np.ix_(own, own)] = table
        return whole

    leads = [one.margins for one in parts if one.margins is not None]
    margins = resolved = None
    if len(leads) == len(parts):
        margins = Margins(
            blocks((one.matrix for one in leads), float), agents, blocks((one.played for one in leads), bool)
        )
        if any(one.resolved is not None for one in parts):
            resolved = blocks((one.resolved for one in parts), bool)
    return Core(
        agents,
        merged_set([one.top_cycle for one in parts]),
        merged_set([one.uncovered_set for one in parts]),
        win_rate=merged(one.win_rate for one in parts),
        bradley_terry=merged(one.bradley_terry or {} for one in parts) or None,
        undetermined=tuple(open_ for one in parts for open_ in one.undetermined),
        margins=margins,
        resolved=resolved,
        settings=parts[0].settings,
        conventions=conventions,
        notes=tuple(dict.fromkeys(note for one in parts for note in one.notes)),
        parts=parts,
    )


def _core_by_majority(result: Core) -> str:
    """State the core by the margins alone, and how many of them are not significant."""
    inside, uncovered, n = result.top_cycle.members, result.uncovered_set.members, len(result.agents)
    if n == 1:
        return f"The core is {quoted(inside[0])}, the only agent."
    start, same = _start(result), _same(result)
    if len(inside) == 1:
        return f"{start} is {'the same: ' if same else ''}{quoted(inside[0])}{_ahead(result, inside[0], same)}"
    if len(inside) == n:
        text = f"{start} is {all_of(n)} agents: chains of wins or ties lead from each to every other, so no agent is singled out."
    elif same:
        text = f"{start} is the same."
    else:
        text = f"{start} has {len(inside):,} of {n:,} agents, its top cycle: {listed(inside, 10)}."
    if len(uncovered) == len(inside):
        return f"{text} None of them is covered, that is, loses to a rival that also beats everyone it beats."
    are = "1 is" if len(uncovered) == 1 else f"{len(uncovered):,} are"
    return f"{text} Of these {are} uncovered: {listed(uncovered, 10)}."


def _ahead(result: Core, agent: str, same: bool) -> str:
    """State that one agent is ahead of every rival, and for how many that is not significant."""
    who = "" if same else " alone, which"
    open_ = 0 if result.resolved is None else int((~result.resolved[result.agents.index(agent)]).sum()) - 1
    if not open_:
        return f"{who} beats every rival."
    leads = counted(len(result.agents) - 1, "lead")
    return f"{who} is ahead of every rival; {open_:,} of {leads} {'is' if open_ == 1 else 'are'} not resolved."


def _start(result: Core) -> str:
    """Name the basis of the core: majorities of counts, or of estimated win rates."""
    if result.posterior is None:
        return "The core"
    if result.unresolved_pairs is None:
        return "By majorities alone the core"
    return f"By the estimated win rates alone ({result.unresolved_pairs:,} of {counted(result.pairs or 0, 'pair')} not resolved, tested one by one) the core"


def _same(result: Core) -> bool:
    """Return whether the most probable core is the top cycle, with some agent outside."""
    posterior, inside = result.posterior, result.top_cycle.members
    return posterior is not None and set(posterior.most_probable) == set(inside) and len(inside) < len(result.agents)
