"""How fast battles in Parquet become pair counts, beside DuckDB, Polars and pandas.

Every measurement is a fresh process that counts a small file first, untimed; the routes take turns, each round beginning with
another. "beatpath" is the package without extras: in that process PyArrow cannot be imported.
"""

import argparse
from collections.abc import Sequence

from measure import NO_TIME, Goal, Row, ask, battles, ratio, row, time_for

TITLE = "Battles to pair counts"
PACKAGES = ("beatpath", "duckdb", "polars", "pandas", "pyarrow", "numpy")
NEEDS = {
    "beatpath": "beatpath",
    "beatpath with pyarrow": "pyarrow",
    "duckdb": "pyarrow",
    "polars": "polars",
    "pandas": "pandas",
}
AGENTS, SMALL = 500, 20_000
SIZES, QUICK = (2_000_000, 20_000_000, 100_000_000), (2_000_000,)
HELD = 50_000_000  # rows beyond which pandas, which holds all of them at once, is not run, and others once only
PEERS = ("duckdb", "polars", "pandas")


def measured(given: argparse.Namespace) -> list[Row]:
    """Ask every route in turns; the digests of their counts must be equal."""
    small, rows = battles(given, SMALL, AGENTS), []
    for size in QUICK if given.quick else SIZES:
        if not time_for(given, size):
            rows.append(row(_case(size), "beatpath", NO_TIME))
            continue
        file = battles(given, size, AGENTS)
        routes = [route for route in NEEDS if route != "pandas" or size <= HELD]
        measurements: dict[str, list] = {route: [] for route in routes}
        for turn in range(1 if given.quick or size > HELD else given.repeats):
            for route in routes[turn % len(routes) :] + routes[: turn % len(routes)]:
                if not measurements[route] or isinstance(measurements[route][-1], dict):
                    measurements[route].append(ask(given, "ingest.peers", route, small, file, needs=NEEDS[route]))
        rows += [_row(size, route, measurements[route], measurements["beatpath"]) for route in routes]
    return rows


def _case(size: int) -> str:
    return f"{size:,} battles"


def _row(size: int, route: str, measurements: list, ours: list) -> Row:
    case, more = _case(size), {"work": "counting", "size": size, "axis": "battles"}
    if isinstance(measurements[-1], str):
        return row(case, route, measurements[-1], **more)
    whole = measurements[0] | {key: [x for one in measurements for x in one[key]] for key in ("seconds", "cpu")}
    same = whole["answer"] == ours[0]["answer"]
    return row(case, route, whole, answer="same counts" if same else "other counts", agrees=same, **more)


def goals(rows: Sequence[Row]) -> list[Goal]:
    """No slower than the fastest peer; three times as fast with PyArrow; little memory."""
    reached = []
    for case in dict.fromkeys(one.case for one in rows if (one.size or 0) > QUICK[0]):
        peers = [times for peer in PEERS if (times := ratio(rows, case, peer)) is not None]
        fast = ratio(rows, case, "beatpath with pyarrow")
        if peers:
            reached.append(Goal(f"{case}: fastest peer over beatpath", min(peers), 1.0))
        if peers and fast:
            reached.append(Goal(f"{case}: fastest peer over beatpath with pyarrow", min(peers) / fast, 3.0))
        reached += [
            Goal(f"{case}: peak MB of {one.route}", one.peak, 600.0, at_least=False)
            for one in rows
            if one.case == case and one.ours and one.peak is not None
        ]
    return reached
