"""Evidence with its agents in the order of their names, so that no answer depends on how they were numbered."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Ballots, Battles, Evidence, Margins, Pairs, Scores


def by_name(evidence: Evidence) -> Evidence:
    """Return the same evidence with sorted agents.

    >>> by_name(Battles(("zoe", "ada"), [0], [1], [1.0])).a
    array([1], dtype=int32)
    """
    names = tuple(sorted(evidence.agents))
    if names == evidence.agents:
        return evidence
    order = np.argsort(np.array(evidence.agents, dtype=object), kind="stable")
    rank: NDArray[np.int32] = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names))
    if isinstance(evidence, Battles):
        return replace(evidence, agents=names, a=rank[evidence.a], b=rank[evidence.b])
    if isinstance(evidence, Pairs):
        return _pairs(evidence, names, rank)
    if isinstance(evidence, Ballots | Scores):
        return replace(evidence, agents=names, agent=rank[evidence.agent])
    square = np.ix_(order, order)
    if isinstance(evidence, Margins):
        assert evidence.played is not None
        return replace(evidence, agents=names, matrix=evidence.matrix[square], played=evidence.played[square])
    return replace(evidence, agents=names, matrix=evidence.matrix[square])


def _pairs(pairs: Pairs, names: tuple[str, ...], rank: NDArray[np.int32]) -> Pairs:
    """Pairs under new codes, turned round where the order of the two names asks for it."""
    return Pairs.from_cells(
        names,
        rank[pairs.a],
        rank[pairs.b],
        pairs.counts,
        battles=pairs.battles,
        squares=pairs.squares,
        soft=pairs.soft,
        keys=pairs.keys,
        conventions=pairs.conventions,
        reading=pairs.reading,
    )
