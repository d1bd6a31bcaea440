"""Draws from the prior of each posterior: the truth, and data that follow from it as the posterior's model says."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from beatpath import Pairs
from beatpath.inference.core.core_posterior import PRIOR
from beatpath.inference.core.worlds.ladders import FREE_BOUNDS, S_BOUNDS, SHARE_BOUNDS, TAU_BOUNDS, UPSET
from beatpath.inference.core.worlds.planted_cores import CLOSE_SHARE, UPSETS
from beatpath.inference.core.worlds.planted_edges import MEANS, SPREADS
from beatpath.inference.core.worlds.sample_cores import LEAST, MOST, TAUS, top_cycles

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


def schedule(rng: np.random.Generator, most: int) -> tuple[int, NDArray[np.int64], NDArray[np.int64], int]:
    """Some agents, the pairs of them compared, all or about 70 %, and how often: once to `most` times."""
    n = int(rng.integers(4, 10))
    i, j = np.triu_indices(n, 1)
    played = (j == i + 1) | (rng.random(len(i)) < rng.choice([0.7, 1.0]))
    return n, i[played], j[played], int(np.exp(rng.uniform(0, np.log(most))).round())


def counted(n: int, i: NDArray[np.int64], j: NDArray[np.int64], won: NDArray[np.int64], times: int) -> Pairs:
    """Counts of pairs; names sort as numbers do."""
    names = tuple(f"{k:02d}" for k in range(n))
    return Pairs(names, i, j, np.column_stack([won, times - won, 0 * won, 0 * won]))


def log_uniform(rng: np.random.Generator, bounds: tuple[float, float]) -> float:
    """A number whose logarithm to base 2 is uniform between two bounds."""
    return float(2 ** rng.uniform(*bounds))


def core_world(rng: np.random.Generator, n: int) -> tuple[Array, Bools]:
    """Win rates of all pairs from the prior of `core`, and who is in the core."""
    kind = rng.choice(list(PRIOR), p=np.array(list(PRIOR.values())) / sum(PRIOR.values()))
    if kind == "equal":
        return np.full((n, n), 0.5), np.ones(n, dtype=bool)
    if kind in ("free", "planted"):
        strong = _strong(rng, n)
        better = _coins(rng, n) if kind == "free" else _planted(rng, n, strong)
        if kind == "free" and rng.random() < 0.5:
            strong = expit(np.abs(rng.normal(0, log_uniform(rng, FREE_BOUNDS), (n, n))))
        upper = np.triu(np.where(better, strong, 1 - strong), 1)
        return _both(upper)
    theta = rng.normal(0, log_uniform(rng, S_BOUNDS), n)
    gap = theta[:, None] - theta[None, :]
    if kind == "deviations":
        gap = gap + rng.normal(0, log_uniform(rng, TAU_BOUNDS), (n, n))
    if kind == "upsets":
        gap = gap + rng.normal(0, UPSET, (n, n)) * (rng.random((n, n)) < log_uniform(rng, SHARE_BOUNDS))
    if kind == "crowned":
        sizes = np.arange(LEAST, min(MOST, n - 1) + 1)
        top = np.argsort(-theta)[: rng.choice(sizes, p=1 / sizes / (1 / sizes).sum())]
        tau = rng.choice(TAUS)
        crown = np.ones((1, 1))
        while not top_cycles(crown[None] > 0).all() or len(crown) != len(top):
            crown = np.triu(rng.normal(0, tau, (len(top),) * 2), 1)
            crown = crown - crown.T
        gap[np.ix_(top, top)] = crown
    return _both(np.triu(expit(gap), 1))


def _both(upper: Array) -> tuple[Array, Bools]:
    """Win rates of both directions, and the top cycle of their majorities."""
    rates = upper + np.tril(1 - upper.T, -1)
    return rates, top_cycles((rates > 0.5)[None])[0]


def _strong(rng: np.random.Generator, n: int) -> Array:
    """Win rates of the better agents of all pairs, by one distribution of the planted model."""
    m, c = rng.choice(MEANS), rng.choice(SPREADS)
    return np.asarray((1 + np.maximum(rng.beta(c * m, c * (1 - m), (n, n)), 1e-9)) / 2)


def _coins(rng: np.random.Generator, n: int) -> Bools:
    return rng.random((n, n)) < 0.5


def _planted(rng: np.random.Generator, n: int, strong: Array) -> Bools:
    """Who is better in pairs of a planted core and of the others, in an order with upsets; close cores replace `strong`."""
    sizes = np.array([k for k in range(1, n + 1) if k != 2])
    size = int(rng.choice(sizes, p=1 / sizes / (1 / sizes).sum()))
    order = rng.permutation(n)
    inside = np.isin(np.arange(n), order[:size])
    place = np.argsort(order)
    upset = np.triu(rng.random((n, n)) < rng.choice(UPSETS), 1)
    better = (place[:, None] < place[None, :]) ^ (upset & ~inside[:, None] & ~inside[None, :])
    within = np.ix_(inside, inside)
    while size > 1:
        beats = np.triu(_coins(rng, size), 1)
        beats = beats | np.tril(~beats.T, -1)
        if top_cycles(beats[None]).all():
            better[within] = beats
            break
    if rng.random() < CLOSE_SHARE:
        strong[within] = rng.uniform(0.5, 0.65, (size, size))
    return better


def sco_ratings(rng: np.random.Generator, n: int, i: NDArray[np.int64], j: NDArray[np.int64], times: int) -> Array:
    """Ratings from the prior of `sco_posterior`, whose density has no normalizing constant of the votes, by rejection.

    A vote has density :math:`e^{-s}` one way and :math:`e^{-(1-s)}` the other, which sum to 1.37 for ratings far apart and to 1.21
    for equal ones. So :math:`e^{-L}` is the posterior of uniform ratings times these sums: near ties are rarer than uniform ones.
    """
    while True:
        theta = rng.uniform(0, 100, n)
        against = expit(theta[j] - theta[i])
        both = (np.exp(-against) + np.exp(against - 1)) / (1 + np.exp(-1))
        if rng.random() < np.prod(both**times):
            return np.asarray(theta)


def sco_votes(theta: Array, i: NDArray[np.int64], j: NDArray[np.int64], temperature: float = 1.0) -> Array:
    """The chance that a vote prefers the first of two agents if minus SCO's loss is its log-likelihood."""
    against = expit((theta[j] - theta[i]) / temperature)
    return np.asarray(expit(1 - 2 * against))
