r"""Checks of sampling: how evenly evidence is spread over agents, pairs and weights, and how strong opponents were.

For agent *x* the strength of its opponents is the mean over its battles of the opponent's win rate *in battles
without x*, ties as half. If every pair battled equally often, it is one half for every agent, whatever the outcomes:
the battles among the others have as many wins as losses. For ballots: who is ranked, how completely, and with how
many ties.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats
from beatpath._text import counted, listed, percent, rounded
from beatpath.checks.finding import CheckLimits, Finding, failed, judged, not_run, passed, warning, with_most
from beatpath.checks.outcomes import agent_totals
from beatpath.evidence import Ballots, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.stats.codes import sums_by_code
from beatpath.stats.intervals import effective_number


def battles_per_agent(pairs: Pairs) -> Floats:
    """Return the number of battles of each agent."""
    n = len(pairs.agents)
    return sums_by_code(pairs.a, pairs.battles, n) + sums_by_code(pairs.b, pairs.battles, n)


def gini(sizes: NDArray[np.generic]) -> float:
    r"""Return the Gini coefficient, :math:`\sum_{ij} |x_i - x_j| / (2 n \sum_i x_i)`.

    It is 0 for equal sizes, and near 1 if one size dominates.

    >>> gini(np.array([1, 1, 1])), gini(np.array([0, 1]))
    (0.0, 0.5)
    """
    x = np.sort(np.asarray(sizes, dtype=np.float64))
    n, total = len(x), float(x.sum())
    return float(((2 * np.arange(1, n + 1) - n - 1) * x).sum() / (n * total)) if total > 0 else 0.0


def spread(sizes: NDArray[np.generic]) -> dict[str, Any]:
    """Return statistics of a list of sizes: smallest, median, largest, Gini coefficient, effective number."""
    x = np.asarray(sizes, dtype=np.float64)
    if not x.size:
        return {"number": 0}
    return {
        "number": len(x),
        "min": float(x.min()),
        "median": float(np.median(x)),
        "max": float(x.max()),
        "gini": gini(x),
        "effective": effective_number(x),
    }


def balance(pairs: Pairs, limits: CheckLimits) -> Finding:
    """Report how evenly battles are spread over the agents, and over the compared pairs."""
    agent, pair = spread(battles_per_agent(pairs)), spread(pairs.battles)
    sentence = (
        f"Battles per agent: {_range(agent)}, an effective number of {rounded(agent['effective'])} of "
        f"{agent['number']:,} agents. Battles per compared pair: {_range(pair)}, an effective number of {rounded(pair['effective'])} of "
        f"{pair['number']:,} pairs."
    )
    figures = {"per agent": agent, "per pair": pair}
    return judged(
        min(agent["effective"] / agent["number"], pair["effective"] / pair["number"]) >= limits.effective,
        sentence,
        figures,
    )


def _range(sizes: dict[str, Any]) -> str:
    """From smallest to largest, with the median."""
    if sizes["min"] == sizes["max"]:
        return f"{sizes['min']:,.6g}"
    return f"{sizes['min']:,.6g} to {sizes['max']:,.6g} (median {sizes['median']:,.6g})"


def few_battles(pairs: Pairs, limits: CheckLimits, unit: str = "battle") -> Finding:
    """Report agents, sorted by name, with too few battles for their own win rate."""
    battles = battles_per_agent(pairs)
    order = np.argsort(battles, kind="stable")[: int((battles < limits.few_battles).sum())].tolist()
    thin = [pairs.agents[i] for i in order]
    figures = {"limit": limits.few_battles, "agents": dict(zip(thin, battles[order].astype(int).tolist(), strict=True))}
    if not thin:
        return passed(f"Every agent has {limits.few_battles} {unit}s or more.", figures)
    sentence = (
        f"{len(thin):,} of {counted(len(pairs.agents), 'agent')} {'has' if len(thin) == 1 else 'have'} fewer than "
        f"{limits.few_battles} {unit}s (fewest: {int(battles.min())}): {listed(thin)}."
    )
    return warning(sentence, figures)


def weights(total: float, square: float, n: int, weighted: bool, limits: CheckLimits, unit: str = "battle") -> Finding:
    r"""Report the effective sample size of weighted battles, :math:`(\sum w)^2 / \sum w^2` (Kish)."""
    if not weighted or total == square == n:  # all weights are one: the squares of weights minus one sum to zero
        return passed(f"Every {unit} weighs one.", {"effective": n, "number": n})
    effective = total**2 / square if square > 0 else 0.0
    figures = {"effective": effective, "number": n, "total": total}
    if not total:
        return failed(f"The weights of {counted(n, unit)} add up to 0.", figures, "No evidence remains.")
    sentence = f"The weights make {counted(n, unit)} worth {effective:,.4g} of equal weight ({percent(effective / n)})."
    return judged(effective >= limits.effective * n, sentence, figures)


def opposition(pairs: Pairs) -> Floats:
    """Return the mean win rate of each agent's opponents against others, NaN if they battled nobody else.

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


def opponents(pairs: Pairs, limits: CheckLimits) -> Finding:
    """Report whether all agents faced opponents of similar strength."""
    strength = opposition(pairs)
    known = np.flatnonzero(~np.isnan(strength))
    if len(known) < 2:
        return not_run("Fewer than two agents have opponents with battles against others.")
    ends = strength[known].min(), strength[known].max()
    low, high = with_most(-strength, pairs.agents), with_most(strength, pairs.agents)
    gap = float(ends[1] - ends[0])
    figures = {
        "range": gap,
        "weakest": {"agents": low, "strength": ends[0]},
        "strongest": {"agents": high, "strength": ends[1]},
        "strength": dict(zip(map(pairs.agents.__getitem__, known), strength[known].tolist(), strict=True)),
    }
    if gap < 0.01:
        sentence = f"Every agent's opponents win about {percent(ends[0])} of their other battles."
    else:
        sentence = (
            f"Opponents of {listed(high, 3)} win {percent(ends[1])} of their other battles, those of {listed(low, 3)} "
            f"{percent(ends[0])}."
        )
    return judged(gap < limits.opponents, sentence, figures)


def completeness(ballots: Ballots) -> Finding:
    """Report how many ballots rank every agent, and how many rank one or none."""
    n = int(ballots.count.sum())
    length = np.diff(ballots.start)
    full, single, empty = (
        int(ballots.count[which].sum()) for which in (length == len(ballots.agents), length == 1, length == 0)
    )
    figures = {"ballots": n, "complete": full, "incomplete": n - full, "single": single, "empty": empty}
    sentence = (
        f"{n - full:,} of {counted(n, 'ballot')} ({percent((n - full) / n)}) leave agents out"
        f"{f'; {single:,} rank a single agent and {empty:,} none' if single or empty else ''}."
    )
    return judged(full == n, sentence, figures, f"All {counted(n, 'ballot')} rank every agent.")


def shared_places(ballots: Ballots, limits: CheckLimits) -> Finding:
    """Report how many of the comparisons on ballots are ties."""
    n, start = int(ballots.count.sum()), ballots.start
    length = np.diff(start)
    ballot = np.repeat(np.arange(len(ballots)), length)
    first = np.diff(ballots.place, prepend=-1) != 0
    first[start[:-1][length > 0]] = True
    sizes = np.diff(np.append(np.flatnonzero(first), len(ballots.place))).astype(np.float64)
    tied = np.bincount(ballot[first], sizes * (sizes - 1) / 2, minlength=len(ballots))
    n_comparisons = float((ballots.count * length * (length - 1) / 2).sum())
    share = float((ballots.count * tied).sum()) / n_comparisons if n_comparisons else 0.0
    with_ties = int(ballots.count[tied > 0].sum())
    figures = {"ballots with ties": with_ties, "comparisons": n_comparisons, "tied share": share}
    sentence = (
        f"{with_ties:,} of {counted(n, 'ballot')} rank agents as tied; {percent(share)} of the "
        f"{n_comparisons:,.6g} comparisons they make are ties."
    )
    return judged(share < limits.ties, sentence, figures)


def never_ranked(ballots: Ballots) -> Finding:
    """Report agents that no ballot ranks."""
    counted_in = np.repeat(ballots.count, np.diff(ballots.start)) > 0
    ranked = np.bincount(ballots.agent, counted_in, minlength=len(ballots.agents)) > 0
    absent = [name for name, there in zip(ballots.agents, ranked, strict=True) if not there]
    fine = "Every agent is ranked by some ballot."
    return judged(not absent, f"No ballot ranks {listed(absent)}.", {"agents": absent}, fine)


def repeat_voters(ballots: Ballots) -> Finding:
    """Report voters that cast more than one ballot."""
    if "voter" not in ballots.factors:
        return not_run("No column names the voters.")
    factor = ballots.factors["voter"]
    cast = np.bincount(factor.codes[factor.codes >= 0], minlength=len(factor.levels))
    several = [factor.levels[i] for i in np.flatnonzero(cast > 1)]
    figures = {"voters": len(cast), "repeat": len(several), "max": int(cast.max(initial=0))}
    sentence = f"{len(several):,} of {counted(len(cast), 'voter')} cast several ballots, up to {figures['max']:,}: {listed(several)}."
    return judged(not several, sentence, figures, "Every voter cast one ballot.")
