"""What `compare` says depends on the data alone: not on the order of rows, runs or names, and it turns with what is compared."""

import numpy as np
import pytest

import beatpath as bp

KINDS = ("right or wrong", "several tasks", "numbers", "samples", "clusters")
RUNS = ("old", "new", "third")


def rows_of(kind: str, seed: int) -> list[dict[str, object]]:
    """Return rows of three runs on some items, a few of them missing."""
    rng, rows = np.random.default_rng(seed), []
    tasks, samples = (3 if kind == "several tasks" else 1), (3 if kind == "samples" else 1)
    for item in range(int(rng.integers(7, 40))):
        difficulty = rng.normal()
        for run in RUNS:
            ability = difficulty + 0.3 * (run == "new")
            for task, sample in ((t, s) for t in range(tasks) for s in range(samples) if rng.random() < 0.95):
                score = float(rng.random() < 1 / (1 + np.exp(-ability)))
                if kind in ("numbers", "clusters"):
                    score = round(ability + rng.normal(), 2)
                row = {"model": run, "benchmark": f"t{task}", "task": f"q{item}", "score": score}
                row |= {"seed": sample} if samples > 1 else {}
                rows.append(row | ({"cluster": f"c{item % 5}"} if kind == "clusters" else {}))
    return rows


def compared(rows, runs=RUNS, **options):
    tables = {run: [row for row in rows if row["model"] == run] for run in runs}
    columns = {run: {name: [row[name] for row in mine] for name in mine[0]} for run, mine in tables.items()}
    return bp.compare({run: bp.read(each) for run, each in columns.items()}, **options)


def statements(comparison) -> dict[str, object]:
    """Return what is said of every run, without the names of items."""
    return {
        one.run: (
            *(one.result.estimate, one.result.low, one.result.high, one.result.p_value),
            *(one.detectable, one.more_items, one.more_samples or 0.0, *one.better_and_worse, *(one.table or ())),
            *(number for row in one.by_task for number in (row["difference"], row["p_value"])),
        )
        for one in comparison.comparisons
    }


def agree(one, other):
    assert one.keys() == other.keys()
    for run in one:
        np.testing.assert_allclose(one[run], other[run], rtol=1e-7, atol=1e-9, err_msg=run)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_order_and_names_change_nothing(kind, seed):
    rows = rows_of(kind, seed)
    said = statements(compared(rows))
    mixed = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    agree(said, statements(compared(mixed)))
    agree(said, statements(compared([{**row, "task": f"z{row['task'][::-1]}"} for row in rows])))
    agree(said, statements(compared(rows, ("old", "third", "new"))))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_swapped_runs_swap_the_difference(kind, seed):
    rows = rows_of(kind, seed)
    one, other = (compared(rows, runs).comparisons[0].result for runs in (("old", "new"), ("new", "old")))
    swapped = (-other.estimate, -other.high, -other.low, other.p_value)
    np.testing.assert_allclose((one.estimate, one.low, one.high, one.p_value), swapped, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_scale_of_scores_scales_the_difference(seed):
    rows = rows_of("numbers", seed)
    one = compared(rows).comparisons[0]
    other = compared([{**row, "score": 4 * row["score"] + 1} for row in rows]).comparisons[0]
    scaled = [4 * x for x in (one.result.estimate, one.result.low, one.result.high, one.detectable)]
    found = (other.result.estimate, other.result.low, other.result.high, other.detectable)
    np.testing.assert_allclose(found, scaled, atol=1e-9)
    assert other.result.p_value == pytest.approx(one.result.p_value, abs=1e-9)


def test_a_difference_that_is_zero_but_for_rounding_is_zero():
    one = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] + [0, 1, 0] * 20
    tables = {"old": np.array(one).reshape(-1, 3), "new": np.array([*one[1:], one[0]]).reshape(-1, 3)}
    rows = [
        {"model": run, "task": f"q{i}", "seed": s, "score": float(x)}
        for run, table in tables.items()
        for (i, s), x in np.ndenumerate(table)
    ]
    said = compared(rows, ("old", "new")).comparisons[0]
    assert said.result.estimate == 0
    assert said.power.endswith("is detected with a power of 80 %.")
