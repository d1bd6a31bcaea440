"""Which functions of the package every test runs: recorded once, test file by test file, so that a fault meets the tests that can see it."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import pytest

from helpers.paths import ROOT

PACKAGE = ROOT / "src" / "beatpath"
LEFT_OUT = ("tests/browser", "tests/reproductions", "tests/test_memory.py", "tests/test_typing.py")  # slow, or timed


class Recorded(NamedTuple):
    """A test: the seconds it took while it was recorded, and the functions it ran."""

    seconds: float
    functions: frozenset[str]


def place(folder: Path, file: str) -> Path:
    """Return where the record of a test file is kept; another content is another record."""
    digest = sha256((ROOT / file).read_bytes()).hexdigest()[:12]
    return folder / f"{file.replace('/', '+')}.{digest}.json"


def files() -> list[str]:
    """Return the files whose tests are recorded: test files and modules with doctests, relative to the project."""
    found = [*(ROOT / "tests").rglob("test_*.py"), *PACKAGE.rglob("*.py")]
    names = (path.relative_to(ROOT).as_posix() for path in found if "triton_" not in path.name)
    return sorted(name for name in names if not name.startswith(LEFT_OUT))


def record(folder: Path) -> None:
    """Run every test that is not slow and not recorded yet, and keep what each runs."""
    folder.mkdir(parents=True, exist_ok=True)
    todo = [name for name in files() if not place(folder, name).exists()]
    todo = [name for name in todo if name.startswith("tests/") or ">>>" in (ROOT / name).read_text(encoding="utf-8")]
    if todo:
        options = [
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-m",
            "not slow",
            "--no-header",
            "--tb=no",
            "-r",
            "N",
        ]
        pytest.main([*options, *todo], plugins=[_Recorder(folder)])


def recorded(folder: Path) -> dict[str, Recorded]:
    """Return every test that passed, by its name without parameters."""
    found = {}
    for name in files():
        if (path := place(folder, name)).exists():
            for test, (seconds, functions) in json.loads(path.read_text(encoding="utf-8")).items():
                found[test] = Recorded(seconds, frozenset(functions))
    return found


def function_of(code: CodeType) -> str | None:
    """Return the function that code belongs to, as ``ranks/critical.py Class.method``; nothing for code outside the package."""
    if not code.co_filename.startswith(str(PACKAGE)):
        return None
    outermost = code.co_qualname.split(".<locals>")[0]
    module = Path(code.co_filename).relative_to(PACKAGE).as_posix()
    return None if outermost.startswith("<") else f"{module} {outermost}"


class _Recorder:
    """Traces calls while a test runs; writes a file of tests when the next begins."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file, self.tests, self.failed = folder, "", {}, set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        name = item.nodeid.split("[")[0]
        file = name.split("::")[0]
        if file != self.file:
            self._write()
            self.file = file
        seen: dict[int, CodeType] = {}

        def called(frame: FrameType, _event: str, _argument: object) -> None:
            seen[id(frame.f_code)] = frame.f_code

        before = time.perf_counter()
        sys.settrace(called)
        threading.settrace(called)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
        seconds, functions = self.tests.get(name, (0.0, set()))
        functions |= {one for one in map(function_of, seen.values()) if one is not None}
        self.tests[name] = (seconds + time.perf_counter() - before, functions)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid.split("[")[0])

    def pytest_sessionfinish(self) -> None:
        self._write()

    def _write(self) -> None:
        if self.file:
            kept = {name: (round(s, 3), sorted(f)) for name, (s, f) in self.tests.items() if name not in self.failed}
            place(self.folder, self.file).write_text(json.dumps(kept), encoding="utf-8")
        self.tests = {}
