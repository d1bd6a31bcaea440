"""Rankings as terminal tables, Markdown and rows."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import shown
from beatpath.inference.ranking.compare import Comparison
from beatpath.methods.registry import METHODS, PROPERTIES
from beatpath.reports.terminal.check import markdown


def comparison_table(comparison: Comparison) -> RenderableType:
    """Return verdict, ranks side by side, and distances, for a terminal."""
    lines: list[RenderableType] = [Text(sentence) for sentence in comparison.sentences]
    if len(comparison.rankings) == 1:
        return Group(*lines, Text(""), _single(comparison))
    parts: list[RenderableType] = [*lines, Text(""), _rank_table(comparison), Text(""), _distances(comparison)]
    unable = [key for key, why in comparison.not_run.items() if why.startswith("takes ")]
    if unable:
        parts.append(Text(f"Not run on this kind of evidence: {', '.join(unable)}.", style="dim"))
    return Group(*parts)


def _single(comparison: Comparison) -> Table:
    ranking = comparison.rankings[0]
    table = Table(box=None, padding=(0, 2, 0, 0), title=ranking.method, title_justify="left", title_style="bold")
    for name, justify in (("rank", "right"), ("agent", "left"), ("score", "right")):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for level in ranking.levels:
        for agent in level:
            table.add_row(str(ranking.rank(agent)), Text(shown(agent)), score_text(ranking.scores[agent]))
    return table


def _rank_table(comparison: Comparison) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), title="rank by method", title_justify="left", title_style="bold")
    table.add_column("agent", overflow="fold")
    for ranking in comparison.rankings:
        table.add_column(heading(ranking.method), justify="right", vertical="bottom")
    for agent in comparison.order():
        table.add_row(Text(shown(agent)), *(str(r.rank(agent)) for r in comparison.rankings))
    return table


def _distances(comparison: Comparison) -> Table:
    title = "Kendall distance between methods (0 the same, 1 reversed)"
    table = Table(box=None, padding=(0, 1, 0, 0), title=title, title_justify="left", title_style="bold")
    table.add_column("", no_wrap=True)
    for ranking in comparison.rankings:
        table.add_column(heading(ranking.method), justify="right", vertical="bottom")
    for ranking, row in zip(comparison.rankings, comparison.distances, strict=True):
        table.add_row(Text(ranking.method), *(f"{value:.2f}" for value in row))
    return table


def heading(method: str) -> Text:
    """Return a method's key as a column heading, one word a line."""
    return Text(method.replace("_", "\n"))


def score_text(value: float) -> str:
    """Return a score with up to six figures, a dash where there is none.

    >>> score_text(3.0), score_text(0.123456789), score_text(float("nan"))
    ('3', '0.123457', '-')
    """
    return "-" if value != value else f"{value:.6g}"  # noqa: PLR0124


def comparison_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return one row a method and agent: rank, level and score."""
    return [
        {"method": r.method, "agent": agent, "rank": r.rank(agent), "level": k + 1, "score": r.scores[agent]}
        for r in comparison.rankings
        for k, level in enumerate(r.levels)
        for agent in level
    ]


def comparison_markdown(comparison: Comparison) -> str:
    """Return verdict and ranks as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in comparison.sentences]
    lines += ["", "| agent | " + " | ".join(markdown(r.method) for r in comparison.rankings) + " |"]
    lines += ["| --- |" + " ---: |" * len(comparison.rankings)]
    for agent in comparison.order():
        ranks = " | ".join(str(r.rank(agent)) for r in comparison.rankings)
        lines.append(f"| {markdown(shown(agent))} | {ranks} |")
    return "\n".join(lines) + "\n"


def method_rows() -> list[dict[str, str]]:
    """Return one row a method: sentence, what it takes, properties, cost."""
    return [
        {
            "method": m.key,
            "what it does": m.sentence,
            "answers": m.question,
            "takes": ", ".join(sorted(m.takes)) if len(m.takes) < 6 else "any evidence",
            **{name: "yes" if name in m.properties else "" for name in PROPERTIES},
            "cost": m.complexity,
            "settings": ", ".join(m.settings),
        }
        for m in METHODS.values()
    ]
