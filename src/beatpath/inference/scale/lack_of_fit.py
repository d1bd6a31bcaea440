r"""Goodness of fit: how far win rates deviate from the Bradley-Terry prediction, beyond noise.

With predicted rates :math:`\sigma_p` the statistic is the sum of squares weighted by battles,

.. math::  Q = \sum_p N_p (\hat\psi_p - \sigma_p)^2 = \sum_{c, c'} K_{cc'}, \qquad K_{cc'} = e_c^\top M e_{c'},

where :math:`e_c = f_c / N` is the residual of cluster *c* (see `residuals`) and :math:`M = (I - H)^\top
\operatorname{diag}(N) (I - H)`, *H* being the projection of the fit, :math:`\operatorname{diag}(g) D C D^\top
\operatorname{diag}(N)` (see `additive`). If the Bradley-Terry model is true, clusters have independent errors of mean
zero, and *Q* has

.. math::  \text{mean } \sum_c K_{cc}, \qquad \text{variance } 2 \sum_{c \ne c'} K_{cc'}^2 ,

its moments under random signs of every cluster's error. This needs neither Gaussian errors nor many battles per pair:
a pair's only battle adds to *Q* exactly what it adds to the mean. *Q* is compared with the scaled chi-squared
distribution with these moments.

The fit adapts :math:`\sigma` to every cluster, a large one most, which makes :math:`e_c` too small. The mean therefore
uses the residuals of clusters left out of the fit, to first order (jackknife), and the standard deviation is scaled in
proportion. With :math:`e_c` as one of the two factors, which is correct for equal clusters, 21 to 24 % of boards of
equal agents were rejected at 5 % where cluster sizes had a heavy tail and every cluster one pair; now 2 to 4 % (300
boards each), and 4 % as before with equal clusters.

The estimated mean also absorbs part of a true lack of fit, through products of each cluster with itself. The excess of
*Q* over it estimates

.. math::  \Delta = \sum_p N_p (1 - \kappa_p) (\psi_p - \sigma_p)^2, \qquad \kappa_p = \sum_c (n_{cp} / N_p)^2,

so its mean over pairs with weights :math:`N_p (1 - \kappa_p)` is the squared lack of fit of a typical pair. Its upper
confidence limit is the :math:`\Delta` whose excess would be at most the observed one with probability 1 minus the
level, the variance of the excess being :math:`v + 4 \lambda \Delta`. For the unknown :math:`\lambda` the larger of
:math:`\sum_{c \ne c'} K_{cc'}^2 / \sum_c K_{cc}` and :math:`(\operatorname{var} \sum_p N_p r_p \hat\psi_p - \sum_c
K_{cc}^2) / Q` with :math:`r = \hat\psi - \sigma` is used.

First-order expansion of the fit, and the covariance of strengths.

When strengths change by :math:`d\theta`, the predicted rate of a pair changes by :math:`g_p (d\theta_a - d\theta_b)`,
*g* being its *slope*. Strengths that solve :math:`\sum_p N_p (\psi_p - \sigma_p)(e_a - e_b) = 0`, every agent's
expected wins equal to its wins, respond to residuals of clusters by :math:`C \sum_c D^\top f_c`, where *D* has the
rows :math:`e_a - e_b` and *C* is the inverse of the information :math:`A = D^\top \operatorname{diag}(N g) D`. Their
covariance is the *sandwich*

.. math::  C \Big( \sum_c D^\top f_c f_c^\top D \Big) C .

Fitting makes residuals of clusters too small. An agent's part of :math:`D^\top f_c` is therefore divided by one minus
the cluster's share of the information about the agent, leaving at least one imaginary even battle; a battle outside
clusters by one minus its leverage :math:`g_p w\, (e_a - e_b)^\top C (e_a - e_b)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import gammaincc, ndtri

from beatpath._result import Result
from beatpath._text import confidence, counted
from beatpath._validate import generator
from beatpath.fit.laplacian import across, centered_inverse, incidence, laplacian_matrix
from beatpath.inference.win_rates.cluster_rows import column_sums, columns_times, gram, row_spans, times_vector
from beatpath.inference.win_rates.estimate import FEW_CLUSTERS, WinRateEstimate
from beatpath.inference.win_rates.residuals import ClusterResiduals, Residuals

Array = NDArray[np.float64]


class Block(NamedTuple):
    """Some clusters of one clustering: residuals by pair, by agent, and by agent if left out of the fit."""

    which: int
    sign: float
    times: Array
    f: csr_array
    n: csr_array
    at_agent: csr_array
    left_out: csr_array


@dataclass(frozen=True, eq=False)
class Additive:
    """The first-order expansion of a fit: pairs that connect all agents, with weights and slopes.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    a, b : (p,) int
        The pairs.
    weight : (p,) float
        :math:`N_p`.
    battles : (p,) float
        Number of battles.
    slope : (p,) float
        :math:`g_p`.
    """

    n_agents: int
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    weight: Array
    battles: Array
    slope: Array

    @cached_property
    def incidence(self) -> csr_array:
        """The (p, n) matrix *D*."""
        return incidence(self.n_agents, self.a, self.b)

    @cached_property
    def information(self) -> Array:
        """The (n, n) matrix *A*."""
        return self.laplacian(self.weight * self.slope)

    @cached_property
    def inverse(self) -> Array:
        """The (n, n) matrix *C*, for strengths with mean zero."""
        return centered_inverse(self.information)

    @cached_property
    def bend(self) -> Array:
        """The (n, n) matrix *C B C*, with *B* as *A* but for squared slopes."""
        return self.inverse @ self.laplacian(self.weight * self.slope**2) @ self.inverse

    def laplacian(self, weight: Array) -> Array:
        """Return :math:`D^T diag(weight) D`."""
        return laplacian_matrix(self.n_agents, self.a, self.b, weight)

    def across(self, matrix: Array) -> Array:
        """Return :math:`(e_a - e_b)^T` matrix :math:`(e_a - e_b)` for every pair."""
        return across(matrix, self.a, self.b)

    @cached_property
    def leverage(self) -> Array:
        """Leverage of one battle of every pair."""
        return np.minimum(self.slope * self.across(self.inverse) * self.weight / np.maximum(self.battles, 1), 0.99)

    def blocks(self, left: Residuals) -> Iterator[Block]:
        """Yield the clusters of all clusterings, in blocks that fit densely into memory."""
        known, ends = np.diag(self.information), abs(self.incidence)
        imagined = 0.25 * self.weight.sum() / max(self.battles.sum(), 1.0)
        for which, part in enumerate(left.parts):
            for rows in row_spans(part.n, self.n_agents):
                f, n = part.f[rows], part.n[rows]
                at_agent = (f @ self.incidence).tocsr()
                share = (columns_times(n, self.slope) @ ends).tocsr()
                all_known = known[share.indices]
                share.data = all_known / np.maximum(all_known - share.data, imagined) - 1
                left_out = (at_agent + at_agent.multiply(share)).tocsr()
                yield Block(which, part.sign, part.times[rows], f, n, at_agent, left_out)

    def sandwich(self, left: Residuals) -> Array:
        """Return the (n, n) covariance of strengths with mean zero."""
        meat = self.laplacian(left.alone / (1 - self.leverage))
        for block in self.blocks(left):
            meat += block.sign * (block.left_out.T @ block.left_out).toarray()
        return self.inverse @ meat @ self.inverse


def additive(pairwise: WinRateEstimate, slope: Array) -> Additive:
    r"""Return the first-order expansion of a fit to win rates.

    Examples
    --------
    Four even battles have information :math:`4 \cdot 1/4` about a difference of log odds.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> four = win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[2, 2, 0, 0]]))
    >>> result = additive(four, np.array([0.25]))
    >>> result.information, result.across(result.inverse), result.leverage
    (array([[ 1., -1.],
           [-1.,  1.]]), array([1.]), array([0.25]))
    """
    battles = pairwise.battles.astype(np.float64)
    return Additive(len(pairwise.agents), pairwise.a, pairwise.b, pairwise.weight, battles, slope)


EXACT = 1500  # most pairs for which the covariance of the rates is computed exactly
PROBES = 128  # random vectors that estimate it beyond that, where there are more clusters
AT_ONCE = 8  # of these in memory at a time, each with a number for every pair
# root mean squared lack of fit above which one number per agent hides something relevant: 3 percentage points
MATERIAL = 0.03


class Moments(NamedTuple):
    r"""Moments of *Q* under the model: mean, :math:`\sum K_{cc}`, signed :math:`\sum K_{cc}^2`, :math:`K_{cc}`.

    The mean is over clusters left out of the fit, the others over clusters in it; the last are per row, with equal
    clusters together, by clustering.
    """

    mean: float
    fitted: float
    own: float
    terms: tuple[Array, ...]


def moments(fit: Additive, left: Residuals) -> Moments:
    """Return the contribution of single clusters to the distribution of *Q*."""
    alone = left.alone / fit.weight**2 * _of_pair(fit)
    mean, fitted = float((alone / (1 - fit.leverage)).sum()), float(alone.sum())
    squares = float((alone**2 / np.maximum(left.number, 1.0)).sum())
    terms: list[list[Array]] = [[np.zeros(0)] for _ in left.parts]
    for block in fit.blocks(left):
        own = _own_terms(fit, block.f)
        mean += block.sign * float(_own_terms(fit, _left_out(fit, block)).sum())
        fitted += block.sign * float(own.sum())
        squares += block.sign * float((own**2 / block.times).sum())
        terms[block.which].append(own)
    return Moments(mean, fitted, squares, tuple(np.concatenate(parts) for parts in terms))


def effective_clusters(fit: Additive, left: Residuals) -> float:
    r"""Return :math:`(\sum_c n_c)^2 / \sum_c n_c^2` of cluster weights; for the coarser of two clusterings.

    Twenty clusters of equal weight count as twenty; one that outweighs all others leaves little more than one. Pairs
    of less than half a battle do not count.
    """
    alone = float(left.number @ (fit.weight / np.maximum(fit.battles, 1)) ** 2)
    sizes = [part.times @ times_vector(part.n, np.ones(len(fit.weight))) ** 2 for part in left.parts if part.sign > 0]
    squares = alone + float(max(sizes, default=0.0))
    return float(fit.weight.sum()) ** 2 / squares if squares else 0.0


def own_share(fit: Additive, left: Residuals) -> Array:
    r"""Return :math:`\kappa_p = \sum_c (n_{cp} / N_p)^2` of every pair: its concentration in single clusters."""
    total = left.number / np.maximum(fit.battles, 1) ** 2
    for part in left.parts:
        total = total + part.sign * column_sums(part.n, part.times, power=2) / fit.weight**2
    return np.asarray(total)


def _of_pair(fit: Additive) -> Array:
    """Return the diagonal of *M*."""
    taken = fit.weight * fit.slope * fit.across(fit.inverse)
    return fit.weight * (1 - 2 * taken) + fit.weight**2 * fit.across(fit.bend)


def _own_terms(fit: Additive, f: csr_array) -> Array:
    """Return the terms :math:`K_{cc}` of clusters with residuals *f*, (clusters, pairs)."""
    theta = np.asarray((f @ fit.incidence) @ fit.inverse)
    pull = (columns_times(f, fit.slope) @ fit.incidence).toarray()
    bent = theta @ fit.laplacian(fit.weight * fit.slope**2)
    square = csr_array((f.data**2, f.indices, f.indptr), shape=f.shape) @ (1 / fit.weight)
    return np.asarray(square - 2 * np.einsum("ci,ci->c", pull, theta) + np.einsum("ci,ci->c", bent, theta))


def _left_out(fit: Additive, block: Block) -> csr_array:
    """Return the residuals of clusters left out of the fit."""
    moved = np.asarray(block.left_out @ fit.inverse)
    c, p = np.repeat(np.arange(block.n.shape[0]), np.diff(block.n.indptr)), block.n.indices
    taken = block.n.data * fit.slope[p] * (moved[c, fit.a[p]] - moved[c, fit.b[p]])
    return csr_array((block.f.data + taken, p, block.n.indptr), shape=block.n.shape)


def residual_variance(fit: Additive, left: Residuals) -> Array:
    """Return the variance of observed minus predicted rate of every pair under the Bradley-Terry model."""
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
    r"""Return the variance of :math:`\sum_p N_p r_p \hat\psi_p`: how a true lack of fit *r* makes *Q* vary."""
    total = float(left.alone @ off**2)
    return total + sum(part.sign * float((times_vector(part.f, off) ** 2).sum()) for part in left.parts)


def off_diagonal(fit: Additive, left: Residuals, observed: Moments, rng: np.random.Generator) -> float:
    r"""Return :math:`\sum_{c \ne c'} K_{cc'}^2`, with signs for two-way clusterings.

    All :math:`K_{cc'}^2` sum to the trace of :math:`(V M)^2`, with *V* the covariance of the rates. Where pairs are
    too many for that, it is exact for battles outside clusters, and for clusters the mean of :math:`\|(K -
    \operatorname{diag} K) z\|^2` over vectors *z* of random signs, or over all unit vectors where these are fewer.
    """
    p = len(fit.weight)
    if p <= EXACT:
        V = np.diag(left.alone) + sum(part.sign * gram(part.f) for part in left.parts)
        product = (V / np.outer(fit.weight, fit.weight)) @ _residual_product(fit, np.eye(p))
        return float(np.einsum("ij,ji->", product, product)) - observed.own
    total = _alone_with_alone(fit, left)
    for part, own in zip(left.parts, observed.terms, strict=True):
        total += float((own**2 * (1 - part.sign / part.times)).sum()) + _probed(fit, left, part, own, rng)
    return total


def _probed(fit: Additive, left: Residuals, part: ClusterResiduals, own: Array, rng: np.random.Generator) -> float:
    """Estimate products of the clusters with each other, with other clusterings, and with single battles."""
    few = len(own) <= PROBES
    z = np.eye(len(own)) if few else 2 * rng.integers(0, 2, size=(len(own), PROBES)).astype(np.float64) - 1
    total, weight, f = 0.0, fit.weight[:, None], part.f.tocsr()
    others = [(part.sign * other.sign, other.f.tocsr()) for other in left.parts if other is not part]
    for k in range(0, z.shape[1], AT_ONCE):
        some = z[:, k : k + AT_ONCE]
        m = _residual_product(fit, (f.T @ some) / weight) / weight
        total += float(((f @ m - own[:, None] * some) ** 2).sum())
        total += 2 * part.sign * float(left.alone @ (m**2).sum(axis=1))
        total += sum(sign * float(((other @ m) ** 2).sum()) for sign, other in others)
    return total if few else total / PROBES


def _alone_with_alone(fit: Additive, left: Residuals) -> float:
    """Return the products of battles outside clusters with each other.

    With :math:`X = D C D^T` and :math:`Y = D C B C D^T`, the off-diagonal entries of *M* are :math:`-N_p N_q ((g_p +
    g_q) X_{pq} - Y_{pq})`, and sums of products of *X* and *Y* over all pairs of pairs are traces of products of (n,
    n) matrices.
    """
    a, g, C = left.alone, fit.slope, fit.inverse
    none, one, two = (fit.laplacian(a * g**k) for k in range(3))
    through, bent = one @ C, none @ fit.bend
    cross = (
        2 * _trace(two @ C, none @ C) + 2 * _trace(through, through) - 4 * _trace(through, bent) + _trace(bent, bent)
    )
    itself = a * (2 * g * fit.across(C) - fit.across(fit.bend))
    square = left.alone / fit.weight**2 * _of_pair(fit)
    return cross - float(itself @ itself) + float((square**2 * (1 - 1 / np.maximum(left.number, 1.0))).sum())


def _trace(left: Array, right: Array) -> float:
    return float(np.einsum("ij,ji->", left, right))


def _residual_product(fit: Additive, x: Array) -> Array:
    """Return *M* times vectors, (p, k)."""
    D, N, g = fit.incidence, fit.weight[:, None], fit.slope[:, None]
    rest = N * (x - g * (D @ (fit.inverse @ (D.T @ (N * x)))))
    return np.asarray(rest - N * (D @ (fit.inverse @ (D.T @ (g * rest)))))


@dataclass(frozen=True, slots=True, repr=False)
class LackOfFit(Result):
    """Goodness of fit of the Bradley-Terry model.

    Attributes
    ----------
    agents, pairs, independent_cycles : int
        What was fitted; `independent_cycles` is the number of independent cycles of pairs, the degrees of freedom left by the fit.
    clusters : float
        Effective number of clusters; below 20 nothing is tested.
    statistic : float
        *Q*.
    level : float
        Confidence level.
    expected, deviation : float or None
        Its mean and standard deviation under the Bradley-Terry model; these and all below None where they cannot be
        determined.
    df : float or None
        Degrees of freedom of the chi-squared distribution with these moments.
    p_value : float or None
        Probability of a *Q* as large under the Bradley-Terry model.
    rms : float or None
        Root mean squared lack of fit of a pair, net of noise.
    rms_high : float or None
        Its upper limit with confidence `level`.
    noun : str
        What a cluster is called.
    """

    hidden: ClassVar[tuple[str, ...]] = ("noun",)

    agents: int
    pairs: int
    independent_cycles: int
    clusters: float
    statistic: float
    level: float
    expected: float | None = None
    deviation: float | None = None
    df: float | None = None
    p_value: float | None = None
    rms: float | None = None
    rms_high: float | None = None
    noun: str = "cluster"

    @property
    def significant(self) -> bool:
        """Whether the lack of fit is statistically significant."""
        return self.p_value is not None and self.p_value < 1 - self.level

    @property
    def defensible(self) -> bool | None:
        """Whether the goodness of fit supports the Bradley-Terry model; None where the data cannot tell.

        False when the lack of fit is significant and its root mean square above 3 percentage points; True when its
        upper confidence limit is at most that.
        """
        if self.p_value is None or self.rms is None or self.rms_high is None:
            return None
        if self.significant and self.rms > MATERIAL:
            return False
        return True if self.rms_high <= MATERIAL else None

    def _finding(self) -> str:
        """The result, as a sentence."""
        if self.p_value is None or self.rms is None or self.rms_high is None:
            return f"Whether a Bradley-Terry model fits cannot be determined: {self._why_not}."
        more = "significant" if self.p_value < 1 - self.level else "not significant"
        lies = f"net of noise its predictions are off by {_percentage_points(self.rms)} (root mean square), which is {more}"
        within = (
            f"{_p(self.p_value)}; at most {_percentage_points(self.rms_high)} at {confidence(self.level)} confidence"
        )
        return f"{self._verdict}: {lies} ({within})."

    @property
    def _why_not(self) -> str:
        if self.independent_cycles < 1:
            return "the compared pairs form no closed loop, and then any win rates fit"
        if self.clusters < FEW_CLUSTERS:
            return f"the win rates come from about {counted(round(self.clusters), self.noun)}, and {FEW_CLUSTERS} are needed"
        return f"the {self.noun}s leave no positive variance"

    @property
    def _verdict(self) -> str:
        if self.defensible is not None:
            return f"A Bradley-Terry model is {'' if self.defensible else 'not '}defensible"
        if self.significant:
            return "A Bradley-Terry model does not fit exactly, and the data cannot show whether that matters"
        return "Nothing contradicts a Bradley-Terry model, but the data cannot rule out that it misleads"


def _percentage_points(share: float) -> str:
    return f"{100 * share:.1f} percentage points"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


def lack_of_fit(fit: Additive, left: Residuals, off: Array, *, level: float, seed: int) -> LackOfFit:
    """Test the goodness of fit of the Bradley-Terry model, and measure the deviations.

    Parameters
    ----------
    fit : Additive
        The first-order expansion of the fit.
    left : Residuals
        Residuals by cluster.
    off : (p,) float
        Observed minus predicted rates.
    level : float
        Confidence level.
    seed : int
        Of the random vectors that estimate the variance where there are many pairs.
    """
    independent_cycles, clusters = len(off) - fit.n_agents + 1, effective_clusters(fit, left)
    statistic, total = float(fit.weight @ off**2), float(fit.weight @ (1 - own_share(fit, left)))
    untested = LackOfFit(fit.n_agents, len(off), independent_cycles, clusters, statistic, level)
    if independent_cycles < 1 or total <= 0:
        return untested
    single = moments(fit, left)
    mean, spread = single.mean, 2 * off_diagonal(fit, left, single, generator(seed))
    if min(mean, single.fitted, spread) <= 0:
        return untested
    df = 2 * single.fitted**2 / spread
    excess, variance, deviation = statistic - mean, 2 * mean**2 / df, float(mean * np.sqrt(2 / df))
    result = replace(untested, expected=mean, deviation=deviation, df=df, rms=float(np.sqrt(max(excess, 0.0) / total)))
    if clusters < FEW_CLUSTERS:
        return result
    slope = max(variance / (2 * mean), (variance_along(left, off) - single.own) / max(statistic, 1e-300))
    high = _upper(max(excess, -deviation), variance, slope, float(ndtri(level)))  # luck must not lower it
    p_value = float(gammaincc(df / 2, df / 2 * statistic / mean))
    return replace(result, p_value=p_value, rms_high=float(np.sqrt(max(high, 0.0) / total)))


def _upper(excess: float, variance: float, slope: float, z: float) -> float:
    r"""Return the :math:`\Delta` with :math:`\Delta - z \sqrt{v + 4 \lambda \Delta}` equal to the excess.

    >>> _upper(0.0, 4.0, 0.0, 1.5)
    3.0
    """
    middle = 2 * slope * z**2
    square = middle**2 + z**2 * max(variance + 4 * slope * excess, 0.0)
    return excess + middle + float(np.copysign(np.sqrt(square), z))
