"""Tournaments whose core is known, and counts simulated from them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath import Pairs

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Strengths:
    """Win probabilities of the better agent: within the core, of the core over others, among the others; each a range."""

    core: tuple[float, float]
    across: tuple[float, float]
    outside: tuple[float, float]


FIXED = Strengths((0.68, 0.68), (0.77, 0.77), (0.81, 0.81))
SPREAD = Strengths((0.62, 0.82), (0.6525, 0.8925), (0.71, 0.91))
NOISE = 0.02


def planted(n: int, k: int, strengths: Strengths, rng: np.random.Generator) -> tuple[Array, Mask]:
    """A core that beats all others and runs in a cycle, each member beating the next half of it; the others in order.

    Returns the (n, n) win probabilities with labels shuffled, and who is in the core.
    """
    place = np.arange(n)
    ahead = (place[None, :] - place[:, None]) % k
    inside = (place[:, None] < k) & (place[None, :] < k) & (ahead > 0) & (ahead <= k // 2)
    lower = place[:, None] < place[None, :]
    across = lower & (place[:, None] < k) & (place[None, :] >= k)
    p = np.full((n, n), 0.5)
    for wins, (low, high) in (
        (inside, strengths.core),
        (across, strengths.across),
        (lower & (place[:, None] >= k), strengths.outside),
    ):
        p[wins] = rng.uniform(low, high, wins.sum())
        p.T[wins] = 1 - p[wins]
    shuffled = rng.permutation(n)
    return p[np.ix_(shuffled, shuffled)], shuffled < k


def simulated_pairs(p: Array, battles: int | NDArray[np.int64], missing: float, rng: np.random.Generator) -> Pairs:
    """Outcomes of every pair that is not missing, some of them turned round by noise; `battles` one for all or one a pair."""
    n = len(p)
    a, b = np.triu_indices(n, 1)
    played = np.where(rng.random(len(a)) >= missing, battles, 0)
    won = rng.binomial(played, p[a, b] * (1 - NOISE) + p[b, a] * NOISE)
    compared = played > 0
    counts = np.column_stack([won, played - won, 0 * won, 0 * won])[compared]
    return Pairs(tuple(str(agent) for agent in range(n)), a[compared], b[compared], counts)


def resampled(pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """As many outcomes again, sampled with replacement from all that were seen."""
    seen = pairs.counts[:, :2]
    counts = rng.multinomial(int(seen.sum()), seen.ravel() / seen.sum()).reshape(seen.shape)
    played = counts.sum(axis=1) > 0
    return Pairs(pairs.agents, pairs.a[played], pairs.b[played], np.column_stack([counts, 0 * counts])[played])


def random_margins(n: int, k: int, rng: np.random.Generator) -> tuple[Array, Mask]:
    """Every strength anywhere from 0.55 to 0.95."""
    return planted(n, k, Strengths(*[(0.55, 0.95)] * 3), rng)


def weak_cycle(n: int, k: int, rng: np.random.Generator) -> tuple[Array, Mask]:
    """A core whose members are nearly even among themselves."""
    return planted(n, k, Strengths((0.56, 0.56), (0.77, 0.77), (0.77, 0.77)), rng)


def several_cores(n: int, k: int, rng: np.random.Generator) -> tuple[Array, Mask]:
    """Two more cycles of five and three stand directly below the core."""
    p, core = planted(n, k, Strengths((0.6, 0.8), (0.6, 0.9), (0.6, 0.9)), rng)
    below = np.flatnonzero(~core)
    below = below[np.argsort(-(p[np.ix_(below, below)] > 0.5).sum(axis=1))]
    for start, size in ((0, 5), (5, 3)):
        inner, _ = planted(size, size, Strengths((0.6, 0.8), (0.6, 0.9), (0.6, 0.9)), rng)
        p[np.ix_(below[start : start + size], below[start : start + size])] = inner
    return p, core


def unordered(n: int, k: int, rng: np.random.Generator) -> tuple[Array, Mask]:
    """Those outside the core are in no order: each pair points either way."""
    p, core = planted(n, k, Strengths((0.68, 0.68), (0.77, 0.77), (0.77, 0.77)), rng)
    turned = np.triu(rng.random((n, n)) < 0.5, 1) & ~core[:, None] & ~core[None, :]
    turned |= turned.T
    return np.where(turned, p.T, p), core


def ladder(n: int, k: int, rng: np.random.Generator) -> tuple[Array, Mask]:
    """A Bradley-Terry ladder with rungs of 0.15 log odds: the best agent alone is the core, neighbours are nearly even."""
    strength = 0.15 * rng.permutation(n)
    return 1 / (1 + np.exp(strength[None, :] - strength[:, None])), strength == strength.max()


def popularity(n: int, battles: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Battles of every pair when a few agents meet far more often than most."""
    appeal = rng.pareto(1.2, n) + 0.2
    a, b = np.triu_indices(n, 1)
    share = appeal[a] * appeal[b]
    return rng.poisson(battles * share / share.mean())
