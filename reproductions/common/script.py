"""What the scripts here share: their options, work on two processes with progress on stderr, means with intervals."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from beatpath.inference.bootstrap.workers import results
from beatpath.reports.reproduction import Line

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def parser_of(doc: str) -> argparse.ArgumentParser:
    """The options that every script has; `doc` is its docstring."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=DATA, help="folder of data sets [shared/data beside the repository]"
    )
    parser.add_argument("--format", default="table", help="table or json")
    parser.add_argument("--processes", type=int, default=2)
    return parser


def expected_of(script: str) -> dict[str, Any]:
    """What was published: expected.json beside the script, typed from the paper."""
    content: dict[str, Any] = json.loads(Path(script).with_name("expected.json").read_text(encoding="utf-8"))
    return content


def checked(what: str, published: object, ours: object, equal: bool, note: str = "") -> Line:
    """Return a line of the table; one that differs is explained by its note, and is wrong without one."""
    return Line(what, str(published), str(ours), True if equal else None if note else False, "" if equal else note)


def mapped(function: Callable[..., Any], items: Iterable[tuple[Any, ...]], label: str, processes: int) -> list[Any]:
    """`function(*item)` for every item, in their order; says on stderr how far it is."""
    items = list(items)
    work = results(lambda item: function(*item), items, min(processes, max(len(items), 1)))
    terminal = sys.stderr.isatty()
    last_report, finished = time.monotonic(), []
    for done, result in enumerate(work, start=1):
        finished.append(result)
        if done == len(items) or time.monotonic() - last_report > (0.5 if terminal else 15):
            last_report = time.monotonic()
            end = "\r" if terminal and done < len(items) else "\n"
            print(f"{label}: {done} of {len(items)}", end=end, file=sys.stderr, flush=True)
    return finished


def half_width(values: ArrayLike) -> float:
    """Half of the 95 % confidence interval of a mean, by the normal distribution; infinite for one value."""
    values = np.asarray(values)
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")


def mean_of(values: ArrayLike, digits: int = 2) -> str:
    """A mean and half of its 95 % interval, in words; the mean alone of one value."""
    mean, half = float(np.mean(values)), half_width(values)
    return f"{mean:.{digits}f} ± {half:.{digits}f}" if np.isfinite(half) else f"{mean:.{digits}f}"


def near(ours: ArrayLike, published: float, half: float, trials: int, rounded: float) -> bool:
    """Whether a published mean with half of its 95 % interval over some trials is as near to ours as chance allows.

    The spread of one trial is the larger of that by the published interval and ours; four standard errors of the
    difference of the two means count as chance, so that of a thousand true figures hardly one is called different.
    """
    ours = np.asarray(ours)
    theirs = half / 1.96 * np.sqrt(trials)
    spread = max(theirs, float(ours.std(ddof=1)) if len(ours) > 1 else 0.0)
    error = np.hypot(theirs / np.sqrt(trials), spread / np.sqrt(len(ours)))
    return bool(abs(float(ours.mean()) - published) <= 4 * error + rounded)


def print_worlds(
    doc: str, worlds: Iterable[Any], trial: Callable[..., Any], summary: Callable[[Any, list[Any]], dict[str, Any]]
) -> None:
    """Print one row a world, as soon as it is there: what `summary` makes of ``trial(world, seed)`` of every seed."""
    parser = parser_of(doc)
    parser.add_argument("--runs", type=int, default=4)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for world in worlds:
        runs = mapped(trial, [(world, seed) for seed in range(options.runs)], world.name, options.processes)
        rows.append(summary(world, runs))
        if options.format != "json":
            numbers = [f"{value:.3f}" for value in list(rows[-1].values())[1:]]
            if len(rows) == 1:
                print("| " + " | ".join(rows[0]) + " |\n| --- |" + " ---: |" * len(numbers))
            print("| " + " | ".join([world.name, *numbers]) + " |", flush=True)
    if options.format == "json":
        print(json.dumps(rows))
