r"""Ladders with deviations: Bradley-Terry models in which pairs may deviate.

.. math::
    \operatorname{logit} p_{ab} = x_{ab} = \theta_a - \theta_b + e_{ab}, \qquad
    \theta_a \sim N(0, s^2), \quad e_{ab} \sim (1 - \pi) \, 0 + \pi N(0, \tau^2).

:math:`\tau = 0` is Bradley-Terry, :math:`s = 0` gives free edges (independent pairs), and a small :math:`\pi` a ladder
with a few upsets. Deviations are integrated out pair by pair (quadrature), strengths by Laplace's approximation. The
priors of :math:`\log_2 s`, :math:`\log_2 \tau` and :math:`\log_2 \pi` are uniform within bounds, and the evidence is
summed over a lattice that is as fine as the evidence is sharp.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky
from scipy.sparse.linalg import splu

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import Laplacian, laplacian_matrix
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import Prior, Terms, TieModel

HALVES = np.polynomial.legendre.leggauss(16)  # Gauss-Legendre nodes and weights on each side of the split
# Gauss-Hermite nodes and weights for standard deviations of deviations up to a bound: log evidence of up to 1000 battles
# errs by 1e-6 up to 1 and by 1e-4 up to 2, Gauss-Legendre with twice the nodes by 2e-5 and 5e-4
WHOLE = tuple(
    (most, (z, w * np.exp(z**2 / 2)))
    for most, (z, w) in ((1.0, np.polynomial.hermite_e.hermegauss(12)), (2.0, np.polynomial.hermite_e.hermegauss(16)))
)
STANDARD_DEVIATIONS = 6.5  # half-width of the quadrature around the mode; the tails beyond are negligible
STEPS = 40  # most Newton steps for the strengths
# distance from the mode, in log odds, at which integrals are last evaluated; the evidence errs by its square
NEAR_MODE = 1e-3
# Climbs to the mode of a mixture: least curvature of a pair, distance from the mode at the end, most steps. Near it the
# true curvature takes 10 to 15 integrals of 85,137 pairs instead of 22 to 35.
CLIMBS = ((0.0, 0.03, STEPS), (-np.inf, NEAR_MODE, 10), (0.0, NEAR_MODE, STEPS))
SMALL_STEP = 1e-2  # size of a step to the mode of a pair after which the next is negligible, about its cube
# Pairs integrated together: their nodes fit into the processor's cache, ten times as fast as 170,000 at once
BLOCK = 4096
# agents from which the lattice is coarser, and share of pairs below which elimination is sparse
MANY, SPARSE = 400, 0.02
S_BOUNDS = (float(np.log2(0.15)), float(np.log2(6.4)))  # prior range of log2 s; more similar strengths count as equal
TAU_BOUNDS = (float(np.log2(0.05)), float(np.log2(3.2)))  # prior range of log2 tau for deviations of all pairs
# prior range of log2 tau for free edges; pairs with smaller differences form no cycle
FREE_BOUNDS = (float(np.log2(0.4)), float(np.log2(3.2)))
UPSET = 0.8  # standard deviation of upsets in log odds: the better of an even pair wins 63 % on average
SHARE_BOUNDS = (-6.0, -1.0)  # prior range of log2 of the share of deviating pairs
# log evidence: drop to both neighbors at which a step is halved, smallest step, drop at which points are ignored
SHARP, FINEST, NEAR = 2.0, 1 / 32, 6.0
EXACT = 1 << 20  # coordinates of a lattice are multiples of one over this, so that steps add up without rounding
COARSE, NEAR_OF_MANY = 1 / 4, 0.1  # smallest step, and drop at which points are ignored, for many agents
# log evidence below another model, plus per pair, at which no finer step helps: half an octave of tau costs about
# 0.12 a pair
HOPELESS, HOPELESS_PAIR = 50.0, 0.15

Point = tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PairWins:
    """Pairs compared directly, each once: agents *a* and *b* of *n*, and the (effective) battles each won.

    `shared` is the standard deviation, in log odds, of an error that all battles of an agent have in common.
    """

    n: int
    a: Ints
    b: Ints
    won: Floats
    lost: Floats
    shared: float = 0.0

    @property
    def share_compared(self) -> float:
        """Share of all pairs compared directly."""
        return 2 * len(self.a) / (self.n * (self.n - 1))


# -- one pair -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class PairIntegral:
    r"""For each pair, given its gap: log evidence, slope and curvature in the gap, and :math:`\Pr(x > 0)` or NaN."""

    log_evidence: Floats
    slope: Floats
    curvature: Floats
    positive: Floats


def pair_integral(
    won: Floats, lost: Floats, gap: Floats, tau: float, share: float = 1.0, *, signs: bool = True
) -> PairIntegral:
    r"""Integrate out the deviation of each pair.

    .. math::  Z(\delta) = \int \sigma(x)^w \sigma(-x)^l \, N(x; \delta, \tau^2) \, dx

    by two Gauss-Legendre rules that join at 0 (at the mode where 0 is far), over the mode plus and minus 6.5 standard
    deviations; without `signs` by one Gauss-Hermite rule where deviations are small, and :math:`\Pr(x > 0)` is NaN. With p = sigma(x) given the score and N battles, :math:`(\log Z)' = w - N E p` and

    .. math::  -(\log Z)'' = N E[p (1 - p)] - N^2 \operatorname{Var} p = 1 / \tau^2 - \operatorname{Var} x / \tau^4 ,

    the first for small deviations, the second for large ones: the other form cancels catastrophically. With a `share`
    of deviating pairs, Z is the mixture of this and the likelihood at the gap itself, and may not be log-concave.

    Examples
    --------
    One win, no gap: by symmetry it had probability one half, and the winner is now more likely the better.

    >>> one = pair_integral(np.array([1.0]), np.array([0.0]), np.zeros(1), 1.0)
    >>> float(np.exp(one.log_evidence[0]).round(6)), bool(one.positive[0] > 0.6)
    (0.5, True)
    """
    if share < 1:
        on, off = (pair_integral(won, lost, gap, each, signs=signs) for each in (0.0, tau))
        return _mixed_integral(on, off, deviation_probability(off.log_evidence - on.log_evidence, share), share)
    battles = won + lost
    if tau == 0:
        p = _sigmoid(gap)
        log_evidence = -battles * softplus(-gap) - lost * gap
        return PairIntegral(log_evidence, won - battles * p, battles * p * (1 - p), (gap > 0) + 0.5 * (gap == 0))
    starts = range(0, max(len(gap), 1), BLOCK)
    whole = None if signs else next((rule for most, rule in WHOLE if tau <= most), None)
    blocks = [_by_quadrature(*(each[i : i + BLOCK] for each in (won, lost, gap)), tau=tau, whole=whole) for i in starts]
    fields = ("log_evidence", "slope", "curvature", "positive")
    return PairIntegral(*(np.concatenate([getattr(block, name) for block in blocks]) for name in fields))


def _by_quadrature(
    won: Floats, lost: Floats, gap: Floats, *, tau: float, whole: tuple[Floats, Floats] | None
) -> PairIntegral:
    r"""Integrate over deviations with a standard deviation `tau` above zero, by a `whole` rule or halves; see `pair_integral`.

    Nodes are those of y = -x: then :math:`p = 1 / (1 + e^y)`, and the log of the integrand is a parabola in y less
    :math:`N \log(1 + e^y)`.
    """
    battles = won + lost
    mode, sd = _pair_mode(won, lost, gap, tau)
    nodes, weights = whole or HALVES
    center, half = -mode[None], sd[None]
    if whole is None:
        low, high = -mode - STANDARD_DEVIATIONS * sd, -mode + STANDARD_DEVIATIONS * sd
        astride = (low < 0) & (high > 0)
        middle = np.where(astride, 0.0, -mode)
        center, half = np.stack([low + middle, middle + high]) / 2, np.stack([middle - low, high - middle]) / 2
    y = half[:, None] * nodes[:, None] + center[:, None]  # (1 or 2, nodes, pairs)
    odds = np.exp(y)
    odds += 1
    height = y * (-1 / (2 * tau**2))
    height += lost - gap / tau**2
    height *= y
    height -= np.multiply(battles, np.log(odds, out=y), out=y)
    top = height.max(axis=(0, 1))  # not at the mode, which is not exact to the last digit with billions of battles
    mass = np.exp(np.subtract(height, top, out=height), out=height)
    each, first, second = (weights * nodes ** np.arange(3)[:, None] @ mass).swapaxes(0, 1) * half
    total, add = np.add.reduce(each), np.add.reduce  # over one rule or two halves
    mass /= odds
    rate = add((weights @ mass) * half) / total
    mass /= odds
    rate_variance = add((weights @ mass) * half) / total - rate**2
    far = center + mode  # moments of y about the mode, from those of the nodes
    mean = add(far * each + half * first) / total
    variance = add(far**2 * each + 2 * far * half * first + half**2 * second) / total - mean**2
    by_rate = battles * (rate * (1 - rate) - rate_variance) - battles**2 * rate_variance
    curvature = np.where(variance > tau**2 / 2, by_rate, 1 / tau**2 - variance / tau**4)
    return PairIntegral(
        top + np.log(total) - gap**2 / (2 * tau**2) - np.log(tau * np.sqrt(2 * np.pi)),
        won - battles * rate,
        np.maximum(curvature, 0.0),
        np.where(astride, each[0] / total, mode > 0) if whole is None else np.full(len(gap), np.nan),
    )


def softplus(x: Floats) -> Floats:
    """Return log(1 + exp(x)), twenty times as fast as `numpy.logaddexp`."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def _sigmoid(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)), three times as fast as `scipy.special.expit`; no log odds are large enough to overflow."""
    return 1 / (1 + np.exp(-x))


def deviation_probability(log_ratio: Floats, share: float) -> Floats:
    """Return the probability that a pair deviates, given its log likelihood ratio with over without a deviation."""
    return 0.5 + 0.5 * np.tanh((log_ratio + float(np.log(share / (1 - share)))) / 2)  # as `expit`, a fifth of its time


def _mixed_integral(on: PairIntegral, off: PairIntegral, r: Floats, share: float) -> PairIntegral:
    """Mix pairs on the ladder and off it, with probability `r` off; the curvature may be negative."""
    curvature = (1 - r) * on.curvature + r * off.curvature - r * (1 - r) * (on.slope - off.slope) ** 2
    without, more = on.log_evidence + np.log1p(-share), off.log_evidence - on.log_evidence + np.log(share / (1 - share))
    return PairIntegral(
        without + softplus(more),
        (1 - r) * on.slope + r * off.slope,
        curvature,
        (1 - r) * on.positive + r * off.positive,
    )


def _pair_mode(won: Floats, lost: Floats, gap: Floats, tau: float) -> tuple[Floats, Floats]:
    """Return the mode of x for each pair, by Halley's method, and the standard deviation there."""
    battles, precision = won + lost, 1 / tau**2
    share = battles * (won + 0.5) * (lost + 0.5) / (battles + 1) ** 2
    x = (share * np.log((won + 0.5) / (lost + 0.5)) + gap * precision) / (share + precision)
    for _ in range(STEPS):
        p = _sigmoid(x)
        information = battles * p * (1 - p)
        curvature = information + precision
        step = (won - battles * p - (x - gap) * precision) / curvature
        step = np.minimum(np.maximum(step, -2.0), 2.0)
        step /= np.maximum(1 + step * information * (0.5 - p) / curvature, 0.5)
        x = x + step
        if np.abs(step).max(initial=0.0) < SMALL_STEP:
            break
    return x, 1 / np.sqrt(curvature)


# -- all pairs, one (s, tau) ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    r"""Strengths under one (s, tau, share): their mode, the curvature of each pair there, and the Laplace evidence.

    Strengths have the errors that battles of an agent share, and *s* is the standard deviation of both together.

    .. math::  \sum_p \log Z_p - \frac{|\hat\theta|^2}{2 s^2} - n \log s - \tfrac12 \log |H|,
        \quad H = \sum_p -(\log Z_p)'' (e_a - e_b)(e_a - e_b)' + I / s^2 .
    """

    s: float
    tau: float
    mode: Floats
    curvature: Floats
    evidence: float
    share: float = 1.0


def fit_ladder(data: PairWins, s: float, tau: float, start: Floats, share: float = 1.0) -> Ladder:
    """Find the mode by Newton's method; the objective is concave where all pairs deviate, since each Z is log-concave.

    Otherwise it climbs with negative curvatures set to 0, whose steps are short, until the true ones lead to the mode.

    Examples
    --------
    Nine wins to one put the winner above, shrunk toward the other by the prior.

    >>> pair = PairWins(2, np.array([0]), np.array([1]), np.array([9.0]), np.array([1.0]))
    >>> fit_ladder(pair, 1.0, 0.0, np.zeros(2)).mode.round(1)
    array([ 0.8, -0.8])
    """
    s = float(np.hypot(s, data.shared))
    if s == 0:
        integral = pair_integral(data.won, data.lost, np.zeros(len(data.a)), tau, signs=False)
        return Ladder(s, tau, np.zeros(data.n), integral.curvature, float(integral.log_evidence.sum()))
    terms = _DeviatingPairs(tau, share)
    rows = decided(data.n, data.a, data.b, data.won, data.won + data.lost)
    for terms.least, flat, most in CLIMBS if share < 1 else CLIMBS[-1:]:
        ended = fit_pairs(rows, TieModel(terms), Prior(precision=s**-2), start=start, flat=flat, max_iter=most).ended
        start = ended.x
        if ended.converged and flat == NEAR_MODE:
            break
    mode = ended.x - ended.step if ended.converged else ended.x  # where the integrals were last evaluated
    curvature = np.maximum(terms.last.curvature, 0.0)
    evidence = ended.value - data.n * float(np.log(s)) - _log_det(data, curvature, s) / 2
    return Ladder(s, tau, mode, curvature, evidence, share)


class _DeviatingPairs:
    """The likelihood of gaps with deviations integrated out, and curvatures of at least `least`.

    Caches the last integrals, which are slow.
    """

    def __init__(self, tau: float, share: float) -> None:
        self.tau, self.share, self.least = tau, share, 0.0
        self.last: PairIntegral

    def __call__(self, gap: Floats, _: float, counts: Floats) -> Terms:
        self.last = pair_integral(counts[:, 0], counts[:, 1], gap, self.tau, self.share, signs=False)
        curvature = np.maximum(self.last.curvature, self.least)
        return Terms(float(self.last.log_evidence.sum()), self.last.slope, curvature)


def _log_det(data: PairWins, curvature: Floats, s: float) -> float:
    """Return log |H|, by sparse elimination for many agents with few pairs."""
    n = data.n
    if n > MANY and 2 * len(data.a) < SPARSE * n * n:
        H = Laplacian(n, data.a, data.b, curvature, np.full(n, s**-2)).sparse().tocsc()
        lu = splu(H, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
        return float(np.log(np.abs(lu.U.diagonal())).sum())
    factor = cholesky(ladder_precision(data, curvature, s), lower=True, check_finite=False)
    return 2 * float(np.log(np.diag(factor)).sum())


def ladder_precision(data: PairWins, curvature: Floats, s: float) -> Floats:
    """Return H, (n, n).

    >>> pair = PairWins(2, np.array([0]), np.array([1]), np.array([1.0]), np.array([1.0]))
    >>> ladder_precision(pair, np.array([0.5]), 1.0)
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    """
    return laplacian_matrix(data.n, data.a, data.b, curvature, s**-2)


# -- where on the plane of (s, tau) the evidence lies -----------------------------------------------------------------------

Weighed = list[tuple[Ladder, float]]
Bounds = tuple[tuple[float, float], ...]
Settings = Callable[..., tuple[float, float, float]]  # from a lattice point to s, tau and share


def _weighed(
    data: PairWins, mode: Floats, settings: Settings, starts: Sequence[Point], bounds: Bounds, least: float = -np.inf
) -> Weighed:
    """Return the ladders at the lattice points that matter, each with its log prior.

    `settings` returns s, tau and share at a point. The search begins at the start that is most likely with strengths at
    `mode`, and every fit at the last mode; with few upsets there are several modes, and all begin at a fit that allows
    many.
    """
    fits: dict[Point, Ladder] = {}

    def at(point: Point) -> Ladder:
        nonlocal mode
        if point not in fits:
            s, tau, share = settings(*point)
            fits[point] = fit_ladder(data, s, tau, mode, share)
            mode = fits[point].mode if s and share == 1 else mode
        return fits[point]

    begin, gap = starts[0], mode[data.a] - mode[data.b]
    if len(starts) > 1:
        begin = max(starts, key=lambda point: _log_likelihood(data, gap, *settings(*point)[1:]))
    coarse = data.n > MANY and settings(*begin)[0] > 0  # free edges (s = 0) take no time
    points, cell = lattice_points(lambda point: at(point).evidence, begin, bounds, coarse, least)
    return [(at(point), cell) for point in points]


def _log_likelihood(data: PairWins, gap: Floats, tau: float, share: float) -> float:
    return float(pair_integral(data.won, data.lost, gap, tau, share, signs=False).log_evidence.sum())


def pure_ladders(data: PairWins) -> Weighed:
    """Return ladders without deviations, each with its log prior."""
    return _weighed(data, np.zeros(data.n), lambda x: (2**x, 0.0, 1.0), [(0.0,)], (S_BOUNDS,))


def ladders_with_deviations(data: PairWins, pure: Weighed, floor: float = -np.inf) -> Weighed:
    """Return ladders with deviations, each with its log prior; the search starts at the best pure ladder.

    `floor` is the log evidence of another model: where this one is so far below that refinement cannot reach it, the
    lattice is not refined.
    """
    best, least = _most_evident(pure), floor - HOPELESS - HOPELESS_PAIR * len(data.a)
    starts = [(float(np.log2(best.s)), float(y)) for y in range(-4, 2)]
    return _weighed(data, best.mode, lambda x, y: (2**x, 2**y, 1.0), starts, (S_BOUNDS, TAU_BOUNDS), least)


def ladders_with_upsets(data: PairWins, noisy: Weighed) -> Weighed:
    """Return ladders with a few deviating pairs, each with its log prior; starts at the best of `noisy`."""
    best = _most_evident(noisy)
    s = float(np.clip(np.log2(best.s), *S_BOUNDS))
    starts = [(s, float(y)) for y in range(-6, 0)]
    return _weighed(data, best.mode, lambda x, y: (2**x, UPSET, 2**y), starts, (S_BOUNDS, SHARE_BOUNDS))


def free_edges(data: PairWins) -> Weighed:
    """Return free edges with normal log odds, each with its log prior."""
    return _weighed(data, np.zeros(data.n), lambda y: (0.0, 2**y, 1.0), [(float(np.log2(0.8)),)], (FREE_BOUNDS,))


def _most_evident(models: Weighed) -> Ladder:
    return max((one for one, _ in models), key=lambda one: one.evidence)


def lattice_points(
    value: Callable[[Point], float], start: Point, bounds: Bounds, many: bool = False, least: float = -np.inf
) -> tuple[list[Point], float]:
    """Return the lattice points that matter, and the log prior mass of a cell.

    Coordinate ascent finds the highest point of a lattice with unit steps; where both neighbors are lower by more than
    `SHARP` the step is halved; then all connected points within `NEAR` of the best are collected. With `many` agents
    steps stay coarse and little but the best is collected. Where the first ascent ends below `least`, steps are not
    halved.

    Examples
    --------
    >>> points, cell = lattice_points(lambda p: -3 * p[0] ** 2, (2.0,), ((-4.0, 4.0),))
    >>> sorted(points), float(np.exp(cell))
    ([(-1.0,), (-0.5,), (0.0,), (0.5,), (1.0,)], 0.0625)
    """
    step = [1.0] * len(start)
    start = tuple(round(x * EXACT) / EXACT for x in start)  # else a point reached in two ways may be two points

    def near(point: Point, axis: int) -> list[Point]:
        low, high = bounds[axis]
        tried = [tuple(x + way * step[axis] * (k == axis) for k, x in enumerate(point)) for way in (-1, 1)]
        return [other for other in tried if low - 1e-9 <= other[axis] <= high + 1e-9]

    best, sharp = start, list(range(len(start)))
    while sharp:
        best = _coordinate_ascent(value, best, near)
        if value(best) < least:
            break
        finest = COARSE if many else FINEST
        sharp = [
            axis
            for axis in range(len(start))
            if step[axis] > finest and all(value(point) < value(best) - SHARP for point in near(best, axis))
        ]
        for axis in sharp:
            step[axis] /= 2
    points, waiting, height = [best], [best], value(best) - (NEAR_OF_MANY if many else NEAR)
    while waiting:
        here = waiting.pop()
        for point in (other for axis in range(len(start)) for other in near(here, axis)):
            if point not in points and value(point) > height:
                points.append(point)
                waiting.append(point)
    return points, float(sum(np.log(step[k] / (high - low)) for k, (low, high) in enumerate(bounds)))


def _coordinate_ascent(
    value: Callable[[Point], float], start: Point, near: Callable[[Point, int], list[Point]]
) -> Point:
    """Return a local maximum along the axes."""
    best, moved = start, True
    while moved:
        moved = False
        for axis in range(len(start)):
            while value(top := max(near(best, axis), key=value)) > value(best):
                best, moved = top, True
    return best
