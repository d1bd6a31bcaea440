"""How fast win probabilities become cores, beside operators that try every triple of agents; answers come first.

    python benchmarks/cores/run.py --peers PYTHON            PYTHON has torch; the product's own by default
    python benchmarks/cores/run.py --quick                   sizes of some seconds

Three kinds of work: ``sharp``, Top Cycle scores at zero temperature, beside the time numpy takes to sort the same edges;
``reach``, the whole max-min reachability matrix; ``cover`` and ``core``, soft Uncovered Set scores alone and both soft
scores with max-min reachability. Exit status 1 means that answers differ: reachability by more than nothing, soft scores by
more than 1e-7. Times, memory and a picture of both against the number of agents go to `build/bench`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SIZES = {
    "sharp": {
        "beatpath": (100, 200, 300, 1000, 2000, 4000, 10_000),
        "numpy": (1000, 4000, 10_000),
        "torch": (100,),
    },
    "reach": {"beatpath": (100, 200, 300, 1000, 2000, 4000), "torch": (100, 200, 300)},
    "cover": {"beatpath": (100, 300, 1000, 2000), "torch": (100, 300, 1000)},
    "core": {"beatpath": (100, 300, 1000, 2000), "torch": (100,)},
}
TOLERANCE = {"sharp": 1e-15, "reach": 1e-15, "cover": 1e-7, "core": 1e-7}  # of edges, whose two sigmoids round apart


def once(python: str, route: str, work: str, shape: str, n: int, repeats: int, limit: float) -> dict | None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.npy"
        command = [python, str(HERE / "peers.py"), route, work, shape, str(n), str(repeats), str(file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            print(f"{route} {work} {n}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        found = json.loads(done.stdout.splitlines()[-1])
        middle = {key: statistics.median(found[key]) for key in ("seconds", "cpu")} if found else {}
        return found and found | middle | {"answer": np.load(file)}


def picture(rows: list[dict], file: Path) -> None:
    """Seconds and added memory against agents, both on logarithmic scales."""
    import vl_convert

    log = {"type": "quantitative", "scale": {"type": "log"}}
    agents = {"field": "agents", "axis": {"values": [100, 300, 1000, 3000, 10_000]}} | log
    panels = [
        {
            "mark": {"type": "line", "point": True},
            "width": 150,
            "height": 150,
            "encoding": {
                "column": {"field": "work", "type": "nominal", "title": None},
                "x": agents,
                "y": {"field": field, "title": title} | log,
                "color": {"field": "route", "type": "nominal", "title": None},
            },
        }
        for field, title in (("seconds", "seconds"), ("added_mb", "memory added, MB"))
    ]
    kept = [row | {"added_mb": max(row["added_mb"], 0.1)} for row in rows if row["shape"] == "uniform"]
    file.write_text(vl_convert.vegalite_to_svg({"data": {"values": kept}, "vconcat": panels}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="at most 1000 agents, 200 for torch")
    parser.add_argument("--work", choices=SIZES, nargs="*", default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds one measurement may take")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has torch")
    parser.add_argument("--dir", type=Path, default=Path("build/bench"))
    given = parser.parse_args()
    print(
        f"beatpath {version('beatpath')}, numpy {np.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print("| work | shape | agents | route | seconds | processor s | memory added, MB | times beatpath |")
    print("| --- | --- | --: | --- | --: | --: | --: | --: |")
    rows, wrong = [], 0
    for work in given.work:
        for shape in ("uniform", "ladder"):
            ours: dict[int, dict] = {}
            for route, sizes in SIZES[work].items():
                for n in sizes:
                    if given.quick and n > (200 if route == "torch" else 1000):
                        continue
                    python = given.peers if route == "torch" else sys.executable
                    found = once(python, route, work, shape, n, given.repeats, given.limit)
                    if not found:
                        continue
                    answer = found.pop("answer")
                    if route == "beatpath":
                        ours[n] = found | {"answer": answer}
                    elif route == "torch" and n in ours:
                        far = float(np.abs(answer - ours[n]["answer"]).max())
                        if far > TOLERANCE[work]:
                            print(f"{work} {shape} {n}: torch differs by {far:g}", file=sys.stderr)
                            wrong = 1
                    ratio = found["seconds"] / ours[n]["seconds"] if n in ours else float("nan")
                    rows.append({"work": work, "shape": shape, "agents": n, "route": route} | found)
                    print(
                        f"| {work} | {shape} | {n} | {route} | {found['seconds']:.4f} | {found['cpu']:.4f} | {found['added_mb']:.0f} | {ratio:.1f} |",
                        flush=True,
                    )
    given.dir.mkdir(parents=True, exist_ok=True)
    (given.dir / "cores.json").write_text(json.dumps(rows, indent=1))
    picture(rows, given.dir / "cores.svg")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
