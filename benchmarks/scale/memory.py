"""Peak memory of every verb as its input grows: four sizes of battles and of score tables.

Run      python benchmarks/scale/memory.py [--sizes 10000,30000,90000,270000]

Every cell is a process of its own. The last column is what a further row costs between the two largest sizes; where memory grows with the
square of the input it is many times what it is between the two smallest.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

AGENTS, JUDGES, PER_CLUSTER, CATEGORIES = 40, 5, 10, 8
BATTLES = ("check", "resolve", "rank", "core", "judges", "report", "diff", "convert")
SCORES = ("check", "resolve", "rank", "core", "items", "runs", "compare", "report")


def battles(path: Path, n: int) -> None:
    """Write battles between agents on a scale, with ties, judges, tasks and prompts of ten battles."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, AGENTS, n)
    b = (a + rng.integers(1, AGENTS, n)) % AGENTS
    won = np.where(
        rng.random(n) < 0.1, "tie", np.where(rng.random(n) < 1 / (1 + np.exp((a - b) / 10)), "model_a", "model_b")
    )
    with path.open("w", encoding="utf-8") as out:
        out.write("model_a,model_b,winner,judge,prompt,task\n")
        for i, (x, y, w) in enumerate(zip(a.tolist(), b.tolist(), won.tolist(), strict=True)):
            out.write(
                f"agent {x},agent {y},{w},judge {i % JUDGES},prompt {i // PER_CLUSTER},task {i // PER_CLUSTER % CATEGORIES}\n"
            )


def scores(path: Path, n: int) -> None:
    """Write the answers of agents on a scale, right or wrong, to as many items as make this many rows."""
    rng = np.random.default_rng(0)
    items = n // AGENTS
    right = rng.random((AGENTS, items)) < 1 / (1 + np.exp(rng.normal(size=items) - np.linspace(-1, 1, AGENTS)[:, None]))
    with path.open("w", encoding="utf-8") as out:
        out.write("model,task,item,score\n")
        for i, row in enumerate(right.astype(int).tolist()):
            for k, value in enumerate(row):
                out.write(f"agent {i},task {k % CATEGORIES},item {k},{value}\n")


def peak(verb: str, path: Path) -> float | None:
    """Peak megabytes of a command; None if it refuses."""
    more = {
        "diff": [str(path), str(path)],
        "report": [str(path), "-o", f"{path}.html"],
        "convert": [str(path), f"{path}.parquet"],
    }.get(verb, [str(path)])
    null = subprocess.DEVNULL
    child = subprocess.Popen([sys.executable, "-m", "beatpath", verb, *more], stdout=null, stderr=null)
    _, status, used = os.wait4(child.pid, 0)
    return used.ru_maxrss / 1024 if os.waitstatus_to_exitcode(status) in (0, 3) else None


def main() -> None:
    """Measure, and print a table as soon as each row is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,30000,90000,270000")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    print("| verb | " + " | ".join(f"{size:,} rows" for size in sizes) + " | bytes per further row |")
    print("| --- " + "| --: " * (len(sizes) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for kind, verbs, write in (("battles", BATTLES, battles), ("scores", SCORES, scores)):
            paths = [Path(folder) / f"{kind}_{size}.csv" for size in sizes]
            for path, size in zip(paths, sizes, strict=True):
                write(path, size)
            for verb in verbs:
                used = [peak(verb, path) for path in paths]
                more = "-" if None in used[-2:] else f"{1e6 * (used[-1] - used[-2]) / (sizes[-1] - sizes[-2]):,.0f}"
                cells = " | ".join("refused" if x is None else f"{x:,.0f} MB" for x in used)
                print(f"| `{verb}` of {kind} | {cells} | {more} |", flush=True)


if __name__ == "__main__":
    main()
