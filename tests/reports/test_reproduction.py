"""Published figures beside ours: what differs without a reason fails."""

import pytest

from beatpath.reports.reproduction import Line, show
from helpers.schemas import validated

SAME, OTHER = Line("the gap", "1.10", "1.10", agrees=True), Line("the error", "0.5", "0.6", agrees=False)
EXPLAINED = Line("the rank", "2", "3", agrees=None, note="the paper breaks a tie")


@pytest.mark.parametrize(
    ("lines", "status"), [([SAME], 0), ([SAME, EXPLAINED], 0), ([SAME, OTHER], 1), ([], 0)], ids=str
)
def test_the_status_is_one_where_a_figure_differs_without_a_reason(lines, status, capsys):
    assert show("a table", lines) == status
    assert "published" in capsys.readouterr().out


def test_json_holds_every_line_as_its_schema_says(capsys):
    show("a table", [SAME, EXPLAINED, OTHER], "json")
    document = validated(capsys.readouterr().out)
    assert [line["agrees"] for line in document["lines"]] == [True, None, False]
