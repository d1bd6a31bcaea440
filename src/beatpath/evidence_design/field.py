"""The field (reference population): agents with enough data to be ranked, and hubs of the design.

A mean win rate against everybody is as uncertain as the least known opponent. So scores are means over the *field*,
the agents with enough independent battles against each other: ten, or up to twenty where the median agent has nine
times as many and so a third of the standard error. Others are scored against the field, apart from the board, and
results for the field do not depend on them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import spoken
from beatpath._text import counted, listed
from beatpath.evidence import Battles, Evidence, Margins, Pairs, WinRates
from beatpath.evidence.select import renumbered, times_met
from beatpath.methods.graph.connection import unconnected
from beatpath.methods.profile import Profile, profile_of
from beatpath.stats.codes import dense

LEAST = 10.0  # fewest independent battles, or tasks, to be ranked: a win rate of ten has a standard error of 16 points
ENOUGH = 20.0  # always enough to be ranked: a standard error of 11 points
TIMES = 9.0  # times as many battles have a third of the standard error
MOST = 200  # battles from which clusters are not counted: so many battles in fewer than ten clusters are rare
MOST_HUBS = 3  # most agents that count as hubs
BESIDE_HUBS = 0.1  # largest share of battles without a hub: too few to compare the other agents by


class Field(NamedTuple):
    """Which agents have enough data to be ranked, and the battles, ballots or scores of each."""

    placed: Bools
    number: Floats


def field_of(evidence: Evidence) -> Field:
    """Return the agents with enough data to be ranked.

    In a connected component, those with ten to twenty independent battles among themselves (see the module). Where
    such agents have less than half of all battles, those with at least half as many as the median agent of their
    component; where these have less than half too, all. Margins and win rates have no counts: all agents are ranked.

    >>> rows = [("ada", "bob", 1)] * 30 + [("bob", "cyd", 1)] * 30 + [("dan", "ada", 1)]
    >>> field_of(Battles.of(rows)).placed
    array([ True,  True,  True, False])
    """
    everybody = np.ones(len(evidence.agents), dtype=bool)
    if isinstance(evidence, Margins | WinRates) or not len(everybody):
        return Field(everybody, np.full(len(everybody), np.nan))
    number = times_met(evidence)
    effective = _effective(evidence, number)
    if effective.min() >= ENOUGH:
        return Field(everybody, number)
    if isinstance(evidence, Battles | Pairs):
        placed = _placed_by_pairs(evidence, number, effective)
    else:
        placed = _often(effective)
    placed = placed & (effective > 0)
    return Field(placed if placed.sum() > 1 else everybody, number)


def placed_evidence(evidence: Evidence, field: Field) -> Evidence:
    """Return the evidence about the field; unchanged if it has all agents."""
    return evidence if field.placed.all() else renumbered(evidence, np.flatnonzero(field.placed))


def placed_profile(profile: Profile) -> tuple[Profile, Field]:
    """Return the profile of the field, once per profile, and the field; the profile itself if it has all agents."""
    if Field not in profile.estimates:
        field = field_of(profile.evidence)
        alone = placed_evidence(profile.evidence, field)
        placed = profile if alone is profile.evidence else profile_of(alone, profile.chosen)
        profile.estimates[Field] = placed, field
    placed, field = profile.estimates[Field]
    return placed, field


def profile_among(profile: Profile, agents: Iterable[str]) -> Profile:
    """Return the profile of the evidence about some agents, in the order of all, once per profile."""
    some = frozenset(agents)
    if some not in profile.estimates:
        members = [i for i, agent in enumerate(profile.agents) if agent in some]
        profile.estimates[some] = profile_of(renumbered(profile.evidence, members), profile.chosen)
    part: Profile = profile.estimates[some]
    return part


def unplaced_sentence(agents: Sequence[str], meaning: str) -> str:
    """Return how many agents have too little data to be ranked, who they are, what follows, and how to include them.

    >>> print(unplaced_sentence(["dan"], "It is left out"))
    1 agent has too little data to be placed: 'dan'. It is left out; `field="all"` places every agent.
    """
    number = counted(len(agents), "agent has", "agents have")
    back = spoken("`--field all` places every agent")
    return f"{number} too little data to be placed: {listed(agents, 5)}. {meaning}; {back}."


def _effective(evidence: Evidence, number: Floats) -> Floats:
    """Return battles, ballots or scores of every agent; Kish's number of clusters where that is smaller."""
    if not isinstance(evidence, Battles) or "cluster" not in evidence.factors:
        return number
    few = number < MOST
    rows = np.flatnonzero((few[evidence.a] | few[evidence.b]) & (evidence.factors["cluster"].codes >= 0))
    cluster = np.tile(evidence.factors["cluster"].codes[rows].astype(np.int64), 2)
    agent = np.concatenate([evidence.a[rows], evidence.b[rows]]).astype(np.int64)
    cell, n_cells = dense(agent * (int(cluster.max(initial=0)) + 1) + cluster)
    owner, size = np.zeros(n_cells, dtype=np.int64), np.bincount(cell, minlength=n_cells)
    owner[cell] = agent
    total, square = (np.bincount(owner, size**k, len(number)) for k in (1, 2))
    alone = number - total  # battles outside clusters
    return np.where(few & (total > 0), number**2 / np.maximum(alone + square, 1), number)


def _placed_by_pairs(evidence: Battles | Pairs, number: Floats, effective: Floats) -> Bools:
    n = len(evidence.agents)
    pairs = evidence if isinstance(evidence, Pairs) else evidence.pairs()
    worth = np.divide(effective, number, out=np.zeros(n), where=effective > 0)
    part = unconnected(n, pairs.a, pairs.b)[1].astype(np.int64)
    placed = _core(pairs, worth, np.full(n, LEAST))
    parts = int(part.max(initial=0)) + 1
    if _has_most(pairs, placed):
        least = np.clip(_medians(effective[placed], part[placed], parts) / TIMES, LEAST, ENOUGH)
        return _core(pairs, worth, least[part])
    placed = _core(pairs, worth, np.minimum(_medians(effective, part, parts) / 2, LEAST)[part])
    return placed if _has_most(pairs, placed) else np.ones(n, dtype=bool)


def _has_most(pairs: Pairs, placed: Bools) -> bool:
    """Return whether at least half of all battles are among these agents."""
    return bool(2 * pairs.battles[placed[pairs.a] & placed[pairs.b]].sum() >= pairs.battles.sum())


def _core(pairs: Pairs, worth: Floats, least: Floats) -> Bools:
    """Return agents with enough battles among themselves, removing others until none is left to remove."""
    n = len(least)
    placed = np.ones(n, dtype=bool)
    while True:
        battles = pairs.battles * (placed[pairs.a] & placed[pairs.b])
        number = worth * (np.bincount(pairs.a, battles, n) + np.bincount(pairs.b, battles, n))
        few = placed & (number < least)
        if not few.any():
            return placed
        placed = placed & ~few


def _often(effective: Floats) -> Bools:
    """Return agents on enough ballots or tasks, which are all compared with each other."""
    placed = effective >= LEAST
    if not placed.any() or 2 * effective[placed].sum() < effective.sum():
        return np.asarray(effective >= min(LEAST, float(np.median(effective)) / 2))
    return np.asarray(effective >= np.clip(np.median(effective[placed]) / TIMES, LEAST, ENOUGH))


def _medians(values: Floats, part: Ints, parts: int) -> Floats:
    """Return the lower median of every component, 0 without values."""
    order, size = np.lexsort((values, part)), np.bincount(part, minlength=parts)
    middle = np.cumsum(size) - size + (size - 1) // 2
    return np.where(size > 0, np.append(values[order], 0.0)[middle], 0.0)


def complete_and_even(pairs: Pairs) -> bool:
    """Return whether three or more agents have a complete design with at most a factor of two between pairs.

    Counts can then be used as they are.

    >>> complete_and_even(Pairs(("x", "y", "z"), [0, 0, 1], [1, 2, 2], [[5, 4, 0, 0], [9, 0, 0, 0], [6, 6, 0, 0]]))
    True
    """
    battles, n = pairs.battles[pairs.counts.sum(axis=1) > 0], len(pairs.agents)
    return n > 2 and len(battles) == n * (n - 1) // 2 and bool(2 * battles.min() >= battles.max())


def hubs_of(n: int, a: Ints | Codes, b: Ints | Codes, battles: Ints | Floats | None = None) -> tuple[int, ...]:
    """Return the one to three agents that take part in nearly all comparisons of at least twice as many others.

    Each other agent must be compared with one of them. A few comparisons of others do not make the design another one.
    Every connected component must have such agents of its own.

    >>> hubs_of(4, np.array([0, 0, 0]), np.array([1, 2, 3])), hubs_of(6, np.array([0, 1, 3, 4]), np.array([1, 2, 4, 5]))
    ((0,), (1, 4))
    """
    number = np.ones(len(a)) if battles is None else np.asarray(battles, dtype=np.float64)
    label = unconnected(n, a, b)[1]
    part = label[a]
    if (np.bincount(label)[part] < 3).any():
        return ()
    order = np.argsort(part, kind="stable")
    components = np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
    hubs = [_hubs_of_component(a[rows], b[rows], number[rows]) for rows in components]
    return tuple(sorted(np.concatenate(hubs).tolist())) if all(map(len, hubs)) else ()


def _hubs_of_component(a: Ints | Codes, b: Ints | Codes, battles: Floats) -> Ints:
    agents, ends = np.unique(np.stack([a, b]), return_inverse=True)
    first, second = ends = ends.reshape(2, -1)
    hubs: list[int] = []
    left, few = battles > 0, BESIDE_HUBS * battles.sum()
    while battles[left].sum() > few and len(hubs) < MOST_HUBS:
        degree = np.bincount(ends[:, left].ravel(), np.tile(battles[left], 2), len(agents))
        hubs.append(int(np.argmax(degree)))
        left &= (first != hubs[-1]) & (second != hubs[-1])
    met = np.isin(first, hubs) | np.isin(second, hubs)
    all_met = len(np.union1d(first[met], second[met])) == len(agents)
    suffice = battles[left].sum() <= few and all_met and len(agents) >= 3 * len(hubs)
    return agents[hubs if suffice else []].astype(np.int64)
