"""What is wrong with the file of an arena: SQLite stores any value in any column, and files are damaged or foreign."""

from collections.abc import Iterable

import sqlalchemy as sa

from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath.data.formats.arena_file import DAMAGED

# What SQLite must say of a value, by the type of its column; numbers count or are times, so none is negative or huge.
NUMBER = "typeof({0}) IN ({1}) AND {0} BETWEEN 0 AND 9007199254740992"
SOUND = {
    sa.Boolean: "{0} IN (0, 1)",
    sa.Float: NUMBER.format("{0}", "'real', 'integer'"),
    sa.Integer: NUMBER.format("{0}", "'integer'"),
    sa.JSON: "typeof({0}) = 'text' AND json_valid({0})",
    sa.Text: "typeof({0}) = 'text'",
    sa.types.TypeDecorator: "typeof({0}) = 'blob' AND length({0}) % 8 = 0",  # arrays of numbers
}
AGENT = "{0} AND {1} IN (SELECT id FROM beatpath_agent)"  # of the number of an agent besides
LESS = {"total": "battles", "squares": "battles", "outcome": "1"}  # by column: not more than this


def require_sound(db: sa.Connection, tables: Iterable[sa.Table], name: str, *, unread: sa.Table | None = None) -> None:
    """Raise an error unless a SQLite file has these tables, no views for them, with sound values except in the `unread`."""
    inspector = sa.inspect(db)
    there = inspector.get_table_names()
    for table in tables:
        columns = [one["name"] for one in inspector.get_columns(table.name)] if table.name in there else []
        missing = [column.name for column in table.columns if column.name not in columns]
        if missing:
            raise DataError(
                f"the arena {quoted(name)} must have the table {table.name} with the column {missing[0]}; it has none. {DAMAGED}"
            )
        if table is unread:
            continue
        wrong = " OR ".join(f"NOT ({_sound(column)})" for column in table.columns)
        row = db.exec_driver_sql(f"SELECT * FROM {table.name} WHERE {wrong} LIMIT 1").first()
        if row is not None:
            raise DataError(
                f"the table {table.name} of the arena {quoted(name)} must hold what an arena writes; it holds {quoted(tuple(row), 200)}. "
                f"{DAMAGED}"
            )


def _sound(column: "sa.Column[object]") -> str:
    """The condition on the values of a column."""
    name = f'"{column.name}"'
    condition = next(rule for kind, rule in SOUND.items() if isinstance(column.type, kind)).format(name)
    if column.name in ("a", "b", "first"):
        condition = AGENT.format(condition, name)
    if column.name in LESS:
        condition += f" AND {name} <= 1.000001 * {LESS[column.name]}"
    return f"{name} IS NULL OR {condition}" if column.nullable else condition
