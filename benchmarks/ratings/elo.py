"""One pass of Elo over battles in memory, beside evalica, elote and a plain loop.

Every route starts from what it takes best: beatpath from `Battles`, evalica from lists of int and its `Winner`, the plain loop
from lists of int, elote from tuples of names and its own competitors. With numba the first call, in which it compiles, counts
for itself. Ratings must agree to 1e-6. elote is timed on a tenth of the battles, and its time scaled up.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from measure import Row, ask, row
from numpy.typing import NDArray

from beatpath.methods.rating import elo as elo_module

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

    elo_module.COMPILE = 1 << 62
    return _beatpath(a, b, outcome)


def beatpath_numba(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:

    elo_module.COMPILE = 0
    return _beatpath(a, b, outcome)


def _beatpath(a: NDArray, b: NDArray, outcome: NDArray) -> Callable[[], list[float]]:
    import beatpath as bp

    games = bp.Battles(tuple(f"{i:03d}" for i in range(AGENTS)), a, b, outcome)
    return lambda: list(bp.online.OnlineElo(K, START).update(games).ratings.values())


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
NAMES = {"beatpath_plain": "beatpath", "beatpath_numba": "beatpath with numba", "plain_loop": "plain loop"}
NEEDS = {"beatpath_plain": "beatpath", "beatpath_numba": "numba", "plain_loop": "numpy"}
SHARE = {"elote": 10}


def cell(name: str, n: str, repeats: str) -> dict[str, Any]:
    """Time one route, and tell how far its ratings are from those of the plain loop."""
    columns = battles(int(n) // SHARE.get(name, 1))
    wanted = np.array(plain_loop(*columns)())
    measurement = timed(ROUTES[name](*columns), int(repeats), lambda ratings: float(np.abs(ratings - wanted).max()))
    scaled = {key: [x * SHARE.get(name, 1) for x in measurement[key]] for key in ("seconds", "cpu")}
    return measurement | scaled


def measured(given: argparse.Namespace) -> list[Row]:
    """Every route on the same battles."""
    n = 100_000 if given.quick else 2_000_000
    rows = []
    for name in ROUTES:
        measurement = ask(given, "ratings.elo", name, n, given.repeats, needs=NEEDS.get(name, name))
        far = measurement["answer"] if isinstance(measurement, dict) else 0.0
        note = "scaled from a tenth" if name in SHARE else ""
        if name == "beatpath_numba" and isinstance(measurement, dict):
            note = f"{measurement['first']:.2f} s with its compilation"
        case, more = f"Elo, {n:,} battles", {"answer": f"within {far:.0e}", "agrees": far <= 1e-6, "note": note}
        rows.append(row(case, NAMES.get(name, name), measurement, **more))
    return rows
