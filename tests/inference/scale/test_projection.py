"""Bradley-Terry as a projection: statsmodels for the sandwich, brute force for every sum, simulation for the test of lack of fit."""

import json

import numpy as np
import pytest
from hypothesis import given

import beatpath as bp
from beatpath._errors import DataError, UsageError
from beatpath.inference.scale import lack_of_fit
from beatpath.inference.scale.additive import additive
from beatpath.inference.scale.lack_of_fit import (
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
from helpers import strategies
from helpers.paths import GOLDEN


def named(n):
    return tuple(f"agent{k:03d}" for k in range(n))


def logistic(strength):
    return 1 / (1 + np.exp(-np.subtract.outer(strength, strength)))


def battles(n, a, b, outcome, cluster=None):
    factors = {} if cluster is None else {"cluster": bp.Factor.of(f"{c:05d}" for c in cluster)}
    return bp.Battles(named(n), a, b, np.asarray(outcome, dtype=float), factors=factors)


def every_pair(n, times):
    return (np.repeat(side, times) for side in np.triu_indices(n, 1))


def leftovers(told, pairwise, predicted, code):
    """What every cluster leaves over, from the battles themselves, (clusters, pairs); and its battles."""
    pair = {(i, j): k for k, (i, j) in enumerate(zip(pairwise.a.tolist(), pairwise.b.tolist(), strict=True))}
    f, n = np.zeros((2, max(code) + 1, len(pair)))
    for a, b, s, c in zip(told.a.tolist(), told.b.tolist(), told.outcome.tolist(), code, strict=True):
        k, won = (pair[a, b], s) if a < b else (pair[b, a], 1 - s)
        f[c, k] += won - predicted[k]
        n[c, k] += 1
    return f, n


def clusters_of(told, name):
    if name is None:
        return list(range(len(told.a)))
    return np.unique(told.factor(name).codes, return_inverse=True)[1].tolist()


@given(strategies.clustered_battles())
def test_what_clusters_leave_over_is_what_their_battles_do(told):
    pairwise = win_rate_inference(told)
    predicted = np.linspace(0.2, 0.9, len(pairwise.a))
    f, n = leftovers(told, pairwise, predicted, clusters_of(told, "cluster"))
    one_battle = n.sum(axis=1) == 1
    found = residuals(pairwise, predicted)
    (part,) = found.parts
    assert part.f.toarray() == pytest.approx(f[~one_battle], abs=1e-12)
    assert part.n.toarray() == pytest.approx(n[~one_battle], abs=1e-12)
    assert found.alone == pytest.approx((f[one_battle] ** 2).sum(axis=0), abs=1e-12)
    assert found.number == pytest.approx(n[one_battle].sum(axis=0), abs=1e-9)


@given(strategies.clustered_battles())
def test_what_battles_by_themselves_leave_over_is_known_by_pair(told):
    pairwise = win_rate_inference(told, cluster=None)
    predicted = np.linspace(0.9, 0.2, len(pairwise.a))
    f, n = leftovers(told, pairwise, predicted, clusters_of(told, None))
    found = residuals(pairwise, predicted)
    assert found.alone == pytest.approx((f**2).sum(axis=0), abs=1e-12)
    assert found.number == pytest.approx(n.sum(axis=0), abs=1e-9)


@given(strategies.clustered_battles())
def test_two_ways_of_clustering_leave_over_what_each_does(told):
    pairwise = win_rate_inference(told, cluster=("cluster", "judge"))
    predicted = np.linspace(0.9, 0.2, len(pairwise.a))
    for name, part in zip(("cluster", "judge"), residuals(pairwise, predicted).parts, strict=False):
        f, _ = leftovers(told, pairwise, predicted, clusters_of(told, name))
        assert part.f.toarray() == pytest.approx(f, abs=1e-12)
    assert not residuals(pairwise, predicted).alone.any()


def by_definition(told, pairwise, slope, predicted, codes):
    """Dense matrices of the module's formulas: errors by cluster with sign, M, H and the covariance of the rates."""
    p, n, N = len(pairwise.a), len(pairwise.agents), pairwise.weight
    D = np.zeros((p, n))
    D[np.arange(p), pairwise.a], D[np.arange(p), pairwise.b] = 1, -1
    A = D.T @ np.diag(N * slope) @ D
    C = np.linalg.pinv(A)
    H = np.diag(slope) @ D @ C @ D.T @ np.diag(N)
    M = (np.eye(p) - H).T @ np.diag(N) @ (np.eye(p) - H)
    errors = [(sign, *leftovers(told, pairwise, predicted, code)) for sign, code in codes]
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
    told = bp.Battles(named(n), a, b, rng.choice([0, 0.5, 1.0], size=rows), factors=factors)
    pairwise = win_rate_inference(told, cluster=("cluster", "judge") if two_way else "cluster")
    codes = [(1.0, clusters_of(told, "cluster"))]
    if two_way:
        judge = clusters_of(told, "judge")
        both = [10 * i + j for i, j in zip(codes[0][1], judge, strict=True)]
        codes += [(1.0, judge), (-1.0, np.unique(both, return_inverse=True)[1].tolist())]
    return told, pairwise, codes


@pytest.mark.parametrize("two_way", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_moments_of_the_misfit_are_sums_over_clusters(two_way, seed):
    told, pairwise, codes = sampled(np.random.default_rng(seed), two_way)
    predicted = np.linspace(0.3, 0.6, len(pairwise.a))
    slope = predicted * (1 - predicted)
    fit, left = additive(pairwise, slope), residuals(pairwise, predicted)
    D, A, C, H, M, errors = by_definition(told, pairwise, slope, predicted, codes)
    N, mean, own, V, kappa = pairwise.weight, 0.0, 0.0, np.zeros_like(M), np.zeros(len(M))
    meat = np.zeros_like(A)
    for sign, f, n in errors:
        V += sign * (f / N).T @ (f / N)
        kappa += sign * ((n / N) ** 2).sum(axis=0)
        for fc, nc in zip(f, n, strict=True):
            e, known = fc / N, np.abs(D).T @ (nc * slope)
            left_out = C @ (D.T @ fc / np.maximum(1 - known / np.diag(A), 0.25 / np.diag(A)))
            meat += sign * np.outer(left_out, left_out)
            mean += sign * (e @ M @ e + e @ M @ (nc / N * slope * (D @ left_out)))
            own += sign * (e @ M @ e) ** 2
    found = moments(fit, left)
    assert found.mean == pytest.approx(mean)
    assert found.own == pytest.approx(own)
    assert off_diagonal(fit, left, found, np.random.default_rng(0)) == pytest.approx(np.trace(V @ M @ V @ M) - own)
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
    told, pairwise, _ = sampled(np.random.default_rng(8), clusters == "two ways")
    if clusters == "some battles alone":
        some = bp.Factor.of(None if i % 3 else f"{c:02d}" for i, c in enumerate(told.factor("cluster").codes))
        pairwise = win_rate_inference(bp.Battles(told.agents, told.a, told.b, told.outcome, factors={"cluster": some}))
    if clusters == "all battles alone":
        pairwise = win_rate_inference(told, cluster=None)
    predicted = np.linspace(0.3, 0.6, len(pairwise.a))
    fit, left = additive(pairwise, predicted * (1 - predicted)), residuals(pairwise, predicted)
    seen = moments(fit, left)
    exact = off_diagonal(fit, left, seen, np.random.default_rng(0))
    monkeypatch.setattr(lack_of_fit, "EXACT", 0)
    assert off_diagonal(fit, left, seen, np.random.default_rng(0)) == pytest.approx(exact)
    monkeypatch.setattr(lack_of_fit, "PROBES", 5)
    random = [off_diagonal(fit, left, seen, np.random.default_rng(seed)) for seed in range(400)]
    assert np.mean(random) == pytest.approx(exact, rel=0.1)


def test_strengths_are_those_of_the_rating_method():
    told = bp.example()
    ranked = bp.rank(told, "bradley_terry")
    found = bradley_terry_projection(win_rate_inference(told)).board
    assert dict(zip(found.agents, found.score.tolist(), strict=True)) == pytest.approx(dict(ranked.scores), abs=1e-7)


def test_the_sandwich_is_that_of_statsmodels_but_for_the_correction():
    golden = json.loads((GOLDEN / "bradley_terry_sandwich_statsmodels.json").read_text())
    told = bp.only(bp.example(), golden["agents"])
    last = np.hstack([np.eye(5), -np.ones((5, 1))])
    for cluster, name in ((None, "independent"), ("cluster", "cluster")):
        pairwise = win_rate_inference(told, cluster=cluster)
        found = bradley_terry_projection(pairwise)
        predicted, theirs = found.predicted, np.array(golden[name])
        assert last @ found.board.score == pytest.approx(golden["strength"], abs=1e-6)
        fit, left = additive(pairwise, predicted * (1 - predicted)), residuals(pairwise, predicted)
        f = [np.diag(np.sqrt(left.alone))] + [part.f.toarray() for part in left.parts]
        plain = (
            last @ fit.inverse @ fit.incidence.T @ sum(one.T @ one for one in f) @ fit.incidence @ fit.inverse @ last.T
        )
        assert plain == pytest.approx(theirs, rel=1e-6)
        assert last @ fit.inverse @ last.T == pytest.approx(np.array(golden["information"]), rel=1e-6)
        ratio = np.diag(last @ found.board.covariance @ last.T) / np.diag(theirs)
        assert ((ratio > 1) & (ratio < 1.1)).all()


def test_the_sandwich_is_the_inverse_information_where_battles_are_independent_and_the_model_is_right():
    rng = np.random.default_rng(6)
    a, b = every_pair(6, 400)
    chance = logistic(np.linspace(1, -1, 6))
    pairwise = win_rate_inference(battles(6, a, b, rng.random(len(a)) < chance[a, b]))
    found = bradley_terry_projection(pairwise)
    information = additive(pairwise, found.predicted * (1 - found.predicted)).inverse
    assert np.diag(found.board.covariance) == pytest.approx(np.diag(information), rel=0.05)


def test_intervals_of_strengths_cover_as_often_as_they_say():
    """Twenty judges, each with a taste of its own for every agent."""
    from scipy.special import ndtr
    from scipy.stats import t as student

    rng, n, rounds, held = np.random.default_rng(12), 6, 80, []
    strength = np.linspace(0.8, -0.8, n)
    chance = logistic(strength)
    a, b = every_pair(n, 40)
    for _ in range(rounds):
        judge = rng.integers(20, size=len(a))
        taste = rng.normal(size=(20, n))
        noise = (taste[judge, a] - taste[judge, b]) / 2 + rng.normal(size=len(a)) / np.sqrt(2)
        board = bradley_terry_projection(
            win_rate_inference(battles(n, a, b, ndtr(noise) > 1 - chance[a, b], judge))
        ).board
        gap = board.differences[0, 1:] - (strength[0] - strength[1:])
        needed = student.ppf(0.975, board.df[0, 1:]) * np.sqrt(board.variance_of_differences[0, 1:])
        held += (np.abs(gap) < needed).tolist()
    assert 0.925 < np.mean(held) < 0.985


def tasted(rng, n, times, clusters, chance):
    """Battles of every pair; those of a cluster share its taste for every agent, and rates are as given."""
    from scipy.special import ndtr

    a, b = every_pair(n, times)
    if not clusters:
        return battles(n, a, b, rng.random(len(a)) < chance[a, b])
    of = rng.integers(clusters, size=len(a))
    taste = rng.normal(size=(clusters, n))
    noise = (taste[of, a] - taste[of, b]) / 2 + rng.normal(size=len(a)) / np.sqrt(2)
    return battles(n, a, b, ndtr(noise) > 1 - chance[a, b], of)


@pytest.mark.parametrize(
    ("n", "times", "clusters", "spread"),
    [(5, 5, 0, 0.0), (12, 3, 0, 1.0), (6, 60, 0, 1.0), (8, 5, 40, 0.5), (6, 30, 30, 1.0)],
)
def test_rates_on_one_scale_are_called_misfits_no_more_often_than_said(n, times, clusters, spread):
    rng, rounds, p_values = np.random.default_rng(20), 150, []
    for _ in range(rounds):
        chance = logistic(spread * rng.normal(size=n))
        found = bradley_terry_projection(win_rate_inference(tasted(rng, n, times, clusters, chance)))
        p_values.append(found.lack_of_fit.p_value)
    said = [p for p in p_values if p is not None]
    assert len(said) > 0.8 * rounds
    assert np.mean(np.array(said) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(said))
    assert 0.4 < np.mean(said) < 0.6


@pytest.mark.parametrize("clusters", [0, 40])
def test_a_planted_cycle_is_called_a_misfit_and_its_size_is_measured(clusters):
    """Three of six agents beat each other with 65 %, all others are even; a pair is off by 0.15 in 3 of 15 pairs."""
    rng, n, rounds = np.random.default_rng(9), 6, 40
    chance = np.full((n, n), 0.5)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        chance[i, j], chance[j, i] = 0.65, 0.35
    true = np.sqrt(3 * 0.15**2 / 15)
    found = [
        bradley_terry_projection(win_rate_inference(tasted(rng, n, 200, clusters, chance))).lack_of_fit
        for _ in range(rounds)
    ]
    assert np.mean([one.p_value < 0.05 for one in found]) > 0.9
    assert np.sqrt(np.mean([one.rms**2 for one in found])) == pytest.approx(true, rel=0.1)
    assert np.mean([one.rms_high >= true for one in found]) >= 0.9
    assert np.mean([one.defensible is False for one in found]) > 0.9


def test_rates_exactly_on_one_scale_leave_nothing_over():
    """Odds of 3, 3 and 9, a hundred thousand battles a pair."""
    rows = [[75_000, 25_000, 0, 0], [90_000, 10_000, 0, 0], [75_000, 25_000, 0, 0]]
    found = bradley_terry_projection(win_rate_inference(bp.Pairs(named(3), [0, 0, 1], [1, 2, 2], rows)))
    assert found.predicted == pytest.approx([0.75, 0.9, 0.75])
    assert (found.lack_of_fit.rms, found.defensible) == (0.0, True)
    assert found.sentence.startswith("One scale is defensible: the typical pair lies 0.0 percentage points")


@pytest.mark.parametrize(("spread", "low", "high"), [(0.0, 0.9, 1.1), (1.5, 0.5, 1.05)])
def test_standardised_residuals_vary_by_one_and_less_where_pairs_are_lopsided(spread, low, high):
    rng, z = np.random.default_rng(14), []
    for _ in range(60):
        told = tasted(rng, 8, 30, 60, logistic(spread * rng.normal(size=8)))
        z.append(bradley_terry_projection(win_rate_inference(told)).z)
    assert low < np.nanvar(np.concatenate(z)) < high


def test_a_pair_without_an_upset_is_no_misfit_for_want_of_a_variance():
    """Odds of 9 and 9 make odds of 81; nobody expects an upset in 20 battles."""
    rows = [[180, 20, 0, 0], [20, 0, 0, 0], [180, 20, 0, 0]]
    found = bradley_terry_projection(win_rate_inference(bp.Pairs(named(3), [0, 0, 1], [1, 2, 2], rows)))
    assert np.abs(found.z).max() < 1


def test_pairs_without_a_circle_cannot_tell():
    rows = [[30, 20, 0, 0], [30, 20, 0, 0]]
    found = bradley_terry_projection(win_rate_inference(bp.Pairs(named(3), [0, 1], [1, 2], rows)))
    assert found.defensible is None
    assert (found.lack_of_fit.p_value, found.lack_of_fit.rms) == (None, None)
    assert "no pairs form a circle" in found.sentence


def test_few_clusters_cannot_tell():
    rng = np.random.default_rng(0)
    found = bradley_terry_projection(win_rate_inference(tasted(rng, 5, 40, 12, np.full((5, 5), 0.5))))
    assert found.lack_of_fit.p_value is None
    assert found.defensible is None
    assert "rest on about 12 clusters, and 20 are needed" in found.sentence
    assert found.lack_of_fit.rms is not None


def test_agents_that_always_won_or_lost_have_no_strength_and_spoil_nothing():
    rng = np.random.default_rng(3)
    a, b = every_pair(5, 30)
    outcome = (rng.random(len(a)) < 0.5).astype(float)
    core = battles(5, a, b, outcome)
    more_a, more_b = np.concatenate([a, np.full(60, 5)]), np.concatenate([b, np.repeat(np.arange(3), 20)])
    more = battles(6, more_a, more_b, np.concatenate([outcome, np.ones(60)]))
    one, two = (bradley_terry_projection(win_rate_inference(told)) for told in (core, more))
    assert np.isnan(two.board.score).tolist() == [False] * 5 + [True]
    assert two.board.score[:5] == pytest.approx(one.board.score)
    assert two.board.covariance[:5, :5] == pytest.approx(one.board.covariance)
    assert two.lack_of_fit == one.lack_of_fit
    assert np.isnan(two.predicted).sum() == 3
    assert any("'agent005' has no finite strength" in note for note in two.board.notes)


def test_without_any_path_of_wins_both_ways_there_is_no_projection():
    with pytest.raises(DataError, match="no strength is finite"):
        bradley_terry_projection(win_rate_inference(bp.Pairs(named(2), [0], [1], [[5, 0, 0, 0]])))


def test_equal_ballots_are_as_many_clusters():
    votes = [[["a"], ["b"], ["c"]], [["b"], ["c"], ["a"]], [["c"], ["b"], ["a"]], [["a"], ["c"], ["b"]]]
    count = [9, 5, 7, 6]
    once = bp.Ballots.of(votes, agents=("a", "b", "c"), count=count)
    written = bp.Ballots.of([v for v, n in zip(votes, count, strict=True) for _ in range(n)], agents=("a", "b", "c"))
    one, two = (bradley_terry_projection(win_rate_inference(told)) for told in (once, written))
    assert one.board.covariance == pytest.approx(two.board.covariance)
    assert one.lack_of_fit.to_dict() == pytest.approx(two.lack_of_fit.to_dict())
    assert one.z == pytest.approx(two.z)


def test_the_unit_of_weights_changes_nothing():
    rng = np.random.default_rng(5)
    told = tasted(rng, 5, 20, 30, np.full((5, 5), 0.5))
    heavy = bp.Battles(
        told.agents, told.a, told.b, told.outcome, weight=np.full(len(told.a), 7.0), factors=told.factors
    )
    one, two = (bradley_terry_projection(win_rate_inference(each)) for each in (told, heavy))
    assert one.board.covariance == pytest.approx(two.board.covariance)
    assert one.lack_of_fit.p_value == pytest.approx(two.lack_of_fit.p_value)
    assert one.lack_of_fit.rms_high == pytest.approx(two.lack_of_fit.rms_high)
    assert one.z == pytest.approx(two.z)


def test_the_worst_pairs_are_named_from_the_side_that_wins_too_often():
    found = bradley_terry_projection(win_rate_inference(bp.example()))
    worst = found.worst(3)
    assert [one.z for one in worst] == sorted((one.z for one in worst), reverse=True)
    assert {frozenset((one.agent, one.rival)) for one in worst} == {
        frozenset(pair) for pair in (("aurora", "basalt"), ("basalt", "cinder"), ("aurora", "cinder"))
    }
    assert all(one.observed > one.predicted for one in worst)
    assert len(found.worst(10_000)) == len(found.pairwise.a)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_level_outside_zero_and_one_is_refused():
    with pytest.raises(UsageError, match="level"):
        bradley_terry_projection(win_rate_inference(bp.example()), level=1)
