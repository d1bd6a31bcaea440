"""Small worlds of win rates for the tests of the matrix."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from beatpath.inference.matrix.rates import Rates, imagined_in_clusters, jackknife_lack
from beatpath.inference.win_rates.estimate import Clustering


def independent(n, a, b, weight, rate, ties=0.0):
    r"""Return rates of independent battles, with :math:`V = (N + 1)\, \tilde r (1 - \tilde r) / N^2` less what ties take.

    One pseudo-count, half won, keeps every variance positive: :math:`\tilde r = (N r + 1/2) / (N + 1)`. A tie is half
    won for sure and lies at 1/2, so it varies by :math:`(1/2 - \tilde r)^2` alone.

    >>> independent(2, [0], [1], [10.0], [1.0]).variance.round(5)
    array([0.00477])
    """
    N, r, t = (np.broadcast_to(np.asarray(x, dtype=float), np.shape(weight)) for x in (weight, rate, ties))
    smooth = (N * r + 0.5) / (N + 1)
    won, lost = N * r - t / 2, N * (1 - r) - t / 2
    spread = won * (1 - smooth) ** 2 + lost * smooth**2 + t * (0.5 - smooth) ** 2
    imagined = ((1 - smooth) ** 2 + smooth**2) / 2
    raw = np.maximum(N * r * (1 - r) - t / 4, 0.0) / (N * np.maximum(N - 1, 1e-9))
    a, b = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    return Rates(n, a, b, N, r, (spread + imagined) / N**2, raw=np.where(N > 1, raw, 0.0))


def clustered(n, a, b, outcome, clusters):
    r"""Return rates of battles in clusters, by one column or two.

    Leaving a cluster out moves the smoothed rate by :math:`u_{cp} = (s_{cp} - \tilde r_p n_{cp}) / (N_p + 1 - n_{cp})`,
    the jackknife (as `beatpath.inference.pairwise`).

    >>> rows = np.zeros(100, dtype=int), np.ones(100, dtype=int), (np.arange(100) >= 10) * 1.0
    >>> float(clustered(2, *rows, [np.arange(100) // 10]).variance[0] ** 0.5).__round__(3)
    0.104
    """
    a, b, s = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64), np.asarray(outcome, dtype=float)
    flip = a > b
    low, high, s = np.minimum(a, b), np.maximum(a, b), np.where(flip, 1 - s, s)
    code, pair = np.unique(low * n + high, return_inverse=True)
    N, S = np.bincount(pair).astype(float), np.bincount(pair, s)
    smooth = (S + 0.5) / (N + 1)
    names = [np.unique(np.asarray(one), return_inverse=True)[1] for one in clusters]
    signs = [1.0] * len(names)
    if len(names) == 2:
        names.append(np.unique(names[0] * (names[1].max() + 1) + names[1], return_inverse=True)[1])
        signs.append(-1.0)
    factors = tuple(_factor(one, pair, s, N, smooth, sign) for one, sign in zip(names, signs, strict=True))
    imagined = ((1 - smooth) ** 2 + smooth**2) / 2 / N**2
    made = Rates(n, code // n, code % n, N, S / N, imagined, factors)
    raw = np.maximum(made.variance - imagined, 0.0) * jackknife_lack(made.effective, 1 / N)
    own, factors = imagined_in_clusters(imagined, factors, imagined)
    return replace(made, own=own, factors=factors, raw=raw)


def _factor(cluster, pair, s, N, smooth, sign):
    cell, at = np.unique(cluster * len(N) + pair, return_inverse=True)
    c, p = np.divmod(cell, len(N))
    n_cp, s_cp = np.bincount(at).astype(float), np.bincount(at, s)
    u = (s_cp - smooth[p] * n_cp) / (N[p] + 1 - n_cp)
    shape = (int(cluster.max()) + 1, len(N))
    return Clustering(
        "cluster",
        csr_array((u, (c, p)), shape=shape),
        csr_array((n_cp / N[p], (c, p)), shape=shape),
        np.ones(shape[0]),
        sign,
    )


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
