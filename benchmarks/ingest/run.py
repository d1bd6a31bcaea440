"""How fast battles in Parquet become pair counts, beside DuckDB, Polars and pandas; and how fast beatpath starts.

Every measurement is a fresh process. All routes answer first, and their answers must be equal before any time is taken.
Exit status 1 means that answers disagree; a goal that is missed is printed and nothing more.

    python benchmarks/ingest/run.py            20 million battles
    python benchmarks/ingest/run.py --quick    2 million
    python benchmarks/ingest/run.py --large    100 million as well
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEERS = ("duckdb", "polars", "pandas")
CORE, FAST = "beatpath core", "beatpath with pyarrow"
SMALL = 20_000
ROWS, QUICK_ROWS, LARGE_PARTS = 20_000_000, 2_000_000, 5
GOALS = {"core over fastest peer": 1.0, "fastest peer over with pyarrow": 3.0, "rss": 600.0, "import over numpy": 1.3}
IMPORTS = {
    "import numpy": "import numpy",
    "import beatpath": "import beatpath",
    "import beatpath, use read": "import beatpath; beatpath.read",
    "import beatpath, use every name": "import beatpath; [getattr(beatpath, n) for n in beatpath.__all__]",
}


def main() -> int:
    given = arguments()
    folder = Path(given.dir)
    found: dict[str, Any] = {"machine": machine(), "versions": versions(), "goals": GOALS, "ingest": {}}
    print("machine:", ", ".join(f"{k} {v}" for k, v in found["machine"].items()))
    print("versions:", ", ".join(f"{k} {v}" for k, v in found["versions"].items()))
    small = files(folder, SMALL, 1)[0]
    sizes = [(QUICK_ROWS if given.quick else ROWS, 1)] + ([(ROWS, LARGE_PARTS)] if given.large else [])
    for n_rows, parts in sizes:
        routes = [*PEERS, CORE, FAST] if parts == 1 else [r for r in (*PEERS, CORE, FAST) if r != "pandas"]
        made = compare(routes, small, files(folder, n_rows, parts), given.repeats if parts == 1 else 3, given.wait)
        found["ingest"][str(n_rows * parts)] = made
        if not made["agree"]:
            return 1
        print(table(n_rows * parts, made), end="\n\n")
    found["start"] = start_up(given.starts)
    print(start_table(found["start"]))
    (folder / "ingest.json").write_text(json.dumps(found, indent=2) + "\n")
    print(f"\nwritten: {folder / 'ingest.json'}")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", default="build/bench", help="where files are made and kept")
    parser.add_argument("--quick", action="store_true", help="2 million rows instead of 20")
    parser.add_argument("--large", action="store_true", help="100 million rows too, without pandas")
    parser.add_argument("--repeats", type=int, default=7, help="timed processes a route")
    parser.add_argument("--wait", type=float, default=0, help="seconds to wait, at most, for idle cores before a run")
    parser.add_argument("--starts", type=int, default=31, help="processes for each start-up time")
    return parser.parse_args()


def run(command: list[str]) -> str:
    """Run a child from a small parent: a child's peak memory starts from its parent's."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def files(folder: Path, n_rows: int, parts: int) -> list[str]:
    return run([sys.executable, str(HERE / "make.py"), str(folder), str(n_rows), str(parts)]).split()


def once(route: str, small: str, large: list[str], *options: str) -> dict[str, Any]:
    return json.loads(run([sys.executable, str(HERE / "peers.py"), route, small, *large, *options]))


def idle_cores(seconds: float = 1.0) -> float:
    """Return how many cores were idle over this time; all of them where the system does not tell."""
    try:
        then = Path("/proc/stat").read_text().split()
        time.sleep(seconds)
        now = Path("/proc/stat").read_text().split()
    except OSError:
        return float(os.cpu_count() or 1)
    return (int(now[4]) - int(then[4])) / os.sysconf("SC_CLK_TCK") / seconds


def settle(longest: float) -> float:
    """Wait until nine tenths of all cores are idle, or long enough, and return how many are."""
    idle, end = idle_cores(), time.monotonic() + longest
    while idle < 0.9 * (os.cpu_count() or 1) and time.monotonic() < end:
        idle = idle_cores()
    return idle


def compare(routes: list[str], small: str, large: list[str], repeats: int, wait: float) -> dict[str, Any]:
    """Compare the answers, then time the routes in turns, each round beginning with another."""
    answers = {route: once(route, small, large, "--digest")["digest"] for route in routes}
    agree = len(set(answers.values())) == 1
    if not agree:
        print("the routes disagree about the counts; no times are taken:")
        print("\n".join(f"  {route}: {answer}" for route, answer in answers.items()))
        return {"agree": False, "answers": answers}
    load = os.getloadavg()[0]
    runs: dict[str, list[dict[str, float]]] = {route: [] for route in routes}
    for turn in range(repeats):
        for route in routes[turn % len(routes) :] + routes[: turn % len(routes)]:
            idle = settle(wait)
            runs[route].append({**once(route, small, large), "idle": idle})
    medians = {r: {k: statistics.median(x[k] for x in runs[r]) for k in ("wall", "cpu", "rss", "idle")} for r in routes}
    for route in routes:
        medians[route]["wall_min"] = min(x["wall"] for x in runs[route])
        medians[route]["wall_max"] = max(x["wall"] for x in runs[route])
    return {"agree": True, "answers": answers, "load before": load, "medians": medians, "runs": runs}


def table(n_rows: int, made: dict[str, Any]) -> str:
    """Return the measurements and the goals as Markdown."""
    medians = made["medians"]
    base = medians["duckdb"]["wall"]
    lines = [f"{n_rows:,} battles; every route gives the same counts; load before {made['load before']:.2f}", ""]
    lines += ["| route | wall s (min to max) | over DuckDB | CPU s | peak RSS MB | idle cores before |"]
    lines += ["| --- | --: | --: | --: | --: | --: |"]
    for route, m in medians.items():
        wall = f"{m['wall']:.2f} ({m['wall_min']:.2f} to {m['wall_max']:.2f})"
        lines.append(
            f"| {route} | {wall} | {m['wall'] / base:.2f} | {m['cpu']:.2f} | {m['rss']:.0f} | {m['idle']:.1f} |"
        )
    fastest = min((r for r in medians if r in PEERS), key=lambda r: medians[r]["wall"])
    peer, core, fast = (medians[r] for r in (fastest, CORE, FAST))
    return "\n".join(
        [
            *lines,
            "",
            goal(f"core over {fastest}, the fastest peer", core["wall"] / peer["wall"], "at most", 1.0),
            goal(f"{fastest} over beatpath with pyarrow", peer["wall"] / fast["wall"], "at least", 3.0),
            goal("peak RSS of core, MB", core["rss"], "at most", GOALS["rss"]),
            goal("peak RSS with pyarrow, MB", fast["rss"], "at most", GOALS["rss"]),
        ]
    )


def goal(what: str, value: float, sense: str, limit: float) -> str:
    met = value <= limit if sense == "at most" else value >= limit
    return f"- {what}: {value:.4g}; goal {sense} {limit:g}: {'met' if met else 'missed'}"


def start_up(repeats: int) -> dict[str, Any]:
    """Return seconds of imports inside fresh processes, and of whole processes, measured in turns."""
    timer = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
    whole = {"python -c pass, whole": ["-c", "pass"], "beatpath --help, whole": ["-m", "beatpath", "--help"]}
    took: dict[str, list[float]] = {name: [] for name in (*IMPORTS, *whole)}
    for _ in range(repeats):
        for name, code in IMPORTS.items():
            took[name].append(float(run([sys.executable, "-c", timer.format(code)])))
        for name, command in whole.items():
            begin = time.perf_counter()
            run([sys.executable, *command])
            took[name].append(time.perf_counter() - begin)
    return {name: {"median": statistics.median(t), "min": min(t), "max": max(t)} for name, t in took.items()}


def start_table(start: dict[str, Any]) -> str:
    lines = ["| start-up | median ms | over import numpy |", "| --- | --: | --: |"]
    base = start["import numpy"]["median"]
    lines += [f"| {n} | {1000 * t['median']:.1f} | {t['median'] / base:.2f} |" for n, t in start.items()]
    ratio = start["import beatpath"]["median"] / base
    return "\n".join(
        [*lines, "", goal("import beatpath over import numpy", ratio, "at most", GOALS["import over numpy"])]
    )


def machine() -> dict[str, str]:
    """Return cores, model and memory, as far as the system tells."""
    told = {"cores": str(os.cpu_count()), "cpu": platform.processor() or platform.machine(), "memory": "unknown"}
    try:
        info = Path("/proc/cpuinfo").read_text()
        told["cpu"] = next(
            (x.split(":", 1)[1].strip() for x in info.splitlines() if x.startswith("model name")), told["cpu"]
        )
        kb = next(x for x in Path("/proc/meminfo").read_text().splitlines() if x.startswith("MemTotal"))
        told["memory"] = f"{int(kb.split()[1]) / 1e6:.0f} GB"
    except OSError:
        pass
    return {**told, "load": f"{os.getloadavg()[0]:.2f}"}


def versions() -> dict[str, str]:
    names = ("beatpath", "duckdb", "polars", "pandas", "pyarrow", "numpy")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


if __name__ == "__main__":
    sys.exit(main())
