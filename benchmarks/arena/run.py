"""Running evaluations: tells that are on the disk, batches of them, boards of a million battles, asks.

    python benchmarks/run.py --area arena

SQLite in ``--dir``, with a write-ahead log and full synchronisation: the disk sets a floor under every single tell, which threads
share. Arenas are made once by asking and telling, and stored.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cell import peak, processor
from measure import HERE, Goal, Row, ask, patient, row

TITLE = "Arenas"
PACKAGES = ("beatpath", "numpy", "sqlalchemy")
THREADS, BATCH = 32, 1000
COLD = "import sys; from beatpath import Arena; print(Arena(sys.argv[1]).board().battles)"


def cell(what: str, path: str, size: str) -> dict[str, Any]:
    """One of the measurements below, on a copy of an arena or on a new one."""
    return {"make": made, "tells": tells, "batches": batches, "adds": adds, "board": board, "asks": asks}[what](
        path, int(size)
    )


def made(path: str, battles: int) -> dict[str, Any]:
    """Fill an arena to so many battles; strengths are spread, judges are stubs."""
    import numpy as np

    arena, rng = _open(path), np.random.default_rng(0)
    begin, busy = time.perf_counter(), processor()
    have = arena.board().battles
    while have < battles:
        batch = arena.ask(count=min(BATCH, battles - have))
        u = rng.random(len(batch))
        arena.tell_many((one, "a" if x < _rate(one) else "b") for one, x in zip(batch, u.tolist(), strict=True))
        have += len(batch)
    return _timing([time.perf_counter() - begin], processor() - busy)


def tells(path: str, count: int) -> dict[str, Any]:
    """Single tells of many threads, in seconds for a thousand."""
    arena = _open(path)
    pending = iter(arena.ask(count=count))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                one = next(pending, None)
            if one is None:
                return
            arena.tell(one, "a")

    threads = [threading.Thread(target=work) for _ in range(THREADS)]

    def run() -> None:
        for one in threads:
            one.start()
        for one in threads:
            one.join()

    return _timed([run], 1000 / count)


def batches(path: str, count: int) -> dict[str, Any]:
    """Batches of a thousand tells."""
    arena = _open(path)
    pending = [arena.ask(count=BATCH) for _ in range(count)]
    return _timed([lambda batch=one: arena.tell_many((battle, "b") for battle in batch) for one in pending])


def adds(path: str, count: int) -> dict[str, Any]:
    """Batches of a thousand battles from elsewhere."""
    arena = _open(path)
    rows = [(one.a, one.b, "a") for one in arena.ask(count=BATCH)]
    return _timed([lambda: arena.add(rows)] * count)


def board(path: str, count: int) -> dict[str, Any]:
    """A board after a thousand more battles, in a process that has shown one before."""
    arena = _open(path)
    arena.board()
    took, spent = [], []
    for _ in range(count):
        arena.tell_many((one, "a" if k % 2 else "b") for k, one in enumerate(arena.ask(count=BATCH)))
        begin, busy = time.perf_counter(), processor()
        arena.board()
        took.append(time.perf_counter() - begin)
        spent.append(processor() - busy)
    return _timing(took, sorted(spent)[count // 2])


def asks(path: str, count: int) -> dict[str, Any]:
    """One battle at a time."""
    arena = _open(path)
    arena.ask()
    return _timed([arena.ask] * count)


def measured(given: argparse.Namespace) -> list[Row]:
    """Every case; arenas that take long to fill are stored in the folder."""
    million, hundred = (20_000, 5_000) if given.quick else (1_000_000, 100_000)
    given.dir.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory(dir=given.dir) as folder:
        for case, what, size in (
            (f"1,000 single tells, {THREADS} threads, 50 agents", "tells", 4000),
            ("a batch of 1,000 tells, 50 agents", "batches", 20),
            ("a batch of 1,000 added, 50 agents", "adds", 20),
        ):
            measurement = ask(given, "arena.run", what, f"{folder}/{what} 50.db", size)
            rows.append(row(case, "beatpath", measurement, answer=_rate_of(measurement)))
        large, fifty, many = (_filled(given, agents, n) for agents, n in ((50, million), (50, hundred), (500, hundred)))
        cold = [_cold(large) for _ in range(given.repeats)]
        case = f"a board of {million:,} battles, 50 agents, the whole process"
        rows.append(
            Row(case, "beatpath", tuple(wall for wall, _ in cold), sorted(cpu for _, cpu in cold)[len(cold) // 2])
        )
        copy = _copied(large, folder)
        measurement = ask(given, "arena.run", "board", copy, 5)
        rows.append(row("the same after 1,000 more, in a process that is there", "beatpath", measurement))
        for path, agents in ((fifty, 50), (many, 500)):
            measurement = ask(given, "arena.run", "asks", _copied(path, folder), 200)
            case = f"an ask after {hundred:,} battles, {agents} agents"
            rows.append(row(case, "beatpath", measurement, answer=_slowest(measurement)))
    return rows


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Rates and times that were to be reached, in wall and in processor seconds."""
    limits = (
        ("single tells a second", True, 1000),
        ("battles a second answered in batches", True, 50_000),
        ("battles a second added in batches", True, 50_000),
        ("seconds for a board from a cold start", False, 1.5),
        ("seconds for a board after 1,000 more", False, 0.2),
        ("seconds for an ask, 50 agents", False, 0.005),
        ("seconds for an ask, 500 agents", False, 0.05),
    )
    return [
        Goal(what + of, BATCH / seconds if rate else seconds, limit, rate)
        for (what, rate, limit), one in zip(limits, rows, strict=True)
        for of, seconds in (("", one.median), (", of the processor", one.cpu))
        if seconds
    ]


def _filled(given: argparse.Namespace, agents: int, battles: int) -> Path:
    path = given.dir / f"arena {battles} {agents}.db"
    measurement = ask(patient(given, 600.0), "arena.run", "make", path, battles)
    if isinstance(measurement, str):
        raise SystemExit(f"{path}: {measurement}")
    return path


def _copied(path: Path, folder: str) -> str:
    """A copy that may be written to; the log is in the file once the last process has closed it."""
    target = Path(folder) / path.name
    target.write_bytes(path.read_bytes())
    return str(target)


def _cold(path: Path) -> tuple[float, float]:
    begin, busy = time.perf_counter(), processor()
    subprocess.run([sys.executable, "-c", COLD, str(path)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin, processor() - busy


def _open(path: str) -> Any:
    from beatpath import Arena

    if os.path.exists(path):
        return Arena(path, seed=0)
    n = int(Path(path).stem.split()[-1])
    return Arena(path, agents=[f"agent {k:03}" for k in range(n)], goal="top 3", seed=0)


def _rate(battle: Any) -> float:
    """The win rate of the first agent of a battle: strengths fall from the first to the last."""
    return 1 / (1 + 10 ** ((int(battle.a[-3:]) - int(battle.b[-3:])) / 50))


def _timed(runs: Sequence[Callable[[], object]], share: float = 1.0) -> dict[str, Any]:
    took, busy = [], processor()
    for run in runs:
        begin = time.perf_counter()
        run()
        took.append(share * (time.perf_counter() - begin))
    return _timing(took, share * (processor() - busy) / len(runs))


def _timing(took: list[float], cpu: float) -> dict[str, Any]:
    return {"seconds": took, "cpu": [cpu], "before": 0.0, "peak": peak()}


def _rate_of(measurement: dict[str, Any] | str) -> str:
    if isinstance(measurement, str):
        return ""
    return f"{BATCH / sorted(measurement['seconds'])[len(measurement['seconds']) // 2]:,.0f} a second"


def _slowest(measurement: dict[str, Any] | str) -> str:
    return (
        ""
        if isinstance(measurement, str)
        else f"slowest of {len(measurement['seconds'])}: {1000 * max(measurement['seconds']):.0f} ms"
    )


if __name__ == "__main__":
    raise SystemExit(f"python {HERE.name}/run.py --area arena")
