"""PageRank and eigenvector centrality of counted battles, beside networkx.

Both start from what they take best: beatpath from `Pairs`, networkx from a graph made outside the clock. Scores must agree to 1e-6
of their mean, for which networkx is requested a tolerance of 1e-12.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from measure import Row, ask, row
from numpy.typing import NDArray

SIZES = ((200, 10_000), (2_000, 50_000))
RULES = ("pagerank", "eigenvector_centrality")


def counts(agents: int, pairs: int) -> NDArray[np.int64]:
    """Seeded rows (a, b, wins of a, wins of b); every agent has won and lost against the next."""
    rng = np.random.default_rng(agents)
    strength = rng.normal(0, 1, agents)
    a, b = np.divmod(rng.choice(agents * agents, pairs, replace=False), agents)
    low, high = np.minimum(a, b), np.maximum(a, b)
    ring = np.arange(agents - 1)
    low, high = np.concatenate([low, ring]), np.concatenate([high, ring + 1])
    codes = np.unique(low[low < high] * agents + high[low < high])
    low, high = np.divmod(codes, agents)
    n = rng.integers(2, 30, len(low))
    won = np.clip(rng.binomial(n, 1 / (1 + np.exp(strength[high] - strength[low]))), 1, n - 1)
    return np.column_stack([low, high, won, n - won])


def beatpath(rule: str, agents: int, rows: NDArray[np.int64]) -> Callable[[], NDArray[np.float64]]:
    import beatpath as bp

    cells = np.column_stack([rows[:, 2], rows[:, 3], 0 * rows[:, 2], 0 * rows[:, 2]]).astype(float)
    pairs = bp.Pairs(tuple(f"{i:05d}" for i in range(agents)), rows[:, 0], rows[:, 1], cells)
    return lambda: np.array(list(bp.rank(pairs, rule).scores.values()))


def networkx(rule: str, agents: int, rows: NDArray[np.int64]) -> Callable[[], NDArray[np.float64]]:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(agents))
    for a, b, won, lost in rows.tolist():
        by = 1 if rule == "pagerank" else won + lost
        graph.add_edge(b, a, weight=won / by)
        graph.add_edge(a, b, weight=lost / by)
    function = nx.pagerank if rule == "pagerank" else nx.eigenvector_centrality
    kind = {"tol": 1e-12, "max_iter": 100_000}

    def run() -> NDArray[np.float64]:
        scores = function(graph, weight="weight", **kind)
        score = np.array([scores[i] for i in range(agents)])
        return score / score.sum()

    return run


ROUTES = {"beatpath": beatpath, "networkx": networkx}


def cell(name: str, rule: str, agents: str, pairs: str, repeats: str) -> dict[str, Any]:
    """Time one library, and tell its scores over their mean."""
    run = ROUTES[name](rule, int(agents), counts(int(agents), int(pairs)))
    return timed(run, int(repeats), lambda score: (score * len(score)).tolist())


def measured(given: argparse.Namespace) -> list[Row]:
    """Both rules on every size by both libraries."""
    rows = []
    for agents, pairs in SIZES[:1] if given.quick else SIZES:
        for rule in RULES:
            measurements = {
                name: ask(given, "ratings.centrality", name, rule, agents, pairs, given.repeats, needs=name)
                for name in ROUTES
            }
            rows += [_row(f"{rule}, {agents:,} agents, {pairs:,} pairs", name, measurements) for name in ROUTES]
    return rows


def _row(case: str, name: str, measurements: dict) -> Row:
    if isinstance(measurements[name], str) or isinstance(measurements["beatpath"], str):
        return row(case, name, measurements[name])
    far = max(abs(x - y) for x, y in zip(measurements[name]["answer"], measurements["beatpath"]["answer"], strict=True))
    return row(case, name, measurements[name], answer=f"within {far:.0e}" if far else "", agrees=far <= 1e-6)
