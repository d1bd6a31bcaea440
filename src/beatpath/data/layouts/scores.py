"""Read tables of scores as `Scores`, and tables of counts, win rates or margins as `Pairs` and matrices."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, shown, suggestion
from beatpath.data.layouts.battles import FACTOR_ROLES, in_both_orders, mapped_positions
from beatpath.data.layouts.hints import agent_of_rows, first_cells, offered
from beatpath.data.layouts.role_table import (
    NO_AGENT,
    SELF,
    RoleRows,
    RoleTable,
    refuse_self_battles,
    require_counts,
    sifted,
)
from beatpath.data.sources.source import Options
from beatpath.data.tables.cells import differing_folders
from beatpath.data.tables.words import ORDERED, is_measure, tokens, without_summaries
from beatpath.evidence import Factor, Margins, Pairs, Scores, WinRates
from beatpath.evidence.arrays import joint_codes
from beatpath.evidence.battles import POSITIONS, who_was_first
from beatpath.evidence.scores import lower_option, usually_lower

_ROUNDED = 0.0101  # how far two rates of a pair, each rounded to two decimals, may be from adding up to one
_SHORTENED = 0.01  # relative error of an average that was rounded
SUMMARY = "summary of the other rows"  # a reason to drop a row
SCORE_ROLES = ("task", "item", "metric", "replicate")  # columns that scores keep as factors


def read_scores(source: RoleTable) -> Scores:
    """Read one row per score; a row without a value is a missing cell and stays missing."""
    with source.rows() as rows:
        agent, value = rows.factor("agent"), rows.numbers("value")
        named = agent.codes >= 0
        units = [rows.factor(role) for role in ("task", "item") if role in source.layout.roles]
        of_agents = _among(_summaries(agent), value, joint_codes(units, len(agent)))
        summary = np.logical_or.reduce([of_agents, *map(_summaries, units)])
        known = named & ~of_agents
        reasons = {NO_AGENT: ~named, SUMMARY: summary, "no value": np.isnan(value)}
        used, dropped = sifted(reasons.items(), np.ones(len(agent), dtype=np.int64))
        agents = Factor.coded(agent.codes[known], agent.levels)  # an agent without any value is still known
        factors = rows.carried(SCORE_ROLES, used)
        column = source.layout.roles["value"]
        if "metric" not in factors and (column in source.options.lower or usually_lower(column)):
            factors["metric"] = Factor.of([column] * int(used.sum()))
        scores = Scores(
            agents.levels,
            agents.codes[used[known]],
            value[used],
            factors,
            _stated_directions(rows, used, factors),
            rows.numbers("stderr")[used] if "stderr" in source.layout.roles else None,
            reading=source.account(len(agent), int(used.sum()), dropped),
        )
    return _with_known_directions(scores, source)


def _with_known_directions(scores: Scores, source: RoleTable) -> Scores:
    """Return the scores, or raise an error if names suggest that lower is better and the user maps no values and names none."""
    doubtful = scores.lower_by_name
    if not doubtful or source.options.lower or "value" in source.layout.given:
        return scores
    raise ReadError(
        f"scores must be better when higher, or be named; {listed(doubtful)} in {shown(source.table.sources[0])} "
        f"{'is' if len(doubtful) == 1 else 'are'} usually better when lower. If so, {lower_option(doubtful)}, otherwise "
        f"`--map {source.layout.mapped}`."
    )


def _summaries(column: Factor) -> Bools:
    """Flag rows whose agent, task or item is made of all others, such as an average."""
    parts = set(without_summaries(column.levels))
    return column.each(lambda level: level not in parts, False)


def _among(summary: Bools, value: Floats, unit: Ints) -> Bools:
    """Return the rows called summaries, none if some are above or below all others of their task: then it is an agent's name."""
    if summary.any():
        unit = np.unique(unit, return_inverse=True)[1]
        for sign in (1.0, -1.0):
            most = np.full(unit.max() + 1, -np.inf)
            np.maximum.at(most, unit[~summary], np.nan_to_num(sign * value[~summary], nan=-np.inf))
            if (sign * value > most[unit] + _SHORTENED * np.abs(value))[summary].any():
                return np.zeros_like(summary)
    return summary


def _stated_directions(rows: RoleRows, used: Bools, factors: dict[str, Factor]) -> dict[str, bool]:
    """Direction of each metric (or task): from a column if there is one, and from the user's options."""
    higher: dict[str, bool] = {}
    if "higher_is_better" in rows.layout.roles:
        column = rows.layout.roles["higher_is_better"]
        directions = directions_by_flag(factors, rows.numbers("higher_is_better")[used])
        if directions is None:
            raise ReadError(
                f"every metric, or else every task, must have one direction; {quoted(column)} says of some that they are "
                "better both ways. Correct it, or leave it out with `--map higher_is_better=none` and name `--lower`."
            )
        higher = directions
    return higher | lower_names(rows.options, [level for f in factors.values() for level in f.levels])


def directions_by_flag(factors: Mapping[str, Factor], flag: Floats) -> dict[str, bool] | None:
    """Return whether higher is better by metric, otherwise by task; ``None`` if neither determines it.

    >>> by = {"metric": Factor.of(["loss", "acc", "loss"]), "task": Factor.of(["t", "t", "u"])}
    >>> directions_by_flag(by, np.array([0.0, 1.0, 0.0])), directions_by_flag(by, np.array([1.0, 1.0, 0.0]))
    ({'acc': True, 'loss': False}, {'t': True, 'u': False})
    """
    known = ~np.isnan(flag)
    for names in (factors[name] for name in ("metric", "task") if name in factors):
        size = len(names.levels) + 1  # the last entry is for a missing name, for which higher is better
        n = np.bincount(names.codes[known] % size, minlength=size)
        up = np.bincount(names.codes[known] % size, flag[known] != 0, minlength=size)
        if ((up == 0) | (up == n))[:-1].all() and up[-1] == n[-1]:
            directions = {level: bool(up[i]) for i, level in enumerate(names.levels) if n[i]}
            if not (_lower_by_name(factors, directions) & known & (flag != 0)).any():
                return directions
    return {} if (flag[known] != 0).all() else None


def _lower_by_name(factors: Mapping[str, Factor], higher: Mapping[str, bool]) -> Bools:
    """Flag rows whose metric or task is lower-is-better; a name may be that of a metric and of a task."""
    by = [factors[name] for name in ("metric", "task") if name in factors]
    return np.logical_or.reduce([factor.each(lambda level: not higher.get(level, True), False) for factor in by])


def lower_names(options: Options, known: list[str]) -> dict[str, bool]:
    """Return ``False`` for every metric or task that the user calls lower-is-better; each must exist."""
    unknown = [name for name in options.lower if name not in known]
    if unknown:
        raise UsageError(
            f"`--lower` must name metrics or tasks; {quoted(unknown[0])} is none of {listed(known)}."
            f"{suggestion(unknown[0], known)}"
        )
    return dict.fromkeys(options.lower, False)


def read_wide_scores(source: RoleTable) -> Scores:
    """Read a table with one column per task and one row per agent, or the transpose."""
    layout = source.layout
    values = layout.many("value")
    transposed = layout.rows_are_tasks
    row_name = "+".join(layout.many("task" if transposed else "agent"))
    with source.rows() as rows:
        names = rows.factor("task" if transposed else "agent").names()
        cells, kept = rows.rows.number_table(values), rows.carried((), slice(None)) if transposed else {}
    parts = without_summaries([name for name in names if name is not None])
    reasons = {"no name": [name is None for name in names], SUMMARY: [name not in parts for name in names]}
    used, dropped = sifted(((reason, np.array(hit)) for reason, hit in reasons.items()), np.ones(len(names), np.int64))
    labels = [str(names[i]) for i in np.flatnonzero(used)]
    twice = sorted(name for name, n in Counter(labels).items() if n > 1)
    if twice:
        files = source.table.sources
        agent = agent_of_rows(first_cells(source.table), row_name)
        if agent == row_name and len(files) > 1:
            agent = next(iter(differing_folders(files)), "file")
        other = "" if agent == row_name else f" If {quoted(agent)} names agents, {offered(agent, values)}."
        if agent != row_name and agent.startswith(("file", "folder")):
            one = [next(filter(is_measure, values), values[0])]
            both = ((x, offered(x, one, y)) for x, y in ((row_name, agent), (agent, row_name)))
            other = "".join(f" If {quoted(x)} names agents, {option}." for x, option in both)
        raise ReadError(
            f"{quoted(row_name)} must name every row once; {listed(twice)} stand more than once. Rename or merge these "
            f"rows, or map `agent`, `task` and `value` if this is a long table.{other}"
        )
    cells = cells[used].T if transposed else cells[used]
    inside = {name.rpartition(".")[0] for name in values}
    if len(inside) == 1 and not set(values) & set(source.table.names):  # fields of one object go by their own names
        values = [name.rpartition(".")[2] for name in values]
    agents, tasks = (values, labels) if transposed else (labels, values)
    order = np.argsort(np.array(agents, dtype=object), kind="stable")
    reading = source.account(len(names), len(labels), dropped)
    lower = lower_names(source.options, list(tasks))
    scores = Scores.from_table(cells[order], [agents[i] for i in order], tasks, higher_is_better=lower, reading=reading)
    if kept:
        task, row_of = scores.factors["task"], dict(zip(labels, np.flatnonzero(used), strict=True))
        row = np.array([row_of[name] for name in task.levels], dtype=np.int64)[task.codes]
        scores = replace(scores, factors={**scores.factors, **{name: one.take(row) for name, one in kept.items()}})
    return _with_known_directions(scores, source)


def read_pair_counts(source: RoleTable) -> Pairs:
    """Read a table with the wins, losses and possibly ties of a pair in every row."""
    layout = source.layout
    with source.rows() as rows:
        a, b = rows.rows.factors([layout.roles["agent_a"], layout.roles["agent_b"]])
        n = np.ones(len(a), dtype=np.int64)
        columns = [rows.counts(role) for role in ("wins_a", "wins_b", "ties", "both_bad")]
        counts = np.stack([np.zeros(len(a)) if column is None else column for column in columns], axis=1)
        empty = np.isnan(counts[:, :2]).any(axis=1)
        reasons = {NO_AGENT: (a.codes < 0) | (b.codes < 0), "no counts": empty, SELF: a.codes == b.codes}
        if source.options.self_battles != "drop":
            refuse_self_battles(reasons[SELF] & ~reasons[NO_AGENT], a, n, rows.place)
        used, dropped = sifted(reasons.items(), n)
        agents = Factor.coded(np.concatenate([a.codes[used], b.codes[used]]), a.levels)
        first, second = np.split(agents.codes, 2)
        position = _position_key(rows, used, first, second)
        battles = rows.counts("battles", whole=True)
        effect = rows.counts("design_effect")
        guessed = position and "position" not in layout.roles
        notes = [f"cells are split by position, {layout.roles['agent_a']} being first"] if guessed else []
        return Pairs.from_cells(
            agents.levels,
            first,
            second,
            np.nan_to_num(counts[used]),
            battles=None if battles is None else battles[used],
            squares=None
            if effect is None
            else np.nan_to_num(counts[used]) * np.nan_to_num(effect[used], nan=1.0)[:, None],
            keys=rows.carried(FACTOR_ROLES, used) | position,
            reading=source.account(len(a), int(used.sum()), dropped, notes),
        )


def _position_key(rows: RoleRows, used: Bools, a: Codes, b: Codes) -> dict[str, Factor]:
    """Split by who was first: by a column, otherwise if the same pair occurs in both orders under suitable names."""
    layout = rows.layout
    if "position" in layout.roles:
        return {"position": who_was_first(np.where(a > b, -1, 1) * mapped_positions(rows)[used])}
    if "position" in layout.given or not ORDERED & set(tokens(layout.roles["agent_a"])) or not in_both_orders(a, b):
        return {}
    return {"position": Factor.coded((a > b).astype(np.int64), POSITIONS)}


def read_win_matrix(source: RoleTable) -> Pairs | Margins | WinRates:
    """Read a square table: win counts, win rates (from 0 to 1, or in percent, summing to 1) or margins (antisymmetric)."""
    agent, others = source.layout.roles["agent"], source.layout.many("matrix")
    with source.rows() as rows:
        names = rows.factor("agent").names()
        if len(names) != len(set(names)) or set(names) != set(others):
            raise ReadError(
                f"a win matrix must have the same names in its first column and its header, each once; "
                f"{listed(sorted(map(str, set(names) ^ set(others))))} are on one side only."
            )
        agents = tuple(sorted(others))
        order = [names.index(name) for name in agents]
        matrix = rows.rows.number_table(agents)[order]
    off = ~np.eye(len(agents), dtype=bool)
    known = matrix[off & ~np.isnan(matrix)]
    if not known.size:
        raise ReadError(
            f"a win matrix must have numbers beside its diagonal; that of {shown(source.table.sources[0])} is empty."
        )
    reading = source.account(len(names), len(names), {})
    places = [agents.index(name) for name in others]
    missing = np.isnan(matrix[np.ix_(places, places)])  # in the order of the file
    lower = np.tril_indices(len(agents), -1)
    half = bool((known % 1 == 0).all()) and bool(missing[lower].all() or missing.T[lower].all())
    if len(agents) > 2 and (half or np.array_equal(matrix[off], matrix.T[off], equal_nan=True)):
        sides = "empty on one side of its diagonal" if half else "the same on both sides of its diagonal"
        raise ReadError(
            f"a win matrix must say who beats whom; that of {shown(source.table.sources[0])} is {sides}, "
            "as similarities, distances or numbers of meetings are. Give the wins of the row over the column."
        )
    if np.array_equal(matrix[off], -matrix.T[off]) and (known < 0).any():
        np.fill_diagonal(matrix, 0)
        return Margins(matrix, agents, reading=reading)
    if known.min() < 0:
        raise ReadError(
            f"a win matrix must hold counts or rates, or margins equal to minus its transpose; {shown(source.table.sources[0])} "
            f"holds {known.min():g} and is not antisymmetric. Payoffs of a game that is not zero-sum are none of these: build "
            "`beatpath.Margins((M - M.T) / 2, agents)` if their differences are meant."
        )
    whole = bool((known % 1 == 0).all())
    for total in () if whole else (1.0, 100.0):
        gap = np.abs(matrix + matrix.T - total)[off]
        worst = float(np.max(gap, where=~np.isnan(gap), initial=0.0))
        if known.max() <= total and worst <= _ROUNDED * total:
            noted: tuple[str, ...] = ("rates in percent, divided by 100",) if total > 1 else ()
            if worst > 1e-6 * total:
                noted += (f"made exactly complementary; the largest gap was {worst:.2g}",)
            rates = matrix / total + np.where(np.isnan(matrix.T), 0, (1 - (matrix + matrix.T) / total) / 2)
            return WinRates(_adding_up_to_one(rates), agents, reading=replace(reading, notes=noted))
    if not whole and known.max() <= 1:
        raise ReadError(
            f"win rates must add up to 1 over each pair; those of {shown(source.table.sources[0])} do not, by up to "
            f"{np.nanmax(np.abs(matrix + matrix.T - 1)[off]):.2g}. Count a tie as half a win for each, or give counts of wins."
        )
    wins = np.nan_to_num(matrix)
    require_counts(wins.max(axis=1), agent, lambda row: f"the row of {quoted(agents[row])}")
    a, b = np.triu_indices(len(agents), 1)
    counts = np.stack([wins[a, b], wins[b, a], np.zeros(len(a)), np.zeros(len(a))], axis=1)
    met = counts.sum(axis=1) > 0
    diagonal = np.nansum(np.diag(matrix))
    notes: tuple[str, ...] = (
        (f"the diagonal ({diagonal:,.6g}) is left out: an agent cannot be compared with itself",) if diagonal else ()
    )
    if len(met) > 1 and (counts[met].sum(axis=1) == 100).all():
        notes += ("every pair adds up to 100: read as 100 battles each; divide by 100 if these are percentages",)
    return Pairs.from_cells(agents, a[met], b[met], counts[met], reading=replace(reading, notes=notes))


def _adding_up_to_one(matrix: Floats) -> Floats:
    """Win rates whose pairs sum to exactly one; a missing half follows from the other half.

    >>> _adding_up_to_one(np.array([[np.nan, 0.75], [np.nan, np.nan]]))
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    upper = np.triu(np.where(np.isnan(matrix), 1 - matrix.T, matrix), 1)
    rates = upper + np.tril(1 - upper.T, -1)
    np.fill_diagonal(rates, 0.5)
    return rates
