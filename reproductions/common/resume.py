"""Blocks of runs that are written to a file as they come and are not run again: what was stopped goes on where it was."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from beatpath.inference.bootstrap.workers import results

Job = tuple[Any, ...]


def saved_results(path: Path | None) -> dict[Job, Any]:
    """What the file holds, by job; a last line that was cut off counts for nothing."""
    results: dict[Job, Any] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
        try:
            one = json.loads(line)
        except json.JSONDecodeError:
            continue
        results[tuple(one["job"])] = one["found"]
    return results


def resumed(work: Callable[..., Any], jobs: Sequence[Job], path: Path | None, processes: int) -> dict[Job, Any]:
    """``work(*job)`` for every job, from the file where it is there; says on stderr how far it is."""
    if processes > 1:  # workers import what lies here
        os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    if path is not None and path.exists() and not path.read_text(encoding="utf-8").endswith("\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")  # the end of a line that was cut off
    before = saved_results(path)
    owed = [job for job in jobs if job not in before]
    done = {job: before[job] for job in jobs if job in before}
    todo = results(lambda job: work(*job), owed, min(processes, max(len(owed), 1)))
    for job, result in zip(owed, todo, strict=True):
        done[job] = result
        if path is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"job": job, "found": result}) + "\n")
        print(f"{len(done)} of {len(jobs)}: {', '.join(map(str, job))}", file=sys.stderr, flush=True)
    return done
