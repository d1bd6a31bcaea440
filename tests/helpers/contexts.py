"""Battles by context of known strengths."""

import numpy as np
from scipy.special import expit

from beatpath.inference.contexts.deviations import Cells


def simulated_contexts(seed, spread, n=8, contexts=6, played=12):
    """True strengths by context, all pairs alike, and what was won; `spread` is one for all contexts or one each."""
    rng = np.random.default_rng(seed)
    eta = rng.normal(0, 0.7, n) + rng.normal(0, 1, (contexts, n)) * np.reshape(spread, (-1, 1))
    I, J = np.triu_indices(n, 1)
    c, a, b = np.repeat(np.arange(contexts), len(I)), np.tile(I, contexts), np.tile(J, contexts)
    won = rng.binomial(played, expit(eta[c, a] - eta[c, b])).astype(float)
    return eta, Cells(n, contexts, c, a, b, won, np.full(len(c), float(played)))
