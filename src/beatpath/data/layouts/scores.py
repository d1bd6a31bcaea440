"""Tables of scores into `Scores`: one row a score, or one column a task."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.data.layouts.account import account
from beatpath.data.layouts.roles import Layout
from beatpath.data.sources.options import Options
from beatpath.data.tables.table import Rows, Table
from beatpath.evidence import Factor, Scores

FACTOR_ROLES = ("task", "item", "metric", "replicate")


def read_scores(table: Table, layout: Layout, options: Options, format_name: str) -> Scores:
    """Read one row a score; rows without a value are missing cells and stay so."""
    with table.rows([*layout.roles.values(), *options.keep]) as rows:
        agent, value = rows.factor(layout.roles["agent"]), rows.numbers(layout.roles["value"])
        no_agent, no_value = agent.codes < 0, np.isnan(value)
        used = ~no_agent & ~no_value
        reasons = {"no agent": int(no_agent.sum()), "no value": int((no_value & ~no_agent).sum())}
        agents = Factor.coded(agent.codes[~no_agent], agent.levels)  # an agent without any value is still known
        place = {name: i for i, name in enumerate(agents.levels)}
        recode = np.array([place.get(name, -1) for name in agent.levels] + [-1])
        factors = {role: rows.factor(layout.roles[role]).take(used) for role in FACTOR_ROLES if role in layout}
        factors |= {name: rows.factor(name).take(used) for name in options.keep}
        return Scores(
            agents.levels,
            recode[agent.codes][used],
            value[used],
            factors,
            _stated_directions(rows, used, layout, factors, options),
            rows.numbers(layout.roles["stderr"])[used] if "stderr" in layout else None,
            reading=account(
                table, layout, format_name, len(agent), int(used.sum()), {k: n for k, n in reasons.items() if n}
            ),
        )


def _stated_directions(
    rows: Rows, used: Bools, layout: Layout, factors: dict[str, Factor], options: Options
) -> dict[str, bool]:
    """Which metrics (or tasks) are better when higher: from a column where there is one, and as the user says."""
    higher: dict[str, bool] = {}
    if "higher_is_better" in layout:
        column = layout.roles["higher_is_better"]
        said = directions_by_flag(factors, rows.numbers(column)[used])
        if said is None:
            raise ReadError(
                f"every metric, or else every task, must have one direction; {quoted(column)} says of some that they are "
                "better both ways. Correct it, or leave it out with `--map higher_is_better=none` and name `--lower`."
            )
        higher = said
    return higher | lower_names(options, [level for f in factors.values() for level in f.levels])


def directions_by_flag(factors: Mapping[str, Factor], flag: Floats) -> dict[str, bool] | None:
    """Return which metrics are better when higher, or else which tasks; ``None`` where neither decides it.

    >>> by = {"metric": Factor.of(["loss", "acc", "loss"]), "task": Factor.of(["t", "t", "u"])}
    >>> directions_by_flag(by, np.array([0.0, 1.0, 0.0])), directions_by_flag(by, np.array([1.0, 1.0, 0.0]))
    ({'acc': True, 'loss': False}, {'t': True, 'u': False})
    """
    known = ~np.isnan(flag)
    for names in (factors[name] for name in ("metric", "task") if name in factors):
        size = len(names.levels) + 1  # the last place serves a missing name, which is better when higher
        n = np.bincount(names.codes[known] % size, minlength=size)
        up = np.bincount(names.codes[known] % size, flag[known] != 0, minlength=size)
        if ((up == 0) | (up == n))[:-1].all() and up[-1] == n[-1]:
            found = {level: bool(up[i]) for i, level in enumerate(names.levels) if n[i]}
            if not (_lower_by_name(factors, found) & known & (flag != 0)).any():
                return found
    return {} if (flag[known] != 0).all() else None


def _lower_by_name(factors: Mapping[str, Factor], higher: Mapping[str, bool]) -> Bools:
    """Which rows have a metric or a task that is better when lower: a name may be that of a metric and of a task."""
    lower = [
        np.array([*(not higher.get(level, True) for level in factors[name].levels), False])[factors[name].codes]
        for name in ("metric", "task")
        if name in factors
    ]
    return np.logical_or.reduce(lower)


def lower_names(options: Options, known: list[str]) -> dict[str, bool]:
    """Return ``False`` for every metric or task the user says is better when lower; each must exist."""
    unknown = [name for name in options.lower if name not in known]
    if unknown:
        raise UsageError(
            f"`--lower` must name metrics or tasks; {quoted(unknown[0])} is none of {listed(known)}."
            f"{suggestion(unknown[0], known)}"
        )
    return dict.fromkeys(options.lower, False)


def read_wide_scores(table: Table, layout: Layout, options: Options, format_name: str) -> Scores:
    """Read a table with one column a task and one row an agent, or the other way round."""
    values = layout.many("value")
    transposed = layout.roles["agent"] == "columns" and "task" in layout
    row_name = layout.roles["task" if transposed else "agent"]
    with table.rows([row_name, *values]) as rows:
        names = rows.factor(row_name).names()
        cells = rows.number_table(values)
    unnamed = [i for i, name in enumerate(names) if name is None]
    kept = [i for i, name in enumerate(names) if name is not None]
    labels = [str(names[i]) for i in kept]
    twice = sorted(name for name, n in Counter(labels).items() if n > 1)
    if twice:
        raise ReadError(
            f"{quoted(row_name)} must name every row once; {listed(twice)} stand more than once. Rename or merge these "
            "rows, or map `agent`, `task` and `value` if this is a long table."
        )
    cells = cells[kept].T if transposed else cells[kept]
    agents, tasks = (values, labels) if transposed else (labels, values)
    order = np.argsort(np.array(agents, dtype=object), kind="stable")
    reading = account(table, layout, format_name, len(names), len(kept), {"no name": len(unnamed)} if unnamed else {})
    return Scores.from_table(
        cells[order],
        [agents[i] for i in order],
        tasks,
        higher_is_better=lower_names(options, list(tasks)),
        reading=reading,
    )
