"""``beatpath check FILE``: whether the data can carry a conclusion."""

from typing import TYPE_CHECKING

from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


@o.reads
def check_verb(evidence: "Evidence", format: o.Output = "table") -> None:
    """Look at the data before any method does: who met whom, how often, how evenly, judged by whom.

    Failures and warnings come first, in words, each with what it means for the methods.

        beatpath check --example

        beatpath check battles.csv --map agent_a=left,agent_b=right,outcome=label

        beatpath check logs/*.eval --format json
    """
    from beatpath.checks import check as look
    from beatpath.reports.terminal.check import check_markdown, check_rows, check_table

    found = look(evidence)
    show(
        format,
        table=lambda: check_table(found),
        json=found.to_dict,
        csv=lambda: check_rows(found),
        md=lambda: check_markdown(found),
    )
