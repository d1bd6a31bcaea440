"""How fast and in how much memory certainty comes: intervals beside evalica's, FastChat's and rliable's, rank sets, clusters, judges.

Every library draws its own resamples, so that interval ends differ by chance: at *B* resamples the end of a 95 % interval has a
standard error of about 2.7 of the estimate's own over the root of *B*. Two libraries agree where no end differs by more than six
such errors. A library that takes minutes draws fewer resamples, and its time is scaled up.
"""

import argparse
from collections.abc import Sequence
from math import sqrt

from inference import judges, runs
from measure import COUNTS, Goal, Row, ahead, ask, row, whole, within

TITLE = "Inference"
PACKAGES = ("beatpath", "numpy", "scipy", "numba", "evalica", "scikit-learn", "pandas", "crowd-kit", "rliable")
NEEDS = {"evalica": "evalica", "fastchat": "scipy", "fastchat_rows": "sklearn"}
NAMES = {"fastchat": "FastChat, multinomial", "fastchat_rows": "FastChat, rows and scikit-learn"}
DRAWS = 1000
PEER_DRAWS, PEER_QUICK = {"evalica": 200, "fastchat": 1000, "fastchat_rows": 20}, {"evalica": 20, "fastchat": 20}
END = 2.67  # standard error of an interval's end, in those of the estimate over the root of the resamples
AT_ONCE = "1000 resamples of Bradley-Terry, 100,000 battles, 50 agents"
ARENA = "129 agents, 1.67 million votes as counts, to simultaneous rank sets"
FRESH = "the Arena's counts to rank sets, a fresh process with all that it loads and reads"
TO_RANK_SETS = "import sys, beatpath as bp; bp.rank_sets(bp.read(sys.argv[1]))"
CLUSTERS = "2,000,000 battles, 500 agents, 100,000 clusters, to rank sets"


def measured(given: argparse.Namespace) -> list[Row]:
    """Intervals beside the peers; then our own work as it grows."""
    rows = _beside_peers(given)
    for method in ("schulze", "copeland", "core"):
        rows.append(_own(given, _resamples(method), "bootstrap", method, 100_000, 50, DRAWS))
    rows.append(_own(given, ARENA, "ranks", given.data))
    if (file := given.data / COUNTS).exists():
        rows.append(row(FRESH, "beatpath", whole(given, "-c", TO_RANK_SETS, file)))
    rows += [*judges.measured(given), *runs.measured(given)]
    if given.quick:
        return rows
    rows.append(_own(given, "the same, to everything that `resolve` says", "resolve", given.data))
    rows.append(_own(given, CLUSTERS, "clusters", 2_000_000, 500, 100_000))
    for battles in (10_000, 100_000, 1_000_000):
        case = f"1000 resamples of Bradley-Terry, {battles:,} battles, 50 agents, as battles grow"
        size = {"work": "resamples, 50 agents", "size": battles, "axis": "battles"}
        rows.append(_own(given, case, "bootstrap", "bradley_terry", battles, 50, DRAWS, **size))
    for agents in (20, 50, 100, 200):
        size = {"work": "resamples, 100,000 battles", "size": agents, "axis": "agents"}
        rows.append(_own(given, _growing(agents), "bootstrap", "bradley_terry", 100_000, agents, DRAWS, **size))
    for agents in (50, 100, 200, 500):
        case = f"rank sets, 200,000 battles in 10,000 clusters, {agents} agents"
        size = {"work": "rank sets", "size": agents, "axis": "agents"}
        rows.append(_own(given, case, "clusters", 200_000, agents, 10_000, **size))
    return rows


def _resamples(method: str) -> str:
    return f"1000 resamples of {method}, 100,000 battles, 50 agents"


def _growing(agents: int) -> str:
    return f"1000 resamples of Bradley-Terry, 100,000 battles, {agents} agents, as agents grow"


def _own(given: argparse.Namespace, case: str, *words: object, **more: object) -> Row:
    return row(case, "beatpath", ask(given, "inference.peers", *words), **more)


def _beside_peers(given: argparse.Namespace) -> list[Row]:
    ours = ask(given, "inference.peers", "intervals", "beatpath", 100_000, 50, DRAWS)
    rows = [row(AT_ONCE, "beatpath", ours)]
    for peer, draws in (PEER_QUICK if given.quick else PEER_DRAWS).items():
        measurement = ask(given, "inference.peers", "intervals", peer, 100_000, 50, draws, needs=NEEDS[peer])
        if isinstance(measurement, str) or isinstance(ours, str):
            rows.append(row(AT_ONCE, NAMES.get(peer, peer), measurement))
            continue
        off = _off(measurement["answer"], ours["answer"])
        allowed = 6 * END * sqrt(1 / draws + 1 / DRAWS)
        scaled = {key: [x * DRAWS / draws for x in measurement[key]] for key in ("seconds", "cpu")}
        answer = f"interval ends within {off:.2f} standard errors"
        note = "" if draws == DRAWS else f"scaled from {draws} resamples"
        rows.append(
            row(AT_ONCE, NAMES.get(peer, peer), measurement | scaled, answer=answer, agrees=off <= allowed, note=note)
        )
    return rows


def _off(theirs: list[list[float]], ours: list[list[float]]) -> float:
    """The largest difference of two interval ends, in standard errors of the estimate."""
    return max(abs(x - y) / e for end in (0, 1) for x, y, e in zip(theirs[end], ours[end], ours[2], strict=True))


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Fifty times the peers; seconds of the processor for our own; 2 GB for many clusters."""
    reached = [goal for peer in ("evalica", *NAMES.values()) for goal in ahead(rows, AT_ONCE, peer, 50.0)]
    limits = {
        _resamples("schulze"): 5.0,
        _resamples("copeland"): 5.0,
        _growing(100): 1.2,
        _growing(200): 4.0,
        FRESH: 0.8,
        CLUSTERS: 6.0,
    }
    reached += [goal for case, limit in limits.items() for goal in within(rows, case, limit)]
    return [*reached, *within(rows, CLUSTERS, 2000.0, "peak")]
