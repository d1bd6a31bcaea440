"""Tables of rankings into `Ballots`: places, scores in a game, orderings, best and worst."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import ReadError, UnknownLabel, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.layouts.account import account
from beatpath.data.layouts.battles import sifted
from beatpath.data.layouts.counts import require_counts
from beatpath.data.layouts.labels import unknown_sentence
from beatpath.data.layouts.roles import Layout
from beatpath.data.layouts.words import tokens
from beatpath.data.sources.options import Options
from beatpath.data.tables.table import Rows, Table
from beatpath.evidence import Ballots, Factor

PLACES = ("last", "drop")


def read_places(table: Table, layout: Layout, options: Options, format_name: str) -> Ballots:
    """Read one row an agent a ballot: by place (1 is best) or by score (higher is better, unless said otherwise)."""
    by = layout.roles.get("rank") or layout.roles["score"]
    with table.rows([*(c for role in layout.roles for c in layout.many(role)), *options.keep]) as rows:
        agent = rows.factor(layout.roles["agent"])
        ballot = _joined_factor([rows.factor(name) for name in layout.many("ballot")])
        value, last, excluded, unranked = _places_of_labels(rows, by, options)
        _require_ranks(value, ballot, layout, by)
        lower = "rank" in layout or bool({by, "score"} & set(options.lower))
        value = np.where(last, np.inf, value if lower else -value)
        reasons = {"no agent": agent.codes < 0, "no ballot": ballot.codes < 0, "label left out": excluded}
        again = _again(ballot, agent, value, ~np.any([*reasons.values(), unranked], axis=0))
        if again.any() and options.repeats == "error":
            _refuse_repeat(again, agent, ballot, table)
        reasons["agent again on its ballot"] = again
        used, dropped = sifted(reasons.items(), np.ones(len(agent), dtype=np.int64))
        present = used & ~unranked
        stood, voted = agent.take(used), ballot.take(used)
        head = np.flatnonzero(used)[_first_rows_of_ballots(voted.codes, len(voted.levels))]
        entry = np.flatnonzero(present)[np.argsort(voted.codes[present[used]], kind="stable")]
        size = np.bincount(voted.codes[present[used]], minlength=len(voted.levels))
        roles = [role for role in ("task", "voter", "cluster") if role in layout]
        return Ballots(
            stood.levels,
            _recoded(agent, stood.levels)[entry],
            np.unique(value[entry], return_inverse=True)[1].astype(np.int32),
            np.concatenate([[0], np.cumsum(size)]),
            count=_per_ballot(rows, layout, "count", head),
            weight=_per_ballot(rows, layout, "weight", head),
            factors={role: rows.factor(layout.roles[role]).take(head) for role in roles}
            | {name: rows.factor(name).take(head) for name in options.keep}
            | {"ballot": Factor(np.arange(len(voted.levels), dtype=np.int32), voted.levels)},
            reading=account(table, layout, format_name, len(agent), int(used.sum()), dropped),
        )


def _require_ranks(value: Floats, ballot: Factor, layout: Layout, column: str) -> None:
    """Refuse a position, which may be a rank or a count of steps, that goes beyond the agents of the largest ballot."""
    known = (ballot.codes >= 0) & ~np.isnan(value)
    most = int(np.bincount(ballot.codes[known], minlength=1).max(initial=0))
    if "rank" in layout.guessed and "position" in tokens(column) and known.any() and value[known].max() > most:
        roles = ",".join(f"{role}={layout.guessed[role]}" for role in ("ballot", "agent") if role in layout.guessed)
        raise ReadError(
            f"{quoted(column)} must hold ranks, 1 being best, to be read by its name; it goes up to {value[known].max():g} where "
            f"no ballot has more than {counted(most, 'agent')}. Say whether less is better, `--map {roles},rank={shown(column)}`, "
            f"or more, `--map {roles},score={shown(column)}`."
        )


def _recoded(factor: Factor, levels: tuple[str, ...]) -> Codes:
    """The codes of a factor among other levels, -1 where a level is not among them."""
    place = {level: i for i, level in enumerate(levels)}
    return np.array([place.get(level, -1) for level in factor.levels] + [-1], dtype=np.int32)[factor.codes]


def _again(ballot: Factor, agent: Factor, value: Floats, present: Bools) -> Bools:
    """Rows whose agent stands on the same ballot in an earlier or better row."""
    rows = np.flatnonzero(present)
    code = ballot.codes[rows].astype(np.int64) * len(agent.levels) + agent.codes[rows]
    order = np.lexsort((value[rows], code))
    again = np.zeros(len(agent), dtype=bool)
    again[rows[order[1:]]] = np.diff(code[order]) == 0
    return again


def _refuse_repeat(again: Bools, agent: Factor, ballot: Factor, table: Table) -> None:
    row = int(np.flatnonzero(again)[0])
    raise ReadError(
        f"a ballot must name an agent at most once; {quoted(ballot.levels[ballot.codes[row]])} names "
        f"{quoted(agent.levels[agent.codes[row]])} again in {table.place(row)} ({counted(int(again.sum()), 'such row')}). Keep the "
        "best place with `--repeats best`, or map more columns to `ballot` (joined by '+') if they make it unique."
    )


def _joined_factor(factors: Sequence[Factor]) -> Factor:
    """One factor from several columns, their names joined; missing where any is."""
    if len(factors) == 1:
        return factors[0]
    missing = np.any([f.codes < 0 for f in factors], axis=0)
    code = np.zeros(len(factors[0]), dtype=np.int64)
    for factor in factors:
        code = code * (len(factor.levels) + 1) + factor.codes + 1
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    names = [" / ".join(f.levels[f.codes[row]] if f.codes[row] >= 0 else "" for f in factors) for row in first]
    return Factor.coded(np.where(missing, -1, inverse), names)


def _places_of_labels(rows: Rows, column: str, options: Options) -> tuple[Floats, Bools, Bools, Bools]:
    """Places as numbers; which labels mean last, which rows are left out, and which agents were there but unranked."""
    label = rows.factor(column)
    numbers = np.array([_number(level) for level in label.levels] + [np.nan])
    words = [level for level, number in zip(label.levels, numbers, strict=False) if np.isnan(number)]
    for name, meaning in options.labels.items():
        if meaning not in PLACES or name not in words:
            raise UsageError(
                f"`labels` must map labels that occur ({listed(words)}) to one of {', '.join(PLACES)}; "
                f"got {quoted(name)}={quoted(meaning)}."
            )
    unknown = [word for word in words if word not in options.labels]
    if unknown:
        counts = np.bincount(label.codes + 1, minlength=len(label.levels) + 1)[1:]
        odd = [label.levels.index(word) for word in words]
        raise UnknownLabel(
            unknown_sentence(
                column, words, counts[odd], unknown, ["last (tied behind the others)"], "places as numbers"
            )
        )

    def means(word: str) -> Bools:
        return np.array([options.labels.get(x) == word for x in label.levels] + [False])[label.codes]

    return numbers[label.codes], means("last"), means("drop"), label.codes < 0


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return float("nan")
    return value if np.isfinite(value) else float("nan")


def _first_rows_of_ballots(ballot: Codes, n_ballots: int) -> Ints:
    """The first row of every ballot."""
    head = np.zeros(n_ballots, dtype=np.int64)
    head[ballot[::-1]] = np.arange(len(ballot))[::-1]
    return head


def _per_ballot(rows: Rows, layout: Layout, role: str, chosen: Ints) -> Any:
    """The count or weight of every ballot, from the row that stands for it."""
    if role not in layout:
        return None
    values = rows.numbers(layout.roles[role])[chosen]
    if role == "count":
        require_counts(values, layout.roles[role], lambda i: rows.table.place(int(chosen[i])), whole=True)
    return values


def read_orderings(table: Table, layout: Layout, options: Options, format_name: str) -> Ballots:
    """Read one row a ballot, its columns the first, second, ... place, empty where the ballot ends."""
    columns = layout.many("places")
    with table.rows([*columns, *(layout.roles[r] for r in layout.roles if r != "places"), *options.keep]) as rows:
        placed = rows.factors(columns)
        codes = np.stack([factor.codes for factor in placed], axis=1)
        ballot, place = np.nonzero(codes >= 0)
        return _one_row_ballots(
            table, rows, layout, options, format_name, placed[0].levels, ballot, codes[ballot, place], place
        )


def read_ranks(table: Table, layout: Layout, options: Options, format_name: str) -> Ballots:
    """Read one row a ballot and one column an agent, its cells the agent's rank (1 is best), empty where it has none."""
    columns = layout.many("ranks")
    with table.rows([*columns, *(layout.roles[r] for r in layout.roles if r != "ranks"), *options.keep]) as rows:
        rank = rows.number_table(columns)
        ballot, at = np.nonzero(~np.isnan(rank))
        agents = tuple(sorted(columns))
        code = np.array([agents.index(name) for name in columns])
        return _one_row_ballots(
            table, rows, layout, options, format_name, agents, ballot, code[at], _dense_places(rank[ballot, at])
        )


def _dense_places(rank: Floats) -> Ints:
    """Ranks as whole numbers in the same order."""
    return np.unique(rank, return_inverse=True)[1].astype(np.int64)


def read_best_worst(table: Table, layout: Layout, options: Options, format_name: str) -> Ballots:
    """Read one row a choice among options: the best first, the worst last, the others tied between them."""
    columns = layout.many("options")
    with table.rows([*columns, *(layout.roles[r] for r in layout.roles if r != "options"), *options.keep]) as rows:
        shown_agents = rows.factors(columns)
        codes = np.stack([factor.codes for factor in shown_agents], axis=1)
        place = np.ones(codes.shape, dtype=np.int64)
        for role, value in (("best", 0), ("worst", 2)):
            chosen = _chosen_option(rows, layout, role, columns, shown_agents[0].levels, codes, table)
            place[np.arange(len(codes)), chosen] = value
        ballot, at = np.nonzero(codes >= 0)
        return _one_row_ballots(
            table,
            rows,
            layout,
            options,
            format_name,
            shown_agents[0].levels,
            ballot,
            codes[ballot, at],
            place[ballot, at],
        )


def _chosen_option(
    rows: Rows,
    layout: Layout,
    role: str,
    columns: Sequence[str],
    levels: Sequence[str],
    codes: Codes,
    table: Table,
) -> Ints:
    """Which option each row chose: by letter or number, by the column's name, or by the agent's own name."""
    label = rows.factor(layout.roles[role])
    by_word = {word: i for i, c in enumerate(columns) for word in (c.lower(), c.lower()[-1:], "abcdefghij"[i : i + 1])}
    option = np.array([by_word.get(level.strip().lower(), -1) for level in label.levels] + [-1])[label.codes]
    agent = np.array([levels.index(x) if x in levels else -2 for x in label.levels] + [-2])[label.codes]
    by_name = (codes == agent[:, None]).argmax(axis=1)
    named = (codes == agent[:, None]).any(axis=1)
    unclear = (option < 0) & ~named
    if unclear.any():
        first = int(np.flatnonzero(unclear)[0])
        raise ReadError(
            f"{quoted(layout.roles[role])} must name one of the options of its row; it does not in {table.place(first)} "
            f"({counted(int(unclear.sum()), 'such row')}). Correct these rows or leave them out."
        )
    return np.where(named, by_name, option)


def _one_row_ballots(
    table: Table,
    rows: Rows,
    layout: Layout,
    options: Options,
    format_name: str,
    levels: tuple[str, ...],
    ballot: Ints,
    agent: Codes,
    place: NDArray[Any],
) -> Ballots:
    """Ballots from rows that each hold a whole ballot."""
    n_rows = len(rows)
    code = np.sort(ballot * len(levels) + agent)
    again = code[1:][np.diff(code) == 0]
    if again.size:
        raise ReadError(
            f"a ballot must name an agent at most once; {quoted(levels[again[0] % len(levels)])} stands twice in "
            f"{table.place(int(again[0] // len(levels)))}. Correct this row or leave it out."
        )
    everyone = np.arange(n_rows)
    roles = [role for role in ("ballot", "task", "voter", "cluster") if role in layout]
    return Ballots(
        levels,
        agent,
        place,
        np.concatenate([[0], np.cumsum(np.bincount(ballot, minlength=n_rows))]),
        count=_per_ballot(rows, layout, "count", everyone),
        weight=_per_ballot(rows, layout, "weight", everyone),
        factors={role: rows.factor(layout.roles[role]) for role in roles}
        | {name: rows.factor(name) for name in options.keep},
        reading=account(table, layout, format_name, n_rows, n_rows, {}),
    )
