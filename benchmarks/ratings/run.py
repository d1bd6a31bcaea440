"""How fast battles become ratings, beside the libraries people use: Bradley-Terry, other models, Elo and its relatives, SCO, centralities.

Times are medians of the calls after the first, and of the first where that took over five seconds. The largest difference of
a library's strengths to beatpath's stands beside its time, in log odds: libraries that stop early differ by more than their
users may think. One that claims to converge (evalica, choix) disagrees where it differs by more than 1e-6. A library may take
12 GB.
"""

import argparse
from collections.abc import Sequence

from measure import Goal, Row, ahead, ask, battles, row, within
from ratings import centrality, elo, models, over_time, sco

TITLE = "Ratings"
PACKAGES = (
    "beatpath",
    "numpy",
    "scipy",
    "duckdb",
    "pyarrow",
    "numba",
    "evalica",
    "choix",
    "arena-rank",
    "scikit-learn",
    "elote",
    "open-spiel",
    "networkx",
    "statsmodels",
    "glicko2",
    "openskill",
)
NEEDS = {
    "beatpath": "beatpath",
    "evalica": "evalica",
    "choix": "choix",
    "arena_rank": "arena_rank",
    "scikit_learn": "sklearn",
    "fastchat": "scipy",
    "duckdb": "duckdb",
}
CONVERGE = ("evalica", "choix")
CASES = (
    ("codes", 100_000, 50),
    ("counts", 100_000, 50),
    ("codes", 2_000_000, 200),
    ("parquet", 20_000_000, 500),
    ("sparse", 50_000, 650_000),
)
QUICK = (("codes", 100_000, 50), ("counts", 100_000, 50), ("parquet", 1_000_000, 500), ("sparse", 5_000, 65_000))


def measured(given: argparse.Namespace) -> list[Row]:
    """Bradley-Terry on every case by every library, then everything else."""
    rows = []
    for kind, *size in QUICK if given.quick else CASES:
        words = [battles(given, *size)] if kind == "parquet" else size
        measurements = {
            name: ask(given, "ratings.peers", name, kind, given.repeats, *words, needs=needs)
            for name, needs in NEEDS.items()
        }
        rows += [_row(_named(kind, size), name, measurements) for name in NEEDS if measurements[name] != "no adapter"]
    return rows + [one for other in (models, elo, over_time, sco, centrality) for one in other.measured(given)]


def _named(kind: str, size: list[int]) -> str:
    if kind == "sparse":
        return f"Bradley-Terry, {size[0]:,} agents, {size[1]:,} pairs"
    where = {"codes": "codes", "counts": "the matrix of wins", "parquet": "Parquet"}[kind]
    return f"Bradley-Terry, {size[0]:,} battles, {size[1]:,} agents, from {where}"


def _row(case: str, name: str, measurements: dict) -> Row:
    measurement, ours = measurements[name], measurements["beatpath"]
    if isinstance(measurement, str) or isinstance(ours, str) or not measurement["answer"]:
        return row(case, name, measurement, answer="" if name != "duckdb" else "a bare GROUP BY, no ratings")
    far = max(abs(x - y) for x, y in zip(measurement["answer"], ours["answer"], strict=True))
    return row(
        case, name, measurement, answer=f"within {far:.0e}" if far else "", agrees=name not in CONVERGE or far <= 1e-6
    )


def goals(rows: Sequence[Row]) -> list[Goal]:
    """As fast as choix from the matrix of wins, 45 times evalica, 30 times FastChat's fit; sparse agents in a second and 300 MB."""
    limits = (
        ("counts", 100_000, 50, "choix", 1),
        ("codes", 2_000_000, 200, "evalica", 45),
        ("parquet", 20_000_000, 500, "fastchat", 30),
        ("parquet", 20_000_000, 500, "evalica", 30),
    )
    reached = [
        goal for kind, *size, library, limit in limits for goal in ahead(rows, _named(kind, size), library, limit)
    ]
    sparse = _named("sparse", [50_000, 650_000])
    return [
        *reached,
        *within(rows, sparse, 1.0, "median"),
        *within(rows, sparse, 300.0, "added"),
        *sco.goals(rows),
    ]
