r"""Who plays next: the chance with which each pair is drawn, from what was seen so far.

With pairs drawn by chances :math:`\pi`, the variance of the difference of two scores is a sum over pairs of
:math:`w_k^2 \sigma_k^2 / \pi_k`, where :math:`w` is 1 for a pair of one of the two agents with a third and 2 for their own. The sum of
these variances over all differences that still matter is least at

.. math::  \pi_k \propto \sigma_k \sqrt{\textstyle \sum_{(i, j) \text{ open}} w_k(i, j)^2},

which `adaptive` draws from, mixed with a floor of even chances so that every pair stays estimable. `a_optimal` takes all
differences as open throughout, and so is blind to the goal; `uniform` draws all pairs alike, which is the D-optimal design of the
same model.
"""

from typing import Literal, get_args

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion

Policy = Literal["adaptive", "uniform", "a_optimal"]
FLOOR = 0.2  # share of battles that go to all pairs alike


def require_policy(policy: str) -> None:
    """Refuse a policy that does not exist."""
    if policy not in get_args(Policy):
        raise UsageError(
            f"`policy` must be one of {', '.join(get_args(Policy))}; got {quoted(policy)}.{suggestion(policy, get_args(Policy))}"
        )


def chances(policy: str, a: Ints, b: Ints, predicted: Floats, open_pairs: Bools) -> Floats:
    """Return the chance of every pair.

    Examples
    --------
    When the first two agents are all that is left to tell apart, their own battles are worth most.

    >>> a, b = np.triu_indices(3, 1)
    >>> left = np.zeros((3, 3), dtype=bool)
    >>> left[0, 1] = left[1, 0] = True
    >>> chances("adaptive", a, b, np.full(3, 0.5), left).round(3).tolist()
    [0.467, 0.267, 0.267]
    """
    even = np.full(len(a), 1 / len(a))
    if policy == "uniform":
        return even
    matters = ~np.eye(len(open_pairs), dtype=bool) if policy == "a_optimal" else open_pairs
    if not matters.any():
        return even
    of_agent = matters.sum(axis=1)
    own = matters[a, b]
    squares = (of_agent[a] - own) + (of_agent[b] - own) + 4.0 * own
    worth = np.sqrt(squares * predicted * (1 - predicted))
    found: Floats = FLOOR * even + (1 - FLOOR) * worth / worth.sum()
    return found
