"""Ratings that follow battles one after another: Glicko-2 beside the package glicko2, Weng and Lin's beside openskill.

Every battle is a period of its own. openskill's ratings must agree to 1e-6. In glicko2 2.1.0 the step for volatilities has the rating
where Glickman has the deviation (``_f``), so that its ratings are near and no more; how near is reported.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from measure import Row, ask, row
from ratings.elo import AGENTS, battles

BATTLES, QUICK = 20_000, 1_000
PEERS = {"glicko2": "glicko2", "weng_lin": "openskill"}
Rated = Callable[[], list[float]]


def beatpath(rule: str, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> Rated:
    import beatpath as bp

    games = bp.Battles(tuple(f"{i:03d}" for i in range(AGENTS)), a, b, outcome)
    kind = {"glicko2": bp.online.OnlineGlicko2, "weng_lin": bp.online.OnlineWengLin}[rule]
    return lambda: list(kind().update(games).ratings.values())


def glicko2(rule: str, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> Rated:
    from glicko2 import Player

    rows = list(zip(a.tolist(), b.tolist(), outcome.tolist(), strict=True))

    def run() -> list[float]:
        agents = [Player() for _ in range(AGENTS)]
        for i, j, s in rows:
            one, other = agents[i], agents[j]
            before = [one.rating], [one.rd]
            one.update_player([other.rating], [other.rd], [s])
            other.update_player(*before, [1 - s])
        return [agent.rating for agent in agents]

    return run


def openskill(rule: str, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> Rated:
    from openskill.models import BradleyTerryFull

    rows = list(zip(a.tolist(), b.tolist(), outcome.tolist(), strict=True))
    model = BradleyTerryFull(tau=25 / 300)

    def run() -> list[float]:
        agents = [model.rating() for _ in range(AGENTS)]
        for i, j, s in rows:
            (agents[i],), (agents[j],) = model.rate([[agents[i]], [agents[j]]], ranks=[1 - s, s])
        return [agent.mu for agent in agents]

    return run


def cell(name: str, rule: str, n: str, repeats: str) -> dict[str, Any]:
    """Time one library, and tell its ratings."""
    run = {"beatpath": beatpath, "glicko2": glicko2, "openskill": openskill}[name](rule, *battles(int(n)))
    return timed(run, int(repeats))


def measured(given: argparse.Namespace) -> list[Row]:
    """Both ratings by both libraries."""
    n, rows = QUICK if given.quick else BATTLES, []
    for rule, peer in PEERS.items():
        measurements = {
            name: ask(given, "ratings.over_time", name, rule, n, given.repeats, needs=name)
            for name in ("beatpath", peer)
        }
        rows += [_row(f"{rule}, {n:,} battles one by one", name, measurements) for name in measurements]
    return rows


def _row(case: str, name: str, measurements: dict) -> Row:
    if isinstance(measurements[name], str) or isinstance(measurements["beatpath"], str):
        return row(case, name, measurements[name])
    far = max(abs(x - y) for x, y in zip(measurements[name]["answer"], measurements["beatpath"]["answer"], strict=True))
    agrees = far <= 1e-6 or name == "glicko2"
    return row(case, name, measurements[name], answer=f"within {far:.0e} points" if far else "", agrees=agrees)
