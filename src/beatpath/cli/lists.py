"""Verbs that list what is available: ``beatpath methods``, ``beatpath formats`` and ``beatpath schema [VERB]``."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar, TypedDict

from beatpath._errors import UsageError
from beatpath._result import TableResult
from beatpath._text import counted
from beatpath.cli import options as o
from beatpath.cli.output import print_table, show
from beatpath.methods.method_list import MethodList, methods
from beatpath.methods.registry import PROPERTIES
from beatpath.reports.view import Column, Table, View


class FormatRow(TypedDict):
    """A supported file format.

    Attributes
    ----------
    format : str
        Name of the format.
    what : str
        Description of the format.
    """

    format: str
    what: str


class LayoutRow(TypedDict):
    """A layout of a table.

    Attributes
    ----------
    layout : str
        Name of the layout.
    required, optional : str
        Roles that columns must have, and may have.
    """

    layout: str
    required: str
    optional: str


def _short_view(methods: MethodList) -> View:
    """One line a method for what it does, one for what it takes and costs."""
    about = [((row["method"], row["what it does"]), ("", _facts(row))) for row in methods.rows()]
    lines = [line for two in about for line in two]
    columns = [
        Column("method", itemgetter(0), left=True, style="bold"),
        Column("what it does", itemgetter(1), left=True, folds=True),
    ]
    return View(tables=[Table(columns, lines, header=False, styles={"": ("", "dim")})])


def _facts(row: Mapping[str, Any]) -> str:
    """Question, evidence, cost, properties and settings of a method, in one line."""
    has = [name for name in PROPERTIES if row[name]]
    facts = [f"answers {row['answers']}", f"takes {row['takes']}", row["cost"]]
    facts += [f"has {', '.join(has)}"] if has else []
    return "; ".join(facts + ([f"settings: {row['settings']}"] if row["settings"] else []))


@dataclass(frozen=True, slots=True, repr=False)
class FormatList(TableResult):
    """All supported file formats.

    Attributes
    ----------
    formats : list of FormatRow
        One row per format.
    layouts : list of LayoutRow
        One row per layout of a table.
    """

    document_name: ClassVar[str] = "formats"

    formats: list[FormatRow]
    layouts: list[LayoutRow]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The number of formats."""
        return (f"{counted(len(self.formats), 'format')} can be read.",)

    def rows(self) -> list[FormatRow]:
        """Return one row per format."""
        return self.formats

    def view(self) -> View:
        """Return formats, then layouts."""
        layouts = "Layouts of a table, by the roles of its columns (--map ROLE=COLUMN)"
        return View(tables=[_texts(self.formats, "Formats (--format-in NAME)"), _texts(self.layouts, layouts)])


def _texts(rows: Sequence[Any], title: str = "") -> Table:
    """A table of texts."""
    return Table([Column(name, itemgetter(name), left=True, folds=True) for name in rows[0]], rows, title=title)


@dataclass(frozen=True)
class ListOptions:
    """Options of ``beatpath formats``."""

    format: o.Format = o.OUTPUT()


@dataclass(frozen=True)
class MethodsOptions(ListOptions):
    """Options of ``beatpath methods``."""

    distinguish: tuple[str, ...] = o.option(
        "--distinguish A,B", "Show a small profile on which these two methods elect different agents.", read=o.names_of
    )


def methods_verb(options: MethodsOptions) -> None:
    """List the methods: what each does, what it takes, and which properties of VasE's Table 4 it has.

    beatpath methods

    beatpath methods --distinguish borda,schulze
    """
    if options.distinguish:
        if len(options.distinguish) != 2:
            raise UsageError(
                f"`--distinguish` must name two methods; got {len(options.distinguish)}. Write `--distinguish borda,schulze`."
            )
        from beatpath.inference.ranking.distinguish import distinguish

        show(options.format, distinguish(*options.distinguish))
        return
    listing = methods()
    tables = [_texts(listing.rows())]
    show(options.format, listing, lambda: _short_view(listing) if options.format == "table" else View(tables=tables))


def formats_verb(options: ListOptions) -> None:
    """List the formats that can be read, and the roles that columns of a table can have."""
    from beatpath.data.formats import readers
    from beatpath.data.layouts.roles import LAYOUTS

    formats: list[FormatRow] = [{"format": reader.name, "what": reader.sentence} for reader in readers()]
    layouts: list[LayoutRow] = [
        {"layout": name, "required": ", ".join(parts["required"]), "optional": ", ".join(parts["optional"])}
        for name, parts in LAYOUTS.items()
    ]
    show(options.format, FormatList(formats, layouts))


@dataclass(frozen=True)
class SchemaOptions:
    """Options of ``beatpath schema``."""

    verb: str | None = o.option("[VERB]", "A verb, or the type of a document; without one, all are listed.")


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
