"""A report as Markdown, short enough for a comment on a pull request."""

from typing import TYPE_CHECKING

from beatpath._sentence import Name, Sentence
from beatpath._text import shown
from beatpath.reports.page.words import board_note, facts, ranks, score, score_name, scores_are_shares, step
from beatpath.reports.terminal.check import markdown

if TYPE_CHECKING:
    from beatpath.analysis.analysis import Analysis

MOST = 40  # rows of the board


def report_markdown(report: "Analysis") -> str:
    """Return verdict, failed checks and warnings, board, and where it comes from."""
    lines = [f"## {markdown(shown(report.title, 200))}", "", f"{report.size}.", ""]
    lines += verdict_markdown(report).splitlines()
    troubles = [f for f in report.check.findings if f.status in ("failed", "warning")]
    if troubles:
        lines += ["", "### Can you trust this?", ""]
        lines += [f"- **{f.status}**, {markdown(f.name)}: {markdown(f.text)}" for f in troubles]
    lines += ["", "### Leaderboard", "", *_board_table(report, MOST), "", markdown(board_note(report)), ""]
    lines += ["<details><summary>Where this comes from</summary>", ""]
    lines += [f"- {term}: {markdown(meaning)}" for term, meaning in facts(report)]
    return "\n".join([*lines, "", "</details>"]) + "\n"


def verdict_markdown(report: "Analysis") -> str:
    """Return the short answer, then the sentences of the verdict, one a line."""
    return f"**{markdown(report.answer.text)}**\n\n" + "\n".join(
        f"- {_sentence_markdown(sentence)} *({sentence.mark})*" for sentence in report.verdict
    )


def board_markdown(report: "Analysis") -> str:
    """Return the whole board as a table."""
    return "\n".join(_board_table(report, len(report.board)))


def _sentence_markdown(sentence: Sentence) -> str:
    return "".join(
        f"**{markdown(shown(part))}**" if isinstance(part, Name) else markdown(part) for part in sentence.parts
    )


def _board_table(report: "Analysis", most: int) -> list[str]:
    share = scores_are_shares(report)
    steps = report.tiers
    head, rule = ("", "") if steps is None else (f"| {steps.heading} ", "| --- ")
    lines = [
        f"{head}| ranks | agent | {score_name(report)} | interval | core | {report.unit}s |",
        f"{rule}| ---: | --- | ---: | ---: | --- | ---: |",
    ]
    for row in report.board[:most]:
        ends = (
            ""
            if row.low is None
            else f"{score(row.low, share=share, bare=True)} to {score(row.high, share=share, bare=True)}"
        )
        battles = "" if row.battles is None else f"{row.battles:,}"
        value = score(row.score, share=share)
        own = "" if steps is None else f"| {step(row, steps.scheme, report.board)} "
        lines.append(
            f"{own}| {ranks(row)} | {markdown(shown(row.agent))} | {value} | {ends} | {row.membership} | {battles} |"
        )
    left = len(report.board) - most
    return [*lines, "", f"{left:,} more agents in the full report."] if left > 0 else lines
