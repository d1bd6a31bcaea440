"""Panels of judges: how many independent judges they are worth, whom to drop, and the smallest that keeps the verdict."""

from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.judges.panel import _worth


def judged(strengths, errors, *, keys=True):
    """Battles that every judge judged: a vote is for the higher of the leads plus the judge's own errors, (judges, battles)."""
    rng, (k, total) = np.random.default_rng(1), errors.shape
    n = len(strengths)
    a = rng.integers(n, size=total)
    b = (a + rng.integers(1, n, size=total)) % n
    outcome = ((strengths[a] - strengths[b])[None, :] + errors > 0).astype(float)
    factors = {"judge": bp.Factor.of([f"judge {j}" for j in range(k) for _ in range(total)])}
    if keys:
        factors["task"] = bp.Factor.of(map(str, np.tile(np.arange(total), k)))
    return bp.Battles(
        tuple(f"agent {i}" for i in range(n)), np.tile(a, k), np.tile(b, k), outcome.ravel(), factors=factors
    )


STRENGTHS = np.linspace(0.6, -0.6, 5)


@pytest.mark.parametrize(("shared", "worth"), [(0.0, 6.0), (1.0, 1.0)])
def test_independent_judges_are_worth_their_number_and_copies_one(shared, worth):
    rng = np.random.default_rng(0)
    common, own = rng.logistic(size=(1, 3000)), rng.logistic(size=(6, 3000))
    panel = bp.judges(judged(STRENGTHS, shared * common + (1 - shared) * own)).panel
    assert panel.worth.estimate == pytest.approx(worth, rel=0.1)
    assert panel.correlation == pytest.approx(shared, abs=0.03)


def test_the_worth_of_correlated_judges_follows_the_correlation_of_their_votes():
    """k / (1 + (k - 1) rho), with rho the correlation of errors of the votes, by simulation with equal agents."""
    rng = np.random.default_rng(2)
    errors = rng.normal(size=(1, 40_000)) + rng.normal(size=(4, 40_000))
    rho = np.corrcoef((errors > 0).astype(float))[0, 1]  # one third: 2 / pi arcsin(1 / 2)
    assert rho == pytest.approx(1 / 3, abs=0.02)
    panel = bp.judges(judged(STRENGTHS / 3, errors[:, :4000])).panel
    assert panel.worth.low - 0.1 < 4 / (1 + 3 * rho) < panel.worth.high + 0.1
    assert "4 judges of the same battles are worth 2." in panel.sentence


def test_a_random_judge_is_the_one_to_drop():
    rng = np.random.default_rng(3)
    errors = rng.logistic(size=(4, 3000))
    errors[2] = 1000 * rng.choice([-1, 1], 3000)
    panel = bp.judges(judged(STRENGTHS, errors)).panel
    assert max(panel.without, key=panel.without.get) == "judge 2"
    assert "drop it" in panel.sentence
    assert "judge 2" not in panel.smallest


def test_a_gold_judge_explains_errors_that_all_share_with_it():
    rng = np.random.default_rng(4)
    taste, own = rng.logistic(size=(1, 3000)), 0.3 * rng.logistic(size=(3, 3000))
    battles = judged(STRENGTHS, taste + own)
    alone, given = bp.judges(battles).panel, bp.judges(battles, gold="judge 0").panel
    assert given.judges == ("judge 1", "judge 2")
    assert given.correlation < alone.correlation - 0.3
    assert "given 'judge 0'" in given.sentence


def test_judges_who_see_the_reverse_of_a_gold_judge_are_worth_nothing():
    """What a vote tells is measured by the gold judge alone, however many others agree with each other."""
    battles = judged(STRENGTHS, np.random.default_rng(9).logistic(size=(4, 3000)))
    others = battles.factors["judge"].codes != battles.factors["judge"].levels.index("judge 0")
    reverse = replace(battles, outcome=np.where(others, 1 - battles.outcome, battles.outcome))
    assert bp.judges(battles, gold="judge 0").panel.worth.estimate > 2
    assert bp.judges(reverse, gold="judge 0").panel.worth.estimate == 0


def test_the_smallest_panel_keeps_who_is_first():
    rng = np.random.default_rng(5)
    result = bp.judges(judged(3 * STRENGTHS, rng.logistic(size=(4, 2000))))
    assert len(result.panel.smallest) == 1
    assert result.sentences[2] == result.panel.sentence


def test_judges_of_different_battles_are_no_panel_and_an_unknown_gold_judge_gets_a_sentence():
    rng = np.random.default_rng(6)
    battles = judged(STRENGTHS, rng.logistic(size=(3, 500)), keys=False)
    assert bp.judges(battles).panel is None
    with pytest.raises(bp.UsageError, match=r"`gold` must name a judge, .*; 'judge' is none"):
        bp.judges(battles, gold="judge")


def test_grades_have_an_alpha_of_their_own():
    rng = np.random.default_rng(7)
    true = rng.normal(size=(3, 60))
    rows = [
        (f"agent {a}", f"task {t}", f"judge {j}", true[a, t] + 0.2 * rng.normal())
        for a in range(3)
        for t in range(60)
        for j in range(3)
    ]
    agent, task, judge, value = (list(column) for column in zip(*rows, strict=True))
    codes = [int(name.split()[1]) for name in agent]
    factors = {"task": bp.Factor.of(task), "judge": bp.Factor.of(judge)}
    result = bp.judges(bp.Scores(("agent 0", "agent 1", "agent 2"), codes, value, factors))
    assert result.agreement.grades.estimate == pytest.approx(
        1 / 1.04, abs=0.02
    )  # the share of variance that is not error
    assert "alpha of the grades is 0.9" in " ".join(result.sentences)


def test_the_worth_of_slopes_and_independent_errors_by_hand():
    """The mean vote has slope 0.6 / 3 and variance 7 / 9; single ones have information 0.04, 0.045 and 0.0025, 0.0875 / 3 in the mean."""
    errors, number = 50 * np.diag([1.0, 2.0, 4.0]), np.full((3, 3), 50.0)
    weak = [errors, number, 7 * np.array([0.2, 0.3, 0.1]), np.full(3, 7.0)]
    assert _worth(weak, [0, 1, 2]) == pytest.approx(0.6**2 / 7 / (0.0875 / 3))
    assert _worth(weak, [0]) == pytest.approx(0.04 / (0.0875 / 3))
    against = [errors, number, np.array([-0.2, -0.3, 0.1]), np.ones(3)]
    assert _worth(against, [0, 1, 2]) == 0
