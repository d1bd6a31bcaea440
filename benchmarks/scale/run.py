"""Battles in clusters to cluster-robust rank sets, from a Parquet file, as battles, clusters and agents grow.

Every battle belongs to one of the clusters at random and is between two agents at random, the hard case: nearly every battle of a
cluster is between another pair, so that counting by pair and cluster saves nothing.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cell import peak, processor, timed
from measure import NO_TIME, Goal, Row, ask, battles, patient, row, time_for, within

TITLE = "Clusters at scale"
PACKAGES = ("beatpath", "duckdb", "numpy", "scipy")
CENTRE = (3_000_000, 30_000, 300)
SWEEPS = {"battles": (300_000, 3_000_000, 30_000_000), "clusters": (3_000, 30_000, 300_000), "agents": (100, 300, 1000)}
LARGE = (100_000_000, 1_000_000, 1000)
QUICK = (500_000, 5_000, 100)


def cell(file: str) -> dict[str, Any]:
    """Time all steps once, and tell what each took and how much memory there was after it."""
    from beatpath import rank_sets, read
    from beatpath.inference.scores.estimands import scores_from
    from beatpath.metrics import win_rate_inference

    steps: list[str] = []

    def step(name: str, work: Any, *given: Any) -> Any:
        begin, busy = time.perf_counter(), processor()
        answer = work(*given)
        took, busy = time.perf_counter() - begin, processor() - busy
        steps.append(f"{name} {took:.1f} s ({busy:.1f} CPU, {peak():,.0f} MB)")
        return answer

    def run() -> Any:
        rates = step("win rates", win_rate_inference, step("read", read, file))
        return step("rank sets", rank_sets, step("board", scores_from, rates))

    return timed(run, 0, lambda _: "; ".join(steps))


def measured(given: argparse.Namespace) -> list[Row]:
    """The centre varied in one direction at a time; then everything at once."""
    if given.quick:
        return [_one(given, QUICK)]
    rows, centre = [], _one(given, CENTRE)
    for at, (axis, sizes) in enumerate(SWEEPS.items()):
        for size in sizes:
            where = (*CENTRE[:at], size, *CENTRE[at + 1 :])
            one = centre if where == CENTRE else _one(given, where)
            rows.append(replace(one, work=f"more {axis}", size=size, axis=axis))
    return [*rows, _one(given, LARGE)]


def _one(given: argparse.Namespace, where: tuple[int, int, int]) -> Row:
    n, clusters, agents = where
    measurement = (
        ask(patient(given, 600.0), "scale.run", battles(given, n, agents, clusters)) if time_for(given, n) else NO_TIME
    )
    return row(
        _case(where), "beatpath", measurement, answer=measurement["answer"] if isinstance(measurement, dict) else ""
    )


def _case(where: tuple[int, int, int]) -> str:
    n, clusters, agents = where
    return f"{n:,} battles, {clusters:,} clusters, {agents:,} agents"


def goals(rows: Sequence[Row]) -> list[Goal]:
    """The largest within two minutes of the processor and 3 GB."""
    return [*within(rows, _case(LARGE), 120.0), *within(rows, _case(LARGE), 3000.0, "peak")]
