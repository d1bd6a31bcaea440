r"""How many comparisons a pair needs before the core can be trusted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION, Result
from beatpath._text import percent, quoted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparisonsNeeded(Result):
    """Comparisons that settle every majority, with an error probability of `error` for all of them together.

    Attributes
    ----------
    each : (n, n) float
        For every pair by its own margin; infinite for an even pair, 0 on the diagonal.
    uniform : float
        For all pairs alike, by the smallest margin: the bound as it is printed.
    margin : float
        The smallest margin.
    error : float
    """

    each: NDArray[np.float64]
    uniform: float
    margin: float
    error: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many comparisons of every pair settle all majorities."""
        sure = f"with an error probability of at most {percent(self.error)} for all together"
        if not np.isfinite(self.uniform):
            return (f"No number of comparisons settles every majority {sure}: some pair is even.",)
        return (f"{self.uniform:,.0f} comparisons of every pair settle all majorities {sure}.",)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry; None where no number will do."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "comparisons_needed",
            "sentences": list(self.sentences),
            "each": [[x if np.isfinite(x) else None for x in row] for row in self.each.tolist()],
            "uniform": self.uniform if np.isfinite(self.uniform) else None,
            "margin": self.margin,
            "error": self.error,
        }


def comparisons_needed(P: ArrayLike, *, error: float = 0.05) -> ComparisonsNeeded:
    r"""Return how many independent comparisons make every majority right with probability at least 1 - error.

    .. math::  m \ge \frac{1}{2 \delta^2} \log \frac{2 \binom n2}{\delta_{\mathrm{total}}},

    Proposition 5.14 of Soft Tournament Equilibrium, with :math:`\delta = \min |P_{ab} - 1/2|`. Its proof, Hoeffding's
    inequality for each pair and a union over pairs, holds as well with each pair's own margin in the place of the smallest,
    which asks far less of the clear pairs.

    Parameters
    ----------
    P : (n, n) float
        Win probabilities. Estimated ones give an estimate of what is needed.
    error : float
        Chance that any majority comes out wrong, between 0 and 1.

    Examples
    --------
    A margin of 0.2 in one pair: log(2 / 0.05) / 0.08 = 46.1.

    >>> needed = comparisons_needed([[0.5, 0.7], [0.3, 0.5]])
    >>> needed.uniform, needed.each[0, 1]
    (47.0, np.float64(47.0))
    """
    if isinstance(error, bool) or not isinstance(error, int | float | np.floating) or not 0 < error < 1:
        raise UsageError(f"`error` must be a probability between 0 and 1; got {quoted(error)}.")
    margin = np.abs(np.asarray(P, dtype=np.float64) - 0.5)
    n = len(margin)
    pair = ~np.eye(n, dtype=bool)
    least = float(margin[pair].min(initial=0.5))
    log_pairs = np.log(max(1.0, n * (n - 1)) / error)
    each = np.zeros((n, n))
    with np.errstate(divide="ignore"):
        each[pair] = np.ceil(np.round(log_pairs / (2 * margin[pair] ** 2), 9))
    return ComparisonsNeeded(each, float(each.max(initial=0.0)), least, float(error))
