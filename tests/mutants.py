"""Mutation testing: puts small faults into the package one at a time, each tried against tests that execute its line.

Run      make mutants            (about an hour on one core; no part of the test run)
         python tests/mutants.py --number 20 --only inference/ranks/critical.py

The faults (`helpers.faults`) are a random sample by a seed, with a few from every package at least. Each is written into a
copy of the tree and tried against tests and doctests that execute its line (`helpers.reach`, which records these once), the nearest
and quickest first, for up to `SECONDS` of tests; those that are themselves marked slow are left out. A test that fails, or tests
that do not end, detect it. Results are saved under ``build/mutants``: a run that was interrupted resumes. A fault that changes no answer cannot be detected:
`EQUIVALENT` and `SPEED` list these with the reason, and they are not sampled. The exit status is 1 when more than 5 % survive.

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
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
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
from helpers.reach import PACKAGE, Executed, record, sources, tests_of

LOADED = (hypothesis.strategies, numpy.testing, scipy.optimize, scipy.sparse.csgraph, scipy.stats)
BUILD = ROOT / "build" / "mutants"
SECONDS = 20  # of tests that a fault is tried against, as recorded
FIRST = 20  # tests tried before the files of all others are loaded
LIMIT = 120  # seconds of processor time after which tests with a fault do not end
HANGS = 400  # seconds after which nothing will come: a deadlock, say
ALLOWED = 0.05  # share that may survive
LEAST = 3  # faults sampled from a package
LATE, UNREACHED = "out of time", "UNREACHED"  # results without a test
BROKEN = "not tried: "  # beginning of the result of a process that could not run its tests

LEFT_OUT = (  # beginnings of modules without faults
    "_version.py",  # a name
    "methods/differentiable/triton",  # run on a GPU alone
    "methods/differentiable/gpu",
)
PICTURES = ("reports/figures/", "reports/drawing/")  # whose numbers are sizes in pixels: only their logic is tried
NEVER_MET = (
    "rng.random(",
    "1e-",
)  # bounds that no value meets exactly: whether a comparison with them is strict changes nothing

DIGITS = "in rounded("  # how many digits a sentence shows

EQUIVALENT = {  # faults that change no answer, by function and fault wherever the function stands, and why
    "_with_the_others: 0.5 -> 0.0 in outcome[own] > 0.5": "only decided votes count, which are 0 or 1",
    "run_effects: p_value < LARGEST_P -> p_value <= LARGEST_P": "no p-value meets the bound exactly",
    "_pair_levels: ladder.share < 1 -> ladder.share <= 1": "draws numbers that nothing uses",
    "Goal.missing: LEAST * board.information + 1e-09 -> LEAST * board.information - 1e-09": "what a pair lacks is above both",
    "wsco: 1 -> 0 in initial=1": "there is a ballot that ranks someone",
    "_ranked: 1 -> 0 in axis=1 (2)": "who is together is symmetric",
    "Battles.__post_init__: 0.0 -> 1.0 in initial=0.0": "an outcome below 0 is below both",
    "symmetric_equilibrium: 0.0 -> 1.0 in min(0.0, float((best @ M).min()))": "the value of the game is 0, so the least payoff is not above it",
    "_control_group: float(most) > 2 ** 60 -> float(most) >= 2 ** 60": "no limit is exactly 2^60",
    "compared_runs: scores.value * scores.sign() -> scores.value / scores.sign()": "a sign is 1 or -1",
    "effective_clusters: part.sign > 0 -> part.sign >= 0": "a sign is 1 or -1",
    "_probed: 2 * part.sign -> 2 / part.sign": "a sign is 1 or -1",
    "WinRateEstimate.covariance: 0 -> 1 in L.shape[0]": "how many clusters are held at a time",
    "Matched.difference: self.sign * x -> self.sign / x": "a sign is 1 or -1",
    "Matched.difference: self.sign * y -> self.sign / y": "a sign is 1 or -1",
    "WinRateEstimate.degrees: 0 -> 1 in weight.shape[0] (2)": "how many clusters are held at a time",
    "ContextFeatures._columns: 0 -> 1 in [0]": "of a factor without levels, all of whose rows are masked",
    "_averaged_worlds: max -> min in max((one.evidence for one, _ in pure))": "a lower floor only searches more",
    "alpha: expected > CERTAIN -> expected >= CERTAIN": "no expected agreement meets the bound exactly",
    "fastest: 1 -> 0 in axis=1": "what is missing between two agents is symmetric",
    "_all_whole: 0.0 -> 1.0 in initial=0.0": "both are exact",
    "ArenaClient.ask: 16 -> 17 in secrets.token_hex(16)": "how long a random key is",
    "_only_battle_of_cluster: 1 -> 0 in minlength=1": "only an empty part has fewer counts, and no row",
    "_outcome_table: 0.0 -> 1.0 in initial=0.0": "the least of counts and 1 is negative where one of the counts is",
    "_outcome_table: 0.0 -> 1.0 in initial=0.0 (2)": "the largest of counts and 1 is infinite where one of the counts is",
    "_votes: np.maximum(many - 1, 1) -> many - 1": "not used where there is no second vote",
    "_steady: 0 -> 1 in r.calibration or 0": "the same in every epoch, and only changes count",
    "_steady: 0 -> 1 in r.sharpness or 0": "the same in every epoch, and only changes count",
    "_individualized: 2 * color + 1 -> 2 * color - 1": "colors are numbered anew in the same order",
    "temperature_scaling: 2 -> 3 in high *= 2": "how wide a bracket of the root is",
    "Numbers: True -> False in cache_ok = True": "whether a compiled statement is used again",
    "design_effect: own.judge[parts.cell] * (int(parts.cluster.max()) + 1) + parts.cluster -> "
    "own.judge[parts.cell] * (int(parts.cluster.max()) + 1) - parts.cluster": "codes count by which are equal",
    "deviation_ratings: 0 -> 1 in gains[0]": "all players have the same outcomes",
    "sparse_uncovered_set: 0 -> 1 in wins.shape[0]": "a square matrix",
    "_tallied: n * n -> n": "how many battles are counted at a time",
    "train: 0 -> 1 in (list[Epoch](), Status.LIMIT, 0, float('inf'))": "the first epoch that counts replaces it",
    "_saddlepoint: np.maximum -> np.minimum (3)": "bisection takes the place of Newton's steps",
    "_fits: new - truth[:, going] -> new": "more rounds of EM than are needed",
    "_saddlepoint: low + high -> low": "bisection takes the place of some of Newton's steps",
    "_fits: np.abs(new - truth[:, going]) -> new - truth[:, going]": "changes of probabilities add up to zero",
    "read_payoff: (diagonal == 0).all -> (diagonal == 0).any (2)": "there all are zero, or none",
    "WinTable.near: self.won + self.prior.wins -> self.won": "where Newton's method starts",
    "Arena._tell_all: True -> False in together=True": "which writers of PostgreSQL wait for others",
    "lattice_points: step[axis] > finest -> step[axis] >= finest": "a finer lattice than is needed",
    "population: _case(one, other) -> _case(other, one)": "two electorates have no order",
    "Battles.__post_init__: 1 -> 0 in self.outcome.max(initial=0.0) <= 1": "then every row is looked at, which decides",
    "_likeliest: 1.0 -> 0.0 in -1.0": "every pair has some probability",
    "centered_inverse: max(float(information.diagonal().mean()), 1e-300) / n -> "
    "max(float(information.diagonal().mean()), 1e-300)": "as the next",
    "centered_inverse: max(float(information.diagonal().mean()), 1e-300) / n -> "
    "max(float(information.diagonal().mean()), 1e-300) * n": "any factor that is added between all agents gives the same inverse",
    "run: 2 -> 3 in timeout_graceful_shutdown=2": "seconds that requests have to end when the server stops",
}
SPEED = {  # functions in which some faults choose only how an answer is computed or how many wait, by words of the fault
    "WinTable._step": ("DENSE",),
    "perron": ("DENSE",),
    "_Search.descended": ("REACH",),
    "gram": ("FULL", "X.shape", "np.diff"),
    "_gram": ("0.05", "4000000"),
    "edge_cycles": ("DENSE", "n_agents ** 3"),
    "_blocks": ("CELLS", "columns"),
    "_weighed": ("MANY",),
    "_newton": ("downhill",),
    "_equal_lengths": ("size - 1", "_CHUNK"),
    "above_frequencies": ("n * n", "MOST_COMPARED"),
    "module": (
        "<<",
        "(30, 0.0001, 1e-07)",
        "CELLS",
        "BLOCK",
        "MOST_STEPS",
        "ROUNDS",
        "in (12, 10.0)",
        "STEPS = 60",
        "(40, 1e-05)",
        "PATIENCE",
        "FARTHEST",
        "(0.02, 4.0, 21)",
    ),
    "largest_statistic": ("SPARSE",),
    "Pairs.from_outcomes": ("28",),
    "count_groups": ("os.cpu_count()",),
    "offered": ("12",),
}


def sample(number: int, seed: int, only: str | None) -> list[Fault]:
    """Return a random sample of the faults that are not known to change nothing, with a few from every package."""
    by_package: dict[str, list[Fault]] = {}
    for path in sources():
        module = path.relative_to(PACKAGE).as_posix()
        if (only is None or module.startswith(only)) and not module.startswith(LEFT_OUT):
            text = path.read_text(encoding="utf-8")
            possible = faults(module, text, numbers=not module.startswith(PICTURES))
            package = module.split("/")[0] if "/" in module else ""
            by_package.setdefault(package, []).extend(one for one in possible if not changes_nothing(one))
    rng, chosen = random.Random(seed), []
    for some in by_package.values():
        rng.shuffle(some)
        chosen += some[:LEAST]
    rest = [one for some in by_package.values() for one in some[LEAST:]]
    rng.shuffle(rest)
    return (chosen + rest)[:number]


def changes_nothing(fault: Fault) -> bool:
    """Return whether a fault is known to change no answer."""
    before, _, after = fault.text.partition(" -> ")
    only_strict = before.replace("=", "") == re.sub(r" \(\d+\)$", "", after).replace("=", "")
    return (
        f"{fault.function}: {fault.text}" in EQUIVALENT
        or any(words in fault.text for words in SPEED.get(fault.function, ()))
        or DIGITS in fault.text
        or (only_strict and any(words in before for words in NEVER_MET))
    )


class Forked:
    """Processes that each try one fault in a copy of the tree of their own."""

    def __init__(self, folder: Path, jobs: int, executed: list[Executed]) -> None:
        self.free = [_copy(folder / str(k)) for k in range(jobs)]
        self.executed = executed
        self.running: dict[int, tuple[Path, Fault, float, Path]] = {}

    def start(self, fault: Fault) -> None:
        """Try a fault in a process of its own."""
        tree, tests = self.free.pop(), tests_of(fault.module, fault.line, self.executed, SECONDS)
        report = tree / "detected.json"
        report.unlink(missing_ok=True)
        process = os.fork()
        if not process:
            os.setsid()
            try:
                report.write_text(json.dumps(detected(tree, fault, tests)), encoding="utf-8")
            except BaseException:  # noqa: BLE001 (whatever it is, the run must stop for it)
                report.write_text(json.dumps(f"{BROKEN}{traceback.format_exc()}"), encoding="utf-8")
            finally:
                os._exit(0)
        self.running[process] = (tree, fault, time.monotonic(), report)

    def next(self) -> tuple[Fault, str, float]:
        """Wait for a process to end or to run out of time; return its fault, the test that detected it, and the seconds."""
        while True:
            process, _ = os.waitpid(-1, os.WNOHANG)
            late = [one for one, (_, _, start, _) in self.running.items() if time.monotonic() - start > HANGS]
            for one in late:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(one, signal.SIGKILL)
            if process in self.running:
                tree, fault, start, report = self.running.pop(process)
                self.free.append(tree)
                by = json.loads(report.read_text(encoding="utf-8")) if report.exists() else LATE
                if by.startswith(BROKEN):
                    raise RuntimeError(by)
                shutil.copy2(PACKAGE / fault.module, tree / "src" / "beatpath" / fault.module)
                return fault, by, time.monotonic() - start
            time.sleep(0.05)


def detected(tree: Path, fault: Fault, tests: list[str]) -> str:
    """Put the fault into a copy of the tree; return the test that fails, or nothing where it survives. For a process of its own."""
    path = tree / "src" / "beatpath" / fault.module
    whole, faulty = path.read_text(encoding="utf-8"), fault.source()
    os.chdir(tree)
    os.environ |= {"CI": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(tree / "src")}
    whose = {"", str(ROOT), str(ROOT / "src"), str(ROOT / "tests")}  # an environment may lie below them
    sys.path[:] = [str(tree / "src"), str(tree / "tests"), *(one for one in sys.path if one not in whose)]
    sys.dont_write_bytecode = True
    survived = "" if tests else UNREACHED
    for batch in (tests[:FIRST], tests[FIRST:]):
        while failed := _failed(path, faulty, batch):
            mine = [one for one in batch if one == failed or one.startswith(f"{failed}::")] or batch
            if not _failed(path, whole, mine):
                return failed
            batch = [one for one in batch if one not in mine]  # these fail without the fault too
    return survived


class _Chosen:
    """Runs tests in this order; remembers the first that fails."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: k for k, test in enumerate(tests)}
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid or "collection"


def _failed(path: Path, source: str, tests: Sequence[str]) -> str:
    """Run tests with this source of a module; return the first that fails, nothing where all pass."""
    if not tests:
        return ""
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
    chosen, output = _Chosen(tests), io.StringIO()
    # modules with doctests last: loading one shadows a function that its package has under the same name
    files = sorted(dict.fromkeys(test.split("::")[0] for test in tests), key=lambda file: file.startswith("src/"))
    signal.setitimer(signal.ITIMER_PROF, LIMIT)  # processor time: the machine may be busy
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = pytest.main([*options, *files], plugins=[chosen])
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return chosen.failed or f"pytest ended with {code}: {output.getvalue()[-300:]}"


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


def _results(path: Path) -> dict[str, str]:
    """Return the results of a run that was interrupted."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {one["fault"]: one["detected"] for one in map(json.loads, lines)}


def main() -> int:
    """Try the faults, print the result of each, and count those that survive."""
    parser = argparse.ArgumentParser(description="Put faults into every package and see whether tests detect them.")
    parser.add_argument("--number", type=int, default=200, help="faults to try [200]")
    parser.add_argument("--seed", type=int, default=0, help="of the sample [0]")
    parser.add_argument("--jobs", type=int, default=1, help="faults tried at a time [1]")
    parser.add_argument("--only", help="modules whose path begins so, as inference/ranks/critical.py")
    parser.add_argument(
        "--these", type=Path, help="a file with the names of faults to try, one a line, in place of a sample"
    )
    parser.add_argument("--list", action="store_true", help="only print the faults that would be tried")
    options = parser.parse_args()
    todo = sample(options.number if options.these is None else sys.maxsize, options.seed, options.only)
    if options.these is not None:
        wanted = options.these.read_text(encoding="utf-8").splitlines()
        todo = [one for one in todo if one.name in wanted]
    if options.list:
        print("\n".join(one.name for one in todo))
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    saved = BUILD / f"tried-{options.seed if options.these is None else options.these.stem}.jsonl"
    results = _results(saved)
    waiting = [one for one in todo if one.name not in results]
    with tempfile.TemporaryDirectory() as folder:
        forked = Forked(Path(folder), options.jobs, record() if waiting else [])
        while waiting or forked.running:
            while waiting and forked.free:
                forked.start(waiting.pop(0))
            fault, by, seconds = forked.next()
            results[fault.name] = by
            with saved.open("a", encoding="utf-8") as out:
                one = {"fault": fault.name, "line": fault.line, "detected": by, "seconds": round(seconds, 1)}
                out.write(json.dumps(one) + "\n")
            word = by if by in (LATE, UNREACHED) else "detected" if by else "SURVIVED"
            print(f"{word:12}{fault.name} (line {fault.line}, {seconds:.0f} s)", flush=True)
    tried = [results[one.name] for one in todo]
    unreached, late = tried.count(UNREACHED), tried.count(LATE)
    survived = tried.count("") + unreached
    share = survived / max(len(todo), 1)
    print(
        f"{survived} of {len(todo)} faults survived ({share:.1%}), seed {options.seed}; {unreached} of these are on lines that no "
        f"test executes. {late} ran out of time, and count as detected."
    )
    return int(survived > ALLOWED * len(todo))


if __name__ == "__main__":
    sys.exit(main())
