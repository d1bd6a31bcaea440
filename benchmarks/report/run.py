"""A whole report: its seconds, how often it walks the same ground, and both beside another tree of this package; and the command.

    python benchmarks/run.py --area report --before OTHER/src

`--before` names the sources of another version; without it this version stands alone. Walks are counted by a tracing profiler
in a call of their own, after the timed ones: how often rows are counted by pair, battles validated and Bradley-Terry fitted, and
how many functions of how many modules take part.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from cell import timed
from measure import COUNTS, HERE, NO_TIME, Goal, Row, battles, row, seconds_left, whole, within

TITLE = "A whole report"
PACKAGES = ("beatpath", "numpy", "scipy")
EXAMPLE = "example"
LARGE = (1_000_000, 30, 10_000)  # battles, agents, clusters
OURS, BEFORE = "beatpath", "before"
COMMAND = "`beatpath report --example`, the whole process"
MANY = "`beatpath report` on the Arena's counts, 129 agents, the whole process"
WALKS = {
    "rows counted": "Pairs.from_outcomes",
    "battles validated": "Battles.__post_init__",
    "Bradley-Terry fits": "fit_pairs",
}


def cell(what: str, repeats: str) -> dict[str, Any]:
    """Time `report` on the example or a file of battles, then count its walks."""
    import beatpath as bp

    evidence = bp.example() if what == EXAMPLE else bp.read(what)

    def summary(report: Any) -> dict[str, Any]:
        board = [(row.agent, row.rank, row.best, row.worst) for row in report.board]
        return {"board": board, "walks": walked(lambda: bp.report(_anew(evidence)))}

    bp.report(_anew(evidence))  # loads and compiles, however long that takes
    return timed(lambda: bp.report(_anew(evidence)), int(repeats), summary)


def _anew(evidence: Any) -> Any:
    """The same evidence as a new object, of which nothing is known from an earlier call."""
    from dataclasses import replace

    return replace(evidence)


def walked(run: Callable[[], Any]) -> dict[str, int]:
    """Count calls of some functions of the package, and how many different ones were called at all."""
    import beatpath

    home = str(Path(beatpath.__file__).parent)
    calls: Counter[tuple[str, str]] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(home) and not code.co_name.startswith("<"):
            calls[code.co_filename, code.co_qualname] += 1

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    named = Counter[str]()
    for (_, name), times in calls.items():
        named[name] += times
    walks = {what: named[name] for what, name in WALKS.items()}
    return walks | {"functions": len(calls), "modules": len({file for file, _ in calls})}


def measured(given: argparse.Namespace) -> list[Row]:
    """The example and a million battles, this version and the other in turn."""
    cases = {"12,000 battles of the example, 30 agents": EXAMPLE}
    if not given.quick:
        n, agents, clusters = LARGE
        cases[f"{n:,} battles, {agents} agents, {clusters:,} clusters"] = battles(given, n, agents, clusters)
    rows = []
    for case, what in cases.items():
        mine = _measured(given, what, None)
        rows.append(row(case, OURS, mine, answer=_walks(mine)))
        if given.before is not None:
            other = _measured(given, what, given.before)
            same = (
                isinstance(mine, str) or isinstance(other, str) or mine["answer"]["board"] == other["answer"]["board"]
            )
            rows.append(row(case, BEFORE, other, answer=_walks(other), agrees=same))
    file, page = given.data / COUNTS, given.dir / "report.html"
    given.dir.mkdir(parents=True, exist_ok=True)
    measurement = whole(given, "-m", "beatpath", "report", "--example", "-o", page)
    rows.append(row(COMMAND, OURS, measurement))
    if file.exists():
        rows.append(row(MANY, OURS, whole(given, "-m", "beatpath", "report", file, "-o", page)))
    return rows


def _measured(given: argparse.Namespace, what: str, tree: Path | None) -> dict[str, Any] | str:
    """One measurement in a process of its own, of this package or of another tree."""
    path = {} if tree is None else {"PYTHONPATH": str(tree.resolve())}
    command = [sys.executable, str(HERE / "cell.py"), "report.run", what, str(given.repeats)]
    limit = seconds_left(given)
    if limit <= 0:
        return NO_TIME
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, check=False, env=os.environ | path
        )
    except subprocess.TimeoutExpired:
        return f"over {limit:.0f} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["killed"])[-1][:80]
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _walks(measurement: dict[str, Any] | str) -> str:
    return (
        ""
        if isinstance(measurement, str)
        else ", ".join(f"{what} {n:,}" for what, n in measurement["answer"]["walks"].items())
    )


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Two and three processor seconds for the command; no more than the other version took, where there is one."""
    spent = {(one.case, one.route): one.cpu for one in rows if one.cpu}
    now = [*within(rows, COMMAND, 2.0), *within(rows, MANY, 3.0)]
    return now + [
        Goal(f"{case}: processor seconds {BEFORE} over now", spent[case, BEFORE] / spent[case, OURS], 1.0)
        for case in dict.fromkeys(one.case for one in rows)
        if (case, BEFORE) in spent and (case, OURS) in spent
    ]
