"""The sandwich over clusters: statsmodels', and the inverse information where the model is right."""

import json
from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.scale.lack_of_fit import additive
from beatpath.inference.scale.projection import bradley_terry_projection
from beatpath.inference.win_rates.residuals import residuals
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.paths import GOLDEN
from helpers.tastes import battles, every_pair, logistic


def test_the_sandwich_is_that_of_statsmodels_but_for_the_correction():
    golden = json.loads((GOLDEN / "bradley_terry_sandwich_statsmodels.json").read_text())
    battles = replace(bp.only(bp.example(), golden["agents"]), position=None)
    last = np.hstack([np.eye(5), -np.ones((5, 1))])
    for cluster, name in ((None, "independent"), ("cluster", "cluster")):
        pairwise = win_rate_inference(battles, cluster=cluster)
        projection = bradley_terry_projection(pairwise)
        predicted, theirs = projection.predicted, np.array(golden[name])
        assert last @ projection.board.score == pytest.approx(golden["strength"], abs=1e-6)
        fit, left = additive(pairwise, predicted * (1 - predicted)), residuals(pairwise, predicted)
        f = [np.diag(np.sqrt(left.alone))] + [part.f.tocsr().toarray() for part in left.parts]
        plain = (
            last @ fit.inverse @ fit.incidence.T @ sum(one.T @ one for one in f) @ fit.incidence @ fit.inverse @ last.T
        )
        assert plain == pytest.approx(theirs, rel=1e-6)
        assert last @ fit.inverse @ last.T == pytest.approx(np.array(golden["information"]), rel=1e-6)
        ratio = np.diag(last @ projection.board.covariance @ last.T) / np.diag(theirs)
        assert ((ratio > 1) & (ratio < 1.1)).all()


def test_the_sandwich_is_the_inverse_information_where_battles_are_independent_and_the_model_is_right():
    rng = np.random.default_rng(6)
    a, b = every_pair(6, 400)
    chance = logistic(np.linspace(1, -1, 6))
    pairwise = win_rate_inference(battles(6, a, b, rng.random(len(a)) < chance[a, b]))
    projection = bradley_terry_projection(pairwise)
    information = additive(pairwise, projection.predicted * (1 - projection.predicted)).inverse
    assert np.diag(projection.board.covariance) == pytest.approx(np.diag(information), rel=0.05)


@pytest.mark.parametrize("weight", [1.0, 4.0])
def test_a_cluster_that_holds_all_of_an_agent_leaves_it_one_imagined_even_battle(weight):
    rows = [("ada", "bob", float(i % 2)) for i in range(8)] + [("cyd", "bob", 1.0), ("cyd", "bob", 0.0)]
    cluster = bp.Factor.of([f"{i // 2}" for i in range(10)])  # the last is all that Cyd has
    battles = bp.Battles.of(rows, weight=[weight] * 10, factors={"cluster": cluster})
    pairwise = win_rate_inference(battles)
    predicted = np.array([0.6, 0.3])
    fit, left = additive(pairwise, predicted * (1 - predicted)), residuals(pairwise, predicted)
    (block,) = fit.blocks(left)
    at_agent, left_out = block.at_agent.toarray(), block.left_out.toarray()
    cyd, bob = (battles.agents.index(name) for name in ("cyd", "bob"))
    known = fit.information[cyd, cyd]
    assert left_out[-1, cyd] == pytest.approx(at_agent[-1, cyd] * known / (0.25 * weight))
    share = 2 * weight * fit.slope[-1]
    everything = fit.information[bob, bob]
    assert left_out[-1, bob] == pytest.approx(at_agent[-1, bob] * everything / (everything - share))
