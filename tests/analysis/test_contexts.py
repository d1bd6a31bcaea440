"""The same questions of every context by itself."""

from beatpath import Battles, Factor
from beatpath._sentence import UNKNOWN
from beatpath.reports.report import report


def test_a_context_that_does_not_fit_what_was_told_has_no_answer_and_spoils_nothing():
    rows = [("ada", "bob", 1), ("bob", "ada", 1), ("ada", "bob", 0), ("cyd", "bob", 1), ("bob", "cyd", 1)] * 6
    tasks = ["code", "code", "code", "maths", "maths"] * 6
    made = report(Battles.of(rows, factors={"task": Factor.of(tasks)}), estimand={"ada": 1, "bob": 1})
    said = {context.name: context.verdict[0].mark for context in made.contexts}
    assert said["maths"] == UNKNOWN
    assert said["code"] != UNKNOWN
