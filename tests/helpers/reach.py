"""Which tests execute which lines of the package: recorded by a tracer for one test file at a time and saved under ``build``.

This module is a plugin of the pytest process that records (`record` starts it) and is loaded by the Python processes that tests
start, so it imports little.
"""

import ast
import atexit
import hashlib
import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from helpers.paths import ROOT, TESTS

PACKAGE = ROOT / "src" / "beatpath"
LINES = ROOT / "build" / "mutants" / "lines"  # one file for each test file
LEFT_OUT = (
    "tests/browser",
    "tests/reproductions",
    "tests/test_rooms.py",
)
PER_FILE, PER_TEST = 0.3, 0.005  # seconds that pytest itself takes for a test file and for a test
BUDGET = 20  # seconds after which the remaining tests of a file are not recorded
OPTIMIZED = 1  # flag of code that belongs to a function, not to a module or a class
ENDED = (0, 1, 5)  # exit codes of pytest: all passed, some failed, all were deselected
FOLDER = "BEATPATH_LINES"  # environment variable: where processes that tests start leave the lines they executed


class Executed(NamedTuple):
    """What one test executes: the seconds of processor time it takes, and the lines by module."""

    test: str
    seconds: float
    lines: dict[str, list[int]]


class Tracer:
    """Records the lines of functions of the package that are executed; follows a function only until each of its lines has been."""

    def __init__(self) -> None:
        self.lines: dict[CodeType, set[int]] = {}
        sys.settrace(self)
        threading.settrace(self)

    def __call__(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        total = _length(code)
        if not total:
            return None
        lines = self.lines.setdefault(code, set())
        lines.add(code.co_firstlineno)
        if len(lines) == total:
            return None

        def local(frame: FrameType, event: str, arg: object) -> Any:
            lines.add(frame.f_lineno)
            frame.f_trace_lines = len(lines) < total
            return local

        return local

    def by_module(self) -> dict[str, list[int]]:
        """Return the lines by module, and forget them."""
        executed: dict[str, set[int]] = {}
        for code, lines in list(self.lines.items()):
            executed.setdefault(code.co_filename.removeprefix(f"{PACKAGE}/"), set()).update(lines)
        self.lines.clear()
        return {module: sorted(lines) for module, lines in executed.items()}


@cache
def _length(code: CodeType) -> int:
    """Return how many lines a function of the package has; 0 for other code."""
    if not code.co_flags & OPTIMIZED or not code.co_filename.startswith(f"{PACKAGE}/"):
        return 0
    return len({code.co_firstlineno, *(line for _, _, line in code.co_lines() if line)})


class Recorder:
    """A pytest plugin that saves what the tests of each file execute, in this process and in those they start."""

    def __init__(self) -> None:
        self.tracer = Tracer()
        self.folder = Path(os.environ[FOLDER])
        (self.folder / "sitecustomize.py").write_text("from helpers.reach import leave_lines\nleave_lines()\n")
        os.environ["PYTHONPATH"] = f"{self.folder}{os.pathsep}{os.environ['PYTHONPATH']}"
        self.tests: list[Executed] = []
        self.passed, self.start, self.begun = True, 0.0, _seconds()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what is itself marked slow or nightly; of the tests in slow files most are fast."""
        own = [{mark.name for mark in getattr(getattr(one, "obj", None), "pytestmark", ())} for one in items]
        pairs = zip(items, own, strict=True)
        items[:] = [one for one, marks in pairs if "slow" not in marks and not one.get_closest_marker("nightly")]

    def pytest_runtest_setup(self) -> None:
        if _seconds() - self.begun > BUDGET:
            import pytest

            pytest.skip("the tests recorded of this file have taken long enough")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self.tests and _file(self.tests[-1].test) != _file(nodeid):
            self.save()
        self.passed, self.start = True, _seconds()
        self.tracer.by_module()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.passed &= report.passed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        seconds, lines = _seconds() - self.start, self.tracer.by_module()
        for path in self.folder.glob("*.json"):
            for module, more in json.loads(path.read_text()).items():
                lines[module] = sorted({*lines.get(module, ()), *more})
            path.unlink()
        self.tests.append(Executed(nodeid, round(seconds, 3), lines if self.passed else {}))

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        if self.tests:
            self.save()

    def save(self) -> None:
        """Write what the tests of one file executed, with the texts it depends on."""
        file = _file(self.tests[0].test)
        modules = {f"src/beatpath/{module}" for one in self.tests for module in one.lines}
        texts = {name: _digest(name) for name in {file, *modules}}
        saved = {"texts": texts, "tests": [one for one in self.tests if one.lines]}
        (LINES / file.replace("/", "+")).with_suffix(".json").write_text(json.dumps(saved), encoding="utf-8")
        self.tests, self.begun = [], _seconds()


def _seconds() -> float:
    """Return the processor time of this process and of those it waited for: the machine may be busy."""
    return sum(os.times()[:4])


def pytest_configure(config: Any) -> None:
    """Record in this process of pytest."""
    config.pluginmanager.register(Recorder())


def leave_lines() -> None:
    """Record in a Python process that a test started; leave the lines when it ends."""
    tracer, path = Tracer(), Path(os.environ[FOLDER]) / f"{os.getpid()}.json"

    def leave() -> None:
        sys.settrace(None)
        path.with_suffix(".part").write_text(json.dumps(tracer.by_module()))
        path.with_suffix(".part").replace(path)  # the test may look at any time

    atexit.register(leave)


def record() -> list[Executed]:
    """Run tests and doctests of files that have not been recorded as they are now; return what every test executes."""
    LINES.mkdir(parents=True, exist_ok=True)
    files = [path.relative_to(ROOT).as_posix() for path in [*TESTS.rglob("test_*.py"), *sources()]]
    files = sorted(one for one in files if not one.startswith(LEFT_OUT) and (one[0] == "t" or _has_doctests(one)))
    missing = [one for one in files if not _current(one)]
    if missing:
        folder = LINES / "processes"
        folder.mkdir(exist_ok=True)
        paths = f"{ROOT / 'src'}{os.pathsep}{TESTS}"
        variables = {FOLDER: str(folder), "PYTHONPATH": paths, "CI": "1", "OPENBLAS_NUM_THREADS": "1"}
        options = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # this module is loaded already
        command = [sys.executable, "-m", "pytest", *options, "-p", "helpers.reach", *missing]
        code = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False).returncode
        if code not in ENDED:
            raise RuntimeError("the tests could not be recorded; see above")
        for one in missing:  # a file without a test that passes is not tried again
            if not _current(one):
                _saved(one).write_text(json.dumps({"texts": {one: _digest(one)}, "tests": []}), encoding="utf-8")
    saved = [json.loads(_saved(one).read_text(encoding="utf-8")) for one in files if _saved(one).exists()]
    return [Executed(*test) for one in saved for test in one["tests"]]


def _saved(file: str) -> Path:
    return (LINES / file.replace("/", "+")).with_suffix(".json")


def _current(file: str) -> bool:
    """Return whether a test file has been recorded and neither it nor what it executes has changed since."""
    if not _saved(file).exists():
        return False
    texts = json.loads(_saved(file).read_text(encoding="utf-8"))["texts"]
    return all(_digest(name) == digest for name, digest in texts.items())


@cache
def _digest(name: str) -> str:
    path = ROOT / name
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else ""


def _file(test: str) -> str:
    return test.split("::")[0]


def _has_doctests(file: str) -> bool:
    return ">>>" in (ROOT / file).read_text(encoding="utf-8")


def tests_of(module: str, line: int, executed: list[Executed], seconds: float) -> list[str]:
    """Return tests to try for a fault on a line of a module: those that execute it, then others of the same files.

    The nearest to the module come first, among these the quickest, until they would take so many seconds. The others are
    there because a result that a file computes once is recorded for the first test alone. Of a line that no test is seen to
    execute, as in compiled functions, they are the tests that execute any of the module.
    """
    lines = _lines_for(module, line)
    for wanted in ({line} & lines, lines, None):
        mine = ((one.test, one.lines[module]) for one in executed if module in one.lines)
        direct = {test for test, some in mine if wanted is None or not wanted.isdisjoint(some)}
        if direct:
            break
    files = {_file(test) for test in direct}
    candidates = sorted(
        (one for one in executed if _file(one.test) in files),
        key=lambda one: (one.test not in direct, -_shared(_file(one.test), module), one.seconds),
    )
    chosen: dict[str, str] = {}
    for one in candidates:
        file = _file(one.test)
        seconds -= one.seconds + PER_TEST + PER_FILE * (file not in chosen.values())
        if seconds < 0 and chosen:
            break
        chosen[one.test] = file
    return list(chosen)


def _lines_for(module: str, line: int) -> set[int]:
    """Return lines that are executed when an expression on a line is used.

    In a function these are the lines of its statement, without the statements inside; elsewhere, where code is executed on import,
    the lines that use the name which is assigned there, or all lines where it is not used in this module.
    """
    text = (PACKAGE / module).read_text(encoding="utf-8")
    tree, inside, statement = ast.parse(text), False, None
    for node in ast.walk(tree):  # outer before inner
        if isinstance(node, ast.stmt) and _begin(node) <= line <= (node.end_lineno or node.lineno):
            statement = node
            inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if inside and statement is not None:
        body = getattr(statement, "body", [])
        return set(range(_begin(statement), (_begin(body[0]) if body else (statement.end_lineno or line) + 1)))
    names = {
        one.id for one in ast.walk(statement or tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    uses = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        if (node.id if isinstance(node, ast.Name) else node.attr) in names
    }
    return uses or set(range(1, text.count("\n") + 2))


def _begin(statement: ast.stmt) -> int:
    """Return the first line of a statement, decorators included."""
    return min(one.lineno for one in (statement, *getattr(statement, "decorator_list", ())))


def _shared(file: str, module: str) -> int:
    """Return how many folders and names a test file has in common with a module, from the top."""
    ours = module.removesuffix(".py").lstrip("_").split("/")
    theirs = (
        file.removeprefix("tests/").removeprefix("src/beatpath/").removesuffix(".py").replace("test_", "").split("/")
    )
    pairs = zip(ours, theirs, strict=False)
    return next((k for k, (one, other) in enumerate(pairs) if one != other), min(len(ours), len(theirs)))


def sources() -> list[Path]:
    """Return every module of the package."""
    return sorted(PACKAGE.rglob("*.py"))
