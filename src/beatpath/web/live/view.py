"""What the page of an arena shows, as plain data: verdict, board with tiers, progress, who plays next."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from beatpath.arena.arena import Arena
from beatpath.arena.served.outlook import outlook
from beatpath.arena.served.withdraw import withdrawn
from beatpath.inference.ranks.grouping import from_the_top

SHOWN = ("level", "battles", "goal", "done", "reason", "battles_left", "pending", "sentences")


def view_of(arena: Arena) -> dict[str, Any]:
    """Return everything that the page shows."""
    status = arena.status()
    return {
        **{name: status[name] for name in SHOWN},
        "rows": tiered(status),
        "next": outlook(arena).to_dict(),
        "withdrawn": withdrawn(arena),
    }


def tiered(status: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a board, best first, each with its tier from the top.

    >>> row = {"rank_low": 1, "rank_high": 2}
    >>> ranks = [{"agent": "ada", "win_rate": 0.7, **row}, {"agent": "bob", "win_rate": 0.3, **row}]
    >>> [one["tier"] for one in tiered({"ranks": ranks, "above": [["ada", "bob"]]})]
    [1, 2]
    """
    rows = status["ranks"]
    at = {row["agent"]: k for k, row in enumerate(rows)}
    above = np.zeros((len(rows), len(rows)), dtype=bool)
    for upper, lower in status["above"]:
        above[at[upper], at[lower]] = True
    score = np.array([row["win_rate"] for row in rows])
    rank = 1 + (score[None, :] > score[:, None]).sum(axis=1)
    tier = from_the_top(above, rank, np.arange(len(rows)))
    return [{**row, "tier": int(one)} for row, one in zip(rows, tier, strict=True)]
