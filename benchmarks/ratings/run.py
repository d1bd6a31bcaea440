"""How fast battles become ratings, beside the libraries people use; answers are compared before times are shown.

    python benchmarks/ratings/run.py                          2 and 20 million battles, 50,000 agents
    python benchmarks/ratings/run.py --quick                  a tenth of that, to see that it works
    python benchmarks/ratings/run.py --only bradley_terry     one area; the others are scripts beside this one

Every cell is a fresh process; times are medians of the calls after the first, and of the first where that took over five
seconds. The largest difference of a library's strengths to beatpath's stands beside its time, in log odds: libraries that
stop early differ by more than their users may think. Exit status 1 means that one that claims to converge (evalica, choix)
differs by more than 1e-6. A library that is not installed is left out; one that takes longer than the limit, or more than
12 GB, is shown as such.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIBRARIES = ("beatpath", "evalica", "choix", "arena_rank", "scikit_learn", "fastchat", "duckdb")
CONVERGE = ("evalica", "choix")
CASES = {
    "codes 100,000 x 50": ("codes", "100000", "50"),
    "codes 2,000,000 x 200": ("codes", "2000000", "200"),
    "parquet 20,000,000 x 500": ("parquet", "20000000"),
    "sparse 50,000 agents, 650,000 pairs": ("sparse", "50000", "650000"),
}
QUICK = {
    "codes 100,000 x 50": ("codes", "100000", "50"),
    "parquet 2,000,000 x 500": ("parquet", "2000000"),
    "sparse 5,000 agents, 65,000 pairs": ("sparse", "5000", "65000"),
}
GOALS = {
    "codes 2,000,000 x 200": (("evalica", 30.0),),
    "parquet 20,000,000 x 500": (("evalica", 30.0), ("fastchat", 30.0), ("duckdb", 1 / 1.5)),
}
SPARSE_GOAL = (1.0, 300.0)  # seconds, and MB over what stood before


def main() -> int:
    given = arguments()
    others = [path for path in sorted(HERE.glob("*.py")) if path.stem not in ("run", "peers")]
    areas = given.only or ["bradley_terry", *(path.stem for path in others)]
    print(versions(given.peers))
    wrong = bradley_terry(given) if "bradley_terry" in areas else 0
    for path in others:
        if path.stem in areas:
            print(f"\n## {path.stem}\n", flush=True)
            quick = ["--quick"] if given.quick else []
            wrong |= subprocess.run([sys.executable, str(path), "--peers", given.peers, *quick], check=False).returncode
    return wrong


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", help="an area: bradley_terry, or a script beside this one")
    parser.add_argument("--case", help="only the cases of bradley_terry whose name begins so")
    parser.add_argument("--library", action="append", help="only these libraries, beside beatpath")
    parser.add_argument("--dir", default="build/bench", help="where files are made and kept")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, default=180, help="seconds a library may take for one cell")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has the peers installed")
    return parser.parse_args()


def bradley_terry(given: argparse.Namespace) -> int:
    """Print one table a case, and return whether a library that should agree does not."""
    wrong = 0
    for name, case in (QUICK if given.quick else CASES).items():
        if given.case and not name.startswith(given.case):
            continue
        print(f"\n## bradley_terry: {name}; load {os.getloadavg()[0]:.1f}\n")
        case = (case[0], file(given.dir, case[1])) if case[0] == "parquet" else case
        found = {
            lib: once(given, lib, case) for lib in LIBRARIES if lib == "beatpath" or lib in (given.library or LIBRARIES)
        }
        wrong |= table(found)
        goals(name, found)
    return wrong


def file(folder: str, rows: str) -> str:
    make = [sys.executable, str(HERE.parent / "ingest" / "make.py"), folder, rows, "1"]
    return subprocess.run(make, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]


def once(given: argparse.Namespace, library: str, case: tuple[str, ...]) -> dict[str, Any] | str:
    """Run one cell in a fresh process; a word where it gave no answer."""
    python = sys.executable if library in ("beatpath", "duckdb") else given.peers
    command = [python, str(HERE / "peers.py"), library, case[0], str(given.repeats), *case[1:]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=given.limit, check=False)
    except subprocess.TimeoutExpired:
        return f"over {given.limit:g} s"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["killed"])[-1]
        return "no memory" if "emory" in last or "killed" in last else last[:60]
    answer = json.loads(done.stdout.splitlines()[-1])
    return "no adapter" if answer is None else answer


def table(found: dict[str, dict[str, Any] | str]) -> int:
    """Print the cells of a case, and return whether one that should agree does not."""
    ours = found["beatpath"]
    assert isinstance(ours, dict), ours
    mine, wrong = statistics.median(ours["seconds"]), 0
    print("| library | seconds (min to max) | over beatpath | CPU s | peak MB (over input) | largest difference |")
    print("| --- | --: | --: | --: | --: | --: |")
    for name, cell in found.items():
        if isinstance(cell, str):
            print(f"| {name} | {cell} | | | | |")
            continue
        took = cell["seconds"]
        middle = statistics.median(took)
        pairs = zip(cell["strength"], ours["strength"], strict=True) if cell["strength"] else ()
        far = max((abs(x - y) for x, y in pairs), default=float("nan"))
        wrong |= name in CONVERGE and not far <= 1e-6
        print(
            f"| {name} | {middle:.4f} ({min(took):.4f} to {max(took):.4f}) | {middle / mine:.1f} | "
            f"{statistics.median(cell['cpu']):.3f} | "
            f"{cell['peak']:.0f} ({cell['peak'] - cell['before']:.0f}) | {far:.0e} |",
            flush=True,
        )
    return int(wrong)


def goals(name: str, found: dict[str, dict[str, Any] | str]) -> None:
    """Say which goals of a case are met."""
    ours = found["beatpath"]
    assert isinstance(ours, dict)
    mine = statistics.median(ours["seconds"])
    for library, times in GOALS.get(name, ()):
        cell = found.get(library)
        if isinstance(cell, dict):
            ratio = statistics.median(cell["seconds"]) / mine
            print(f"- {library} over beatpath: {ratio:.3g}; goal at least {times:.3g}: {met(ratio >= times)}")
    if name.startswith("sparse 50"):
        extra = ours["peak"] - ours["before"]
        print(
            f"- {mine:.2f} s and {extra:.0f} MB; goal {SPARSE_GOAL}: {met(mine < SPARSE_GOAL[0] and extra < SPARSE_GOAL[1])}"
        )


def met(reached: bool) -> str:
    return "met" if reached else "missed"


def versions(python: str) -> str:
    """What runs, and where."""
    names = ("beatpath", "numpy", "scipy", "duckdb")
    here = [f"{name} {version(name)}" for name in names]
    ask = "from importlib.metadata import version as v; print(*(n + ' ' + v(n) for n in {}), sep='; ')"
    peers = ("evalica", "choix", "arena-rank", "scikit-learn", "pandas")
    told = subprocess.run([python, "-c", ask.format(peers)], capture_output=True, text=True, check=False).stdout.strip()
    try:
        version("evalica")
    except PackageNotFoundError:
        told = told or "peers not in this environment"
    return "; ".join([*here, told, f"{os.cpu_count()} cores"])


if __name__ == "__main__":
    sys.exit(main())
