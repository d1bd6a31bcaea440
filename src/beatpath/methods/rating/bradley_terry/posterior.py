r"""The posterior of Bradley-Terry strengths, by Gibbs sampling with Pólya-Gamma variables.

Pólya-Gamma variables make a logistic likelihood conditionally normal. A variable of :math:`PG(b, c)` is

.. math::  \frac{1}{2 \pi^2} \sum_{k=1}^{\infty} \frac{g_k}{(k - 1/2)^2 + c^2 / 4 \pi^2},

with independent :math:`g_k` of the gamma distribution of shape *b* and scale 1 [1]_. The first terms are sampled
exactly; the rest of the sum, a minute share of the variance, is sampled from the gamma distribution of its mean and
variance.

References
----------
.. [1] N. G. Polson, J. G. Scott, J. Windle, "Bayesian inference for logistic models using Pólya-Gamma latent variables",
       *Journal of the American Statistical Association* 108 (2013), 1339-1349, arXiv:1205.0310, eq. (1).
"""

from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._validate import generator, require_few, require_number, require_whole
from beatpath.fit.laplacian import incident, laplacian_matrix
from beatpath.fit.newton import CONVERGED
from beatpath.fit.pairs import Comparisons, fit_pairs
from beatpath.fit.ties import Prior, logistic
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import comparisons
from beatpath.methods.result import Outcome, equal_levels

TERMS = 8  # terms of the sum that are sampled exactly
FLAT = 1.0  # shift below which the terms of the exact integral cancel, so that its limit is used
CENTERS = (np.arange(TERMS) + 0.5) ** 2  # denominators of these terms


def polya_gamma(shape: Floats, tilt: Floats, rng: np.random.Generator) -> Floats:
    """Return one sample of PG(shape, tilt) per entry.

    Parameters
    ----------
    shape : (m,) float
        Positive numbers of trials.
    tilt : (..., m) float
        The log odds.
    rng : numpy.random.Generator
        The random generator.

    Examples
    --------
    The mean of PG(b, 0) is b / 4.

    >>> rng = np.random.default_rng(0)
    >>> float(polya_gamma(np.full(20_000, 3.0), np.zeros(20_000), rng).mean().round(2))
    0.75
    """
    shift = (tilt / (2 * np.pi)) ** 2
    weight = 1.0 / np.add.outer(CENTERS, shift)
    total = (rng.standard_gamma(np.broadcast_to(shape, weight.shape)) * weight).sum(axis=0)
    mean, variance = (shape * one for one in _rest(shift))
    total += rng.standard_gamma(mean**2 / variance) * variance / mean
    return total / (2 * np.pi**2)


def _rest(shift: Floats) -> tuple[Floats, Floats]:
    """Sums of weights, and of their squares, over the terms not sampled exactly, as integrals from where these begin.

    >>> far = np.add.outer([0.0, 20.0], (np.arange(TERMS, 10**6) + 0.5) ** 2)
    >>> mean, variance = _rest(np.array([0.0, 20.0]))
    >>> (np.abs(mean * 1.0 - (1 / far).sum(axis=1)) < 1e-5).all(), (np.abs(variance / (1 / far**2).sum(axis=1) - 1) < 0.01).all()
    (np.True_, np.True_)
    """
    root, edge = np.sqrt(np.maximum(shift, 1e-16)), TERMS**2 + shift
    angle = np.arctan(root / TERMS) / root
    far = (angle - TERMS / edge) / (2 * np.maximum(shift, FLAT))
    return angle - TERMS / (12 * edge**2), np.where(shift > FLAT, far, 1.0 / (3 * edge**1.5))


WARM = 50  # burn-in steps of a chain
WALKS = 20  # parallel chains
MOST_CELLS = 200_000  # limit on pairs, or squared agents, of all chains
MOST_AGENTS = 500  # most agents


def bradley_terry_posterior(profile: Profile, *, spread: float = 2.0, draws: int = 1000, seed: int = 0) -> Outcome:
    r"""Rate agents by the posterior distribution of Bradley-Terry strengths, with credible intervals.

    The prior is normal with mean zero and standard deviation `spread` in log odds, independent for each agent; given
    the strengths, *a* beats *b* with probability :math:`\sigma(\theta_a - \theta_b)`. With Pólya-Gamma variables [1]_
    for the pairs,

    .. math::  \omega_{ab} \mid \theta \sim PG(n_{ab}, \theta_a - \theta_b), \qquad
               \theta \mid \omega \sim N(V \kappa, V), \quad V^{-1} = D^T \Omega D + I / s^2, \quad
               \kappa = D^T (w - n / 2),

    with *D* the differences of the compared pairs. Both steps are exact, so the samples are from the posterior
    itself, without a normal approximation.

    Parameters
    ----------
    profile : Profile
        Battles or their counts; the pairs of ballots; win rates, with each compared pair as one battle.
    spread : float
        Prior standard deviation of strengths in log odds; default 2.
    draws : int
        Number of posterior samples; default 1000.
    seed : int
        Seed of the sampler; default 0.

    Returns
    -------
    Outcome
        Scores are the centered posterior mode, which needs no samples, so equal records tie. Details, by agent and
        over the centered samples: ``mean``, ``standard_deviation``, ``interval`` (the central 95 %), ``first`` (the
        probability of being the strongest), ``expected_rank``; and ``effective_draws``, the smallest effective sample
        size, by batch means.

    Examples
    --------
    Ada won three battles of three, and is probably, but not certainly, the stronger.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> result = bradley_terry_posterior(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 0, 0, 0]])), draws=4000)
    >>> 0.85 < result.details["first"]["ada"] < 1
    True

    Notes
    -----
    Up to twenty parallel chains, each from near the mode; each sample needs a Cholesky factor and nine gamma
    variables per pair. Ties are half a win and half a loss, since the model has no ties. Battles are taken to be
    independent; with clusters the posterior is too narrow, and `resolve` accounts for them.

    References
    ----------
    .. [1] N. G. Polson, J. G. Scott, J. Windle, "Bayesian inference for logistic models using Pólya-Gamma latent variables",
           *Journal of the American Statistical Association* 108 (2013), 1339-1349.
    """
    require_number("spread", spread, "a positive number of log odds", above=0)
    require_whole("draws", draws, 2)
    rng = generator(seed)
    n = len(profile.agents)
    fewer = "Choose agents with `--only`, or use bradley_terry."
    require_few(n, MOST_AGENTS, "bradley_terry_posterior takes up to {} agents", fewer)
    rows, _ = comparisons(profile)
    mode = fit_pairs(rows, prior=Prior(precision=float(spread) ** -2)).ended.x  # the maximum a posteriori estimate
    sample = posterior_draws(rows, float(spread), mode, int(draws), rng)
    level, score = equal_levels(mode - mode.mean())
    return Outcome(level, score, CONVERGED, _summary(profile.agents, sample) | {"spread": spread, "draws": draws})


def posterior_draws(rows: Comparisons, spread: float, mode: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Return samples of the strengths, shape (draws, n), of several parallel chains, one chain after another.

    Each starts with a sample from the normal approximation at the mode, which is near the posterior, and has 50
    burn-in steps.
    """
    n, met = rows.n_agents, rows.counts.sum(axis=1)
    over = (rows.counts[:, 0] - rows.counts[:, 1]) / 2
    kappa = incident(n, rows.a, rows.b, over, -over)  # wins minus half of the battles, summed by agent
    walks = max(1, min(WALKS, draws, MOST_CELLS // max(1, len(met), n**2)))
    each = -(-draws // walks)
    p, _ = logistic(mode[rows.a] - mode[rows.b])
    x = mode + _scattered(np.tile(_precision(rows, met * p * (1 - p), spread), (walks, 1, 1)), rng)
    chains = np.empty((walks, each, n))
    for i in range(-WARM, each):
        omega = polya_gamma(met, x[:, rows.a] - x[:, rows.b], rng)
        precision = _precision(rows, omega, spread)
        x = np.linalg.solve(precision, kappa[None, :, None])[..., 0] + _scattered(precision, rng)
        if i >= 0:
            chains[:, i] = x
    return chains.reshape(-1, n)[:draws]


def _scattered(precision: Floats, rng: np.random.Generator) -> Floats:
    """Normal samples of mean zero with these precisions, shape (walks, n)."""
    root = np.linalg.cholesky(precision)
    return np.linalg.solve(root.swapaxes(1, 2), rng.standard_normal((*root.shape[:2], 1)))[..., 0]


def effective_draws(sample: Floats) -> float:
    """Return the smallest effective sample size over the columns, by batch means.

    >>> rng = np.random.default_rng(0)
    >>> 500 < effective_draws(rng.standard_normal((2_500, 1))) < 2_501
    True
    """
    size = max(1, int(len(sample) ** 0.5))
    batches = sample[: len(sample) // size * size].reshape(-1, size, sample.shape[1]).mean(axis=1)
    own, between = sample.var(axis=0, ddof=1), size * batches.var(axis=0, ddof=1)
    share = np.divide(own, between, out=np.ones_like(own), where=between > 0)
    return float(min(len(sample), (len(sample) * share).min()))


def _summary(agents: tuple[str, ...], sample: Floats) -> dict[str, Any]:
    """Posterior summaries of each agent."""
    sample = sample - sample.mean(axis=1, keepdims=True)
    low, high = np.quantile(sample, [0.025, 0.975], axis=0)
    rank = 1 + np.argsort(np.argsort(-sample, axis=1), axis=1)
    by = {
        "mean": sample.mean(axis=0).tolist(),
        "standard_deviation": sample.std(axis=0, ddof=1).tolist(),
        "interval": np.column_stack([low, high]).tolist(),
        "first": (rank == 1).mean(axis=0).tolist(),
        "expected_rank": rank.mean(axis=0).tolist(),
    }
    summary: dict[str, Any] = {word: dict(zip(agents, values, strict=True)) for word, values in by.items()}
    return summary | {"effective_draws": effective_draws(sample) if len(agents) > 1 else float(len(sample))}


def _precision(rows: Comparisons, weight: Floats, spread: float) -> Floats:
    """The (..., n, n) precision of strengths given the weight of each row."""
    return laplacian_matrix(rows.n_agents, rows.a, rows.b, weight, spread**-2)
