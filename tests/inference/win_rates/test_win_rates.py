"""Win rates with robust errors: against the definition by brute force, statsmodels, and each special case."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import beatpath as bp
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers import strategies
from helpers.paths import GOLDEN


def by_brute_force(battles, name):
    """The jackknife of the smoothed rates, one cluster at a time, and the pseudo-count's own variance."""
    turned = battles.a > battles.b
    a, b = np.where(turned, battles.b, battles.a), np.where(turned, battles.a, battles.b)
    s = np.where(turned, 1 - battles.outcome, battles.outcome)
    w = np.ones(len(s)) if battles.weight is None else np.asarray(battles.weight)
    pairs = sorted(set(zip(a.tolist(), b.tolist(), strict=True)))
    cluster = battles.factor(name).codes

    def smoothed(keep):
        rates = []
        for pair in pairs:
            of = (a == pair[0]) & (b == pair[1])
            unit = (w[of] ** 2).sum() / w[of].sum()
            of = of & keep
            rates.append(((w[of] * s[of]).sum() + unit / 2) / (w[of].sum() + unit))
        return np.array(rates)

    whole = smoothed(np.ones(len(s), bool))
    V = sum(np.outer(whole - one, whole - one) for one in (smoothed(cluster != c) for c in np.unique(cluster)))
    for k, pair in enumerate(pairs):
        of = (a == pair[0]) & (b == pair[1])
        unit, total = (w[of] ** 2).sum() / w[of].sum(), w[of].sum()
        V[k, k] += unit**2 * ((1 - whole[k]) ** 2 + whole[k] ** 2) / 2 / total**2
    return V


@given(strategies.clustered_battles(weighted=True))
def test_the_covariance_is_the_jackknife_of_the_smoothed_rates(battles):
    win_rates = win_rate_inference(battles)
    assert win_rates.covariance(np.eye(len(win_rates.rate))) == pytest.approx(
        by_brute_force(battles, "cluster"), abs=1e-12
    )
    assert win_rates.variance == pytest.approx(np.diag(by_brute_force(battles, "cluster")), abs=1e-12)


@given(strategies.clustered_battles())
def test_clusters_of_one_battle_are_independent_battles(battles):
    alone = bp.Battles(
        battles.agents,
        battles.a,
        battles.b,
        battles.outcome,
        factors={"cluster": bp.Factor.of(f"{i:03d}" for i in range(len(battles)))},
    )
    one, other = win_rate_inference(alone), win_rate_inference(battles, cluster=None)
    assert one.variance == pytest.approx(other.variance, abs=1e-12)
    assert np.isinf(one.df).all()
    assert np.isinf(other.df).all()
    assert one.clusterings[0].n_clusters == len(battles)


@given(strategies.clustered_battles())
def test_a_missing_cluster_is_a_cluster_of_its_own(battles):
    codes = battles.factor("cluster").codes
    some = bp.Factor.of(None if c == 0 else str(c) for c in codes)
    each = bp.Factor.of(f"alone {i:03d}" if c == 0 else str(c) for i, c in enumerate(codes))

    def variance(factor):
        changed = bp.Battles(battles.agents, battles.a, battles.b, battles.outcome, factors={"cluster": factor})
        return win_rate_inference(changed).variance

    if (codes > 0).any() and len(set(codes.tolist())) > 2:
        assert variance(some) == pytest.approx(variance(each), abs=1e-12)


@given(strategies.clustered_battles(weighted=True))
def test_two_ways_add_up_and_lose_what_they_share(battles):
    win_rates = win_rate_inference(battles, cluster=("cluster", "judge"))
    # every cluster here belongs to one judge, so that what they share is the cluster itself
    alone = win_rate_inference(battles, cluster="judge") if len(battles.factor("judge").levels) > 1 else None
    assert alone is not None
    assert win_rates.variance == pytest.approx(alone.variance, abs=1e-12)
    assert any("alone" in note for note in win_rates.notes)


@given(strategies.clustered_battles())
def test_counts_by_cluster_say_as_much_as_the_battles(battles):
    rows, counts = win_rate_inference(battles), win_rate_inference(battles.pairs(by=("cluster",)))
    assert counts.rate == pytest.approx(rows.rate)
    assert counts.variance == pytest.approx(rows.variance, abs=1e-12)
    assert counts.df == pytest.approx(rows.df)


def test_errors_agree_with_statsmodels_but_for_the_correction():
    golden = json.loads((GOLDEN / "cluster_robust_statsmodels.json").read_text())
    battles = replace(bp.only(bp.example(), golden["agents"]), position=None)
    win_rates = win_rate_inference(battles)
    theirs, ours = np.array(golden["cluster"]), win_rates.covariance(np.eye(10))
    assert win_rates.rate == pytest.approx(golden["rate"])
    ratio = np.sqrt(np.diag(ours) / np.diag(theirs))
    assert (ratio > 1).all()  # corrected for small samples
    assert (ratio < 1.02).all()
    assert np.abs(np.corrcoef(ours) - np.corrcoef(theirs)).max() < 0.01
    alone = win_rate_inference(battles, cluster=None).stderr / np.array(golden["independent"])
    assert ((alone > 1) & (alone < 1.01)).all()


def test_a_pair_that_always_ends_alike_keeps_an_error():
    pairs = bp.Pairs(("ada", "bob"), [0], [1], [[20, 0, 0, 0]])
    win_rates = win_rate_inference(pairs)
    assert win_rates.rate[0] == 1
    assert win_rates.stderr[0] == pytest.approx(np.sqrt(21 * (20.5 / 21) * (0.5 / 21)) / 20)


def test_the_mean_variance_of_equal_agents_is_right():
    """(N + 1) psi~ (1 - psi~) / N^2 averages 1 / (4 N) to second order: checked by the binomial itself."""
    from scipy.stats import binom

    for n in (2, 5, 20):
        won = np.arange(n + 1)
        smooth = (won + 0.5) / (n + 1)
        mean = (binom.pmf(won, n, 0.5) * (n + 1) * smooth * (1 - smooth) / n**2).sum()
        assert mean == pytest.approx(1 / (4 * n), rel=1 / n**1.5)


def test_one_cluster_is_refused_by_name():
    battles = bp.Battles.of([("a", "b", 1), ("a", "b", 0)], factors={"judge": bp.Factor.of(["solo", "solo"])})
    with pytest.raises(bp.DataError, match=r"at least two.*'solo'"):
        win_rate_inference(battles, cluster="judge")


def test_two_ways_need_both_names():
    factors = {"cluster": bp.Factor.of(["p", "q", None]), "judge": bp.Factor.of(["x", "y", "x"])}
    battles = bp.Battles.of([("a", "b", 1), ("a", "b", 0), ("a", "b", 1)], factors=factors)
    with pytest.raises(bp.DataError, match="1 battle lack 'cluster'"):
        win_rate_inference(battles, cluster=("cluster", "judge"))


def test_few_clusters_are_reported():
    win_rates = win_rate_inference(bp.example(), cluster="judge")
    assert any("rest on 5 judges" in note for note in win_rates.notes)


def test_two_ways_that_cross_are_the_sum_of_both_less_the_cells_they_share():
    """The jackknife over rows, over columns and over cells of a table, each written out."""
    rng = np.random.default_rng(6)
    row, column = (side.ravel() for side in np.meshgrid(range(3), range(10), indexing="ij"))
    row, column = np.repeat(row, 2), np.repeat(column, 2)
    outcome = rng.integers(0, 2, size=60).astype(float)
    factors = {"row": bp.Factor.of(map(str, row)), "column": bp.Factor.of(map(str, column))}
    battles = bp.Battles(("a", "b"), np.zeros(60, int), np.ones(60, int), outcome, factors=factors)
    smooth = (outcome.sum() + 0.5) / 61

    def spread(code):
        parts = [outcome[code == c] for c in np.unique(code)]
        return sum(((one.sum() - smooth * len(one)) / (61 - len(one))) ** 2 for one in parts)

    imagined = ((1 - smooth) ** 2 + smooth**2) / (2 * 60**2)
    expected = spread(row) + spread(column) - spread(10 * row + column) + imagined
    assert win_rate_inference(battles, cluster=("row", "column")).variance == pytest.approx([expected])


@pytest.mark.parametrize("weights", [[1.0] * 6, [2.0] * 6, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]])
def test_battles_of_their_own_know_the_share_that_one_of_them_is(weights):
    battles = bp.Battles(("a", "b"), [0] * 6, [1] * 6, [1.0, 0.0, 1.0, 1.0, 0.0, 1.0], weight=weights)
    w = np.array(weights)
    assert win_rate_inference(battles, cluster=None).alone == pytest.approx([(w**2).sum() / w.sum() ** 2])


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (bp.Scores.from_table([[0.2, 0.4]], ["ada"], "xy"), "'ada' is the only one. Two runs of it"),
        (
            bp.Scores(("ada", "bob"), [0, 1], [0.2, 0.4], {"task": bp.Factor.of("xy")}),
            "scores of the same task; no two have",
        ),
        (bp.Pairs(("ada", "bob"), [0], [1], [[0, 0, 0, 0]]), "at least one battle between two agents"),
    ],
)
def test_data_in_which_no_two_agents_meet_are_refused(evidence, message):
    with pytest.raises(bp.DataError, match=message):
        win_rate_inference(evidence)
