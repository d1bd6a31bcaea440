r"""A panel of judges: correlated errors, how many independent judges it is worth, and whom it could do without.

A vote of judge *j* on a battle of pair *p* is :math:`1/2 + s_j m_p` plus an error, where :math:`m_p` is the win rate less
one half by the strengths of all judges, or of the gold judge alone; errors given gold are what its vote on the battle does not
predict. With :math:`\Sigma` the covariance of errors on the same battle, equal votes of a panel *S* carry the information

.. math::  J_S = \frac{\left(\sum_{j \in S} s_j\right)^2}{\sum_{i, j \in S} \Sigma_{ij}}

about the strengths, and the panel is worth :math:`J_S` over the mean of :math:`J_{\{j\}}` judges: *k* for independent
judges that are alike, :math:`k / (1 + (k - 1) \rho)` for errors of correlation :math:`\rho`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from beatpath._arrays import Bools, Floats
from beatpath._result import Record
from beatpath._sentence import named, plain_text
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_known
from beatpath.inference.leaderboard import variances_of_differences
from beatpath.methods.rating.judged import UNITS, Voted
from beatpath.stats.codes import apart, joint
from beatpath.stats.intervals import Interval, jackknife_error, t_quantile
from beatpath.stats.judges.consensus import Consensus, consensus
from beatpath.stats.judges.votes import Votes, mean_votes, of_judges

LEAST = 50  # fewest battles that all two judges of a panel share
MOST_JUDGES = 20  # most judges in a panel, those with the most votes
GROUPS = 20  # groups of battles, left out in turn for the standard error


@dataclass(frozen=True, slots=True)
class JudgePanel(Record):
    """What the judges of the same battles are worth together.

    Attributes
    ----------
    judges : tuple of str
        The judges, without the gold judge.
    gold : str or None
        The judge whose votes count as right.
    correlation : float
        Mean correlation of the errors of two judges on the same battle.
    worth : Interval
        Number of independent judges of their mean quality that the panel is worth.
    without : mapping of str to float
        The same without each judge.
    smallest : tuple of str
        The smallest panel found that keeps the verdict: who is first, and every significant order.
    smallest_worth : float
        What it is worth.
    """

    judges: tuple[str, ...]
    gold: str | None
    correlation: float
    worth: Interval
    without: dict[str, float]
    smallest: tuple[str, ...]
    smallest_worth: float

    @property
    def sentence(self) -> str:
        """What the panel is worth, whom to drop, and the smallest panel that keeps the verdict."""
        given = "" if self.gold is None else f" given {quoted(self.gold)}"
        text = (
            f"{counted(len(self.judges), 'judge')} of the same battles are worth {self.worth.estimate:.1f} independent ones "
            f"({self.worth.low:.1f} to {self.worth.high:.1f}): the mean correlation of their errors{given} is {self.correlation:.2f}."
        )
        drop, keep = (pick(self.without, key=lambda one: (self.without[one], one)) for pick in (max, min))
        if self.without[drop] > self.worth.estimate:
            text += f" Without {quoted(drop)} they are worth {self.without[drop]:.1f}: drop it."
        text += f" Leaving out {quoted(keep)} would cost most."
        few, verb = plain_text(named(self.smallest)), "gives" if len(self.smallest) == 1 else "give"
        alone = f" {few} alone {verb} the same first place and certain orders (worth {self.smallest_worth:.1f})."
        return text + (alone if len(self.smallest) < len(self.judges) else "")


def panel_of(data: Voted, whole: Consensus, gold: str | None, level: float) -> JudgePanel | None:
    """Return the panel of judges; None where two of them share too few battles."""
    names = data.battles.factors["judge"].levels
    if gold is not None:
        require_known(gold, names, f"`gold` must name a judge, {listed(names, 5)}; {quoted(gold)} is none.")
    right = None if gold is None else names.index(gold)
    order = [j for j in np.argsort(-data.votes.decided(), kind="stable").tolist() if j != right][:MOST_JUDGES]
    if right is not None:
        whole = consensus(of_judges(data.votes, np.arange(len(names)) == right, None)[0])
    X, m = _table(data, whole)
    if right is not None:
        X, m = X[np.isfinite(X[:, right])], m[np.isfinite(X[:, right])]
    present = np.isfinite(X).astype(np.float64)
    known = present[:, order]
    if len(order) < 2 or (known.T @ known).min() < LEAST:
        return None
    X, square = np.nan_to_num(X), present * m[:, None] ** 2
    signal = X * m[:, None]
    slope = signal.sum(axis=0) / np.maximum(square.sum(axis=0), 1e-300)
    E = (X - m[:, None] * slope) * present
    if right is not None:
        E = E - np.multiply.outer(E[:, right], E.T @ E[:, right] / max(float(E[:, right] @ E[:, right]), 1e-300))
    E, signal, square = E[:, order] * known, signal[:, order], square[:, order]

    def sums(some: Bools) -> tuple[Floats, ...]:
        return E[some].T @ E[some], known[some].T @ known[some], signal[some].sum(axis=0), square[some].sum(axis=0)

    every, group = list(range(len(order))), np.arange(len(E)) % GROUPS
    total = sums(group >= 0)
    worth = partial(_worth, total)
    again = [_worth(sums(group != g), every) for g in range(GROUPS)]
    half, estimate = t_quantile(level, GROUPS - 1) * jackknife_error(np.array(again)), worth(every)
    covariance = total[0] / total[1]
    sd = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    smallest = _smallest(data.votes, whole, order, worth)
    return JudgePanel(
        tuple(names[j] for j in order),
        gold,
        float((covariance / np.multiply.outer(sd, sd))[np.triu_indices(len(order), 1)].mean()),
        Interval(estimate, max(estimate - half, 0.0), estimate + half),
        {names[order[k]]: worth([i for i in every if i != k]) for k in every},
        tuple(names[order[k]] for k in smallest),
        worth(smallest),
    )


def _table(data: Voted, whole: Consensus) -> tuple[Floats, Floats]:
    """Return the mean vote of every judge on every battle, less one half, NaN where none; and the predicted one."""
    battles, judge = data.battles, data.battles.factors["judge"]
    keys = [apart(battles.factors[name].codes) for name in UNITS if name in battles.factors]
    low, high = np.minimum(battles.a, battles.b).astype(np.int64), np.maximum(battles.a, battles.b)
    unit, size = joint([low, high, *(keys or [np.arange(len(battles))])])
    y = np.where(battles.a < battles.b, battles.outcome, 1 - battles.outcome) - 0.5
    lead = np.zeros(size)
    lead[unit] = whole.strength[low] - whole.strength[high]
    return mean_votes(unit, judge.codes, y, (size, len(judge.levels))), expit(lead) - 0.5


def _worth(sums: Sequence[Floats], some: list[int]) -> float:
    """Return the information of equal votes of some judges over the mean of all single ones.

    `sums` are those of products of errors and their number, (k, k), and of the slopes' numerators and denominators.
    """
    covariance, slope = sums[0] / np.maximum(sums[1], 1), sums[2] / np.maximum(sums[3], 1e-300)
    single = float((slope**2 / np.maximum(np.diag(covariance), 1e-300)).mean())
    noise = max(float(covariance[np.ix_(some, some)].sum()), 1e-300)
    return float(max(slope[some].sum(), 0.0) ** 2 / noise / max(single, 1e-300))


def _smallest(votes: Votes, whole: Consensus, order: list[int], worth: "partial[float]") -> list[int]:
    """Drop judges while the verdict holds, each time the one whose absence leaves the panel worth the most."""
    variance = variances_of_differences(whole.covariance[: votes.n_agents, : votes.n_agents])
    error = np.sqrt(np.maximum(variance, 1e-300))
    sure = whole.strength[:, None] - whole.strength[None, :] > t_quantile(0.95) * error
    first, panel = int(np.argmax(whole.strength)), list(range(len(order)))
    while len(panel) > 1:
        for k in sorted(panel, key=lambda k: (-worth([i for i in panel if i != k]), k)):
            rest = [i for i in panel if i != k]
            chosen = np.isin(np.arange(votes.n_judges), [order[i] for i in rest])
            strength = consensus(of_judges(votes, chosen, None)[0]).strength
            if int(np.argmax(strength)) == first and not (sure & (strength[:, None] < strength[None, :])).any():
                panel = rest
                break
        else:
            return panel
    return panel
