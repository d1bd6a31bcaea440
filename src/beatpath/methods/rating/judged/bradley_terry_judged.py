"""Bradley-Terry strengths that know the judges: a reliability for each, fitted together with the strengths."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._text import confidence, counted, listed, quoted
from beatpath.methods.graph.connection import groups_named, unconnected
from beatpath.methods.profile import Profile
from beatpath.methods.rating.judged.voted import Voted, require_level, voted
from beatpath.methods.result import Outcome, equal_levels, levels_by_score
from beatpath.methods.status import CONVERGED
from beatpath.stats.intervals import t_quantile
from beatpath.stats.judges.aware import Aware, AwareErrors, aware_errors, aware_strengths, held_out_loss, log_likelihood
from beatpath.stats.judges.consensus import consensus

TIED = 1e-6  # log odds
SHOWN = 3  # agents that a sentence names
UNWEIGHED = "weights of battles are not heeded: every vote counts as much as its judge is reliable"


def bradley_terry_judged(profile: Profile, *, covariates: str | Sequence[str] = (), level: float = 0.95) -> Outcome:
    r"""Rate agents by Bradley and Terry's model with a reliability, and a taste for the side shown first, for every judge.

    .. math::  \operatorname{logit} P_j(a \succ b) = r_j (\theta_a - \theta_b) + x \cdot b_j, \qquad
               \theta \sim N(0, s^2), \quad r_j \sim N(1, \tau^2), \quad b_j \sim N(\bar b, \omega^2),

    the mean of :math:`r_j` over votes one. A judge with :math:`r_j = 0` answers at random and counts for nothing; one below zero
    counts the other way round. Spreads are estimated, so that judges with few votes are drawn to the others. Crowd-BT [1]_, and
    Dawid and Skene's model [2]_ behind it, mix a judge's verdict with its opposite where this bends the slope.

    Parameters
    ----------
    profile : Profile
        Of battles, or scores, with a column ``judge``.
    covariates : sequence of str, or text with commas
        Numeric columns, or ``"length_a - length_b"``, that a judge may reward.
    level : float
        Confidence of every interval.

    Returns
    -------
    Outcome
        Strengths in log odds, their mean zero. *Details*: ``standard_errors`` and ``intervals`` of strengths by agent; ``plain``,
        the strengths when all judges are taken as alike, by the same prior; ``lead`` of the first over the second, with its
        interval; ``judges``, each with ``votes``, ``reliability`` and its interval; ``spread`` of reliability over judges;
        ``held_out``, log loss of both on votes held out, or None where there are too few; ``clusters``; ``log_likelihood``.

    Raises
    ------
    DataError
        Where no column names judges, all votes are one judge's, or no chain of votes connects the agents.

    Examples
    --------
    Three judges prefer Ada to Bob, two times in three; a fourth, with as many votes as the three, tosses a coin.

    >>> from beatpath import Battles, Factor
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [("ada", "bob", 1)] * 40 + [("ada", "bob", 0)] * 20
    >>> coin = [("ada", "bob", 1)] * 90 + [("ada", "bob", 0)] * 90
    >>> judge = Factor.of(["j"] * 60 + ["k"] * 60 + ["l"] * 60 + ["m"] * 180)
    >>> found = bradley_terry_judged(profile_of(Battles.of(votes * 3 + coin, factors={"judge": judge})))
    >>> [round(found.details["judges"][name]["reliability"], 1) for name in "jklm"]
    [1.4, 1.4, 1.4, 0.6]

    Notes
    -----
    Ties are left out: in Davidson's model the odds of a decided vote are those of Bradley and Terry whatever a judge's taste for
    ties. Weights of battles are not heeded. Intervals are those of the posterior given the spreads, widened where votes come in
    clusters; they cover as they say on average over agents, less for an agent far from all others. Newton's method by turns, dense
    in the agents.

    References
    ----------
    .. [1] X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz, "Pairwise ranking aggregation in a crowdsourced setting",
           *WSDM* (2013), 193-202.
    .. [2] A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm", *Applied
           Statistics* 28 (1979), 20-28.
    """
    require_level(level)
    evidence = profile.battles if profile.scores is None else profile.scores
    if evidence is None:
        raise DataError(
            "bradley_terry_judged needs battles or scores with their judges; votes drawn anew do not keep them."
        )
    told = voted(evidence, None, covariates, 0)
    _require_connected(told)
    plain = consensus(told.votes)
    found = aware_strengths(told.votes, plain)
    errors = aware_errors(told.votes, found, told.clusters)
    ranked, score = equal_levels(found.strength - found.strength.mean(), TIED)
    z = t_quantile(level, np.inf if errors.clusters is None else max(errors.clusters - 1, 1))
    agents, held = told.battles.agents, held_out_loss(told.votes, told.folds)
    details: dict[str, Any] = {
        "level": level,
        "standard_errors": dict(zip(agents, errors.strength.tolist(), strict=True)),
        "intervals": {
            name: {"low": x - z * e, "high": x + z * e}
            for name, x, e in zip(agents, score.tolist(), errors.strength.tolist(), strict=True)
        },
        "plain": dict(zip(agents, (plain.strength - plain.strength.mean()).tolist(), strict=True)),
        "lead": _lead(agents, score, errors, z),
        "judges": _judges(told, found, errors, z),
        "spread": float(np.sqrt(found.spread[0])),
        "held_out": None if held is None else held.to_dict(),
        "clusters": errors.clusters,
        "log_likelihood": float(log_likelihood(told.votes, found).sum()),
        "scale": "log_odds",
    }
    weight = told.battles.weight
    return Outcome(ranked, score, CONVERGED if weight is None or np.ptp(weight) == 0 else UNWEIGHED, details)


def judged_said(details: Mapping[str, Any], scores: Mapping[str, float]) -> tuple[str, ...]:
    r"""Return what knowing the judges changes, in sentences: who moves, whether it predicts better, and how judges differ.

    >>> details = {"level": 0.95, "plain": {"ada": -0.1, "bob": 0.1}, "held_out": None, "clusters": None,
    ...            "lead": {"agents": ["ada", "bob"], "estimate": 0.6, "low": 0.1, "high": 1.1},
    ...            "judges": {"j": {"votes": 40, "reliability": 1.5, "low": 1.1, "high": 1.9},
    ...                       "k": {"votes": 40, "reliability": 0.5, "low": 0.1, "high": 0.9}}}
    >>> print("\n".join(judged_said(details, {"ada": 0.3, "bob": -0.3})))
    With a reliability for each judge 'ada' is first, not 'bob' as with all judges alike; 2 of 2 agents change rank: 'ada' 2 to 1, 'bob' 1 to 2.
    'ada' leads 'bob' by 0.60 log odds (95 % from 0.10 to 1.10).
    Reliability, 1 on average over votes, runs from 0.50 (0.10 to 0.90) for 'k' to 1.50 (1.10 to 1.90) for 'j'.
    """
    said = [_changes_said(details["plain"], scores)]
    if details["held_out"] is not None:
        said.append(_held_out_said(details["held_out"]))
    lead = details["lead"]
    if lead is not None:
        how = "" if details["clusters"] is None else f", {details['clusters']:,} clusters heeded"
        said.append(
            f"{quoted(lead['agents'][0])} leads {quoted(lead['agents'][1])} by {lead['estimate']:.2f} log odds "
            f"({confidence(details['level'])} from {lead['low']:.2f} to {lead['high']:.2f}{how})."
        )
    judges = {name: one for name, one in details["judges"].items() if one["votes"]}
    by = sorted(judges, key=lambda name: (judges[name]["reliability"], name))
    low, high = (
        f"{one['reliability']:.2f} ({one['low']:.2f} to {one['high']:.2f}) for {quoted(name)}"
        for name, one in ((by[0], judges[by[0]]), (by[-1], judges[by[-1]]))
    )
    return (*said, f"Reliability, 1 on average over votes, runs from {low} to {high}.")


def _changes_said(plain: Mapping[str, float], scores: Mapping[str, float]) -> str:
    """Who is first, and who has another rank than with all judges alike."""
    names = list(scores)
    here, there = (_ranks(np.array([told[name] for name in names])) for told in (scores, plain))
    first, before = (sorted(name for name, r in zip(names, ranks, strict=True) if r == 1) for ranks in (here, there))
    moved = sorted(
        (-abs(new - old), new, name, old) for name, new, old in zip(names, here, there, strict=True) if new != old
    )
    be = "is" if len(first) == 1 else "are"
    start = f"With a reliability for each judge {listed(first)} {be} first"
    start += ", as with all judges alike" if first == before else f", not {listed(before)} as with all judges alike"
    if not moved:
        return f"{start}, and every agent keeps its rank."
    told = ", ".join(f"{quoted(name)} {old} to {new}" for _, new, name, old in moved[:SHOWN])
    more = f" and {len(moved) - SHOWN:,} more" if len(moved) > SHOWN else ""
    return f"{start}; {len(moved):,} of {counted(len(names), 'agent')} change{'s' if len(moved) == 1 else ''} rank: {told}{more}."


def _held_out_said(found: Mapping[str, Any]) -> str:
    word = {"aware": "better than", "plain": "worse than", "alike": "no better and no worse than"}[found["verdict"]]
    return (
        f"It predicts votes held out {word} taking all judges as alike: log loss {found['aware']:.4f} against "
        f"{found['plain']:.4f}, difference {found['gain']:.4f} with a standard error of {found['standard_error']:.4f}."
    )


def _ranks(strength: Floats) -> list[int]:
    level = levels_by_score(strength, TIED)
    return (1 + np.append(0, np.cumsum(np.bincount(level))))[level].tolist()


def _lead(agents: tuple[str, ...], score: Floats, errors: AwareErrors, z: float) -> dict[str, Any] | None:
    """Of the first over the second, where there is one of each."""
    order = np.argsort(-score, kind="stable")
    if len(order) < 2 or (len(order) > 2 and score[order[1]] == score[order[2]]) or score[order[0]] == score[order[1]]:
        return None
    a, b = int(order[0]), int(order[1])
    gap, reach = float(score[a] - score[b]), z * errors.lead(a, b)
    return {"agents": [agents[a], agents[b]], "estimate": gap, "low": gap - reach, "high": gap + reach}


def _judges(told: Voted, found: Aware, errors: AwareErrors, z: float) -> dict[str, dict[str, float]]:
    """Votes and reliability of every judge."""
    columns = (told.votes.decided(), found.reliability, errors.coefficient[:, 0])
    return {
        name: {"votes": int(n), "reliability": r, "low": r - z * e, "high": r + z * e}
        for name, n, r, e in zip(told.battles.factors["judge"].levels, *(c.tolist() for c in columns), strict=True)
    }


def _require_connected(told: Voted) -> None:
    """Refuse agents that no chain of decided votes connects: a prior would rate them, and nothing would say so."""
    met, agents = told.votes.n > 0, told.battles.agents
    number, part = unconnected(len(agents), told.votes.a[met], told.votes.b[met])
    if number > 1:
        raise DataError(
            f"the agents fall into {number:,} parts that no chain of decided votes connects ({groups_named(agents, part)}), and "
            "nothing says who is above whom across them. Rank each part by itself with `only`."
        )
