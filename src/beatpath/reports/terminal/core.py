"""Cores as terminal tables, Markdown and rows."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import listed, quoted, shown
from beatpath.inference.core.core_by import Cores
from beatpath.inference.core.core_result import Core
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

COLUMNS = {
    "agent": "",
    "top_cycle": "soft Top Cycle score",
    "uncovered_set": "soft Uncovered Set score",
    "in_core": "probability to be in the Top Cycle",
    "win_rate": "",
    "unresolved": "rivals against whom its win rate is not resolved (95 %, each by itself)",
    "bradley_terry": "log-strength",
}


def core_sentences(core: Core, witness: str | None = None) -> list[str]:
    """Return what comes before the table: members, what is open, notes, and the witness asked for."""
    said = [*core.sentences, *core.notes]
    return said if witness is None else [*said, *(one.sentence for one in core.witness(witness))]


def core_table(core: Core, witness: str | None = None) -> RenderableType:
    """Return sentences and scores for a terminal."""
    columns = core_columns(core)
    board = Board([_heading(core, name) for name in columns], [_core_cells(row, columns) for row in core.rows()])
    legend = "; ".join(f"{_heading(core, name)}: {what}" for name, what in columns.items() if what)
    lines = [Text(sentence) for sentence in core_sentences(core, witness)]
    return Group(*lines, Text(""), board, Text(f"{legend[0].upper()}{legend[1:]}.", style="dim"))


def core_columns(core: Core) -> dict[str, str]:
    """Return the columns of a core's table and what each is."""
    told = COLUMNS | {"win_rate": core.win_rate_is}
    return {name: what for name, what in told.items() if name != "unresolved" or core.resolved is not None}


def _heading(core: Core, name: str) -> str:
    """The heading of a column; a share of comparisons is no win rate against everybody, and is not called one."""
    return "share won" if name == "win_rate" and core.share_won else name.replace("_", " ")


def core_markdown(core: Core, witness: str | None = None) -> str:
    """Return sentences and scores as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in core_sentences(core, witness)]
    columns = core_columns(core)
    lines += ["", "| " + " | ".join(_heading(core, name) for name in columns) + " |"]
    lines += ["| --- |" + " ---: |" * (len(columns) - 1)]
    lines += ["| " + " | ".join(markdown(cell) for cell in _core_cells(row, columns)) + " |" for row in core.rows()]
    return "\n".join(lines) + "\n"


def cores_table(cores: Cores) -> RenderableType:
    """Return the cores of all contexts side by side for a terminal: STE Table 10."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in (cores.by, "comparisons", "agents", "most probable core", "chance", "top cycle"):
        table.add_column(Text(shown(name)), justify="right" if name in ("comparisons", "agents", "chance") else "left")
    for line in _core_lines(cores):
        table.add_row(*(Text(cell) for cell in line))
    return Group(*(Text(note) for note in _cores_notes(cores)), table)


def cores_markdown(cores: Cores) -> str:
    """Return the cores of all contexts side by side as Markdown."""
    head = (cores.by, "comparisons", "agents", "most probable core", "chance", "top cycle")
    lines = [
        "| " + " | ".join(markdown(shown(name)) for name in head) + " |",
        "| --- | ---: | ---: | --- | ---: | --- |",
    ]
    lines += ["| " + " | ".join(markdown(cell) for cell in line) + " |" for line in _core_lines(cores)]
    return "\n".join([*(f"- {markdown(note)}" for note in _cores_notes(cores)), *lines]) + "\n"


def _cores_notes(cores: Cores) -> list[str]:
    """What is to be known of all contexts, and of each."""
    return [*cores.notes, *(f"{quoted(name)}: {note}" for _, name, core in _contexts(cores) for note in core.notes)]


def _contexts(cores: Cores) -> list[tuple[str, str, Core]]:
    """The kind, name and core of every context, and of the mixture where there is one."""
    found = [("own", name, core) for name, core in cores.contexts.items()]
    return found if cores.mixture is None else [*found, ("mixture", "all, mixed", cores.mixture)]


def _core_lines(cores: Cores) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = []
    for kind, name, core in _contexts(cores):
        met = f"{cores.comparisons[name]:,.6g}" if kind == "own" else "-"
        likely, chance = ("-", "-") if core.posterior is None else _likely(core)
        lines.append(
            (shown(name), met, f"{len(core.agents):,}", likely, chance, _members_said(core, core.top_cycle.members))
        )
    return lines


def _likely(core: Core) -> tuple[str, str]:
    assert core.posterior is not None
    return _members_said(core, core.posterior.most_probable), core.posterior.chance


def _members_said(core: Core, names: Sequence[str]) -> str:
    """The members; all agents are no finding."""
    return "nobody singled out" if len(names) == len(core.agents) > 1 else listed(names, 3)


def _core_cells(row: dict[str, Any], columns: Iterable[str]) -> list[str]:
    """The cells of a row as people read them."""
    return [row["agent"], *(_figure(row[name]) for name in list(columns)[1:])]


def _figure(value: float | None) -> str:
    if value is None or not isfinite(value):
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{round(value, 3) + 0.0:.3f}"
