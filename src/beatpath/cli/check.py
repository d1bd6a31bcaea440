"""``beatpath check FILE``: whether the data can carry a conclusion."""

from typing import TYPE_CHECKING

from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import print_csv, print_json, print_table

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
    if format == "json":
        print_json(found.to_dict())
    elif format == "csv":
        print_csv(check_rows(found))
    elif format == "md":
        print(check_markdown(found), end="")
    else:
        print_table(check_table(found))
