"""What some work cannot go below: kernels stripped of all that checks, names, explains or keeps, in processor seconds.

    python benchmarks/floors.py

A floor is not a goal: whoever uses these kernels alone has no answer for tied, disconnected or unbeaten agents, for names, for
files, and no word about any of it. Best of several; the fresh processes are whole ones.
"""

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
from cell import processor

LOADED = {
    "nothing": "pass",
    "numpy": "import numpy",
    "numpy and the parts of scipy that rank sets take": "import numpy, scipy.linalg, scipy.sparse, scipy.special",
    "the same, duckdb to read a file, and what a command line and a page take": (
        "import numpy, scipy.linalg, scipy.sparse.csgraph, scipy.special, duckdb, typer, rich.table, jinja2"
    ),
}


def best(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds of the quickest of several calls."""
    took = []
    for _ in range(repeats):
        busy = processor()
        work()
        took.append(processor() - busy)
    return min(took)


def best_of_many(work: Callable[[], object], calls: int, repeats: int = 5) -> float:
    """The same of work too short for the clock of processors: the mean of many calls."""
    return best(lambda: [work() for _ in range(calls)], repeats) / calls


def loading(code: str) -> float:
    """A fresh process that imports and ends."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return best(lambda: subprocess.run([sys.executable, "-c", code], check=True, env=environment), 5)


def newton(wins: np.ndarray, steps: int) -> np.ndarray:
    """Strengths of Bradley-Terry by so many Newton steps from zero, the last agent held; nothing is looked at before or after."""
    n, played, won = len(wins), wins + wins.T, wins.sum(axis=1)
    theta = np.zeros(n)
    for _ in range(steps):
        odds = np.exp(theta)
        chance = odds[:, None] / (odds[:, None] + odds)
        expected = played * chance
        H = -expected * chance.T
        np.fill_diagonal(H, 0.0)
        np.fill_diagonal(H, -H.sum(axis=1))
        theta[:-1] += np.linalg.solve(H[:-1, :-1], (won - expected.sum(axis=1))[:-1])
    return theta


def draws_of_scores(n: int, draws: int) -> float:
    """The largest difference of correlated scores in each of many draws."""
    rng = np.random.default_rng(0)
    L = np.linalg.cholesky(np.eye(n) + 0.5)
    sample = rng.standard_normal((draws, n)) @ L.T
    return float(np.quantile(sample.max(axis=1) - sample.min(axis=1), 0.95))


def orders_within_pairs(pair: np.ndarray, orders: int) -> None:
    """Battles, pair by pair, in so many other orders within their pairs; nothing is worked out of them."""
    rng = np.random.default_rng(0)
    for _ in range(orders):
        np.argsort(pair + rng.random(len(pair)), kind="stable")


def pairs_integrated(pairs: int, nodes: int, times: int) -> None:
    """The exponentials and the logarithm that an integral over the deviation of every pair takes, and nothing around them."""
    x = np.random.default_rng(0).random((nodes, pairs))
    for _ in range(times):
        np.exp(-np.log(1 + np.exp(-x)))


def sort_by_cluster(codes: np.ndarray, pairs: int) -> np.ndarray:
    """Battles, each one number of cluster, pair and outcome, in the order of their clusters; and counts by pair."""
    np.sort(codes)
    return np.bincount(codes % pairs, minlength=pairs)


def clusters_by_agents(Y: np.ndarray, F: np.ndarray) -> np.ndarray:
    """What a board takes of clusters, filled already: one product by agents, and two of clusters with themselves."""
    moved = Y @ F
    return moved.T @ moved + Y.T @ Y


def names_to_codes(names: object, known: object) -> object:
    """Texts to their places among known ones, as PyArrow finds them."""
    import pyarrow.compute as pc

    return pc.index_in(names, value_set=known)


def main() -> None:
    print("| work | processor seconds |\n| --- | --: |")
    for what, code in LOADED.items():
        print(f"| a fresh process that loads {what} | {loading(code):.3f} |")
    rng = np.random.default_rng(0)
    wins = rng.binomial(80, 0.5, (50, 50)).astype(float)
    np.fill_diagonal(wins, 0.0)
    for steps in (1, 3, 4):
        print(
            f"| Bradley-Terry of 50 agents, {steps} Newton steps | {best_of_many(lambda k=steps: newton(wins, k), 200):.2g} |"
        )
    print(
        f"| 20,000 draws of 129 correlated scores and their range | {best(lambda: draws_of_scores(129, 20_000), 5):.2g} |"
    )
    pair = np.sort(rng.integers(0, 435, 10_000)).astype(float)
    print(
        f"| 10,000 battles of 435 pairs in 199 other orders within pairs | {best(lambda: orders_within_pairs(pair, 199), 5):.2g} |"
    )
    print(
        f"| 380 integrals over the deviations of 435 pairs, 32 nodes each | {best(lambda: pairs_integrated(435, 32, 380), 5):.2g} |"
    )
    codes = rng.integers(0, 100_000 * 499_500, 10_000_000)
    print(
        f"| 10,000,000 battles of 1,000 agents sorted by cluster and counted by pair | {best(lambda: sort_by_cluster(codes, 499_500), 3):.2g} |"
    )
    from beatpath._threads import threads_for

    Y, F = (rng.standard_normal((rows, 1000), dtype=np.float32) for rows in (10_000, 1000))
    with threads_for(1):
        took = best(lambda: clusters_by_agents(Y, F), 3)
    print(f"| 10,000 clusters by 1,000 agents, the products of a board in single precision | {took:.2g} |")
    import pyarrow as pa

    known = pa.array([f"session-{i}" for i in range(1_000_000)])
    names = known.take(pa.array(rng.integers(0, len(known), 4_000_000)))
    print(f"| 4,000,000 names of 1,000,000 clusters to numbers | {best(lambda: names_to_codes(names, known), 3):.2g} |")


if __name__ == "__main__":
    main()
