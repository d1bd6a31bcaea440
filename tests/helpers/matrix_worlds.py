"""Small worlds of win rates for the tests of the matrix."""

import numpy as np
from scipy.special import expit

from beatpath.inference.matrix.rates import independent


def scale_world(seed, n=9, N=40, tau=0.05, share=0.7):
    rng = np.random.default_rng(seed)
    theta = 0.6 * rng.standard_normal(n)
    E = np.triu(rng.standard_normal((n, n)), 1)
    psi = np.clip(expit(theta[:, None] - theta[None, :]) + tau * (E - E.T), 0.02, 0.98)
    a, b = np.triu_indices(n, 1)
    some = (rng.random(len(a)) < share) | (b == a + 1)
    a, b = a[some], b[some]
    N_p = rng.integers(2, 2 * N, len(a)).astype(float)
    return independent(n, a, b, N_p, rng.binomial(N_p.astype(int), psi[a, b]) / N_p), psi


def clustered_rows(seed, n=6, clusters=60, total=1200):
    rng = np.random.default_rng(seed)
    i = rng.integers(0, n, total)
    j = (i + rng.integers(1, n, total)) % n
    won = (rng.random(total) < expit(0.3 * (j - i))).astype(float)
    return n, i, j, won, rng.integers(0, clusters, total), rng.integers(0, clusters, total)
