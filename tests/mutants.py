"""Whether the tests notice: small faults put into every room one at a time, each tried against the tests that can see it.

Run      make mutants            (an hour and more on two cores; no part of the test run)
         python tests/mutants.py --number 20 --only inference/ranks/critical.py

Which functions every test runs is recorded first (`helpers.covering`; half an hour, kept under ``build/mutants`` and repeated only for
test files that changed). So many faults (`helpers.faults`) are then drawn by a seed from all there are, from every room at least
a few. Each is written into a copy of the tree and tried against tests that run its function: those of its own room that run
least besides first, 20 seconds of them, and where none fails more, of any room, two minutes' worth. A test that fails, or tests
that take five times as long as they should, have noticed. What was tried is kept in ``build/mutants`` too: a run that was
interrupted goes on where it was. A fault that changes no answer cannot be noticed: `EQUIVALENT` and `SPEED` list these with the
reason, and they are not drawn. The exit status is 1 when more than 5 % survive.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).parent))

from helpers.covering import PACKAGE, Recorded, record, recorded
from helpers.faults import Fault, faults
from helpers.paths import ROOT

BUILD = ROOT / "build" / "mutants"
FIRST, REST = (20.0, 60, 8), (120.0, 400, 40)  # seconds, tests and test files that a fault is tried against, at most
LIMIT = 5  # times as long as tests took while they were recorded, and half a minute to start
ALLOWED = 0.05  # share that may survive
LEAST = 3  # faults drawn from a room

LEFT_OUT = {  # modules without faults, and why
    "_version.py": "a name",
    "methods/differentiable/triton_paths.py": "runs on a GPU alone",
    "methods/differentiable/triton_sums.py": "runs on a GPU alone",
    "methods/differentiable/gpu_paths.py": "runs on a GPU alone",
    "methods/differentiable/gpu_sums.py": "runs on a GPU alone",
}
PICTURES = ("reports/figures/", "reports/drawing/")  # whose numbers are sizes in pixels: only their logic is tried

EQUIVALENT = {  # faults that change no answer, by function and fault wherever the function stands, and why
    "compared_runs: scores.value * scores.sign() -> scores.value / scores.sign()": "a sign is 1 or -1",
    "cycles_through: 1 -> 0 in axis=1": "a cycle passes through its first agent as often as its last",
    "_joined_pieces: 1 -> 0 in len(pieces) == 1": "one piece joined is that piece",
    "effective_clusters: part.sign > 0 -> part.sign >= 0": "a sign is 1 or -1",
    "_probed: 2 * part.sign -> 2 / part.sign": "a sign is 1 or -1",
    "_gram: 0 -> 1 in f.shape[0]": "which of two products is the quicker",
    "WinRateEstimate.covariance: 0 -> 1 in L.shape[0]": "how many clusters are held at a time",
    "_only_battle_of_cluster: 1 -> 0 in minlength=1": "only an empty part has fewer counts, and no row",
}
SPEED = {  # functions in which some faults choose only how an answer is found, by the words that stand there
    "gram": ("FULL", "X.shape", "np.diff"),
    "_gram": ("0.05", "4000000"),
    "cycles_through": ("DENSE", "n_agents ** 3"),
    "_blocks": ("CELLS", "columns"),
    "module": ("<<", "CELLS", "BLOCK", "MOST_STEPS", "ROUNDS"),
}


def drawn(number: int, seed: int, only: str | None) -> list[Fault]:
    """Return the faults to try: so many of all that are not known to change nothing, from every room a few."""
    by_room: dict[str, list[Fault]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if (only is None or module.startswith(only)) and module not in LEFT_OUT:
            text = path.read_text(encoding="utf-8")
            found = faults(module, text, numbers=not module.startswith(PICTURES))
            room = module.split("/")[0] if "/" in module else ""
            by_room.setdefault(room, []).extend(one for one in found if not changes_nothing(one))
    rng, chosen = random.Random(seed), []
    for found in by_room.values():
        rng.shuffle(found)
        chosen += found[:LEAST]
    rest = [one for found in by_room.values() for one in found[LEAST:]]
    rng.shuffle(rest)
    return (chosen + rest)[:number]


def changes_nothing(fault: Fault) -> bool:
    """Return whether a fault is known to change no answer."""
    return f"{fault.function}: {fault.text}" in EQUIVALENT or any(
        words in fault.text for words in SPEED.get(fault.function, ())
    )


def seen_by(fault: Fault, tests: dict[str, Recorded]) -> list[str]:
    """Return the tests that run the function of a fault (any function of its module for what stands outside), the likeliest first."""
    function = f"{fault.module} {fault.function}"
    some = {name for name, one in tests.items() if function in one.functions}
    if not some:
        some = {name for name, one in tests.items() if any(f.split(" ")[0] == fault.module for f in one.functions)}
    own = fault.module.removesuffix(".py").split("/")

    def order(name: str) -> tuple[int, int, float]:
        where = name.split("::")[0].removesuffix(".py").replace("/test_", "/").split("/")
        here = where[1:] if where[0] == "tests" else where[2:]
        shared = next((k for k, pair in enumerate(zip(own, here, strict=False)) if pair[0] != pair[1]), len(own))
        return -shared, len(tests[name].functions), tests[name].seconds

    return sorted(some, key=order)


def batch(names: list[str], tests: dict[str, Recorded], most: tuple[float, int, int]) -> list[str]:
    """Return the first of some tests, as many as a batch may hold."""
    chosen: list[str] = []
    seconds, files = 0.0, set()
    for name in names:
        file = name.split("::")[0]
        if len(chosen) >= most[1] or (file not in files and len(files) >= most[2]):
            continue
        if chosen and seconds + tests[name].seconds > most[0]:
            continue
        chosen.append(name)
        files.add(file)
        seconds += tests[name].seconds
    return chosen


def noticed(tree: Path, fault: Fault, tests: dict[str, Recorded]) -> str:
    """Put the fault into a copy of the tree; return the test that fails, "out of time", or nothing where it survives."""
    path = tree / "src" / "beatpath" / fault.module
    whole = path.read_text(encoding="utf-8")
    path.write_text(fault.source(), encoding="utf-8")
    try:
        names = seen_by(fault, tests)
        for most in (FIRST, REST):
            some = batch(names, tests, most)
            names = [name for name in names if name not in set(some)]
            if some and (failed := _failed(tree, some, sum(tests[name].seconds for name in some))):
                return failed
        return ""
    except subprocess.TimeoutExpired:
        return "out of time"
    finally:
        path.write_text(whole, encoding="utf-8")


def _failed(tree: Path, tests: list[str], seconds: float) -> str:
    """Run tests; return the first that fails, nothing where all pass."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--tb=no", "-r", "fE"]
    settings = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NUMBA_CACHE_DIR": str(tree / ".numba"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=tree,
        env=settings,
        capture_output=True,
        text=True,
        timeout=30 + LIMIT * (10 + seconds),
        check=False,
    )
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if not lines and done.returncode > 2:
        raise RuntimeError(f"pytest could not be run on {tests}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return lines[0][:200] if lines else "stopped"


def _copy(to: Path) -> Path:
    """Copy what git holds or would hold."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    return to


def _done(path: Path) -> dict[str, str]:
    """What a run tried before it was interrupted."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {one["fault"]: one["noticed"] for one in map(json.loads, lines)}


def main() -> int:
    """Try the faults, print those that survive, and say how many they are."""
    parser = argparse.ArgumentParser(description="Put faults into every room and see whether tests notice.")
    parser.add_argument("--number", type=int, default=200, help="faults to try [200]")
    parser.add_argument("--seed", type=int, default=0, help="of the draw [0]")
    parser.add_argument("--jobs", type=int, default=2, help="faults tried at a time [2]")
    parser.add_argument("--only", help="modules whose path begins so, as inference/ranks/critical.py")
    parser.add_argument("--record", action="store_true", help="only record which functions tests run")
    parser.add_argument("--list", action="store_true", help="only print the faults that would be tried")
    options = parser.parse_args()
    todo = drawn(options.number, options.seed, options.only)
    if options.list:
        print("\n".join(one.name for one in todo))
        return 0
    record(BUILD / "tests")
    if options.record:
        return 0
    tests, kept = recorded(BUILD / "tests"), BUILD / f"tried-{options.seed}.jsonl"
    before = _done(kept)
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for k in range(options.jobs):
            trees.put(_copy(Path(folder) / str(k)))

        def tried(fault: Fault) -> str:
            if fault.name in before:
                return before[fault.name]
            tree, start = trees.get(), time.monotonic()
            try:
                by = noticed(tree, fault, tests)
            finally:
                trees.put(tree)
            one = {
                "fault": fault.name,
                "line": fault.line,
                "noticed": by,
                "seconds": round(time.monotonic() - start, 1),
            }
            with kept.open("a", encoding="utf-8") as out:
                out.write(json.dumps(one) + "\n")
            word = "out of time" if by == "out of time" else "noticed" if by else "SURVIVED"
            print(f"{word:12}{fault.name} (line {fault.line})", flush=True)
            return by

        with ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(tried, todo))
    survived = found.count("")
    print(
        f"{survived} of {len(todo)} faults survived ({survived / max(len(todo), 1):.1%}), seed {options.seed}; "
        f"{found.count('out of time')} ran out of time and count as noticed."
    )
    return int(survived > ALLOWED * len(todo))


if __name__ == "__main__":
    sys.exit(main())
