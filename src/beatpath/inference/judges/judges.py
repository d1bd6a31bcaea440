"""`judges`: reliability, favoritism and agreement of judges, and what one of them could change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._progress import doing
from beatpath._validate import require_whole
from beatpath.inference.judges.judges_result import Judge, Judges, agreement_of, first_of
from beatpath.inference.judges.panel import panel_of
from beatpath.inference.judges.turning import Turn, votes_to_turn
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.rating.judged import Voted, require_level, voted
from beatpath.methods.result import levels_by_score
from beatpath.stats.codes import sums_by_code
from beatpath.stats.intervals import Interval
from beatpath.stats.judges.aware import Aware, aware_strengths, held_out_loss, vote_weights
from beatpath.stats.judges.examined import LEAST, OWN_FAMILY, POSITION, Examined, alarms_of, coefficient, examined

MOST_SEARCHED = 12  # judges, those with the most votes, for whom a change of the winner is searched
MOST_CELLS = 20_000_000  # largest table of judges by agents for which influence is computed


def judges(
    evidence: EvidenceLike,
    *,
    families: Mapping[str, str] | str | None = None,
    covariates: str | Sequence[str] = (),
    gold: str | None = None,
    level: float = 0.95,
    min_votes: int = LEAST,
    seed: int = 0,
) -> Judges:
    """Compare every judge with the consensus of the others: reliability, position bias, self-preference, agreement.

    Use it to find LLM or human judges that vote at random, favor their own family, or decide the winner on their own.

    Parameters
    ----------
    evidence : Battles or Scores, or what `read` takes
        With a column ``judge``; scores become the comparisons implied by each judge's scores.
    families : mapping of name to family, or name of a column, optional
        Which agents are related to a judge, for self-preference. By default the agent of the same name. A mapping gives
        judges and agents a family, such as their vendor; a column names the agent that a judge is.
    covariates : sequence of str, or text with commas
        Numeric columns, or ``"length_a - length_b"``, that a judge may reward.
    gold : str, optional
        The judge whose votes count as right, such as a human, for the correlation of the others' errors.
    level : float, default 0.95
        Confidence level of every interval; the family-wise error of all alarms is at most ``1 - level``.
    min_votes : int, default 20
        Fewest decided votes for a judge to be tested individually.
    seed : int, default 0
        Seed of the cross-validation folds.

    Returns
    -------
    Judges

    See Also
    --------
    rank : With ``judges="reliability"``, battles weighted by their judges.

    Examples
    --------
    Four judges mostly prefer ada to bob to cyd; the fifth tosses a coin.

    >>> from beatpath import Battles, Factor
    >>> rng = np.random.default_rng(0)
    >>> who, a = np.arange(1000) % 5, rng.integers(3, size=1000)
    >>> b = (a + rng.integers(1, 3, size=1000)) % 3
    >>> p = np.where(who == 4, 0.5, 1 / (1 + np.exp(1.2 * (a - b))))
    >>> outcome = (rng.random(1000) < p).astype(float)
    >>> votes_of = Battles(("ada", "bob", "cyd"), a, b, outcome, factors={"judge": Factor.of(np.array(list("jklmn"))[who])})
    >>> tests = judges(votes_of)
    >>> print(tests.sentences[0])
    1 of 5 judges is flagged (5 % chance of any false alarm): 'n' answers as if at random.
    """
    evidence = as_evidence(evidence)
    require_level(level)
    require_whole("min_votes", min_votes, 2)
    doing("counting the judges' votes")
    votes_of = voted(evidence, families, covariates, seed)
    doing("comparing every judge with the others")
    tests = examined(votes_of.votes, votes_of.columns, votes_of.clusters, error=1 - level, least=min_votes)
    aware = aware_strengths(votes_of.votes, tests.consensus)
    agents, names = votes_of.battles.agents, votes_of.battles.factors["judge"].levels
    order = np.argsort(-tests.consensus.strength, kind="stable")
    doing("testing what one judge could change")
    entries = _entries(votes_of, tests, aware, level)
    doing("predicting held-out votes")
    return Judges(
        tuple(agents[i] for i in order),
        entries,
        _by_agent(agents, tests.consensus.strength, order),
        _by_agent(agents, aware.strength, order),
        float(np.sqrt(aware.spread[0])),
        agreement_of(votes_of.verdicts, names, level, evidence),
        held_out_loss(votes_of.votes, votes_of.folds),
        level,
        {
            "families": dict(families) if isinstance(families, Mapping) else families,
            "covariates": [name for name in votes_of.columns if name not in (POSITION, OWN_FAMILY)],
            "allowed_for": list(votes_of.columns),
            "gold": gold,
            "min_votes": min_votes,
            "seed": seed,
        },
        panel_of(votes_of, tests.consensus, gold, level),
    )


def _by_agent(agents: tuple[str, ...], strength: Floats, order: Ints) -> dict[str, float]:
    centered = strength - strength.mean()
    return {agents[i]: float(centered[i]) for i in order}


def _entries(data: Voted, tests: Examined, aware: Aware, level: float) -> tuple[Judge, ...]:
    """Return one entry per judge, those with alarms first, then by number of votes."""
    votes, names = data.votes, data.battles.factors["judge"].levels
    decided, ties = votes.decided(), sums_by_code(votes.judge, votes.ties, votes.n_judges)
    turns, weights = _turns(data, tests), vote_weights(data.votes, aware)
    whole = levels_by_score(tests.consensus.strength)
    entries = [Judge(name, int(decided[j]), int(ties[j]), None, float(weights[j])) for j, name in enumerate(names)]
    for k, (j, strength) in enumerate(zip(tests.judge.tolist(), tests.without.strength, strict=True)):
        dropped, turned = turns.get(j, (None, None))
        entries[j] = replace(
            entries[j],
            reliability=coefficient(tests, k, 0, level),
            shifts=_shifts(data.columns, tests, k, level),
            first_without=first_of(data.battles.agents, strength),
            distance=kendall_distance(levels_by_score(strength), whole),
            dropped=dropped,
            reversed=turned,
            alarms=alarms_of(data.votes, tests, k, level),
        )
    return tuple(sorted(entries, key=lambda one: (not one.alarms, -one.votes, one.name)))


def _shifts(columns: tuple[str, ...], tests: Examined, k: int, level: float) -> dict[str, Interval]:
    """Return the effects of columns, as shares of votes between equal agents."""
    shifts = {}
    for column, name in enumerate(columns, 1):
        value = coefficient(tests, k, column, level)
        if value is not None:
            shifts[name] = Interval(*(float(expit(end)) for end in (value.estimate, value.low, value.high)))
    return shifts


def _turns(data: Voted, tests: Examined) -> dict[int, tuple[Turn, Turn]]:
    """Return what the judges with the most votes could change, by dropping votes and by reversing them."""
    votes, agents = data.votes, data.battles.agents
    if len(first_of(agents, tests.consensus.strength)) > 1:
        return {}
    rows, decided, turns = votes.pooled(), votes.decided(), {}
    for j in np.argsort(-decided, kind="stable")[:MOST_SEARCHED].tolist():
        own = votes.take(votes.judge == j)
        if decided[j] > 0 and len(own) * votes.n_agents <= MOST_CELLS:
            dropped, turned = (votes_to_turn(rows, own, tests.consensus, agents, round_=how) for how in (False, True))
            turns[j] = (dropped, turned)
    return turns
