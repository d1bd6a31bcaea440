"""One look at evidence of any kind: which findings are made for which kind, and in which order."""

from dataclasses import replace
from typing import Any

import numpy as np

from beatpath._arrays import Codes
from beatpath._errors import UsageError
from beatpath._validate import require_share
from beatpath.checks.cells import constant_tasks, directions, identical_tasks, missing_cells, replicates
from beatpath.checks.clusters import battle_dependence, pair_dependence
from beatpath.checks.connection import (
    connected,
    margins_one_way,
    opponents_of,
    pairs_played,
    strongly_connected,
    win_edges,
)
from beatpath.checks.duplicates import battle_duplicates, score_duplicates
from beatpath.checks.finding import Check, CheckLimits, Finding, not_run
from beatpath.checks.judges import judge_agreement, judges, single_judges
from beatpath.checks.names import similar_names
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
from beatpath.checks.position import order_flips, position_bias
from beatpath.checks.rankings import ballot_edges, ballot_opponents, ballot_totals
from beatpath.checks.sampling import balance, opponents, thin_agents, weights
from beatpath.checks.voters import completeness, never_ranked, repeat_voters, shared_places
from beatpath.evidence import Ballots, Battles, Convention, Evidence, Margins, Pairs, Scores, WinRates

Made = tuple[list[Finding], dict[str, Any], tuple[Convention, ...]]


def check(evidence: Evidence, *, level: float = 0.95) -> Check:
    """Look at evidence before any method does, to see whether it can carry a conclusion.

    Parameters
    ----------
    evidence : Battles, Pairs, Ballots, Scores, Margins or WinRates
        What was read or built.
    level : float
        Coverage of the intervals.

    Returns
    -------
    Check
        Findings, failures first. Nothing is random, and the numbering of the agents changes nothing; nor does the order of
        the rows, but for the finding "schedule", which looks at it.

    Examples
    --------
    >>> battles = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("cyd", "dan", 0.5)])
    >>> found = check(battles)
    >>> print(found["connected"].sentence)
    The 4 agents fall into 2 parts that never met: {'ada', 'bob'}, {'cyd', 'dan'}.
    >>> found["position bias"].status
    'not run'
    """
    require_share("level", level)
    if not isinstance(evidence, Evidence):
        raise UsageError(
            f"`evidence` must be battles, pairs, ballots, scores, margins or win rates; got {type(evidence).__name__}."
        )
    limits = CheckLimits(level=level)
    evidence = agents_by_name(evidence)
    findings, summary, conventions = _findings_of(evidence, limits)
    findings = [*_only_what_can_be_said(findings), *similar_names(evidence.agents)]
    return Check(
        agents=evidence.agents,
        kind=evidence.kind,
        findings=tuple(findings),
        summary={"agents": len(evidence.agents), **summary},
        settings=limits.to_dict(),
        conventions=conventions,
        reading=evidence.reading,
    )


def agents_by_name(evidence: Evidence) -> Evidence:
    """Return the same evidence with sorted agents.

    >>> agents_by_name(Battles(("zoe", "ada"), [0], [1], [1.0])).a
    array([1], dtype=int32)
    """
    names = tuple(sorted(evidence.agents))
    if names == evidence.agents:
        return evidence
    order = np.argsort(np.array(evidence.agents, dtype=object), kind="stable")
    rank: Codes = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names))
    if isinstance(evidence, Battles):
        return replace(evidence, agents=names, a=rank[evidence.a], b=rank[evidence.b])
    if isinstance(evidence, Pairs):
        return _pairs_renumbered(evidence, names, rank)
    if isinstance(evidence, Ballots | Scores):
        return replace(evidence, agents=names, agent=rank[evidence.agent])
    square = np.ix_(order, order)
    if isinstance(evidence, Margins):
        assert evidence.played is not None
        return replace(evidence, agents=names, matrix=evidence.matrix[square], played=evidence.played[square])
    return replace(evidence, agents=names, matrix=evidence.matrix[square])


def _pairs_renumbered(pairs: Pairs, names: tuple[str, ...], rank: Codes) -> Pairs:
    """Pairs under new codes, turned round where the order of the two names asks for it."""
    return Pairs.from_cells(
        names,
        rank[pairs.a],
        rank[pairs.b],
        pairs.counts,
        battles=pairs.battles,
        squares=pairs.squares,
        soft=pairs.soft,
        keys=pairs.keys,
        conventions=pairs.conventions,
        reading=pairs.reading,
    )


def _only_what_can_be_said(findings: list[Finding]) -> list[Finding]:
    """Without anything to compare, an empty list has no faults: only amounts remain, and the rest is not run."""
    if next(f for f in findings if f.name == "amount").status != "failed":
        return findings
    kept = ("amount", "self-battles", "dropped rows")
    return [f if f.name in kept else not_run(f.name, "There is nothing to compare.") for f in findings]


def _findings_of(evidence: Evidence, limits: CheckLimits) -> Made:
    """The findings, the summary and the conventions for one kind of evidence."""
    if isinstance(evidence, Battles):
        return _battle_findings(evidence, limits)
    if isinstance(evidence, Pairs):
        return _pair_findings(evidence, limits)
    if isinstance(evidence, Ballots):
        return _ballot_findings(evidence, limits)
    if isinstance(evidence, Scores):
        return _score_findings(evidence, limits)
    return _matrix_findings(evidence)


def _battle_findings(battles: Battles, limits: CheckLimits) -> Made:
    """Everything: rows carry all there is."""
    n, shares, pairs = len(battles), row_shares(battles), battles.pairs()
    w = np.ones(n) if battles.weight is None else battles.weight
    findings = [
        outcomes(shares, n),
        ties(shares, n, limits),
        battle_duplicates(battles, limits),
        weights(float(w.sum()), float((w**2).sum()), n, battles.weight is not None, limits),
        *battle_dependence(battles, limits),
        schedule(battles, limits),
        drift(battles, limits),
        judges(battles, limits),
        judge_agreement(battles, limits),
        single_judges(battles, limits),
        position_bias(battles, limits),
        order_flips(battles, limits),
    ]
    summary = {"battles": n, "outcomes": shares, "columns": sorted(battles.factors)}
    return _with_pairs(pairs, "battle", n, findings, summary, limits)


def _pair_findings(pairs: Pairs, limits: CheckLimits) -> Made:
    """What counts allow; what needs rows is not run."""
    n, shares = int(pairs.battles.sum()), pair_shares(pairs)
    squares = pairs.counts if pairs.squares is None else pairs.squares
    findings = [
        outcomes(shares, n),
        ties(shares, n, limits),
        weights(float(pairs.counts.sum()), float(squares.sum()), n, pairs.weighted, limits),
        *pair_dependence(pairs, limits),
    ]
    needs_rows = (
        "duplicates",
        "schedule",
        "drift",
        "judges",
        "agreement",
        "single judges",
        "position bias",
        "order flips",
    )
    findings += [not_run(name, "Pairs hold counts; this needs the single battles.") for name in needs_rows]
    summary = {"battles": n, "outcomes": shares, "columns": sorted(pairs.keys)}
    return _with_pairs(pairs.by(), "battle", n, findings, summary, limits)


def _with_pairs(
    pairs: Pairs, unit: str, n: int, findings: list[Finding], summary: dict[str, Any], limits: CheckLimits
) -> Made:
    """Add what pair counts say, in the order of a reader's questions."""
    first = [
        amount_of_evidence(len(pairs.agents), n, unit, summary),
        self_battles(pairs.reading),
        dropped_rows(pairs.reading, limits),
        *_graph_findings(pairs, unit),
        thin_agents(pairs, limits, unit),
        balance(pairs, limits),
        opponents(pairs, limits),
    ]
    summary |= {"pairs played": int((pairs.counts.sum(axis=1) > 0).sum())}
    return first + findings, summary, (*pairs.conventions, *_ties_as_half(pairs))


def _ties_as_half(pairs: Pairs) -> tuple[Convention, ...]:
    """The conventions this check itself makes."""
    settled = pairs.settle(ties="half", both_bad="tie").conventions
    return settled[len(pairs.conventions) :]


def _graph_findings(evidence: Pairs | Ballots, unit: str) -> list[Finding]:
    """Who is connected with whom, who is one-sided, which pairs met."""
    agents = evidence.agents
    if isinstance(evidence, Ballots):
        edges, totals, met = ballot_edges(evidence), ballot_totals(evidence), ballot_opponents(evidence)
    else:
        some = evidence.counts.sum(axis=1) > 0
        edges, totals = win_edges(evidence), agent_totals(evidence)
        met = opponents_of(len(agents), evidence.a[some], evidence.b[some])
    return [
        connected(agents, edges),
        strongly_connected(agents, edges),
        one_sided(agents, totals, unit),
        pairs_played(agents, met),
    ]


def _ballot_findings(ballots: Ballots, limits: CheckLimits) -> Made:
    """Ballots: completeness and ties, then the graph of the comparisons they make."""
    n, w = int(ballots.count.sum()), ballots.total
    square = float((w * (1.0 if ballots.weight is None else ballots.weight)).sum())
    summary: dict[str, Any] = {"ballots": n, "distinct": len(ballots), "columns": sorted(ballots.factors)}
    findings = [
        amount_of_evidence(len(ballots.agents), n, "ballot", summary),
        dropped_rows(ballots.reading, limits),
        *_graph_findings(ballots, "comparison"),
        never_ranked(ballots),
        completeness(ballots),
        shared_places(ballots, limits),
        repeat_voters(ballots),
        weights(float(w.sum()), square, n, ballots.weight is not None, limits, "ballot"),
    ]
    return findings, summary, ballots.with_unranked("ignore").conventions


def _score_findings(scores: Scores, limits: CheckLimits) -> Made:
    """Scores: the table and its tasks, then the graph of who outscores whom."""
    table, tasks = scores.table()
    ballots = scores.ballots().with_unranked("ignore")
    summary: dict[str, Any] = {"values": len(scores), "tasks": len(tasks), "cells": table.size}
    summary |= {"filled": int((~np.isnan(table)).sum()), "columns": sorted(scores.factors)}
    findings = [
        amount_of_evidence(len(scores.agents), len(scores), "score", summary),
        dropped_rows(scores.reading, limits),
        missing_cells(table, scores.agents, tasks, limits),
        *_item_findings(scores, limits),
        *_graph_findings(
            ballots, f"comparison by {next(made.value for made in ballots.conventions if made.name == 'per')}"
        ),
        constant_tasks(table, tasks),
        identical_tasks(table, tasks),
        replicates(scores, limits),
        score_duplicates(scores, limits),
        directions(scores),
    ]
    return findings, summary, ballots.conventions


def _item_findings(scores: Scores, limits: CheckLimits) -> list[Finding]:
    """The same question about items, where there are items."""
    if "item" not in scores.factors:
        return []
    table, items = scores.table("item")
    return [missing_cells(table, scores.agents, items, limits, "item")]


def _matrix_findings(evidence: Margins | WinRates) -> Made:
    """A matrix: which pairs are known, and what they connect."""
    if isinstance(evidence, Margins):
        assert evidence.played is not None
        known = evidence.played
    else:
        known = ~np.isnan(evidence.matrix)
    a, b = np.nonzero(np.triu(known, 1))
    edges = win_edges(evidence)
    rates = isinstance(evidence, WinRates)
    summary = {"pairs played": len(a)}
    findings = [
        amount_of_evidence(len(evidence.agents), len(a), "pair", summary),
        connected(evidence.agents, edges),
        strongly_connected(evidence.agents, edges) if rates else margins_one_way(),
        pairs_played(evidence.agents, opponents_of(len(evidence.agents), a, b)),
    ]
    needs = ("outcomes", "balance", "weights", "dependence", "judges", "position bias")
    findings += [not_run(name, "A matrix holds no counts of battles.") for name in needs]
    return findings, summary, evidence.conventions
