"""All questions answered once: what comes first, what has no answer, what is refused."""

from itertools import combinations

import numpy as np
import pytest

import beatpath as bp
from beatpath import Ballots, Battles, DataError, Margins, Pairs, UsageError, WinRates
from beatpath._sentence import RESOLVED, UNKNOWN
from beatpath.reports.report import Report, report
from beatpath.reports.words import pairs_note


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


def test_the_planted_cycle_comes_first_and_is_resolved(example):
    first = example.answer
    assert first.mark == RESOLVED
    assert {"aurora", "basalt", "cinder"} <= {str(part) for part in first.parts}
    assert first.text.startswith("No single agent is best")


def test_evidence_without_counts_says_what_it_cannot_say():
    made = report(WinRates([[0.5, 0.7], [0.3, 0.5]], ("ada", "bob")))
    assert made.verdict[0].mark == UNKNOWN
    assert "needs counts" in made.not_run["resolution"]
    assert "cannot be" in made.html()
    margins = report(Margins([[0, 2], [-2, 0]], ("ada", "bob")))
    assert margins.core is None
    assert "core" in margins.not_run
    assert margins.html()


def test_rankings_and_a_lone_agent_have_reports_too():
    votes = report(Ballots.of([[["A"], ["B"], ["C"]], [["B"], ["A"], ["C"]], [["A"], ["C"], ["B"]]], count=[20, 10, 5]))
    assert "borda" in [ranking.method for ranking in votes.comparison.rankings]
    assert votes.board[0].agent == "A"
    assert votes.html()


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"level": 1.5}, "level"),
        ({"methods": ["shulze"]}, "schulze"),
        ({"by": "category"}, "category"),
        ({"methods": ["borda"]}, "borda"),
    ],
)
def test_wrong_arguments_are_sentences(options, names):
    with pytest.raises(UsageError, match=names):
        report(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]), **options)


def test_no_battles_at_all_leave_an_honest_report():
    made = report(Pairs(("ada", "bob"), [], [], []))
    assert made.verdict[0].mark == UNKNOWN


def test_no_agents_are_a_sentence():
    with pytest.raises(DataError, match="names none"):
        report(Battles.of([]))


def test_a_page_of_many_agents_lists_the_pairs_of_the_first(example, monkeypatch):
    whole = example
    monkeypatch.setattr("beatpath.analysis.analyse.ALL_PAIRS", 10)
    monkeypatch.setattr("beatpath.analysis.analyse.SOME_PAIRS", 4)
    made = report(bp.example())
    assert made.board == whole.board
    assert made.pairs.agents == whole.pairs.agents[:4]
    assert max(made.pairs.b) == 3
    assert "the pairs among the first 4 of" in made.not_run["other pairs"]
    assert pairs_note(made) == pairs_note(whole)


def test_weights_of_tasks_reach_every_part():
    made = bp.report(bp.only(bp.example(), ["aurora", "basalt", "cinder"]), weights={"code": 2.0})
    assert [context.name for context in made.contexts]
    assert any(one.name == "weights" for one in made.resolution.conventions)


def test_contexts_are_the_same_whoever_looks_at_them(example):
    shared = report(bp.example(), seed=0, workers=2)
    assert shared.contexts
    assert shared.to_dict() == example.to_dict()


def test_workers_must_be_a_number_of_them():
    with pytest.raises(UsageError, match="`workers` must be a whole number"):
        report(bp.example(), workers=0)


def test_judges_in_a_report_are_those_of_all_battles_also_of_agents_too_few_to_place():
    rng = np.random.default_rng(0)
    rows = [(a, b, float(rng.random() < 0.6)) for a, b in combinations("abcd", 2) for _ in range(80)]
    rows += [("e", "a", 0.0), ("b", "e", 1.0)]
    battles = bp.Battles.of(rows, factors={"judge": bp.Factor.of(f"judge {k % 3}" for k in range(len(rows)))})
    report = bp.report(battles)
    assert [one.agent for one in report.resolution.unplaced] == ["e"]
    assert report.judges.sentences == bp.judges(battles).sentences


def test_a_report_is_made_of_more_agents_where_few_have_enough_data_and_else_refused():
    names = tuple(f"m{i:04}" for i in range(2100))
    b = np.arange(3, 2100)
    few = bp.Pairs(names, [0, 0, 1, *0 * b], [1, 2, 2, *b], [[1500, 700, 0, 0]] * 3 + [[1, 0, 0, 0]] * len(b))
    result = bp.report(few, methods=["copeland"])
    assert [row.agent for row in result.board] == ["m0000", "m0001", "m0002"]
    assert len(result.resolution.unplaced) == 2097
    many = bp.Pairs(names, np.arange(2099), np.arange(1, 2100), [[20, 20, 0, 0]] * 2099)
    with pytest.raises(bp.DataError, match=r"enough data pair by pair, at most 2,000; there are 2,100"):
        bp.report(many)
