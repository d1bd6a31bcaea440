"""How far cores from sparse edges lie from dense ones, and how long tens of thousands of agents take.

    PYTHONPATH=src python benchmarks/cores/sparse.py                   both, some minutes
    PYTHONPATH=src python benchmarks/cores/sparse.py --agents          errors alone

The errors are those of `sparse_core` beside the dense operators with neutral missing pairs, on planted cores as in the tables of Soft
Tournament Equilibrium: 5 agents in a cycle (68 %) that beat all others (77 %), who have an order (81 %), with 20 battles of every
compared pair. Unpruned posterior edges must give the dense scores to 1e-7, or the exit status is 1. The times are those of unpruned
posterior edges of agents with normal strengths, who played 40 rivals each on average, 5 times.
"""

import argparse
import resource
import sys
import time

import numpy as np

from beatpath.evidence import Pairs
from beatpath.methods.soft_core.edges import edges_from_pairs
from beatpath.methods.soft_core.operators import reachability, soft_top_cycle, soft_uncovered_set
from beatpath.methods.soft_core.sparse import sparse_core

CORE, BATTLES, GAMMA = 5, 20, 0.05
CASES = {
    "posterior, none": {},
    "posterior, least 0.5": {"least": 0.5},
    "posterior, least 0.9": {"least": 0.9},
    "posterior, strongest 50": {"strongest": 50},
    "posterior, strongest 10": {"strongest": 10},
    "empirical, none": {"edges": "empirical"},
}


def planted(n: int, played: float, seed: int) -> Pairs:
    """Battles of some pairs of n agents, the first few of whom beat one another in a cycle and all others."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    there = rng.random(len(a)) < played
    a, b = a[there], b[there]
    ahead = (b - a) % CORE <= CORE // 2
    chance = np.where(b < CORE, np.where(ahead, 0.68, 0.32), np.where(a < CORE, 0.77, 0.81))
    return counted(n, a, b, rng.binomial(BATTLES, chance), BATTLES)


def ladder(n: int, rivals: int, battles: int, seed: int) -> Pairs:
    """Battles of random pairs of agents with normal strengths."""
    rng = np.random.default_rng(seed)
    one, other = rng.integers(n, size=(2, n * rivals // 2))
    code = np.unique((np.minimum(one, other) * n + np.maximum(one, other))[one != other])
    a, b = code // n, code % n
    strength = rng.normal(0, 1, n)
    return counted(n, a, b, rng.binomial(battles, 1 / (1 + np.exp(strength[b] - strength[a]))), battles)


def counted(n: int, a: np.ndarray, b: np.ndarray, won: np.ndarray, battles: int) -> Pairs:
    none = np.zeros_like(won)
    return Pairs(tuple(f"agent {i}" for i in range(n)), a, b, np.stack([won, battles - won, none, none], axis=1))


def errors(n: int, played: float) -> bool:
    """Print a row a case, and return whether unpruned posterior edges give the dense scores."""
    pairs, same = planted(n, played, seed=n), True
    dense = {}
    for name, options in CASES.items():
        kind = options.get("edges", "posterior")
        if kind not in dense:
            D = edges_from_pairs(pairs, edges=kind).strength(0.05)
            dense[kind] = soft_top_cycle(reachability(D), GAMMA), soft_uncovered_set(D, GAMMA)
        sparse = sparse_core(pairs, gamma=GAMMA, **options)
        t, u = dense[kind]
        far = [np.abs(t - sparse.top_cycle_score), np.abs(u - sparse.uncovered_set_score)]
        shown = " | ".join(f"{x.max():.1g} | {x.mean():.1g}" for x in far)
        print(f"| {n:,} | {played:.0%} | {name} | {sparse.n_edges:,} | {shown} |", flush=True)
        same &= name != "posterior, none" or max(x.max() for x in far) < 1e-7
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[300, 1000], help="agents whose errors are measured")
    parser.add_argument("--agents", type=int, nargs="*", default=[10_000, 20_000, 30_000], help="agents to be timed")
    given = parser.parse_args()
    print("| agents | pairs compared | edges, pruning | edges left | t, most | t, mean | u, most | u, mean |")
    print("| --: | --: | --- | --: | --: | --: | --: | --: |")
    if not all(errors(n, played) for n in given.sizes for played in (1.0, 0.3, 0.05)):
        print("unpruned posterior edges must give the dense scores", file=sys.stderr)
        return 1
    print("\n| agents | edges | wall s | CPU s | peak RSS MB |\n| --: | --: | --: | --: | --: |")
    for n in sorted(given.agents):
        pairs = ladder(n, 40, 5, seed=n)
        begin, used = time.perf_counter(), time.process_time()
        sparse = sparse_core(pairs)
        took, used = time.perf_counter() - begin, time.process_time() - used
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {n:,} | {sparse.n_edges:,} | {took:.1f} | {used:.1f} | {peak:,.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
