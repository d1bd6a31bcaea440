"""Read tables of battles as `Battles`, row by row, or as `Pairs`, counted by the engine that holds the table.

Columns are factors and numbers with a multiplicity: one for a row, the count for a group of equal rows. The rows of a
group are equal in everything that decides an outcome, so the same rules apply to groups and to rows. Rows that cannot
be used are counted by reason.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints, blocks_of, counted_codes, looked_up
from beatpath._errors import ReadError, UnknownLabel, UsageError
from beatpath._text import counted, listed, quoted
from beatpath.data.layouts.labels import BOTH_BAD, DROPPED, MEANINGS, known_meaning, meanings, unknown_sentence
from beatpath.data.layouts.role_table import NO_AGENT, SELF, RoleRows, RoleTable, refuse_self_battles, sifted
from beatpath.data.layouts.roles import Layout
from beatpath.data.sources.source import Options
from beatpath.data.tables.cells import is_blank, number_of
from beatpath.data.tables.words import ORDERED, RIGHT_ANSWERS, plain_name, tokens
from beatpath.evidence import Battles, Convention, Factor, Pairs
from beatpath.evidence.arrays import refuse
from beatpath.evidence.battles import POSITIONS

FACTOR_ROLES = ("task", "cluster", "judge")  # columns that battles keep as factors
# columns that determine an outcome
NUMBER_ROLES = ("score_a", "score_b", "winner_a", "winner_b", "winner_tie", "both_bad")
_ANSWERS = {"0", "1", "0.0", "1.0", "true", "false"}  # what models predict, not what they are called
NO_OUTCOME, LABEL_DROPPED = "no outcome", "label left out"


@dataclass
class Entries:
    """The raw content of a battle table: one entry per row or group of equal rows."""

    a: Factor
    b: Factor
    n: Ints
    label: Factor | None = None
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    place: Callable[[int], str] = lambda index: f"row {index + 1:,}"

    @property
    def agents(self) -> dict[str, int]:
        """The code of every agent."""
        return {name: i for i, name in enumerate(self.a.levels)}

    def rows_by_label(self) -> Ints:
        """Return the number of rows of every label."""
        assert self.label is not None
        counts = np.zeros(len(self.label.levels) + 1)
        for rows in blocks_of(len(self.label)):
            counts += np.bincount(self.label.codes[rows] + 1, weights=self.n[rows], minlength=len(counts))
        return counts[1:].astype(np.int64)


def settled(entries: Entries, layout: Layout, options: Options) -> tuple[Bools, Floats, Bools, dict[str, int]]:
    """Determine the outcome of every entry for agent a, or the reason to drop it.

    Returns which entries are used, their outcomes, whether both agents were bad, and how many rows are dropped by reason.
    """
    names, guessed = set(entries.a.levels), layout.guessed.get("agent_a", "agent_a") != "agent_a"
    answers = all(name.lower() in _ANSWERS for name in names)
    if guessed and len(names) > 1 and (answers or (entries.label and names <= set(entries.label.levels))):
        _refuse_predictions(entries, layout)
    if {*agents_of(layout)} <= names:
        _refuse_header_again(entries, layout)
    outcome = _outcomes_of(entries, layout, options)
    both_bad = outcome == BOTH_BAD
    outcome[both_bad] = 0.5
    if "both_bad" in entries.numbers:
        both_bad |= entries.numbers["both_bad"] == 1
    a, b = entries.a.codes, entries.b.codes
    alone = (a == b) & (a >= 0)
    if options.self_battles != "drop":
        refuse_self_battles(alone, entries.a, entries.n, entries.place)

    def reasons() -> Iterator[tuple[str, Bools]]:  # one at a time: each is as long as all rows
        yield NO_AGENT, (a < 0) | (b < 0)
        yield LABEL_DROPPED, outcome == DROPPED
        yield NO_OUTCOME, np.isnan(outcome)
        yield SELF, alone

    used, dropped = sifted(reasons(), entries.n)
    return used, outcome, both_bad, dropped


def _refuse_header_again(entries: Entries, layout: Layout) -> None:
    """Raise an error for a row whose agents are called like their columns: two files were joined with their headers."""
    first, second = map(entries.a.levels.index, agents_of(layout))
    refuse(
        (entries.a.codes == first) & (entries.b.codes == second),
        lambda row, such: (
            f"a row must be a battle; the names of columns stand again in {entries.place(row)} ({such}). Leave them out: "
            "`awk 'NR == 1 {head = $0} NR == 1 || $0 != head' FILE > rows.csv`."
        ),
        ReadError,
    )


def _refuse_predictions(entries: Entries, layout: Layout) -> None:
    """Raise an error if columns that were guessed to name agents hold what two models predicted.

    That is 0 and 1 beside outcomes of 0 and 1, or the labels of a column of right answers: two models may give the same
    answer, and no agent battles itself.
    """
    names, labels, a = entries.a.levels, () if entries.label is None else entries.label.levels, entries.a.codes
    predicted = _ANSWERS.issuperset(map(str.lower, (*names, *labels)))
    if labels and plain_name(layout.roles["outcome"]) in RIGHT_ANSWERS:
        predicted |= bool(((a == entries.b.codes) & (a >= 0)).any())
    if predicted:
        first, second = layout.roles["agent_a"], layout.roles["agent_b"]
        raise ReadError(
            f"{quoted(first)} and {quoted(second)} must name agents; they hold {listed(names)}, as the answers of two "
            "models do. Compare the answers with the right ones first: a table with a column `item`, and a column of 1 (right) or 0 "
            "(wrong) for every model. If these are names of agents, say so: "
            f"`--map {shlex.quote(f'agent_a={first},agent_b={second}')}`."
        )


def _outcomes_of(entries: Entries, layout: Layout, options: Options) -> Floats:
    """Outcome for a, `BOTH_BAD` or `DROPPED` per entry; NaN if there is no outcome."""
    if layout.name == "winner and loser":
        return np.ones(len(entries.n))
    if layout.name == "battles by score":
        return _compared(entries.numbers["score_a"], entries.numbers["score_b"])
    if layout.name == "one-hot winners":
        return _one_hot_outcomes(entries, layout)
    assert entries.label is not None
    label, column = entries.label, layout.roles["outcome"]
    a, b = (tokens(layout.roles[role]) for role in ("agent_a", "agent_b"))
    own = [word for word in a if word not in b], [word for word in b if word not in a]
    sides = ["_".join(a), *own[0]], ["_".join(b), *own[1]]  # words by which labels may refer to the agents' columns
    try:
        known = meanings(label.levels, entries.rows_by_label, column=column, sides=sides, overrides=options.labels)
    except UnknownLabel:
        named = _outcomes_by_winner_name(entries, column, sides, options)
        if named is None:
            raise
        return named
    outcome = looked_up(np.array([*map(known.get, label.levels), np.nan], dtype=np.float64), label.codes)
    if set(label.levels) <= set(entries.a.levels) and not set(label.levels) <= set(options.labels):
        _refuse_two_readings(entries, column, outcome)
    return outcome


def _refuse_two_readings(entries: Entries, column: str, outcome: Floats) -> None:
    """Raise an error for labels that are both sides and names of the row's agents, if the two meanings differ."""
    label, agents = entries.label, entries.agents
    assert label is not None
    who = label.each(agents.__getitem__, -1)
    known = (label.codes >= 0) & (entries.a.codes >= 0) & (entries.b.codes >= 0)
    named = known & ((who == entries.a.codes) | (who == entries.b.codes))
    refuse(
        named & ((who == entries.a.codes) != (outcome == 1)) & (named == known).all(),
        lambda first, _: (
            f"{quoted(column)} must be read in one way; {quoted(label.levels[label.codes[first]])} in "
            f"{entries.place(first)} names one of its agents and is also a word for the other side. Rename the agents, or "
            "say with `--labels` which side each label means."
        ),
        ReadError,
    )


def _outcomes_by_winner_name(
    entries: Entries, column: str, sides: tuple[list[str], list[str]], options: Options
) -> Floats | None:
    """Outcomes from labels that are the winner's name; ``None`` if no label is the name of an agent."""
    label, agents, a, b = entries.label, entries.agents, entries.a.codes, entries.b.codes
    assert label is not None
    meaning = {x: options.labels.get(x) or known_meaning(x, sides) for x in label.levels if x not in agents}
    if not agents.keys() & set(label.levels) or "a" in meaning.values() or "b" in meaning.values():
        return None  # labels that name sides are no names; an agent with the name of a label is a coincidence
    unknown = [x for x, m in meaning.items() if m not in ("tie", "both_bad", "drop")]
    if unknown:
        choices = ["tie", "both_bad", "or correct it to the name of the winner"]
        raise UnknownLabel(unknown_sentence(column, label.levels, entries.rows_by_label(), unknown, choices))
    who = label.each(lambda x: agents.get(x, -1), -1)
    stranger = (who >= 0) & (who != a) & (who != b) & (a >= 0) & (b >= 0)
    refuse(
        stranger,
        lambda first, _: (
            f"{quoted(column)} must name one of the two agents of its row; {quoted(entries.a.levels[who[first]])} "
            f"is neither in {entries.place(first)} ({counted(int(entries.n[stranger].sum()), 'such row')}). Correct these rows."
        ),
        ReadError,
    )
    outcome = label.each(lambda x: np.nan if x in agents else MEANINGS[meaning[x] or ""], np.nan)
    return np.select([(who >= 0) & (who == a), who >= 0], [1.0, 0.0], outcome)


def _compared(score_a: Floats, score_b: Floats) -> Floats:
    """1 if a has more, 0 if b has, 1/2 if they are equal, NaN if either is missing.

    >>> _compared(np.array([3.0, 1.0, 1.0, np.nan]), np.array([2.0, 2.0, 1.0, 0.0]))
    array([1. , 0. , 0.5, nan])
    """
    outcome = np.select([score_a > score_b, score_a < score_b], [1.0, 0.0], 0.5)
    return np.where(np.isnan(score_a) | np.isnan(score_b), np.nan, outcome)


def _one_hot_outcomes(entries: Entries, layout: Layout) -> Floats:
    """Outcomes from winner columns, exactly one of which must be 1; none means no outcome if ties have no column."""
    flags = [entries.numbers[role] for role in ("winner_a", "winner_b", "winner_tie") if role in entries.numbers]
    table = np.stack(flags)
    total = (table == 1).sum(axis=0)
    wrong = (total > 1) | ~(np.isin(table, (0, 1)) | np.isnan(table)).all(axis=0)
    refuse(
        wrong,
        lambda first, _: (
            f"exactly one of {quoted(layout.roles['winner_a'])}, {quoted(layout.roles['winner_b'])} and the tie "
            f"column must be 1, the others 0; got {table[:, first].tolist()} in {entries.place(first)}."
        ),
        ReadError,
    )
    values = np.array([1.0, 0.0, 0.5])[: len(flags)]
    return np.where(total == 1, ((table == 1) * values[:, None]).sum(axis=0), np.nan)


def agents_of(layout: Layout) -> list[str]:
    """The columns of the two agents."""
    roles = ("winner", "loser") if layout.name == "winner and loser" else ("agent_a", "agent_b")
    return [layout.roles[role] for role in roles]


def read_battles(source: RoleTable) -> Battles:
    """Read a battle table row by row."""
    layout = source.layout
    with source.rows() as rows:
        a, b = rows.rows.factors(agents_of(layout))
        numbers = {role: rows.numbers(role) for role in NUMBER_ROLES if role in layout.roles}
        label = rows.rows.factors([layout.roles["outcome"]])[0] if "outcome" in layout.roles else None
        entries = Entries(a, b, np.broadcast_to(np.int64(1), rows.rows.n_rows), label, numbers, rows.place)
        usable, outcome, both_bad, dropped = settled(entries, layout, source.options)
        used: Bools | slice = slice(None) if usable.all() else usable
        graded = label is not None and any(">>" in level or "<<" in level for level in label.levels)
        conventions = (_strength(entries, usable),) if graded else ()
        entries.label = label = None  # as long as all rows, and no longer needed
        agents, first, second = _used_agents(a, b, used)
        outcome, both_bad = outcome[used], both_bad[used]
        outcome.setflags(write=False)  # so that `Battles` makes no copy
        both_bad.setflags(write=False)
        covariates = {name: rows.rows.numbers(name)[used] for name in source.options.keep if rows.rows.is_number(name)}
        position, guessed = _positions(rows, first, second, used)
        reading = source.account(rows.rows.n_rows, int(usable.sum()), dropped)
        return Battles(
            agents,
            first,
            second,
            outcome,
            both_bad=both_bad if both_bad.any() else None,
            weight=_used_weights(rows, usable) if "weight" in layout.roles else None,
            position=position,
            time=rows.rows.times(layout.roles["time"])[used] if "time" in layout.roles else None,
            factors=rows.carried(FACTOR_ROLES, used, but=covariates),
            covariates=covariates,
            conventions=conventions,
            reading=replace(reading, guessed={**reading.guessed, **guessed}),
        )


def _used_agents(a: Factor, b: Factor, used: Bools | slice) -> tuple[tuple[str, ...], Codes, Codes]:
    """The agents of the used rows, and their codes."""
    n = len(a.levels)
    if isinstance(used, slice) and (counted_codes(a.codes, n) + counted_codes(b.codes, n))[:n].all():
        return a.levels, a.codes, b.codes
    agents = Factor.coded(np.concatenate([a.codes[used], b.codes[used]]), a.levels)
    first, second = np.split(agents.codes, 2)
    return agents.levels, first, second


def _used_weights(rows: RoleRows, used: Bools) -> Floats:
    """Weights of the used rows; an empty or negative weight raises an error with its location."""
    weight = rows.numbers("weight")
    refuse(
        used & ~(weight >= 0),
        lambda first, such: (
            f"{quoted(rows.layout.roles['weight'])} must hold weights that are not negative; got "
            f"{weight[first]:g} in {rows.place(first)} ({such}). Correct these rows or leave them out."
        ),
        ReadError,
    )
    return weight[used]


def _positions(
    rows: RoleRows, a: Codes, b: Codes, used: Bools | slice
) -> tuple[NDArray[np.int8] | None, dict[str, str]]:
    """Who was first.

    It is as mapped (+1, -1, 0 or a, b), otherwise agent a if its column's name implies it and orders vary.
    """
    layout = rows.layout
    if "position" in layout.roles:
        position = mapped_positions(rows)[used]
        return (position if position.any() else None), {}
    ordered = "agent_a" in layout.roles and bool(ORDERED & set(tokens(layout.roles["agent_a"])))
    if layout.given.get("position") == "none" or not ordered or not in_both_orders(a, b):
        return None, {}
    first = np.broadcast_to(np.int8(1), len(a))  # one number, however many rows
    if "neutral" in layout.roles:
        neutral = rows.factor("neutral")
        yes = neutral.each(lambda level: level.lower() == "yes", False)
        known = neutral.take(~neutral.each(lambda level: level.lower() in ("yes", "no"), False))
        _level_numbers(known, layout.roles["neutral"])
        first = np.where((yes | (neutral.each(number_of, np.nan) == 1))[used], np.int8(0), first)
        first.setflags(write=False)
    return first, {"position": f"{layout.roles['agent_a']} first"}


def in_both_orders(a: Codes, b: Codes) -> bool:
    """Whether any two agents battled in both orders.

    >>> in_both_orders(np.array([0, 1]), np.array([1, 2])), in_both_orders(np.array([0, 2, 1]), np.array([1, 0, 0]))
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


def mapped_positions(rows: RoleRows) -> NDArray[np.int8]:
    """Return who was first in every row: 1 for agent a, -1 for agent b, 0 for neither."""
    factor = rows.factor("position")
    words = {"1": 1, "-1": -1, "0": 0, "a": 1, "b": -1, "a first": 1, "b first": -1, "neither first": 0, "": 0}
    words |= {"1.0": 1, "-1.0": -1, "0.0": 0, "+1": 1}
    unknown = [level for level in factor.levels if level.strip().lower() not in words]
    if unknown:
        raise ReadError(
            f"{quoted(rows.layout.roles['position'])} must say who was first: 1 or a, -1 or b, 0 for neither; got "
            f"{quoted(unknown[0])}. Map another column to `position`, or `--map position=none`."
        )
    return factor.each(lambda level: words[level.strip().lower()], 0).astype(np.int8)


def _strength(entries: Entries, used: Bools) -> Convention:
    """Return the convention that graded preferences count once."""
    assert entries.label is not None
    strong = [i for i, label in enumerate(entries.label.levels) if ">>" in label or "<<" in label]
    graded = float(entries.n[np.isin(entries.label.codes, strong) & used].sum())
    return Convention("strong", "once", "a strong preference (>>) counts as one win", graded)


def count_pairs(source: RoleTable) -> Pairs:
    """Count a battle table into pairs, split by the roles or columns in the options, by one GROUP BY."""
    table, layout, by = source.table, source.layout, source.options.by
    agents, roles = agents_of(layout), layout.roles
    keys = {name: roles.get(name, name) for name in by if name != "position"}
    for name, column in keys.items():
        if not table.has(column):
            raise UsageError(f"`by` must name roles or columns; {quoted(name)} is neither.")
    deciding = [roles[role] for role in ("outcome", *NUMBER_ROLES) if role in layout.roles]
    groups = table.groups(agents, list(dict.fromkeys([*deciding, *keys.values()])), roles.get("weight"))
    if not groups.lowest >= 0:
        raise ReadError(
            f"{quoted(roles['weight'])} must hold weights that are not negative and not empty; "
            f"got {groups.lowest:g}. Correct these rows or leave them out."
        )
    entries = Entries(
        groups.texts[agents[0]],
        groups.texts[agents[1]],
        groups.n,
        groups.texts.get(roles.get("outcome", "")),
        {role: _level_numbers(groups.texts[roles[role]], roles[role]) for role in NUMBER_ROLES if role in layout.roles},
        lambda index: table.place_of({name: factor.names()[index] for name, factor in groups.texts.items()}),
    )
    used, outcome, both_bad, dropped = settled(entries, layout, source.options)
    n = groups.n[used]
    names, a, b = _used_agents(entries.a, entries.b, used)
    split = {name: groups.texts[column].take(used) for name, column in keys.items()}
    if "position" in by:
        split["position"] = _first_of_pair(a, b, agents[0])
    return Pairs.from_outcomes(
        names,
        a,
        b,
        outcome[used],
        both_bad=both_bad[used],
        weight=n.astype(np.float64) if groups.weight is None else groups.weight[used],
        square=None if groups.square is None else groups.square[used],
        battles=n,
        keys=split,
        reading=source.account(int(groups.n.sum()), int(n.sum()), dropped),
    )


def _first_of_pair(a: Codes, b: Codes, column: str) -> Factor:
    """Which agent of the pair was first, by the orientation of the columns."""
    if not ORDERED & set(tokens(column)):
        raise UsageError(f"`by='position'` needs columns whose names say who was first; {quoted(column)} does not.")
    return Factor.coded((a > b).astype(np.int64), POSITIONS)


def _level_numbers(factor: Factor, column: str) -> Floats:
    """The levels as numbers, entry by entry; NaN if the cell is empty."""
    wrong = [x for x in factor.levels if not np.isfinite(number_of(x)) and not is_blank(x)]
    if wrong:
        raise ReadError(f"{quoted(column)} must hold finite numbers; got {quoted(wrong[0])}. Correct these cells.")
    return factor.each(number_of, np.nan)
