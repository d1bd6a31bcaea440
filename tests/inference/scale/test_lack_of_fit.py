"""Lack of fit: its upper limit by solving the equation it stands for, and by how often it holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import chi2, norm

import beatpath as bp
from beatpath.inference.scale import lack_of_fit
from beatpath.inference.scale import lack_of_fit as scale_lack_of_fit
from beatpath.inference.scale.lack_of_fit import (
    MATERIAL,
    LackOfFit,
    _upper,
    additive,
    effective_clusters,
    moments,
    off_diagonal,
    own_share,
    residual_variance,
    variance_along,
)
from beatpath.inference.scale.projection import bradley_terry_projection
from beatpath.inference.win_rates.residuals import residuals
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.tastes import battles, clusters_of, every_pair, logistic, named, residuals_by_cluster, tasted


def by_definition(battles, pairwise, slope, predicted, codes):
    """Dense matrices of the module's formulas: errors by cluster with sign, M, H and the covariance of the rates."""
    p, n, N = len(pairwise.a), len(pairwise.agents), pairwise.weight
    D = np.zeros((p, n))
    D[np.arange(p), pairwise.a], D[np.arange(p), pairwise.b] = 1, -1
    A = D.T @ np.diag(N * slope) @ D
    C = np.linalg.pinv(A)
    H = np.diag(slope) @ D @ C @ D.T @ np.diag(N)
    M = (np.eye(p) - H).T @ np.diag(N) @ (np.eye(p) - H)
    errors = [(sign, *residuals_by_cluster(battles, pairwise, predicted, code)) for sign, code in codes]
    return D, A, C, H, M, errors


def sampled(rng, two_way=False):
    """A few agents, 60 battles in 12 clusters and 8 judges, some tied."""
    n, rows = 5, 60
    a, b = rng.integers(n, size=rows), rng.integers(1, n, size=rows)
    b = (a + b) % n
    factors = {
        "cluster": bp.Factor.of(f"{c:02d}" for c in rng.permutation(np.arange(rows) // 5)),
        "judge": bp.Factor.of(str(c) for c in rng.integers(8, size=rows)),
    }
    battles = bp.Battles(named(n), a, b, rng.choice([0, 0.5, 1.0], size=rows), factors=factors)
    pairwise = win_rate_inference(battles, cluster=("cluster", "judge") if two_way else "cluster")
    codes = [(1.0, clusters_of(battles, "cluster"))]
    if two_way:
        judge = clusters_of(battles, "judge")
        both = [10 * i + j for i, j in zip(codes[0][1], judge, strict=True)]
        codes += [(1.0, judge), (-1.0, np.unique(both, return_inverse=True)[1].tolist())]
    return battles, pairwise, codes


@given(st.floats(0, 5), st.floats(0.1, 5), st.floats(0, 3), st.floats(0.1, 3))
def test_the_upper_limit_solves_its_equation(excess, variance, slope, z):
    def short(delta):
        return delta - z * np.sqrt(variance + 4 * slope * delta) - excess

    assert _upper(excess, variance, slope, z) == pytest.approx(brentq(short, excess, 1e4, xtol=1e-12), rel=1e-9)


@given(st.floats(0, 5), st.floats(0.1, 5), st.floats(0, 3), st.floats(0.1, 3))
def test_below_even_odds_the_limit_solves_it_from_the_other_side(excess, variance, slope, z):
    low = _upper(excess, variance, slope, -z)
    assert low <= excess
    if variance + 4 * slope * low > 0:
        assert low + z * np.sqrt(variance + 4 * slope * low) == pytest.approx(excess, abs=1e-9)


def ring(won, battles, n=3):
    """Every agent beats the next half of the cycle as often as given."""
    a, b = np.triu_indices(n, 1)
    ahead = (b - a) % n <= n // 2
    wins = np.where(ahead, won, battles - won)
    counts = np.stack([wins, battles - wins, 0 * wins, 0 * wins], axis=1)
    return win_rate_inference(bp.Pairs(tuple(f"agent{k:02d}" for k in range(n)), a, b, counts))


def test_a_cycle_of_equal_edges_has_the_statistic_and_moments_of_its_binomials():
    """Strengths are all zero, so every pair is off by the same; fitting takes up two of the three degrees of freedom."""
    lack_of_fit = bradley_terry_projection(ring(60, 100)).lack_of_fit
    assert lack_of_fit.statistic == pytest.approx(3 * 100 * 0.1**2)
    assert lack_of_fit.independent_cycles == 1
    # the cycle's share, a third, of three binomial variances, each battle left out of its own prediction (leverage 2 / 3N)
    assert lack_of_fit.expected == pytest.approx(0.25 / (1 - 2 / 300))
    assert bradley_terry_projection(ring(6, 8)).lack_of_fit.expected == pytest.approx(0.25 / (1 - 2 / 24))
    assert lack_of_fit.df == pytest.approx(1, rel=0.1)
    assert lack_of_fit.p_value == pytest.approx(
        chi2.sf(lack_of_fit.statistic / lack_of_fit.expected * lack_of_fit.df, lack_of_fit.df), rel=1e-6
    )
    assert lack_of_fit.rms == pytest.approx(
        np.sqrt((lack_of_fit.statistic - lack_of_fit.expected) / (300 * 0.99)), rel=1e-6
    )


@pytest.mark.parametrize(("won", "battles"), [(500, 1000), (530, 1000)])
def test_the_upper_limit_holds_as_often_as_it_says(won, battles):
    """The lack of fit of a true cycle of the given size, simulated a thousand times."""
    truth = won / battles - 0.5
    rng, draws = np.random.default_rng(won), 1000
    held = 0
    for wins in rng.binomial(battles, [won / battles, 1 - won / battles, won / battles], size=(draws, 3)):
        counts = [[w, battles - w, 0, 0] for w in wins.tolist()]
        win_rates = win_rate_inference(bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], counts))
        held += bradley_terry_projection(win_rates).lack_of_fit.rms_high >= truth
    assert held / draws >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / draws)
    if truth:
        assert held / draws <= 0.95 + 3 * np.sqrt(0.95 * 0.05 / draws) + 0.02


def of(p_value, rms, rms_high):
    return LackOfFit(3, 3, 1, 300.0, 1.0, 0.95, 0.5, 0.1, 1.0, p_value, rms, rms_high)


@pytest.mark.parametrize(
    ("p_value", "rms", "rms_high", "fair"),
    [
        (0.01, 2 * MATERIAL, 3 * MATERIAL, False),
        (0.01, MATERIAL / 3, MATERIAL / 2, True),  # beyond noise, and too small to matter
        (0.01, MATERIAL / 2, 2 * MATERIAL, None),
        (0.20, 2 * MATERIAL, 3 * MATERIAL, None),
        (0.20, 0.0, MATERIAL, True),
        (0.05 + 1e-9, 2 * MATERIAL, 3 * MATERIAL, None),
        (None, None, None, None),
    ],
)
def test_a_bradley_terry_model_is_judged_by_size_and_by_noise(p_value, rms, rms_high, fair):
    lack_of_fit = of(p_value, rms, rms_high)
    assert lack_of_fit.defensible is fair
    assert lack_of_fit.significant == (p_value is not None and p_value < 0.05)


def test_sentences_say_size_chance_and_limit():
    sentence = of(0.0004, 0.0512, 0.061).sentences[0]
    assert sentence == (
        "A Bradley-Terry model is not defensible: net of noise its predictions are off by 5.1 percentage points (root mean square), which is significant "
        "(p < 0.001; at most 6.1 percentage points at 95 % confidence)."
    )
    assert "p = 0.2;" in of(0.2, 0.01, 0.02).sentences[0]
    assert "does not fit exactly" in of(0.01, 0.01, 0.06).sentences[0]
    assert "cannot rule out" in of(0.2, 0.01, 0.06).sentences[0]


@pytest.mark.parametrize("p_value", [0.0004, 0.049, 0.051, 0.37, 0.9])
def test_noise_explains_what_is_not_significant(p_value):
    """A lack of fit with p = 0.37 is not reported to be beyond noise."""
    sentence = of(p_value, 0.04, 0.06).sentences[0]
    assert ("not significant" in sentence) == (p_value >= 0.05)
    assert "beyond noise" not in sentence


def test_an_untestable_fit_is_reported_with_its_reason():
    assert "pairs form no closed loop" in LackOfFit(3, 2, 0, 300.0, 0.0, 0.95).sentences[0]
    assert "about 12 clusters, and 20 are needed" in LackOfFit(3, 3, 1, 12.2, 0.0, 0.95).sentences[0]
    assert "no positive variance" in LackOfFit(3, 3, 1, 20.0, 0.0, 0.95).sentences[0]


def test_the_p_value_of_a_cycle_is_that_of_the_score_test():
    """Three edges of a cycle are three draws of one departure, so that its root statistic is a normal one."""
    for won in (52, 55, 58):
        lack_of_fit = bradley_terry_projection(ring(won * 100, 10_000)).lack_of_fit
        z = (won / 100 - 0.5) * 3 / np.sqrt(3 * 0.25 / 10_000)
        assert lack_of_fit.p_value == pytest.approx(2 * norm.sf(z), rel=0.35)  # both are far out in their tails


@pytest.mark.parametrize("two_way", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_moments_of_the_lack_of_fit_are_sums_over_clusters(two_way, seed):
    battles, pairwise, codes = sampled(np.random.default_rng(seed), two_way)
    predicted = np.linspace(0.3, 0.6, len(pairwise.a))
    slope = predicted * (1 - predicted)
    fit, left = additive(pairwise, slope), residuals(pairwise, predicted)
    D, A, C, H, M, errors = by_definition(battles, pairwise, slope, predicted, codes)
    N, mean, fitted, own, V, kappa = pairwise.weight, 0.0, 0.0, 0.0, np.zeros_like(M), np.zeros(len(M))
    meat = np.zeros_like(A)
    for sign, f, n in errors:
        V += sign * (f / N).T @ (f / N)
        kappa += sign * ((n / N) ** 2).sum(axis=0)
        for fc, nc in zip(f, n, strict=True):
            e, known = fc / N, np.abs(D).T @ (nc * slope)
            left_out = C @ (D.T @ fc / np.maximum(1 - known / np.diag(A), 0.25 / np.diag(A)))
            meat += sign * np.outer(left_out, left_out)
            whole = e + nc / N * slope * (D @ left_out)
            mean += sign * whole @ M @ whole
            fitted += sign * e @ M @ e
            own += sign * (e @ M @ e) ** 2
    computed = moments(fit, left)
    assert computed.mean == pytest.approx(mean)
    assert computed.fitted == pytest.approx(fitted)
    assert computed.own == pytest.approx(own)
    assert off_diagonal(fit, left, computed, np.random.default_rng(0)) == pytest.approx(np.trace(V @ M @ V @ M) - own)
    assert fit.sandwich(left) == pytest.approx(meat)
    rest = np.eye(len(M)) - H
    assert residual_variance(fit, left) == pytest.approx(np.diag(rest @ V @ rest.T))
    assert own_share(fit, left) == pytest.approx(kappa)
    off = np.linspace(-0.1, 0.2, len(M))
    assert variance_along(left, off) == pytest.approx((N * off) @ V @ (N * off))
    sizes = [f.shape[0] and (n.sum(axis=1) ** 2).sum() for sign, f, n in errors if sign > 0]
    assert effective_clusters(fit, left) == pytest.approx(60**2 / max(sizes))


def test_battles_that_are_clusters_each_are_the_same_with_and_without_names_for_them():
    rng = np.random.default_rng(4)
    a, b = every_pair(6, 12)
    outcome = rng.choice([0, 0.5, 1.0], size=len(a), p=[0.5, 0.1, 0.4])
    alone = bradley_terry_projection(win_rate_inference(battles(6, a, b, outcome)))
    each = bradley_terry_projection(win_rate_inference(battles(6, a, b, outcome, np.arange(len(a)))))
    assert alone.z == pytest.approx(each.z)
    for name in ("statistic", "clusters", "df", "expected", "rms"):
        assert getattr(alone.lack_of_fit, name) == pytest.approx(getattr(each.lack_of_fit, name), rel=0.05)
    assert alone.board.covariance == pytest.approx(each.board.covariance, rel=0.05)


@pytest.mark.parametrize("clusters", ["one way", "two ways", "some battles alone", "all battles alone"])
def test_the_variance_of_many_pairs_is_that_of_few(monkeypatch, clusters):
    """Every cluster in turn is exact, and random signs are right on average."""
    battles, pairwise, _ = sampled(np.random.default_rng(8), clusters == "two ways")
    if clusters == "some battles alone":
        some = bp.Factor.of(None if i % 3 else f"{c:02d}" for i, c in enumerate(battles.factor("cluster").codes))
        pairwise = win_rate_inference(
            bp.Battles(battles.agents, battles.a, battles.b, battles.outcome, factors={"cluster": some})
        )
    if clusters == "all battles alone":
        pairwise = win_rate_inference(battles, cluster=None)
    predicted = np.linspace(0.3, 0.6, len(pairwise.a))
    fit, left = additive(pairwise, predicted * (1 - predicted)), residuals(pairwise, predicted)
    seen = moments(fit, left)
    exact = off_diagonal(fit, left, seen, np.random.default_rng(0))
    monkeypatch.setattr(lack_of_fit, "EXACT", 0)
    assert off_diagonal(fit, left, seen, np.random.default_rng(0)) == pytest.approx(exact)
    monkeypatch.setattr(lack_of_fit, "PROBES", 5)
    random = [off_diagonal(fit, left, seen, np.random.default_rng(seed)) for seed in range(400)]
    assert np.mean(random) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize(
    ("n", "times", "clusters", "spread"),
    [(5, 5, 0, 0.0), (12, 3, 0, 1.0), (6, 60, 0, 1.0), (8, 5, 40, 0.5), (6, 30, 30, 1.0)],
)
def test_bradley_terry_rates_lack_fit_no_more_often_than_the_level(n, times, clusters, spread):
    rng, rounds, p_values = np.random.default_rng(20), 150, []
    for _ in range(rounds):
        chance = logistic(spread * rng.normal(size=n))
        projection = bradley_terry_projection(win_rate_inference(tasted(rng, n, times, clusters, chance)))
        p_values.append(projection.lack_of_fit.p_value)
    known = [p for p in p_values if p is not None]
    assert len(known) > 0.8 * rounds
    assert np.mean(np.array(known) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(known))
    assert 0.4 < np.mean(known) < 0.6


def test_clusters_with_a_heavy_tail_lack_fit_no_more_often_than_the_level():
    """Equal agents, one pair a cluster, whose size is Pareto's: a few clusters bend the fit towards themselves."""
    rng, (i, j), p_values = np.random.default_rng(5), np.triu_indices(8, 1), []
    for _ in range(150):
        size = (10 / 3 * (1 + rng.pareto(1.2, 400))).astype(int)
        cluster, pair = np.repeat(np.arange(400), size), np.repeat(rng.integers(28, size=400), size)
        lead = np.repeat(rng.normal(0, 2, 400), size)
        won = rng.random(len(cluster)) < 1 / (1 + np.exp(-lead))
        win_rates = win_rate_inference(battles(8, i[pair], j[pair], won, cluster), cluster="cluster")
        p_values.append(bradley_terry_projection(win_rates).lack_of_fit.p_value)
    known = np.array([p for p in p_values if p is not None])
    assert len(known) > 80
    assert np.mean(known < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(known))  # it was a fifth


@pytest.mark.parametrize("clusters", [0, 40])
def test_a_planted_cycle_lacks_fit_and_its_size_is_measured(clusters):
    """Three of six agents beat each other with 65 %, all others are even; a pair is off by 0.15 in 3 of 15 pairs."""
    rng, n, rounds = np.random.default_rng(9), 6, 40
    chance = np.full((n, n), 0.5)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        chance[i, j], chance[j, i] = 0.65, 0.35
    true = np.sqrt(3 * 0.15**2 / 15)
    misfits = [
        bradley_terry_projection(win_rate_inference(tasted(rng, n, 200, clusters, chance))).lack_of_fit
        for _ in range(rounds)
    ]
    assert np.mean([one.p_value < 0.05 for one in misfits]) > 0.9
    assert np.sqrt(np.mean([one.rms**2 for one in misfits])) == pytest.approx(true, rel=0.1)
    assert np.mean([one.rms_high >= true for one in misfits]) >= 0.9
    assert np.mean([one.defensible is False for one in misfits]) > 0.9


def test_pairs_without_a_cycle_cannot_decide():
    rows = [[30, 20, 0, 0], [30, 20, 0, 0]]
    projection = bradley_terry_projection(win_rate_inference(bp.Pairs(named(3), [0, 1], [1, 2], rows)))
    assert projection.defensible is None
    assert (projection.lack_of_fit.p_value, projection.lack_of_fit.rms) == (None, None)
    assert "pairs form no closed loop" in projection.sentences[0]


def test_few_clusters_cannot_tell():
    rng = np.random.default_rng(0)
    projection = bradley_terry_projection(win_rate_inference(tasted(rng, 5, 40, 12, np.full((5, 5), 0.5))))
    assert projection.lack_of_fit.p_value is None
    assert projection.defensible is None
    assert "come from about 12 clusters, and 20 are needed" in projection.sentences[0]
    assert projection.lack_of_fit.rms is not None


@pytest.mark.parametrize("size", [0.02, 0.4])
def test_limit_and_chance_follow_from_all_pairs_of_clusters(monkeypatch, size):
    """The formulas of the module over an explicit matrix of clusters; the slope is now one, now the other of its two."""
    monkeypatch.setattr(scale_lack_of_fit, "FEW_CLUSTERS", 0)
    battles, pairwise, codes = sampled(np.random.default_rng(3), False)
    predicted = np.linspace(0.3, 0.6, len(pairwise.a))
    slope, off = predicted * (1 - predicted), size * np.cos(np.arange(len(pairwise.a)))
    fit, left = additive(pairwise, slope), residuals(pairwise, predicted)
    _, _, _, _, M, ((_, f, n),) = by_definition(battles, pairwise, slope, predicted, codes)
    N = pairwise.weight
    K = (f / N) @ M @ (f / N).T
    own, Q, mean = (np.diag(K) ** 2).sum(), float(N @ off**2), moments(fit, left).mean
    df = 2 * np.trace(K) ** 2 / (2 * ((K**2).sum() - own))
    variance = 2 * mean**2 / df
    along = ((f @ off) ** 2).sum()
    lam = max(variance / (2 * mean), (along - own) / Q)
    assert (lam == variance / (2 * mean)) == (size < 0.1)
    lack_of_fit = scale_lack_of_fit.lack_of_fit(fit, left, off, level=0.9, seed=0)
    excess, total = max(Q - mean, -np.sqrt(variance)), N @ (1 - ((n / N) ** 2).sum(axis=0))
    assert lack_of_fit.deviation == pytest.approx(np.sqrt(variance))
    assert (lack_of_fit.statistic, lack_of_fit.df) == pytest.approx((Q, df))
    assert lack_of_fit.p_value == pytest.approx(chi2.sf(df * Q / mean, df))
    if variance + 4 * lam * excess > 0:  # else the equation has no root, and the limit stays on the safe side
        high = brentq(
            lambda delta: delta - norm.ppf(0.9) * np.sqrt(variance + 4 * lam * delta) - excess, max(excess, 0), 1e4
        )
        assert lack_of_fit.rms_high == pytest.approx(np.sqrt(high / total))
    assert lack_of_fit.rms == pytest.approx(np.sqrt(max(Q - mean, 0) / total))


def test_the_number_of_clusters_has_no_unit():
    rng = np.random.default_rng(0)
    a, b = (np.repeat(side, 10) for side in np.triu_indices(3, 1))
    outcome = rng.integers(0, 2, size=30).astype(float)
    for weight in (1.0, 2.0):
        win_rates = win_rate_inference(
            bp.Battles(("a", "b", "c"), a, b, outcome, weight=np.full(30, weight)), cluster=None
        )
        half = np.full(3, 0.5)
        assert effective_clusters(additive(win_rates, half / 2), residuals(win_rates, half)) == pytest.approx(30)


def test_rates_that_fit_exactly_leave_no_lack_of_fit_at_even_odds():
    """The statistic is nothing, less than noise alone would make it, so that a limit of little confidence is nothing too."""
    lack_of_fit = bradley_terry_projection(ring(500, 1000), level=0.6).lack_of_fit
    assert (lack_of_fit.statistic, lack_of_fit.rms, lack_of_fit.rms_high) == pytest.approx((0, 0, 0), abs=1e-9)
    assert bradley_terry_projection(ring(500, 1000), level=0.95).lack_of_fit.rms_high > 0.01


def test_battles_without_a_cluster_are_clusters_of_one():
    rng, names = np.random.default_rng(1), [None] * 12 + [f"c{k % 4}" for k in range(24)] + ["last"] * 6
    a, b = (np.resize(side, 42) for side in np.triu_indices(3, 1))
    factors = {"cluster": bp.Factor.of(names)}
    battles = bp.Battles(("a", "b", "c"), a, b, rng.integers(0, 2, size=42).astype(float), factors=factors)
    win_rates, half = win_rate_inference(battles), np.full(3, 0.5)
    number = effective_clusters(additive(win_rates, half / 2), residuals(win_rates, half))
    assert number == pytest.approx(42**2 / (12 + 5 * 6**2))
