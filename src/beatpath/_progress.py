"""Progress reports: sent to a listener if there is one, such as a line on standard error at a terminal.

Long computations call `doing` with a description, and a share once it is known. A listener may also request a partial
result on an interrupt (`partly`); otherwise an interrupt is an interrupt.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

INTERRUPTED = "interrupted before it was done"  # the reason in `not_run` for what an interrupt left out


class Interrupted(KeyboardInterrupt):
    """An interrupt by the user, with the partial result and what is missing."""

    def __init__(self, partial: Any, left: str) -> None:
        super().__init__(left)
        self.found, self.left = partial, left


class Listener(NamedTuple):
    """A progress callback, and whether a partial result is wanted on an interrupt."""

    tell: Callable[[str, float | None], None]
    partly: bool = False


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)  # the current listener


def doing(what: str, share: float | None = None) -> None:
    """Report the current step, and which share of it is done.

    >>> with listening(Listener(lambda what, share: print(what, share))):
    ...     doing("counting pairs", 0.5)
    counting pairs 0.5
    """
    listener = _LISTENER.get()
    if listener is not None:
        listener.tell(what, share)


def partly() -> bool:
    """Return whether a partial result is wanted on an interrupt.

    >>> partly()
    False
    """
    listener = _LISTENER.get()
    return listener is not None and listener.partly


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Install a listener for the duration of the context."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
