r"""Newton's method for concave log-likelihoods: damped, with a gradient test and a final full step.

From :math:`x` with gradient :math:`g` and observed information :math:`H` (minus the second derivatives), a step goes
to :math:`x + t H^{-1} g`, with :math:`t` halved from 1 until the likelihood rises enough. It has converged when every
entry of the gradient is small, either relative to its curvature or relative to the rounding of the sums it is a
difference of. One more full step then squares the remaining error.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats
from beatpath.fit.laplacian import inner

CONVERGED = "converged"  # the status of a converged fit
FLAT = 1e-9  # gradient over curvature, in units of the parameter: what tests of the estimates can distinguish
ROUNDING = 1e-13  # gradient over the total it is a difference of
SMALL = 1e-3  # the last step must be no larger
# remaining rise, relative to the smallest total, and step length at which an estimate counts as infinite
LOST, AWAY = 1e-9, 0.1
ROUGH, FINE = 0.1, 1e-8  # accuracy of the linear solve, far from the optimum and near it
REACH = 5.0  # how far a first step may move any parameter: log odds of 150 to one
RISE = 1e-4  # share of the predicted rise that a step must achieve (Armijo)
HALVINGS = 10  # of a step; one that does not rise then goes nowhere: it follows rounding, far away


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A log-likelihood and its derivatives at a point.

    Parameters
    ----------
    value : float
        Minus infinity if the point is outside the model, or overflows.
    gradient, curvature, total : (p,) float
        First derivatives; the diagonal of the information, or a bound; the totals that the gradient is a difference
        of.
    step : callable
        Maps a relative accuracy to the Newton step :math:`H^{-1} g`, shape (p,).
    """

    value: float
    gradient: Floats
    curvature: Floats
    total: Floats
    step: Callable[[float], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """The result of Newton's method.

    Parameters
    ----------
    x : (p,) float
        The final point.
    value : float
        Value at `x`, or before a last step that raises it by less than rounding.
    iterations : int
        Number of steps.
    converged : bool
        Whether it converged.
    lost : bool
        Whether the estimate is not finite: steps stay long although hardly any rise is left.
    gradient : float
        Largest absolute entry of the gradient at `value`.
    step : (p,) float
        The last step, which bounds the error before it.
    """

    x: Floats
    value: float
    iterations: int
    converged: bool
    lost: bool
    gradient: float
    step: Floats

    @property
    def status(self) -> str:
        """How it ended, as a sentence."""
        if self.converged:
            return CONVERGED
        return (
            f"not converged: stopped after {self.iterations} steps with a gradient of {self.gradient:.2g}, so the ratings "
            "are not the estimate; raise `max_iter`"
        )


def newton(at: Callable[[Floats], Local], start: Floats, *, max_iter: int, flat: float = FLAT) -> Ended:
    """Maximize a concave function from `start` in at most `max_iter` steps.

    Parameters
    ----------
    at : callable
        Maps a point to a `Local`.
    start : (p,) float
        Initial point.
    max_iter : int
        Maximum number of steps.
    flat : float
        Convergence threshold for the gradient over the curvature; one more step is then taken unchecked.

    Returns
    -------
    Ended

    Examples
    --------
    Three successes in four are odds of three.

    >>> def at(x):  # log-likelihood of 3 successes in 4
    ...     p = 1 / (1 + np.exp(-x))
    ...     g, h = 3 - 4 * p, 4 * p * (1 - p)
    ...     return Local(float((3 * np.log(p) + np.log(1 - p))[0]), g, h, np.array([4.0]), lambda accuracy: g / h)
    >>> result = newton(at, np.zeros(1), max_iter=20)
    >>> bool(np.isclose(result.x[0], np.log(3), atol=1e-12)), result.status
    (True, 'converged')
    """
    x, here, step, reach, fine = start, at(start), np.zeros_like(start), REACH, max(FINE, flat)
    for taken in range(max_iter):
        level = bool((np.abs(here.gradient) <= np.maximum(flat * here.curvature, ROUNDING * here.total)).all())
        bent = here.curvature > 0
        with np.errstate(over="ignore"):  # about the distance to the optimum
            far = np.divide(np.abs(here.gradient), here.curvature, out=np.ones_like(here.gradient), where=bent)
        step = here.step(fine if level else max(fine, min(ROUGH, float(far.max(initial=0.0)))))
        length = float(np.abs(step).max(initial=0.0))
        if level and length <= max(SMALL, flat):
            return _newton_end(x + step, here, taken + 1, step, converged=True)  # the value does not change
        if length > AWAY and inner(here.gradient, step) <= LOST * here.total[here.total > 0].min():
            return _newton_end(x, here, taken, step, lost=True)
        x, here, size = _climb(at, x, here, step, min(1.0, reach / max(length, reach)))
        if not size:
            return _newton_end(x, here, taken, step, lost=length > AWAY)
        reach *= 2 if length > reach and size * length >= 0.99 * reach else 1
    return _newton_end(x, here, max_iter, step)


def _climb(
    at: Callable[[Floats], Local], x: Floats, here: Local, step: Floats, size: float
) -> tuple[Floats, Local, float]:
    """Take the longest of `size` times 1, 1/2, 1/4, ... that rises enough; changes within rounding count as level."""
    slope = inner(here.gradient, step)
    level = 1e-13 * abs(here.value)
    for _ in range(HALVINGS):
        reached = x + size * step
        there = at(reached)
        if there.value >= here.value + RISE * size * slope - level:
            return reached, there, size
        size /= 2
    return x, here, 0.0


def _newton_end(
    x: Floats, here: Local, taken: int, step: Floats, *, converged: bool = False, lost: bool = False
) -> Ended:
    largest = float(np.abs(here.gradient).max(initial=0.0))
    return Ended(x, here.value, taken, converged, lost, largest, step)
