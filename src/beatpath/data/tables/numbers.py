"""Numbers out of texts, by one rule wherever a text is met in Python."""

import math


def number_of(text: str) -> float:
    """Return the number a text stands for: truth values are 1 and 0; NaN where it is none.

    >>> number_of("2.5"), number_of(" True "), number_of("many")
    (2.5, 1.0, nan)
    """
    word = text.strip().lower()
    if word in ("true", "false"):
        return float(word == "true")
    try:
        return float(word)
    except ValueError:
        return math.nan


def is_blank(text: str) -> bool:
    """Whether a cell says nothing.

    >>> is_blank("  "), is_blank("0")
    (True, False)
    """
    return not text.strip()
