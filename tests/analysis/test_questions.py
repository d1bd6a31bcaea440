"""Questions that the data cannot answer."""

import pytest

from beatpath import Battles, example
from beatpath._progress import INTERRUPTED, Listener, listening
from beatpath.analysis.questions import QuestionRunner
from beatpath.reports.report import report

LISTENING = Listener(lambda what, share: None, partly=True)


def interrupted():
    raise KeyboardInterrupt


def test_a_method_without_an_answer_is_named_and_the_others_stay():
    made = report(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]))
    assert "bradley_terry" in made.not_run
    assert "no chain of battles connects 2 components" in made.not_run["copeland"]
    assert "sco" in [ranking.method for ranking in made.comparison.rankings]
    assert any("failed" in str(sentence) for sentence in made.verdict)
    assert made.html()


def test_an_interrupt_ends_a_question_and_all_that_follow():
    runner = QuestionRunner()
    with listening(LISTENING):
        assert runner.ask("before", lambda: 1) == 1
        assert runner.ask("meanwhile", interrupted) is None
        assert runner.ask("after", lambda: 1) is None
    assert runner.not_run == {"meanwhile": INTERRUPTED, "after": INTERRUPTED}


def test_an_interrupt_is_one_where_nobody_asks_for_part_of_an_answer():
    with pytest.raises(KeyboardInterrupt):
        QuestionRunner().ask("meanwhile", interrupted)


def test_an_interrupted_report_has_what_was_done_and_names_the_rest(monkeypatch):
    whole = report(example())
    monkeypatch.setattr(
        "beatpath.inference.removal.smallest_influential_set.smallest_influential_set", lambda *_: interrupted()
    )
    with listening(LISTENING):
        made = report(example())
    assert made.board == whole.board
    left = {name for name, why in made.not_run.items() if why == INTERRUPTED}
    assert left >= {"fewest removals", *(f"'{context.name}' by itself" for context in whole.contexts)}
    assert not made.contexts
    assert made.html()


def test_an_interrupt_before_any_answer_leaves_no_report(monkeypatch):
    monkeypatch.setattr("beatpath.analysis.questions.compare_profile", lambda *_, **__: interrupted())
    with listening(LISTENING), pytest.raises(KeyboardInterrupt):
        report(example())


def test_the_plan_of_a_report_is_at_its_own_confidence():
    battles = Battles.of([("a", "b", 1.0)] * 27 + [("a", "b", 0.0)] * 23)
    usual, strict = (report(battles, level=level).plan.number for level in (0.95, 0.99))
    assert strict > 1.2 * usual
