"""Every picture for the same agents, and what is looked at in all of them."""

from functools import cache

import numpy as np

from beatpath.reports import figures

HOSTILE = (
    "<script>alert(1)</script>",
    'O\'Reilly "quoted" \\ back',
    "datum.x + [0]",
    "a\nnew line\tand tab",
    "\u202eright-to-left",
    "\u6a21\u578b\u540d\u79f0" * 10,
    "\u0646\u0645\u0648\u0630\u062c",
    "a-very-long-name-with-many-parts-2026-10-01-preview",
    "W" * 60,
    "",
    "null",
    "constructor",
    "${x}",
    "a" + "\u0301" * 40,
    "x" * 5000,
    "]]></svg>",
)


def named(n, name="agent-{}"):
    return [name.format(i) for i in range(n)]


def world(n, seed=0):
    """Rates, counts, whether resolved, and the ends of intervals; some pairs have no battles."""
    rng = np.random.default_rng(seed)
    counts = np.triu(rng.integers(0, 40, (n, n)) * (rng.random((n, n)) < 0.9), 1)
    wins = rng.binomial(counts, 0.6)
    counts, wins = counts + counts.T, wins + (counts - wins).T * np.tri(n, k=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = wins / counts
        half = 1 / np.sqrt(counts)
    low, high = np.clip(rates - half, 0, 1), np.clip(rates + half, 0, 1)
    return rates, counts, (low > 0.5) | (high < 0.5), low, high


@cache
def figure_specs(n, name="agent-{}"):
    """Every picture of `n` agents; look at them, do not change them."""
    return pictures(named(n, name))


def pictures(agents, most=40):
    """Every picture, by its name."""
    n = len(agents)
    rates, counts, resolved, low, high = world(n)
    ranks = [[i + 1, i // 3 + 1, n - i] for i in range(n)]
    rows = [
        {"agent": a, "rank": i, "best": max(1, i - 2), "worst": i, "group": i // 4} for i, a in enumerate(agents, 1)
    ]
    scores = [
        {"agent": a, "probability": 1 / (i + 1), "top_cycle": 0.5, "uncovered_set": None, "member": i < 2}
        for i, a in enumerate(agents)
    ]
    pairs = [
        {
            "agent": agents[i],
            "rival": agents[j],
            "observed": rates[i, j],
            "predicted": (i + 1) / (i + j + 2),
            "battles": int(counts[i, j]),
            "low": low[i, j],
            "high": high[i, j],
        }
        for i in range(n)
        for j in range(i)
        if counts[i, j]
    ]
    judges = [
        {
            "judge": a,
            "votes": 10 * i,
            "reliability": (0.1 * i, 0.1 * i - 0.5, 0.1 * i + 0.4) if i > 1 else None,
            "position": (0.5, 0.4, 0.6) if i > 1 else None,
            "alarms": ("answers as if at random",) if i == 2 else (),
        }
        for i, a in enumerate(agents)
    ]
    ends = {"score": 0.6, "score_low": 0.5, "score_high": 0.7, "cost_low": 1.0}
    runs = [
        {"run": a, **ends, "cost": 2.0 + i, "cost_high": 4.0 + i, "dominated_by": agents[: i % 2]}
        for i, a in enumerate(agents)
    ]
    sure = {"resolved": resolved, "most": most}
    return {
        "win_rates": figures.win_rate_matrix(agents, rates, counts, low=low, high=high, **sure),
        "sampling": figures.sampling(agents, counts, most=most),
        "agreement": figures.agreement(agents[:9], [[abs(i - j) / 20 for j in range(9)] for i in range(9)]),
        "bump": figures.bump(agents, ["borda", "copeland", "elo"], ranks, marked=agents[1:3], most=most),
        "rank_intervals": figures.rank_intervals(rows, most=most),
        "cliques": figures.cliques(agents, [range(i, min(i + 3, n)) for i in range(0, n, 2)], most=most),
        "membership": figures.membership(scores, most=most),
        "judges": figures.judges(judges, most=most),
        "pareto": figures.pareto(runs, most=most),
        "predicted": figures.predicted(pairs),
        "majority_graph": figures.majority_graph(
            agents, rates, counts, resolved=resolved, core=agents[:2], cycles=[agents[:3]] if n >= 3 else []
        ),
    }


def without_data(spec):
    """The specification without the values it draws: what names may not touch."""
    if isinstance(spec, dict):
        return {
            key: without_data(part) for key, part in spec.items() if key not in ("values", "datasets", "description")
        }
    return [without_data(part) for part in spec] if isinstance(spec, list) else spec


def values(spec, field):
    """All values of a field in the data of a picture."""
    if isinstance(spec, list):
        return [value for part in spec for value in values(part, field)]
    if not isinstance(spec, dict):
        return []
    own = [spec[field]] if field in spec and not isinstance(spec[field], dict | list) else []
    return own + [value for part in spec.values() for value in values(part, field)]


def data(spec, mark, style):
    return next(
        one["data"]["values"] for one in spec["layer"] if (one["mark"]["type"], one["mark"]["style"]) == (mark, style)
    )
