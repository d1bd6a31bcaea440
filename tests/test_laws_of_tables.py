"""Laws of verbs on tables of scores: order, names and the form of a file change nothing, and means that are equal are tied."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import beatpath as bp
from beatpath.inference.runs.critical_differences import critical_differences
from beatpath.inference.runs.run_scores import run_scores

AGENTS = tuple(f"agent {k}" for k in range(5))


def columns(seed: int) -> dict[str, list]:
    """Scores of five agents with several items and seeds: right or wrong, or tenths; some are missing."""
    rng, rows = np.random.default_rng(seed), []
    strength, items, seeds = rng.normal(0, 0.7, 5), int(rng.integers(6, 15)), int(rng.integers(1, 4))
    tenths = seed % 2
    for task in ("algebra", "biology"):
        for i in range(items):
            hard = rng.normal()
            for k, name in enumerate(AGENTS):
                for run in range(seeds):
                    p = 1 / (1 + np.exp(hard - strength[k]))
                    value = (
                        round(float(np.clip(p + rng.normal(0, 0.2), 0, 1)), 1) if tenths else float(rng.random() < p)
                    )
                    if rng.random() > 0.05:
                        rows.append((name, task, f"{task}-{i}", str(run), value))
    return dict(zip(("model", "task", "item", "seed", "value"), map(list, zip(*rows, strict=True)), strict=True))


def statements(table: dict[str, list], back=str, item=str) -> dict[str, object]:
    """What the verbs say of a table without what is drawn at random, with agents translated `back`, and items too."""
    given = bp.read(table)
    ranks = bp.resolve(given).to_dict()["ranks"]
    tests, board, found = (part.to_dict() for part in (critical_differences(given), run_scores(given), bp.items(given)))
    compared = bp.compare({back(name): bp.only(given, [name]) for name in sorted(given.agents, key=back)}).to_dict()
    return {
        "ranks": {back(name): (row["best"], row["worst"]) for name, row in ranks.items()},
        "score": {back(name): row["score"] for name, row in ranks.items()},
        "rule": [sorted(map(back, level)) for level in bp.rank(given, "copeland").levels],
        "core": {back(name) for name in bp.core(given).top_cycle.members},
        "mean rank": {back(row["agent"]): row["mean_rank"] for row in tests["agents"]},
        "wilcoxon": {
            "+".join(sorted((back(row["first"]), back(row["second"])))): row["wilcoxon_p"] for row in tests["pairs"]
        },
        **{
            measure: {back(row["agent"]): row["score"] for row in board["scores"] if row["measure"] == measure}
            for measure in ("iqm", "probability_of_improvement")
        },
        "changed": [len(row["changed"]) for row in compared["comparisons"]],
        "better": [
            (one["task"], one["better"], one["worse"])
            for row in compared["comparisons"]
            for one in sorted(row["by_task"], key=lambda one: one["task"])
        ],
        "p of compare": {row["run"]: row["result"]["p_value"] for row in compared["comparisons"]},
        "difficulty": {item(row["item"]): row["difficulty"] for row in found["items"]},
        "flags": {item(row["item"]): row["flag"] for row in found["items"]},
    }


def agree(one, other):
    """Words and counts are the same; numbers too, but for rounding."""
    for part, value in one.items():
        numbers = isinstance(value, dict) and any(isinstance(one, float) for one in value.values())
        assert (pytest.approx(other[part], abs=1e-7, nan_ok=True) if numbers else other[part]) == value, part


def rows_of(table: dict[str, list], order) -> dict[str, list]:
    return {name: [values[k] for k in order] for name, values in table.items()}


seeds = pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(k, marks=pytest.mark.nightly) for k in range(2, 12))]
)


@seeds
def test_the_order_of_the_rows_changes_nothing(seed):
    table = columns(seed)
    order = np.random.default_rng(7).permutation(len(table["model"]))
    agree(statements(table), statements(rows_of(table, order)))


@seeds
def test_renaming_agents_renames_every_answer(seed):
    table = columns(seed)
    new = {name: f"renamed {9 - k}" for k, name in enumerate(AGENTS)}
    old = {name: before for before, name in new.items()}
    renamed = table | {"model": [new[name] for name in table["model"]]}
    agree(statements(table), statements(renamed, old.__getitem__))


@seeds
def test_names_of_items_and_runs_change_nothing(seed):
    """They decide in which order values are averaged, and so the last digits of every mean."""
    table = columns(seed)
    names = sorted(set(table["item"]))
    new = {name: f"i{k:03d}" for name, k in zip(names, np.random.default_rng(8).permutation(len(names)), strict=True)}
    old = {name: before for before, name in new.items()}
    renamed = table | {
        "item": [new[one] for one in table["item"]],
        "seed": [f"r{5 - int(one)}" for one in table["seed"]],
    }
    translated = statements(renamed, item=lambda name: " / ".join(old.get(part, part) for part in name.split(" / ")))
    agree(statements(table), translated)


@seeds
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "two files", "a column of ones"])
def test_the_form_of_the_files_changes_nothing(seed, form, tmp_path):
    table, paths = columns(seed), [tmp_path / "scores.csv"]
    if form == "a column of ones":
        written = [table | {"weight": [1] * len(table["model"])}]
    elif form == "two files":
        paths.append(tmp_path / "more.csv")
        half = len(table["model"]) // 2
        written = [rows_of(table, range(half)), rows_of(table, range(half, len(table["model"])))]
    else:
        paths, written = [tmp_path / f"scores.{form}"], [table]
    for path, part in zip(paths, written, strict=True):
        frame = pd.DataFrame(part)
        {".csv": frame.to_csv, ".parquet": frame.to_parquet, ".jsonl": frame.to_json}[path.suffix](
            path, **({"orient": "records", "lines": True} if path.suffix == ".jsonl" else {"index": False})
        )
    agree(statements(table), statements(paths))


@pytest.mark.parametrize("seed", range(40))
def test_means_that_are_equal_as_fractions_tie(seed):
    """An oracle without rounding: means of items of means of runs, and of tasks, as fractions."""
    table = columns(seed)
    exact: dict[tuple[str, str], dict[str, list[Fraction]]] = {}
    for name, task, item, value in zip(*(table[part] for part in ("model", "task", "item", "value")), strict=True):
        exact.setdefault((name, task), {}).setdefault(item, []).append(Fraction(str(value)))
    mean = {cell: sum(sum(runs) / len(runs) for runs in items.values()) / len(items) for cell, items in exact.items()}
    found, _ = bp.read(table).table()
    for t, task in enumerate(("algebra", "biology")):
        for a, b in combinations(range(len(AGENTS)), 2):
            gap = mean[AGENTS[a], task] - mean[AGENTS[b], task]
            assert np.sign(found[a, t] - found[b, t]) == np.sign(gap)
