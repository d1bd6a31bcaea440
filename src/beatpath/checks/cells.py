"""Checks of score tables: missing cells, uninformative tasks, replicates, directions of metrics, and duplicate rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath._text import counted, joined, listed, percent, quoted
from beatpath.checks.finding import CheckLimits, Finding, judged, not_run, passed, warning, with_most
from beatpath.checks.sampling import spread
from beatpath.evidence import Battles, Scores
from beatpath.evidence.scores import turned
from beatpath.stats.codes import dense, joint
from beatpath.stats.design_effect import share_of_runs
from beatpath.stats.one_unit import one_unit, task_spreads

# Below this share of distinct rows, with outcomes that differ in at least this share, columns do not identify a row.
_COARSE = 0.5
_DIFFER = 0.05
FEW = 0.1  # share of the tasks below which an agent is named


def missing_cells(
    table: Floats, tasks: tuple[str, ...], agents: tuple[str, ...], limits: CheckLimits, unit: str = "task"
) -> Finding:
    """Report how much of the table of agents by tasks (or items) is empty, and where."""
    hole = np.isnan(table)
    n, cells = int(hole.sum()), hole.size
    by_agent, by_task = hole.sum(axis=1), hole.sum(axis=0)
    figures: dict[str, Any] = {"count": n, "cells": cells, "share": n / cells}
    figures |= {"agents": _most(by_agent, agents), f"{unit}s": _most(by_task, tasks)}
    if n <= limits.missing * cells:
        sentence = f"All {counted(cells, 'cell')} of {counted(len(agents), 'agent')} by {counted(len(tasks), unit)} hold a score."
        return passed(sentence, figures)
    agent, task = with_most(by_agent, agents), with_most(by_task, tasks)
    sentence = (
        f"{n:,} of {counted(cells, 'cell')} ({percent(n / cells)}) are empty; most for {_nouns('agent', agent)} "
        f"({by_agent.max():,} of {len(tasks):,} {unit}s) and {_nouns(unit, task)} "
        f"({by_task.max():,} of {len(agents):,} agents).{_with_few_tasks(~hole, agents, unit)}"
    )
    consequence = f"Mean scores cover different {unit}s and are not comparable: choose what a missing score means with `--missing`."
    return warning(sentence, figures, consequence)


def _nouns(noun: str, names: list[str]) -> str:
    return f"{noun}{'' if len(names) == 1 else 's'} {listed(names, 3)}"


def _with_few_tasks(present: Bools, agents: tuple[str, ...], unit: str) -> str:
    """Name the agents with fewer than a tenth of the tasks, or a single one."""
    number, tasks = present.sum(axis=1), present.shape[1]
    few = sorted(np.flatnonzero(number < max(FEW * tasks, 2)), key=lambda i: (number[i], agents[i]))
    if not few or tasks < 2:
        return ""
    named = joined([f"{quoted(agents[i])} ({number[i]} of {tasks:,} {unit}s)" for i in few], 5, ", ")
    return f" Agents with few {unit}s: {named}."


def _most(holes: Ints, names: tuple[str, ...], most: int = 20) -> dict[str, int]:
    """The names with the most empty cells, emptiest first."""
    order = sorted(np.flatnonzero(holes), key=lambda i: (-holes[i], names[i]))[:most]
    return {names[i]: int(holes[i]) for i in order}


def constant_tasks(table: Floats, tasks: tuple[str, ...]) -> Finding:
    """Report tasks that give every agent the same score."""
    several = (~np.isnan(table)).sum(axis=0) > 1
    low = np.min(np.where(np.isnan(table), np.inf, table), axis=0, initial=np.inf)
    high = np.max(np.where(np.isnan(table), -np.inf, table), axis=0, initial=-np.inf)
    same = [tasks[i] for i in np.flatnonzero(several & (low == high))]
    sentence = f"{len(same):,} of {counted(len(tasks), 'task')} give every agent the same score: {listed(same)}."
    fine = "Every task with two or more scores separates some agents."
    return judged(not same, sentence, {"tasks": same, "count": len(same)}, fine)


def identical_tasks(table: Floats, tasks: tuple[str, ...]) -> Finding:
    """Report tasks with the same scores for the same agents, unless chance alone makes some equal.

    With *k* different scores and *n* agents there are :math:`k^n` columns: more than about the square root of that many
    tasks share some (the birthday problem), as right and wrong answers of few agents do. Tasks that are the same for
    all agents are constant, which is another finding.
    """
    values = len(np.unique(table[~np.isnan(table)]))
    if 2 * np.log(len(tasks)) > len(table) * np.log(max(values, 1)):
        few = f"{counted(values, 'different score')} of {counted(len(table), 'agent')}"
        return passed(f"With {few}, some of {len(tasks):,} tasks are equal by chance.", {"count": 0})
    twins: dict[bytes, list[str]] = {}
    differ = np.flatnonzero(task_spreads(table) > 0)
    for i in differ.tolist():
        column = np.where(np.isnan(table[:, i]), np.nan, table[:, i] + 0.0)
        twins.setdefault(column.tobytes(), []).append(tasks[i])
    groups = sorted(sorted(names) for names in twins.values() if len(names) > 1)
    sentence = f"{counted(len(groups), 'group')} of tasks have the same scores for every agent: {joined(map(listed, groups), 3)}."
    figures, fine = {"groups": groups, "count": len(groups)}, "No two tasks have the same column of scores."
    return judged(not groups, sentence, figures, fine)


def scales(table: Floats, tasks: tuple[str, ...]) -> Finding:
    """Report whether scores of some tasks are so large that they dominate every mean."""
    spread = task_spreads(table)
    some = np.sort(spread[spread > 0])
    if not len(some):
        return not_run("No task separates agents.")
    middle, widest = float(some[(len(some) - 1) // 2]), with_most(spread, tasks)
    figures = {"median": middle, "largest": float(some[-1]), "tasks": widest}
    sentence = (
        f"Tasks have different units: the standard deviation of scores is {some[-1]:,.4g} on {listed(widest, 3)} and "
        f"{middle:,.4g} on the median task."
    )
    fine = "Scores of all tasks have standard deviations of a similar size."
    return judged(one_unit(table), sentence, figures, fine)


def replicates(scores: Scores, limits: CheckLimits) -> Finding:
    """Report how often each cell was measured, and the share of runs in the variance of scores."""
    names = [name for name in ("task", "item", "metric") if name in scores.factors]
    code, n = joint([scores.agent, *(scores.factors[name].codes for name in names)])
    sizes = spread(np.bincount(code, minlength=n))
    where = f"combination of {' and '.join(['agent', *names])}" if names else "agent"
    if sizes["max"] == 1:
        sentence = f"Each {where} was measured once."
        return passed(sentence, sizes, "Variation between runs cannot be estimated.")
    even = sizes["min"] == sizes["max"]
    times = f"{sizes['max']:.6g}" if even else f"{sizes['min']:.6g} to {sizes['max']:.6g}"
    share, text = _runs_sentence(scores, names)
    notes = [] if even else ["Means of few runs weigh as much as means of many."]
    if share > limits.runs:
        notes.append("A single run says little about which agent is better.")
    notes.append("Methods rank means of runs; `resolve` and `runs` give their uncertainty.")
    figures = {**sizes, "share of runs": share}
    text = f"Each {where} was measured {times} times.{text}"
    if even and not share > limits.runs:
        return passed(text, figures, " ".join(notes))
    return warning(text, figures, " ".join(notes))


def _runs_sentence(scores: Scores, names: list[str]) -> tuple[float, str]:
    """Share of runs in the variance of scores, averaged over tasks, and the sentence about it; NaN if it is unknown."""
    if names:
        task, n = joint([scores.factors[name].codes for name in names])
    else:
        task, n = np.zeros(len(scores), dtype=np.int64), 1
    share = share_of_runs(scores.agent, task, scores.value, n)
    known = share[~np.isnan(share)]
    if not known.size:
        return np.nan, ""
    unit = "item" if "item" in names else "task"
    mean = f" (mean of {counted(known.size, unit)})" if known.size > 1 else ""
    return float(known.mean()), (
        f" On one {unit}, {percent(float(known.mean()))} of the variance of single runs is between runs of one agent, the rest between "
        f"agents{mean}."
    )


def directions(scores: Scores) -> Finding:
    """Report the metrics, and which direction is better."""
    factor = scores.factors.get("metric") or scores.factors.get("task")
    names = factor.levels if factor else ()
    stated = scores.higher_is_better
    lower = [name for name in names if not stated.get(name, True)]
    doubtful = scores.lower_by_name
    metrics = scores.factors["metric"].levels if "metric" in scores.factors else ()
    figures = {"metrics": list(metrics), "lower is better": lower, "doubtful": doubtful, "stated": dict(stated)}
    text = f"Lower is better for {listed(lower)}." if lower else "Higher is better everywhere."
    text = f"{counted(len(metrics), 'metric')}: {listed(metrics)}. {text}" if metrics else text
    if doubtful:
        rest = f" {text}" if lower or metrics else ""
        sentence = f"{'The name' if len(doubtful) == 1 else 'The names'} of {listed(doubtful)} {'suggests' if len(doubtful) == 1 else 'suggest'} that lower is better; higher counts as better.{rest}"
        consequence = f"If so, agents are ranked in reverse there: {turned(doubtful)}."
        return warning(sentence, figures, consequence)
    if len(metrics) > 1:
        consequence = "Where they score the same items, `resolve` and `rank` ask for one: `--where metric=NAME`."
        return warning(text, figures, consequence)
    return passed(text, figures)


def battle_duplicates(battles: Battles, limits: CheckLimits) -> Finding:
    """Count battles that agree in every column; without a column beyond the pair this is not possible."""
    columns: list[NDArray[Any]] = [factor.codes for factor in battles.factors.values()] + [*battles.covariates.values()]
    columns += [battles.time] if battles.time is not None else []
    known = np.any([_known(column) for column in columns], axis=0) if columns else np.zeros(len(battles), dtype=bool)
    if not known.any():
        return not_run("No column tells two battles of a pair apart.")
    others = [column for column in (battles.position, battles.weight) if column is not None]
    key = [column[known] for column in (battles.a, battles.b, *columns, *others)]
    value = [column[known] for column in (battles.outcome, battles.both_bad) if column is not None]
    return duplicates(key, value, limits, "battle")


def _known(column: NDArray[Any]) -> Bools:
    """Flag rows in which a column has a value: a code of zero or more, a number."""
    return column >= 0 if column.dtype.kind == "i" else ~np.isnan(column)


def score_duplicates(scores: Scores, limits: CheckLimits) -> Finding:
    """Count scores that agree in every column; without items or replicates equal rows may be genuine repeats."""
    if not {"item", "replicate"} & set(scores.factors):
        return not_run("No item or replicate column tells repeated scores apart.")
    key = [scores.agent, *(factor.codes for factor in scores.factors.values())]
    value = [scores.value] + ([scores.stderr] if scores.stderr is not None else [])
    return duplicates(key, value, limits, "score")


def duplicates(key: Sequence[NDArray[Any]], value: Sequence[NDArray[Any]], limits: CheckLimits, unit: str) -> Finding:
    """Count the rows that repeat an earlier one in `key` and `value`.

    If most keys are shared and the values under one key often differ, the columns are too coarse to distinguish a
    copy from a second observation, and no claim is made.
    """
    n = len(key[0])
    code, n_keys = joint(key)
    both, n_rows = dense(joint([code, *value])[0])
    if n_keys < _COARSE * n and _differing(code, both, n_keys, n_rows) > _DIFFER:
        reason = f"The columns cannot tell a copy from a second {unit}: {n:,} rows share {n_keys:,} keys."
        return not_run(reason)
    copies = n - n_rows
    figures = {"count": copies, "rows": n, "share": copies / n}
    sentence = f"{copies:,} of {counted(n, unit)} ({percent(copies / n)}) equal another in every column."
    return judged(copies / n < limits.duplicates, sentence, figures)


def _differing(key: Ints, row: Ints, n_keys: int, n_rows: int) -> float:
    """Share of the keys with several rows whose rows differ."""
    shared = np.bincount(key, minlength=n_keys) > 1
    first = np.zeros(n_rows, dtype=np.int64)
    first[row] = key
    return float((np.bincount(first, minlength=n_keys)[shared] > 1).mean()) if shared.any() else 0.0
