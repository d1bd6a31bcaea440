"""A large sparse world from end to end: all matches of the ATP's tiers, 34,062 agents of whom few ever played each other.

The matches (J. Sackmann, CC BY-NC-SA) are not shipped: ``--data`` names the folder that holds ``tennis_atp``. Every step is a fresh
process that reads the files first, untimed. The strongly connected part is that in which all have a path of wins to each other;
the best are those with the highest Bradley-Terry strengths there.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cell import timed
from measure import Goal, Row, ask, row

TITLE = "Tennis from end to end"
PACKAGES = ("beatpath", "duckdb", "numpy", "scipy")
FILES = ("main_tour.parquet", "lower_tiers.parquet")
ROLES = {"winner": "winner_id", "loser": "loser_id"}
STEPS = {
    "read": "941,649 matches read",
    "check": "everything checked",
    "strengths": "Bradley-Terry strengths of all 34,062 agents, half a battle added",
    "errors": "the same with errors, from 30 resamples",
    "part": "Bradley-Terry strengths of the strongly connected part, nothing added",
    "sets": "rank sets of the best 100, with everything that `resolve` says",
    "core": "core of the strongly connected part",
    "report": "report on the best 100",
}


def read(folder: str) -> Any:
    import beatpath as bp

    files = [str(Path(folder) / "tennis_atp" / name) for name in FILES]
    return bp.read(files, map=ROLES, self_battles="drop")


def strong(evidence: Any) -> Any:
    """The battles within the largest part whose agents all have a path of wins to each other."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    import beatpath as bp

    played, n = evidence.pairs(), len(evidence.agents)
    won, lost = played.counts[:, 0] > 0, played.counts[:, 1] > 0
    winner, loser = np.append(played.a[won], played.b[lost]), np.append(played.b[won], played.a[lost])
    graph = coo_array((np.ones(len(winner)), (winner, loser)), shape=(n, n))
    part = connected_components(graph, connection="strong")[1]
    largest = np.bincount(part).argmax()
    return bp.only(evidence, [name for name, k in zip(evidence.agents, part, strict=True) if k == largest])


def best(evidence: Any, n: int) -> Any:
    """The battles among the best of the strongly connected part."""
    import beatpath as bp

    part = strong(evidence)
    order = [name for level in bp.rank(part, "bradley_terry").levels for name in level]
    return bp.only(part, order[:n])


def report(evidence: Any) -> str:
    from beatpath.reports.report import report

    return report(evidence).text("html")


def step(name: str, evidence: Any, folder: str) -> Callable[[], Any]:
    """What to time."""
    import beatpath as bp

    if name in ("part", "core"):
        evidence = strong(evidence)
    elif name in ("sets", "report"):
        evidence = best(evidence, 100)
    return {
        "read": partial(read, folder),
        "check": partial(bp.check, evidence),
        "strengths": partial(bp.rank, evidence, "bradley_terry", prior=0.5),
        "errors": lambda: bp.bootstrap(evidence, "bradley_terry", prior=0.5, draws=30).scores.std(axis=0),
        "part": partial(bp.rank, evidence, "bradley_terry"),
        "sets": partial(bp.resolve, evidence),
        "core": partial(bp.core, evidence),
        "report": partial(report, evidence),
    }[name]


def cell(name: str, folder: str) -> dict[str, Any]:
    """Time one step."""
    return timed(step(name, read(folder), folder), 0, lambda _: None)


def measured(given: argparse.Namespace) -> list[Row]:
    """Every step, where the matches are there and there is time."""
    if given.quick or not (given.data / "tennis_atp" / FILES[0]).exists():
        return []
    return [row(STEPS[name], "beatpath", ask(given, "tennis.run", name, given.data)) for name in STEPS]


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Each within a minute."""
    return [Goal(f"{one.case}: seconds", one.median, 60.0, at_least=False) for one in rows if one.median is not None]
