"""Damaged files and odd options through every reader and every verb, for as long as one likes.

Run      make fuzz MINUTES=30
         python tests/fuzz.py --minutes 5 --first 100000 --workers 1 --seeds FOLDER

Cases have numbers (tests/helpers/fuzzing.py) and are the same on every machine. Blocks of them run in child processes under a limit
of time a case and of memory; a block that ends in anything but evidence, an answer that holds to its schema, or a sentence is
written to build/fuzz, with the number that brings it back: ``python -m helpers.fuzzing NUMBER 1 --verbs`` in the folder of tests.
The exit status is 1 when something failed.
"""

import argparse
import itertools
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 40  # cases a child


def block(first: int, seeds: list[str]) -> tuple[int, str]:
    """How many cases of a block were tried, and what failed."""
    command = [sys.executable, "-m", "helpers.fuzzing", str(first), str(BLOCK), "--verbs", *seeds]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT / "tests", env=_environment())
    tried = done.stderr.count("case ")
    if done.returncode == 0 and tried == BLOCK:
        return tried, ""
    last = "" if tried == BLOCK else f"ended within case {first + tried - 1}:\n{done.stderr[-3000:]}"
    return tried, f"{done.stdout}\n{last}"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT / "tests")))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--first", type=int, default=1_000_000, help="number of the first case")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seeds", type=Path, help="a folder whose small files join the seeds")
    given = parser.parse_args()
    seeds = [str(given.seeds)] if given.seeds else []
    folder = ROOT / "build" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    numbers, lock, end = itertools.count(given.first, BLOCK), threading.Lock(), time.monotonic() + 60 * given.minutes
    total = findings = 0

    def work() -> None:
        nonlocal total, findings
        while time.monotonic() < end:
            with lock:
                first = next(numbers)
            tried, failures = block(first, seeds)
            with lock:
                total += tried
                if failures:
                    findings += 1
                    (folder / f"{first}.txt").write_text(failures, encoding="utf-8")
                print(f"{total:,} cases, {findings} blocks with findings", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(given.workers) as pool:
        for ran in [pool.submit(work) for _ in range(given.workers)]:
            ran.result()
    print(f"{total:,} cases tried; {findings} blocks with findings" + (f", in {folder}" if findings else ""))
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
