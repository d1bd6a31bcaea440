"""Verbs that list what there is: ``beatpath methods``, ``beatpath formats`` and ``beatpath schema [VERB]``."""

import sys
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from beatpath._result import SCHEMA_VERSION
from beatpath.cli import options as o
from beatpath.cli.output import print_table, show
from beatpath.methods.registry import METHODS, PROPERTIES
from beatpath.reports.view import Column, Table, View


@dataclass(frozen=True)
class ListOptions:
    """Of ``beatpath methods`` and ``beatpath formats``."""

    format: o.Format = o.OUTPUT()


def methods_verb(options: ListOptions) -> None:
    """List the methods: what each does, what it takes, and the properties of VasE's Table 4 that it has."""
    rows = method_rows()
    view = _two_lines_a_method if options.format == "table" else _as_they_are
    data = {"schema_version": SCHEMA_VERSION, "type": "methods", "methods": rows}
    show(options.format, partial(view, rows), lambda: data, lambda: rows)


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


def _two_lines_a_method(rows: list[dict[str, str]]) -> View:
    """One line a method for what it does, one for what it takes and costs."""
    lines = []
    for row in rows:
        has = [name for name in PROPERTIES if row[name]]
        facts = [f"answers {row['answers']}", f"takes {row['takes']}", row["cost"]]
        facts += [f"has {', '.join(has)}"] if has else []
        facts += [f"settings: {row['settings']}"] if row["settings"] else []
        lines += [(row["method"], row["what it does"]), ("", "; ".join(facts))]
    columns = [
        Column("method", itemgetter(0), left=True, style="bold"),
        Column("what it does", itemgetter(1), left=True, folds=True),
    ]
    return View(tables=[Table(columns, lines, header=False, styles={"": ("", "dim")})])


def _as_they_are(rows: list[dict[str, str]], title: str = "") -> View:
    return View(tables=[_texts(rows, title)])


def _texts(rows: list[dict[str, str]], title: str) -> Table:
    """A table of words."""
    return Table([Column(name, itemgetter(name), left=True, folds=True) for name in rows[0]], rows, title=title)


def formats_verb(options: ListOptions) -> None:
    """List the formats that can be read, and the roles that columns of a table can have."""
    from beatpath.data.formats import readers
    from beatpath.data.layouts.roles import LAYOUTS

    rows = [{"format": reader.name, "what": reader.sentence} for reader in readers()]
    layouts = [
        {"layout": name, "required": ", ".join(parts["required"]), "optional": ", ".join(parts["optional"])}
        for name, parts in LAYOUTS.items()
    ]
    tables = [
        _texts(rows, "Formats (--format-in NAME)"),
        _texts(layouts, "Layouts of a table, by the roles of its columns (--map ROLE=COLUMN)"),
    ]
    data = {"schema_version": SCHEMA_VERSION, "type": "formats", "formats": rows, "layouts": layouts}
    show(options.format, lambda: View(tables=tables), lambda: data, lambda: rows)


@dataclass(frozen=True)
class SchemaOptions:
    """Of ``beatpath schema``."""

    verb: str | None = o.option(
        "[VERB]", "A verb, or the type of a document; without one, all are listed.", show_default=False
    )


def schema_verb(options: SchemaOptions) -> None:
    """Print the JSON Schema of what a verb prints with `--format json`, or list the documents there are.

    beatpath schema

    beatpath schema resolve
    """
    from beatpath._schema import dumps, verb_schema

    if options.verb is None:
        print_table(_all_documents())
        return
    sys.stdout.write(dumps(verb_schema(options.verb), indent=2) + "\n")


def _all_documents() -> str:
    """Verbs with the documents they print, then all documents with a sentence each."""
    from beatpath._schema import document_summaries, verb_documents

    summaries = document_summaries()
    width = max(map(len, summaries))
    verbs = [f"{verb:{width}}  {' or '.join(names)}" for verb, names in verb_documents().items()]
    documents = [f"{name:{width}}  {text}" for name, text in summaries.items()]
    return "\n".join(["Verbs, and the documents they print:", *verbs, "", "Documents:", *documents])
