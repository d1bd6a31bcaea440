"""Levels from relations: what rules share that find who is above whom rather than a score."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import levels_of
from beatpath.methods.graph.relation import block_numbers
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT

ALL_TIED = "every agent is tied with every other"


def outcome(
    level: Ints,
    score: Floats,
    status: str = EXACT,
    details: Mapping[str, Any] | None = None,
) -> Outcome:
    """Return what a rule found; where all agents share one level the status says so."""
    if len(level) > 1 and not level.any():
        status = ALL_TIED if status == EXACT else f"{status}; {ALL_TIED}"
    return Outcome(level, score, status, details or {})


def by_score(score: Floats, details: Mapping[str, Any] | None = None, *, allowed: float | None = None) -> Outcome:
    """Return the levels of falling totals; see `beatpath.evidence.ties` for which are equal, and for `allowed`."""
    return outcome(levels_of(score, allowed), score, details=details)


def unbeaten_layers(beats: Bools) -> Ints:
    """Return levels of a relation without cycles: those nobody beats, then those nobody left beats, and so on.

    The level is the length of the longest chain of wins that ends at an agent.

    >>> unbeaten_layers(np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]], dtype=bool))
    array([0, 1, 2, 0])
    """
    left = beats.sum(axis=0)
    if (np.sort(left) == np.arange(len(left))).all():
        return left  # everyone is comparable
    level = np.full(len(left), -1, dtype=np.int64)
    current = 0
    while (level < 0).any():
        free = np.flatnonzero((left == 0) & (level < 0))
        if not len(free):
            raise ValueError("`beats` must have no cycle.")
        level[free] = current
        left = left - beats[free].sum(axis=0)
        current += 1
    return level


def chains(above: Bools) -> Ints:
    """Return the same levels for transitive relations, any number at once.

    An agent has more agents above it than any of those has, so that levels follow in the order of these numbers.

    >>> chains(np.array([[[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]]], dtype=bool))
    array([[0, 1, 2, 0]])
    """
    n_above = above.sum(axis=1)
    if (np.sort(n_above, axis=1) == np.arange(n_above.shape[1])).all():
        return n_above  # everyone is comparable
    level = np.zeros(n_above.shape, dtype=np.int64)
    each = np.arange(len(above))
    for agent in np.argsort(n_above, axis=1).T:
        level[each, agent] = np.where(above[each, :, agent], level + 1, 0).max(axis=1)
    return level


def agreed_levels(above: Bools) -> Ints:
    """Return the finest levels that a partial order supports: a level is above another only if all its agents are.

    Two agents of which neither is above the other share a level, and so do those joined by a chain of such pairs.
    Where `above` holds what all orders of breaking ties agree on, no pair is ranked that some order turns round.

    >>> agreed_levels(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    array([0, 0, 1])
    >>> agreed_levels(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool))
    array([0, 0, 0])
    """
    return block_numbers(above.view(np.int8) - above.T.view(np.int8))


def chosen_names(chosen: Bools, agents: tuple[str, ...]) -> list[str]:
    """Return the names of the chosen agents, in order."""
    return sorted(agent for agent, yes in zip(agents, chosen, strict=True) if yes)
