"""Battles of every pair whose clusters share tastes, and what clusters leave over of predicted rates."""

import numpy as np
from scipy.special import ndtr

import beatpath as bp


def named(n):
    return tuple(f"agent{k:03d}" for k in range(n))


def logistic(strength):
    return 1 / (1 + np.exp(-np.subtract.outer(strength, strength)))


def battles(n, a, b, outcome, cluster=None):
    factors = {} if cluster is None else {"cluster": bp.Factor.of(f"{c:05d}" for c in cluster)}
    return bp.Battles(named(n), a, b, np.asarray(outcome, dtype=float), factors=factors)


def every_pair(n, times):
    return (np.repeat(side, times) for side in np.triu_indices(n, 1))


def tasted(rng, n, times, clusters, chance):
    """Battles of every pair; those of a cluster share its taste for every agent, and rates are as given."""
    a, b = every_pair(n, times)
    if not clusters:
        return battles(n, a, b, rng.random(len(a)) < chance[a, b])
    of = rng.integers(clusters, size=len(a))
    taste = rng.normal(size=(clusters, n))
    noise = (taste[of, a] - taste[of, b]) / 2 + rng.normal(size=len(a)) / np.sqrt(2)
    return battles(n, a, b, ndtr(noise) > 1 - chance[a, b], of)


def residuals_by_cluster(battles, pairwise, predicted, code):
    """What every cluster leaves over, from the battles themselves, (clusters, pairs); and its battles."""
    pair = {(i, j): k for k, (i, j) in enumerate(zip(pairwise.a.tolist(), pairwise.b.tolist(), strict=True))}
    f, n = np.zeros((2, max(code) + 1, len(pair)))
    for a, b, s, c in zip(battles.a.tolist(), battles.b.tolist(), battles.outcome.tolist(), code, strict=True):
        k, won = (pair[a, b], s) if a < b else (pair[b, a], 1 - s)
        f[c, k] += won - predicted[k]
        n[c, k] += 1
    return f, n


def clusters_of(battles, name):
    if name is None:
        return list(range(len(battles.a)))
    return np.unique(battles.factor(name).codes, return_inverse=True)[1].tolist()
