"""``beatpath formats``: what can be read, and by which columns a table is understood."""

from rich.table import Table
from rich.text import Text

from beatpath._result import SCHEMA_VERSION
from beatpath.cli import options as o
from beatpath.cli.output import print_csv, print_json, print_table


def formats_verb(format: o.Output = "table") -> None:
    """List the formats that can be read, and the roles that columns of a table can have."""
    from beatpath.data.formats import readers
    from beatpath.data.layouts.roles import LAYOUTS

    rows = [{"format": reader.name, "what": reader.sentence} for reader in readers()]
    layouts = [
        {"layout": name, "required": ", ".join(parts["required"]), "optional": ", ".join(parts["optional"])}
        for name, parts in LAYOUTS.items()
    ]
    if format == "json":
        print_json({"schema_version": SCHEMA_VERSION, "type": "formats", "formats": rows, "layouts": layouts})
    elif format == "csv":
        print_csv(rows)
    elif format == "md":
        print("| format | what |\n| --- | --- |\n" + "\n".join(f"| {r['format']} | {r['what']} |" for r in rows))
    else:
        print_table(_format_table("Formats (--format-in NAME)", rows))
        print_table(_format_table("Layouts of a table, by the roles of its columns (--map ROLE=COLUMN)", layouts))


def _format_table(title: str, rows: list[dict[str, str]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0), title_style="bold")
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    return table
