"""Tables of scores into `Scores`: one row a score, or one column a task."""

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.data.reader import Options
from beatpath.data.roles import Layout
from beatpath.data.table import Rows, Table
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
        recode = np.array([agents.levels.index(x) if x in set(agents.levels) else -1 for x in agent.levels] + [-1])
        factors = {role: rows.factor(layout.roles[role]).take(used) for role in FACTOR_ROLES if role in layout}
        factors |= {name: rows.factor(name).take(used) for name in options.keep}
        return Scores(
            agents.levels,
            recode[agent.codes][used],
            value[used],
            factors,
            _directions(rows, used, layout, factors, options),
            rows.numbers(layout.roles["stderr"])[used] if "stderr" in layout else None,
            reading=table.reading(
                layout, format_name, len(agent), int(used.sum()), {k: n for k, n in reasons.items() if n}
            ),
        )


def _directions(
    rows: Rows, used: NDArray[np.bool_], layout: Layout, factors: dict[str, Factor], options: Options
) -> dict[str, bool]:
    """Which metrics (or tasks) are better when higher: from a column where there is one, and as the user says."""
    names = factors.get("metric") or factors.get("task")
    higher: dict[str, bool] = {}
    if "higher_is_better" in layout and names is not None:
        flag = rows.numbers(layout.roles["higher_is_better"])[used]
        for code, level in enumerate(names.levels):
            said = np.unique(flag[(names.codes == code) & ~np.isnan(flag)])
            if len(said) > 1:
                raise ReadError(
                    f"every metric must have one direction; {quoted(level)} is said to be better both ways."
                )
            if len(said):
                higher[level] = bool(said[0])
    return higher | lower_names(options, [level for f in factors.values() for level in f.levels])


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
    transposed = layout.roles["agent"] == "columns"
    row_name = layout.roles["task" if transposed else "agent"]
    with table.rows([row_name, *values]) as rows:
        names = rows.factor(row_name).names()
        cells = rows.number_table(values)
    unnamed = [i for i, name in enumerate(names) if name is None]
    kept = [i for i, name in enumerate(names) if name is not None]
    labels = [str(names[i]) for i in kept]
    twice = sorted({name for name in labels if labels.count(name) > 1}) if len(set(labels)) < len(labels) else []
    if twice:
        raise ReadError(
            f"{quoted(row_name)} must name every row once; {listed(twice)} stand more than once. Rename or merge these "
            "rows, or map `agent`, `task` and `value` if this is a long table."
        )
    cells = cells[kept].T if transposed else cells[kept]
    agents, tasks = (values, labels) if transposed else (labels, values)
    order = np.argsort(np.array(agents, dtype=object), kind="stable")
    reading = table.reading(layout, format_name, len(names), len(kept), {"no name": len(unnamed)} if unnamed else {})
    return Scores.from_table(
        cells[order],
        [agents[i] for i in order],
        tasks,
        higher_is_better=lower_names(options, list(tasks)),
        reading=reading,
    )
