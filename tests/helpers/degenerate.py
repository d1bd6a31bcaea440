"""Evidence at the edge of what makes sense: every public function and every verb answers it, or says why not."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import beatpath as bp


def _battles(rows: list[tuple[str, str, float]], **given: Any) -> bp.Battles:
    return bp.Battles.of(rows, **given)


def _round_robin(names: str, outcome: Callable[[int, int], float], times: int = 6) -> list[tuple[str, str, float]]:
    return [
        (a, b, outcome(i, j)) for _ in range(times) for i, a in enumerate(names) for j, b in enumerate(names) if i < j
    ]


FIRST = _round_robin("abcd", lambda i, j: 1.0)
MIXED = [(a, b, float((k * 7 + 3) % 5 > 1)) for k, (a, b, _) in enumerate(FIRST)]


def _pairs(counts: Any, **given: Any) -> bp.Pairs:
    return bp.Pairs(("a", "b", "c"), np.array([0, 0, 1]), np.array([1, 2, 2]), np.asarray(counts, dtype=float), **given)


def _scores(table: Any) -> bp.Scores:
    rows = np.asarray(table, dtype=float)
    agent, task = np.indices(rows.shape).reshape(2, -1)
    names = tuple("abcdefgh"[: len(rows)])
    return bp.Scores(names, agent, rows.ravel(), factors={"task": bp.Factor.of([f"t{i}" for i in task])})


def _clustered(codes: list[str]) -> bp.Battles:
    return _battles(MIXED[: len(codes)], factors={"question": bp.Factor.of(codes)})


EVIDENCE: dict[str, Callable[[], Any]] = {
    "one agent": lambda: bp.Ballots.of([[["a"]]]),
    "one agent's scores": lambda: _scores([[1.0, 2.0]]),
    "two agents, one battle": lambda: _battles([("a", "b", 1.0)]),
    "two agents, a tie": lambda: _battles([("a", "b", 0.5)]),
    "all ties": lambda: _battles(_round_robin("abcd", lambda i, j: 0.5)),
    "all both bad": lambda: _battles(_round_robin("abc", lambda i, j: 0.5), both_bad=[True] * 18),
    "one always wins": lambda: _battles(FIRST),
    "a cycle": lambda: _battles(_round_robin("abc", lambda i, j: float((j - i) % 3 == 1), 30)),
    "unconnected components": lambda: _battles(
        [("a", "b", 1.0), ("a", "b", 0.0), ("c", "d", 1.0), ("c", "d", 0.0)] * 9
    ),
    "an agent without a battle": lambda: replace(_battles(MIXED), agents=("a", "b", "c", "d", "lonely")),
    "weights of zero": lambda: _battles(MIXED, weight=[0.0] * len(MIXED)),
    "weights of zero, with positions": lambda: _battles(
        MIXED,
        weight=[0.0] * len(MIXED),
        position=[1] * len(MIXED),
        factors={"cluster": bp.Factor.of("pq" * (len(MIXED) // 2))},
    ),
    "weights of 5e-324": lambda: _battles(MIXED, weight=[5e-324] * len(MIXED)),
    "weights of 1e-300": lambda: _battles(MIXED, weight=[1e-300] * len(MIXED)),
    "weights of 1e300": lambda: _battles(MIXED, weight=[1e300] * len(MIXED)),
    "weights far apart": lambda: _battles(MIXED, weight=[1e-12, 1e12] * (len(MIXED) // 2)),
    "one cluster": lambda: _clustered(["q"] * len(MIXED)),
    "every battle its own cluster": lambda: _clustered([f"q{k}" for k in range(12)]),
    "fractional counts": lambda: _pairs([[0.3, 0.1, 0, 0], [0.2, 0.7, 0.1, 0], [0.1, 0.1, 0, 0.2]]),
    "less than a battle a pair": lambda: _pairs([[0.1, 1e-9, 0.3, 0], [0.11, 1e-9, 0.3, 0], [0.12, 1e-9, 0.3, 0]]),
    "huge counts": lambda: _pairs([[3e9, 1e9, 0, 0], [2e9, 7e9, 1e9, 0], [1e9, 1e9, 0, 2e9]]),
    "counts of 2**52": lambda: _pairs([[2.0**52, 1, 0, 0], [1, 2.0**52, 0, 0], [5, 5, 0, 0]]),
    "a pair without battles": lambda: _pairs([[3, 1, 0, 0], [0, 0, 0, 0], [2, 2, 0, 0]]),
    "equal scores": lambda: _scores(np.ones((3, 4))),
    "one task": lambda: _scores([[1.0], [2.0], [3.0]]),
    "scores of 1e308": lambda: _scores([[1e308, -1e308], [-1e308, 1e308], [1e307, 0.0]]),
    "tiny scores": lambda: _scores([[5e-324, 0.0], [0.0, 5e-324], [1e-310, 0.0]]),
    "one ballot": lambda: bp.Ballots.of(["abc"]),
    "ballots that tie all": lambda: bp.Ballots.of([[["a", "b", "c"]]], count=[5]),
    "ballots that share nobody": lambda: bp.Ballots.of([["a", "b"], ["c", "d"]]),
    "huge counts of ballots": lambda: bp.Ballots.of(["abc", "cab", "bca"], count=[10**12, 10**12 - 1, 10**11]),
    "tiny payoffs": lambda: bp.Margins(
        [[0, 1e-300, -1e-300], [-1e-300, 0, 1e-300], [1e-300, -1e-300, 0]], ("a", "b", "c")
    ),
    "huge payoffs": lambda: bp.Margins([[0, 1e308, -1e308], [-1e308, 0, 1e308], [1e308, -1e308, 0]], ("a", "b", "c")),
    "no payoffs": lambda: bp.Margins(np.zeros((3, 3)), ("a", "b", "c")),
    "rates of zero and one": lambda: bp.WinRates([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]], ("a", "b", "c")),
}
