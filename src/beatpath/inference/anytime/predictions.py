"""Win rates of all pairs as predicted from what was seen: their own battles, drawn towards one scale."""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import slopes

PRIOR = 20.0  # battles that the prediction by one scale counts for, beside those of the pair
EVEN = 2.0  # battles of an agent against all others, half of them won, that everybody is given


def predictions(a: Ints, b: Ints, battles: Floats, total: Floats, n_agents: int) -> Floats:
    """Return the predicted win rate of *a* over *b* for every pair, between none and one.

    Wrong predictions make a board wide, never wrong.

    Examples
    --------
    Two agents that never met are predicted from whom they met.

    >>> a, b = np.triu_indices(3, 1)
    >>> found = predictions(a, b, np.array([40.0, 0.0, 40.0]), np.array([30.0, 0.0, 30.0]), 3)
    >>> bool(found[1] > 0.8), bool(found[1] < 1)
    (True, True)
    """
    rate = np.divide(total, battles, out=np.full(len(a), 0.5), where=battles > 0)
    even = np.full(len(a), EVEN / max(n_agents - 1, 1))
    theta = fit_pairs(decided(n_agents, a, b, battles * rate + even / 2, battles + even)).strength
    found: Floats = (total + PRIOR * slopes(theta, a, b)[0]) / (battles + PRIOR)
    return found
