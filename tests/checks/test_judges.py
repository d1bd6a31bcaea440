"""Judges and their agreement."""

import numpy as np
import pytest

from beatpath.checks import check
from beatpath.checks.judges import both_orders, flip_shares
from beatpath.evidence import Battles, Factor
from beatpath.methods.rating.judged import verdicts
from helpers.judged import judged_battles
from helpers.worlds import factor


def judged(table, names=None):
    """Battles from rows (judge, task, first agent, second agent, outcome)."""
    factors = {"judge": Factor.of([row[0] for row in table]), "task": Factor.of([row[1] for row in table])}
    return Battles.of([row[2:] for row in table], factors=factors)


def test_units_are_matched_whichever_way_round_a_pair_is_written():
    table = verdicts(judged([("j", "t", "x", "y", 1), ("k", "t", "y", "x", 0), ("k", "u", "x", "y", 1)]))
    assert table.counts().tolist() == [[2, 0, 0]]


def test_a_judge_that_contradicts_itself_on_a_unit_calls_a_tie():
    rows = [("j", "t", "x", "y", 1), ("j", "t", "x", "y", 0), ("k", "t", "x", "y", 0.5)]
    assert verdicts(judged(rows)).counts().tolist() == [[0, 0, 2]]


def crowd(rng, n_units, skill):
    """Judges that see the truth with their own probability and guess otherwise."""
    truth = rng.integers(2, size=n_units)
    seen = np.where(
        rng.random((len(skill), n_units)) < np.array(skill)[:, None], truth, rng.integers(2, size=(len(skill), n_units))
    )
    return judged(
        [(f"judge{j}", f"{u:04d}", "x", "y", float(seen[j, u])) for j in range(len(skill)) for u in range(n_units)]
    )


def test_a_judge_that_guesses_among_judges_that_know_is_named():
    battles = crowd(np.random.default_rng(2), 200, [0.95, 0.95, 0.95, 0.0])
    finding = check(battles)["agreement"]
    assert list(finding.figures["low judges"]) == ["judge3"]
    assert "'judge3'" in finding.sentence
    x = battles.outcome.reshape(4, 200)
    low = finding.figures["low judges"]["judge3"]
    assert low["agreement"] == pytest.approx(np.mean([x[3] == x[k] for k in range(3)]))
    assert low["others"] == pytest.approx(np.mean([x[i] == x[k] for i, k in ((0, 1), (0, 2), (1, 2))]))
    assert low["units"] == 200


def test_equal_judges_are_rarely_called_low():
    rng = np.random.default_rng(3)
    named = [check(crowd(rng, 60, [0.7] * 5))["agreement"].figures["low judges"] for _ in range(60)]
    assert sum(map(bool, named)) <= 5


def test_agreement_needs_judges_that_share_units():
    assert check(Battles.of([("x", "y", 1)]))["agreement"].status == "not run"
    alone = judged([("j", "t", "x", "y", 1), ("k", "u", "x", "y", 0)])
    assert check(alone)["agreement"].status == "not run"


def test_agreement_on_fewer_than_twenty_comparisons_is_reported_and_not_judged():
    few, enough = (check(crowd(np.random.default_rng(8), n, [0.95] * 3))["agreement"] for n in (19, 20))
    assert (few.status, enough.status) == ("not run", "passed")
    assert few.figures["units"] == 19
    assert few.sentence.endswith("These are too few to conclude anything.")


def test_one_judge_with_most_verdicts_is_a_warning():
    battles = Battles.of([("x", "y", 1)] * 5, factors={"judge": factor([0, 0, 0, 1, 2])})
    finding = check(battles)["judges"]
    assert finding.status == "warning"
    assert finding.figures["largest"] == {"judges": ["000000"], "battles": 3, "share": 0.6}


def test_a_judge_that_answers_at_random_is_flagged_by_the_check():
    rng = np.random.default_rng(4)
    finding = check(judged_battles(rng, judges=6, each=150, reliability=[1, 1, 1, 1, 1, 0]))["single judges"]
    assert finding.status == "warning"
    assert finding.figures["flagged"] == {"000005": ["answers as if at random"]}
    assert "'000005' answers as if at random" in finding.sentence


def test_a_judge_that_favors_the_agent_of_its_name_is_flagged_by_the_check():
    own_family = np.where(np.arange(6) == 2, 3.0, 0.0)
    finding = check(judged_battles(np.random.default_rng(5), agents=6, judges=6, each=400, own_family=own_family))[
        "single judges"
    ]
    assert finding.figures["flagged"] == {"000002": ["favors its own family"]}


def test_a_judge_of_pairs_that_nobody_else_saw_has_no_reliability_and_hides_none():
    rows = [
        (judge, str(k), *pair) for judge in "xy" for k in range(30) for pair in (("a", "b", k % 3 > 0), ("b", "c", 1))
    ]
    alone = [("z", str(k), "d", "e", k % 2) for k in range(30)]
    both, one = (check(judged(table))["single judges"].figures["reliability"] for table in (rows + alone, rows))
    assert both["min"] == pytest.approx(one["min"], abs=0.05)
    assert both["max"] == pytest.approx(one["max"], abs=0.05)
    apart = [("y", str(k), "a", "b", k % 3 > 0) for k in range(30)]
    assert check(judged(apart + alone))["single judges"].figures["reliability"] == {}


def test_honest_judges_pass_and_few_votes_are_not_run():
    assert check(judged_battles(np.random.default_rng(6), judges=6))["single judges"].status == "passed"
    few = check(judged_battles(np.random.default_rng(7), judges=6, each=10))["single judges"]
    assert few.status == "not run"
    assert "20 or more votes" in few.sentence
    assert check(Battles.of([("x", "y", 1)]))["single judges"].status == "not run"


def test_the_verdicts_of_judges_are_counted():
    judge = Factor.of(["ann"] * 5 + ["ben"] * 2 + ["cat"] * 1 + ["dee"] * 2)
    figures = check(Battles.of([("x", "y", 1)] * 10, factors={"judge": judge}))["judges"].figures
    assert [figures[name] for name in ("number", "min", "median", "max")] == [4, 1, 2, 5]
    assert figures["largest"] == {"judges": ["ann"], "battles": 5, "share": 0.5}
    assert figures["effective"] == pytest.approx(10**2 / (25 + 4 + 1 + 4))


@pytest.mark.parametrize("side", [1, -1])
def test_a_verdict_that_follows_the_side_shown_first_or_second_is_a_flip_to_it(side):
    shown_first = np.array([1, -1, 1, -1])  # the first agent, then the second, of both prompts
    won = (side * shown_first > 0).astype(float)
    prompts = {"cluster": Factor.of(["p", "p", "q", "q"])}
    battles = Battles(("ada", "bob"), [0] * 4, [1] * 4, won, position=shown_first, factors=prompts)
    assert flip_shares(both_orders(battles, ["cluster"])) == (1.0, float(side > 0), float(side < 0))


def test_judges_with_as_many_verdicts_are_all_named():
    judge = Factor.of(["j", "k", "l", "j", "k"])
    finding = check(Battles.of([("a", "b", 1)] * 5, factors={"judge": judge}))["judges"]
    assert finding.figures["largest"] == {"judges": ["j", "k"], "battles": 2, "share": 0.4}
    assert finding.sentence == "3 judges gave 5 verdicts; 'j', 'k' each gave 40.0 % of them."
