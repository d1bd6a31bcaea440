"""Tables that are counted already: pair counts and square win matrices."""

from collections.abc import Callable

import numpy as np

from beatpath._arrays import Bools, Codes, Floats
from beatpath._errors import ReadError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.layouts.account import account
from beatpath.data.layouts.battles import FACTOR_ROLES, NO_AGENT, SELF, mapped_positions, sifted
from beatpath.data.layouts.roles import Layout
from beatpath.data.layouts.words import ORDERED, tokens
from beatpath.data.sources.options import Options
from beatpath.data.tables.table import Rows, Table
from beatpath.evidence import Factor, Margins, Pairs, WinRates
from beatpath.evidence.arrays import MOST
from beatpath.evidence.battles import POSITIONS


def read_pair_counts(table: Table, layout: Layout, options: Options, format_name: str) -> Pairs:
    """Read a table with wins, losses and perhaps ties for a pair in every row."""
    with table.rows([*(c for c in layout.roles.values() if table.has(c)), *options.keep]) as rows:
        a, b = rows.factors([layout.roles["agent_a"], layout.roles["agent_b"]])
        counts = np.stack(
            [_count_column(rows, layout, role) for role in ("wins_a", "wins_b", "ties", "both_bad")], axis=1
        )
        empty = np.isnan(counts[:, :2]).any(axis=1)
        reasons = {NO_AGENT: (a.codes < 0) | (b.codes < 0), "no counts": empty, SELF: a.codes == b.codes}
        if options.self_battles != "drop" and (reasons[SELF] & ~reasons[NO_AGENT]).any():
            first = int(np.flatnonzero(reasons[SELF])[0])
            raise ReadError(
                f"an agent cannot meet itself; {quoted(a.levels[a.codes[first]])} does in {table.place(first)}. "
                "Correct this row, or leave such rows out with `--self drop`."
            )
        used, dropped = sifted(reasons.items(), np.ones(len(a), dtype=np.int64))
        agents = Factor.coded(np.concatenate([a.codes[used], b.codes[used]]), a.levels)
        first_code, second_code = np.split(agents.codes, 2)
        keys = {role: rows.factor(layout.roles[role]).take(used) for role in FACTOR_ROLES if role in layout}
        keys |= {name: rows.factor(name).take(used) for name in options.keep}
        keys |= (position := _position_key(rows, used, first_code, second_code, layout))
        battles = None
        if "battles" in layout:
            battles = rows.numbers(layout.roles["battles"])
            require_counts(battles, layout.roles["battles"], table.place, whole=True)
            battles = battles[used]
        return Pairs.from_cells(
            agents.levels,
            first_code,
            second_code,
            np.nan_to_num(counts[used]),
            battles=battles,
            keys=keys,
            reading=account(
                table,
                layout,
                format_name,
                len(a),
                int(used.sum()),
                dropped,
                [f"cells are split by position, {layout.roles['agent_a']} being first"]
                if position and "position" not in layout
                else [],
            ),
        )


def _count_column(rows: Rows, layout: Layout, role: str) -> Floats:
    """One column of counts, zero where the layout has none, NaN where a cell is empty."""
    if role not in layout:
        return np.zeros(len(rows))
    values = rows.numbers(layout.roles[role])
    require_counts(values, layout.roles[role], rows.table.place)
    return values


def require_counts(values: Floats, column: str, place: Callable[[int], str], *, whole: bool = False) -> None:
    """Counts are not negative and not beyond what a float can count; those of voters or battles are whole and there."""
    wrong = (values < 0) | (values > MOST) | (whole & (values % 1 != 0))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ReadError(
            f"{quoted(column)} must hold {'whole ' if whole else ''}counts from 0 to 2^53; got {values[first]:g} in "
            f"{place(first)} ({counted(int(wrong.sum()), 'such row')}). Correct these rows or leave them out."
        )


def _position_key(rows: Rows, used: Bools, a: Codes, b: Codes, layout: Layout) -> dict[str, Factor]:
    """Split by who was first: as a column says, else where the same pair stands both ways round under fitting names."""
    if "position" in layout:
        first = np.where(a > b, -1, 1) * mapped_positions(rows, layout.roles["position"])[used]
        return {"position": Factor.coded(np.select([first > 0, first < 0], [0, 1], 2), POSITIONS)}
    if "position" in layout.given or not ORDERED & set(tokens(layout.roles["agent_a"])):
        return {}
    size = int(max(a.max(initial=0), b.max(initial=0))) + 1
    pair = np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)
    if not np.intersect1d(pair[a < b], pair[a > b]).size:
        return {}
    return {"position": Factor.coded((a > b).astype(np.int64), POSITIONS)}


def read_win_matrix(table: Table, layout: Layout, options: Options, format_name: str) -> Pairs | Margins | WinRates:
    """Read a square table: win counts, win rates (complementary, from 0 to 1) or margins (minus the transpose)."""
    agent, others = layout.roles["agent"], layout.many("matrix")
    with table.rows([agent, *others]) as rows:
        names = rows.factor(agent).names()
        if len(names) != len(set(names)) or set(names) != set(others):
            raise ReadError(
                f"a win matrix must have the same names in its first column and its header, each once; "
                f"{listed(sorted(map(str, set(names) ^ set(others))))} are on one side only."
            )
        agents = tuple(sorted(others))
        order = [names.index(name) for name in agents]
        matrix = rows.number_table(agents)[order]
    off = ~np.eye(len(agents), dtype=bool)
    known = matrix[off & ~np.isnan(matrix)]
    if not known.size:
        raise ReadError(
            f"a win matrix must have numbers beside its diagonal; that of {shown(table.sources[0])} is empty."
        )
    reading = account(table, layout, format_name, len(names), len(names), {})
    if np.array_equal(matrix[off], -matrix.T[off]) and (known < 0).any():
        np.fill_diagonal(matrix, 0)
        return Margins(matrix, agents, reading=reading)
    if known.min() >= 0 and known.max() <= 1 and not np.isin(known, (0, 1)).all():
        gap = np.abs(matrix + matrix.T - 1)[off]
        if np.max(gap, where=~np.isnan(gap), initial=0.0) <= 1e-6:
            return WinRates(_adding_up_to_one(matrix), agents, reading=reading)
    wins = np.nan_to_num(matrix)
    require_counts(wins.max(axis=1), agent, lambda row: f"the row of {quoted(agents[row])}")
    a, b = np.triu_indices(len(agents), 1)
    counts = np.stack([wins[a, b], wins[b, a], np.zeros(len(a)), np.zeros(len(a))], axis=1)
    met = counts.sum(axis=1) > 0
    diagonal = np.nansum(np.diag(matrix))
    notes = (f"the diagonal ({diagonal:,.6g}) is left out: an agent cannot meet itself",) if diagonal else ()
    return Pairs.from_cells(
        agents,
        a[met],
        b[met],
        counts[met],
        reading=account(table, layout, format_name, len(names), len(names), {}, notes),
    )


def _adding_up_to_one(matrix: Floats) -> Floats:
    """Win rates whose pairs add up to one exactly, a missing half from the other half.

    >>> _adding_up_to_one(np.array([[np.nan, 0.75], [np.nan, np.nan]]))
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    upper = np.triu(np.where(np.isnan(matrix), 1 - matrix.T, matrix), 1)
    rates = upper + np.tril(1 - upper.T, -1)
    np.fill_diagonal(rates, 0.5)
    return rates
