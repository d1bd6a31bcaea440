r"""What training makes small: surprise at the outcomes, undecided scores, and miscalibrated ones."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

EPSILON = 1e-8  # keeps the logarithm of a score of zero finite


def cross_entropy(logit: Tensor, outcome: Tensor, weight: Tensor) -> Tensor:
    r"""Return the mean surprise at outcomes.

    .. math::  \mathcal{L}_{CE} = -\mathbb{E} [ y \log p + (1 - y) \log (1 - p) ], \qquad p = \sigma(h),

    eq. (2) of Soft Tournament Equilibrium, weighted; a tie is an outcome of one half.

    Parameters
    ----------
    logit, outcome, weight : (t,) float

    Examples
    --------
    An even chance is a surprise of log 2, whatever comes.

    >>> cross_entropy(torch.zeros(2), torch.tensor([1.0, 0.5]), torch.ones(2))
    tensor(0.6931)
    """
    return binary_cross_entropy_with_logits(logit, outcome, weight, reduction="sum") / weight.sum()


def sharpness(score: Tensor) -> Tensor:
    r"""Return the mean entropy of membership scores, which is small when they are near 0 or 1.

    .. math::  \mathcal{R}_{sharp} = \frac1n \sum_a \bigl[ -s(a) \log(s(a) + \epsilon)
               - (1 - s(a)) \log(1 - s(a) + \epsilon) \bigr],

    eq. (17) of Soft Tournament Equilibrium.

    Parameters
    ----------
    score : (..., n) float
        In [0, 1].

    Examples
    --------
    >>> sharpness(torch.tensor([0.5, 1.0]))  # log(2) / 2
    tensor(0.3466)
    """
    return -(score * torch.log(score + EPSILON) + (1 - score) * torch.log(1 - score + EPSILON)).mean()


def calibration_error(score: Tensor, target: Tensor, *, bins: int = 10, weight: Tensor | None = None) -> Tensor:
    r"""Return the expected calibration error, with its gradient.

    .. math::  \mathcal{R}_{calib} = \sum_m \frac{|B_m|}{N} \, |\mathrm{acc}(B_m) - \mathrm{conf}(B_m)|,

    section 4.1.1 of Soft Tournament Equilibrium; the same as `beatpath.inference.calibration.calibration.expected_calibration_error`. Which
    bin a score falls into has no gradient.

    Parameters
    ----------
    score, target : (t,) float
        In [0, 1]; targets are memberships, frequencies of membership, or outcomes.
    bins : int
        Of equal width.
    weight : (t,) float, optional

    Examples
    --------
    >>> calibration_error(torch.tensor([0.8, 0.8]), torch.tensor([1.0, 0.0]))
    tensor(0.3000)
    """
    weight = torch.ones_like(score) if weight is None else weight
    place = (score.detach() * bins).long().clamp(max=bins - 1)
    gap = torch.zeros(bins, dtype=score.dtype, device=score.device).index_add(0, place, weight * (target - score))
    return gap.abs().sum() / weight.sum()
