r"""Newton's method for concave log-likelihoods: damped, tested on the gradient, polished at the end.

From :math:`x` with gradient :math:`g` and observed information :math:`H` (minus the second derivatives) a step goes to
:math:`x + t H^{-1} g`, with :math:`t` halved from 1 until the likelihood rises enough. The end is reached when every entry
of the gradient is small, either beside its own curvature or beside the rounding of the sums it is a difference of; one more
full step then squares the error that is left.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats
from beatpath.fit.laplacian import inner

CONVERGED = "converged"  # a status fit to print
FLAT = 1e-9  # gradient over curvature, in units of the parameter: what tests of the estimates can tell apart
ROUNDING = 1e-13  # gradient over the total it is a difference of
SMALL = 1e-3  # a last step must be no larger
LOST, AWAY = 1e-9, 0.1  # a rise still to come, over the smallest total, that no step so long should have left
ROUGH, FINE = 0.1, 1e-8  # how exactly a step is solved for, far off and at the end
REACH = 5.0  # how far a first step may move any parameter: log odds of 150 to one
RISE = 1e-4  # share of the promised rise that a step must bring (Armijo)


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A log-likelihood near a point.

    Parameters
    ----------
    value : float
        Minus infinity where the point is outside the model, or too far out for numbers.
    gradient, curvature, total : (p,) float
        First derivatives; the diagonal of the information, or a bound; the totals that the gradient is a difference of.
    step : function of a relative accuracy
        Returns the Newton step :math:`H^{-1} g`, shape (p,).
    """

    value: float
    gradient: Floats
    curvature: Floats
    total: Floats
    step: Callable[[float], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """Where Newton's method ended and how.

    Parameters
    ----------
    x : (p,) float
    value : float
        At `x`, or before a last step that lifts it by less than rounding.
    iterations : int
        Steps taken.
    converged : bool
    lost : bool
        Hardly any rise is left, or none that numbers can follow, and yet steps stay long: the estimate is not finite.
    gradient : float
        Largest absolute entry of the gradient where `value` was taken.
    step : (p,) float
        The last step: what it corrected bounds the error before it.
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
        """How it ended, a sentence fit to print."""
        if self.converged:
            return CONVERGED
        return (
            f"not converged: stopped after {self.iterations} steps with a gradient of {self.gradient:.2g}, so the ratings "
            "are not the estimate; raise `max_iter`"
        )


def newton(at: Callable[[Floats], Local], start: Floats, *, max_iter: int, flat: float = FLAT) -> Ended:
    """Climb a concave function from `start` in at most `max_iter` steps.

    Parameters
    ----------
    at : function
        The function near a point.
    start : (p,) float
    max_iter : int
    flat : float
        The end is reached where the gradient over the curvature is no larger; one more step is then taken unseen.

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
        far = np.divide(np.abs(here.gradient), here.curvature, out=np.ones_like(here.gradient), where=bent)
        step = here.step(
            fine if level else max(fine, min(ROUGH, float(far.max(initial=0.0))))
        )  # about as far as the top is
        length = float(np.abs(step).max(initial=0.0))
        if level and length <= max(SMALL, flat):
            return _newton_end(x + step, here, taken + 1, step, converged=True)  # which lifts the value by nothing
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
    """Take the longest of `size` times 1, 1/2, 1/4, ... that rises enough; rounding in the value counts as level."""
    slope = inner(here.gradient, step)
    level = 1e-13 * abs(here.value)
    for _ in range(50):
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
