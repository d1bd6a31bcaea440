"""Ladders with deviations against adaptive quadrature, finite differences and the whole integral."""

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from beatpath.inference.core.worlds.ladders import (
    NEAR_MODE,
    UPSET,
    PairWins,
    fit_ladder,
    free_edges,
    ladders_with_deviations,
    ladders_with_upsets,
    lattice_points,
    pair_integral,
    pure_ladders,
)
from beatpath.inference.core.worlds.sample_cores import _deviation, sample_cores

SCORES = [(5, 0, 0.3, 1.6), (3, 2, 0.0, 0.4), (60, 40, 0.5, 0.05), (0, 0, 0.4, 0.8), (2, 9, 1.0, 3.2)]


def one_pair(won, lost, gap, tau):
    made = pair_integral(np.array([float(won)]), np.array([float(lost)]), np.array([gap]), tau)
    return made.log_evidence[0], made.slope[0], made.curvature[0], made.positive[0]


@pytest.mark.parametrize(("won", "lost", "gap", "tau"), SCORES)
def test_the_integral_of_a_pair_agrees_with_adaptive_quadrature(won, lost, gap, tau):
    def density(x):
        score = -won * np.logaddexp(0, -x) - lost * np.logaddexp(0, x)
        return np.exp(score - (x - gap) ** 2 / (2 * tau**2)) / tau / np.sqrt(2 * np.pi)

    low, high = gap - 12 * tau, gap + 12 * tau
    total = quad(density, low, high, limit=400, points=[gap])[0]
    evidence, _, _, positive = one_pair(won, lost, gap, tau)
    assert evidence == pytest.approx(np.log(total), abs=1e-4)
    if low < 0 < high:
        assert positive == pytest.approx(quad(density, 0, high, limit=400)[0] / total, abs=1e-4)


@pytest.mark.parametrize(
    ("won", "lost", "gap", "tau"), [(1, 16_976, 18.9, 0.4), (337_423, 0, -8.8, 0.2), (4, 278_604, 7.8, 0.05)]
)
def test_the_integral_is_right_where_the_score_contradicts_the_gap(won, lost, gap, tau):
    """Against sums over a fine grid: the mode lies many standard deviations from the gap, and far from where it was sought."""
    x = np.linspace(gap - 60 * np.sign(gap), gap, 2_000_001)
    density = -won * np.logaddexp(0, -x) - lost * np.logaddexp(0, x) - (x - gap) ** 2 / (2 * tau**2)
    total = logsumexp(density) + np.log(abs(x[1] - x[0]) / tau / np.sqrt(2 * np.pi))
    for signs in (True, False):
        one = pair_integral(*(np.array([float(each)]) for each in (won, lost, gap)), tau, signs=signs)
        assert one.log_evidence[0] == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize(("won", "lost", "gap", "tau"), [*SCORES, (3, 2, 0.1, 0.0)])
def test_slope_and_curvature_are_the_derivatives_of_the_evidence(won, lost, gap, tau):
    h = 1e-3
    above, below = one_pair(won, lost, gap + h, tau), one_pair(won, lost, gap - h, tau)
    _, slope, curvature, _ = one_pair(won, lost, gap, tau)
    assert slope == pytest.approx((above[0] - below[0]) / (2 * h), abs=2e-3)
    assert curvature == pytest.approx(-(above[1] - below[1]) / (2 * h), abs=2e-3, rel=2e-3)


@pytest.mark.parametrize(
    ("won", "lost", "gap", "tau"), [(5, 0, 0.3, 0.8), (60, 40, 0.5, 0.05), (9, 90, 2.0, 1.0), (2, 9, 1, 2.0)]
)
def test_one_rule_for_narrow_deviations_agrees_with_adaptive_quadrature(won, lost, gap, tau):
    def density(x):
        score = -won * np.logaddexp(0, -x) - lost * np.logaddexp(0, x)
        return np.exp(score - (x - gap) ** 2 / (2 * tau**2)) / tau / np.sqrt(2 * np.pi)

    made = pair_integral(*(np.array([float(each)]) for each in (won, lost, gap)), tau, signs=False)
    low, high = gap - 12 * tau, gap + 12 * tau
    total = quad(density, low, high, limit=400, points=[gap], epsabs=0)[0]
    rate = quad(lambda x: density(x) * expit(x), low, high, limit=400, points=[gap], epsabs=0)[0] / total
    accuracy = 1e-6 if tau <= 1 else 1e-4
    assert made.log_evidence[0] == pytest.approx(np.log(total), abs=accuracy)
    assert made.slope[0] == pytest.approx(won - (won + lost) * rate, abs=10 * accuracy)
    assert np.isnan(made.positive[0])


def test_laplace_is_near_the_whole_integral_over_two_strengths():
    """The constant of the two normal densities is left out of neither."""
    data = PairWins(2, np.array([0]), np.array([1]), np.array([12.0]), np.array([8.0]))

    def density(y, x):
        score = -12 * np.logaddexp(0, y - x) - 8 * np.logaddexp(0, x - y)
        return np.exp(score - (x * x + y * y) / 2) / (2 * np.pi)

    whole = dblquad(density, -5, 5, -5, 5)[0]
    assert fit_ladder(data, 1.0, 0.0, np.zeros(2)).evidence == pytest.approx(np.log(whole), abs=0.02)


def test_small_deviations_have_the_evidence_of_none():
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(12, 1)
    won = rng.binomial(30, 0.5, len(a)).astype(float)
    data = PairWins(12, a, b, won, 30 - won)
    none = fit_ladder(data, 0.4, 0.0, np.zeros(12)).evidence
    assert fit_ladder(data, 0.4, 1e-3, np.zeros(12)).evidence == pytest.approx(none, abs=0.01)


def test_sparse_elimination_gives_what_dense_does():
    """The same ladder beside 400 agents who played once among themselves, pair by pair."""
    rng = np.random.default_rng(4)
    a, b = np.triu_indices(6, 1)
    won = rng.binomial(10, 0.6, len(a)).astype(float)
    few = PairWins(6, a, b, won, 10 - won)
    i = np.arange(6, 506, 2)
    more = PairWins(
        506, np.append(a, i), np.append(b, i + 1), np.append(won, np.ones(250)), np.append(10 - won, np.ones(250))
    )
    small, large = fit_ladder(few, 1.0, 0.0, np.zeros(6)), fit_ladder(more, 1.0, 0.0, np.zeros(506))
    one = fit_ladder(PairWins(2, np.array([0]), np.array([1]), np.ones(1), np.ones(1)), 1.0, 0.0, np.zeros(2))
    np.testing.assert_allclose(large.mode[:6], small.mode, atol=1e-3)
    assert large.evidence == pytest.approx(small.evidence + 250 * one.evidence, abs=1e-3)


def test_the_lattice_finds_a_narrow_ridge_and_its_mass():
    """A normal ridge between the points of the first lattice: cells add up to its integral over the prior."""
    centre, width = 0.37, 0.15
    points, cell = lattice_points(lambda p: -((p[0] - centre) ** 2) / (2 * width**2), (2.0,), ((-4.0, 4.0),))
    mass = sum(np.exp(-((x - centre) ** 2) / (2 * width**2) + cell) for (x,) in points)
    assert mass == pytest.approx(width * np.sqrt(2 * np.pi) / 8, rel=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_no_point_of_a_lattice_is_met_twice(seed):
    """Steps there and back end where they began, wherever that is: a point counted twice would weigh twice."""
    rng = np.random.default_rng(seed)
    start, tilt = rng.uniform(-1, 1, 2), rng.uniform(-0.9, 0.9)

    def value(p):
        return -4 * (p[0] ** 2 + p[1] ** 2 + 2 * tilt * p[0] * p[1])

    points, cell = lattice_points(value, tuple(start.tolist()), ((-3.0, 3.0), (-3.0, 3.0)))
    assert len({tuple(np.round(point, 6)) for point in points}) == len(points)
    mass = sum(np.exp(value(point) + cell) for point in points)
    assert mass == pytest.approx(np.pi / 4 / np.sqrt(1 - tilt**2) / 36, rel=0.3)


def test_the_kind_that_made_the_counts_has_the_most_evidence():
    rng = np.random.default_rng(0)
    a, b = np.triu_indices(20, 1)
    theta = rng.normal(size=20)
    gap, noise = theta[a] - theta[b], rng.normal(size=len(a))
    for x, best in ((gap, "ladder"), (gap + 0.7 * noise, "deviations"), (noise, "free")):
        won = rng.binomial(100, 1 / (1 + np.exp(-x))).astype(float)
        data = PairWins(20, a, b, won, 100 - won)
        pure = pure_ladders(data)
        kinds = {"ladder": pure, "deviations": ladders_with_deviations(data, pure), "free": free_edges(data)}
        evidence = {
            name: np.logaddexp.reduce([one.evidence + log_prior for one, log_prior in made])
            for name, made in kinds.items()
        }
        assert max(evidence, key=evidence.get) == best


def test_the_evidence_of_a_ladder_with_upsets_is_an_integral_over_strengths():
    """Two agents: one gap, normal with twice the variance of a strength, and a mean of two likelihoods."""
    won, lost, s, share = 12.0, 5.0, 0.7, 0.2
    pair = PairWins(2, np.array([0]), np.array([1]), np.array([won]), np.array([lost]))
    gap = np.linspace(-8, 8, 1601)
    density = np.exp(-(gap**2) / (4 * s**2)) / (2 * s * np.sqrt(np.pi))
    on = expit(gap) ** won * expit(-gap) ** lost
    off = np.array([(on * np.exp(-((gap - d) ** 2) / (2 * UPSET**2))).sum() for d in gap]) / (
        UPSET * np.sqrt(2 * np.pi)
    )
    step = gap[1] - gap[0]
    exact = np.log((density * ((1 - share) * on + share * off * step)).sum() * step)
    assert fit_ladder(pair, s, UPSET, np.zeros(2), share).evidence == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_many_upsets_end_as_near_to_the_mode_as_the_evidence_needs(seed):
    """The mode by scipy's BFGS; steps by curvatures without their negative part end three times as far from it."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(20, 1)
    theta, upset = rng.normal(size=20), rng.random(len(a)) < 0.5
    won = rng.binomial(400, expit(theta[a] - theta[b] + upset * rng.normal(0, UPSET, len(a)))).astype(float)
    data = PairWins(20, a, b, won, 400 - won)
    made = fit_ladder(data, 1.0, UPSET, fit_ladder(data, 1.0, 0.5, np.zeros(20)).mode, 0.5)

    def loss(x):
        pairs = pair_integral(data.won, data.lost, x[a] - x[b], UPSET, 0.5)
        gradient = np.bincount(a, pairs.slope, 20) - np.bincount(b, pairs.slope, 20) - x
        return x @ x / 2 - pairs.log_evidence.sum(), -gradient

    mode = minimize(loss, made.mode, jac=True, method="BFGS", options={"gtol": 1e-7}).x
    assert made.mode == pytest.approx(mode, abs=NEAR_MODE)
    assert (made.curvature >= 0).all()


def test_one_upset_on_a_ladder_is_recovered_and_leaves_the_ladder_where_it_is():
    """Twelve agents half a log odd apart; the best loses two of three battles to the fourth."""
    a, b = np.triu_indices(12, 1)
    x = 0.5 * (b - a)
    x[(a == 0) & (b == 3)] = -0.7
    won = np.rint(100 * expit(x))
    data = PairWins(12, a, b, won, 100 - won)
    pure = pure_ladders(data)
    noisy = ladders_with_deviations(data, pure)
    kinds = {"ladder": pure, "deviations": noisy, "upsets": ladders_with_upsets(data, noisy)}
    total = {name: np.logaddexp.reduce([one.evidence + prior for one, prior in made]) for name, made in kinds.items()}
    assert total["upsets"] > max(total["ladder"], total["deviations"]) + 3
    best = max((one for one, _ in kinds["upsets"]), key=lambda one: one.evidence)
    inside = sample_cores(data, best, 400, np.random.default_rng(0)).mean(axis=0)
    assert (inside[:4] > 0.9).all()
    assert (inside[4:] < 0.05).all()


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("signs", [True, False])
def test_moments_of_a_pair_are_those_of_adaptive_quadrature(seed, signs):
    """Slope and curvature by the mean and the variance of x given the score: many battles or few, gaps near 0 and far."""
    rng = np.random.default_rng(seed)
    battles, gap, tau = int(10 ** rng.uniform(0, 3)), rng.normal(0, 1.5), float(np.exp(rng.uniform(-1.5, 1.1)))
    won = int(rng.binomial(battles, expit(gap + tau * rng.normal())))

    def log_density(x):
        return -won * np.logaddexp(0, -x) - (battles - won) * np.logaddexp(0, x) - (x - gap) ** 2 / (2 * tau**2)

    mode = minimize(lambda x: -log_density(x[0]), [gap]).x[0]
    width = 1 / np.sqrt(1 / tau**2 + battles * expit(mode) * expit(-mode))
    ends = mode - 12 * max(width, 0.1), mode + 12 * max(width, 0.1)

    def moment(power, low=ends[0]):
        points = [p for p in (mode - width, mode, mode + width) if low < p]
        whole = (lambda x: np.exp(log_density(x) - log_density(mode)) * (x - gap) ** power, low, ends[1])
        return quad(*whole, points=points, limit=400)[0]

    total = moment(0)
    mean, square = moment(1) / total, moment(2) / total
    made = pair_integral(*(np.array([float(each)]) for each in (won, battles - won, gap)), tau, signs=signs)
    log_total = np.log(total) + log_density(mode) - np.log(tau * np.sqrt(2 * np.pi))
    assert made.log_evidence[0] == pytest.approx(log_total, abs=1e-3)
    assert made.slope[0] == pytest.approx(mean / tau**2, rel=1e-3, abs=2e-3)
    curvature = 1 / tau**2 - (square - mean**2) / tau**4
    assert made.curvature[0] == pytest.approx(curvature, rel=3e-3, abs=3e-3 / tau**2)
    assert _deviation(made, tau)[0] == pytest.approx(np.sqrt(square - mean**2), rel=0.01)
    if signs and ends[0] < 0 < ends[1]:
        assert made.positive[0] == pytest.approx(moment(0, 0.0) / total, abs=1e-4)
