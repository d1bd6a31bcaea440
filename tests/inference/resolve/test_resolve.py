"""What the data resolve, as a whole: shape, claims, bad input, hostile names."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.data.example import CYCLE, truth
from beatpath.inference.resolve.resolve import resolve


@pytest.fixture(scope="module")
def found():
    return resolve(bp.example())


def test_the_planted_cycle_survives_and_one_scale_is_not_defensible(found):
    assert found.cycles.significant == 1
    assert set(found.cycles.strongest.agents) == set(CYCLE)
    assert found.one_scale.defensible is False


def test_every_certain_order_of_the_example_is_true(found):
    rates = truth().matrix
    score = (rates.sum(axis=1) - np.diag(rates)) / (len(rates) - 1)
    above, below = np.nonzero(found.ranks.above)
    assert (score[above] > score[below] - 0.02).all()  # one judge in five is biased, so that the truth is not quite it


def test_same_seed_same_answer(found):
    again = resolve(bp.example())
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())


def test_the_order_of_rows_does_not_matter(found):
    battles = bp.example()
    mixed = battles.take(np.random.default_rng(1).permutation(len(battles)))
    for name, row in resolve(mixed).to_dict()["ranks"].items():
        assert row == pytest.approx(found.to_dict()["ranks"][name])


@pytest.mark.parametrize("estimand", ["mean_win_rate", "as_sampled", "bradley_terry", {"aurora": 1.0, "dune": 2.0}])
def test_every_estimand_resolves(estimand):
    assert resolve(bp.example(), estimand=estimand).ranks.resolved_pairs > 0


def test_tables_of_scores_resolve_by_tasks():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(4, 40)) + np.array([[2.0], [1.9], [0.0], [-3.0]])
    scores = bp.Scores.from_table(table, list("abcd"), [f"t{i:02d}" for i in range(40)])
    for estimand in ("auto", "mean_win_rate", "mean_score"):
        told = resolve(scores, estimand=estimand)
        assert told.test("a > c").supported
        assert not told.test("a > b").supported
        assert told.test("d is last").supported


def test_ballots_resolve_by_voter():
    ballots = bp.Ballots.of([[["a"], ["b"], ["c"]], [["b"], ["a"], ["c"]]], count=[30, 28])
    told = resolve(ballots)
    assert told.test("a > c").supported
    assert not told.test("a > b").supported


@pytest.mark.parametrize("level", [0.0, 1.0, -1, 95, float("nan")])
def test_a_level_must_lie_between_zero_and_one(level):
    with pytest.raises(bp.UsageError, match="between 0 and 1"):
        resolve(bp.example(), level=level)


def test_an_agent_with_one_battle_is_wide_open_and_said():
    rows = [("a", "b", 1.0), *[("b", "c", float(i % 2)) for i in range(40)]]
    told = resolve(bp.Battles.of(rows), field="all")
    i = told.agents.index("a")
    assert (told.ranks.best[i], told.ranks.worst[i]) == (1, 3)
    assert any("fewer than 10 battles: 'a'" in note for note in told.notes)
