r"""Three-cycles *a* > *b* > *c* > *a* of the win rates, and which of them are statistically significant.

Every pair with enough battles and a rate other than one half is an edge from its winner to its loser. Its strength is
the score statistic, whose standard error is that under the null hypothesis of equal agents,

.. math::  z = \frac{|\hat\psi - 1/2|}{\text{se}}, \qquad \text{se}^2 = \frac{1}{N^2} \Big( \sum_c (s_c - n_c / 2)^2 + w^2 / 4 \Big),

with a pseudo-count of weight *w* as everywhere (see `pairwise`), compared with the Gaussian distribution. If the
errors of clusters are symmetric, :math:`\Pr(z > x) \le e^{-x^2/2}` for clusters of any number and size, by Hoeffding's
inequality. A standard error around the observed rate is too small when the rate is off: with 20 independent battles,
at the small levels that multiple comparisons need, it rejects ten times too many even pairs, even with Student's *t*.
With many clusters the two agree. An edge whose variance is not positive has :math:`z = 0`.

A spurious cycle has at least one edge that points the wrong way, and it is significant only if that edge is strong
too: the weakest edge is the test of a cycle (an intersection-union test, Berger 1982), and the error is not split
among its three edges. A cycle is significant

* *on its own* when its weakest edge excludes one half at the level, two-sided;
* *among all* when it does so after Holm's correction for all apparent cycles, or for their edges if these are fewer:
with
  *m* of them, what exceeds :math:`1 - \alpha / m` is rejected and leaves more error to the rest (Holm 1979). With a
  single triple of agents a one-sided test suffices: if two of its edges point one way round, no cycle the other way
  exists.

Which edges lie on apparent cycles follows from the *directions* of all edges alone. Given these, with errors of pairs
independent and symmetric around their rates, an edge that points the wrong way is no stronger than one between equal
agents (:math:`\varphi(x + \mu)` falls faster than :math:`\varphi(x)`): it reaches *z* with probability at most
:math:`2 (1
- \Phi(z))`. Holm's argument holds given the directions, hence without them: the family-wise error over all triples is
controlled. Where clusters span pairs, the errors of pairs are dependent, and independence of strengths from directions
is not proven; simulations (tests) show no more false cycles.

References
----------
R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", *Technometrics* 24 (1982), 295-300. S. Holm,
"A simple sequentially rejective multiple test procedure", *Scandinavian Journal of Statistics* 6 (1979), 65-70.

Three-cycles of a directed graph: their number, and the strongest of them.

With :math:`A_{ij} = 1` for an edge from *i* to *j*, the edge lies on :math:`(A^2)_{ji}` three-cycles. A cycle is as
strong as its weakest edge, so the *k* strongest are those of the graph of edges above the largest threshold that leaves
*k*; bisection finds it, with a count at every step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from beatpath._arrays import Bools, Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import UsageError
from beatpath._result import Record, TableResult
from beatpath._text import confidence, counted, percent, quoted
from beatpath._validate import require_share
from beatpath.evidence.select import new_codes
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.win_rates.cluster_rows import column_sums
from beatpath.inference.win_rates.estimate import HasWinRates, WinRateEstimate
from beatpath.inference.win_rates.residuals import residuals
from beatpath.inference.win_rates.win_rates import win_rates_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Edge(Record):
    """A win of one agent over another, as an edge of a cycle.

    Attributes
    ----------
    winner, loser : str
        The agent that is ahead, and the other.
    rate : float
        Share of the battles that the winner won.
    battles : int
        Number of battles.
    z : float
        Strength of the edge: the score statistic.
    """

    winner: str
    loser: str
    rate: float
    battles: int
    z: float


@dataclass(frozen=True, slots=True)
class Cycle(Record):
    """Three agents, each ahead of the next and the last ahead of the first.

    Attributes
    ----------
    agents : tuple of str
        The three agents.
    edges : tuple of Edge
        From each to the next.
    """

    document: ClassVar[tuple[str, ...]] = ("agents", "edges", "z=weakest_edge_z")

    agents: tuple[str, str, str]
    edges: tuple[Edge, Edge, Edge]

    @property
    def weakest_edge_z(self) -> float:
        """Strength of the weakest edge."""
        return min(edge.z for edge in self.edges)

    def in_words(self, unit: str) -> str:
        """Return the cycle as a sentence in the unit of the data, such as ``task``."""
        steps = (
            f"{quoted(edge.winner)} beats {quoted(edge.loser)} ({percent(edge.rate)} of {counted(edge.battles, unit)})"
            for edge in self.edges
        )
        return f"{'; '.join(steps)}."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cycles(TableResult):
    """Three-cycles of the win rates, apparent and significant.

    Attributes
    ----------
    agents, pairs : int
        Agents and pairs with enough battles.
    triads : int
        Triples of agents whose three pairs all have enough battles.
    observed : int
        Three-cycles of the observed rates; among equal agents a quarter of all triads.
    significant : int
        Those significant after correction for all.
    significant_each : int
        Those significant on their own.
    listed : tuple of Cycle
        The strongest, by their weakest edge.
    most_battles : int or None
        Where no triple has enough: the most battles that all pairs of some triple have, 0 without a complete triple.
    critical, critical_each : float
        What the weakest edge of a cycle must reach, corrected for all and on its own.
    settings : mapping
        Level, minimum number of battles, and how many cycles to list.
    unit : str
        What `battles` counts: battle, ballot, or the task or item of a table of scores.
    """

    hidden: ClassVar[tuple[str, ...]] = ("unit",)
    derived: ClassVar[tuple[str, ...]] = ("weakest_edge_z",)

    agents: int
    pairs: int
    triads: int
    observed: int
    significant: int
    significant_each: int
    listed: tuple[Cycle, ...]
    critical: float
    critical_each: float
    most_battles: int | None
    settings: Mapping[str, Any]
    unit: str = "battle"

    @property
    def strongest(self) -> Cycle | None:
        """The cycle whose weakest edge is strongest."""
        return self.listed[0] if self.listed else None

    @property
    def weakest_edge_z(self) -> float | None:
        """Strength of the strongest cycle's weakest edge."""
        return self.strongest.weakest_edge_z if self.strongest else None

    @property
    def surviving(self) -> tuple[Cycle, ...]:
        """The listed cycles that are significant among all."""
        return tuple(one for one in self.listed if one.weakest_edge_z > self.critical)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many cycles appear, how many are significant, and the strongest of these."""
        enough = f"at least {counted(self.settings['min_battles'], self.unit)}"
        if not self.triads:
            enough += f" in each of their pairs; `--min-battles {self.most_battles}` tests some"
            none = f"have {enough}" if self.most_battles else "were all compared directly"
            return (f"Cycles were not tested: no three agents {none}.",)
        if self.strongest is None:
            none = "The only triple" if self.triads == 1 else f"None of {self.triads:,} triples"
            return (f"{none} with {enough} per pair is {'not ' * (self.triads == 1)}a cycle.",)
        apparent, one = counted(self.observed, "apparent three-cycle"), self.observed == 1
        if not self.significant:
            none, of = ("which does not", "its") if one else ("none of which", "the")
            verb, of_all = ("survive", "") if one else ("survives", " of the strongest")
            reached = f"{of} weakest edge{of_all} has z = {self.weakest_edge_z:.1f}, and {self.critical:.1f} is needed"
            alone = counted(self.significant_each, "survives", "survive")
            by_itself = f"; tested one by one, {alone}" if self.significant_each else ""
            return (f"{apparent}, {none} {verb} the noise ({reached}{by_itself}).",)
        stand = "survives" if self.significant == 1 else "survive"
        sure = f"simultaneous {confidence(self.settings['level'])} confidence"
        return (f"{self.significant:,} of {apparent} {stand} the noise ({sure}).", self.strongest.in_words(self.unit))

    def rows(self) -> list[dict[str, Any]]:
        """Return the cycles listed, one row each, strongest first."""
        return [
            {**dict(zip(("first", "second", "third"), one.agents, strict=True)), "weakest_edge_z": one.weakest_edge_z}
            for one in self.listed
        ]


def cycles(
    evidence: EvidenceLike | WinRateEstimate | HasWinRates,
    *,
    level: float = 0.95,
    min_battles: int = 20,
    most: int = 10,
) -> Cycles:
    """Count the three-cycles of win rates, apparent and significant, and list the strongest.

    Use it to test preferences for intransitivity. `transitivity` adds goodness of fit of a one-dimensional model, and
    `core` finds the undominated set.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, WinRateEstimate or Resolution, or what `read` takes
        Evidence is counted with default conventions; `resolve` or `win_rate_inference` take others.
    level : float, default 0.95
        Confidence level, between 0 and 1.
    min_battles : int, default 20
        Battles that a pair needs to be an edge.
    most : int, default 10
        Number of cycles to list, strongest first; counts are of all.

    Returns
    -------
    Cycles

    See Also
    --------
    transitivity : Whether one number per agent can represent the win rates.
    core : The undominated set.

    Examples
    --------
    Rock, paper, scissors with 100 battles per pair, 70 won.

    >>> from beatpath import Pairs
    >>> won, lost = [70, 30, 0, 0], [30, 70, 0, 0]
    >>> ring = Pairs(("paper", "rock", "scissors"), [0, 0, 1], [1, 2, 2], [won, lost, won])
    >>> result = cycles(ring)
    >>> result.observed, result.significant, result.strongest.agents
    (1, 1, ('paper', 'rock', 'scissors'))
    >>> print(cycles(ring, min_battles=101))
    Cycles were not tested: no three agents have at least 101 battles in each of their pairs; `--min-battles 100` tests some.

    Notes
    -----
    A count takes two products of the matrix of edges; the strongest cycles take about twenty counts more.
    """
    require_share("level", level)
    for name, value in (("min_battles", min_battles), ("most", most)):
        if value < 1:
            raise UsageError(f"`{name}` must be at least 1; got {value!r}.")
    pairwise = win_rates_of(evidence)
    enough = pairwise.battles >= min_battles
    a, b, names = _pairs_by_name(pairwise, enough)
    n, pairs = len(names), int(enough.sum())
    edges = _Edges(n, a, b, pairwise.rate[enough], pairwise.battles[enough], edge_z(pairwise)[enough])
    triads = triangle_count(n, a, b)
    each = bonferroni(level, 2).value
    every = bonferroni(level, 1).value if triads == 1 else edges.needed(level)
    raw, supported, alone = (edges.count(above) for above in (-1.0, every, each))
    settings = {"level": level, "min_battles": min_battles, "most": most}
    return Cycles(
        n,
        pairs,
        triads,
        raw,
        supported,
        alone,
        edges.strongest(names, most),
        every,
        each,
        None if triads else _most_battles(pairwise),
        settings,
        pairwise.unit,
    )


def _most_battles(pairwise: WinRateEstimate) -> int:
    """Return the largest number of battles that all three pairs of some triple have, by bisection."""
    a, b = pairwise.a.astype(np.int64), pairwise.b.astype(np.int64)

    def some(least: int) -> bool:
        enough = pairwise.battles >= least
        return triangle_count(len(pairwise.agents), a[enough], b[enough]) > 0

    tried = np.unique(pairwise.battles).tolist()
    number = bisect_left(tried, True, key=lambda least: not some(least))
    return int(tried[number - 1]) if number else 0


def _pairs_by_name(pairwise: WinRateEstimate, enough: Bools) -> tuple[Ints, Ints, list[str]]:
    """Return the selected pairs with agents numbered by name, so that input order does not matter."""
    here = np.unique(np.concatenate([pairwise.a[enough], pairwise.b[enough]]))
    order = sorted(here.tolist(), key=lambda i: pairwise.agents[i])
    code = new_codes(order, len(pairwise.agents)).astype(np.int64)
    return code[pairwise.a[enough]], code[pairwise.b[enough]], [pairwise.agents[i] for i in order]


def edge_z(pairwise: WinRateEstimate) -> Array:
    r"""Return the score statistic of every pair against one half, 0 where the variance is not positive.

    Examples
    --------
    90 of 100 battles won: :math:`0.4 / (\sqrt{101/4} / 100)`.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> edge_z(win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[90, 10, 0, 0]]))).round(2)
    array([7.96])
    """
    left = residuals(pairwise, np.full(len(pairwise.rate), 0.5))
    square = left.alone + (pairwise.weight / np.maximum(pairwise.battles, 1)) ** 2 / 4
    for part in left.parts:
        square = square + part.sign * column_sums(part.f, power=2)
    off = np.abs(pairwise.rate - 0.5) * pairwise.weight
    z = np.divide(off, np.sqrt(np.abs(square)), out=np.zeros(len(off)), where=(square > 0) & (pairwise.variance > 0))
    return np.asarray(z).round(12)  # rounding must not break ties


class _Edges:
    """The pairs that have a winner."""

    def __init__(self, n_agents: int, a: Ints, b: Ints, rate: Array, battles: Ints, z: Array) -> None:
        uneven, ahead = rate != 0.5, rate > 0.5
        self.n_agents = n_agents
        self.winner, self.loser = np.where(ahead, a, b)[uneven], np.where(ahead, b, a)[uneven]
        self.rate = np.where(ahead, rate, 1 - rate)[uneven]
        self.battles, self.z = battles[uneven], z[uneven]

    def count(self, above: float) -> int:
        """Return the number of cycles whose edges all exceed a strength."""
        strong = self.z > above
        return cycle_count(self.n_agents, self.winner[strong], self.loser[strong])

    def needed(self, level: float) -> float:
        """Return the critical value for the weakest edge: Holm's steps over cycles, or over their edges."""
        on_cycle = edge_cycles(self.n_agents, self.winner, self.loser)
        cycles, edges = int(on_cycle.sum()) // 3, self.z[on_cycle > 0]
        left, critical = min(cycles, len(edges)), bonferroni(level, 2 * min(cycles, len(edges))).value
        while left:
            clear = self.count(critical) if cycles <= len(edges) else int((edges > critical).sum())
            after = min(cycles, len(edges)) - clear
            if not 0 < after < left:
                break
            left, critical = after, bonferroni(level, 2 * after).value
        return critical

    def strongest(self, names: Sequence[str], most: int) -> tuple[Cycle, ...]:
        """Return the strongest cycles, with names and numbers."""
        at = {(i, j): k for k, (i, j) in enumerate(zip(self.winner.tolist(), self.loser.tolist(), strict=True))}

        def edge(i: int, j: int) -> Edge:
            k = at[i, j]
            return Edge(names[i], names[j], float(self.rate[k]), int(self.battles[k]), float(self.z[k]))

        strongest = strongest_cycles(self.n_agents, self.winner, self.loser, self.z, most)
        return tuple(
            Cycle((names[i], names[j], names[k]), (edge(i, j), edge(j, k), edge(k, i))) for i, j, k in strongest
        )


Codes = NDArray[np.integer]
Triple = tuple[int, int, int]

DENSE = 75  # multiplications of a dense product in the time of one sparse one, measured


def edge_cycles(n_agents: int, winner: Codes, loser: Codes) -> NDArray[np.int64]:
    """Return the exact number of three-cycles through every edge.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    winner, loser : (m,) int
        The edges, each at most once.

    Examples
    --------
    >>> edge_cycles(4, np.array([0, 1, 2, 0]), np.array([1, 2, 0, 3]))
    array([1, 1, 1, 0])
    """
    edge = csr_array((np.ones(len(winner), dtype=np.int64), (winner, loser)), shape=(n_agents, n_agents))
    if int(np.bincount(winner, minlength=n_agents) @ np.bincount(loser, minlength=n_agents)) * DENSE < n_agents**3:
        counts = (edge @ edge)[loser, winner]
        return np.asarray(counts.toarray() if issparse(counts) else counts).ravel()
    full = edge.toarray().astype(np.float32)  # integers below 2^24 are exact
    return np.asarray((full @ full)[loser, winner]).astype(np.int64)


def cycle_count(n_agents: int, winner: Codes, loser: Codes) -> int:
    """Return the number of three-cycles.

    >>> cycle_count(3, np.array([0, 1, 2]), np.array([1, 2, 0]))
    1
    """
    return int(edge_cycles(n_agents, winner, loser).sum()) // 3


def triangle_count(n_agents: int, a: Codes, b: Codes) -> int:
    """Return the number of triangles in the undirected graph of pairs.

    >>> triangle_count(3, np.array([0, 0, 1]), np.array([1, 2, 2]))
    1
    """
    return cycle_count(n_agents, np.concatenate([a, b]), np.concatenate([b, a])) // 2


def strongest_cycles(n_agents: int, winner: Codes, loser: Codes, strength: Array, most: int) -> list[Triple]:
    """Return the strongest three-cycles, each from its first agent, who beats the second, who beats the third.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    winner, loser : (m,) int
        The edges.
    strength : (m,) float
        Strength of each edge.
    most : int
        How many to return; among equally strong ones, those whose agents come first.

    Examples
    --------
    >>> ring = np.array([0, 1, 2, 3, 3]), np.array([1, 2, 0, 0, 1])
    >>> strongest_cycles(4, *ring, np.array([3.0, 2.0, 5.0, 9.0, 9.0]), 10)
    [(0, 1, 2)]
    """
    at_least = _threshold(n_agents, winner, loser, strength, most)
    if at_least is None or most < 1:
        return []
    full = np.full((n_agents, n_agents), -np.inf)
    full[winner, loser] = strength
    above, equal = strength > at_least, strength >= at_least
    walks = list(_walk(n_agents, winner[above], loser[above]))
    ties = (one for one in _walk(n_agents, winner[equal], loser[equal]) if _weakest(full, one) == at_least)
    walks += islice(ties, most - len(walks))
    return sorted(walks, key=lambda one: (-_weakest(full, one), one))


def _weakest(full: Array, cycle: Triple) -> float:
    """Return the strength of the weakest edge."""
    i, j, k = cycle
    return float(min(full[i, j], full[j, k], full[k, i]))


def _threshold(n_agents: int, winner: Codes, loser: Codes, strength: Array, most: int) -> float | None:
    """Return the largest strength at which at least `most` cycles remain; the smallest where there are fewer."""

    def few(at_least: float) -> bool:
        strong = strength >= at_least
        return cycle_count(n_agents, winner[strong], loser[strong]) < most

    values = np.unique(strength).tolist()
    if not cycle_count(n_agents, winner, loser):
        return None
    return float(values[max(bisect_left(values, True, key=few) - 1, 0)])


def _walk(n_agents: int, winner: Codes, loser: Codes) -> Iterator[Triple]:
    """Yield every three-cycle once, from its first agent, in order."""
    edge = np.zeros((n_agents, n_agents), dtype=bool)
    edge[winner, loser] = True
    for i in np.unique(winner[edge_cycles(n_agents, winner, loser) > 0]).tolist():
        second, third = np.flatnonzero(edge[i, i + 1 :]) + i + 1, np.flatnonzero(edge[i + 1 :, i]) + i + 1
        j, k = np.nonzero(edge[np.ix_(second, third)])
        yield from zip([i] * len(j), second[j].tolist(), third[k].tolist(), strict=True)
