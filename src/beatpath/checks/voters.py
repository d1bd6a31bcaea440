"""Ballots: who is ranked, how completely, and with how many ties."""

import numpy as np

from beatpath._text import counted, listed, percent
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Ballots


def completeness(ballots: Ballots) -> Finding:
    """Say how many ballots rank every agent, and how many rank one or none."""
    n = int(ballots.count.sum())
    if not n:
        return not_run("complete ballots", "There are no ballots.")
    length = np.diff(ballots.start)
    full, single, empty = (
        int(ballots.count[which].sum()) for which in (length == len(ballots.agents), length == 1, length == 0)
    )
    figures = {"ballots": n, "complete": full, "incomplete": n - full, "single": single, "empty": empty}
    if full == n:
        return Finding("complete ballots", "passed", f"All {counted(n, 'ballot')} rank every agent.", "", figures)
    sentence = (
        f"{n - full:,} of {counted(n, 'ballot')} ({percent((n - full) / n)}) leave agents out; {single:,} rank a single "
        f"agent and {empty:,} none."
    )
    consequence = (
        "What an unranked agent counts as can change the order; a ballot with one agent compares nothing "
        "unless unranked agents count as last."
    )
    return Finding("complete ballots", "warning", sentence, consequence, figures)


def shared_places(ballots: Ballots, limits: CheckLimits) -> Finding:
    """Say how many of the comparisons that ballots make are ties."""
    n, start = int(ballots.count.sum()), ballots.start
    length = np.diff(start)
    ballot = np.repeat(np.arange(len(ballots)), length)
    first = np.diff(ballots.place, prepend=-1) != 0
    first[start[:-1][length > 0]] = True
    sizes = np.diff(np.append(np.flatnonzero(first), len(ballots.place))).astype(np.float64)
    tied = np.bincount(ballot[first], sizes * (sizes - 1) / 2, minlength=len(ballots))
    made = float((ballots.count * length * (length - 1) / 2).sum())
    share = float((ballots.count * tied).sum()) / made if made else 0.0
    with_ties = int(ballots.count[tied > 0].sum())
    figures = {"ballots with ties": with_ties, "comparisons": made, "tied share": share}
    sentence = (
        f"{with_ties:,} of {counted(n, 'ballot')} have agents sharing a place; {percent(share)} of the "
        f"{made:,.6g} comparisons they make are ties."
    )
    if share < limits.ties:
        return Finding("ties", "passed", sentence, "", figures)
    consequence = "What a tie counts as can change the order: compare the results with ties as half and left out."
    return Finding("ties", "warning", sentence, consequence, figures)


def never_ranked(ballots: Ballots) -> Finding:
    """Name the agents that no ballot ranks."""
    counted_in = np.repeat(ballots.count, np.diff(ballots.start)) > 0
    seen = np.bincount(ballots.agent, counted_in, minlength=len(ballots.agents)) > 0
    absent = [name for name, there in zip(ballots.agents, seen, strict=True) if not there]
    figures = {"agents": absent}
    if not absent:
        return Finding("never ranked", "passed", "Every agent is ranked by some ballot.", "", figures)
    sentence = f"No ballot ranks {listed(absent)}."
    consequence = "Nothing is known about them unless unranked agents count as last: leave them out."
    return Finding("never ranked", "warning", sentence, consequence, figures)


def repeat_voters(ballots: Ballots) -> Finding:
    """Name the voters that cast more than one ballot."""
    if "voter" not in ballots.factors:
        return not_run("repeat voters", "No column names the voters.")
    factor = ballots.factors["voter"]
    cast = np.bincount(factor.codes[factor.codes >= 0], minlength=len(factor.levels))
    several = [factor.levels[i] for i in np.flatnonzero(cast > 1)]
    figures = {"voters": len(cast), "repeat": len(several), "max": int(cast.max(initial=0))}
    if not several:
        return Finding("repeat voters", "passed", "Every voter cast one ballot.", "", figures)
    sentence = f"{len(several):,} of {counted(len(cast), 'voter')} cast several ballots, up to {cast.max():,}: {listed(several)}."
    consequence = "Ballots of one voter are not independent: intervals must resample voters."
    return Finding("repeat voters", "warning", sentence, consequence, figures)
