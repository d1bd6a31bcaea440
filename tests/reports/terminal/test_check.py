"""A check on the terminal and as Markdown: failures first, and text that stays text."""

from beatpath import Battles, check
from beatpath.reports.terminal.check import check_markdown, check_rows, check_table, markdown
from helpers.printing import printed

HOSTILE = "<script>|*x*[bold]"


def test_every_finding_has_a_line_and_failures_come_first():
    found = check(Battles.of([(HOSTILE, "bob", 1)]))
    lines = [line for line in printed(check_table(found)).splitlines() if line.startswith(("failed", "warning"))]
    status = [row["status"] for row in check_rows(found)]
    assert len(check_rows(found)) == len(found.findings)
    assert status == sorted(status, key=["failed", "warning", "passed", "not run"].index)
    assert len(lines) == sum(one in ("failed", "warning") for one in status)


def test_signs_of_markdown_are_escaped_and_every_other_letter_stays():
    assert markdown("plain text, 3 %") == "plain text, 3 %"
    assert markdown("a|b<c>") == r"a\|b\<c\>"
    text = check_markdown(check(Battles.of([(HOSTILE, "bob", 1)])))
    assert "<script>" not in text
