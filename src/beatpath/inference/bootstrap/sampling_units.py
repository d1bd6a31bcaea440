"""What the bootstrap draws: battles, ballots or tasks, or whole clusters of them.

The order in which rows, ballots or cells lie decides nothing: clusters stand in the order of their names, and what has no
name in the order of what it says.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError
from beatpath._text import counted, quoted
from beatpath.evidence import Ballots, Battles, Factor, Scores
from beatpath.inference.bootstrap.resampling import Clusters, Codes, Resampling
from beatpath.inference.win_rates.cluster_cells import cluster_names, repeats


def row_units(battles: Battles, cluster: str | Sequence[str] | None) -> Resampling:
    """Return how rows of battles are drawn: alone, or with all others of their cluster."""
    names = cluster_names(cluster, battles.factors, ["cluster"])
    columns = [battles.a, battles.b, battles.outcome, battles.both_bad, battles.weight, battles.position, battles.time]
    keys = [np.asarray(column) for column in (*columns, *battles.covariates.values()) if column is not None]
    codes = {name: battles.factors[name].codes for name in names}
    return resampling("battle", codes, np.ones(len(battles), dtype=np.int64), np.lexsort(keys))


def ballot_units(ballots: Ballots, cluster: str | Sequence[str] | None) -> Resampling:
    """Return how ballots are drawn: each of the voters behind one alone, or all ballots of a cluster together."""
    repeated = [n for n in ("cluster", "voter") if n in ballots.factors and repeats(ballots.factors[n])]
    names = cluster_names(cluster, ballots.factors, repeated)
    codes = {name: ballots.factors[name].codes for name in names}
    return resampling("ballot", codes, ballots.count, _ballots_in_order(ballots))


def score_units(scores: Scores, per: str, cluster: str | Sequence[str] | None, kept: Sequence[str]) -> Resampling:
    """Return how tasks (or items) are drawn; parts are those named in `kept`, in that order."""
    names = cluster_names(cluster, scores.factors, ["cluster"])
    voter = scores.voters(per)
    place = {name: i for i, name in enumerate(voter.levels)}
    parts = np.array([place[name] for name in kept], dtype=np.int64)
    codes = {name: _by_voter(voter, scores.factors[name], name)[parts] for name in names}
    return resampling(per, codes, np.ones(len(parts), dtype=np.int64), np.argsort(parts))


def resampling(unit: str, columns: Mapping[str, NDArray[np.integer]], count: Codes, order: Codes) -> Resampling:
    """Return how parts are drawn by one column of clusters, by two, or by none, each then for itself.

    Parameters
    ----------
    unit : str
        What a part is, a noun.
    columns : mapping of name to (parts,) int
        -1 where the cluster is not known: such a part is drawn for itself.
    count : (parts,) int
        How many there are just like each part.
    order : (parts,) int
        The parts in an order that depends on nothing but what they say.

    Examples
    --------
    >>> found = resampling("battle", {"prompt": np.array([1, 1, -1])}, np.array([1, 1, 1]), np.arange(3))
    >>> found.ways[0].number, found.codes[0]
    (2, array([0, 0, 1]))
    """
    if len(columns) > 1:
        return _two_ways(columns, count)
    name, code = next(iter(columns.items())) if columns else (unit, np.full(len(count), -1))
    clusters, where = np.unique(code[code >= 0], return_inverse=True)
    alone = order[code[order] < 0]
    codes = np.empty(len(count), dtype=np.int64)
    codes[code >= 0] = where
    codes[alone] = len(clusters) + np.arange(len(alone))
    times = np.concatenate([np.ones(len(clusters), dtype=np.int64), count[alone]])
    drawn = _enough(Clusters.of(times), name)
    return Resampling((name,), (drawn,), (codes,), np.where(code < 0, 1, count))


def _two_ways(columns: Mapping[str, NDArray[np.integer]], count: Codes) -> Resampling:
    """Clusters of both columns, drawn independently."""
    ways, codes = [], []
    for name, code in columns.items():
        if (code < 0).any():
            raise DataError(
                f"drawing by two columns needs both in every row; {counted(int((code < 0).sum()), 'row')} lack {quoted(name)}. "
                "Leave these rows out, or cluster by one column."
            )
        clusters, where = np.unique(code, return_inverse=True)
        ways.append(_enough(Clusters.of(np.ones(len(clusters), dtype=np.int64)), name))
        codes.append(where.astype(np.int64))
    return Resampling(tuple(columns), tuple(ways), tuple(codes), count)


def _enough(clusters: Clusters, name: str) -> Clusters:
    if clusters.number < 2:
        raise DataError(
            f"resampling needs at least two clusters to draw from; by {quoted(name)} there are {clusters.number}. Name another "
            "column, or `cluster=None` to draw one by one."
        )
    return clusters


def _by_voter(voter: Factor, column: Factor, name: str) -> NDArray[np.int64]:
    """The cluster of every voter, which all its rows must agree on."""
    found = np.full(len(voter.levels), -1, dtype=np.int64)
    found[voter.codes] = column.codes
    split = np.flatnonzero(found[voter.codes] != column.codes)
    if split.size:
        raise DataError(
            f"a task or item must lie in one cluster; {quoted(voter.levels[voter.codes[split[0]]])} lies in several of "
            f"{quoted(name)}. Cluster by a column that tasks do not straddle."
        )
    return found


def _ballots_in_order(ballots: Ballots) -> Codes:
    """Ballots in the order of what they say."""
    weight = np.ones(len(ballots)) if ballots.weight is None else ballots.weight
    said = [
        (ballots.agent[low:high].tobytes(), ballots.place[low:high].tobytes(), w, n)
        for low, high, w, n in zip(ballots.start[:-1], ballots.start[1:], weight, ballots.count, strict=True)
    ]
    return np.array(sorted(range(len(said)), key=said.__getitem__), dtype=np.int64)
