"""Counted votes: one cell per judge, pair and covariates; battles are not needed any more."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import AnyInts, Bools, Floats, Ints
from beatpath.fit.pairs import Comparisons, decided
from beatpath.stats.codes import first_rows, hashed, joint, sums_by_code


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Counts by judge, pair and covariates, sorted by judge, then pair.

    Parameters
    ----------
    n_agents, n_judges : int
        Numbers of agents and judges.
    judge, a, b : (c,) int
        The judge, and the pair, ``a < b``.
    x : (c, k) float
        Covariates of the lead of *a*: +1 where it was shown first, -1 where *b* was; differences of other covariates.
    wins, n, ties : (c,) float
        Votes for *a*, decided votes, and ties.
    """

    n_agents: int
    n_judges: int
    judge: Ints
    a: Ints
    b: Ints
    x: Floats
    wins: Floats
    n: Floats
    ties: Floats

    def __len__(self) -> int:
        return len(self.judge)

    def decided(self) -> Floats:
        """Return the number of decided votes of each judge, (judges,)."""
        return sums_by_code(self.judge, self.n, self.n_judges)

    def take(self, cells: NDArray[np.generic] | slice) -> "Votes":
        """Return the chosen cells."""
        rows = {name: getattr(self, name)[cells] for name in ("judge", "a", "b", "x", "wins", "n", "ties")}
        return replace(self, **rows)

    def pooled(self) -> "Votes":
        """Return the votes pooled over judges: cells with equal pair and covariates summed.

        >>> votes, _ = counted_votes(np.array([0, 1]), np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.0]))
        >>> votes.pooled().n
        array([2.])
        """
        everybody = replace(self, n_judges=1, judge=np.zeros(len(self), dtype=np.int64))
        return everybody.summed()[0]

    def summed(self) -> tuple["Votes", Ints]:
        """Return the votes with equal cells summed, sorted, and the new cell of each."""
        code, size = joint([self.judge, self.a, self.b, *self.x.T])
        wins, n, ties = (sums_by_code(code, values, size) for values in (self.wins, self.n, self.ties))
        return replace(self.take(first_rows(code, size)), wins=wins, n=n, ties=ties), code

    def comparisons(self) -> Comparisons:
        """Return the decided votes as paired comparisons, over all judges."""
        return decided(self.n_agents, self.a, self.b, self.wins, self.n, self.x)


def mean_votes(unit: Ints, judge: AnyInts, vote: Floats, shape: tuple[int, int]) -> Floats:
    """Return the mean vote of every judge on every unit, of shape (units, judges), NaN where there is none.

    >>> mean_votes(np.array([0, 0, 1]), np.array([0, 0, 1]), np.array([1.0, 0.0, 1.0]), (2, 2))
    array([[0.5, nan],
           [nan, 1. ]])
    """
    cell, size = unit * shape[1] + judge, shape[0] * shape[1]
    number, total = sums_by_code(cell, np.ones(len(cell)), size), sums_by_code(cell, vote, size)
    return np.divide(total, number, out=np.full(size, np.nan), where=number > 0).reshape(shape)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Decided votes by cell and cluster, for cluster-robust variances.

    Parameters
    ----------
    cell, cluster : (p,) int
        Cell and cluster.
    wins, n : (p,) float
        Votes for *a*, and decided votes.
    """

    cell: Ints
    cluster: Ints
    wins: Floats
    n: Floats


def counted_votes(
    judge: AnyInts,
    a: AnyInts,
    b: AnyInts,
    outcome: Floats,
    x: Floats | None = None,
    *,
    n_agents: int | None = None,
    n_judges: int | None = None,
) -> tuple[Votes, Ints]:
    """Count votes, and return the cell of each row; above one half is a vote for *a*, below for *b*, one half a tie.

    Parameters
    ----------
    judge, a, b : (t,) int
        The judge and the two agents.
    outcome : (t,) float in [0, 1]
        For *a*; a soft preference counts for the side it favors.
    x : (t, k) float, optional
        Covariates of the lead of *a*.

    Examples
    --------
    >>> votes, _ = counted_votes(np.zeros(3, int), np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([1.0, 0.0, 0.5]))
    >>> votes.wins, votes.n, votes.ties
    (array([2.]), array([2.]), array([1.]))
    """
    turned = a > b
    columns = np.zeros((len(a), 0)) if x is None else x
    columns = np.where(turned[:, None], -columns, columns) + 0.0  # no negative zeros
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    return Votes(
        int(high.max(initial=-1)) + 1 if n_agents is None else n_agents,
        int(judge.max(initial=-1)) + 1 if n_judges is None else n_judges,
        judge.astype(np.int64),
        low,
        high,
        columns,
        *(one.astype(np.float64) for one in (_for_first(a, b, outcome), outcome != 0.5, outcome == 0.5)),
    ).summed()


def _for_first(a: AnyInts, b: AnyInts, outcome: Floats) -> Bools:
    """Return whether a row is a vote for the first agent of its pair."""
    return np.asarray(((outcome > 0.5) != (a > b)) & (outcome != 0.5))


def in_parts(cell: Ints, cluster: AnyInts, a: AnyInts, b: AnyInts, outcome: Floats) -> Parts:
    """Return decided votes by cell and cluster, from the rows counted by `counted_votes` and their cells."""
    decided = outcome != 0.5
    cell, group = cell[decided], cluster[decided].astype(np.int64)
    part, n = joint([cell, group])
    first = first_rows(part, n)
    wins = sums_by_code(part, _for_first(a, b, outcome)[decided], n)
    return Parts(cell[first], group[first], wins, np.bincount(part, minlength=n).astype(np.float64))


ROUNDS = 4  # after which agents, judges and units are told apart by the votes of those that they meet


def units_by_content(judge: AnyInts, a: AnyInts, b: AnyInts, outcome: Floats, x: Floats, unit: Ints) -> Ints:
    """Return all units in an order that depends on their votes alone, and neither on names nor on the order of rows.

    Agents, judges and units are known by sums of hashes of their votes, and votes by whom they concern, in turn: the
    color refinement of graphs. Units that it does not tell apart keep their order.

    >>> judge, winner, loser = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2]), np.array([1, 2, 2, 0])
    >>> none, rows = np.zeros((4, 0)), np.arange(4)
    >>> order = units_by_content(judge, winner, loser, np.ones(4), none, rows)
    >>> renamed = units_by_content(judge[::-1], 2 - loser[::-1], 2 - winner[::-1], np.zeros(4), none, rows)
    >>> bool((order == 3 - renamed).all())
    True
    """
    some = np.flatnonzero(outcome != 0.5)
    turned = outcome[some] < 0.5
    winner, loser = np.where(turned, b[some], a[some]), np.where(turned, a[some], b[some])
    columns = np.where(turned[:, None], -x[some], x[some]).round(9) + 0.0  # rounded, as rows add up in any order
    content = np.zeros(len(some), dtype=np.uint64)
    for column in columns.T:
        content = hashed(content + np.ascontiguousarray(column).view(np.uint64))
    n_agents, n_judges, n_units = (int(one.max(initial=-1)) + 1 for one in (np.append(a, b), judge, unit))
    vote = content
    for _ in range(ROUNDS):
        agent, of_judge, of_unit = (np.zeros(n, dtype=np.uint64) for n in (n_agents, n_judges, n_units))
        np.add.at(agent, winner, hashed(vote))
        np.add.at(agent, loser, hashed(~vote))
        np.add.at(of_judge, judge[some], hashed(vote))
        np.add.at(of_unit, unit[some], hashed(vote))
        vote = content
        for known in (agent[winner], agent[loser], of_judge[judge[some]], of_unit[unit[some]]):
            vote = hashed(vote + known)
    total = np.zeros(n_units, dtype=np.uint64)
    np.add.at(total, unit[some], hashed(vote))
    return np.argsort(total, kind="stable")


def with_own_family(votes: Votes, family: Bools, at: int) -> Votes | None:
    """Return the votes with a column at position `at` for agents related to the judge, or None where there are none.

    Parameters
    ----------
    votes : Votes
        Counts by judge and pair.
    family : (judges, agents) bool
        Which agents are related to which judge.
    at : int
        Position of the new column.
    """
    own = family[votes.judge, votes.a].astype(np.float64) - family[votes.judge, votes.b]
    return replace(votes, x=np.insert(votes.x, at, own, axis=1)) if own.any() else None


def of_judges(votes: Votes, chosen: Bools, parts: Parts | None = None) -> tuple[Votes, Parts | None]:
    """Return the decided votes of the selected judges, renumbered.

    >>> votes, _ = counted_votes(np.array([0, 1, 2]), np.array([0, 0, 0]), np.array([1, 1, 1]), np.array([1.0, 0.5, 0.0]))
    >>> of_judges(votes, np.array([True, True, True]))[0].judge
    array([0, 2])
    """
    used = (votes.n > 0) & chosen[votes.judge]
    number, cell = np.cumsum(chosen) - 1, np.cumsum(used) - 1
    own = votes.take(used)
    own = replace(own, judge=number[own.judge], n_judges=int(chosen.sum()))
    if parts is None:
        return own, None
    some = used[parts.cell]
    return own, Parts(cell[parts.cell[some]], parts.cluster[some], parts.wins[some], parts.n[some])
