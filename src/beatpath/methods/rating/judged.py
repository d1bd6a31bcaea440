r"""Bradley-Terry ratings that model judges: a reliability for each, fitted jointly with the strengths.

The votes of judges are battles, or the comparisons that each judge's scores imply. A judge may be one of the agents,
or share a model family with some.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import confidence, counted, listed, quoted, suggestion
from beatpath._validate import require_few
from beatpath.evidence import Battles, Evidence, Factor, Scores
from beatpath.fit.newton import CONVERGED
from beatpath.methods.graph.connection import require_one_group
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.design import covariate_names, shifts
from beatpath.methods.result import Outcome, equal_levels, levels_by_score
from beatpath.stats.codes import apart, joint
from beatpath.stats.intervals import t_quantile
from beatpath.stats.judges.aware import (
    FOLDS,
    Aware,
    AwareErrors,
    aware_errors,
    aware_strengths,
    held_out_loss,
    log_likelihood,
)
from beatpath.stats.judges.consensus import consensus
from beatpath.stats.judges.examined import OWN_FAMILY, POSITION
from beatpath.stats.judges.votes import Parts, Votes, counted_votes, in_parts, units_by_content, with_own_family
from beatpath.stats.verdicts import Verdicts, shared_verdicts


def family_members(battles: Battles, families: Mapping[str, str] | str | None) -> Bools:
    """Return which agents belong to the family of which judges, shape (judges, agents).

    Parameters
    ----------
    battles : Battles
        Battles with a column ``judge``.
    families : mapping of name to family, or name of a column, optional
        By default a judge's family is the agent with its name. A mapping gives judges and agents a family, such as
        their vendor; anyone it does not name is a family of its own. A column names the agent that the judge of each
        battle is.

    Examples
    --------
    >>> from beatpath import Factor
    >>> battles = Battles.of([("gpt", "claude", 1)], factors={"judge": Factor.of(["gpt-judge"])})
    >>> family_members(battles, {"gpt-judge": "openai", "gpt": "openai"})
    array([[False,  True]])
    """
    judges, agents = battles.factors["judge"].levels, battles.agents
    if isinstance(families, str):
        own = _named_by(battles, families)
    else:
        family_of = dict(families or {})
        unknown = [name for name in family_of if name not in set(judges) | set(agents)]
        if unknown:
            near = suggestion(unknown[0], [*judges, *agents])
            raise UsageError(
                f"`families` must name judges or agents; {quoted(unknown[0])} is neither.{near} "
                f"Judges are {listed(judges)}; agents are {listed(agents)}."
            )
        wrong = [name for name, family in family_of.items() if not isinstance(family, str)]
        if wrong:
            raise UsageError(
                f"`families` must map names to names; that of {quoted(wrong[0])} is {family_of[wrong[0]]!r}."
            )
        own = [family_of.get(name, name) for name in judges]
        agents = tuple(family_of.get(name, name) for name in agents)
    code = {name: k for k, name in enumerate(sorted({*own, *agents}))}
    one, other = (np.array([code[name] for name in names], dtype=np.int64) for names in (own, agents))
    return np.asarray(one[:, None] == other[None, :])


def _named_by(battles: Battles, column: str) -> list[str]:
    """The agent that each judge is, from a column; a judge without an entry has no family."""
    factor, judge = battles.factor(column), battles.factors["judge"]
    unknown = [name for name in factor.levels if name not in set(battles.agents)]
    if unknown and len(unknown) == len(factor.levels):
        raise DataError(
            f"column {quoted(column)} must name the agents that judges are; {listed(unknown, 3)} are none of "
            f"{listed(battles.agents)}. Give `families` as a mapping from names to families instead."
        )
    own: dict[int, str] = {}
    both = (judge.codes >= 0) & (factor.codes >= 0)
    for j, k in np.unique(np.column_stack([judge.codes[both], factor.codes[both]]), axis=0).tolist():
        if j in own:
            raise DataError(
                f"column {quoted(column)} must say the same in all battles of a judge; of {quoted(judge.levels[j])} it says "
                f"{quoted(own[j])} and {quoted(factor.levels[k])}."
            )
        own[j] = factor.levels[k]
    return [own.get(j, "") for j in range(len(judge.levels))]


MOST_AGENTS = 2000  # most agents whose strengths are fitted
# What a column of judges of scores is called
JUDGES = ("judge", "rater", "annotator", "evaluator", "grader", "reviewer", "assessor", "listener")
MOST_PAIRS = 20_000_000  # limit on comparisons that scores imply
UNITS = ("cluster", "task")  # columns that define a unit which several judges may judge


@dataclass(frozen=True, eq=False)
class Voted:
    """The votes of judges, prepared for the fit.

    Parameters
    ----------
    battles : Battles
        The battles that have a judge.
    votes : Votes
        The counted votes.
    columns : tuple of str
        Names of the columns of `votes.x`: position, family, covariates.
    cell : (battles,) int
        The cell of `votes` that every battle counts in.
    x : (battles, k) float
        Position and covariates of every battle.
    seed : int
        Seed of the cross-validation folds.
    """

    battles: Battles
    votes: Votes
    columns: tuple[str, ...]
    cell: Ints
    x: Floats
    seed: int

    @cached_property
    def clusters(self) -> Parts | None:
        """The decided votes by cell and cluster; None without a cluster column."""
        return None if self._cluster is None else self._parts(self._cluster)

    @cached_property
    def folds(self) -> Parts:
        """The decided votes by cell and cross-validation fold; battles of one cluster share it."""
        battles = self.battles
        unit = np.arange(len(battles)) if self._cluster is None else self._cluster
        order = units_by_content(battles.factors["judge"].codes, battles.a, battles.b, battles.outcome, self.x, unit)
        fold = np.empty(len(order), dtype=np.int64)
        fold[order] = np.random.default_rng(self.seed).permutation(len(order)) % FOLDS
        return self._parts(fold[unit])

    @cached_property
    def verdicts(self) -> Verdicts | None:
        """Verdicts on units that several judges judged, if a column identifies units."""
        return None if self._cluster is None else verdicts(self.battles)

    @cached_property
    def _cluster(self) -> Ints | None:
        keys = unit_codes(self.battles)
        return joint([apart(key) for key in keys])[0] if keys else None

    def _parts(self, group: Ints) -> Parts:
        return in_parts(self.cell, group, self.battles.a, self.battles.b, self.battles.outcome)


def unit_codes(battles: Battles) -> list[Codes]:
    """Return the columns that together identify a unit."""
    return [battles.factors[name].codes for name in UNITS if name in battles.factors]


def verdicts(battles: Battles) -> Verdicts:
    """Return the verdicts on units (same pair, cluster and task) that at least two judges judged."""
    keys = unit_codes(battles)
    return shared_verdicts(battles.factors["judge"].codes, battles.a, battles.b, battles.outcome, keys)


def voted(
    evidence: Evidence,
    families: Mapping[str, str] | str | None = None,
    covariates: str | Sequence[str] = (),
    seed: int = 0,
) -> Voted:
    """Return the votes of judges, or raise an error that says what is missing."""
    names = covariate_names(covariates)
    battles = _judged(evidence)
    judge = battles.factors["judge"]
    family = family_members(battles, families)
    x, (a, b, outcome) = _shift_columns(battles, names), (battles.a, battles.b, battles.outcome)
    votes, cell = counted_votes(judge.codes, a, b, outcome, x, n_agents=len(battles.agents), n_judges=len(judge.levels))
    if not votes.n.any():
        raise DataError(
            "judges need votes for one agent or the other; every battle of these is a tie. Nothing can be determined."
        )
    has = (POSITION,) if _knows_order(battles) else ()
    with_own = with_own_family(votes, family, len(has))
    if with_own is None:
        return Voted(battles, votes, (*has, *names), cell, x, seed)
    return Voted(battles, with_own, (*has, OWN_FAMILY, *names), cell, x, seed)


def _judged(evidence: Evidence) -> Battles:
    """The battles with a judge, from at least two judges."""
    if not isinstance(evidence, Battles | Scores):
        raise DataError(
            f"judges need battles or scores, one row each, with a column for the judge; {evidence.kind.replace('_', ' ')} "
            "do not say who judged."
        )
    evidence = evidence if isinstance(evidence, Battles) else with_judges(evidence)
    if "judge" not in evidence.factors:
        has = ", ".join(evidence.factors) or "no further column"
        how = "`--map judge=COLUMN`" if isinstance(evidence, Battles) else "`--keep judge`, the column having that name"
        raise DataError(f"judges need a column that names them; these {evidence.kind} have {has}. Name one with {how}.")
    battles = evidence if isinstance(evidence, Battles) else battles_of_scores(evidence)
    judged_rows = battles.factors["judge"].codes >= 0
    if battles.weight is not None:
        judged_rows &= battles.weight > 0
    battles = battles if judged_rows.all() else battles.take(np.flatnonzero(judged_rows))
    levels = battles.factors["judge"].levels
    if len(levels) < 2:
        only = f"all votes are those of {quoted(levels[0])}" if levels else "no battle names its judge"
        raise DataError(f"judges are compared with each other, so there must be two or more; {only}.")
    fewer = "Choose some with `--only`, or those with more battles with `--min-agent-battles`."
    require_few(len(battles.agents), MOST_AGENTS, "judges are compared on at most {} agents", fewer)
    return battles


def with_judges(scores: Scores) -> Scores:
    """Return the scores with a column of judges where their replicates are judges, by the name of the column in the file."""
    if "judge" in scores.factors or scores.run_name not in JUDGES:
        return scores
    return replace(
        scores, factors={{"replicate": "judge"}.get(name, name): one for name, one in scores.factors.items()}
    )


def battles_of_scores(scores: Scores) -> Battles:
    """Return the battles that scores imply: all pairs of agents that a judge scored on the same task and item.

    >>> scores = Scores(("ada", "bob"), [0, 1], [3.0, 5.0], {"judge": Factor.of(["j", "j"]), "task": Factor.of(["t", "t"])})
    >>> battles_of_scores(scores).outcome
    array([0.])
    """
    keys = [scores.factors[name].codes for name in ("metric", "task", "item", "replicate") if name in scores.factors]
    judge = scores.factors["judge"].codes
    unit = joint([apart(key) for key in keys])[0] if keys else np.arange(len(scores), dtype=np.int64)
    group, n_groups = joint([judge, unit])
    order = np.lexsort((scores.agent, group))
    group, agent, value = group[order], scores.agent[order], (scores.sign() * scores.value)[order]
    size = np.bincount(group, minlength=n_groups)
    total = int((size * (size - 1) // 2).sum())
    fewer = "Choose tasks with `--where` or agents with `--only`."
    require_few(total, MOST_PAIRS, "judges' scores may make at most {} comparisons", fewer)
    near = [(np.flatnonzero(group[d:] == group[:-d]), d) for d in range(1, int(size.max(initial=1)))]
    first = np.concatenate([at for at, _ in near] or [np.zeros(0, dtype=np.int64)])
    second = np.concatenate([at + d for at, d in near] or [np.zeros(0, dtype=np.int64)])
    apart_ = agent[first] != agent[second]
    first, second = first[apart_], second[apart_]
    outcome = (np.sign(value[first] - value[second]) + 1) / 2
    width = len(str(int(unit.max(initial=0))))
    clusters, at = np.unique(unit[order][first], return_inverse=True)
    factors = {
        "judge": Factor.coded(judge[order][first], scores.factors["judge"].levels),
        "cluster": Factor.coded(at, [f"{one:0{width}d}" for one in clusters.tolist()]),
    }
    return Battles(scores.agents, agent[first], agent[second], outcome, factors=factors, reading=scores.reading)


def _knows_order(battles: Battles) -> bool:
    return battles.position is not None and bool(battles.position.any())


def _shift_columns(battles: Battles, covariates: tuple[str, ...]) -> Floats:
    """Position, then covariates in units of their root mean square."""
    position = _knows_order(battles)
    if not position and not covariates:
        return np.zeros((len(battles), 0))
    x = shifts(battles, position, covariates)
    unit = np.sqrt((x**2).mean(axis=0))
    unit[:1] = 1.0 if position else unit[:1]
    return np.asarray(x / np.where(unit > 0, unit, 1.0))


def require_level(level: float) -> None:
    """Raise an error unless the confidence level is between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise UsageError(f"`level` must lie from 0.5 to below 1; got {level!r}: use 0.95 for a confidence of 95 %.")


TIED = 1e-6  # tolerance for equal strengths, in log odds
SHOWN = 3  # agents that a sentence names
# The remark if battles have weights.
UNWEIGHED = "weights of battles are not used: every vote is weighted by the reliability of its judge"


def bradley_terry_judged(profile: Profile, *, covariates: str | Sequence[str] = (), level: float = 0.95) -> Outcome:
    r"""Rate agents by a Bradley-Terry model with a reliability, and a position bias, for every judge.

    .. math::  \operatorname{logit} P_j(a \succ b) = r_j (\theta_a - \theta_b) + x \cdot b_j, \qquad
               \theta \sim N(0, s^2), \quad r_j \sim N(1, \tau^2), \quad b_j \sim N(\bar b, \omega^2),

    with the mean of :math:`r_j` over votes equal to one. A judge with :math:`r_j = 0` votes at random and has no
    effect; one below zero counts reversed. The spreads are estimated, so judges with few votes are shrunk toward the
    others. Crowd-BT [1]_, and the model of Dawid and Skene [2]_ behind it, mix a judge's verdict with its opposite
    instead of scaling the slope.

    Parameters
    ----------
    profile : Profile
        Battles, or scores, with a column ``judge``.
    covariates : sequence of str, or text with commas
        Numeric columns, or ``"length_a - length_b"``, that a judge may reward.
    level : float
        Confidence level of every interval; default 0.95.

    Returns
    -------
    Outcome
        Strengths in log odds with mean zero. *Details*: ``standard_errors`` and ``intervals`` of strengths by agent;
        ``plain``, the strengths if all judges are equally reliable, with the same prior; ``lead`` of the first over
        the second, with its interval; ``judges``, each with ``votes``, ``reliability`` and its interval; ``spread``
        of reliability over judges; ``held_out``, log loss of both on held-out votes, or None if there are too few;
        ``clusters``; ``log_likelihood``.

    Raises
    ------
    DataError
        If no column names judges, all votes are by one judge, or decided votes do not connect the agents.

    Examples
    --------
    Three judges prefer Ada to Bob two times in three; a fourth, with as many votes as the three, votes at random.

    >>> from beatpath import Battles, Factor
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [("ada", "bob", 1)] * 40 + [("ada", "bob", 0)] * 20
    >>> coin = [("ada", "bob", 1)] * 90 + [("ada", "bob", 0)] * 90
    >>> judge = Factor.of(["j"] * 60 + ["k"] * 60 + ["l"] * 60 + ["m"] * 180)
    >>> fit = bradley_terry_judged(profile_of(Battles.of(votes * 3 + coin, factors={"judge": judge})))
    >>> [round(fit.details["judges"][name]["reliability"], 1) for name in "jklm"]
    [1.4, 1.4, 1.4, 0.6]

    Notes
    -----
    Ties are left out: in Davidson's model the odds of a decided vote are those of Bradley-Terry whatever a judge's
    tendency to tie. Weights of battles are ignored. Intervals are those of the posterior given the spreads, widened
    if votes are clustered; they have their coverage on average over agents, less for an agent far from all others.
    The fit alternates Newton steps, dense in the agents.

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
            "bradley_terry_judged needs battles or scores with their judges; resampled votes do not keep them."
        )
    data = voted(evidence, covariates=covariates)
    met = data.votes.n > 0  # a prior would rate agents that decided votes do not connect without any evidence
    require_one_group(data.battles.agents, data.votes.a[met], data.votes.b[met], "bradley_terry_judged")
    plain = consensus(data.votes)
    fit = aware_strengths(data.votes, plain)
    errors = aware_errors(data.votes, fit, data.clusters)
    ranked, score = equal_levels(fit.strength - fit.strength.mean(), TIED)
    z = t_quantile(level, np.inf if errors.clusters is None else max(errors.clusters - 1, 1))
    agents, held = data.battles.agents, held_out_loss(data.votes, data.folds)
    details: dict[str, Any] = {
        "level": level,
        "standard_errors": dict(zip(agents, errors.strength.tolist(), strict=True)),
        "intervals": {
            name: {"low": x - z * e, "high": x + z * e}
            for name, x, e in zip(agents, score.tolist(), errors.strength.tolist(), strict=True)
        },
        "plain": dict(zip(agents, (plain.strength - plain.strength.mean()).tolist(), strict=True)),
        "lead": _lead(agents, score, errors, z),
        "judges": _judges(data, fit, errors, z),
        "spread": float(np.sqrt(fit.spread[0])),
        "held_out": None if held is None else held.to_dict(),
        "clusters": errors.clusters,
        "log_likelihood": float(log_likelihood(data.votes, fit).sum()),
        "scale": "log_odds",
    }
    weight = data.battles.weight
    return Outcome(ranked, score, CONVERGED if weight is None or np.ptp(weight) == 0 else UNWEIGHED, details)


def judged_sentences(details: Mapping[str, Any], scores: Mapping[str, float]) -> tuple[str, ...]:
    r"""Return the effect of modeling judges as sentences: who moves, whether it predicts better, and how judges differ.

    >>> details = {"level": 0.95, "plain": {"ada": -0.1, "bob": 0.1}, "held_out": None, "clusters": None,
    ...            "lead": {"agents": ["ada", "bob"], "estimate": 0.6, "low": 0.1, "high": 1.1},
    ...            "judges": {"j": {"votes": 40, "reliability": 1.5, "low": 1.1, "high": 1.9},
    ...                       "k": {"votes": 40, "reliability": 0.5, "low": 0.1, "high": 0.9}}}
    >>> print("\n".join(judged_sentences(details, {"ada": 0.3, "bob": -0.3})))
    With a reliability for each judge 'ada' is first, not 'bob' as with all judges weighted equally; 2 of 2 agents change rank: 'ada' 2 to 1, 'bob' 1 to 2.
    'ada' leads 'bob' by 0.60 log odds (95 % from 0.10 to 1.10).
    Reliability, 1 on average over votes, runs from 0.50 (0.10 to 0.90) for 'k' to 1.50 (1.10 to 1.90) for 'j'.
    """
    sentences = [_changes_sentence(details["plain"], scores)]
    if details["held_out"] is not None:
        sentences.append(_held_out_sentence(details["held_out"]))
    lead = details["lead"]
    if lead is not None:
        how = "" if details["clusters"] is None else f", clustered by {details['clusters']:,} clusters"
        sentences.append(
            f"{quoted(lead['agents'][0])} leads {quoted(lead['agents'][1])} by {lead['estimate']:.2f} log odds "
            f"({confidence(details['level'])} from {lead['low']:.2f} to {lead['high']:.2f}{how})."
        )
    judges = {name: one for name, one in details["judges"].items() if one["votes"]}
    by = sorted(judges, key=lambda name: (judges[name]["reliability"], name))
    low, high = (
        f"{one['reliability']:.2f} ({one['low']:.2f} to {one['high']:.2f}) for {quoted(name)}"
        for name, one in ((by[0], judges[by[0]]), (by[-1], judges[by[-1]]))
    )
    return (*sentences, f"Reliability, 1 on average over votes, runs from {low} to {high}.")


def _changes_sentence(plain: Mapping[str, float], scores: Mapping[str, float]) -> str:
    """Who is first, and whose rank differs from that with equally reliable judges."""
    names = list(scores)
    here, there = (_ranks(np.array([values[name] for name in names])) for values in (scores, plain))
    first, before = (sorted(name for name, r in zip(names, ranks, strict=True) if r == 1) for ranks in (here, there))
    moved = sorted(
        (-abs(new - old), new, name, old) for name, new, old in zip(names, here, there, strict=True) if new != old
    )
    be = "is" if len(first) == 1 else "are"
    start = f"With a reliability for each judge {listed(first)} {be} first"
    start += f", {'' if first == before else f'not {listed(before)} '}as with all judges weighted equally"
    if not moved:
        return f"{start}, and every agent keeps its rank."
    text = ", ".join(f"{quoted(name)} {old} to {new}" for _, new, name, old in moved[:SHOWN])
    more = f" and {len(moved) - SHOWN:,} more" if len(moved) > SHOWN else ""
    return f"{start}; {len(moved):,} of {counted(len(names), 'agent')} change{'s' if len(moved) == 1 else ''} rank: {text}{more}."


def _held_out_sentence(result: Mapping[str, Any]) -> str:
    word = {"aware": "better than", "plain": "worse than", "alike": "neither better nor worse than"}[result["verdict"]]
    return (
        f"It predicts held-out votes {word} equal weights: log loss {result['aware']:.4f} against "
        f"{result['plain']:.4f}, difference {result['gain']:.4f} with a standard error of {result['standard_error']:.4f}."
    )


def _ranks(strength: Floats) -> list[int]:
    level = levels_by_score(strength, TIED)
    return (1 + np.append(0, np.cumsum(np.bincount(level))))[level].tolist()


def _lead(agents: tuple[str, ...], score: Floats, errors: AwareErrors, z: float) -> dict[str, Any] | None:
    """Lead of the first over the second agent, if there are both."""
    order = np.argsort(-score, kind="stable")
    if len(order) < 2 or (len(order) > 2 and score[order[1]] == score[order[2]]) or score[order[0]] == score[order[1]]:
        return None
    a, b = int(order[0]), int(order[1])
    gap, reach = float(score[a] - score[b]), z * errors.lead(a, b)
    return {"agents": [agents[a], agents[b]], "estimate": gap, "low": gap - reach, "high": gap + reach}


def _judges(data: Voted, fit: Aware, errors: AwareErrors, z: float) -> dict[str, dict[str, float]]:
    """Votes and reliability of every judge."""
    columns = (data.votes.decided(), fit.reliability, errors.coefficient[:, 0])
    return {
        name: {"votes": int(n), "reliability": r, "low": r - z * e, "high": r + z * e}
        for name, n, r, e in zip(data.battles.factors["judge"].levels, *(c.tolist() for c in columns), strict=True)
    }
