"""Battles weighed by the reliability of their judges."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.judges.weighed import weighed
from helpers.judged import judged_battles


def test_judges_at_random_weigh_little_and_the_mean_vote_weighs_one():
    weighted = weighed(judged_battles(np.random.default_rng(0), reliability=np.repeat([0.0, 1.2], 10)), "reliability")
    judge = weighted.factors["judge"].codes
    assert weighted.weight[judge < 10].mean() < 0.25
    assert weighted.weight[judge >= 10].mean() > 1.5
    assert (weighted.weight >= 0).all()


def test_a_judge_that_always_prefers_the_first_side_weighs_nothing():
    position = np.where(np.arange(10) == 0, 9.0, 0.0)
    battles = judged_battles(np.random.default_rng(5), judges=10, reliability=np.ones(10), position=position)
    weight = weighed(battles, "reliability").weight
    assert weight[battles.factors["judge"].codes == 0].max() < 0.2


def test_alike_changes_nothing():
    battles = judged_battles(np.random.default_rng(1))
    assert weighed(battles, "alike") is battles


def test_rank_takes_the_weights_and_says_so():
    battles = judged_battles(np.random.default_rng(2), reliability=np.repeat([-0.4, 1.2], 10), spread=0.7)
    ranking = bp.rank(battles, "bradley_terry", judges="reliability")
    assert ranking.levels == bp.rank(weighed(battles, "reliability"), "bradley_terry").levels
    assert ("judges", "reliability") in {(one.name, one.value) for one in ranking.conventions}


def test_weights_of_battles_stay():
    battles = judged_battles(np.random.default_rng(3), judges=4)
    twice = bp.Battles(
        battles.agents,
        battles.a,
        battles.b,
        battles.outcome,
        weight=np.full(len(battles), 2.0),
        factors=battles.factors,
    )
    plain = bp.Battles(battles.agents, battles.a, battles.b, battles.outcome, factors=battles.factors)
    assert np.allclose(weighed(twice, "reliability").weight, 2 * weighed(plain, "reliability").weight)


def test_other_words_and_other_evidence_are_refused():
    with pytest.raises(bp.UsageError, match="`judges` must be one of alike, reliability"):
        weighed(judged_battles(np.random.default_rng(4)), "reliable")
    with pytest.raises(bp.DataError, match="battle by battle"):
        weighed(bp.Pairs(("x", "y"), [0], [1], [[3, 1, 0, 0]]), "reliability")
