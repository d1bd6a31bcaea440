"""The estimate of all win rates: laws, limits and derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit, logit

import beatpath as bp
from beatpath.fit.laplacian import across, laplacian_matrix
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.inference.matrix.dispersion import Dispersion, unfitted
from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.rates import Rates
from helpers.matrix_worlds import clustered, clustered_rows, independent, scale_world


def renamed(R, order):
    return Rates(R.n, order[R.a], order[R.b], R.weight, R.rate, R.own, R.factors, R.units, R.raw)


def test_renaming_agents_renames_the_answer():
    R, _ = scale_world(1)
    order = np.random.default_rng(0).permutation(R.n)
    one, two = estimate(R), estimate(renamed(R, order))
    assert np.allclose(one.score, two.score[order], atol=1e-8)
    assert np.allclose(one.covariance, two.covariance[np.ix_(order, order)], atol=1e-10)


def test_turning_a_pair_around_changes_nothing():
    R, _ = scale_world(2)
    turned = Rates(R.n, R.b, R.a, R.weight, 1 - R.rate, R.own, raw=R.raw)
    one, two = estimate(R), estimate(turned)
    assert np.allclose(one.psi, two.psi, atol=1e-8)
    assert np.allclose(one.psi_stderr, two.psi_stderr, atol=1e-8)


def test_rates_of_both_sides_add_to_one_and_scores_to_their_mean():
    made = estimate(scale_world(3)[0])
    assert np.allclose(made.psi + made.psi.T, 1.0)
    assert np.isclose(made.score.mean(), 0.5)
    assert np.allclose(made.covariance.sum(axis=0), 0.0, atol=1e-12)  # scores add to a constant


def test_functional_is_the_score_and_the_pair():
    made = estimate(scale_world(4)[0])
    n = made.rates.n
    row, b = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    off = row != b
    value, covariance = made.functional(row[off], row[off], b[off], 1 / (n - 1))
    assert np.allclose(value, made.score)
    assert np.allclose(covariance, made.covariance, atol=1e-13)
    a, b = np.triu_indices(n, 1)
    value, covariance = made.functional(np.arange(len(a)), a, b, 1.0)
    assert np.allclose(value, made.psi[a, b])
    assert np.allclose(np.sqrt(np.diag(covariance)), made.psi_stderr[a, b])


def test_influence_is_the_derivative_of_scores_by_rates():
    R, _ = scale_world(5)
    made = estimate(R)

    def scores(rate):  # the estimate with its weights held
        theta = fit_pairs(decided(R.n, R.a, R.b, made.w * rate, made.w), start=made.theta).strength
        m = expit(theta[:, None] - theta[None, :])
        own = m[R.a, R.b] + made.k * (rate - m[R.a, R.b])
        m[R.a, R.b], m[R.b, R.a] = own, 1 - own
        return (m.sum(axis=1) - 0.5) / (R.n - 1)

    middle = expit(made.theta[R.a] - made.theta[R.b])  # rates at which the strengths solve their equations
    for p in (0, 7, 15):
        step = np.zeros(len(R.a))
        step[p] = 1e-5
        slope = (scores(middle + step) - scores(middle - step)) / 2e-5
        assert np.allclose(slope, made.influence[:, p], atol=1e-6)


@pytest.mark.parametrize("common", [0.0, 0.02])
def test_standard_errors_of_clustered_pairs_by_two_implementations(common):
    n, i, j, won, c, u = clustered_rows(1)
    rates = clustered(n, i, j, won, [c, u])
    made = estimate(replace(rates, common=common * np.linspace(-1, 2, len(rates.a)) if common else None))
    a, b = np.triu_indices(n, 1)
    covariance = made.functional(np.arange(len(a)), a, b, 1.0)[1]
    np.testing.assert_allclose(np.diag(covariance), made.psi_stderr[a, b] ** 2, rtol=1e-8)
    assert (0.1 < made.k).all()  # or the two sources of error would not be correlated
    assert (made.k < 0.9).all()


def test_no_number_crosses_components():
    R = independent(5, [0, 1, 3], [1, 2, 4], [30.0, 30.0, 20.0], [0.6, 0.7, 0.4])
    made = estimate(R)
    assert np.isnan(made.psi[0, 3])
    assert np.isnan(made.covariance[0, 3])
    assert np.isnan(made.psi_stderr[2, 4])
    assert np.isclose(made.score[3] + made.score[4], 1.0)
    assert np.isnan(made.functional([0], [0], [4], 1.0)[0][0])


def test_an_agent_alone_has_no_score():
    made = estimate(independent(3, [0], [1], [30.0], [0.6]))
    assert np.isnan(made.score[2])
    assert np.isnan(made.covariance[2, 2])


@pytest.mark.parametrize("N", [1.0, 10.0, 1000.0])
def test_an_agent_that_lost_everything_has_a_finite_strength(N):
    R = independent(3, [0, 0, 1], [1, 2, 2], [N, N, N], [0.5, 1.0, 1.0])
    made = estimate(R)
    assert np.isfinite(made.theta).all()
    assert np.isfinite(made.covariance).all()
    assert made.score[2] < 0.5
    assert (made.psi_stderr[np.triu_indices(3, 1)] > 0).all()


def test_a_model_without_deviations_is_bradley_terry():
    R, _ = scale_world(6, tau=0.0, N=2000)
    made = estimate(R)
    assert made.found.tau2 < 1e-4
    assert made.phi < 1.5


def test_strong_deviations_leave_every_pair_its_own_rate():
    R, _ = scale_world(7, tau=0.3, N=5000, n=12, share=1.0)
    made = estimate(R)
    assert made.k.min() > 0.9
    estimated = made.psi[R.a, R.b]
    assert np.abs(estimated - R.rate).max() < 0.03


def test_pairs_with_one_battle_say_nothing_about_deviations():
    rng = np.random.default_rng(0)
    a, b = np.triu_indices(40, 1)
    R = independent(40, a, b, np.ones(len(a)), rng.integers(0, 2, len(a)).astype(float))
    made = estimate(R)
    assert np.isclose(np.sqrt(made.found.tau2_hi), 1.645 * 0.10, rtol=0.01)


def test_without_cycles_the_prior_decides():
    made = estimate(independent(4, [0, 0, 0], [1, 2, 3], [100.0] * 3, [0.6, 0.5, 0.4]))
    assert made.found.tau2 == 0
    assert np.isclose(np.sqrt(made.found.tau2_hi), 1.645 * 0.10, rtol=0.01)


def test_logit_of_a_ring_is_consistent():
    R = independent(3, [0, 1, 0], [1, 2, 2], [1e6] * 3, [0.6, 0.6, expit(2 * logit(0.6))])
    made = estimate(R)
    assert np.allclose(made.psi[R.a, R.b], R.rate, atol=1e-4)


def test_without_lack_of_fit_scores_are_those_of_bradley_terry():
    """Means of the win rates that another fit's strengths predict."""
    R, _ = scale_world(6, tau=0.0, N=2000)
    made = estimate(R)
    wins = np.column_stack([R.weight * R.rate, R.weight * (1 - R.rate)]).round()
    names = tuple(f"x{i}" for i in range(R.n))
    fitted = bp.rank(bp.Pairs(names, R.a, R.b, np.column_stack([wins, 0 * wins])), "bradley_terry").scores
    theta = np.array([fitted[name] for name in names])
    m = expit(theta[:, None] - theta[None, :])
    assert made.score == pytest.approx((m.sum(axis=1) - 0.5) / (R.n - 1), abs=3e-3)


def test_with_many_battles_of_all_pairs_scores_are_means_of_the_rates():
    R, _ = scale_world(7, tau=0.1, N=200_000, share=1.0)
    full = np.full((R.n, R.n), 0.5)
    full[R.a, R.b], full[R.b, R.a] = R.rate, 1 - R.rate
    assert estimate(R).score == pytest.approx((full.sum(axis=1) - 0.5) / (R.n - 1), abs=1e-3)


def test_scores_are_as_far_off_as_their_standard_errors():
    """Of 300 small worlds with deviations, the share of single intervals that hold the truth."""
    held = []
    for seed in range(300):
        R, psi = scale_world(seed, n=8, N=30, tau=0.05)
        psi = np.triu(psi, 1) + np.tril(1 - psi.T, -1)
        made = estimate(R)
        held.append(np.abs(made.score - psi.sum(axis=1) / 7) < 1.96 * np.sqrt(np.diag(made.covariance)))
    assert 0.93 < np.mean(held) < 0.985


def test_what_is_planned_is_what_is_where_no_battles_are_added():
    made = estimate(scale_world(8)[0])
    same = made.planned(np.ones(len(made.k)))
    assert np.allclose(same.covariance, made.covariance, rtol=1e-3)
    assert np.allclose(same.k, made.k)


def test_outcomes_alike_but_for_rounding_make_no_rate_certain():
    rows = [("ada", "bob", 1.0), ("ada", "bob", 1.0), ("ada", "cyd", 0.0), ("cyd", "ada", 0.9)]
    battles = bp.Battles.of(rows, weight=[1.0, 1.0, 1.0, 2.0])
    made = bp.win_matrix(battles)
    assert np.isfinite(made.stderr).all()
    assert (made.stderr[~np.eye(3, dtype=bool)] >= 0).all()
    i, j = made.agents.index("ada"), made.agents.index("cyd")
    assert made.stderr[i, j] == made.stderr[j, i] > 0.05


def two_components():
    """Battles in two clusterings among six agents, some of whom never met, beside two others and one alone."""
    _, i, j, won, c, u = clustered_rows(3, clusters=25, total=500)
    met = abs(i - j) != 3
    other = np.arange(24) % 2
    rows = [np.append(x[met], y) for x, y in ((i, 6 + other), (j, 7 - other), (won, (np.arange(24) % 3 < 2) == other))]
    return clustered(9, *rows, [np.append(x[met], np.arange(24) % 25) for x in (c, u)])


def written_out(made):
    """A, phi V, T of pairs that met, and T of each pair of agents in a component that did not, as the module defines them."""
    R, old = made.rates, made.old * np.ones(len(made.k))
    n, p = R.n, len(R.a)
    D, V = np.zeros((p, n)), np.diag(R.own)
    D[np.arange(p), R.a], D[np.arange(p), R.b] = 1.0, -1.0
    V += 0.0 if R.common is None else np.outer(R.common, R.common)
    for one in R.factors:
        V = V + one.sign * (one.influence.T @ one.influence).toarray()
    v = made.v / old  # of the battles that are there
    sound = np.diag(V) > 0.2 * v
    factor = np.where(sound, np.sqrt(v / np.where(sound, np.diag(V), 1.0)), 1.0) * old
    V = V * np.outer(factor, factor)
    np.fill_diagonal(V, made.v)
    connected = made.part[:, None] == made.part
    each = 1 / np.maximum(connected.sum(axis=1) - 1, 1)
    Lm = each[:, None] * D.T
    met = np.zeros((n, n), dtype=bool)
    met[R.a, R.b] = met[R.b, R.a] = True
    ua, ub = np.nonzero(np.triu(connected & ~met, 1))
    Lu = np.zeros((n, len(ua)))
    Lu[ua, np.arange(len(ua))], Lu[ub, np.arange(len(ua))] = each[ua], -each[ub]
    slope = [expit(x) * expit(-x) for x in (made.theta[R.a] - made.theta[R.b], made.theta[ua] - made.theta[ub])]
    Du = np.eye(n)[ua] - np.eye(n)[ub]
    B = Lm @ np.diag((1 - made.k) * slope[0]) @ D + Lu @ np.diag(slope[1]) @ Du
    C = np.linalg.pinv(D.T @ np.diag(made.w * slope[0]) @ D, rcond=1e-10)
    A = Lm * made.k + B @ C @ D.T * made.w
    T = np.maximum(made.found.tau2_hi * 4 * slope[0] + (made.phi - 1) * made.v, made.local * 4 * slope[0])
    few = np.median(v[R.weight <= np.quantile(R.weight, 0.2)])
    rarest = made.local[np.argmin(R.effective)]
    Tu = np.maximum(made.found.tau2_hi * 4 * slope[1] + (made.phi - 1) * few, rarest * 4 * slope[1])
    return A, Lm, made.phi * V, T, (Lu * Tu) @ Lu.T


@pytest.mark.parametrize("share", [1.0, 0.3])
@pytest.mark.parametrize("world", ["battles", "clusters", "deviations"])
def test_errors_are_those_of_the_maps_written_out(world, share):
    """Everything that is said of scores, their differences and other functionals, also after planned battles."""
    rates = {"battles": scale_world(4), "clusters": (two_components(),), "deviations": scale_world(2, tau=0.3)}[world][
        0
    ]
    made = estimate(replace(rates, common=np.linspace(-0.02, 0.03, len(rates.a))) if world == "deviations" else rates)
    rest = np.linspace(0.0, 0.1, len(made.k))  # lack of fit by number of battles, more and less than that of all
    rest[np.argmin(rates.effective)] = 0.0 if share < 1 else 0.2
    v = made.v * np.where(np.arange(len(rest)) == 1, 9.0, 1.0)  # of one pair the clusters show next to no variance
    made = replace(made, found=Dispersion(1.4, 0.01, 0.005, 0.03), local=rest, v=v).planned(
        np.linspace(share, 1.0, len(v))
    )
    A, Lm, V, T, unmet = written_out(made)
    covariance = A @ V @ A.T + (A - Lm) * T @ (A - Lm).T + unmet
    together = (made.part[:, None] == made.part) & (made.opponents > 0)
    tolerance = {"rtol": 1e-6, "atol": 1e-12}
    np.testing.assert_allclose(made.influence, A, **tolerance)
    np.testing.assert_allclose(made.direct.toarray(), Lm)
    np.testing.assert_allclose(made.score_noise, A @ V @ A.T, **tolerance)
    np.testing.assert_allclose(made.variance_of_rates(A), A @ V, **tolerance)
    np.testing.assert_allclose(made.covariance[together], covariance[together], **tolerance)
    assert np.isnan(made.covariance[~together]).all()
    apart = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    for i, j in ((0, 1), (0, 3), (4, 2)):
        assert made.variance_of_difference(i, j) == pytest.approx(apart[i, j], rel=1e-6)
    i, j = np.nonzero(together & ~np.eye(made.rates.n, dtype=bool))
    value, functional = made.functional(i, i, j, 1 / made.opponents[i])
    rows = np.flatnonzero(made.opponents)[:, None]
    assert value[rows[:, 0]] == pytest.approx(made.score[rows[:, 0]])
    connected = together[rows, rows.T]
    np.testing.assert_allclose(functional[rows, rows.T][connected], covariance[rows, rows.T][connected], **tolerance)
    own = np.diag(made.functional(np.arange(len(i)), i, j, 1.0)[1])
    np.testing.assert_allclose(made.psi_stderr[i, j] ** 2, own, **tolerance)
    some = csr_array(np.random.default_rng(0).normal(size=(len(made.k), 2)))
    np.testing.assert_allclose(made.scores_along(some), A @ some.toarray(), **tolerance)
    np.testing.assert_allclose(made.scores_square(made.w), A * made.w @ A.T, **tolerance)
    noise, total = (np.diag(V)[:, None] + np.diag(V) - 2 * V + np.diag(np.diag(V)) for V in (A @ V @ A.T, covariance))
    if made.rates.clustered:
        df = made.rates.degrees(made._maps) * np.maximum(total / np.maximum(noise, 1e-300), 1.0) ** 2
        np.testing.assert_allclose(made.degrees[:6, :6], np.maximum(df, 1.0)[:6, :6], rtol=1e-6)
    else:
        assert np.isinf(made.degrees).all()


def test_planned_battles_scale_the_noise_and_not_the_deviations():
    made = estimate(scale_world(2, tau=0.3)[0])
    share = np.linspace(0.1, 1.0, len(made.k))
    after, T, noise = made.planned(share), made.deviation, made.phi * made.v
    kept, were = T / (T + noise * share), T / (T + noise)
    np.testing.assert_allclose(1 - after.k, (1 - made.k) * (1 - kept) / (1 - were))
    np.testing.assert_allclose(after.w, made.w * (T + noise) / (T + noise * share))
    y = made.h * made.v / made.g  # the variance of a prediction in battles, as `unfitted` takes it
    np.testing.assert_allclose(after.v / made.v, share * unfitted(share * y) / unfitted(y))
    information = laplacian_matrix(made.rates.n, made.rates.a, made.rates.b, after.w * made.g)
    np.testing.assert_allclose(
        after.h, after.w * made.g * across(np.linalg.pinv(information), made.rates.a, made.rates.b)
    )
    assert after.planned(share).old == pytest.approx(share**2)
