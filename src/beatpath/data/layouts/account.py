"""The account of a reading, made the same way for files and for frames."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from beatpath.data.layouts.roles import Layout
from beatpath.evidence import Reading


class Described(Protocol):
    """A table that knows its columns, its sources, and how many rows it has before its filters."""

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        ...

    @property
    def sources(self) -> tuple[str, ...]:
        """What was read."""
        ...

    @property
    def filters(self) -> tuple[str, ...]:
        """Conditions that rows must meet."""
        ...

    @property
    def n_rows(self) -> int:
        """Rows before any filter."""
        ...


def account(
    table: Described,
    layout: Layout,
    format_name: str,
    rows: int,
    used: int,
    dropped: Mapping[str, int],
    notes: Sequence[str] = (),
) -> Reading:
    """Return the account of a reading: `rows` met the filters, `used` of them are evidence."""
    total = table.n_rows if table.filters else rows
    filtered = {"left out by --where": total - rows} if total > rows else {}
    taken = layout.used
    return Reading(
        table.sources,
        f"{format_name} ({layout.name})",
        total,
        used,
        {**filtered, **dropped},
        layout.guessed,
        layout.given,
        tuple(name for name in table.names if name not in taken),
        tuple(notes),
    )
