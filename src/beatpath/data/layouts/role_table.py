"""A table seen through the roles of its columns: how every layout reads its rows, and the account it gives."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import ReadError
from beatpath._text import counted, listed, quoted
from beatpath.data.layouts.roles import Layout
from beatpath.data.sources.source import Options
from beatpath.data.tables.table import Rows, Table
from beatpath.evidence import Factor, Reading
from beatpath.evidence.arrays import MOST, joint_codes, refuse

if TYPE_CHECKING:
    from beatpath.data.tables.frames import FrameTable

NO_AGENT, SELF = "no agent", "agent against itself"  # reasons to drop a row


@dataclass(frozen=True)
class RoleTable:
    """A table, the roles of its columns, the user's options, and the name of its format."""

    table: "Table | FrameTable"
    layout: Layout
    options: Options
    format: str
    absent: dict[str, Counter[str]] = field(default_factory=dict)  # cells that say that there is no number, by column

    @contextmanager
    def rows(self) -> Iterator["RoleRows"]:
        """Read the columns that have a role or are kept, and hold them while they are in use."""
        columns = [name for name in self.table.names if name in self.layout.used]
        columns += sorted(self.layout.used - {*columns, "columns"})  # fields inside; "columns" stands for a header
        with self.table.rows(columns) as rows:
            yield RoleRows(replace(rows, absent=self.absent), self.layout, self.options)

    def account(self, rows: int, used: int, dropped: Mapping[str, int], notes: Sequence[str] = ()) -> Reading:
        """Return the account of a read: `rows` passed the filters, and `used` of them are evidence."""
        total = self.table.n_rows if self.table.filters else rows
        filtered = {"left out by --where": total - rows} if total > rows else {}
        taken = self.layout.used
        marks = sum(self.absent.values(), Counter())
        if marks:
            notes = [*notes, f"{counted(marks.total(), 'cell')} without a number, marked {listed(sorted(marks))}"]
        return Reading(
            self.table.sources,
            f"{self.format} ({self.layout.name})",
            total,
            used,
            {**filtered, **dropped},
            self.layout.guessed,
            self.layout.given,
            tuple(name for name in self.table.names if name not in taken),
            tuple(notes),
        )


@dataclass(frozen=True)
class RoleRows:
    """Rows of a table, by the roles of their columns."""

    rows: Rows
    layout: Layout
    options: Options

    def factor(self, role: str) -> Factor:
        """Return the column of a role as a factor, or several with their cells joined."""
        return joined_factor([self.rows.factor(name) for name in self.layout.many(role)])

    def numbers(self, role: str) -> Floats:
        """Return the column of a role as numbers, NaN if a cell is empty."""
        return self.rows.numbers(self.layout.roles[role])

    def carried(self, roles: Iterable[str], used: Bools | Ints | slice, but: Iterable[str] = ()) -> dict[str, Factor]:
        """Return the columns of these roles, and the further ones to keep except `but`, for the used rows.

        A guessed role whose column is empty in all rows is left out.
        """
        factors = {role: self.factor(role) for role in roles if role in self.layout.roles}
        factors |= {name: self.rows.factor(name) for name in self.layout.extra if name not in but}
        explicit = {*self.layout.extra, *self.layout.given}
        factors = {name: one for name, one in factors.items() if one.levels or name in explicit or not len(one)}
        return factors if isinstance(used, slice) else {name: factor.take(used) for name, factor in factors.items()}

    def place(self, index: int) -> str:
        """Return the location of a row, for messages."""
        return self.rows.table.place(index)

    def counts(self, role: str, rows: Ints | None = None, *, whole: bool = False) -> Floats | None:
        """Return a column of counts, of all rows or some, ``None`` if there is none; see `require_counts`."""
        if role not in self.layout.roles:
            return None
        values = self.numbers(role) if rows is None else self.numbers(role)[rows]
        require_counts(
            values, self.layout.roles[role], lambda i: self.place(i if rows is None else int(rows[i])), whole=whole
        )
        return values


def joined_factor(factors: Sequence[Factor]) -> Factor:
    """Return one factor from several with their names joined; missing if any is missing."""
    if len(factors) == 1:
        return factors[0]
    missing = np.any([f.codes < 0 for f in factors], axis=0)
    code = joint_codes(factors, len(missing))
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    names = zip(*([name or "" for name in factor.take(first).names()] for factor in factors), strict=True)
    return Factor.coded(np.where(missing, -1, inverse), list(map(" / ".join, names)))


def require_counts(values: Floats, column: str, place: Callable[[int], str], *, whole: bool = False) -> None:
    """Raise an error if counts are negative or too large; counts of voters or battles must be integers and present."""
    refuse(
        (values < 0) | (values > MOST) | (whole & (values % 1 != 0)),
        lambda first, such: (
            f"{quoted(column)} must hold {'whole ' if whole else ''}counts from 0 to 2^53; got "
            f"{values[first]:g} in {place(first)} ({such}). Correct these rows or leave them out."
        ),
        ReadError,
    )


def sifted(reasons: Iterable[tuple[str, Bools]], n: Ints) -> tuple[Bools, dict[str, int]]:
    """Return which entries are used, and how many rows each reason drops; an entry counts for its first reason."""
    used, dropped = np.ones(len(n), dtype=bool), {}
    for reason, hit in reasons:
        if (used & hit).any():
            dropped[reason] = int(n[used & hit].sum())
        used &= ~hit
    return used, dropped


def refuse_self_battles(alone: Bools, agents: Factor, n: Ints, place: Callable[[int], str]) -> None:
    """Raise an error for rows in which an agent battles itself, unless they are to be dropped."""
    refuse(
        alone,
        lambda first, _: (
            f"an agent cannot be compared with itself; {quoted(agents.levels[agents.codes[first]])} is in "
            f"{place(first)} ({counted(int(n[alone].sum()), 'such row')}). "
            "Correct these rows, or leave them out with `--self drop`."
        ),
        ReadError,
    )
