"""Whether the tests notice: small faults put into every room one at a time, each tried against the tests that can see it.

Run      make mutants            (an hour and more on two cores; no part of the test run)
         python tests/mutants.py --number 20 --only inference/ranks/critical.py

So many faults (`helpers.faults`) are drawn by a seed from all there are, from every room at least a few. Each is written into a
copy of the tree and tried against test files that reach its module (`helpers.reach`): its doctests and the three nearest test
files first, and where none fails the laws of its rules and the next six files; tests that are themselves marked slow are passed
over. A test that fails, or tests that do not end, have noticed. What was tried is stored under ``build/mutants``: a run that was
interrupted goes on where it was. A fault that changes no answer cannot be noticed: `EQUIVALENT` and `SPEED` list these with the
reason, and they are not drawn. The exit status is 1 when more than 5 % survive.

Tests run in processes that are forked off one in which numpy, scipy and pytest are loaded already, so that most faults take
seconds; that needs a POSIX system.
"""

import argparse
import compileall
import contextlib
import importlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hypothesis.strategies
import numpy.testing
import pytest
import scipy.optimize
import scipy.sparse.csgraph
import scipy.stats

from helpers.faults import Fault, faults
from helpers.paths import ROOT
from helpers.reach import PACKAGE, rules_of, sources, test_files

LOADED = (hypothesis.strategies, numpy.testing, scipy.optimize, scipy.sparse.csgraph, scipy.stats)
BUILD = ROOT / "build" / "mutants"
FIRST, REST = 3, 6  # test files tried at once
LIMIT = 300  # seconds of work that a batch of test files may take
HANGS = 1800  # seconds after which nothing will come
ALLOWED = 0.05  # share that may survive
LEAST = 3  # faults drawn from a room
BROKEN = "not tried: "  # what a process says that could not run its tests

LEFT_OUT = (  # beginnings of modules without faults
    "_version.py",  # a name
    "methods/differentiable/triton",  # run on a GPU alone
    "methods/differentiable/gpu",
)
PICTURES = ("reports/figures/", "reports/drawing/")  # whose numbers are sizes in pixels: only their logic is tried

EQUIVALENT = {  # faults that change no answer, by function and fault wherever the function stands, and why
    "compared_runs: scores.value * scores.sign() -> scores.value / scores.sign()": "a sign is 1 or -1",
    "effective_clusters: part.sign > 0 -> part.sign >= 0": "a sign is 1 or -1",
    "_probed: 2 * part.sign -> 2 / part.sign": "a sign is 1 or -1",
    "_gram: 0 -> 1 in f.shape[0]": "which of two products is the quicker",
    "WinRateEstimate.covariance: 0 -> 1 in L.shape[0]": "how many clusters are held at a time",
    "_only_battle_of_cluster: 1 -> 0 in minlength=1": "only an empty part has fewer counts, and no row",
}
SPEED = {  # functions in which some faults choose only how an answer is found, by the words that stand there
    "gram": ("FULL", "X.shape", "np.diff"),
    "_gram": ("0.05", "4000000"),
    "edge_cycles": ("DENSE", "n_agents ** 3"),
    "_blocks": ("CELLS", "columns"),
    "module": ("<<", "CELLS", "BLOCK", "MOST_STEPS", "ROUNDS"),
}


def drawn(number: int, seed: int, only: str | None) -> list[Fault]:
    """Return the faults to try: so many of all that are not known to change nothing, from every room a few."""
    by_room: dict[str, list[Fault]] = {}
    for path in sources():
        module = path.relative_to(PACKAGE).as_posix()
        if (only is None or module.startswith(only)) and not module.startswith(LEFT_OUT):
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


class Forked:
    """Processes that each try one fault in a copy of the tree of their own."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.free = [_copy(folder / str(k)) for k in range(jobs)]
        self.running: dict[int, tuple[Path, Fault, float, Path]] = {}

    def start(self, fault: Fault) -> None:
        tree, files = self.free.pop(), test_files(fault.module)
        report = tree / "noticed.json"
        report.unlink(missing_ok=True)
        process = os.fork()
        if not process:
            os.setsid()
            try:
                report.write_text(json.dumps(noticed(tree, fault, files)), encoding="utf-8")
            except BaseException:  # noqa: BLE001 (whatever it is, the run must hear of it)
                report.write_text(json.dumps(f"{BROKEN}{traceback.format_exc()}"), encoding="utf-8")
            finally:
                os._exit(0)
        self.running[process] = (tree, fault, time.monotonic(), report)

    def next(self) -> tuple[Fault, str, float]:
        """Wait for a process to end, or for one to run out of time; return its fault, what noticed it, and the seconds it took."""
        while True:
            process, _ = os.waitpid(-1, os.WNOHANG)
            late = [one for one, (_, _, start, _) in self.running.items() if time.monotonic() - start > HANGS]
            for one in late:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(one, signal.SIGKILL)
            if process in self.running:
                tree, fault, start, report = self.running.pop(process)
                self.free.append(tree)
                by = json.loads(report.read_text(encoding="utf-8")) if report.exists() else "out of time"
                if by.startswith(BROKEN):
                    raise RuntimeError(by)
                restored = PACKAGE / fault.module
                shutil.copy2(restored, tree / "src" / "beatpath" / fault.module)
                return fault, by, time.monotonic() - start
            time.sleep(0.05)


def noticed(tree: Path, fault: Fault, files: list[str]) -> str:
    """Put the fault into a copy of the tree; return the test that fails, or nothing where it survives. For a process of its own."""
    path = tree / "src" / "beatpath" / fault.module
    whole, faulty, passed_over = path.read_text(encoding="utf-8"), fault.source(), []
    known = BUILD / "sound.txt"
    batches, rules = [files[: FIRST + 1], files[FIRST + 1 :][:REST]], rules_of(fault.module)
    if rules:
        batches.insert(1, ["tests/methods/test_laws.py", "-k", " or ".join(rules)])
    os.chdir(tree)
    os.environ |= {"CI": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(tree / "src")}
    sys.path[:] = [str(tree / "src"), str(tree / "tests"), *(one for one in sys.path if not one.startswith(str(ROOT)))]
    sys.dont_write_bytecode = True
    while batches:
        failed = _failed(path, faulty, [*batches[0], *passed_over])
        sound = known.read_text(encoding="utf-8").split("\n") if known.exists() else []
        if not failed:
            batches.pop(0)
        elif failed in sound:
            return failed
        elif _failed(path, whole, [failed]):  # it fails without the fault too
            passed_over += ["--deselect", failed]
        else:
            with known.open("a", encoding="utf-8") as out:
                out.write(f"{failed}\n")
            return failed
    return ""


class _Watch:
    """Passes over tests that are themselves marked slow, not those of slow files, and remembers the first that fails."""

    failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            one for one in items if "slow" not in {m.name for m in getattr(getattr(one, "obj", None), "pytestmark", ())}
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid or "collection"


def _failed(path: Path, source: str, tests: list[str]) -> str:
    """Run tests with a module as it is told; return the first that fails, nothing where all pass."""
    path.write_text(source, encoding="utf-8")
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        cached.unlink()
    for name in [
        one for one in sys.modules if one.split(".")[0] in ("beatpath", "helpers", "tests", "conftest", "src")
    ]:
        del sys.modules[name]  # also the test files, which hold what they imported
    importlib.invalidate_caches()
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is loaded already
    watch, said = _Watch(), io.StringIO()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)  # work alone counts: the machine may be busy
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pytest.main([*options, *tests], plugins=[watch])
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return watch.failed or f"pytest ended with {code}: {said.getvalue()[-300:]}"


def _copy(to: Path) -> Path:
    """Copy what git holds or would hold, and compile it."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    compileall.compile_dir(to / "src", quiet=2)
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
    parser.add_argument(
        "--these", type=Path, help="a file with the names of faults to try, one a line, in place of a draw"
    )
    parser.add_argument("--list", action="store_true", help="only print the faults that would be tried")
    options = parser.parse_args()
    todo = drawn(options.number if options.these is None else sys.maxsize, options.seed, options.only)
    if options.these is not None:
        wanted = options.these.read_text(encoding="utf-8").splitlines()
        todo = [one for one in todo if one.name in wanted]
    if options.list:
        print("\n".join(one.name for one in todo))
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = BUILD / f"tried-{options.seed}.jsonl"
    found = _done(kept)
    waiting = [one for one in todo if one.name not in found]
    with tempfile.TemporaryDirectory() as folder:
        forked = Forked(Path(folder), options.jobs)
        while waiting or forked.running:
            while waiting and forked.free:
                forked.start(waiting.pop(0))
            fault, by, seconds = forked.next()
            found[fault.name] = by
            with kept.open("a", encoding="utf-8") as out:
                one = {"fault": fault.name, "line": fault.line, "noticed": by, "seconds": round(seconds, 1)}
                out.write(json.dumps(one) + "\n")
            word = "out of time" if by == "out of time" else "noticed" if by else "SURVIVED"
            print(f"{word:12}{fault.name} (line {fault.line}, {seconds:.0f} s)", flush=True)
    tried = [found[one.name] for one in todo]
    survived, late = tried.count(""), tried.count("out of time")
    share = survived / max(len(todo), 1)
    print(
        f"{survived} of {len(todo)} faults survived ({share:.1%}), seed {options.seed}; {late} ran out of time, and count as noticed."
    )
    return int(survived > ALLOWED * len(todo))


if __name__ == "__main__":
    sys.exit(main())
