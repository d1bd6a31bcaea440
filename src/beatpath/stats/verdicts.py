r"""Verdicts of several judges on the same unit, and Dawid and Skene's model of judge accuracy.

Units have a true verdict, and every judge has its own confusion matrix:

.. math::  P(\text{data}) = \prod_u \sum_t \rho_t \prod_{j \text{ saw } u} \pi^{(j)}_{t, v_{ju}},

fitted by EM [1]_, every confusion matrix :math:`\pi^{(j)}` with a prior of `PRIOR` verdicts at the pooled accuracy, so
that a judge with few units is shrunk toward the others. Every unit enters twice, the second time with the pair
reversed, so that the names of the agents do not matter.

References
----------
.. [1] A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm", *Applied
       Statistics* 28 (1979), 20-28.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array

from beatpath._arrays import AnyInts, Bools, Floats, Ints
from beatpath.stats.codes import dense, equal_sets, first_rows, joint
from beatpath.stats.intervals import t_quantile


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """One row per judge and unit: 0 for the pair's first agent by name, 1 for the second, 2 for a tie."""

    judge: Ints
    unit: Ints
    value: Ints

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.unit.max(initial=-1)) + 1

    def counts(self) -> Ints:
        """Return the number of judges by unit and verdict, shape (units, 3)."""
        return np.bincount(self.unit * 3 + self.value, minlength=3 * self.n_units).reshape(self.n_units, 3)

    def mirrored(self) -> "Verdicts":
        """Return every unit twice, also with the pair reversed, so that the order of agents does not matter."""
        turned = np.array([1, 0, 2])[self.value]
        unit, value = np.append(self.unit, self.unit + self.n_units), np.append(self.value, turned)
        return Verdicts(np.tile(self.judge, 2), unit, value)


def shared_verdicts(judge: AnyInts, a: AnyInts, b: AnyInts, outcome: Floats, keys: Sequence[AnyInts]) -> Verdicts:
    """Return the verdicts on units (pairs with the same keys) with at least two judges.

    A judge that judged a unit several times, perhaps in both orders, gives the verdict of its mean outcome; a tie
    where they balance. Rows with negative codes are dropped.

    >>> codes = np.array([[0, 1, 1], [0, 1, 0], [1, 0, 1]])
    >>> shared_verdicts(*codes, np.array([1.0, 0.0, 1.0]), [np.array([0, 0, 1])]).counts()
    array([[2, 0, 0]])
    """
    known = np.all([key >= 0 for key in (judge, *keys)], axis=0)
    a, b, s, who = a[known], b[known], outcome[known], judge[known].astype(np.int64)
    unit, n_units = joint([np.minimum(a, b), np.maximum(a, b), *(key[known] for key in keys)])
    code, n = dense(unit * (int(who.max(initial=-1)) + 1) + who)
    row = first_rows(code, n)
    lean = np.bincount(code, np.where(a < b, s, 1 - s) - 0.5, minlength=n).round(9)
    shared = np.bincount(unit[row], minlength=n_units)[unit[row]] > 1
    value = np.select([lean > 0, lean < 0], [0, 1], 2)
    return Verdicts(who[row][shared], dense(unit[row][shared])[0], value[shared])


VALUES = 3  # verdicts: first agent, second agent, tie
PRIOR = 1.0  # weight of the pooled accuracy, in verdicts of a judge
GROUPS = 20  # groups of units, left out one at a time for the standard errors
ROUNDS = 200  # most EM iterations


@dataclass(frozen=True, slots=True, eq=False)
class TrueVerdicts:
    """The fitted model.

    Parameters
    ----------
    share : (3,) float
        Prior probabilities of the true verdicts.
    confusion : (judges, 3, 3) float
        Probability of a verdict (last axis) given the true one.
    truth : (units, 3) float
        Posterior probability of each true verdict.
    """

    share: Floats
    confusion: Floats
    truth: Floats

    def accuracy(self) -> Floats:
        """Return the probability that each judge gives the true verdict, (judges,)."""
        return np.asarray(np.einsum("t,jtt->j", self.share, self.confusion))


def dawid_skene(verdicts: Verdicts, n_judges: int, *, prior: float = PRIOR) -> TrueVerdicts:
    """Fit true verdicts and confusion matrices by EM.

    Examples
    --------
    Three judges, the last of which errs on one unit of four.

    >>> value = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1]])
    >>> judge, unit = np.tile(np.arange(3), 4), np.repeat(np.arange(4), 3)
    >>> accuracy = dawid_skene(Verdicts(judge, unit, value.ravel()), 3).accuracy()
    >>> bool(accuracy[0] == accuracy[1] > accuracy[2])
    True
    """
    return _fits(verdicts, n_judges, np.ones((1, verdicts.n_units), dtype=bool), prior)[0]


def _fits(verdicts: Verdicts, n_judges: int, used: Bools, prior: float = PRIOR) -> list[TrueVerdicts]:
    """Return one fit per row of `used`, (fits, units), to the units it selects; all rows run EM together.

    Units on which the same judges gave the same verdicts have the same posterior: every such pattern is evaluated once.
    """
    pattern, pattern_counts = _patterns(verdicts.mirrored(), n_judges)
    weight = np.array([np.bincount(pattern, np.tile(row, 2), minlength=pattern_counts.shape[0]) for row in used])
    votes = pattern_counts @ np.tile(np.eye(VALUES), (n_judges, 1))
    start = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    truth = np.repeat(start.T[:, None], len(used), axis=1)
    share, confusion = np.zeros((VALUES, len(used))), np.zeros((n_judges, VALUES, VALUES, len(used)))
    going, turned = np.arange(len(used)), pattern_counts.T
    for _ in range(ROUNDS):
        counts = weight[going] * truth[:, going]
        share[:, going] = counts.sum(axis=2) / weight[going].sum(axis=1)
        confusion[..., going] = _confusion(turned, counts, prior)
        new = _posterior(pattern_counts, share[:, going], confusion[..., going])
        moved = np.where(weight[going] > 0, np.abs(new - truth[:, going]).max(axis=0), 0.0).max(axis=1, initial=0.0)
        truth[:, going] = new
        going = going[moved >= 1e-6]
        if not len(going):
            break
    fitted = zip(share.T, confusion.transpose(3, 0, 2, 1), truth.transpose(1, 2, 0)[:, pattern], strict=True)
    return [TrueVerdicts(*one) for one in fitted]


def _patterns(both: Verdicts, n_judges: int) -> tuple[Ints, csr_array]:
    """Return the pattern of every unit, and an indicator of each pattern's verdicts, (patterns, 3 judges).

    >>> of, result = _patterns(Verdicts(np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1]), np.array([2, 0, 0, 2])), 2)
    >>> of, result.toarray()
    (array([0, 0]), array([[0., 0., 1., 1., 0., 0.]]))
    """
    # The judges of the built-in example take 0.26 CPU seconds; without shared patterns 0.79.
    code, n = both.judge * VALUES + both.value, both.n_units
    of, first = equal_sets(both.unit, code, n)
    return of, csr_array((np.ones(len(code)), (both.unit, code)), shape=(n, n_judges * VALUES))[first]


def _confusion(turned: csc_array, truth: Floats, prior: float) -> Floats:
    """Return expected counts of verdicts by true verdict, shrunk toward those of all judges, (judges, 3, 3, fits).

    `turned` is the transposed indicator, (3 judges, patterns); `truth` the weight of each true verdict, (3, fits,
    patterns).
    """
    counts = (turned @ truth.reshape(-1, truth.shape[2]).T).reshape(-1, VALUES, *truth.shape[:2])
    everyone = counts.sum(axis=0) + 1e-9
    counts = counts + prior * everyone / everyone.sum(axis=0) + 1e-12
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _posterior(counts: csr_array, share: Floats, confusion: Floats) -> Floats:
    """Return the posterior of the true verdict of every pattern, (3, fits, patterns)."""
    log_likelihood = (counts @ np.log(confusion).reshape(counts.shape[1], -1)).T.reshape(*share.shape, -1)
    sums = log_likelihood + np.log(np.maximum(share, 1e-300))[:, :, None]
    p = np.exp(sums - sums.max(axis=0))
    return np.asarray(p / p.sum(axis=0))


def accuracy_intervals(verdicts: Verdicts, n_judges: int, level: float) -> tuple[Floats, Floats, TrueVerdicts]:
    """Return the probability that each judge gives the true verdict, its intervals (judges, 2), and the fit.

    Intervals are Student's on the log-odds scale, from groups of units left out one at a time.
    """
    n_units = verdicts.n_units
    groups = min(GROUPS, n_units)
    if groups < 2:
        whole = dawid_skene(verdicts, n_judges)
        return whole.accuracy(), np.full((n_judges, 2), np.nan), whole
    without = np.arange(n_units) % groups != np.arange(groups)[:, None]
    whole, *parts = _fits(verdicts, n_judges, np.vstack([np.ones(n_units, dtype=bool), without]))
    estimate, left = whole.accuracy(), np.clip([one.accuracy() for one in parts], 1e-6, 1 - 1e-6)
    logit = np.log(left) - np.log1p(-left)
    error = np.sqrt((groups - 1) / groups * ((logit - logit.mean(axis=0)) ** 2).sum(axis=0))
    middle, half = np.log(estimate) - np.log1p(-estimate), t_quantile(level, groups - 1) * error
    ends = 1 / (1 + np.exp(-np.column_stack([middle - half, middle + half])))
    return estimate, np.where(np.bincount(verdicts.judge, minlength=n_judges)[:, None] > 0, ends, np.nan), whole
