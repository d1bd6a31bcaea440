"""Every judge held against the others, from end to end."""

import json
from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath import Battles, Factor
from helpers.judged import judged_battles
from helpers.schemas import validated


@pytest.fixture(scope="module")
def planted():
    r, position, own_family = np.ones(12), np.zeros(12), np.zeros(12)
    r[0], r[1] = 0, 0
    position[1], own_family[2] = 8, 3.0
    rng = np.random.default_rng(0)
    return bp.judges(
        judged_battles(rng, agents=12, judges=12, each=600, reliability=r, position=position, own_family=own_family)
    )


def test_planted_judges_are_flagged_and_no_other(planted):
    assert {one.name for one in planted.alarmed} == {"000000", "000001", "000002"}
    alarms = {one.name: one.alarms for one in planted.judges}
    assert alarms["000000"] == ("answers as if at random",)
    assert "takes the side shown first in" in alarms["000001"][-1]
    assert alarms["000002"] == ("favors its own family",)


def test_weights_follow_reliability(planted):
    weight = planted.weights
    assert max(weight["000000"], weight["000001"]) < 0.3
    assert min(w for name, w in weight.items() if name > "000001") > 0.8


def test_shares_between_equal_agents_hold_what_was_planted(planted):
    own_family = next(one for one in planted.judges if one.name == "000002").shifts["own_family"]
    assert own_family.low < 1 / (1 + np.exp(-3.0)) < own_family.high


def test_its_document_is_what_its_schema_says_and_the_same_again(planted):
    data = validated(planted.to_dict())
    assert json.loads(json.dumps(data)) == data
    battles = judged_battles(np.random.default_rng(1), judges=4, agents=5)
    assert bp.judges(battles).to_dict() == bp.judges(battles).to_dict()


def test_the_order_of_rows_and_names_changes_nothing():
    battles = judged_battles(np.random.default_rng(2), judges=4, agents=5)
    rows = np.random.default_rng(3).permutation(len(battles))
    one, other = bp.judges(battles), bp.judges(battles.take(rows))
    for mine, theirs in zip(one.judges, other.judges, strict=True):
        assert mine.reliability.estimate == pytest.approx(theirs.reliability.estimate, abs=1e-6)
        assert mine.alarms == theirs.alarms


@pytest.mark.parametrize("clustered", [False, True])
def test_what_is_held_out_depends_on_the_votes_and_not_on_names_sides_or_the_order_of_rows(clustered):
    rng = np.random.default_rng(5)
    battles = judged_battles(rng, judges=4, agents=5, each=100)
    if clustered:
        prompts = Factor.of([f"prompt {i}" for i in rng.integers(60, size=len(battles))])
        battles = replace(battles, factors=battles.factors | {"cluster": prompts})
    rows, turned = rng.permutation(len(battles)), rng.random(len(battles)) < 0.5
    other = battles.take(rows)
    names = np.array([f"{9 - i}" for i in range(5)])
    a, b = np.where(turned, other.b, other.a), np.where(turned, other.a, other.b)
    outcome = np.where(turned, 1 - other.outcome, other.outcome)
    columns = {name: Factor.of([f"{99 - i}" for i in one.codes]) for name, one in other.factors.items()}
    columns["judge"] = Factor.of(names[other.factors["judge"].codes])  # a judge keeps the name of its own agent
    renamed = Battles.of(list(zip(names[a], names[b], outcome, strict=True)), factors=columns)
    renamed = replace(renamed, position=np.where(turned, -other.position, other.position))
    one, same = bp.judges(battles).held_out, bp.judges(renamed).held_out
    for name in ("plain", "aware", "gain", "standard_error"):
        assert getattr(one, name) == pytest.approx(getattr(same, name), rel=1e-6), name


def test_a_covariate_that_one_judge_rewards_is_flagged():
    rng = np.random.default_rng(4)
    battles = judged_battles(rng, judges=6, agents=6, each=400)
    length = rng.normal(0, 300, len(battles))
    mine = battles.factors["judge"].codes == 0
    outcome = np.where(mine & (rng.random(len(battles)) < 0.6), (length > 0).astype(float), battles.outcome)
    rewarded = bp.Battles(
        battles.agents, battles.a, battles.b, outcome, factors=battles.factors, covariates={"length": length}
    )
    panel = bp.judges(rewarded, covariates="length")
    assert "rewards 'length'" in next(one for one in panel.judges if one.name == "000000").alarms
    assert all("rewards 'length'" not in one.alarms for one in panel.judges if one.name != "000000")


def test_judges_of_the_same_units_are_compared_with_each_other():
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=300)
    seen = np.array([np.where(rng.random(300) < q, truth, rng.integers(2, size=300)) for q in (0.9, 0.9, 0.2)])
    rows = [("x", "y", float(v)) for one in seen for v in one]
    factors = {
        "judge": bp.Factor.of(np.repeat(["j", "k", "l"], 300)),
        "cluster": bp.Factor.of(np.tile(np.arange(300), 3)),
    }
    agreement = bp.judges(bp.Battles.of(rows, factors=factors)).agreement
    assert agreement.units == 300
    assert "l" in agreement.pairs[0].judges
    assert agreement.accuracy["j"].low > agreement.accuracy["l"].high


def test_agents_that_tie_are_first_together_whatever_their_order():
    rows = [("x", "y", 1), ("y", "x", 1)] * 40
    factors = {"judge": bp.Factor.of(["j", "j", "k", "k"] * 20)}
    panel = bp.judges(bp.Battles.of(rows, factors=factors))
    assert panel.first == ("x", "y")
    assert "'x', 'y' are first" in panel.sentences[1]
    assert all(one.reversed is None for one in panel.judges)


def test_scores_are_judged_too():
    rng = np.random.default_rng(6)
    agent, judge, task = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(3), np.arange(60)))
    value = np.where(judge == 2, 0.0, agent) + rng.normal(0, 1.5, len(agent))
    factors = {name: bp.Factor.of(codes) for name, codes in (("judge", judge), ("task", task))}
    panel = bp.judges(bp.Scores(tuple("wxyz"), agent, value, factors))
    assert [one.name for one in panel.alarmed] == ["2"]
    assert panel.first == ("z",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "`level` must lie from"),
        ({"min_votes": 1}, "`min_votes` must be a whole number"),
        ({"families": {"nobody": "x"}}, "'nobody' is neither"),
        ({"covariates": "length"}, "must name numeric columns"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(options, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.judges(judged_battles(np.random.default_rng(7), judges=3, agents=4), **options)


def test_scores_with_a_column_of_judges_are_read_as_theirs_and_compared(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        (model, f"t{t}", f"j{j}", round(5 + 2 * (model == "ada") + rng.normal(), 2))
        for model in ("ada", "bob")
        for t in range(30)
        for j in range(3)
    ]
    path = tmp_path / "graded.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [("model", "task", "judge", "score"), *rows]))
    read = bp.read(path)
    agent, task, judge = (bp.Factor.of([row[k] for row in rows]) for k in range(3))
    by_hand = bp.Scores(agent.levels, agent.codes, [row[3] for row in rows], {"task": task, "judge": judge})
    assert read.reading.guessed["replicate"] == "judge"
    ours, theirs = bp.judges(read).to_dict(), bp.judges(by_hand).to_dict()
    assert ours == theirs
    assert ours["agreement"]["grades"] is not None
