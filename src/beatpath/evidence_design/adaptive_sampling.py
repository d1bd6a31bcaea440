r"""Test for adaptive sampling: whether earlier outcomes influenced which pairs were compared.

With a schedule that was fixed, or drawn independently of results, the outcomes of a pair are equally likely in any
order. So outcomes are permuted within every pair, with the schedule fixed, and three statistics are compared with
their permutation distribution:

*rating*
    the distance of the running Elo ratings of two agents before their battle, relative to that of pairs drawn from the
    whole schedule at that time: matchmaking makes it small;
*lead*
    the lead :math:`|W - k/2| / \tfrac12 \sqrt k`, in standard errors, from *W* wins in the *k* battles so far of a
    pair with ten or more, in a mean dominated by large leads (of sixth powers): dropping pairs once they look decided, or repeating undecided
    ones, makes it small;
*winner*
    how much more often the winner than the loser plays the next battle of either: winner-stays-on and knock-out
    schedules make it large.

Each is standardized by its mean and standard deviation over permutations, and the largest of the three gives one
p-value, exact if outcomes of a pair are exchangeable. Judges, tasks and positions reduce exchangeability: outcomes are
permuted within pair and level of every such column that leaves most battles exchangeable, and within halves of the
schedule because strengths may drift. The last of the other columns but position is the *cluster*: a prompt, ballot or session,
whose battles are dependent. There the deviations of outcomes from the mean of their pair change sign together within a
cluster (the wild cluster bootstrap [1]_). Consecutive battles of one cluster, or of one time, count as simultaneous,
in whatever order their rows are.

References
----------
.. [1] A. C. Cameron, J. B. Gelbach, D. L. Miller, "Bootstrap-based improvements for inference with clustered errors",
       *Review of Economics and Statistics* 90 (2008), 414-427.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence import Battles
from beatpath.stats.codes import apart, dense, joint

PERMUTATIONS = 199  # the smallest p-value is then 0.005
MOST = 5_000  # most battles used, the first ones: enough to detect rules that follow ratings
LEAST = 50  # fewest exchangeable battles
# Fewest battles of a pair whose leads count: those of fewer never look decided, and flipped signs of clusters change their
# sixth powers (two battles of a pair flipped: 1 becomes 4, on average).
REPEATED = 10
K = 0.03  # factor of the Elo ratings in log odds, near that of public arenas (4 points at 400 points per factor of ten)
REFERENCE_PAIRS = 4  # pairs drawn from the schedule per battle, for comparison of ratings
BLOCKS = 2  # time blocks: with agents that drift by one log odds, one block gave 9.3 % false alarms, two gave 3.3 % (150 boards)
MOST_EXCHANGEABLE = 0.8  # share of exchangeable battles that must remain so for a column to be conditioned on
COLUMNS = ("judge", "task", "cluster")  # columns conditioned on; the last that cannot be is the cluster
STATISTICS = ("rating", "lead", "winner")  # the statistics, in the order of their rows


class AdaptiveSampling(NamedTuple):
    """The three statistics, observed and averaged over permutations, and their p-value."""

    battles: int
    statistics: dict[str, tuple[float, float]]
    p_value: float
    most: str  # the most extreme statistic

    @property
    def sign(self) -> str:
        """What the most extreme statistic indicates, as text."""
        observed, otherwise = self.statistics[self.most]
        if self.most == "rating":
            return (
                f"the running ratings of two compared agents differ {observed:.2f} times as much as those of pairs drawn from the "
                f"schedule, and {otherwise:.2f} times as much with the outcomes of every pair in random order"
            )
        if self.most == "lead":
            return (
                f"large leads of a pair are {observed:.2f} standard errors when it is compared again, and {otherwise:.2f} with its "
                "outcomes in random order"
            )
        return (
            f"winners play again before the losers more often than after them, by {100 * observed:.1f} percentage points, and by "
            f"{100 * otherwise:.1f} with the outcomes of every pair in random order"
        )


def equal_meetings(battles: Battles) -> int:
    """Return the number of battles per pair if all compared pairs have equally many, else 0.

    Then outcomes cannot have influenced how often any pair was compared, and win rates are not affected.
    """
    met = np.bincount(joint([np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b)])[0])
    return int(met[0]) if len(met) and met.min() == met.max() else 0


def adaptive_sampling(battles: Battles, *, seed: int = 0) -> AdaptiveSampling | None:
    """Test whether the schedule depends on outcomes; None where all pairs have equally many battles or few repeat.

    Battles are taken in order of time where all times are known, and as given otherwise. `seed` is that of the
    permutations.
    """
    if equal_meetings(battles):
        return None
    known = battles.time is not None and bool(np.isfinite(battles.time).all())
    time = battles.time if battles.time is not None and known else np.arange(len(battles.a), dtype=np.float64)
    rows = np.argsort(time, kind="stable")[:MOST]
    a, b, outcome = battles.a[rows], battles.b[rows], battles.outcome[rows]
    low, high = np.unique([np.minimum(a, b), np.maximum(a, b)], return_inverse=True)[1].reshape(2, -1).astype(np.int64)
    stratum = joint([low, high])[0]
    if battles.position is not None:
        finer = _conditioned(stratum, dense(1 + battles.position[rows] * np.sign(b - a))[0])
        stratum = stratum if finer is None else finer
    columns = [apart(battles.factors[name].codes[rows]) for name in COLUMNS if name in battles.factors]
    stratum, cluster = _strata(stratum, columns)
    step = np.cumsum(_changes(time[rows]) & _changes(cluster))
    won = np.where(a < b, outcome, 1 - outcome).astype(np.float64)
    return _adaptive_sampling(*(x.tobytes() for x in (low, high, stratum, cluster, step, won)), seed)


def _strata(pair: Ints, columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the strata within which outcomes are permuted, and the clusters."""
    stratum = cluster = pair
    for column in columns:
        finer = _conditioned(stratum, column)
        stratum, cluster = (stratum, column) if finer is None else (finer, cluster)
    if cluster is not pair:
        return stratum, joint([cluster])[0]
    rows = np.arange(len(pair))
    finer = _conditioned(stratum, rows * BLOCKS // len(pair))
    return stratum if finer is None else finer, rows


def _conditioned(stratum: Ints, column: Ints) -> Ints | None:
    """Return strata within levels of a column, or None where too few rows would remain exchangeable."""
    finer = joint([stratum, column])[0]
    return finer if _exchangeable(finer) >= MOST_EXCHANGEABLE * _exchangeable(stratum) else None


def _exchangeable(stratum: Ints) -> int:
    """Return how many rows share their stratum with another."""
    return int((np.bincount(stratum)[stratum] > 1).sum())


def _changes(column: NDArray[np.generic]) -> Bools:
    """Return whether each row differs from the one before."""
    return np.append(True, column[1:] != column[:-1])[: len(column)]


@lru_cache(maxsize=4)  # checks and `resolve` test the same battles: 0.2 s each for 5,000
def _adaptive_sampling(
    lower: bytes, higher: bytes, strata: bytes, clusters: bytes, steps: bytes, outcomes: bytes, seed: int
) -> AdaptiveSampling | None:
    """Run the test on the selected battles in order; outcomes are those of the lower agent."""
    low, high, stratum, cluster, step = (
        np.frombuffer(x, dtype=np.int64) for x in (lower, higher, strata, clusters, steps)
    )
    if _exchangeable(stratum) < LEAST:
        return None
    edge, rng = np.frombuffer(outcomes, dtype=np.float64) - 0.5, np.random.default_rng(seed)
    others = _exchanged(edge, stratum, rng) if cluster.max() + 1 == len(edge) else _flipped(edge, stratum, cluster, rng)
    edges = np.column_stack([edge, *others])
    rating, lead = _rating_differences(low, high, edges, step, rng), _leads(low, high, edges)
    statistics = np.array([rating, lead, _winner_next(low, high, edges, step)])
    z = np.array([[-1.0], [-1.0], [1.0]]) * (statistics - statistics.mean(axis=1, keepdims=True))
    z /= statistics.std(axis=1, keepdims=True) + 1e-12
    largest, otherwise = z.max(axis=0), statistics[:, 1:].mean(axis=1)
    return AdaptiveSampling(
        len(edge),
        {name: (float(x), float(y)) for name, x, y in zip(STATISTICS, statistics[:, 0], otherwise, strict=True)},
        float((largest >= largest[0] - 1e-9).mean()),
        STATISTICS[int(np.argmax(z[:, 0]))],
    )


def _exchanged(edge: Floats, stratum: Ints, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield outcomes permuted within every stratum."""
    order = np.argsort(stratum, kind="stable")
    for _ in range(PERMUTATIONS):
        mixed = np.empty_like(edge)
        mixed[order] = edge[order][np.argsort(stratum[order] + rng.random(len(edge)), kind="stable")]
        yield mixed


def _flipped(edge: Floats, stratum: Ints, cluster: Ints, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield outcomes whose deviations from the stratum mean change sign by cluster; mean and variance are kept."""
    size, mean = np.bincount(stratum)[stratum], _means(edge, stratum)
    scale = np.sqrt(size / np.maximum(size - 1, 1))
    for _ in range(PERMUTATIONS):
        flipped = (edge - mean) * rng.choice([-1.0, 1.0], cluster.max() + 1)[cluster]
        yield mean + scale * (flipped - _means(flipped, stratum))


def _means(x: Floats, stratum: Ints) -> Floats:
    """Return the mean of every row's stratum."""
    return np.asarray((np.bincount(stratum, x) / np.maximum(np.bincount(stratum), 1))[stratum])


def _rating_differences(low: Ints, high: Ints, edges: Floats, step: Ints, rng: np.random.Generator) -> Floats:
    """Return the mean absolute difference of ratings before a battle, relative to pairs drawn from the schedule.

    Ratings follow the first-order expansion of the logistic curve, and change after all battles of a step.
    """
    rating, (met, expected) = np.zeros((int(high.max()) + 1, edges.shape[1])), np.zeros((2, edges.shape[1]))
    pairs = rng.integers(0, len(step), (len(step), REFERENCE_PAIRS))
    for rows in np.split(np.arange(len(step)), np.flatnonzero(np.diff(step)) + 1):
        other = pairs[rows].ravel()
        gap = rating[low[rows]] - rating[high[rows]]
        met += np.abs(gap).sum(axis=0)
        expected += np.abs(rating[low[other]] - rating[high[other]]).sum(axis=0) / REFERENCE_PAIRS
        change = K * (edges[rows] - gap / 4)
        np.add.at(rating, low[rows], change)
        np.subtract.at(rating, high[rows], change)
    return np.asarray(met / (expected + 1e-12))


def _leads(low: Ints, high: Ints, edges: Floats) -> Floats:
    """Return the sixth root of the mean sixth power of leads before a pair of `REPEATED` battles is compared again."""
    pair = joint([low, high])[0]
    order = np.argsort(pair, kind="stable")
    order = order[np.bincount(pair)[pair[order]] >= REPEATED]
    if not len(order):
        return np.zeros(edges.shape[1])
    new, place = _changes(pair[order]), np.arange(len(order))
    first = np.maximum.accumulate(np.where(new, place, 0))
    total = np.cumsum(edges[order], axis=0) - edges[order]
    lead = (total - total[first])[~new] * 2 / np.sqrt((place - first)[~new])[:, None]
    return np.asarray(((lead**2) ** 3).mean(axis=0) ** (1 / 6))


def _winner_next(low: Ints, high: Ints, edges: Floats, step: Ints) -> Floats:
    """Return how much more often the winner than the loser plays the next step of either."""
    never, sooner = int(step[-1]) + 1, np.zeros(len(step))
    upcoming = np.full(int(high.max()) + 1, never)
    for rows in np.split(np.arange(len(step)), np.flatnonzero(np.diff(step)) + 1)[::-1]:
        sooner[rows] = np.sign(upcoming[high[rows]] - upcoming[low[rows]])
        upcoming[low[rows]] = upcoming[high[rows]] = step[rows[0]]
    return np.asarray(2 * (edges * sooner[:, None]).mean(axis=0))
