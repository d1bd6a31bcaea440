r"""How strong the opponents were that each agent happened to meet.

For agent *x* the strength of its opposition is the mean over its battles of the opponent's win rate *in battles
without x*, ties as half. Where every pair met equally often it is one half for every agent, whatever the outcomes:
the battles among the others have as many wins as losses.
"""

import numpy as np
from numpy.typing import NDArray

from beatpath._text import percent, quoted
from beatpath.checks.finding import Finding, not_run
from beatpath.checks.limits import Limits
from beatpath.checks.outcomes import agent_totals
from beatpath.evidence import Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN


def opposition(pairs: Pairs) -> NDArray[np.float64]:
    """Return the mean win rate of each agent's opponents against others, NaN where these met nobody else.

    >>> from beatpath.evidence import Battles
    >>> opposition(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("bob", "cyd", 1)]).pairs())
    array([ 1., nan,  0.])
    """
    points = agent_totals(pairs) @ np.array([1.0, 0.0, 0.5, 0.5])
    total = agent_totals(pairs).sum(axis=1)
    half = (pairs.counts[:, TIE] + pairs.counts[:, BOTH_BAD]) / 2
    met = pairs.counts.sum(axis=1)
    sides = [(pairs.a, pairs.b, pairs.counts[:, LOSS] + half), (pairs.b, pairs.a, pairs.counts[:, WIN] + half)]
    n = len(pairs.agents)
    rated, weight = np.zeros(n), np.zeros(n)
    for own, other, conceded in sides:
        rest = total[other] - met
        known = rest > 1e-9 * total[other]
        rate = np.divide(points[other] - conceded, rest, out=np.zeros(len(rest)), where=known)
        rated += np.bincount(own, met * rate * known, minlength=n)
        weight += np.bincount(own, met * known, minlength=n)
    return np.divide(rated, weight, out=np.full(n, np.nan), where=weight > 0)


def opponents(pairs: Pairs, limits: Limits) -> Finding:
    """Say whether all agents faced opposition of like strength."""
    strength = opposition(pairs)
    known = np.flatnonzero(~np.isnan(strength))
    if len(known) < 2:
        return not_run("opponents", "Fewer than two agents have opponents that also met others.")
    low, high = (known[pick(strength[known].round(12))] for pick in (np.argmin, np.argmax))
    gap = float(strength[high] - strength[low])
    figures = {
        "range": gap,
        "weakest": {"agent": pairs.agents[low], "strength": strength[low]},
        "strongest": {"agent": pairs.agents[high], "strength": strength[high]},
        "strength": {pairs.agents[i]: strength[i] for i in known},
    }
    if gap < 0.01:
        sentence = f"Every agent's opponents win about {percent(strength[low])} of their other battles."
    else:
        sentence = (
            f"Opponents of {quoted(pairs.agents[high])} win {percent(strength[high])} of their other battles, those of "
            f"{quoted(pairs.agents[low])} {percent(strength[low])}."
        )
    if gap < limits.opponents:
        return Finding("opponents", "passed", sentence, "", figures)
    consequence = (
        "Win rates as sampled are not comparable between agents: use rates averaged over rivals, or a rating model."
    )
    return Finding("opponents", "warning", sentence, consequence, figures)
