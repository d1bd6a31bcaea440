r"""Dawid and Skene's model: units have a true verdict, and every judge errs in its own way.

.. math::  P(\text{data}) = \prod_u \sum_t \rho_t \prod_{j \text{ saw } u} \pi^{(j)}_{t, v_{ju}},

fitted by EM [1]_, every confusion matrix :math:`\pi^{(j)}` with a prior of `PRIOR` verdicts on the share of right answers that all
judges together have, so that a judge of few units is drawn towards them. Every unit enters twice, the second time with the pair turned round, so that nothing
depends on the names of the agents.

References
----------
.. [1] A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm", *Applied
       Statistics* 28 (1979), 20-28.
"""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.stats.intervals import t_quantile
from beatpath.stats.verdicts import Verdicts

VALUES = 3
PRIOR = 1.0  # verdicts
GROUPS = 20  # of units, left out one at a time for the standard errors
ROUNDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class TrueVerdicts:
    """What EM ended with.

    Parameters
    ----------
    share : (3,) float
        Of the true verdicts.
    confusion : (judges, 3, 3) float
        Probability of a verdict (last) by the true one.
    truth : (units, 3) float
        Probability of each true verdict.
    """

    share: Floats
    confusion: Floats
    truth: Floats

    def accuracy(self) -> Floats:
        """Return how probably each judge gives the true verdict, (judges,)."""
        return np.asarray(np.einsum("t,jtt->j", self.share, self.confusion))


def dawid_skene(found: Verdicts, n_judges: int, *, prior: float = PRIOR) -> TrueVerdicts:
    """Fit true verdicts and confusion matrices by EM.

    Examples
    --------
    Three judges, the last of whom errs on one unit of four.

    >>> value = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1]])
    >>> judge, unit = np.tile(np.arange(3), 4), np.repeat(np.arange(4), 3)
    >>> accuracy = dawid_skene(Verdicts(judge, unit, value.ravel()), 3).accuracy()
    >>> bool(accuracy[0] == accuracy[1] > accuracy[2])
    True
    """
    both = found.mirrored()
    counts = both.counts().astype(np.float64)
    truth = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    for _ in range(ROUNDS):
        share = truth.mean(axis=0)
        confusion = _confusion(both, truth, n_judges, prior)
        new = _posterior(both, share, confusion, len(truth))
        done = float(np.abs(new - truth).max(initial=0.0)) < 1e-6
        truth = new
        if done:
            break
    return TrueVerdicts(share, confusion, truth)


def _confusion(both: Verdicts, truth: Floats, n_judges: int, prior: float) -> Floats:
    """Expected counts of verdicts by true verdict, drawn towards those of all judges."""
    counts = np.zeros((n_judges, VALUES, VALUES))
    for t in range(VALUES):
        at: Ints = both.judge * VALUES + both.value
        counts[:, t] = np.bincount(at, truth[both.unit, t], minlength=n_judges * VALUES).reshape(n_judges, VALUES)
    everyone = counts.sum(axis=0) + 1e-9
    counts += prior * everyone / everyone.sum(axis=1, keepdims=True)
    counts += 1e-12
    return np.asarray(counts / counts.sum(axis=2, keepdims=True))


def _posterior(both: Verdicts, share: Floats, confusion: Floats, n_units: int) -> Floats:
    """Probabilities of the true verdict of every unit."""
    said = np.log(confusion[both.judge, :, both.value])
    sums = np.column_stack([np.bincount(both.unit, column, minlength=n_units) for column in said.T])
    sums += np.log(np.maximum(share, 1e-300))
    p = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def accuracy_intervals(found: Verdicts, n_judges: int, level: float) -> tuple[Floats, Floats, TrueVerdicts]:
    """Return how probably each judge gives the true verdict, its intervals (judges, 2), and the fit.

    Intervals are Student's on the scale of log odds, from groups of units left out one at a time.
    """
    whole = dawid_skene(found, n_judges)
    estimate = whole.accuracy()
    n_units = int(found.unit.max(initial=-1)) + 1
    groups = min(GROUPS, n_units)
    if groups < 2:
        return estimate, np.full((n_judges, 2), np.nan), whole
    of = np.arange(n_units) % groups
    left = np.array([_accuracy_without(found, n_judges, of != g) for g in range(groups)])
    logit = np.log(left) - np.log1p(-left)
    error = np.sqrt((groups - 1) / groups * ((logit - logit.mean(axis=0)) ** 2).sum(axis=0))
    middle, half = np.log(estimate) - np.log1p(-estimate), t_quantile(level, groups - 1) * error
    ends = 1 / (1 + np.exp(-np.column_stack([middle - half, middle + half])))
    return estimate, np.where(np.bincount(found.judge, minlength=n_judges)[:, None] > 0, ends, np.nan), whole


def _accuracy_without(found: Verdicts, n_judges: int, kept: Bools) -> Floats:
    number, rows = np.cumsum(kept) - 1, kept[found.unit]
    part = Verdicts(found.judge[rows], number[found.unit[rows]], found.value[rows])
    return np.clip(dawid_skene(part, n_judges).accuracy(), 1e-6, 1 - 1e-6)
