"""Verbs that list what there is: ``beatpath methods``, ``beatpath formats`` and ``beatpath schema [VERB]``."""

import sys
from typing import Annotated

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from beatpath._result import SCHEMA_VERSION
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import print_table, show
from beatpath.methods.registry import PROPERTIES


def methods_verb(format: o.Output = "table") -> None:
    """List the methods: what each does, what it takes, and the properties of VasE's Table 4 that it has."""
    from beatpath.reports.terminal.ranking import method_rows

    rows = method_rows()
    show(
        format,
        table=lambda: _method_table(rows),
        json=lambda: {"schema_version": SCHEMA_VERSION, "type": "methods", "methods": rows},
        csv=lambda: rows,
        md=lambda: _markdown_table(rows),
    )


def _markdown_table(rows: list[dict[str, str]]) -> str:
    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0]), *(" | ".join(row.values()) for row in rows)]
    return "".join(f"| {line} |\n" for line in lines)


def _method_table(rows: list[dict[str, str]]) -> Table:
    """One line a method for what it does, one for what it takes and costs."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for row in rows:
        has = [name for name in PROPERTIES if row[name]]
        facts = [f"answers {row['answers']}", f"takes {row['takes']}", row["cost"]]
        facts += [f"has {', '.join(has)}"] if has else []
        facts += [f"settings: {row['settings']}"] if row["settings"] else []
        table.add_row(Text(row["method"]), Text(row["what it does"]))
        table.add_row("", Text("; ".join(facts), style="dim"))
    return table


def formats_verb(format: o.Output = "table") -> None:
    """List the formats that can be read, and the roles that columns of a table can have."""
    from beatpath.data.formats import readers
    from beatpath.data.layouts.roles import LAYOUTS

    rows = [{"format": reader.name, "what": reader.sentence} for reader in readers()]
    layouts = [
        {"layout": name, "required": ", ".join(parts["required"]), "optional": ", ".join(parts["optional"])}
        for name, parts in LAYOUTS.items()
    ]
    show(
        format,
        table=lambda: Group(
            _format_table("Formats (--format-in NAME)", rows),
            _format_table("Layouts of a table, by the roles of its columns (--map ROLE=COLUMN)", layouts),
        ),
        json=lambda: {"schema_version": SCHEMA_VERSION, "type": "formats", "formats": rows, "layouts": layouts},
        csv=lambda: rows,
        md=lambda: _markdown_table(rows),
    )


def _format_table(title: str, rows: list[dict[str, str]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), title_style="bold")
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    return table


def schema(
    verb: Annotated[
        str | None,
        typer.Argument(
            metavar="[VERB]", show_default=False, help="A verb, or the type of a document; without one, all are listed."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of what a verb prints with `--format json`, or list the documents there are.

    beatpath schema

    beatpath schema resolve
    """
    from beatpath._schema import dumps, verb_schema

    if verb is None:
        print_table(_all_documents())
        return
    sys.stdout.write(dumps(verb_schema(verb), indent=2) + "\n")


def _all_documents() -> str:
    """Verbs with the documents they print, then all documents with a sentence each."""
    from beatpath._documents import DOCUMENTS, VERBS

    width = max(map(len, DOCUMENTS))
    verbs = [f"{verb:{width}}  {' or '.join(names)}" for verb, names in VERBS.items()]
    documents = [f"{name:{width}}  {text.splitlines()[0]}" for name, text in DOCUMENTS.items()]
    return "\n".join(["Verbs, and the documents they print:", *verbs, "", "Documents:", *documents])
