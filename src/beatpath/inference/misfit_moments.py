"""The moments of the misfit statistic: sums over clusters and pairs of clusters, without ever listing the latter."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath.inference.additive import Additive, Block
from beatpath.inference.residuals import Residuals

Array = NDArray[np.float64]

EXACT = 1500  # pairs up to which the covariance of their rates is written out
PROBES = 64  # random vectors that measure it above


class Moments(NamedTuple):
    """Of *Q* if one scale is the truth: its mean, and the squares of the clusters' own terms."""

    mean: float
    own: float


def moments(fit: Additive, left: Residuals) -> Moments:
    r"""Return the mean of *Q* and :math:`\sum_c K_{cc}^2`, with signs for two-way clusterings."""
    alone = left.alone / fit.weight**2 * _of_pair(fit)
    mean = float((alone / (1 - fit.leverage)).sum())
    squares = float((alone**2 / np.maximum(left.number, 1.0)).sum())
    for block in fit.blocks(left):
        own, put_back = _own_terms(fit, block)
        mean += block.sign * float((own + put_back).sum())
        squares += block.sign * float((own**2 / block.times).sum())
    return Moments(mean, squares)


def effective_clusters(fit: Additive, left: Residuals) -> float:
    r"""Return :math:`(\sum_c n_c)^2 / \sum_c n_c^2` of the weights of all clusters; of two clusterings, for the coarser.

    Twenty clusters of equal weight are twenty; one that outweighs all others leaves little more than one.
    """
    alone = float(left.number @ (fit.weight / np.maximum(fit.battles, 1)) ** 2)
    sizes = [part.times @ np.asarray(part.n.sum(axis=1)).ravel() ** 2 for part in left.parts if part.sign > 0]
    return float(fit.weight.sum() ** 2 / (alone + max(sizes, default=0.0)))


def own_share(fit: Additive, left: Residuals) -> Array:
    r"""Return :math:`\kappa_p = \sum_c (n_{cp} / N_p)^2` of every pair: how much of it lies in one cluster."""
    total = left.number / np.maximum(fit.battles, 1) ** 2
    for part in left.parts:
        total = total + part.sign * (part.times @ part.n**2) / fit.weight**2
    return np.asarray(total)


def _of_pair(fit: Additive) -> Array:
    """The diagonal of *M*."""
    bend = fit.inverse @ fit.laplacian(fit.weight * fit.slope**2) @ fit.inverse
    taken = fit.weight * fit.slope * fit.across(fit.inverse)
    return fit.weight * (1 - 2 * taken) + fit.weight**2 * fit.across(bend)


def _own_terms(fit: Additive, block: Block) -> tuple[Array, Array]:
    """The terms :math:`K_{cc}` of some clusters, and what fitting took out of them."""
    bent = fit.laplacian(fit.weight * fit.slope**2)
    theta = block.at_agent @ fit.inverse
    pull = (block.f.multiply(fit.slope[None, :]).tocsr() @ fit.incidence).toarray()
    own = block.f.multiply(block.f) @ (1 / fit.weight)
    own = own - 2 * np.einsum("ci,ci->c", pull, theta) + np.einsum("ci,ci->c", theta @ bent, theta)
    back = (pull - theta @ bent) @ fit.inverse
    moved = block.left_out @ fit.inverse
    c, p = np.repeat(np.arange(len(own)), np.diff(block.n.indptr)), block.n.indices
    a, b = fit.a[p], fit.b[p]
    taken = block.n.data / fit.weight[p] * fit.slope[p] * (moved[c, a] - moved[c, b])
    pulled = fit.weight[p] * (fit.slope[p] * (theta[c, a] - theta[c, b]) + back[c, a] - back[c, b])
    put_back = block.f.multiply(csr_array((taken, p, block.n.indptr), shape=block.n.shape)).sum(axis=1)
    return own, np.asarray(put_back).ravel() - np.bincount(c, pulled * taken, minlength=len(own))


def residual_variance(fit: Additive, left: Residuals) -> Array:
    """Return the variance of observed less predicted rate of every pair, if one scale is the truth."""
    square, cross = left.alone.copy(), left.alone * fit.across(fit.inverse)
    meat = fit.laplacian(left.alone)
    for block in fit.blocks(left):
        sign, theta = block.sign, block.at_agent @ fit.inverse
        meat += sign * (block.at_agent.T @ block.at_agent).toarray()
        cell = block.f.tocoo()
        c, p = cell.coords
        square += sign * np.bincount(p, cell.data**2, minlength=len(square))
        cross += sign * np.bincount(p, cell.data * (theta[c, fit.a[p]] - theta[c, fit.b[p]]), minlength=len(square))
    of_strengths = fit.across(fit.inverse @ meat @ fit.inverse)
    return np.asarray(square / fit.weight**2 - 2 * fit.slope / fit.weight * cross + fit.slope**2 * of_strengths)


def variance_along(left: Residuals, off: Array) -> float:
    r"""The variance of :math:`\sum_p N_p r_p \hat\psi_p`: how a true misfit *r* makes *Q* vary."""
    total = float(left.alone @ off**2)
    return total + sum(part.sign * float(((part.f @ off) ** 2).sum()) for part in left.parts)


def squared_trace(fit: Additive, left: Residuals, rng: np.random.Generator) -> float:
    r"""The sum of all :math:`K_{cc'}^2`, the trace of :math:`(V M)^2`; estimated by random signs where pairs are many."""
    p = len(fit.weight)
    if p <= EXACT:
        V = np.diag(left.alone) + sum(part.sign * _gram(part.f) for part in left.parts)
        product = (V / np.outer(fit.weight, fit.weight)) @ _penalised(fit, np.eye(p))
        return float(np.einsum("ij,ji->", product, product))
    signs = 2 * rng.integers(0, 2, size=(p, PROBES)).astype(np.float64) - 1
    first, second = _noise(fit, left, _penalised(fit, signs)), _penalised(fit, _noise(fit, left, signs))
    return float((first * second).sum()) / PROBES


def _gram(f: csr_array) -> Array:
    """The product of a matrix with itself from the left, (p, p)."""
    if f.nnz < 0.05 * f.shape[0] * f.shape[1]:
        return np.asarray((f.T @ f).toarray())
    rows = max(4_000_000 // f.shape[1], 1)
    parts = (f[start : start + rows].toarray() for start in range(0, f.shape[0], rows))
    return np.asarray(sum(part.T @ part for part in parts))


def _noise(fit: Additive, left: Residuals, x: Array) -> Array:
    """The covariance of the rates times vectors, (p, k)."""
    scaled = x / fit.weight[:, None]
    total = left.alone[:, None] * scaled
    for part in left.parts:
        total += part.sign * (part.f.T @ (part.f @ scaled))
    return np.asarray(total / fit.weight[:, None])


def _penalised(fit: Additive, x: Array) -> Array:
    """*M* times vectors, (p, k)."""
    D, N, g = fit.incidence, fit.weight[:, None], fit.slope[:, None]
    rest = N * (x - g * (D @ (fit.inverse @ (D.T @ (N * x)))))
    return np.asarray(rest - N * (D @ (fit.inverse @ (D.T @ (g * rest)))))
