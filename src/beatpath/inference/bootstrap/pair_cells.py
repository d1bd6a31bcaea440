"""Pair counts of resamples: counted once by resampling unit, then weighted for many resamples at a time.

With this, 1,000 resamples of 100,000 battles take 0.4 CPU seconds for 50 agents and 2.0 for 200.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError
from beatpath.evidence import Ballots, Battles, Pairs
from beatpath.evidence.arrays import frozen
from beatpath.evidence.head_to_head import head_to_head
from beatpath.evidence.pairs import LOSS, TIE, WIN
from beatpath.inference.battle_kinds import battle_kinds
from beatpath.inference.bootstrap.resampling import Resampling, ballot_units, resampling
from beatpath.inference.win_rates.cluster_cells import cluster_names

FILLED = 5  # how many times cheaper a comparison is in a table of all pairs than in a list, measured


@dataclass(frozen=True, slots=True, eq=False)
class ListedCells:
    """Units that contribute to few pairs each.

    Parameters
    ----------
    pairs : Pairs
        The pairs, sorted; its counts are not used.
    cells : (4 pairs, parts) sparse
        What a unit adds to the wins, losses, ties and both-bad of every pair.
    """

    pairs: Pairs
    cells: csr_array

    def counts(self, weights: Ints) -> Floats:
        """Return counts of shape (draws, pairs, 4) from how often each unit is drawn, (draws, parts)."""
        total = np.empty((len(weights), self.cells.shape[0]))
        for own, row in zip(total, weights.astype(np.float64), strict=True):
            own[:] = self.cells @ row
        return total.reshape(len(weights), len(self.pairs), 4)


@dataclass(frozen=True, slots=True, eq=False)
class BallotTable:
    """Ballots that rank most of the agents.

    Parameters
    ----------
    pairs : Pairs
        All pairs.
    places : (ballots, n) int
        -1 where unranked.
    weight : (ballots,) float
        Weight of each ballot.
    """

    pairs: Pairs
    places: Codes
    weight: Floats

    def counts(self, weights: Ints) -> Floats:
        """Return counts of shape (draws, pairs, 4) from how often each ballot is drawn, (draws, ballots)."""
        wins = head_to_head(self.places, weights.T * self.weight[:, None])
        a, b = self.pairs.a, self.pairs.b
        counts = np.zeros((len(weights), len(a), 4))
        counts[:, :, WIN], counts[:, :, LOSS] = wins.wins[:, a, b], wins.wins[:, b, a]
        counts[:, :, TIE] = wins.ties[:, a, b]
        return counts


PairCells = ListedCells | BallotTable


def resampled_pairs(cells: PairCells, taken: Ints) -> Pairs:
    """Return the pairs of a resample without those it lacks; nothing is validated again."""
    counts = cells.counts(taken[None])[0]
    met = counts.any(axis=1)
    one, table = copy(cells.pairs), counts[met]
    battles = np.rint(table.sum(axis=1)).astype(np.int64)
    frozen(one, a=cells.pairs.a[met], b=cells.pairs.b[met], counts=table, battles=battles)
    return one


def cluster_pair_cells(source: Battles | Pairs, cluster: str | Sequence[str] | None) -> tuple[PairCells, Resampling]:
    """Return counts by pair and cluster, and how clusters are resampled; battles without one are drawn one by one.

    Examples
    --------
    A resample of the three battles of a pair has three battles.

    >>> cells, units = cluster_pair_cells(Pairs(("ada", "bob"), [0], [1], [[2, 1, 0, 0]]), None)
    >>> cells.counts(units.weights(np.random.default_rng(0), 2)).sum(axis=(1, 2))
    array([3., 3.])
    """
    there = source.factors if isinstance(source, Battles) else source.keys
    names = cluster_names(cluster, there, ["cluster"])
    split = source.pairs(by=names) if isinstance(source, Battles) else source.by(*names)
    named = np.full(len(split), bool(names))
    if len(names) == 1:  # with two columns a missing level is refused
        named = split.keys[names[0]].codes >= 0
    code, added, times = _one_battle_cells(source, names, split, ~named)
    whole = split.a[named].astype(np.int64) * len(split.agents) + split.b[named]
    codes = {name: np.concatenate([split.keys[name].codes[named], np.full(len(code), -1)]) for name in names}
    count = np.concatenate([np.ones(len(whole), dtype=np.int64), times])
    code, table = np.concatenate([whole, code]), np.concatenate([split.counts[named], added])
    units = resampling("battle", codes, count, np.lexsort((*table.T, code)))
    shape = [len(way.times) for way in units.ways]
    together, part = np.unique(np.ravel_multi_index(units.codes, shape), return_inverse=True)  # always drawn together
    own = tuple(np.unravel_index(together, shape))
    units = replace(units, codes=own, scale=np.ones(len(together), dtype=np.int64))
    return _listed(split.agents, code, table, part, units.parts), units


def ballot_cells(
    ballots: Ballots, units: Resampling | None, cluster: str | Sequence[str] | None
) -> tuple[PairCells, Resampling]:
    """Return comparisons by ballot, and how ballots are resampled unless given."""
    units = ballot_units(ballots, cluster) if units is None else units
    n, length = len(ballots.agents), np.diff(ballots.start).astype(np.float64)
    if FILLED * float((length * (length - 1)).sum()) >= len(ballots) * n * (n - 1):
        a, b = (side.astype(np.int32) for side in np.triu_indices(n, 1))
        weight = np.ones(len(ballots)) if ballots.weight is None else ballots.weight
        return BallotTable(Pairs(ballots.agents, a, b, np.zeros((len(a), 4))), ballots.places(), weight), units
    once = replace(ballots, count=np.ones(len(ballots), dtype=np.int64), factors={})
    split = once.pairs(by=("ballot",))
    key = split.keys["ballot"]
    part = (np.array([int(name) for name in key.levels], dtype=np.int64) - 1)[key.codes]
    code = split.a.astype(np.int64) * n + split.b
    return _listed(ballots.agents, code, split.counts, part, len(ballots)), units


def _listed(agents: tuple[str, ...], code: Ints, added: Floats, part: Ints, n_parts: int) -> ListedCells:
    """Build cells from the pair, the counts and the unit of every entry."""
    distinct, pair = np.unique(code, return_inverse=True)
    a, b = (distinct // len(agents)).astype(np.int32), (distinct % len(agents)).astype(np.int32)
    entry, outcome = np.nonzero(added)
    cells = csr_array(
        (added[entry, outcome], (4 * pair[entry] + outcome, part[entry])), shape=(4 * len(distinct), n_parts)
    )
    return ListedCells(Pairs(agents, a, b, np.zeros((len(a), 4))), cells)


def _one_battle_cells(
    source: Battles | Pairs, names: tuple[str, ...], split: Pairs, lost: Bools
) -> tuple[Ints, Floats, Ints]:
    """Return battles drawn one by one: their pair, what one of them adds, and how many are equal."""
    n = len(split.agents)
    if not lost.any():
        return np.zeros(0, dtype=np.int64), np.zeros((0, 4)), np.zeros(0, dtype=np.int64)
    if split.weighted or split.soft is not None:
        if isinstance(source, Battles):
            kinds = battle_kinds(source.take(source.factors[names[0]].codes < 0) if names else source)
            return kinds.a.astype(np.int64) * n + kinds.b, kinds.counts, kinds.number
        raise DataError(
            "pair counts of weighted or soft battles do not hold the single battles, which are resampled. Give the battles "
            "themselves, or counts by cluster and `cluster`."
        )
    counts = split.counts[lost]
    if (counts != np.rint(counts)).any():
        raise DataError(
            f"battles are drawn one by one, so counts must be whole numbers; got {counts[counts != np.rint(counts)][0]:g}. Give "
            "the battles themselves, or counts by cluster and `cluster`."
        )
    cell, outcome = np.nonzero(counts)
    code = split.a[lost].astype(np.int64) * n + split.b[lost]
    return code[cell], np.eye(4)[outcome], counts[cell, outcome].astype(np.int64)
