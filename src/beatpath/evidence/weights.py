"""Weights by name: for tasks or voters, those not named weighing one."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.evidence.conventions import Convention


def task_weights(names: Sequence[str], weights: Mapping[str, float]) -> tuple[NDArray[np.float64], Convention]:
    """Return one weight a name and the convention that says so; names must exist and weights be usable.

    >>> weight, made = task_weights(["code", "maths"], {"maths": 3})
    >>> weight
    array([1., 3.])
    >>> print(made)
    weights=maths=3: these tasks weigh so much, all others one
    """
    unknown = [name for name in weights if name not in names]
    if unknown:
        raise UsageError(
            f"`weights` must name tasks; {listed(unknown)} name none of {listed(names)}.{suggestion(unknown[0], names)}"
        )
    found = np.array([float(weights.get(name, 1.0)) for name in names])
    if not (np.isfinite(found) & (found >= 0)).all() or not found.sum() > 0:
        raise UsageError(f"`weights` must be finite, not negative and not all zero; got {quoted(dict(weights))}.")
    said = ", ".join(f"{name}={value:g}" for name, value in weights.items())
    return found, Convention("weights", said, "these tasks weigh so much, all others one")
