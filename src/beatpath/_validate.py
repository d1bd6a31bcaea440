"""Checks of single arguments, each with its sentence."""

import numpy as np

from beatpath._errors import UsageError
from beatpath._text import quoted


def require_share(name: str, value: float) -> None:
    """Raise unless a level or a power lies strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0 < value < 1:
        raise UsageError(f"`{name}` must lie between 0 and 1, as in 0.95; got {quoted(value)}.")
