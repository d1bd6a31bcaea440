"""``beatpath methods``: every method with one sentence, what it takes, its properties and cost."""

from rich.table import Table
from rich.text import Text

from beatpath._result import SCHEMA_VERSION
from beatpath.cli import options as o
from beatpath.cli.output import print_csv, print_json, print_table
from beatpath.methods.registry import PROPERTIES


def methods_verb(format: o.Output = "table") -> None:
    """List the methods: what each does, what it takes, and the properties of VasE's Table 4 that it has."""
    from beatpath.reports.terminal.ranking import method_rows

    rows = method_rows()
    if format == "json":
        print_json({"schema_version": SCHEMA_VERSION, "type": "methods", "methods": rows})
    elif format == "csv":
        print_csv(rows)
    elif format == "md":
        print("| " + " | ".join(rows[0]) + " |\n|" + " --- |" * len(rows[0]))
        print("\n".join("| " + " | ".join(row.values()) + " |" for row in rows))
    else:
        print_table(_method_table(rows))


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
