"""The design effect against Kish's formula and the binomial, and the errors that judges share against their tastes."""

import numpy as np
import pytest

from beatpath import Ballots, Battles, Factor
from beatpath.inference.core.estimated_edges import dependence, effect_of_clusters
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.methods.profile import profile_of


def clustered(size, correlation, clusters, rng, rates=(0.5, 0.7, 0.6)):
    """Battles of three pairs in clusters of one size, whose win rates vary by a beta law of this correlation."""
    rows, name = [], []
    for pair, rate in zip(("xy", "xz", "yz"), rates, strict=True):
        for k in range(clusters):
            one = rng.beta(rate * (1 - correlation) / correlation, (1 - rate) * (1 - correlation) / correlation)
            rows += [(*pair, float(won)) for won in rng.random(size) < one]
            name += [f"{pair}{k}"] * size
    return Battles.of(rows, factors={"cluster": Factor.of(name)})


@pytest.mark.parametrize(("size", "correlation"), [(5, 0.2), (10, 0.4), (2, 0.5)])
def test_it_comes_near_kish_s_formula(size, correlation):
    """1 + (size - 1) times the correlation within clusters."""
    battles = clustered(size, correlation, 400, np.random.default_rng(size))
    assert effect_of_clusters(profile_of(battles)).value == pytest.approx(1 + (size - 1) * correlation, rel=0.12)


def test_battles_that_are_clusters_of_their_own_have_none():
    rng = np.random.default_rng(0)
    rows = [("x", "y", float(rng.random() < 0.7)) for _ in range(50)]
    battles = Battles.of(rows, factors={"cluster": Factor.of(str(i) for i in range(50))})
    rates = win_rate_inference(battles)
    assert dependence(rates) == pytest.approx((1.0, 0.0), abs=1e-12)
    assert effect_of_clusters(profile_of(battles)).note is None


def test_it_is_never_more_than_the_size_of_the_clusters():
    rows = [("x", "y", 1.0)] * 40
    battles = Battles.of(rows, factors={"cluster": Factor.of(str(i // 20) for i in range(40))})
    assert 1 <= effect_of_clusters(profile_of(battles)).value <= 20


def test_where_no_pair_has_two_clusters_battles_are_taken_as_independent_with_a_note():
    rows = [("x", "y", 1.0)] * 9 + [("x", "z", 1.0)] * 9
    battles = Battles.of(rows, factors={"cluster": Factor.of(["p"] * 9 + ["q"] * 9)})
    effect = effect_of_clusters(profile_of(battles))
    assert effect.value == 1.0
    assert "assumes independent battles" in effect.note


def test_without_a_column_of_clusters_nothing_is_estimated():
    assert effect_of_clusters(profile_of(Battles.of([("x", "y", 1.0)] * 3))).value == 1.0
    assert effect_of_clusters(profile_of(Ballots.of([[["x"], ["y"]]]))).value == 1.0


def test_a_pair_that_counts_one_whatever_its_battles_has_no_design_effect():
    from beatpath.evidence.conventions import Conventions

    battles = clustered(5, 0.4, 40, np.random.default_rng(1))
    assert effect_of_clusters(profile_of(battles, Conventions(pair_weight="rate"))).value == 1.0


def of_judges(rng, judges=12, each=120, n=6, taste=0.8):
    """Equal agents, and judges who each like some of them better in all their battles."""
    judge = np.repeat(np.arange(judges), each)
    a = rng.integers(0, n, len(judge))
    b, likes = (a + rng.integers(1, n, len(judge))) % n, rng.normal(0, taste, (judges, n))
    won = rng.random(len(judge)) < 1 / (1 + np.exp(likes[judge, b] - likes[judge, a]))
    return Battles(
        tuple("abcdef"[:n]),
        a.astype(np.int32),
        b.astype(np.int32),
        won.astype(float),
        factors={"judge": Factor.of(map(str, judge))},
    )


def test_tastes_of_judges_are_errors_that_all_battles_of_an_agent_share():
    """A mean taste of 0.8 / sqrt(12), times the slope of a rate averaged over judges, relative to that at even odds."""
    node, weight = np.polynomial.hermite_e.hermegauss(40)
    rate = 1 / (1 + np.exp(-np.sqrt(2) * 0.8 * node))
    expected = 0.8 / np.sqrt(12) * 4 * weight @ (rate * (1 - rate)) / weight.sum()
    effects = [effect_of_clusters(profile_of(of_judges(np.random.default_rng(k)))) for k in range(40)]
    assert np.sqrt(np.mean([one.shared**2 for one in effects])) == pytest.approx(expected, rel=0.1)
    assert np.mean([one.value for one in effects]) < 1.3  # of 4.5 that all wins of an agent have
    assert "log odds common to an agent's battles" in effects[0].note
