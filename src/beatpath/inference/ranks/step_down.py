r"""Step-down multiple testing: rejected hypotheses leave the family, and the rest is tested again.

Testing a family of hypotheses :math:`H_{ac}: S_a \le S_c` at the critical value of all of them is conservative once
some are rejected. Romano and Wolf [1]_ reject what exceeds :math:`c(I)`, where *I* are the remaining hypotheses,
remove those, and repeat until nothing more is rejected. If the true hypotheses :math:`I_0` all stay below
:math:`c(I_0)`, which happens with the confidence requested, no step rejects one of them, for :math:`c(I) \ge c(I_0)`
while :math:`I \supseteq I_0`. So the first rejections stay, more may follow, and the level holds. Mogstad et al. [2]_
use it for rank sets.

References
----------
.. [1] J. P. Romano, M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing",
       *Journal of the American Statistical Association* 100 (2005), 94-108.
.. [2] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for ranks with applications to mobility across
       neighbourhoods and academic achievement across countries", *Review of Economic Studies* 91 (2024), 476-518.
"""

from collections.abc import Callable

import numpy as np

from beatpath.inference.ranks.critical import Critical
from beatpath.inference.ranks.differences import Array, Mask


def rejections(
    statistic: Array, family: Mask, critical: Callable[[Mask], Critical], *, step_down: bool
) -> tuple[Mask, tuple[Critical, ...]]:
    """Return which hypotheses of a family are rejected, and the critical value of every step.

    Parameters
    ----------
    statistic : array of float
        One per hypothesis, on the Gaussian scale.
    family : array of bool, of the same shape
        Which hypotheses are tested.
    critical : callable
        Returns the critical value of the remaining hypotheses.
    step_down : bool
        Whether to continue after the first step.

    Examples
    --------
    Holm's procedure is step-down Bonferroni: 2.0 is too small among three, and large enough once the others are
    rejected.

    >>> from beatpath.inference.ranks.critical import bonferroni
    >>> z = np.array([2.5, 2.3, 2.0])
    >>> rejected, steps = rejections(z, z > 0, lambda left: bonferroni(0.95, left.sum()), step_down=True)
    >>> rejected, [round(one.value, 2) for one in steps]
    (array([ True,  True,  True]), [2.13, 1.64])
    """
    left = family.copy()
    steps: list[Critical] = []
    while left.any():
        steps.append(critical(left))
        over = left & (statistic > steps[-1].value)
        left &= ~over
        if not step_down or not over.any():
            break
    return family & ~left, tuple(steps)


def transitive_closure(above: Mask) -> Mask:
    """Return the transitive closure: *a* above *b* and *b* above *c* put *a* above *c*.

    Where all of a relation is true, so is its closure, without further error.

    >>> transitive_closure(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    while True:
        number = above.astype(np.float32)
        wider = above | (number @ number > 0)
        if (wider == above).all():
            return above
        above = wider
