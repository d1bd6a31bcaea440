"""Figure 1 of WSCO: where the Condorcet winner stands while descent goes on, on PrefLib elections that have one."""

from pathlib import Path
from typing import Any

import numpy as np
from preflib_files import instances, spread, unpacked
from script import mapped

import beatpath as bp
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.sco.descent import Settings, steps
from beatpath.methods.rating.sco.losses import votes_of
from beatpath.methods.rating.sco.sco import position_weights
from beatpath.reports.reproduction import Line

SMALL, LARGE = 10, 400  # alternatives of small elections, and the most of large ones
SHOWN = (100, 1_000, 3_000, 10_000)  # iterations printed


def places(path: Path, expected: dict[str, Any]) -> list[list[float]] | None:
    """How many are rated above the Condorcet winner, by scheme and iteration shown; None without a winner."""
    profile = profile_of(bp.read(path))
    if profile.condorcet.strong is None:
        return None
    winner = profile.agents.index(profile.condorcet.strong)
    ballots = profile.require_ballots("Figure 1")
    votes = votes_of(ballots)
    rule = Settings(expected["iterations"], expected["learning_rate"], expected["figure 1"]["batch"], unit="pairs")
    start = np.full(votes.n_agents, (rule.low + rule.high) / 2)
    counts = []
    for scheme in expected["schemes"]:
        weights = position_weights(scheme, int(np.diff(ballots.start).max()))
        worth = weights[votes.above_winner] + weights[votes.above_loser]
        walk = steps(votes, rule, start, np.random.default_rng(0), worth)
        shown = [theta for t, theta in enumerate(walk, start=1) if t in SHOWN]
        counts.append([float((theta > theta[winner]).sum()) for theta in shown])
    return counts


def figure_lines(data: Path, expected: dict[str, Any], elections: int, processes: int) -> list[Line]:
    """The mean place of the Condorcet winner, 0 for first, at some iterations."""
    everything = instances(data)
    sides = {
        "small": [one for one in everything if 2 < one.alternatives <= SMALL],
        "large": [one for one in everything if SMALL < one.alternatives <= LARGE],
    }
    lines = []
    for side, files in sides.items():
        chosen = spread(files, 2 * elections)  # about two of three have a winner
        with unpacked(data, chosen) as paths:
            jobs = [(paths[one], expected) for one in chosen]
            results = [one for one in mapped(places, jobs, f"{side} elections", processes) if one is not None]
        results = spread(results, elections)
        mean = np.array(results).mean(axis=0)
        lines += [
            _line(side, scheme, mean[s], len(results), expected["figure 1"][side][scheme])
            for s, scheme in enumerate(expected["schemes"])
        ]
    return lines


def _line(side: str, scheme: str, mean: np.ndarray, elections: int, published: str) -> Line:
    """One curve: its end is what the text describes."""
    end = float(mean[-1])
    allowed = {"0": (0.0, 0.2), "nearly 0": (0.0, 0.5), "slightly higher": (0.0, 1.0), "1 to 2": (1.0, 2.0)}[published]
    curve = ", ".join(f"{place:.2f} after {t:,}" for t, place in zip(SHOWN, mean, strict=True))
    inside = allowed[0] <= end <= allowed[1]
    note = (
        f"{elections} elections" if inside else f"{elections} elections of those to {LARGE} alternatives; see README.md"
    )
    return Line(f"Figure 1, {side}, {scheme}: winner's place", published, curve, True if inside else None, note)
