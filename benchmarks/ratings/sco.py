"""How fast votes become SCO's ranking, beside OpenSpiel's C++ optimiser running the paper's iterations.

    python benchmarks/ratings/sco.py            5, 10 and 100 agents with 1000 votes; 52,958 agents in 31,049 games of seven
    python benchmarks/ratings/sco.py --quick    5 and 10 agents

Both start from a list of orders and end at an order of the agents. What is compared first is the number of contradicted
preferences of that order, which both minimise smoothly: exit status 1 means that ours contradicts more. OpenSpiel runs
batches of 32 votes at temperature 1 in the box from 0 to 100, as SCO's experiments do: 10,000 iterations up to ten agents, 100,000
above, 190,000 for the games. Where that would take minutes, a few iterations are timed and the time is scaled up, which is
marked; the objective is then not compared.
"""

import argparse
import json
import subprocess
import sys
import time

import numpy as np

CASES = {
    "5 agents, 1000 votes": (5, 1000, 5, 10_000, 10_000),
    "10 agents, 1000 votes": (10, 1000, 10, 10_000, 10_000),
    "100 agents, 1000 votes": (100, 1000, 100, 100_000, 1_000),
    "52,958 agents, 31,049 games of 7": (52_958, 31_049, 7, 190_000, 190_000),
}


def orders(n: int, votes: int, size: int) -> list[list[int]]:
    """Seeded orders of `size` agents each, around hidden strengths."""
    rng = np.random.default_rng(n + votes)
    strength = rng.normal(0, 1, n)
    found = []
    for _ in range(votes):
        who = np.arange(n) if size == n else rng.choice(n, size, replace=False)
        found.append(who[np.argsort(-(strength[who] + rng.gumbel(0, 1.5, size)))].tolist())
    return found


def contradictions(rating: dict[int, float], votes: list[list[int]]) -> float:
    """Pairs of a vote that ratings put the other way round, ties half."""
    total = 0.0
    for vote in votes:
        r = np.array([rating[agent] for agent in vote])
        worse = np.sign(r[None, :] - r[:, None])[np.triu_indices(len(r), 1)]
        total += float(((worse + 1) / 2).sum())
    return total


def beatpath(case: str) -> tuple[float, float]:
    import beatpath as bp

    n, votes, size, _, _ = CASES[case]
    given = orders(n, votes, size)
    names = tuple(f"{i:06d}" for i in range(n))
    agent = np.array(given, dtype=np.int32)
    place = np.tile(np.arange(size, dtype=np.int32), votes)
    took = []
    for _ in range(4):
        begin = time.perf_counter()
        ranking = bp.rank(bp.Ballots(names, agent.ravel(), place, np.arange(votes + 1) * size), "sco")
        took.append(time.perf_counter() - begin)
    order = {int(name): -float(i) for i, name in enumerate(ranking.details["order"])}
    return sorted(took[1:])[1], contradictions(order, given)


def open_spiel(case: str) -> tuple[float, float]:
    import pyspiel

    n, votes, size, iterations, run = CASES[case]
    given = orders(n, votes, size)
    names = [f"{i:06d}" for i in range(n)]
    cast = [(1, [names[i] for i in vote]) for vote in given]
    begin = time.perf_counter()
    solver = pyspiel.sco.SoftCondorcetOptimizer(cast, 0, 100, 32, 1.0, 0, 1000, 0.0, names)
    solver.run_solver(run, 0.01)
    took = (time.perf_counter() - begin) * iterations / run
    rating = {int(name): value for name, value in solver.ratings().items()}
    return took, contradictions(rating, given) if run == iterations else float("nan")


def once(python: str, library: str, case: str) -> tuple[float, float] | None:
    done = subprocess.run([python, __file__, "--one", library, case], capture_output=True, text=True, check=False)
    return tuple(json.loads(done.stdout.splitlines()[-1])) if done.returncode == 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has OpenSpiel")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps({"beatpath": beatpath, "open_spiel": open_spiel}[given.one[0]](given.one[1])))
        return 0
    print("| case | beatpath s | OpenSpiel s | times | contradictions | OpenSpiel's |")
    print("| --- | --: | --: | --: | --: | --: |")
    wrong = 0
    for case in list(CASES)[:2] if given.quick else CASES:
        ours, theirs = once(sys.executable, "beatpath", case), once(given.peers, "open_spiel", case)
        if ours is None:
            print(f"| {case} | failed | | | | |")
            wrong = 1
            continue
        if theirs is None:
            print(f"| {case} | {ours[0]:.4f} | - | - | {ours[1]:,.0f} | - |", flush=True)
            continue
        scaled = "" if theirs[1] == theirs[1] else " (scaled)"
        print(
            f"| {case} | {ours[0]:.4f} | {theirs[0]:.3g}{scaled} | {theirs[0] / ours[0]:,.0f} | {ours[1]:,.0f} | "
            + (f"{theirs[1]:,.0f} |" if not scaled else "- |"),
            flush=True,
        )
        wrong |= ours[1] > theirs[1] + 1e-9
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
