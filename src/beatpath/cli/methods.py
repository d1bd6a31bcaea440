"""``beatpath methods``: every method with one sentence, what it takes, its properties and cost."""

from rich.table import Table
from rich.text import Text

from beatpath.cli import options as o
from beatpath.cli.output import print_csv, print_json, print_table


def methods(format: o.Output = "table") -> None:
    """List the methods: what each does, what it takes, and the properties of VasE's Table 4 that it has."""
    from beatpath.reports.ranking import method_rows

    rows = method_rows()
    if format == "json":
        print_json({"schema_version": "1", "type": "methods", "methods": rows})
    elif format == "csv":
        print_csv(rows)
    elif format == "md":
        print("| " + " | ".join(rows[0]) + " |\n|" + " --- |" * len(rows[0]))
        print("\n".join("| " + " | ".join(row.values()) + " |" for row in rows))
    else:
        print_table(_table(rows))


def _table(rows: list[dict[str, str]]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    for name in rows[0]:
        table.add_column(name, overflow="fold", style="bold" if name == "method" else "")
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    return table
