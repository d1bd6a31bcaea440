"""What the settings of SCO must be, in sentences."""

from math import isfinite

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion


def require_box(low: float, high: float) -> None:
    """Refuse bounds that leave no room.

    >>> require_box(100, 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `low` must be below `high`, both finite: they bound the ratings; got 100 and 0.
    """
    if not (isfinite(low) and isfinite(high) and low < high):
        raise UsageError(f"`low` must be below `high`, both finite: they bound the ratings; got {low:g} and {high:g}.")


def require_positive(name: str, value: float) -> None:
    """Refuse what is not a positive number.

    >>> require_positive("temperature", 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `temperature` must be a positive number; got 0.
    """
    if not (isfinite(value) and value > 0):
        raise UsageError(f"`{name}` must be a positive number; got {value:g}.")


def require_whole(name: str, value: object) -> None:
    """Refuse what is not a whole number from one.

    >>> require_whole("batch", 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `batch` must be a whole number, 1 or more; got 0.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"`{name}` must be a whole number, 1 or more; got {value!r}.")


def require_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is not among those known.

    >>> require_one_of("solver", "anneel", ("anneal", "sgd"))
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `solver` must be one of anneal, sgd; got 'anneel'. Did you mean 'anneal'?
    """
    if value not in known:
        near = suggestion(str(value), known)
        raise UsageError(f"`{name}` must be one of {', '.join(known)}; got {quoted(value)}.{near}")
