"""A check as a terminal table, as Markdown and as rows."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import shown

if TYPE_CHECKING:
    from beatpath.checks.finding import Check

STYLES = {"failed": "bold red", "warning": "yellow", "passed": "green", "not run": "dim"}


def check_table(check: "Check") -> RenderableType:
    """Return the check for a terminal: what was read, then the findings, failures and warnings first."""
    table = Table(box=None, padding=(0, 1), show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in check.findings:
        style = STYLES[finding.status]
        said = Text(finding.sentence, style="dim" if finding.status == "not run" else "")
        if finding.consequence:
            said.append(f" {finding.consequence}", style="italic")
        table.add_row(Text(finding.status, style=style), Text(finding.name, style="bold"), said)
    lines: list[RenderableType] = [Text(check.title, style="bold")]
    if check.reading is not None:
        lines.append(Text(str(check.reading), style="dim"))
    return Group(*lines, Text(""), table)


def check_rows(check: "Check") -> list[dict[str, str]]:
    """Return one row a finding."""
    return [
        {"status": f.status, "finding": f.name, "sentence": f.sentence, "consequence": f.consequence}
        for f in check.findings
    ]


def check_markdown(check: "Check") -> str:
    """Return the check as Markdown, for a pull request or a build summary."""
    lines = [f"### {markdown(check.title)}", ""]
    if check.reading is not None:
        lines += [f"{markdown(str(check.reading)).capitalize()}.", ""]
    lines += ["| | finding | |", "| --- | --- | --- |"]
    lines += [f"| {f.status} | {markdown(f.name)} | {markdown(f.text)} |" for f in check.findings]
    return "\n".join(lines) + "\n"


def markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    >>> print(markdown("a|b <script> *x*"))
    a\|b \<script\> \*x\*
    """
    safe = shown(text, 10_000)
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|#~$&" else c for c in safe)
