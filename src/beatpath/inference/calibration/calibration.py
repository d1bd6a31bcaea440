r"""Calibration: whether what is said to happen in 80 % of cases does, and the one number that often mends it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit

from beatpath._errors import DataError, UsageError
from beatpath._result import SCHEMA_VERSION, Result
from beatpath.fit.laplacian import inner

Vector = NDArray[np.float64]

CERTAIN = 1000.0  # a logit whose probability is 1 in double precision


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reliability(Result):
    """What was said and what came, by bins of what was said: the numbers of a reliability diagram.

    Attributes
    ----------
    edges : (bins + 1,) float
        Bin m holds what lies from ``edges[m]`` on and below ``edges[m + 1]``; the last one holds 1 too.
    said, came : (bins,) float
        The mean of the probabilities in a bin, and of what came; NaN for an empty bin.
    weight : (bins,) float
        How much each bin holds.
    """

    edges: Vector
    said: Vector
    came: Vector
    weight: Vector

    @property
    def error(self) -> float:
        r"""The expected calibration error.

        .. math::  \sum_m \frac{|B_m|}{N} \, |\mathrm{acc}(B_m) - \mathrm{conf}(B_m)|,

        section 4.1.1 of Soft Tournament Equilibrium.
        """
        full = self.weight > 0
        return inner(self.weight[full], np.abs(self.came - self.said)[full]) / float(self.weight.sum())

    @property
    def sentences(self) -> tuple[str, ...]:
        """How far what was said lies from what came."""
        return (
            f"What was said and what came lie {100 * self.error:.2g} percentage points apart, on average over the bins.",
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return the bins that hold something, one row each."""
        columns = zip(self.edges[:-1], self.edges[1:], self.said, self.came, self.weight, strict=True)
        names = ("low", "high", "said", "came", "weight")
        return [dict(zip(names, map(float, row), strict=True)) for row in columns if row[-1] > 0]

    def to_dict(self) -> dict[str, Any]:
        """Return the bins that hold something, and the error, as plain data."""
        head = {"schema_version": SCHEMA_VERSION, "type": "reliability", "sentences": list(self.sentences)}
        return {**head, "error": self.error, "bins": self.rows()}


def reliability(
    probability: ArrayLike, outcome: ArrayLike, *, bins: int = 10, weight: ArrayLike | None = None
) -> Reliability:
    """Compare probabilities with what came, in bins of equal width.

    Parameters
    ----------
    probability : (t,) float
        In [0, 1]: chances of winning, or membership scores.
    outcome : (t,) float
        In [0, 1]: outcomes, memberships, or frequencies of them.
    bins : int
        One or more.
    weight : (t,) float, optional
        One each by default.

    Examples
    --------
    Of four that were said to be 80 % sure, three came.

    >>> found = reliability([0.8, 0.8, 0.8, 0.8, 0.1], [1, 1, 1, 0, 0])
    >>> found.to_dict()["bins"][1]["came"], round(found.error, 2)
    (0.75, 0.06)
    """
    p, y, w = _checked_columns(probability, outcome, weight)
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise UsageError(f"`bins` must be a whole number, 1 or more; got {bins!r}.")
    outside = ~((p >= 0) & (p <= 1))
    if outside.any():
        raise DataError(f"`probability` must lie from 0 to 1; got {p[outside][0]:g}.")
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    held, said, came = (np.bincount(place, w * values, bins) for values in (np.ones(len(p)), p, y))
    nothing = np.full(bins, np.nan)
    return Reliability(
        np.linspace(0, 1, bins + 1),
        np.divide(said, held, out=nothing.copy(), where=held > 0),
        np.divide(came, held, out=nothing, where=held > 0),
        np.asarray(held, dtype=np.float64),
    )


def expected_calibration_error(
    score: ArrayLike, membership: ArrayLike, *, bins: int = 10, weight: ArrayLike | None = None
) -> float:
    """Return how far scores are from the frequencies they stand for, on average: `Reliability.error`.

    >>> expected_calibration_error([0.8, 0.8], [1, 0])
    0.30000000000000004
    """
    return reliability(score, membership, bins=bins, weight=weight).error


def pairwise_reliability(
    probability: ArrayLike, outcome: ArrayLike, *, bins: int = 10, weight: ArrayLike | None = None
) -> Reliability:
    """Compare chances of winning with outcomes, every battle seen from both sides.

    A battle says as much about its first agent as about its second; seen from one side alone, the answer would hang on which
    agent a row happens to name first.

    >>> found = pairwise_reliability([0.75, 0.75], [1, 0])
    >>> found.said[[2, 7]].tolist(), found.weight.sum().tolist()
    ([0.25, 0.75], 2.0)
    """
    p, y, w = _checked_columns(probability, outcome, weight)
    return reliability(
        np.concatenate([p, 1 - p]), np.concatenate([y, 1 - y]), bins=bins, weight=np.concatenate([w, w]) / 2
    )


@dataclass(frozen=True, slots=True)
class Scaling:
    """One temperature for all logits, and the mean surprise (cross-entropy) before and after.

    A temperature above 1 says that probabilities were too sure of themselves. The limits are answers too: infinity when
    the logits say nothing about the outcomes, 0 when every outcome went the way the logit said.
    """

    temperature: float
    before: float
    after: float

    def probabilities(self, logit: ArrayLike) -> Vector:
        """Return the scaled probabilities."""
        return expit(_tempered_logits(self.temperature, np.asarray(logit, dtype=np.float64)))

    def to_dict(self) -> dict[str, float | None]:
        """Return the three numbers as plain data; an infinite temperature is None."""
        finite = self.temperature if np.isfinite(self.temperature) else None
        return {"temperature": finite, "before": self.before, "after": self.after}


def temperature_scaling(logit: ArrayLike, outcome: ArrayLike, *, weight: ArrayLike | None = None) -> Scaling:
    r"""Find the temperature at which logits explain outcomes best.

    .. math::  \min_T \ - \sum_i w_i \bigl[ y_i \log \sigma(z_i / T) + (1 - y_i) \log(1 - \sigma(z_i / T)) \bigr],

    temperature scaling of Guo et al. [1]_ for two outcomes. Use battles that the logits were not fitted to.

    Parameters
    ----------
    logit : (t,) float
        Finite.
    outcome : (t,) float
        In [0, 1].
    weight : (t,) float, optional
        One each by default.

    Examples
    --------
    Three wins of four are odds of three: the logit should have been log 3, and was twice that.

    >>> scaling = temperature_scaling(np.full(4, 2 * np.log(3)), [1, 1, 1, 0])
    >>> round(scaling.temperature, 6), scaling.probabilities([2 * np.log(3)]).round(6).tolist()
    (2.0, [0.75])

    Notes
    -----
    In :math:`\beta = 1 / T` the sum is convex; its derivative is brought to zero by Brent's method.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural networks", *ICML* 2017.
    """
    z, y, w = _checked_columns(logit, outcome, weight)
    if not np.isfinite(z).all():
        raise DataError(f"`logit` must be finite; got {z[~np.isfinite(z)][0]:g}.")

    def derivative(beta: float) -> float:
        return inner(w * z, expit(beta * z) - y)

    against = inner(w, np.maximum(z, 0) * (1 - y) + np.maximum(-z, 0) * y)
    if derivative(0.0) >= 0:
        temperature = np.inf
    elif against == 0:
        temperature = 0.0
    else:
        high = 1.0
        while derivative(high) < 0:
            high *= 2
        temperature = 1 / brentq(derivative, 0.0, high, xtol=1e-14, rtol=1e-12)
    before, after = (_log_loss(_tempered_logits(t, z), y, w) for t in (1.0, temperature))
    return Scaling(float(temperature), before, after)


def _tempered_logits(temperature: float, z: Vector) -> Vector:
    """The logits over the temperature; at 0, so large that no other outcome has a chance."""
    out: Vector = z / temperature if temperature > 0 else CERTAIN * np.sign(z)
    return out


def _log_loss(z: Vector, y: Vector, w: Vector) -> float:
    return inner(w, y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z)) / float(w.sum())


def _checked_columns(values: ArrayLike, outcome: ArrayLike, weight: ArrayLike | None) -> tuple[Vector, Vector, Vector]:
    """Three columns of one length, with something in them, or an error that says which has not."""
    x, y = np.asarray(values, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    w = np.ones_like(y) if weight is None else np.asarray(weight, dtype=np.float64)
    if not (x.ndim == 1 and x.shape == y.shape == w.shape):
        raise DataError(f"probabilities, outcomes and weights must be one a case; got {x.shape}, {y.shape}, {w.shape}.")
    if not ((y >= 0) & (y <= 1)).all():
        raise DataError(f"`outcome` must lie from 0 to 1; got {y[~((y >= 0) & (y <= 1))][0]:g}.")
    if not ((w >= 0).all() and np.isfinite(w).all() and w.sum() > 0):
        raise DataError(
            "`weight` must be finite, not negative, and above 0 somewhere: calibration needs at least one case."
        )
    return x, y, w
