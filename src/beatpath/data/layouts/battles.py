"""Tables of battles into `Battles`, row by row.

Columns come as factors and numbers with a multiplicity (one for a row, the count for a group of equal rows); `settled`
gives each its outcome, and what cannot be used is counted by reason.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints, blocks_of, counted_codes, looked_up
from beatpath._errors import ReadError, UnknownLabel
from beatpath._text import counted, quoted
from beatpath.data.layouts.account import account
from beatpath.data.layouts.labels import Meanings, known_meaning, meanings, unknown_sentence
from beatpath.data.layouts.roles import Layout
from beatpath.data.layouts.words import ORDERED, tokens
from beatpath.data.sources.options import Options
from beatpath.data.tables.table import Rows, Table
from beatpath.evidence import Battles, Convention, Factor, Reading
from beatpath.evidence.arrays import T

FACTOR_ROLES = ("task", "cluster", "judge")
NO_AGENT, NO_OUTCOME, LABEL_DROPPED, SELF = "no agent", "no outcome", "label left out", "agent met itself"


@dataclass
class Columns:
    """What a battle table says, before anything is settled: one entry a row or a group of equal rows."""

    a: Factor
    b: Factor
    n: Ints
    label: Factor | None = None
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    place: Callable[[int], str] = lambda index: f"row {index + 1:,}"


@dataclass(frozen=True)
class Settled:
    """Which entries are used, their outcomes, and how many rows were dropped for which reason."""

    used: Bools
    outcome: Floats
    both_bad: Bools
    dropped: dict[str, int]


def settled(columns: Columns, layout: Layout, options: Options) -> Settled:
    """Give every entry its outcome for agent a, or a reason to be dropped."""
    outcome, both_bad, excluded = _outcomes_of(columns, layout, options)
    a, b = columns.a.codes, columns.b.codes
    alone = (a == b) & (a >= 0)
    if options.self_battles != "drop" and alone.any():
        first = int(np.flatnonzero(alone)[0])
        raise ReadError(
            f"an agent cannot meet itself; {quoted(columns.a.levels[a[first]])} does in "
            f"{columns.place(first)} ({counted(int(columns.n[alone].sum()), 'such row')}). "
            "Correct these rows, or leave them out with `--self drop`."
        )

    def reasons() -> Iterator[tuple[str, Bools]]:  # one at a time: each is as long as all rows
        yield NO_AGENT, (a < 0) | (b < 0)
        yield LABEL_DROPPED, excluded
        yield NO_OUTCOME, np.isnan(outcome) & ~excluded
        yield SELF, alone

    used, dropped = sifted(reasons(), columns.n)
    return Settled(used, outcome, both_bad, dropped)


def sifted(reasons: Iterable[tuple[str, Bools]], n: Ints) -> tuple[Bools, dict[str, int]]:
    """Which entries are used, and how many rows each reason drops, every entry for its first reason only."""
    used, dropped = np.ones(len(n), dtype=bool), {}
    for reason, hit in reasons:
        if (used & hit).any():
            dropped[reason] = int(n[used & hit].sum())
        used &= ~hit
    return used, dropped


def _outcomes_of(columns: Columns, layout: Layout, options: Options) -> tuple[Floats, Bools, Bools]:
    """Outcome for a, both bad, and label left out, entry by entry; NaN where there is no outcome."""
    n = len(columns.n)
    nothing = np.zeros(n, dtype=bool)
    if layout.name == "winner and loser":
        return np.ones(n), nothing, nothing
    if layout.name == "battles by score":
        return _compared(columns.numbers["score_a"], columns.numbers["score_b"]), nothing, nothing
    if layout.name == "one-hot winners":
        return _one_hot_outcomes(columns, layout), nothing, nothing
    assert columns.label is not None
    label = columns.label
    counts = _rows_by_label(columns, label)
    sides = _sides(layout)
    try:
        meaning = meanings(label.levels, counts, column=layout.roles["outcome"], sides=sides, overrides=options.labels)
    except UnknownLabel:
        named = _outcomes_by_winner_name(columns, layout, options)
        if named is None:
            raise
        return named
    found = _meaning_by_entry(meaning, label)
    if not set(label.levels) <= set(options.labels):
        _refuse_two_readings(columns, layout, found[0])
    return found


def _rows_by_label(columns: Columns, label: Factor) -> Ints:
    """How many rows every label has."""
    counts = np.zeros(len(label.levels) + 1)
    for rows in blocks_of(len(label)):
        counts += np.bincount(label.codes[rows] + 1, weights=columns.n[rows], minlength=len(counts))
    return counts[1:].astype(np.int64)


def _refuse_two_readings(columns: Columns, layout: Layout, outcome: Floats) -> None:
    """Refuse labels that are sides and also the names of the row's agents, where the two readings differ."""
    label = columns.label
    assert label is not None
    agents = {name: i for i, name in enumerate(columns.a.levels)}
    if not label.levels or not set(label.levels) <= set(agents):
        return
    who = np.array([agents[x] for x in label.levels] + [-1])[label.codes]
    known = (label.codes >= 0) & (columns.a.codes >= 0) & (columns.b.codes >= 0)
    named = known & ((who == columns.a.codes) | (who == columns.b.codes))
    differ = named & ((who == columns.a.codes) != (outcome == 1))
    if differ.any() and (named == known).all():
        first = int(np.flatnonzero(differ)[0])
        raise ReadError(
            f"{quoted(layout.roles['outcome'])} must be read in one way; {quoted(label.levels[label.codes[first]])} in "
            f"{columns.place(first)} names one of its agents and is also a word for the other side. Rename the agents, or "
            "say with `--labels` which side each label means."
        )


def _meaning_by_entry(meaning: Meanings, label: Factor) -> tuple[Floats, Bools, Bools]:
    """The meanings of labels, entry by entry; the last entry of each table serves a missing label."""
    return (
        looked_up(np.append(meaning.outcome, np.nan), label.codes),
        looked_up(np.append(meaning.both_bad, False), label.codes),
        looked_up(np.append(meaning.dropped, False), label.codes),
    )


def _sides(layout: Layout) -> tuple[list[str], list[str]]:
    """The words by which labels may refer to the two agents' columns."""
    names = [tokens(layout.roles[role]) for role in ("agent_a", "agent_b")]
    own: tuple[list[str], list[str]] = ([], [])
    for mine, words, other in zip(own, names, reversed(names), strict=True):
        mine.append("_".join(words))
        mine.extend(word for word in words if word not in other)
    return own


def _outcomes_by_winner_name(columns: Columns, layout: Layout, options: Options) -> tuple[Floats, Bools, Bools] | None:
    """Outcomes from labels that are the winner's own name; ``None`` where no label is the name of an agent."""
    label = columns.label
    assert label is not None
    sides = _sides(layout)
    agents = {name: i for i, name in enumerate(columns.a.levels)}
    meaning = {x: options.labels.get(x) or known_meaning(x, sides) for x in label.levels if x not in agents}
    if not agents.keys() & set(label.levels) or "a" in meaning.values() or "b" in meaning.values():
        return None  # labels that name sides are no names: an agent that is called like a label is an accident
    unknown = [x for x, m in meaning.items() if m not in ("tie", "both_bad", "drop")]
    if unknown:
        counts = _rows_by_label(columns, label)
        choices = ["tie", "both_bad", "or correct it to the name of the winner"]
        raise UnknownLabel(unknown_sentence(layout.roles["outcome"], label.levels, counts, unknown, choices))
    who = np.array([agents.get(x, -1) for x in label.levels] + [-1])[label.codes]

    def says(word: str) -> Bools:
        return np.array([meaning.get(x) == word for x in label.levels] + [False])[label.codes]

    named = who >= 0
    stranger = (
        named & (who != columns.a.codes) & (who != columns.b.codes) & (columns.a.codes >= 0) & (columns.b.codes >= 0)
    )
    if stranger.any():
        first = int(np.flatnonzero(stranger)[0])
        raise ReadError(
            f"{quoted(layout.roles['outcome'])} must name one of the two agents of its row; "
            f"{quoted(columns.a.levels[who[first]])} is neither in {columns.place(first)} "
            f"({counted(int(columns.n[stranger].sum()), 'such row')}). Correct these rows."
        )
    outcome = np.select(
        [named & (who == columns.a.codes), named, says("tie") | says("both_bad")], [1.0, 0.0, 0.5], np.nan
    )
    return outcome, says("both_bad"), says("drop")


def _compared(score_a: Floats, score_b: Floats) -> Floats:
    """1 where a has more, 0 where b has, 1/2 where they are equal, NaN where either is missing.

    >>> _compared(np.array([3.0, 1.0, 1.0, np.nan]), np.array([2.0, 2.0, 1.0, 0.0]))
    array([1. , 0. , 0.5, nan])
    """
    outcome = np.select([score_a > score_b, score_a < score_b], [1.0, 0.0], 0.5)
    return np.where(np.isnan(score_a) | np.isnan(score_b), np.nan, outcome)


def _one_hot_outcomes(columns: Columns, layout: Layout) -> Floats:
    """Exactly one of the winner columns must be 1; none means no outcome where there is no column for ties."""
    flags = [columns.numbers[role] for role in ("winner_a", "winner_b", "winner_tie") if role in columns.numbers]
    table = np.stack(flags)
    total = (table == 1).sum(axis=0)
    wrong = (total > 1) | ~(np.isin(table, (0, 1)) | np.isnan(table)).all(axis=0)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ReadError(
            f"exactly one of {', '.join(quoted(layout.roles[r]) for r in ('winner_a', 'winner_b'))} and the tie column "
            f"must be 1, the others 0; got {table[:, first].tolist()} in {columns.place(first)}."
        )
    values = np.array([1.0, 0.0, 0.5])[: len(flags)]
    return np.where(total == 1, ((table == 1) * values[:, None]).sum(axis=0), np.nan)


def read_battles(table: Table, layout: Layout, options: Options, format_name: str) -> Battles:
    """Read a battle table row by row."""
    agent_columns = agents_of(layout)
    names = [c for role, c in layout.roles.items() if role != "position"] + list(options.keep)
    names += [layout.roles["position"]] if table.has(layout.roles.get("position", "")) else []
    with table.rows(names) as rows:
        a, b = rows.factors(agent_columns)
        numbers = {role: rows.numbers(layout.roles[role]) for role in number_roles(layout)}
        columns = Columns(a, b, np.broadcast_to(np.int64(1), len(a)), None, numbers, table.place)
        if layout.name == "battles":
            columns.label = rows.factor(layout.roles["outcome"])
        done = settled(columns, layout, options)
        return _battles_of_rows(
            rows, columns, done, layout, options, _battle_account(table, layout, done, len(a), format_name)
        )


def agents_of(layout: Layout) -> list[str]:
    """The columns of the two agents."""
    roles = ("winner", "loser") if layout.name == "winner and loser" else ("agent_a", "agent_b")
    return [layout.roles[role] for role in roles]


def number_roles(layout: Layout) -> list[str]:
    """The roles from which an outcome is computed as numbers."""
    return [r for r in ("score_a", "score_b", "winner_a", "winner_b", "winner_tie") if r in layout]


def _battles_of_rows(
    rows: Rows, columns: Columns, done: Settled, layout: Layout, options: Options, reading: Reading
) -> Battles:
    """Put the used rows together as battles, with every optional column the layout has."""
    used: Bools | slice = slice(None) if done.used.all() else done.used
    conventions = _strength(columns, done.used)
    columns.label = None  # as long as all rows, and of no more use
    agents, a, b = _used_agents(columns, done.used)
    both_bad = _own(done.both_bad, used)
    if "both_bad" in layout:
        both_bad = both_bad | (rows.numbers(layout.roles["both_bad"])[used] == 1)
    factors = {role: _used_rows(rows.factor(layout.roles[role]), used) for role in FACTOR_ROLES if role in layout}
    covariates: dict[str, Floats] = {}
    for name in options.keep:
        if rows.is_number(name):
            covariates[name] = rows.numbers(name)[used]
        else:
            factors[name] = _used_rows(rows.factor(name), used)
    position, notes = _positions(rows, a, b, used, layout)
    return Battles(
        agents,
        a,
        b,
        _own(done.outcome, used),
        both_bad=both_bad if both_bad.any() else None,
        weight=_used_weights(rows, columns, done.used, layout),
        position=position,
        time=rows.times(layout.roles["time"])[used] if "time" in layout else None,
        factors=factors,
        covariates=covariates,
        conventions=conventions,
        reading=_with(reading, guessed=notes),
    )


def _used_agents(columns: Columns, used: Bools) -> tuple[tuple[str, ...], Codes, Codes]:
    """The agents of the used rows, and their codes."""
    if used.all():
        n = len(columns.a.levels)
        if (counted_codes(columns.a.codes, n) + counted_codes(columns.b.codes, n))[:n].all():
            return columns.a.levels, columns.a.codes, columns.b.codes
    agents = Factor.coded(np.concatenate([columns.a.codes[used], columns.b.codes[used]]), columns.a.levels)
    a, b = np.split(agents.codes, 2)
    return agents.levels, a, b


def _used_rows(factor: Factor, used: Bools | slice) -> Factor:
    return factor if isinstance(used, slice) else factor.take(used)


def _own(values: NDArray[T], used: Bools | slice) -> NDArray[T]:
    """The used values, which nobody else writes to, so that battles need no copy of them."""
    kept = values if isinstance(used, slice) else values[used]
    kept.setflags(write=False)
    return kept


def _with(reading: Reading, guessed: Mapping[str, str]) -> Reading:
    return replace(reading, guessed={**reading.guessed, **guessed})


def _used_weights(rows: Rows, columns: Columns, used: Bools, layout: Layout) -> Floats | None:
    """The weights of the used rows; an empty or negative weight is an error with its place."""
    if "weight" not in layout:
        return None
    weight = rows.numbers(layout.roles["weight"])
    wrong = used & ~(weight >= 0)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ReadError(
            f"{quoted(layout.roles['weight'])} must hold weights that are not negative; got {weight[first]:g} in "
            f"{columns.place(first)} ({counted(int(wrong.sum()), 'such row')}). Correct these rows or leave them out."
        )
    return weight[used]


def _positions(
    rows: Rows, a: Codes, b: Codes, used: Bools | slice, layout: Layout
) -> tuple[NDArray[np.int8] | None, dict[str, str]]:
    """Who was first: as mapped (+1, -1, 0 or a, b), else agent a where its column's name says so and orders vary."""
    if "position" in layout.given and layout.given["position"] == "none":
        return None, {}
    if "position" in layout:
        position = mapped_positions(rows, layout.roles["position"])[used]
        return (position if position.any() else None), {}
    if layout.name == "winner and loser" or not ORDERED & set(tokens(layout.roles["agent_a"])):
        return None, {}
    if not _in_both_orders(a, b):
        return None, {}
    first = np.broadcast_to(np.int8(1), len(a))  # one number, however many rows
    if "neutral" in layout:
        first = np.where(rows.numbers(layout.roles["neutral"])[used] == 1, np.int8(0), first)
        first.setflags(write=False)
    return first, {"position": f"{layout.roles['agent_a']} first"}


def _in_both_orders(a: Codes, b: Codes) -> bool:
    """Whether any two agents met in both orders.

    >>> _in_both_orders(np.array([0, 1]), np.array([1, 2])), _in_both_orders(np.array([0, 2, 1]), np.array([1, 0, 0]))
    (False, True)
    """
    n = int(max(a.max(initial=0), b.max(initial=0))) + 1
    if n**2 <= 8 * len(a):
        met = np.zeros((n, n), dtype=bool)
        for rows in blocks_of(len(a)):
            met[a[rows], b[rows]] = True
        return bool((met & met.T).any())
    pair = np.minimum(a, b).astype(np.int64) * n + np.maximum(a, b)
    return bool(np.intersect1d(pair[a < b], pair[a > b]).size)


def mapped_positions(rows: Rows, column: str) -> NDArray[np.int8]:
    """Return who was first in every row: 1 for agent a, -1 for agent b, 0 for neither."""
    factor = rows.factor(column)
    words = {"1": 1, "-1": -1, "0": 0, "a": 1, "b": -1, "a first": 1, "b first": -1, "neither first": 0, "": 0}
    words |= {"1.0": 1, "-1.0": -1, "0.0": 0, "+1": 1}
    unknown = [level for level in factor.levels if level.strip().lower() not in words]
    if unknown:
        raise ReadError(
            f"{quoted(column)} must say who was first: 1 or a, -1 or b, 0 for neither; got {quoted(unknown[0])}. "
            "Map another column to `position`, or `--map position=none`."
        )
    return np.array([words[level.strip().lower()] for level in factor.levels] + [0], dtype=np.int8)[factor.codes]


def _strength(columns: Columns, used: Bools) -> tuple[Convention, ...]:
    """Say that graded preferences count once, where the labels are graded."""
    strong = [x for x in (columns.label.levels if columns.label else ()) if ">>" in x or "<<" in x]
    if not strong or columns.label is None:
        return ()
    graded = np.isin(columns.label.codes, [columns.label.levels.index(x) for x in strong]) & used
    return (Convention("strong", "once", "a strong preference (>>) counts as one win", float(columns.n[graded].sum())),)


def _battle_account(table: Table, layout: Layout, done: Settled, n_rows: int, format_name: str) -> Reading:
    return account(table, layout, format_name, n_rows, int(done.used.sum()), done.dropped)
