"""How fast one pass of Elo runs over battles in memory, beside evalica, elote and a plain loop; answers come first.

    python benchmarks/ratings/elo.py            2 million battles between 100 agents
    python benchmarks/ratings/elo.py --quick    100,000, to see that it works

Every route starts from what it takes best: beatpath from `Battles`, evalica from lists of int and its `Winner`, the plain loop
from lists of int, elote from tuples of names and its own competitors. Each is a fresh process. The first call counts for
itself, because numba is loaded and compiles in it; the others give a median. Ratings must agree to 1e-6 before any time is shown; exit
status 1 means that they do not. elote is timed on a tenth of the battles, and its time scaled up.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

AGENTS, K, START = 100, 4.0, 1000.0
Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def battles(n: int) -> Columns:
    """Seeded battles between agents of different strength, one in six tied."""
    rng = np.random.default_rng(n)
    strength = rng.normal(0, 1, AGENTS)
    a = rng.integers(0, AGENTS, n)
    b = (a + rng.integers(1, AGENTS, n)) % AGENTS
    won = rng.random(n) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return a, b, np.where(rng.random(n) < 1 / 6, 0.5, won)


def beatpath_plain(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    from beatpath.methods.rating import elo_steps

    elo_steps.COMPILE = 1 << 62
    return _beatpath(a, b, outcome)


def beatpath_numba(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    from beatpath.methods.rating import elo_steps

    if find_spec("numba") is None:
        raise ModuleNotFoundError("numba is not installed")
    elo_steps.COMPILE = 0
    return _beatpath(a, b, outcome)


def _beatpath(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    import beatpath as bp

    games = bp.Battles(tuple(f"{i:03d}" for i in range(AGENTS)), a, b, outcome)
    return lambda: list(bp.OnlineElo(K, START).update(games).ratings.values())


def evalica(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    import evalica as ev

    winner = {1.0: ev.Winner.X, 0.0: ev.Winner.Y, 0.5: ev.Winner.Draw}
    xs, ys, winners = a.tolist(), b.tolist(), [winner[s] for s in outcome.tolist()]

    def run() -> list[float]:
        scores = ev.elo(xs, ys, winners, initial=START, base=10.0, scale=400.0, k=K).scores
        return [float(scores[i]) for i in range(AGENTS)]

    return run


def plain_loop(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    first, second, result = a.tolist(), b.tolist(), outcome.tolist()

    def run() -> list[float]:
        rating = [START] * AGENTS
        for i, j, s in zip(first, second, result, strict=True):
            x, y = rating[i], rating[j]
            gain = K * (s - 1 / (1 + 10 ** ((y - x) / 400)))
            rating[i], rating[j] = x + gain, y - gain
        return rating

    return run


def elote(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    from elote import EloCompetitor

    first, second, result = a.tolist(), b.tolist(), outcome.tolist()

    def run() -> list[float]:
        agents = [EloCompetitor(initial_rating=START, k_factor=K) for _ in range(AGENTS)]
        for i, j, s in zip(first, second, result, strict=True):
            if s == 0.5:
                agents[i].tied(agents[j])
            else:
                agents[i if s else j].beat(agents[j if s else i])
        return [agent.rating for agent in agents]

    return run


ROUTES = {f.__name__: f for f in (beatpath_plain, beatpath_numba, evalica, plain_loop, elote)}
SHARE = {"elote": 10}


def cell(name: str, n: int, repeats: int) -> None:
    """Time one route in this process and print what it found."""
    n //= SHARE.get(name, 1)
    run = ROUTES[name](*battles(n))
    seconds: list[float] = []
    ratings: list[float] = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        ratings = run()
        seconds.append((time.perf_counter() - begin) * SHARE.get(name, 1))
    print(json.dumps({"first": seconds[0], "seconds": seconds[1:], "ratings": ratings, "battles": n}))


def ask(python: str, name: str, n: int, repeats: int) -> dict | None:
    """Run one route in a fresh process; None where it is not installed."""
    command = [python, __file__, "--cell", name, "--battles", str(n), "--repeats", str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name} not run: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def disagreement(found: dict[str, dict]) -> float:
    """The largest difference between the ratings of a route and those of the plain loop on the same battles."""
    worst = 0.0
    for one in found.values():
        wanted = plain_loop(*battles(one["battles"]))()
        worst = max(worst, float(np.abs(np.array(one["ratings"]) - wanted).max()))
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--battles", type=int, default=2_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peers", default=sys.executable, help="the Python that has the peers installed")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cell:
        cell(given.cell, given.battles, given.repeats)
        return 0
    n = 100_000 if given.quick else given.battles
    for name in ("beatpath", "numba", "numpy"):
        try:
            print(name, version(name), end="; ")
        except PackageNotFoundError:
            print(name, "not in this environment", end="; ")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    found = {
        name: answer
        for name in ROUTES
        if (answer := ask(given.peers if name in ("evalica", "elote") else sys.executable, name, n, given.repeats))
    }
    worst = disagreement(found)
    print(f"{n:,} battles, {AGENTS} agents; ratings agree to {worst:.0e}\n")
    if worst > 1e-6:
        return 1
    base = statistics.median(found["evalica"]["seconds"]) if "evalica" in found else None
    print("| route | first call s | later calls s, median (min to max) | evalica over it |")
    print("| --- | --: | --: | --: |")
    for name, one in found.items():
        later = one["seconds"]
        middle = statistics.median(later)
        ratio = "-" if base is None else f"{base / middle:.1f}"
        span = f"{middle:.3f} ({min(later):.3f} to {max(later):.3f})"
        print(
            f"| {name.replace('_', ', ', 1) if name.startswith('beatpath') else name} | {one['first']:.3f} | {span} | {ratio} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
