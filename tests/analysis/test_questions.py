"""Questions that the data cannot answer."""

from beatpath import Battles
from beatpath.reports.report import report


def test_a_method_without_an_answer_is_named_and_the_others_stay():
    made = report(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]))
    assert "bradley_terry" in made.not_run
    assert "2 parts that no chain of battles connects" in made.not_run["copeland"]
    assert "sco" in [ranking.method for ranking in made.comparison.rankings]
    assert any("failed" in str(sentence) for sentence in made.verdict)
    assert made.html()
