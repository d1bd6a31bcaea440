"""The A/A check: splits by definition, and resolvers that keep their promise or break it."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath import Battles, Factor
from beatpath._errors import DataError, UsageError
from beatpath.inference.sensitivity.aa_test import aa_test, false_orders, split


def clustered(rng, n_clusters=60, size=8, spread=2.0):
    """Battles of x against two rivals of unlike strength; those of a cluster are won or lost together."""
    luck = np.repeat(rng.normal(0, spread, n_clusters), size)
    rival = rng.integers(1, 3, n_clusters * size)
    outcome = (rng.random(len(luck)) < 1 / (1 + np.exp(-luck - (rival - 1.5)))).astype(float)
    cluster = Factor.of(np.repeat(np.arange(n_clusters), size))
    return Battles(("x", "y", "z"), np.zeros(len(luck), int), rival, outcome, factors={"cluster": cluster})


def test_errors_by_cluster_keep_their_promise_and_independent_ones_break_it():
    passed = claimed = naive = 0
    for seed in range(4):
        battles = clustered(np.random.default_rng(seed))
        robust = aa_test(battles, "x", rounds=40, seed=seed)
        bold = aa_test(battles, "x", rounds=40, seed=seed, resolver=false_orders(cluster=None))
        passed += robust.passed
        claimed += robust.claimed
        naive += bold.claimed
    assert passed == 4
    assert claimed / 160 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 160)
    assert naive / 160 > 0.2


def test_independent_battles_keep_the_level():
    rng = np.random.default_rng(5)
    battles = Battles(("x", "y"), np.zeros(300, int), np.ones(300, int), (rng.random(300) < 0.7).astype(float))
    result = aa_test(battles, "x", rounds=150, seed=1)
    assert result.passed
    assert abs(result.share - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 150)
    assert result.clusters == 300


def test_a_split_moves_whole_clusters_and_nobody_elses_battles():
    battles = bp.example()
    groups = np.full(len(battles), -1)
    x = battles.agents.index("onyx")
    its = (battles.a == x) | (battles.b == x)
    groups[its] = np.unique(battles.factors["cluster"].codes[its], return_inverse=True)[1]
    parts, first, second = split(battles, "onyx", groups, np.random.default_rng(0))
    assert (first, second) == ("onyx (1)", "onyx (2)")
    codes = [parts.agents.index(first), parts.agents.index(second)]
    of = [(parts.a == code) | (parts.b == code) for code in codes]
    assert not (of[0] & of[1]).any()
    np.testing.assert_array_equal(of[0] | of[1], its)
    clusters = [set(parts.factors["cluster"].codes[rows]) for rows in of]
    assert not clusters[0] & clusters[1]
    assert abs(len(clusters[0]) - len(clusters[1])) <= 1
    np.testing.assert_array_equal(parts.outcome, battles.outcome)


def test_a_custom_resolver_is_called_with_the_two_halves():
    seen = []
    battles = bp.example()
    result = aa_test(
        battles,
        "onyx",
        rounds=3,
        resolver=lambda evidence, x, y: bool(seen.append((x, y, len(evidence)))) or len(seen) == 2,
    )
    assert seen == [("onyx (1)", "onyx (2)", len(battles))] * 3
    assert (result.claimed, result.rounds) == (1, 3)


def test_the_same_seed_gives_the_same_count():
    battles = clustered(np.random.default_rng(3))
    one, other = (aa_test(battles, rounds=20, seed=9) for _ in range(2))
    assert one.to_dict() == other.to_dict()
    assert one.agent == "x"


def test_too_many_claims_are_reported():
    battles = clustered(np.random.default_rng(3))
    result = aa_test(battles, "x", rounds=50, resolver=lambda evidence, x, y: True)
    assert result.sentences[0].startswith(
        "Split in two at random, 'x' was distinguished from itself in 50 of 50 splits (100 %), more"
    )
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["passed"] is False


def test_hostile_names_stay_apart_and_are_shown_safely():
    rows = [("<b>\x1b", "<b>\x1b (1)", float(i % 2)) for i in range(12)]
    result = aa_test(Battles.of(rows), "<b>\x1b", rounds=5)
    assert "\x1b" not in str(result)
    assert "<b>" not in result._repr_html_()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"agent": "zed"}, "must be one of the agents"),
        ({"rounds": 0}, "`rounds` must be a whole number"),
        ({"level": 1.0}, "`level` must lie between 0 and 1"),
        ({"seed": -1}, "`seed` must be"),
        ({"cluster": "judge"}, "must be a column"),
    ],
)
def test_wrong_arguments_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        aa_test(clustered(np.random.default_rng(0)), **options)


def test_data_that_cannot_be_split_are_refused():
    with pytest.raises(DataError, match="two halves need"):
        aa_test(Battles.of([("a", "b", 1), ("a", "b", 0)]))
    with pytest.raises(DataError, match="row by row"):
        aa_test(clustered(np.random.default_rng(0)).pairs())
