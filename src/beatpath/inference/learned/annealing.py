"""Temperatures that fall while training goes on."""

from dataclasses import dataclass

from beatpath._errors import UsageError
from beatpath.methods.soft_core.soft_extremum import require_temperature


@dataclass(frozen=True, slots=True)
class Annealing:
    r"""From a smooth start to a sharp end.

    .. math::  z_t = z_{\max} \Bigl( \frac{z_{\min}}{z_{\max}} \Bigr)^{t / T},

    section D.2 of Soft Tournament Equilibrium, held at its end from :math:`t = T` on.

    Parameters
    ----------
    high, low : float
        The first and the last temperature, above zero. Equal ones stay as they are.

    Examples
    --------
    >>> falling = Annealing(1.0, 0.01)
    >>> [round(falling.at(share), 3) for share in (0, 0.5, 1, 2)]
    [1.0, 0.1, 0.01, 0.01]
    """

    high: float = 1.0
    low: float = 0.05

    def __post_init__(self) -> None:
        require_temperature("high", self.high)
        require_temperature("low", self.low)
        if self.low > self.high:
            raise UsageError(f"`low` must not be above `high`: temperatures fall; got {self.low:g} and {self.high:g}.")

    def at(self, share: float) -> float:
        """Return the temperature when this share of the schedule, t / T, is done."""
        return float(self.high * (self.low / self.high) ** min(1.0, share))
