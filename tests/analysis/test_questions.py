"""Questions that the data cannot answer."""

import pytest

from beatpath import Battles, Factor, example
from beatpath._progress import INTERRUPTED, Listener, listening
from beatpath.analysis.questions import QuestionRunner, judged, robustness_of
from beatpath.inference.ranking.compare import compare_components
from beatpath.methods.profile import profile_of
from beatpath.reports.report import report

LISTENING = Listener(lambda what, share: None, partly=True)


def interrupted():
    raise KeyboardInterrupt


def test_a_method_without_an_answer_is_named_and_the_others_stay():
    made = report(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]))
    assert "bradley_terry" in made.not_run
    assert "copeland" not in made.not_run
    assert made.comparison.rankings == ()  # no method ranks agents of different components
    assert "copeland" in made.comparison.methods
    assert any("failed" in str(sentence) for sentence in made.verdict)
    assert made.html()


def test_robustness_is_about_the_component_of_the_leader_also_where_no_method_ranks_it():
    won_all = [("ada", "bob", 1), ("ada", "cyd", 1), ("bob", "cyd", 1)]
    profile = profile_of(Battles.of([*won_all, ("xia", "yan", 1), ("yan", "xia", 1)]))
    comparison = compare_components(profile, ["bradley_terry"])  # no finite strengths among the three
    assert [one.agents for one in comparison.components] == [("xia", "yan")]
    robust = robustness_of(profile, ("ada",), comparison, QuestionRunner())
    assert robust.component == ("ada", "bob", "cyd")
    assert robust.removals.below == "ada"


@pytest.mark.parametrize("several", [False, True])
def test_judges_are_compared_from_two_on(several):
    rows = [("ada", "bob", 1.0), ("bob", "ada", 1.0), ("ada", "bob", 1.0)] * 20
    judge = Factor.of(f"judge {k % 2 if several else 0}" for k in range(len(rows)))
    compared = judged(Battles.of(rows, factors={"judge": judge}), 0.95, 0, QuestionRunner())
    assert (compared is not None) == several


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
    monkeypatch.setattr("beatpath.analysis.questions.compare_components", lambda *_, **__: interrupted())
    with listening(LISTENING), pytest.raises(KeyboardInterrupt):
        report(example())


def test_the_plan_of_a_report_is_at_its_own_confidence():
    battles = Battles.of([("a", "b", 1.0)] * 27 + [("a", "b", 0.0)] * 23)
    usual, strict = (report(battles, level=level).plan.number for level in (0.95, 0.99))
    assert strict > 1.2 * usual


def renamed(rows, names):
    return Battles.of([(names[a], names[b], outcome) for a, b, outcome in rows])


def test_agents_second_alike_are_all_named_where_more_battles_are_planned():
    rows = [(x, y, z) for x, y in (("a", "b"), ("a", "c"), ("b", "c")) for z in [1] * 6 + [0] * 6]
    rows += [("a", "b", 1), ("a", "c", 1), *[(x, "d", 1) for x in "abc"] * 5]
    swapped = {"a": "a", "b": "c", "c": "b", "d": "d"}
    one, other = report(Battles.of(rows), methods=["copeland"]), report(renamed(rows, swapped), methods=["copeland"])
    assert one.plan.alike == ("b", "c")
    assert one.plan.sentences == other.plan.sentences
    assert one.plan.sentences[-1].startswith("'b', 'c' are second alike")
    assert any("Separating 'a' from 'b' or 'c' takes about" in str(sentence) for sentence in one.verdict)


def test_no_agent_is_copied_because_of_its_name_where_several_are_first():
    cycle = [(x, y, z) for x, y in ("ab", "bc", "ca") for z in (1, 1, 1, 0)]
    made = report(Battles.of(cycle), methods=["copeland"])
    assert made.robustness.clones is None
    assert made.not_run["a copy of the leader"].startswith("'a', 'b', 'c' are first alike")
    assert made.plan.sentences[-1].startswith("'a', 'b', 'c' are first alike")
    alone = report(Battles.of([*cycle, ("a", "b", 1)]), methods=["copeland"])
    assert alone.robustness.clones.agent == "a"
