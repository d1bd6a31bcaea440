r"""Counts by pair and cluster, in blocks of a few million battles; no cluster spans two blocks.

Where every battle of a cluster is between another pair there are as many cells as battles, and a cell is larger than a
battle. So battles are never counted by cluster in one pass.

Repeated runs on one task: every run of one agent is compared with every run of the other.

With :math:`r` runs of *a* and :math:`q` of *b* on a task, *a* beats *b* there to the degree

.. math::  \psi_t = \frac{1}{r q} \sum_{i, j} [x_{ai} > x_{bj}] + \tfrac12 [x_{ai} = x_{bj}],

the probabilistic index of the task. A comparison of means would always declare the luckier of two equal agents the
winner.

Cells: the battles of one pair in one cluster, summed; from counts, or from battles by sorting.

A battle's cluster, pair and outcome fit into one integer. Sorted, these integers are the cells in sequence, without an
index: a tenth of the time of sorting battles by cluster and pair.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Codes, Floats, Ints, blocks_of, counted_codes, spans
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_known
from beatpath.evidence import Ballots, Battles, Convention, Factor, Pairs, Scores
from beatpath.evidence.arrays import trusted
from beatpath.evidence.conventions import DEFAULT, Conventions, task_weights
from beatpath.evidence.pair_index import PairIndex
from beatpath.evidence.pairs import WIN
from beatpath.evidence_design.columns import Columns, ColumnUse, cluster_weights, dependent_columns, factors_of
from beatpath.evidence_design.position import Position, position_effect
from beatpath.evidence_design.run_effects import RunEffects, run_effects
from beatpath.methods.profile import Profile

Array = NDArray[np.float64]


def compared_runs(scores: Scores, chosen: Conventions = DEFAULT) -> Pairs | None:
    """Return soft comparisons by task, or None where no agent ran twice or a task has items to average first.

    Examples
    --------
    Two of ada's runs beat bob's 2, one ties and one loses.

    >>> runs = Scores(("ada", "bob"), [0, 0, 0, 0, 1], [1.0, 3.0, 2.0, 4.0, 2.0], {"task": Factor.of(["math"] * 5)})
    >>> compared_runs(runs).counts
    array([[0.625, 0.375, 0.   , 0.   ]])
    """
    per = scores.who_votes(chosen.per)
    voter = scores.voters(per)
    at = voter.codes.astype(np.int64) * len(scores.agents) + scores.agent
    by_item = "item" in scores.factors and per == "task"
    if chosen.missing != "unranked" or by_item or np.bincount(at).max(initial=0) < 2:
        return None
    order = np.lexsort((scores.agent, voter.codes))
    value, agent, task = (scores.value * scores.sign())[order], scores.agent[order], voter.codes[order]
    edges = np.searchsorted(task, np.arange(len(voter.levels) + 1))
    rows = [
        _one_task(t, agent[low:high], value[low:high], chosen.tolerance)
        for t, (low, high) in enumerate(pairwise(edges))
    ]
    t, a, b, share = (np.concatenate(part) for part in zip(*rows, strict=True))
    conventions = [
        Convention("runs", "compared", "every run of one agent on a task is compared with every run of the other")
    ]
    weight = None
    if chosen.weights:
        by_task, weighing = task_weights(voter.levels, chosen.weights)
        weight, conventions = by_task[t], [*conventions, weighing]
    return Pairs.from_outcomes(
        scores.agents,
        a,
        b,
        share,
        weight=weight,
        square=None if weight is None else weight**2,
        keys={name: column.take(t) for name, column in _columns(scores, per).items()},
        conventions=(*scores.conventions, *conventions),
        reading=scores.reading,
    )


def _columns(scores: Scores, per: str) -> dict[str, Factor]:
    """Return the name of every voter, and the group it belongs to where that differs."""
    levels, together = scores.voters(per).levels, scores.cluster(per)
    shared = {} if together is None else {name: one for name, one in scores.by_voter(per).items() if name == together}
    return {BALLOT: Factor.coded(np.arange(len(levels)), levels), **shared}


def _one_task(task: int, agent: Codes, value: Array, tolerance: float) -> tuple[Ints, Ints, Ints, Array]:
    """Compare all pairs of agents with runs on a task: the task, both agents, the share that the first wins."""
    present, start = np.unique(agent, return_index=True)
    runs = np.diff(np.append(start, len(agent)))
    share = np.add.reduceat(_shares_beaten(agent, value, present, tolerance), start, axis=0) / runs[:, None]
    i, j = np.triu_indices(len(present), 1)
    return np.full(len(i), task), present[i].astype(np.int64), present[j].astype(np.int64), share[i, j]


def _shares_beaten(agent: Codes, value: Array, present: Codes, tolerance: float) -> Array:
    """Return the share of the runs of each agent that is present which every run of a task beats, ties half."""
    order = np.argsort(value, kind="stable")
    before = np.zeros((len(value) + 1, len(present)))  # runs of each agent among the lowest
    np.cumsum(agent[order, None] == present, axis=0, out=before[1:])
    below = np.searchsorted(value[order], value - tolerance)
    not_above = np.searchsorted(value[order], value + tolerance, side="right")
    return np.asarray((before[below] + before[not_above]) / 2 / before[-1])


def effects_on_win_rates(scores: Scores, chosen: Conventions = DEFAULT) -> RunEffects | None:
    """Return what runs that are better on all tasks add to the variance of an agent's mean win rate, by its own runs alone.

    The score of a run on a task is replaced by the share of the other agents' runs there that it beats.

    >>> cells = np.indices((2, 9, 3)).reshape(3, -1)
    >>> seeds = {"task": Factor.of(map(str, cells[1])), "replicate": Factor.of(map(str, cells[2]))}
    >>> better = np.where(cells[0], cells[2], 1.5)  # bob's third seed beats ada everywhere, his others nowhere
    >>> effects_on_win_rates(Scores(("ada", "bob"), cells[0], better, seeds)).added.variance.round(3)
    array([0.056, 0.111])
    """
    per = scores.who_votes(chosen.per)
    if per not in ("task", "item") or "replicate" not in scores.factors:
        return None
    voter = scores.voters(per)
    order = np.argsort(voter.codes, kind="stable")
    value, agent, task = (scores.value * scores.sign())[order], scores.agent[order], voter.codes[order]
    share = np.full(len(order), 0.5)
    for low, high in pairwise(np.searchsorted(task, np.arange(len(voter.levels) + 1))):
        present = np.unique(agent[low:high])
        if len(present) > 1:
            beaten = _shares_beaten(agent[low:high], value[low:high], present, chosen.tolerance)
            own = np.searchsorted(present, agent[low:high])
            share[low:high] = (beaten.sum(axis=1) - beaten[np.arange(high - low), own]) / (len(present) - 1)
    factors = {name: one.take(order) for name, one in scores.factors.items()}
    return run_effects(Scores(scores.agents, agent, share, factors, reading=scores.reading), per)


SPAN, PIECE = 1 << 22, 1 << 17  # battles sorted, and summed, at a time
LOSS, TIE, WON, BOTH_BAD = range(4)  # outcomes of the pair's first agent, in the order of twice the outcome


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Battles summed by pair and cluster.

    Parameters
    ----------
    pair : (m,) int
        Index of the pair.
    codes : tuple of (m,) int
        The cluster by every column; -1 for battles outside clusters.
    battles : (m,) int
        Number of battles.
    weight, won : (m,) float
        Their weight, and how much of it the pair's first agent won.
    squares : three of (m,) float
        Sums of :math:`w^2`, :math:`w^2 o` and :math:`w^2 o^2` over battles of weight *w* and outcome *o*; none for comparisons on
        ballots, all of which are in clusters.
    only : str, default ""
        The name of the cluster, where there is only one.
    """

    pair: NDArray[np.int32]
    codes: tuple[NDArray[np.integer], ...]
    battles: Ints
    weight: Floats
    won: Floats
    squares: tuple[()] | tuple[Floats, Floats, Floats] = ()
    only: str = ""


def cells_of_pairs(part: Pairs, names: Iterable[str], pair_index: PairIndex) -> Cells:
    """Return counts with settled ties as cells."""
    squares = part.counts if part.squares is None else part.squares
    soft = 0.0 if part.soft is None else part.soft
    keys = [part.keys[name] for name in names]
    return Cells(
        pair_index.at(part.a.astype(np.int64) * pair_index.n + part.b),
        tuple(key.codes for key in keys),
        part.battles,
        part.counts.sum(axis=1),
        part.counts[:, WIN],
        (squares.sum(axis=1), squares[:, WIN], squares[:, WIN] - soft),
        next((key.levels[0] for key in keys if len(key.levels) == 1), ""),
    )


def sortable(battles: Battles, name: str, n_agents: int, ties: str, both_bad: str) -> bool:
    """Return whether sorting suffices: weights of one, and outcomes of win, loss or half-half tie."""
    room = len(battles.factors[name].levels) >> (60 - _pair_bits(n_agents)) == 0
    if battles.weight is not None or (ties, both_bad) != ("half", "tie") or not room:
        return False
    for rows in blocks_of(len(battles)):
        twice = 2 * battles.outcome[rows]
        if not (twice.astype(np.int8) == twice).all():
            return False
    return True


def sorted_cells(battles: Battles, name: str, pair_index: PairIndex) -> Iterator[Cells]:
    """Yield `sortable` battles as cells, clusters in the order of their codes, none in two blocks.

    >>> from beatpath import Factor
    >>> battles = Battles.of([("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)], factors={"cluster": Factor.of("qqp")})
    >>> (result,) = sorted_cells(battles, "cluster", PairIndex.of(battles.pairs()))
    >>> result.codes[0], result.weight, result.won
    (array([0, 1]), array([1., 2.]), array([0.5, 2. ]))
    """
    cluster, bits = battles.factors[name], _pair_bits(pair_index.n)
    only = cluster.levels[0] if len(cluster.levels) == 1 else ""
    size = np.roll(counted_codes(cluster.codes, len(cluster.levels)), 1)  # battles without a cluster first
    for low, high in spans(size, SPAN):
        key = _keys_between(battles, cluster.codes, low - 1, high - 1, int(size[low:high].sum()), pair_index.n)
        key.sort()
        edges = np.append(0, np.cumsum(size[low:high]))
        for first, last in spans(size[low:high], PIECE):
            yield _cells_of_keys(key[edges[first] : edges[last]], bits, pair_index, only)


def _pair_bits(n_agents: int) -> int:
    return int(n_agents**2 - 1).bit_length()


def _keys_between(battles: Battles, code: Codes, low: int, high: int, number: int, n: int) -> Ints:
    """Return cluster, pair and outcome as one integer per battle, for cluster codes from `low` to `high` - 1."""
    keys, done = np.empty(number, dtype=np.int64), 0
    for rows in blocks_of(len(code)):
        some: Ints | slice = slice(None)
        if number < len(code):
            some = np.flatnonzero((code[rows] >= low) & (code[rows] < high))
        a, b = battles.a[rows][some], battles.b[rows][some]
        label = (2 * battles.outcome[rows][some]).astype(np.int8)
        np.subtract(2, label, out=label, where=a > b)
        if battles.both_bad is not None:
            label[battles.both_bad[rows][some]] = BOTH_BAD
        key = keys[done : done + len(a)]
        key[:] = np.minimum(a, b)
        key *= n
        key += np.maximum(a, b)
        key |= (code[rows][some].astype(np.int64) + 1) << _pair_bits(n)
        key <<= 2
        key |= label
        done += len(a)
    return keys


def _cells_of_keys(key: Ints, bits: int, pair_index: PairIndex, only: str) -> Cells:
    """Return cells from sorted integers of cluster, pair and outcome."""
    cell = key >> 2
    first = np.flatnonzero(np.append(np.ones(min(len(cell), 1), dtype=bool), cell[1:] != cell[:-1]))
    number = np.diff(first, append=len(cell))
    outcome = np.array([0.0, 0.5, 1.0, 0.5])[key & 3]
    won, square = (np.add.reduceat(one, first) if len(first) else one for one in (outcome, outcome**2))
    cell, weight = cell[first], number.astype(np.float64)
    pair = pair_index.at(cell & ((1 << bits) - 1))
    return Cells(pair, ((cell >> bits) - 1,), number, weight, won, (weight, won, square), only=only)


AUTO = "auto"  # let the evidence decide on clusters
Names = tuple[str, ...]
BALLOT = "ballot"  # name of the cluster formed by a ballot's comparisons


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCells:
    """Counts by pair, and by pair and cluster, with ties settled.

    Parameters
    ----------
    whole : Pairs
        Every pair compared directly once, in sorted order.
    parts : iterable of Cells
        The same battles by pair and cluster; pairs by position in `whole`.
    names : tuple of str
        The columns that define clusters.
    times : (levels,) float, optional
        Number of clusters that each level represents; equal ballots are stored once.
    notes : tuple of str
        Why these columns, and whether there is a position bias.
    position : Position, optional
        The effect of being shown first on the rates.
    fixed : tuple of str
        Columns that outcomes depend on, taken as fixed effects.
    """

    whole: Pairs
    parts: Iterable[Cells]
    names: tuple[str, ...]
    times: Array | None = None
    notes: tuple[str, ...] = ()
    position: Position | None = None
    fixed: tuple[str, ...] = ()


def cluster_cells(profile: Profile, cluster: str | Sequence[str] | None, *, weighed: bool = True) -> ClusterCells:
    """Count a profile by its clusters; unless `weighed`, battles of large clusters keep full weight.

    >>> from beatpath import Factor
    >>> from beatpath.methods.profile import profile_of
    >>> rows = [("ada", "bob", 1.0), ("bob", "ada", 0.0), ("ada", "bob", 0.5)]
    >>> result = cluster_cells(profile_of(Battles.of(rows, factors={"cluster": Factor.of(["x", "x", "y"])})), "auto")
    >>> result.whole.counts, [(part.weight.tolist(), part.won.tolist()) for part in result.parts]
    (array([[2.5, 0.5, 0. , 0. ]]), [([2.0, 1.0], [2.0, 0.5])])
    """
    source, settling = profile.source, {"ties": profile.ties, "both_bad": profile.both_bad}
    if isinstance(source, Battles | Pairs):
        if cluster == AUTO:
            columns = dependent_columns(source)
        else:
            factors = factors_of(source)
            named = ((name, len(factors[name].levels)) for name in cluster_names(cluster, factors, ()))
            columns = Columns(tuple(ColumnUse(*one, None, None, "cluster") for one in named))
        if isinstance(source, Pairs):
            cells = _cells_counted(source.by(*columns.clusters), columns.clusters, settling)
            return replace(cells, notes=columns.notes, fixed=columns.fixed)
        columns, notes = _in_every_battle(source, columns) if cluster == AUTO else (columns, ())
        unequal = cluster_weights(source, columns.clusters) if weighed else None
        if unequal is not None:
            source, notes = trusted(source, weight=unequal[0]), (*notes, unequal[1])
        return _battle_cells(source, columns, settling, notes)
    if profile.scores is not None:
        runs = compared_runs(profile.scores, profile.chosen) if cluster == AUTO else None
        cluster = profile.scores.cluster(profile.scores.who_votes(profile.chosen.per), cluster)
        if runs is not None:
            names = cluster_names(cluster or BALLOT, runs.keys, ())
            return _cells_counted(runs.by(*names), names, settling)
    if isinstance(source, Ballots):
        return _ballot_cells(source, cluster, settling)
    raise DataError(
        f"{source.kind.replace('_', ' ')} say who is ahead, not in how many battles; uncertainty needs counts. "
        "Read the battles, ballots or scores themselves."
    )


def _battle_cells(
    battles: Battles, columns: Columns, settling: Mapping[str, str], notes: tuple[str, ...]
) -> ClusterCells:
    """Count battles by columns, averaging out position bias."""
    names = columns.clusters
    whole = _settled_cells(battles.pairs(), settling)
    position = position_effect(battles, whole, names[0] if names else None)
    pair_index = PairIndex.of(whole)
    parts = _cells_in_parts(battles, names, settling, pair_index) if names else (cells_of_pairs(whole, (), pair_index),)
    notes = (*columns.notes, *notes, *(() if position is None else position.note))
    return ClusterCells(whole, parts, names, notes=notes, position=position, fixed=columns.fixed)


def _in_every_battle(battles: Battles, columns: Columns) -> tuple[Columns, tuple[str, ...]]:
    """Keep two columns only where every battle has both; else the more complete one, with a note."""
    lacking = {name: int((battles.factors[name].codes < 0).sum()) for name in columns.clusters}
    if len(lacking) < 2 or not any(lacking.values()):
        return columns, ()
    _, left = sorted(lacking, key=lambda name: lacking[name])
    without = f"{counted(lacking[left], 'battle')} {'has' if lacking[left] == 1 else 'have'} none"
    note = f"Outcomes depend on {quoted(left)} too, which standard errors do not allow for: {without}."
    return Columns(tuple(one for one in columns.uses if one.name != left)), (note,)


def _ballot_cells(ballots: Ballots, cluster: str | Sequence[str] | None, settling: Mapping[str, str]) -> ClusterCells:
    """Count comparisons by ballot, or by the column that several ballots share; equal ballots are stored once."""
    several = [n for n in ("cluster", "voter") if n in ballots.factors and repeats(ballots.factors[n])]
    names = cluster_names(cluster, ballots.factors, several)
    if names:
        return _cells_counted(ballots.pairs(by=names), names, settling)
    ballots.require_lists()
    whole = _settled_cells(ballots.pairs(), settling)
    parts = _cells_by_ballot(ballots, settling["ties"], PairIndex.of(whole))
    return ClusterCells(whole, parts, (BALLOT,), ballots.count.astype(np.float64))


def _cells_by_ballot(ballots: Ballots, ties: str, pair_index: PairIndex) -> Iterator[Cells]:
    """Yield the comparisons of some ballots at a time, as if each had one voter; clusters are positions of ballots."""
    length = np.where(ballots.count > 0, np.diff(ballots.start), 0)
    voter_weight = np.ones(len(ballots)) if ballots.weight is None else ballots.weight
    for low, high in spans(length * (length - 1) // 2, PIECE):
        used = low + np.flatnonzero(ballots.count[low:high])
        ballot, a, b, sign = map(np.concatenate, zip(*ballots.take(used).compared(), strict=True))
        order = np.argsort(ballot, kind="stable")
        order = order[sign[order] != 0] if ties == "drop" else order
        outcome = ((sign > 0).astype(np.float64) if ties == "keep" else (sign + 1) / 2)[order]
        position = used[ballot[order]]
        pair, weight = pair_index.at((a.astype(np.int64) * pair_index.n + b)[order]), voter_weight[position]
        yield Cells(pair, (position,), np.ones(len(pair), dtype=np.int64), weight, weight * outcome)


def _cells_counted(counts: Pairs, names: tuple[str, ...], settling: Mapping[str, str]) -> ClusterCells:
    """Convert existing counts to cells with totals."""
    cells = _settled_cells(counts, settling)
    whole = cells.by()
    return ClusterCells(whole, (cells_of_pairs(cells, names, PairIndex.of(whole)),), names)


def _cells_in_parts(
    battles: Battles, names: tuple[str, ...], settling: Mapping[str, str], pair_index: PairIndex
) -> Iterator[Cells]:
    """Yield cells by pair and cluster, clusters in the order of their codes."""
    slim = trusted(battles, position=None, time=None, covariates={}, factors={n: battles.factors[n] for n in names})
    # sorting: 0.1 s and 300 MB for 3 million battles, counting 1.3 s and 760 MB (benchmarks, clusters at scale)
    if len(names) == 1 and sortable(slim, names[0], pair_index.n, **settling):
        yield from sorted_cells(slim, names[0], pair_index)
    else:
        yield cells_of_pairs(_settled_cells(slim.pairs(by=names), settling), names, pair_index)


def _settled_cells(counts: Pairs, settling: Mapping[str, str]) -> Pairs:
    """Settle ties, and drop cells that this empties."""
    settled = counts.settle(**settling)
    full = settled.counts.sum(axis=1) > 0
    return settled if full.all() else settled.take(full)


def cluster_names(cluster: str | Sequence[str] | None, there: Mapping[str, Factor], auto: Sequence[str]) -> Names:
    """Return the columns to cluster by: those requested, or the first of `auto` with at least two levels.

    >>> two = Factor.of(["x", "y"])
    >>> cluster_names("auto", {"judge": two, "cluster": two}, ["cluster"]), cluster_names(None, {}, ["cluster"])
    (('cluster',), ())
    """
    if cluster == AUTO:
        return tuple(name for name in auto if name in there and len(there[name].levels) > 1)[:1]
    names = () if cluster is None else (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if len(names) > 2 or len(set(names)) != len(names):
        raise UsageError(f"`cluster` must name one column or two different ones; got {listed(names)}.")
    for name in names:
        known = ", ".join(there) or "there are none"
        require_known(name, there, f"`cluster` must name a column of the evidence ({known}); got {quoted(name)}.")
    return names


def repeats(factor: Factor) -> bool:
    """Return whether any level occurs in two rows."""
    return bool(np.bincount(factor.codes[factor.codes >= 0]).max(initial=0) > 1)
