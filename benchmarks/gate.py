"""Fail where one of five cells has become slower by a fifth: what a change must not do to speed.

    python benchmarks/gate.py                  against the figures of benchmarks/gate.json
    python benchmarks/gate.py --base HEAD^     against that revision, measured here and now: what a build machine does
    python benchmarks/gate.py --write          make benchmarks/gate.json

A cell's figure is a ratio: the least processor time it took, over the least that a fixed piece of work took beside it in the same
process, one after the other. Processor time does not count what other programs take, the least of many is what they disturb least,
and the ratio takes out most of how fast a machine is; a base measured on the same machine takes out the rest. A cell that looks
slower is measured again, and only one that stays slower fails. Exit status 1: a cell is slower by more than `LIMIT`.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
FIGURES = HERE / "gate.json"
LIMIT = 1.2  # a fifth slower; repeated runs differ by a few hundredths
TRIES = 3  # measurements of a cell that looks slower, before it is called slower
PROCESSES = 3  # a cell; memory is laid out anew in each, which moves figures by a few hundredths
SECONDS = 1.5  # of processor time, for a cell and its piece of work in one process

Work = Callable[[], object]


def processor() -> float:
    """Processor time of this process and of those it has waited for."""
    waited_for = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + waited_for.ru_utime + waited_for.ru_stime


def reference() -> Work:
    """A fixed piece of work: half of it Python's own, half of it NumPy's, as in most of the package."""
    import numpy as np

    rng = np.random.default_rng(0)
    values, square = rng.random(60_000), rng.random((120, 120))

    def work() -> float:
        counts: dict[int, int] = {}
        for i in range(40_000):
            counts[i % 977] = counts.get(i % 977, 0) + i
        text = ",".join(map(str, counts.values()))
        return float(np.sort(np.exp(values)).sum() + (square @ square @ square).sum()) + len(text.split(","))

    return work


def program(*words: str) -> Work:
    """A Python program of its own."""
    return lambda: subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


def startup() -> tuple[Work, Work]:
    """The command line says what it can do; beside it a program that imports as much of the standard library."""
    library = "import argparse, asyncio, decimal, email.message, unittest, xml.dom.minidom"
    return program("-m", "beatpath", "--help"), program("-c", library)


def board(n_agents: int, n_battles: int) -> Any:
    """Battles of agents whose strengths are evenly spaced, by a fixed seed."""
    import numpy as np

    import beatpath as bp

    rng = np.random.default_rng(1)
    names = tuple(f"agent-{i:03}" for i in range(n_agents))
    a = rng.integers(n_agents, size=n_battles)
    b = (a + rng.integers(1, n_agents, size=n_battles)) % n_agents
    won = rng.random(n_battles) < 1 / (1 + np.exp((a - b) * 4 / n_agents))
    return bp.Battles(names, a, b, won.astype(float))


def reading() -> tuple[Work, Work]:
    """A CSV file of 20,000 battles is read."""
    import beatpath as bp

    path = Path(tempfile.mkdtemp(prefix="beatpath-gate-")) / "battles.csv"
    bp.write(board(60, 20_000), path)
    return lambda: bp.read(path), reference()


def bradley_terry() -> tuple[Work, Work]:
    """Bradley-Terry of 120 agents from counts by pair."""
    import beatpath as bp

    pairs = board(120, 40_000).pairs()
    return lambda: bp.rank(pairs, "bradley_terry"), reference()


def resolve() -> tuple[Work, Work]:
    """What the built-in example resolves: 30 agents, 12,000 battles in clusters."""
    import beatpath as bp

    battles = bp.example()
    return lambda: bp.resolve(battles), reference()


def kemeny() -> tuple[Work, Work]:
    """The Kemeny optimum of the built-in example, proven."""
    import beatpath as bp

    pairs = bp.example().pairs()
    return lambda: bp.rank(pairs, "kemeny"), reference()


CELLS: dict[str, Callable[[], tuple[Work, Work]]] = {
    "startup": startup,
    "reading": reading,
    "bradley_terry": bradley_terry,
    "resolve": resolve,
    "kemeny": kemeny,
}


def ratio(cell: str) -> float:
    """Measure a cell in this process: the least time of its work over the least of the work beside it."""
    works = CELLS[cell]()
    least = [float("inf")] * len(works)
    spent = 0.0
    for i in range(10_000):
        for k, work in enumerate(works):
            begun = processor()
            work()
            took = processor() - begun
            spent += took
            if i:  # the first round imports, compiles and fills caches
                least[k] = min(least[k], took)
        if i >= 3 and spent > SECONDS:
            break
    return least[0] / least[1]


def figure(cell: str, source: Path) -> float:
    """Measure a cell of a source tree in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": "0"}
    environment |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, __file__, "--cell", cell]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def middle(cell: str, source: Path) -> float:
    """Return the median of several processes."""
    return sorted(figure(cell, source) for _ in range(PROCESSES))[PROCESSES // 2]


@contextmanager
def sources_of(revision: str) -> Iterator[Path]:
    """Check a revision out into a folder of its own, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="beatpath-gate-") as folder:
        place = Path(folder) / "tree"
        git = ["git", "-C", str(HERE.parent), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), revision], check=True)
        try:
            yield place / "src"
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def slower(cell: str, before: Callable[[], float]) -> bool:
    """Measure a cell, print it beside what it was before, and say whether it is slower by more than the limit."""
    for _ in range(TRIES):
        was, now = before(), middle(cell, SOURCE)
        over = now / was > LIMIT
        print(f"{cell:14} {was:8.3f} {now:8.3f} {now / was:6.2f}{'  slower' if over else ''}", flush=True)
        if not over:
            return False
    return True


def compared(base: Path | None) -> int:
    """Compare every cell with a source tree, or with the figures that are stored."""
    baseline = {} if base else json.loads(FIGURES.read_text(encoding="utf-8"))["ratios"]
    print(f"{'cell':14} {'before':>8} {'now':>8} {'ratio':>6}")
    wrong = [cell for cell in CELLS if slower(cell, lambda c=cell: middle(c, base) if base else baseline[c])]
    print(f"slower by more than {LIMIT - 1:.0%}: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


def write() -> None:
    """Keep the figures of this tree on this machine."""
    ratios = {cell: round(middle(cell, SOURCE), 4) for cell in CELLS}
    document = {"command": "python benchmarks/gate.py --write", "python": sys.version.split()[0], "ratios": ratios}
    FIGURES.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", help="a revision to compare with, instead of the figures that are stored")
    parser.add_argument("--write", action="store_true", help="keep the figures of this tree")
    parser.add_argument("--cell", choices=CELLS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cell:
        print(ratio(given.cell))
        return 0
    if given.write:
        write()
        return 0
    if given.base:
        with sources_of(given.base) as base:
            return compared(base)
    return compared(None)


if __name__ == "__main__":
    sys.exit(main())
