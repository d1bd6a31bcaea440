"""Cores as terminal tables, Markdown and rows."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import listed, shown
from beatpath.inference.core.core_by import Cores
from beatpath.inference.core.core_result import Core
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

COLUMNS = {
    "agent": "",
    "top_cycle": "soft Top Cycle score",
    "uncovered_set": "soft Uncovered Set score",
    "in_core": "probability to be in the Top Cycle",
    "win_rate": "share of battles won",
    "bradley_terry": "log-strength",
}


def core_sentences(core: Core, witness: str | None = None) -> list[str]:
    """Return what comes before the table: members, what is open, notes, and the witness asked for."""
    said = [*core.sentences, *core.notes]
    return said if witness is None else [*said, *(one.sentence for one in core.witness(witness))]


def core_table(core: Core, witness: str | None = None) -> RenderableType:
    """Return sentences and scores for a terminal."""
    headings = [name.replace("_", " ") for name in COLUMNS]
    board = Board(headings, [_core_cells(row) for row in core.rows()])
    legend = "; ".join(f"{name.replace('_', ' ')}: {what}" for name, what in COLUMNS.items() if what)
    lines = [Text(sentence) for sentence in core_sentences(core, witness)]
    return Group(*lines, Text(""), board, Text(f"{legend[0].upper()}{legend[1:]}.", style="dim"))


def core_markdown(core: Core, witness: str | None = None) -> str:
    """Return sentences and scores as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in core_sentences(core, witness)]
    lines += ["", "| " + " | ".join(name.replace("_", " ") for name in COLUMNS) + " |"]
    lines += ["| --- |" + " ---: |" * (len(COLUMNS) - 1)]
    lines += ["| " + " | ".join(markdown(cell) for cell in _core_cells(row)) + " |" for row in core.rows()]
    return "\n".join(lines) + "\n"


def cores_table(cores: Cores) -> RenderableType:
    """Return the cores of all contexts side by side for a terminal: STE Table 10."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in (cores.by, "comparisons", "agents", "most probable core", "chance", "top cycle"):
        table.add_column(Text(shown(name)), justify="right" if name in ("comparisons", "agents", "chance") else "left")
    for line in _core_lines(cores):
        table.add_row(*(Text(cell) for cell in line))
    return Group(*(Text(note) for note in cores.notes), table)


def cores_markdown(cores: Cores) -> str:
    """Return the cores of all contexts side by side as Markdown."""
    head = (cores.by, "comparisons", "agents", "most probable core", "chance", "top cycle")
    lines = [
        "| " + " | ".join(markdown(shown(name)) for name in head) + " |",
        "| --- | ---: | ---: | --- | ---: | --- |",
    ]
    lines += ["| " + " | ".join(markdown(cell) for cell in line) + " |" for line in _core_lines(cores)]
    return "\n".join([*(f"- {markdown(note)}" for note in cores.notes), *lines]) + "\n"


def _contexts(cores: Cores) -> list[tuple[str, str, Core]]:
    """The kind, name and core of every context, and of the mixture where there is one."""
    found = [("own", name, core) for name, core in cores.contexts.items()]
    return found if cores.mixture is None else [*found, ("mixture", "all, mixed", cores.mixture)]


def _core_lines(cores: Cores) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = []
    for kind, name, core in _contexts(cores):
        met = f"{cores.comparisons[name]:,.6g}" if kind == "own" else "-"
        likely, chance = ("-", "-") if core.posterior is None else _likely(core)
        lines.append((shown(name), met, f"{len(core.agents):,}", likely, chance, _members_said(core.top_cycle.members)))
    return lines


def _likely(core: Core) -> tuple[str, str]:
    assert core.posterior is not None
    return _members_said(core.posterior.most_probable), core.posterior.chance


def _members_said(names: Sequence[str]) -> str:
    return listed(names, 3)


def _core_cells(row: dict[str, Any]) -> list[str]:
    """The cells of a row as people read them."""
    return [
        row["agent"],
        *(
            "-" if row[name] is None or not isfinite(row[name]) else f"{round(row[name], 3) + 0.0:.3f}"
            for name in list(COLUMNS)[1:]
        ),
    ]
