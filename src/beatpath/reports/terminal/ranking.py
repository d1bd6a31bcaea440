"""Rankings as terminal tables, Markdown and rows."""

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath.methods.registry import METHODS, PROPERTIES
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

if TYPE_CHECKING:
    from beatpath.inference.ranking.compare import Comparison


def comparison_table(comparison: "Comparison") -> RenderableType:
    """Return verdict, ranks side by side, and distances, for a terminal."""
    lines: list[RenderableType] = [Text(sentence) for sentence in comparison.sentences]
    if len(comparison.rankings) == 1:
        return Group(*lines, Text(""), _single(comparison))
    parts: list[RenderableType] = [*lines, Text(""), _rank_board(comparison), Text(""), _distances(comparison)]
    unable = [key for key, why in comparison.not_run.items() if why.startswith("takes ")]
    if unable:
        parts.append(Text(f"Not run on this kind of evidence: {', '.join(unable)}.", style="dim"))
    return Group(*parts)


def _single(comparison: "Comparison") -> Board:
    ranking = comparison.rankings[0]
    rows = [
        (str(ranking.rank(agent)), agent, score_text(ranking.scores[agent]))
        for level in ranking.levels
        for agent in level
    ]
    return Board(("rank", "agent", "score"), rows, title=ranking.method)


def _rank_board(comparison: "Comparison") -> Board:
    rows = [(agent, *(str(r.rank(agent)) for r in comparison.rankings)) for agent in comparison.order()]
    keys = [r.method for r in comparison.rankings]
    rest = "-m METHOD shows one, --format csv all"
    return Board(("agent", *keys), rows, title="rank by method", noun="method", gap=1, rest=rest)


def _distances(comparison: "Comparison") -> Table:
    """How far every method is from the others: on average, at least, at most, and from which."""
    title = "Kendall distance to the other methods (0 the same, 1 reversed)"
    table = Table(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left", title_style="bold")
    for name, justify in (("method", "left"), ("mean", "right"), ("least", "left"), ("most", "left")):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    keys = [ranking.method for ranking in comparison.rankings]
    for i, key in enumerate(keys):
        far = {other: float(comparison.distances[i, j]) for j, other in enumerate(keys) if j != i}
        mean = sum(far.values()) / len(far)
        table.add_row(Text(key), f"{mean:.2f}", *(_at_distance(far, end(far.values())) for end in (min, max)))
    return table


def _at_distance(far: Mapping[str, float], distance: float) -> Text:
    """A distance and a method that far away, with how many more there are.

    >>> _at_distance({"iml": 0.001, "elo": 0.3, "sco": 0.0}, 0.0).plain
    '0.00 iml +1'
    """
    shown_as = f"{distance:.2f}"
    there = [key for key, value in far.items() if f"{value:.2f}" == shown_as]
    return Text(f"{shown_as} {there[0]}" + (f" +{len(there) - 1}" if len(there) > 1 else ""))


def score_text(value: float) -> str:
    """Return a score with up to six figures, a dash where there is none.

    >>> score_text(3.0), score_text(0.123456789), score_text(float("nan"))
    ('3', '0.123457', '-')
    """
    return f"{value + 0.0:.6g}" if isfinite(value) else "-"


def comparison_rows(comparison: "Comparison") -> list[dict[str, Any]]:
    """Return one row a method and agent: rank, level and score."""
    return [
        {"method": r.method, "agent": agent, "rank": r.rank(agent), "level": k + 1, "score": r.scores[agent]}
        for r in comparison.rankings
        for k, level in enumerate(r.levels)
        for agent in level
    ]


def comparison_markdown(comparison: "Comparison") -> str:
    """Return verdict and ranks as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in comparison.sentences]
    lines += ["", "| agent | " + " | ".join(markdown(r.method) for r in comparison.rankings) + " |"]
    lines += ["| --- |" + " ---: |" * len(comparison.rankings)]
    for agent in comparison.order():
        ranks = " | ".join(str(r.rank(agent)) for r in comparison.rankings)
        lines.append(f"| {markdown(agent)} | {ranks} |")
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
