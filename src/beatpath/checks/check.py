"""`check`: which findings are computed for which kind of evidence, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._validate import require_share
from beatpath.checks.cells import (
    battle_duplicates,
    constant_tasks,
    directions,
    identical_tasks,
    missing_cells,
    replicates,
    scales,
    score_duplicates,
)
from beatpath.checks.clusters import dependence_by_column
from beatpath.checks.connection import (
    ballot_edges,
    ballot_opponents,
    ballot_totals,
    connected,
    opponents_of,
    pairs_played,
    similar_names,
    strongly_connected,
    win_edges,
)
from beatpath.checks.finding import Check, CheckLimits, Finding, add_name, not_run
from beatpath.checks.judges import judge_agreement, judges, order_flips, position_bias, single_judges
from beatpath.checks.outcomes import (
    agent_totals,
    amount_of_evidence,
    dropped_rows,
    one_sided,
    outcomes,
    pair_shares,
    row_shares,
    self_battles,
    ties,
)
from beatpath.checks.over_time import drift, schedule
from beatpath.checks.sampling import (
    balance,
    completeness,
    few_battles,
    never_ranked,
    opponents,
    repeat_voters,
    shared_places,
    weights,
)
from beatpath.evidence import Ballots, Battles, Convention, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.select import by_name, columns_of
from beatpath.evidence_design.design import design

Checks = dict[str, Callable[[], Finding]]  # what computes each finding, by name
FindingParts = tuple[Checks, dict[str, Any], tuple[Convention, ...]]  # checks, summary and conventions
Components = tuple[tuple[str, ...], ...]  # connected components by name, the largest first
ALWAYS = ("amount", "self-battles", "dropped rows")  # findings that do not need anything to compare


def check(evidence: EvidenceLike, *, level: float = 0.95) -> Check:
    """Check evidence before any method runs: whether it is connected, balanced, unbiased and sufficient.

    Use it first on every data set. It needs no choice of method.

    Parameters
    ----------
    evidence : Battles, Pairs, Ballots, Scores, Margins or WinRates, or what `read` takes
        The data to check.
    level : float
        Confidence level of the intervals; default 0.95.

    Returns
    -------
    Check
        Findings, failures first. The result is deterministic and independent of the order of agents; it depends on
        the order of rows only in the finding "schedule", which tests it.

    See Also
    --------
    resolve : The leaderboard with confidence statements.
    report : Checks and all other analyses in one page.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("cyd", "dan", 0.5)])
    >>> result = check(battles)
    >>> print(result["connected"].sentence)
    The 4 agents form 2 connected components: {'ada', 'bob'}, {'cyd', 'dan'}.
    >>> result["position bias"].status
    'not run'
    """
    require_share("level", level)
    limits = CheckLimits(level=level)
    evidence = by_name(as_evidence(evidence))
    collected = design(evidence) if evidence.agents else None
    checks, summary, conventions = _checks_of(evidence, limits, () if collected is None else collected.components)
    some = checks["amount"]().status != "failed"  # an empty list has no faults
    unknown = partial(not_run, "There is nothing to compare.")
    findings = {name: (find if some or name in ALWAYS else unknown)() for name, find in checks.items()}
    alike = similar_names(evidence.agents)
    findings |= {} if alike is None else {"similar names": alike}
    for name, finding in findings.items():
        add_name(finding, name)
    return Check(
        agents=evidence.agents,
        kind=evidence.kind,
        findings=tuple(findings.values()),
        size={"agents": len(evidence.agents), **summary},
        settings=limits.to_dict(),
        conventions=conventions,
        reading=evidence.reading,
        design=collected,
    )


def _checks_of(evidence: Evidence, limits: CheckLimits, components: Components) -> FindingParts:
    """Return the checks, the summary and the conventions for one kind of evidence."""
    if isinstance(evidence, Battles | Pairs):
        return _battle_findings(evidence, limits, components)
    if isinstance(evidence, Ballots):
        return _ballot_findings(evidence, limits, components)
    if isinstance(evidence, Scores):
        return _score_findings(evidence, limits, components)
    return _matrix_findings(evidence, components)


OF_ROWS: dict[str, Callable[[Battles, CheckLimits], Finding]] = {  # findings that need the individual battles
    "duplicates": battle_duplicates,
    "schedule": schedule,
    "drift": drift,
    "judges": judges,
    "agreement": judge_agreement,
    "single judges": single_judges,
    "position bias": position_bias,
    "order flips": order_flips,
}


def _battle_findings(evidence: Battles | Pairs, limits: CheckLimits, components: Components) -> FindingParts:
    """Battles: findings from pair counts, then those that need individual rows."""
    if isinstance(evidence, Battles):
        pairs, n, shares = evidence.pairs(), len(evidence), row_shares(evidence)
        rows: Checks = {name: partial(find, evidence, limits) for name, find in OF_ROWS.items()}
    else:
        pairs, n, shares = evidence.by(), int(evidence.battles.sum()), pair_shares(evidence)
        rows = dict.fromkeys(OF_ROWS, partial(not_run, "Pairs hold counts; this needs the single battles."))
    summary = {"battles": n, "outcomes": shares, "columns": sorted(columns_of(evidence))}
    squares = pairs.counts if pairs.squares is None else pairs.squares
    checks: Checks = {
        "amount": partial(amount_of_evidence, len(pairs.agents), n, "battle", summary),
        "self-battles": partial(self_battles, pairs.reading),
        "dropped rows": partial(dropped_rows, pairs.reading, limits),
        **_graph_findings(pairs, "battle", components),
        "few battles": partial(few_battles, pairs, limits),
        "balance": partial(balance, pairs, limits),
        "opponents": partial(opponents, pairs, limits),
        "outcomes": partial(outcomes, shares, n),
        "ties": partial(ties, shares, n, limits),
        "weights": partial(weights, float(pairs.counts.sum()), float(squares.sum()), n, pairs.weighted, limits),
        **dependence_by_column(evidence, limits),
        **rows,
    }
    summary = summary | {"pairs played": int((pairs.counts.sum(axis=1) > 0).sum())}  # not in the finding of the amount
    return checks, summary, pairs.settle(ties="half", both_bad="tie").conventions


def _graph_findings(evidence: Pairs | Ballots, unit: str, components: Components) -> Checks:
    """Which agents are connected, which are one-sided, which pairs were compared."""
    agents = evidence.agents
    if isinstance(evidence, Ballots):
        edges, totals, met = ballot_edges(evidence), ballot_totals(evidence), ballot_opponents(evidence)
    else:
        some = evidence.counts.sum(axis=1) > 0
        edges, totals = win_edges(evidence), agent_totals(evidence)
        met = opponents_of(len(agents), evidence.a[some], evidence.b[some])
    return {
        "connected": partial(connected, agents, components),
        "strongly connected": partial(strongly_connected, agents, edges),
        "one-sided agents": partial(one_sided, agents, totals, unit),
        "pairs played": partial(pairs_played, agents, met),
    }


def _ballot_findings(ballots: Ballots, limits: CheckLimits, components: Components) -> FindingParts:
    """Ballots: completeness and ties, then the graph of the comparisons they imply."""
    n, w = int(ballots.count.sum()), ballots.total
    square = float((w * (1.0 if ballots.weight is None else ballots.weight)).sum())
    summary: dict[str, Any] = {"ballots": n, "distinct": len(ballots), "columns": sorted(ballots.factors)}
    checks: Checks = {
        "amount": partial(amount_of_evidence, len(ballots.agents), n, "ballot", summary),
        "dropped rows": partial(dropped_rows, ballots.reading, limits),
        **_graph_findings(ballots, "comparison", components),
        "never ranked": partial(never_ranked, ballots),
        "complete ballots": partial(completeness, ballots),
        "ties": partial(shared_places, ballots, limits),
        "repeat voters": partial(repeat_voters, ballots),
        "weights": partial(weights, float(w.sum()), square, n, ballots.weight is not None, limits, "ballot"),
    }
    return checks, summary, ballots.with_unranked("ignore").conventions


def _score_findings(scores: Scores, limits: CheckLimits, components: Components) -> FindingParts:
    """Scores: the table and its tasks, then the graph of who outscores whom."""
    table, tasks = scores.table()
    ballots = scores.ballots().with_unranked("ignore")
    summary: dict[str, Any] = {"values": len(scores), "tasks": len(tasks), "cells": table.size}
    summary |= {"filled": int((~np.isnan(table)).sum()), "columns": sorted(scores.factors)}
    items = {} if "item" not in scores.factors else {"missing items": scores.table("item")}
    per = next(one.value for one in ballots.conventions if one.name == "per")
    checks: Checks = {
        "amount": partial(amount_of_evidence, len(scores.agents), len(scores), "score", summary),
        "dropped rows": partial(dropped_rows, scores.reading, limits),
        "missing cells": partial(missing_cells, table, tasks, scores.agents, limits),
        **{name: partial(missing_cells, *one, scores.agents, limits, "item") for name, one in items.items()},
        **_graph_findings(ballots, f"comparison by {per}", components),
        "constant tasks": partial(constant_tasks, table, tasks),
        "identical tasks": partial(identical_tasks, table, tasks),
        "scales": partial(scales, table, tasks),
        "replicates": partial(replicates, scores, limits),
        "duplicates": partial(score_duplicates, scores, limits),
        "directions": partial(directions, scores),
    }
    return checks, summary, ballots.conventions


def _matrix_findings(evidence: Margins | WinRates, components: Components) -> FindingParts:
    """A matrix: which pairs are known, and what they connect."""
    known = evidence.played if isinstance(evidence, Margins) else ~np.isnan(evidence.matrix)
    assert known is not None
    a, b = np.nonzero(np.triu(known, 1))
    edges = win_edges(evidence)
    rates = isinstance(evidence, WinRates)
    summary = {"pairs played": len(a)}
    one_way = partial(not_run, "A margin does not say whether the loser of a pair ever won.")
    checks: Checks = {
        "amount": partial(amount_of_evidence, len(evidence.agents), len(a), "pair", summary),
        "connected": partial(connected, evidence.agents, components),
        "strongly connected": partial(strongly_connected, evidence.agents, edges) if rates else one_way,
        "pairs played": partial(pairs_played, evidence.agents, opponents_of(len(evidence.agents), a, b)),
    }
    needs = ("outcomes", "balance", "weights", "dependence", "judges", "position bias")
    checks |= dict.fromkeys(needs, partial(not_run, "A matrix holds no counts of battles."))
    return checks, summary, evidence.conventions
