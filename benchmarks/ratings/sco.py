"""Votes to SCO's ranking, beside OpenSpiel's C++ optimizer running the paper's iterations.

Both start from a list of orders and end at an order of the agents. What is compared is the number of contradicted preferences
of that order, which both minimize smoothly: ours must not contradict more. OpenSpiel runs batches of 32 votes at temperature 1
in the box from 0 to 100, as SCO's experiments do: 10,000 iterations up to ten agents, 100,000 above, 190,000 for the games. Where
that would take minutes, a few iterations are timed and the time is scaled up; the objective is then not compared.
"""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from cell import timed
from measure import Goal, Row, ask, ratio, row

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
    ballots = []
    for _ in range(votes):
        who = np.arange(n) if size == n else rng.choice(n, size, replace=False)
        ballots.append(who[np.argsort(-(strength[who] + rng.gumbel(0, 1.5, size)))].tolist())
    return ballots


def contradictions(rating: dict[int, float], votes: list[list[int]]) -> float:
    """Pairs of a vote that ratings put the other way round, ties half."""
    total = 0.0
    for vote in votes:
        r = np.array([rating[agent] for agent in vote])
        worse = np.sign(r[None, :] - r[:, None])[np.triu_indices(len(r), 1)]
        total += float(((worse + 1) / 2).sum())
    return total


def beatpath(n: int, given: list[list[int]], iterations: int) -> dict[str, Any]:
    import beatpath as bp

    names = tuple(f"{i:06d}" for i in range(n))
    agent, size = np.array(given, dtype=np.int32), len(given[0])
    place = np.tile(np.arange(size, dtype=np.int32), len(given))
    start = np.arange(len(given) + 1) * size

    def contradictions_of(ranking: Any) -> float:
        order = {int(name): -float(i) for i, name in enumerate(ranking.details["order"])}
        return contradictions(order, given)

    return timed(lambda: bp.rank(bp.Ballots(names, agent.ravel(), place, start), "sco"), 3, contradictions_of)


def open_spiel(n: int, given: list[list[int]], iterations: int) -> dict[str, Any]:
    import pyspiel

    names = [f"{i:06d}" for i in range(n)]
    cast = [(1, [names[i] for i in vote]) for vote in given]

    def run() -> dict[str, float]:
        solver = pyspiel.sco.SoftCondorcetOptimizer(cast, 0, 100, 32, 1.0, 0, 1000, 0.0, names)
        solver.run_solver(iterations, 0.01)
        return solver.ratings()

    return timed(run, 0, lambda rating: contradictions({int(name): value for name, value in rating.items()}, given))


def cell(library: str, case: str) -> dict[str, Any]:
    """Time one library, and tell what its order contradicts; scaled where fewer iterations were run than it takes."""
    n, votes, size, iterations, run = CASES[case]
    if library == "beatpath":
        return beatpath(n, orders(n, votes, size), run)
    measurement = open_spiel(n, orders(n, votes, size), run)
    return measurement | {key: [x * iterations / run for x in measurement[key]] for key in ("seconds", "cpu")}


def measured(given: argparse.Namespace) -> list[Row]:
    """Every case by both."""
    rows = []
    for case in list(CASES)[:2] if given.quick else CASES:
        ours = ask(given, "ratings.sco", "beatpath", case)
        rows.append(row(f"SCO, {case}", "beatpath", ours, answer=_answer_text(ours)))
        theirs = ask(given, "ratings.sco", "open_spiel", case, needs="pyspiel")
        whole = CASES[case][3] == CASES[case][4]
        worse = (
            isinstance(ours, dict) and isinstance(theirs, dict) and whole and ours["answer"] > theirs["answer"] + 1e-9
        )
        more = {"answer": _answer_text(theirs)} if whole else {"note": f"scaled from {CASES[case][4]:,} iterations"}
        rows.append(row(f"SCO, {case}", "open_spiel", theirs, agrees=not worse, **more))
    return rows


def _answer_text(measurement: dict[str, Any] | str) -> str:
    return f"{measurement['answer']:,.0f} contradictions" if isinstance(measurement, dict) else ""


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Ten times OpenSpiel's optimizer on the paper's sizes."""
    cases = [f"SCO, {case}" for case in list(CASES)[:3]]
    ratios = [(case, ratio(rows, case, "open_spiel")) for case in cases]
    return [Goal(f"{case}: open_spiel over beatpath", times, 10.0) for case, times in ratios if times is not None]
