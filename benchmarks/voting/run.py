"""How fast votes become winners, beside pref_voting and OpenSpiel; answers are compared before times are.

    python benchmarks/voting/run.py            10 to 2000 agents, 50 to 100,000 votes
    python benchmarks/voting/run.py --quick    10 and 50 agents

A peer resolves ties to one agent (OpenSpiel, at random) where beatpath returns all tied: such an answer agrees when it is
among ours, and any answer does where beatpath says that ties have too many orders to try, which is marked. Exit status 1
means that answers disagree. A call that takes longer than the limit is shown as such.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).parent
RULES = (
    "plurality",
    "borda",
    "stv",
    "copeland",
    "minimax",
    "schulze",
    "ranked_pairs",
    "split_cycle",
    "maximal_lottery",
    "iml",
)
LIBRARIES = ("beatpath", "pref_voting", "open_spiel")
SIZES = ((10, 50), (50, 1000), (150, 1000), (500, 1000), (2000, 50), (50, 100_000))


def once(python: str, library: str, rule: str, size: tuple[int, int], repeats: int, limit: float) -> dict | None:
    command = [python, str(HERE / "peers.py"), library, rule, *map(str, size), str(repeats)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"seconds": None, "winners": None}
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else None


def agrees(ours: list[int], theirs: list[int] | None, library: str) -> bool:
    return theirs is None or (set(theirs) <= set(ours) if library == "open_spiel" else theirs == ours)


def cell(found: dict | None) -> str:
    if found is None:
        return "-"
    return "over limit" if found["seconds"] is None else f"{statistics.median(found['seconds']):.4f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument(
        "--sizes", type=int, default=len(SIZES), help="how many of the sizes to run, the smallest first"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=90, help="seconds a library may take for one cell")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has the peers installed")
    given = parser.parse_args()
    for name in ("beatpath", "numpy", "pref_voting", "open_spiel"):
        try:
            print(name, version(name), end="; ")
        except PackageNotFoundError:
            print(name, "not in this environment", end="; ")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print("| rule | agents | votes | beatpath s | pref_voting s | open_spiel s | best peer over beatpath |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    wrong = 0
    for size in SIZES[:2] if given.quick else SIZES[: given.sizes]:
        for rule in RULES:
            found = {
                name: once(
                    sys.executable if name == "beatpath" else given.peers, name, rule, size, given.repeats, given.limit
                )
                for name in LIBRARIES
            }
            ours = found["beatpath"]
            assert ours is not None, rule
            for name in LIBRARIES[1:]:
                if ours["settled"] and found[name] and not agrees(ours["winners"], found[name]["winners"], name):
                    print(
                        f"{rule} {size}: {name} says {found[name]['winners']}, beatpath {ours['winners']}",
                        file=sys.stderr,
                    )
                    wrong = 1
            peers = [
                statistics.median(f["seconds"]) for n, f in found.items() if n != "beatpath" and f and f["seconds"]
            ]
            mine = statistics.median(ours["seconds"])
            ratio = f"{min(peers) / mine:.0f}" if peers else "-"
            ratio += "" if ours["settled"] else " (ties open)"
            print(
                f"| {rule} | {size[0]} | {size[1]} | "
                + " | ".join(cell(found[n]) for n in LIBRARIES)
                + f" | {ratio} |",
                flush=True,
            )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
