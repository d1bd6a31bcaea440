"""`compare`: did a change help? Named runs of an evaluation against the first of them, item by item.

Items that two runs share are compared in pairs, which is far more precise than comparing two averages; runs that share none are compared
as independent samples, and the answer says so. Repeated samples of an item are averaged first. All differences that one answer reports,
runs times metrics, are one family: p-values and intervals carry a Bonferroni correction, so an interval excludes zero exactly where its
p-value is below one minus the level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, UsageError, spoken
from beatpath._text import counted, listed, quoted, shown
from beatpath._validate import require_share
from beatpath.analysis.run_comparison import Changed, Compared, ComparedRow, RunComparison
from beatpath.analysis.run_costs import costs_of, trade_offs_of
from beatpath.analysis.run_items import (
    Items,
    Matched,
    are_of_solved_items,
    bases_of,
    common_agents,
    common_metrics,
    comparable,
    is_list,
    items_of,
    matched,
    runs_in,
    scores_of,
    scores_of_numbers,
    table_of,
)
from beatpath.evidence import Scores
from beatpath.evidence.scores import lower_noted
from beatpath.evidence.select import only
from beatpath.stats.intervals import holm, t_quantile
from beatpath.stats.paired import Difference

READING = ("map", "where", "lower", "format")  # options of `read`, and no names of runs
BEYOND_SHARES = 2.0  # median of scores that cannot be shares
POWER = 0.8  # with which the smallest detectable difference would be found, as is usual in trials


def compare(
    runs: Mapping[str, EvidenceLike] | EvidenceLike | None = None,
    new: EvidenceLike | None = None,
    /,
    *,
    level: float = 0.95,
    metric: str | None = None,
    cluster: str | None = None,
    samples: str | None = None,
    cost: str | None = None,
    claims: Sequence[str] = (),
    read: Mapping[str, object] | None = None,
    **named: EvidenceLike,
) -> RunComparison:
    """Say whether each run is better than the first, by how much, and how certain that is.

    Parameters
    ----------
    runs : mapping of name to path, folder, frame or Scores, or one of these, optional
        Runs of one evaluation; each holds one agent, or agents of the same names. The first is the base. A run may also be a list of
        numbers, one for each item in the same order, or a mapping of items to numbers. Of a folder, every subfolder
        or file is a run; of a table, every agent, or every column beside that of the items. The base is the one called ``base``,
        ``baseline``, ``control``, ``before`` or ``old``, or else the first.
    new : path, folder, frame or Scores, optional
        The second of two runs, ``compare(old, new)``: then the first is called ``base``, and this one ``new``.
    level : float
        Confidence, for all comparisons of the answer together.
    metric : str, optional
        The metric to compare by; by default every metric that all runs have.
    cluster : str, optional
        Column whose items belong together, such as the document that questions are about; ``cluster`` where there is one.
    samples : str, optional
        Of repeated samples: ``pass@5``, ``pass^5`` or ``maj@5`` of every item instead of their mean; see `pass_at_k`.
    cost : str, optional
        A column of the price, tokens or time of every item, lower being better: by how much every run is cheaper than the base.
    claims : sequence of str
        Claims to test; see `RunComparison.test`.
    read : mapping, optional
        Options of `read` for all runs: map, where, lower, format. These may also be named by themselves.
    **named : path, folder, frame or Scores
        More runs by name: ``compare(base="old/", new="new/")``.

    Examples
    --------
    >>> items = [f"q{i}" for i in range(60)]
    >>> old = Scores.from_table([[i % 3 > 0 for i in range(60)]], ["m"], items)
    >>> new = Scores.from_table([[i % 3 > 0 or i < 30 for i in range(60)]], ["m"], items)
    >>> print(compare(base=old, new=new).answer)
    'new' is better than 'base': +16.7 points (95 % CI +6.6 to +26.9), 60 items, paired.
    """
    require_share("level", level)
    if isinstance(new, list | tuple) and new and all(isinstance(one, str) for one in new):
        raise UsageError(
            "`compare` takes runs, `compare(base=..., new=...)`; `compare_methods(evidence, methods)` compares methods."
        )
    if new is not None:
        runs, named = None, {"base": runs, "new": new, **named}  # type: ignore[dict-item]
    reading = {**(read or {}), **{name: named.pop(name) for name in READING if name in named}}
    tables = _tables(runs, named, reading, cluster)
    if samples is not None:
        from beatpath.inference.runs.pass_at_k import pass_at_k_named

        tables = {name: pass_at_k_named(one, samples) for name, one in tables.items()}
    base, others = next(iter(tables)), list(tables)[1:]
    metrics, agents = common_metrics(tables, metric), common_agents(tables)
    chosen, skipped = comparable(tables, [(agent, one) for agent in agents for one in metrics], cluster)
    family = len(others) * len(chosen)
    compared = [
        _compared(items[base], items[name], (name, base), label, 1 - (1 - level) / family)
        for name in others
        for label, items in chosen.items()
    ]
    corrected = [
        replace(c, result=replace(c.result, p_value=min(1.0, family * c.result.p_value), level=level)) for c in compared
    ]
    settings = {
        "level": level,
        "metric": metric,
        "cluster": cluster,
        "family": family,
        "samples": samples,
        "cost": cost,
    }
    costs = _cost_items(runs, named, reading, cost, cluster) if cost else {}
    result = RunComparison(
        base,
        tuple(tables),
        tuple(corrected),
        costs_of(costs, cost, level) if cost else (),
        trade_offs_of(next(iter(chosen.values())), costs, level) if costs and len(chosen) == 1 else (),
        (*_reading_notes(runs, tables), *_notes(tables, chosen, corrected, skipped)),
        (),
        settings,
        chosen,
    )
    return replace(result, claims=tuple(result.test(claim) for claim in claims))


def _tables(runs: Any, named: Mapping[str, Any], reading: Mapping[str, Any], cluster: str | None) -> dict[str, Scores]:
    """The scores of every run by name: as they are named, of every entry of a folder, or of every agent of a table."""
    given = [*(runs.values() if isinstance(runs, Mapping) else [runs]), *named.values()]
    if any(reading.values()) and any(isinstance(one, Scores) or scores_of_numbers("", one) for one in given):
        raise UsageError(
            "`read` and `cost` must be left out for runs that have been read, or are lists of numbers: what columns mean is settled "
            "when a file is read. Pass the files, or the columns."
        )
    if runs is not None and not isinstance(runs, Mapping) and not named:
        runs = runs_in(runs) or runs
    from beatpath.data.read_run import columns_of, names_items

    columns = isinstance(runs, Mapping) and all(map(is_list, runs.values())) and any(map(names_items, map(str, runs)))
    if columns or not isinstance(runs, Mapping | None):
        name = Path(runs).stem if isinstance(runs, str | Path) else "the table"
        scores = scores_of(name, runs, reading, cluster or "cluster", of_runs=True)
        bases = bases_of(scores.agents)
        order = [] if isinstance(runs, Scores) or len(scores.agents) < 2 else list(columns_of(runs))
        place = {name: (name not in bases, order.index(name) if name in order else 0) for name in scores.agents}
        runs = {name: only(scores, [name]) for name in sorted(scores.agents, key=place.__getitem__)}
    runs = {**(runs or {}), **named}
    if len(runs) < 2:
        what = f"{len(runs)}, {listed(runs)}" if runs else "none"
        raise UsageError(f"two runs or more must be named to be compared; got {what}. Write `base=old/ new=new/`.")
    numbers = {name: scores_of_numbers(name, one) for name, one in runs.items()}
    sizes = {name: len(one) for name, one in runs.items() if is_list(one) and numbers[name] is not None}
    if len({*sizes.values()}) > 1:
        each = ", ".join(f"{size:,} in {quoted(name)}" for name, size in sizes.items())
        raise UsageError(
            f"runs that are lists must have a number for every item, in the same order; there are {each}. Map items to numbers "
            "instead, or use None for those that are missing."
        )
    if not all(str(name).strip() for name in runs):
        raise UsageError(f"every run must have a name; got {listed(runs)}. Write `base=old/ new=new/`.")
    runs = {name: one if numbers[name] is None else numbers[name] for name, one in runs.items()}
    return {name: scores_of(name, source, reading, cluster or "cluster") for name, source in runs.items()}


def _cost_items(
    runs: Any, named: Mapping[str, Any], reading: Mapping[str, Any], column: str, cluster: str | None
) -> dict[str, Items]:
    """The costs of every run, item by item."""
    try:
        tables = _tables(runs, named, {**reading, "map": {**(reading.get("map") or {}), "value": column}}, cluster)
    except UsageError as error:  # about the role that the column is read in
        raise UsageError(str(error).replace(spoken("`--map value=`"), "`--cost`")) from None
    if any(len(one.agents) > 1 for one in tables.values()):
        raise DataError(
            "costs are compared between runs of one agent each; a run holds several. Choose one with `--where`."
        )
    return {name: items_of(one, None, "", cluster) for name, one in tables.items()}


def _compared(base: Items, run: Items, names: tuple[str, str], metric: str, level: float) -> Compared:
    """One run against the base by one metric."""
    pair = matched(base, run)
    result, (x, y), noise = pair.difference(level), (pair.x, pair.y), None
    changed: list[Changed] = []
    by_task: tuple[ComparedRow, ...] = ()
    if pair.rows is not None:
        i, j = pair.rows
        within = base.variance[i] / base.number[i] + run.variance[j] / run.number[j]
        noise = float(np.mean(within)) / len(x) + pair.further.variance if np.isfinite(within).all() else None
        keys, gains = [base.key[k] for k in i.tolist()], pair.sign * (y - x)
        rows = ((keys[k], float(x[k]), float(y[k]), float(gains[k])) for k in np.flatnonzero(gains).tolist())
        changed = [Changed(task, item, old, new, gain) for (task, item), old, new, gain in rows]
        by_task = _by_task([key[0] for key in keys], pair, names, metric, level)
    detectable, more_items, more_samples = _power(result, noise, pair.further.variance)
    return Compared(
        run=names[0],
        base=names[1],
        metric=metric,
        items=min(len(x), len(y)),
        clusters=0 if pair.cluster is None else int(pair.cluster.max()) + 1,
        paired=pair.rows is not None,
        base_score=float(x.mean()),
        new_score=float(y.mean()),
        result=result,
        table=table_of(x, y) if pair.is_binary and pair.rows is not None else None,
        detectable=detectable,
        more_items=more_items,
        more_samples=more_samples,
        by_task=by_task,
        changed=tuple(sorted(changed, key=lambda c: (-abs(c.gain), -c.gain, c.task, c.item))),
        is_share=base.is_share and run.is_share,
        left_out=len(base.key) + len(run.key) - (2 * len(x) if pair.rows is not None else 0),
        runs_differ=pair.further.variance > 0,
    )


def _power(result: Difference, noise: float | None, runs: float) -> tuple[float, float, float | None]:
    """The smallest difference found with the power, and how many times as many items or samples would confirm this one.

    More items leave the variance between `runs`.
    """
    z = t_quantile(result.level)
    needed, half = z + t_quantile(2 * POWER - 1), (result.high - result.low) / 2
    error = result.stderr or half / z  # no item changed: the interval still has a width
    allowed = (result.estimate / needed) ** 2  # variance with which this difference would be confirmed

    def times(part: float) -> float:
        rest = allowed - (error**2 - part)
        return part / rest if allowed and rest > 0 else np.inf

    return needed * error, times(error**2 - runs), None if noise is None else times(noise)


def _by_task(
    tasks: Sequence[str], pair: Matched, names: tuple[str, str], metric: str, level: float
) -> tuple[ComparedRow, ...]:
    """The same for every task of two items or more, p-values corrected by Holm's method."""
    if len(set(tasks)) < 2:
        return ()
    task, rows = np.array(tasks, dtype=object), []
    for name in sorted(set(tasks)):
        one = task == name
        if one.sum() < 2:
            continue
        d, x, y = pair.of(one, level), pair.x[one], pair.y[one]
        gain = pair.sign * (y - x)
        rows.append(ComparedRow(
            run=names[0], base=names[1], metric=metric, task=name, items=len(x), base_score=float(x.mean()),
            new_score=float(y.mean()), difference=d.estimate, low=d.low, high=d.high, p_value=d.p_value,
            better=int((gain > 0).sum()), worse=int((gain < 0).sum()),
        ))  # fmt: skip
    for row, p in zip(rows, holm(np.array([row["p_value"] for row in rows])).tolist(), strict=True):
        row["p_value"] = p
    return tuple(sorted(rows, key=lambda row: -abs(row["difference"])))


def _scales(items: Mapping[str, Items]) -> list[str]:
    """Warn where all scores of one run are shares and most of another's are far above one."""
    shares = [name for name, one in items.items() if one.is_share]
    other = [name for name, one in items.items() if np.median(np.abs(one.mean)) > BEYOND_SHARES]
    if not shares or not other:
        return []
    span = {name: "{:.4g} to {:.4g}".format(*items[name].span) for name in (shares[0], other[0])}
    first, second = (f"{quoted(name)} from {ends}" for name, ends in span.items())
    return [f"Scales differ: scores of {first}, of {second}. Rescale one run if both measure the same."]


def _reading_notes(runs: object, tables: Mapping[str, Scores]) -> Iterator[str]:
    """What was guessed about the runs: which is the base, and which columns hold items and scores."""
    base = next(iter(tables))
    accounts = [one.reading for one in tables.values() if one.reading is not None]
    wide = {one.guessed.get("task", "") for one in accounts if one.guessed.get("agent") == "columns"}
    if runs is not None and not isinstance(runs, Mapping) and base not in bases_of(list(tables)):
        folder = isinstance(runs, str | Path) and Path(runs).is_dir()
        other = f"; `base={shown(base)} new=...` names another" if folder else ""
        first = "column" if wide else "agent" if isinstance(runs, Scores) else "by name"
        yield f"The base is {quoted(base)}, the first {first}{other}."
    columns = {{**one.given, **one.guessed}.get("item", ""): one.guessed.get("value", "") for one in accounts}
    for item in wide:
        yield f"Guessed by the names of columns: items in {quoted(item)}, a run in every column of scores."
    for item, value in columns.items():
        if item and value:
            yield f"Guessed by the names of columns: items in {quoted(item)}, scores in {quoted(value)}."
    numbers = [{*one.factors["item"].levels} for one in tables.values() if "item" in one.factors]
    if len(columns) == 1 and "" not in columns and all(_are_row_numbers(some) for some in numbers):
        yield f"{quoted(next(iter(columns)))} numbers rows: if runs have other orders, pair by a text, `--map item=COLUMN`."


def _are_row_numbers(names: set[str]) -> bool:
    """Whether names of items are 0, 1, 2, ... or 1, 2, 3, ..., as rows are numbered.

    >>> _are_row_numbers({"0", "1", "2"}), _are_row_numbers({"1", "2"}), _are_row_numbers({"17", "4"})
    (True, True, False)
    """
    return any(names == {str(i + first) for i in range(len(names))} for first in (0, 1))


def _notes(
    tables: Mapping[str, Scores],
    chosen: Mapping[str, Mapping[str, Items]],
    compared: Sequence[Compared],
    skipped: Sequence[str],
) -> tuple[str, ...]:
    notes = list(dict.fromkeys(note for one in tables.values() for note in lower_noted(one)))
    if len(compared) > 1:
        notes.append(f"Intervals and p-values carry a Bonferroni correction for {len(compared):,} comparisons.")
    for c in (one for one in compared if one.paired and one.left_out):
        items = chosen[c.metric]
        lack = [(len(items[b].key) - c.items, a) for a, b in ((c.run, c.base), (c.base, c.run))]
        lacking = " and ".join(f"{counted(n, 'item')} that {quoted(name)} lacks" for n, name in lack if n)
        notes.append(f"Left out: {lacking}. If it failed there, count that as 0 in its file.")
    notes += [note for items in chosen.values() for note in _scales(items)]
    repeats = {name: max(int(items[name].number.max()) for items in chosen.values()) for name in tables}
    if max(repeats.values()) > 1:
        notes.append(
            f"Repeated samples of an item are averaged ({', '.join(f'{n}: {k:,}' for n, k in repeats.items())})."
        )
    if any(one.runs_differ for one in compared):
        notes.append(
            "Samples with one label (seed, epoch) differ from others on all items together; intervals and p-values allow for other labels."
        )
    if are_of_solved_items(tables):
        notes.append("An item that a run does not name is not solved; those that no run names are not counted.")
    if skipped:
        notes.append(f"Left out, with fewer than two items in some run: {listed(skipped, 8)}.")
    if len({one.metric for one in compared}) > 1:
        notes.append("`--metric` chooses one metric.")
    return tuple(notes)
