"""Battles by context and pair, and evidence that has none."""

import numpy as np
import pytest
from scipy.special import expit

import beatpath as bp
from beatpath.inference.contexts.context_data import context_counts


def _battles(tasks, **more):
    rows = [("ada", "bob", 1.0), ("bob", "cyd", 0.5), ("cyd", "ada", 0.0), ("ada", "bob", 0.0)]
    return bp.Battles.of(rows, factors={"task": bp.Factor.of(tasks), **more})


def test_wins_are_counted_by_context_and_pair():
    counts = context_counts(_battles(["x", "x", "y", "y"]), "task")
    cells = counts.seen
    rows = sorted(zip(cells.context.tolist(), cells.a.tolist(), cells.b.tolist(), cells.won, cells.played, strict=True))
    assert rows == [(0, 0, 1, 1, 1), (0, 1, 2, 0.5, 1), (1, 0, 1, 0, 1), (1, 0, 2, 1, 1)]
    assert counts.amount.tolist() == [[1, 2, 1], [2, 1, 1]]
    assert counts.undecided == 0.25


def test_counts_by_pair_that_are_split_by_a_column_say_the_same():
    battles = _battles(["x", "x", "y", "y"])
    one, two = (context_counts(evidence, "task") for evidence in (battles, battles.pairs(["task"])))
    assert np.array_equal(one.seen.won, two.seen.won)
    assert one.undecided == two.undecided


def test_a_battle_that_weighs_double_is_no_two_battles():
    pairs = bp.Pairs(("a", "b"), [0, 0], [1, 1], [[4, 0, 0, 0], [2, 2, 0, 0]], squares=[[8, 0, 0, 0], [2, 2, 0, 0]],
                     keys={"task": bp.Factor.of(["x", "y"])})  # fmt: skip
    assert context_counts(pairs, "task").seen.played.tolist() == [2, 4]


def test_rows_without_a_context_are_left_out_with_a_note():
    counts = context_counts(_battles(["x", None, "y", "y"]), "task")
    assert "1 row without a name in 'task' left out." in counts.notes
    assert counts.seen.played.sum() == 3


def test_the_context_itself_is_no_cluster():
    judge = bp.Factor.of(["j", "j", "k", "k"])
    counts = context_counts(_battles(["x", "x", "y", "y"], judge=judge), "task", cluster=("task", "judge"))
    assert counts.clusters == ("judge",)


@pytest.mark.parametrize(
    ("evidence", "by", "message"),
    [
        (_battles(["x", "x", "y", "y"]), "tsak", "'tsak' is not among them: task.*Did you mean 'task'"),
        (_battles(["x"] * 4), "task", "two contexts or more; 'task' names one, 'x'"),
        (_battles([None] * 4), "task", "there are none"),
        (bp.Ballots.of([[["ada"], ["bob"]]]), "task", "ballots are neither"),
        (bp.Battles.of([("ada", "bob", 1)]), "task", "among them: none"),
    ],
)
def test_evidence_without_contexts_is_refused_with_a_sentence(evidence, by, message):
    with pytest.raises(bp.BeatpathError, match=message):
        context_counts(evidence, by)


def test_more_strengths_than_memory_should_hold_are_refused():
    names = tuple(f"a{i}" for i in range(100))
    task = bp.Factor.of(range(50))
    battles = bp.Battles(names, np.arange(50), np.arange(50) + 50, np.ones(50), factors={"task": task})
    with pytest.raises(bp.DataError, match="at most 4,000 contexts times agents; there are 5,000"):
        context_counts(battles, "task")


def _styled(seed, length=0.6, n=4, m=1500):
    """Better agents write shorter answers, and judges like long ones; who is a and who is b is by chance."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(0.8, -0.8, n) + rng.normal(0, 0.3, (3, n))
    a = rng.integers(n, size=m)
    b = (a + rng.integers(1, n, size=m)) % n
    task = rng.integers(3, size=m)
    longer = rng.normal(strength[0][b] - strength[0][a], 1)
    won = rng.random(m) < expit(strength[task, a] - strength[task, b] + length * longer)
    factors = {"task": bp.Factor.of([f"c{k}" for k in task])}
    battles = bp.Battles(tuple("abcd")[:n], a, b, won.astype(float), factors=factors, covariates={"longer": longer})
    return strength, battles


def test_covariates_that_nobody_likes_leave_the_strengths_as_they_are():
    _, battles = _styled(3, length=0.0)
    plain, styled = (bp.resolve(battles, by="task", covariates=x).strengths.fit.eta for x in ((), "longer"))
    assert styled == pytest.approx(plain, abs=0.15)


def test_the_effect_of_length_and_strengths_at_equal_length_are_covered():
    covered, effects = [], []
    for seed in range(20):
        strength, battles = _styled(seed)
        fit = bp.resolve(battles, by="task", covariates=["longer"], draws=1000)
        effect = fit.effects()["longer"]
        effects.append(abs(effect["estimate"] - 0.6) <= 1.96 * effect["standard_error"])
        m = expit(strength[:, :, None] - strength[:, None, :])
        truth = (m.sum(axis=2) - 0.5) / 3
        for k in range(3):
            ranks = fit.contexts[f"c{k}"]
            covered += ((ranks.low <= truth[k]) & (truth[k] <= ranks.high)).tolist()
    assert np.mean(covered) == pytest.approx(0.95, abs=0.05)  # 240 that are dependent within 20 runs
    assert np.mean(effects) >= 0.8


def test_with_one_context_that_says_nothing_of_its_own_the_fit_is_that_of_bradley_terry():
    _, battles = _styled(5)
    ours = bp.resolve(battles, by="task", covariates="longer").effects()["longer"]["estimate"]
    theirs = bp.rank(battles, "bradley_terry", covariates=["longer"]).details["covariates"]["longer"]["estimate"]
    assert ours == pytest.approx(
        theirs, abs=0.06
    )  # contexts deviate, so that one Bradley-Terry model is nearer to zero


def test_covariates_need_contexts_and_battles():
    _, battles = _styled(1)
    with pytest.raises(bp.UsageError, match="go with contexts"):
        bp.resolve(battles, covariates="longer")
    with pytest.raises(bp.DataError, match="need battles"):
        bp.resolve(battles.pairs(["task"]), by="task", covariates="longer")
    with pytest.raises(bp.UsageError, match="'length' is not among them"):
        bp.resolve(battles, by="task", covariates="length")
