"""Evidence as votes of judges."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.methods.rating.judged import battles_of_scores, voted


def test_scores_become_the_comparisons_that_each_judge_makes():
    factors = {"judge": bp.Factor.of(list("jjjkk")), "task": bp.Factor.of(["t"] * 5)}
    scores = bp.Scores(("x", "y", "z"), [0, 1, 2, 0, 1], [3.0, 1.0, 1.0, 2.0, 5.0], factors)
    made = battles_of_scores(scores)
    judge = made.factors["judge"].names()
    comparisons = {
        (judge[t], made.agents[made.a[t]], made.agents[made.b[t]], float(made.outcome[t])) for t in range(len(made))
    }
    assert comparisons == {("j", "x", "y", 1.0), ("j", "x", "z", 1.0), ("j", "y", "z", 0.5), ("k", "x", "y", 0.0)}


def test_scores_that_are_better_when_lower_are_turned_round():
    factors = {"judge": bp.Factor.of(["j", "j"]), "task": bp.Factor.of(["t", "t"])}
    scores = bp.Scores(("x", "y"), [0, 1], [3.0, 1.0], factors, {"t": False})
    assert battles_of_scores(scores).outcome.tolist() == [0.0]


def battles(judges, outcome=1):
    return bp.Battles.of([("x", "y", outcome)] * len(judges), factors={"judge": bp.Factor.of(judges)})


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (bp.Battles.of([("x", "y", 1)]), "judges need a column that names them"),
        (battles(["j", "j"]), "two or more; all votes are those of 'j'"),
        (battles([None, None]), "no battle names its judge"),
        (battles(["j", "k"], 0.5), "every battle of these is a tie"),
        (bp.Pairs(("x", "y"), [0], [1], [[3, 1, 0, 0]]), "do not say who judged"),
    ],
)
def test_missing_columns_are_reported(evidence, message):
    with pytest.raises(bp.DataError, match=message):
        voted(evidence, None, (), 0)


def test_covariates_come_in_units_of_their_root_mean_square():
    evidence = bp.Battles.of(
        [("x", "y", 1), ("x", "y", 0)],
        factors={"judge": bp.Factor.of(["j", "k"])},
        covariates={"length": np.array([3.0, -4.0])},
    )
    votes = voted(evidence, None, "length", 0)
    assert votes.columns == ("length",)
    assert (votes.votes.x**2).mean() == pytest.approx(1)
