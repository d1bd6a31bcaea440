"""`judges`: reliability, favours and agreement of judges, and what one of them could turn."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._progress import doing
from beatpath._text import quoted
from beatpath.evidence import Evidence
from beatpath.inference.judges.judges_result import Judge, Judges, agreement_of, first_of
from beatpath.inference.judges.turning import Turn, votes_to_turn
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.rating.judged import Voted, require_level, voted
from beatpath.methods.result import levels_by_score
from beatpath.methods.run import require_evidence
from beatpath.stats.codes import sums_by_code
from beatpath.stats.intervals import Interval
from beatpath.stats.judges.aware import Aware, aware_strengths, held_out_loss, vote_weights
from beatpath.stats.judges.examined import KIN, LEAST, POSITION, Examined, alarms_of, coefficient, examined

ASKED = 12  # judges, those with most votes, of whom it is asked what they could turn
MOST_CELLS = 20_000_000  # of a judge by agents, that influence is worked out for


def judges(
    evidence: Evidence,
    *,
    families: Mapping[str, str] | str | None = None,
    covariates: str | Sequence[str] = (),
    level: float = 0.95,
    least: int = LEAST,
    seed: int = 0,
) -> Judges:
    """Hold every judge against the consensus of the others.

    Parameters
    ----------
    evidence : Battles or Scores
        With a column ``judge``; scores become the comparisons that each judge's scores make.
    families : mapping of name to family, or name of a column, optional
        Who is whose kin. By default a judge is kin of the agent of its name. A mapping gives judges and agents a family, such as
        their maker; a column names the agent that a judge is.
    covariates : sequence of str, or text with commas
        Numeric columns, or ``"length_a - length_b"``, that a judge may reward.
    level : float
        Confidence of every interval; all alarms together are false with a probability of at most ``1 - level``.
    least : int
        Votes for either side below which nothing is said of a judge by itself.
    seed : int
        Of the folds that are held out.

    Returns
    -------
    Judges

    Examples
    --------
    Four judges prefer Ada to Bob to Cyd, mostly; the fifth tosses a coin.

    >>> from beatpath import Battles, Factor
    >>> rng = np.random.default_rng(0)
    >>> who, a = np.arange(1000) % 5, rng.integers(3, size=1000)
    >>> b = (a + rng.integers(1, 3, size=1000)) % 3
    >>> p = np.where(who == 4, 0.5, 1 / (1 + np.exp(1.2 * (a - b))))
    >>> outcome = (rng.random(1000) < p).astype(float)
    >>> told = Battles(("ada", "bob", "cyd"), a, b, outcome, factors={"judge": Factor.of(np.array(list("jklmn"))[who])})
    >>> found = judges(told)
    >>> print(found.sentences[0])
    1 of 5 judges falls out (false alarms: 5 % over all): 'n' answers as if at random.
    """
    require_evidence(evidence)
    require_level(level)
    if isinstance(least, bool) or not isinstance(least, int) or least < 2:
        raise UsageError(f"`least` must be a whole number of votes, 2 or more; got {quoted(least)}.")
    doing("counting the judges' votes")
    told = voted(evidence, families, covariates, seed)
    doing("holding every judge against the others")
    found = examined(told.votes, told.columns, told.clusters, error=1 - level, least=least)
    aware = aware_strengths(told.votes, found.consensus)
    agents, names = told.battles.agents, told.battles.factors["judge"].levels
    order = np.argsort(-found.consensus.strength, kind="stable")
    doing("asking what one judge could turn")
    entries = _entries(told, found, aware, level)
    doing("predicting votes held out")
    return Judges(
        tuple(agents[i] for i in order),
        entries,
        _by_agent(agents, found.consensus.strength, order),
        _by_agent(agents, aware.strength, order),
        float(np.sqrt(aware.spread[0])),
        agreement_of(told.verdicts, names, level),
        held_out_loss(told.votes, told.folds),
        level,
        {
            "families": dict(families) if isinstance(families, Mapping) else families,
            "covariates": [name for name in told.columns if name not in (POSITION, KIN)],
            "least": least,
            "seed": seed,
        },
    )


def _by_agent(agents: tuple[str, ...], strength: Floats, order: Ints) -> dict[str, float]:
    centred = strength - strength.mean()
    return {agents[i]: float(centred[i]) for i in order}


def _entries(told: Voted, found: Examined, aware: Aware, level: float) -> tuple[Judge, ...]:
    """One entry a judge, those that fall out first, then by falling number of votes."""
    votes, names = told.votes, told.battles.factors["judge"].levels
    decided, ties = votes.decided(), sums_by_code(votes.judge, votes.ties, votes.n_judges)
    place = {int(j): k for k, j in enumerate(found.judge)}
    turns, weights = _turns(told, found), vote_weights(told.votes, aware)
    whole = levels_by_score(found.consensus.strength)
    made = []
    for j, name in enumerate(names):
        more: dict[str, Any] = {}
        if j in place:
            k = place[j]
            strength = found.without.strength[k]
            more = {
                "shifts": _shifts(told.columns, found, k, level),
                "first_without": first_of(told.battles.agents, strength),
                "distance": kendall_distance(levels_by_score(strength), whole),
                "alarms": alarms_of(told.votes, found, k, level),
            }
            dropped, turned = turns.get(j, (None, None))
            more |= {"dropped": dropped, "turned": turned}
        reliability = coefficient(found, place[j], 0, level) if j in place else None
        made.append(Judge(name, int(decided[j]), int(ties[j]), reliability, float(weights[j]), **more))
    return tuple(sorted(made, key=lambda one: (not one.alarms, -one.votes, one.name)))


def _shifts(columns: tuple[str, ...], found: Examined, k: int, level: float) -> dict[str, Interval]:
    """What columns add, as shares of votes between equal agents."""
    made = {}
    for column, name in enumerate(columns, 1):
        value = coefficient(found, k, column, level)
        if value is not None:
            made[name] = Interval(*(float(expit(end)) for end in (value.estimate, value.low, value.high)))
    return made


def _turns(told: Voted, found: Examined) -> dict[int, tuple[Turn, Turn]]:
    """What the judges with most votes could turn, by leaving votes out and by turning them round."""
    votes, agents = told.votes, told.battles.agents
    rows, starts, decided = votes.pooled(), votes.slices(), votes.decided()
    most = [int(j) for j in np.lexsort((np.arange(votes.n_judges), -decided))[:ASKED] if decided[j] > 0]
    made: dict[int, tuple[Turn, Turn]] = {}
    if len(first_of(agents, found.consensus.strength)) > 1:
        return made
    for j in most:
        own = votes.take(slice(int(starts[j]), int(starts[j + 1])))
        if len(own) * votes.n_agents <= MOST_CELLS:
            dropped, turned = (votes_to_turn(rows, own, found.consensus, agents, round_=how) for how in (False, True))
            made[j] = (dropped, turned)
    return made
