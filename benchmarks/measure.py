"""What every area does alike: fresh processes in the environment that has the library, rows of results, machine and versions."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OURS = "beatpath"
NOT_HERE = "not installed"
COUNTS = Path("chatbot_arena_20240814_counts/pair_counts.csv")  # in the folder of data sets
NO_TIME = "not run: no time left"
MAKING = 1e-6  # seconds that a battle in a file takes to be made, on two idle cores


@dataclass(frozen=True)
class Row:
    """One library on one case.

    Attributes
    ----------
    case, route : str
        The task, and who solved it; routes of this package begin with its name.
    seconds : tuple of float
        Wall seconds of every call that counts; empty where there was no answer, for which `note` has the reason.
    cpu : float, optional
        Processor seconds of all threads, the median.
    peak, added : float, optional
        Most memory the process held, in MB, and what the calls added to what stood before.
    answer : str
        How the answer compares with ours.
    agrees : bool
        False where it should be the same and is not.
    note : str
        Why there is no time, or what to know of it.
    work, size, axis : str, float, str
        The panel of a picture, and where on which axis.
    """

    case: str
    route: str
    seconds: tuple[float, ...] = ()
    cpu: float | None = None
    peak: float | None = None
    added: float | None = None
    answer: str = ""
    agrees: bool = True
    note: str = ""
    work: str = ""
    size: float | None = None
    axis: str = ""

    @property
    def median(self) -> float | None:
        """The median of the seconds; None without any."""
        return statistics.median(self.seconds) if self.seconds else None

    @property
    def ours(self) -> bool:
        """Whether this package answered."""
        return self.route.startswith(OURS)


@dataclass(frozen=True)
class Goal:
    """A figure that was to be reached."""

    what: str
    value: float
    limit: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether it was."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def options(parser: argparse.ArgumentParser) -> None:
    """Add what every area takes."""
    parser.add_argument("--quick", action="store_true", help="small cases, to see that it works")
    parser.add_argument("--dir", type=Path, default=Path("build/bench"), help="where files are made and stored")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="where data sets lie, if anywhere")
    parser.add_argument("--peers", action="append", default=[], help="a Python that has peers; may be repeated")
    parser.add_argument("--repeats", type=int, default=3, help="timed calls or processes a cell")
    parser.add_argument("--limit", type=float, default=120, help="seconds one cell may take")
    parser.add_argument("--minutes", type=float, help="how long all may take; by default 50, with --quick 5")
    parser.add_argument(
        "--before", type=Path, help="the sources of another version, for the areas that compare with one"
    )
    parser.set_defaults(until=float("inf"))  # when the time is over, on the clock of `time.monotonic`
    parser.add_argument("--wait", type=float, default=0, help="seconds to wait, at most, for idle cores before a cell")


def seconds_left(given: argparse.Namespace) -> float:
    """How long a cell may take: its limit, or less where the time is nearly over."""
    return min(given.limit, given.until - time.monotonic())


def ask(given: argparse.Namespace, module: str, *words: object, needs: str = OURS) -> dict[str, Any] | str:
    """Run one cell in a fresh process of a Python that has what it needs; a word where it gave no answer."""
    python = python_with(needs, (sys.executable, *given.peers))
    if python is None:
        return NOT_HERE
    settle(given.wait)
    limit = seconds_left(given)
    if limit <= 0:
        return NO_TIME
    command = [python, str(HERE / "cell.py"), module, *map(str, words)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"over {limit:.0f} s"
    if done.returncode or not done.stdout.strip():
        lines = done.stderr.strip().splitlines() or ["killed"]
        short = any(word in line for line in lines for word in ("emory", "bad_alloc", "killed"))
        return "no memory" if short else f"failed: {lines[-1][:80]}".replace("|", "/")
    answer = json.loads(done.stdout.splitlines()[-1])
    return "no adapter" if answer is None else answer


def whole(given: argparse.Namespace, *words: object) -> dict[str, Any] | str:
    """Run this Python with some words as a whole process, several times, from outside; a word where it gave no answer."""
    measurement: dict[str, Any] = {"seconds": [], "cpu": [], "before": 0.0, "peak": 0.0}
    command = [sys.executable, *map(str, words)]
    for _ in range(given.repeats):
        if seconds_left(given) <= 0:
            break
        settle(given.wait)
        begin = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            _, status, spent = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return f"exit status {process.returncode}"
        measurement["seconds"].append(time.perf_counter() - begin)
        measurement["cpu"].append(spent.ru_utime + spent.ru_stime)
        measurement["peak"] = max(
            measurement["peak"], spent.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
        )
    return measurement if measurement["seconds"] else NO_TIME


def patient(given: argparse.Namespace, limit: float) -> argparse.Namespace:
    """The same with another limit for a cell, still within the time of all."""
    return argparse.Namespace(**vars(given) | {"limit": limit})


def time_for(given: argparse.Namespace, battles: int) -> bool:
    """Whether there is time to make a file of so many battles and to do as much again with it."""
    return given.until - time.monotonic() > 2 * MAKING * battles


def battles(given: argparse.Namespace, *size: int) -> str:
    """The path of a file of battles, agents and perhaps clusters; made, if need be, by a process of its own."""
    command = [sys.executable, str(HERE / "make.py"), str(given.dir), *map(str, size)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def row(case: str, route: str, measurement: dict[str, Any] | str, **more: Any) -> Row:
    """A row of what a cell measured."""
    if isinstance(measurement, str):
        return Row(
            case, route, note=measurement, **{k: v for k, v in more.items() if k not in ("answer", "agrees", "note")}
        )
    added = max(measurement["peak"] - measurement["before"], 0.0)
    cpu = statistics.median(measurement["cpu"])
    return Row(case, route, tuple(measurement["seconds"]), cpu, measurement["peak"], added, **more)


@lru_cache
def python_with(module: str, pythons: tuple[str, ...]) -> str | None:
    """The first of these Pythons that can import a module."""
    look = f"import sys, importlib.util as u; sys.exit(u.find_spec({module!r}) is None)"
    return next((p for p in pythons if not subprocess.run([p, "-c", look], check=False).returncode), None)


def settle(longest: float) -> None:
    """Wait until nine tenths of all cores are idle, or long enough."""
    end = time.monotonic() + longest
    while time.monotonic() < end and idle_cores() < 0.9 * (os.cpu_count() or 1):
        pass


def idle_cores(seconds: float = 1.0) -> float:
    """How many cores were idle over this time; all of them where the system does not tell."""
    try:
        then = Path("/proc/stat").read_text().split()
        time.sleep(seconds)
        now = Path("/proc/stat").read_text().split()
    except OSError:
        return float(os.cpu_count() or 1)
    return (int(now[4]) - int(then[4])) / os.sysconf("SC_CLK_TCK") / seconds


def machine() -> dict[str, str]:
    """Cores, processor, memory and load, as far as the system tells."""
    description = {
        "cores": str(os.cpu_count()),
        "processor": platform.processor() or platform.machine(),
        "memory": "unknown",
    }
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        description["processor"] = next(
            (x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown"
        )
        kb = next(x for x in Path("/proc/meminfo").read_text().splitlines() if x.startswith("MemTotal"))
        description["memory"] = f"{int(kb.split()[1]) / 1e6:.0f} GB"
    except OSError:
        pass
    return description | {"python": platform.python_version(), "load": f"{os.getloadavg()[0]:.1f}"}


def versions(packages: Sequence[str], pythons: Sequence[str]) -> dict[str, str]:
    """The version of every package, in the first Python that has it."""
    look = (
        "import importlib.metadata as m, json, sys\n"
        "have = {d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions() if d.metadata['Name']}\n"
        "print(json.dumps({n: have[n] for n in sys.argv[1:] if n in have}))"
    )
    installed: dict[str, str] = {}
    for python in reversed([sys.executable, *pythons]):
        completed = subprocess.run([python, "-c", look, *packages], capture_output=True, text=True, check=False)
        installed |= json.loads(completed.stdout or "{}")
    return {name: installed[name] for name in packages if name in installed}


def as_data(rows: Sequence[Row], goals: Sequence[Goal]) -> dict[str, Any]:
    """Rows and goals as JSON can carry them."""
    return {"rows": [asdict(one) for one in rows], "goals": [asdict(one) | {"met": one.met} for one in goals]}


def from_data(data: dict[str, Any]) -> tuple[list[Row], list[Goal]]:
    """Rows and goals from JSON."""
    rows = [Row(**(one | {"seconds": tuple(one["seconds"])})) for one in data["rows"]]
    return rows, [Goal(**{k: v for k, v in one.items() if k != "met"}) for one in data["goals"]]


def within(rows: Sequence[Row], case: str, limit: float, what: str = "cpu") -> list[Goal]:
    """The goal that our row of a case takes at most so many processor seconds, or so much of something else; none without it."""
    names = {"cpu": "processor seconds", "median": "seconds", "peak": "peak MB", "added": "MB added"}
    value = next((getattr(r, what) for r in rows if r.ours and r.case == case and r.seconds), None)
    return [] if value is None else [Goal(f"{case}: {names[what]}", value, limit, at_least=False)]


def ahead(rows: Sequence[Row], case: str, route: str, limit: float) -> list[Goal]:
    """The goal that a route takes at least so many times as long as we do on a case; none where either has no time."""
    times = ratio(rows, case, route)
    return [] if times is None else [Goal(f"{case}: {route} over beatpath", times, limit)]


def ratio(rows: Sequence[Row], case: str, route: str) -> float | None:
    """How many times as long a route took as ours on a case; None where either has no time."""
    one = {r.route: r.median for r in rows if r.case == case}
    mine, theirs = next((one[r] for r in one if r.startswith(OURS)), None), one.get(route)
    return None if mine is None or theirs is None else theirs / mine
