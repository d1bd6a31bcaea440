"""Battles counted where they lie: one GROUP BY in the engine that holds the rows, and only the counts come back.

The rows of a group are equal in everything that decides an outcome, so a group is settled by the very rules that
settle a row.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from beatpath._arrays import Codes, Floats
from beatpath._errors import ReadError, UsageError
from beatpath._text import quoted
from beatpath.data.layouts.account import Described, account
from beatpath.data.layouts.battles import Columns, Settled, agents_of, number_roles, settled
from beatpath.data.layouts.roles import Layout
from beatpath.data.layouts.words import ORDERED, tokens
from beatpath.data.sources.options import Options
from beatpath.data.tables.columns import is_blank, number_of
from beatpath.data.tables.groups import Groups
from beatpath.evidence import Factor, Pairs, Reading
from beatpath.evidence.battles import POSITIONS


class Countable(Described, Protocol):
    """A table that can group its own rows."""

    def has(self, name: str) -> bool:
        """Whether a column is there."""
        ...

    def groups(self, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
        """Group the rows by these columns as texts."""
        ...

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Return where the first row with these texts stands."""
        ...


def count_pairs(table: Countable, layout: Layout, options: Options, format_name: str) -> Pairs:
    """Count a battle table into pairs, split by the roles or columns that the options name."""
    agents = agents_of(layout)
    keys = {name: layout.roles.get(name, name) for name in options.by if name != "position"}
    for name, column in keys.items():
        if not table.has(column):
            raise UsageError(f"`by` must name roles or columns; {quoted(name)} is neither.")
    deciding = [layout.roles[r] for r in ("outcome", "both_bad", *number_roles(layout)) if r in layout]
    groups = table.groups(agents, list(dict.fromkeys([*deciding, *keys.values()])), layout.roles.get("weight"))
    if not groups.lowest >= 0:
        raise ReadError(
            f"{quoted(layout.roles['weight'])} must hold weights that are not negative and not empty; "
            f"got {groups.lowest:g}. Correct these rows or leave them out."
        )
    columns = Columns(
        groups.texts[agents[0]],
        groups.texts[agents[1]],
        groups.n,
        groups.texts.get(layout.roles.get("outcome", "")),
        {role: _level_numbers(groups.texts[layout.roles[role]], layout.roles[role]) for role in number_roles(layout)},
        lambda index: table.place_of({name: factor.names()[index] for name, factor in groups.texts.items()}),
    )
    done = settled(columns, layout, options)
    used, n = done.used, groups.n
    reading = account(table, layout, format_name, int(n.sum()), int(n[used].sum()), done.dropped)
    return _pairs_of_groups(columns, done, groups, keys, layout, options, reading)


def _pairs_of_groups(
    columns: Columns,
    done: Settled,
    groups: Groups,
    keys: Mapping[str, str],
    layout: Layout,
    options: Options,
    reading: Reading,
) -> Pairs:
    used, outcome = done.used, done.outcome[done.used]
    agents = Factor.coded(np.concatenate([columns.a.codes[used], columns.b.codes[used]]), columns.a.levels)
    a, b = np.split(agents.codes, 2)
    both_bad = done.both_bad[used]
    if "both_bad" in layout:
        both_bad = both_bad | (_level_numbers(groups.texts[layout.roles["both_bad"]], "both_bad")[used] == 1)
    split = {name: groups.texts[column].take(used) for name, column in keys.items()}
    if "position" in options.by:
        split["position"] = _first_of_pair(a, b, layout)
    n = groups.n[used]
    return Pairs.from_outcomes(
        agents.levels,
        a,
        b,
        outcome,
        both_bad=both_bad,
        weight=n.astype(np.float64) if groups.weight is None else groups.weight[used],
        square=None if groups.square is None else groups.square[used],
        battles=n,
        keys=split,
        reading=reading,
    )


def _first_of_pair(a: Codes, b: Codes, layout: Layout) -> Factor:
    """Who of the pair was first, by the orientation of the columns."""
    if not ORDERED & set(tokens(agents_of(layout)[0])):
        raise UsageError(
            f"`by='position'` needs columns whose names say who was first; {quoted(agents_of(layout)[0])} does not."
        )
    return Factor.coded((a > b).astype(np.int64), POSITIONS)


def _level_numbers(factor: Factor, column: str) -> Floats:
    """The levels as numbers, entry by entry, NaN where the cell is empty."""
    values = np.array([number_of(level) for level in factor.levels] + [np.nan])
    wrong = [x for x, value in zip(factor.levels, values, strict=False) if not np.isfinite(value) and not is_blank(x)]
    if wrong:
        raise ReadError(f"{quoted(column)} must hold finite numbers; got {quoted(wrong[0])}. Correct these cells.")
    return values[factor.codes]
