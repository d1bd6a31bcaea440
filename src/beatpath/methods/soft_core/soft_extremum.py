r"""Normalised soft minimum and maximum: smooth, and never outside the range of what they are given."""

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._text import quoted


def softmin(values: ArrayLike, gamma: float, *, axis: int = -1) -> Floats:
    r"""Return the normalised soft minimum of values along an axis.

    .. math::  \operatorname{smin}_\gamma(z_1, \dots, z_m) = -\gamma \log \Bigl( \frac1m \sum_i e^{-z_i / \gamma} \Bigr),

    eq. (5) of Soft Tournament Equilibrium. It lies between the minimum and the mean, at most
    :math:`\gamma \log m` above the minimum, and falls to the minimum with :math:`\gamma`.

    Parameters
    ----------
    values : array
        At least one along `axis`.
    gamma : float
        Temperature, above zero.
    axis : int
        The axis that is taken away.

    Examples
    --------
    >>> softmin([0.0, 1.0], 0.1).round(4), softmin([0.3, 0.3], 0.1).round(4)
    (np.float64(0.0693), np.float64(0.3))
    """
    return -softmax(np.negative(np.asarray(values, dtype=np.float64)), gamma, axis=axis)


def softmax(values: ArrayLike, gamma: float, *, axis: int = -1) -> Floats:
    r"""Return the normalised soft maximum of values along an axis.

    .. math::  \operatorname{smax}_\gamma(z_1, \dots, z_m) = \gamma \log \Bigl( \frac1m \sum_i e^{z_i / \gamma} \Bigr),

    eq. (6) of Soft Tournament Equilibrium. It lies between the mean and the maximum, at most :math:`\gamma \log m` below
    the maximum, and rises to the maximum as :math:`\gamma` falls.

    Parameters
    ----------
    values : array
        At least one along `axis`.
    gamma : float
        Temperature, above zero.
    axis : int
        The axis that is taken away.

    Examples
    --------
    >>> softmax([0.0, 1.0], 0.1).round(4), softmax([0.3, 0.3], 0.1).round(4)
    (np.float64(0.9307), np.float64(0.3))
    """
    require_temperature("gamma", gamma)
    z = np.asarray(values, dtype=np.float64)
    top = z.max(axis=axis, keepdims=True)
    mean = np.exp((z - top) / gamma).mean(axis=axis)
    return np.squeeze(top, axis=axis) + gamma * np.log(mean)


def require_temperature(name: str, value: float) -> None:
    """Refuse a temperature that is not a finite number above zero.

    >>> require_temperature("tau", 0.0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `tau` must be a temperature above 0; got '0.0'. Smaller is sharper: 0.05 is usual.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.floating)
        or not (isfinite(value) and value > 0)
    ):
        raise UsageError(
            f"`{name}` must be a temperature above 0; got {quoted(value)}. Smaller is sharper: 0.05 is usual."
        )


def required_gamma(gamma: float | None) -> float:
    """Return the temperature of smooth reachability, which must be given."""
    if gamma is None:
        raise UsageError("`gamma` must be given for the smooth form of reachability; got None. 0.05 is usual.")
    return gamma
