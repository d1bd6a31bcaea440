"""What is being done, told to whoever listens: nobody by default, a line on standard error at a terminal.

Long work calls `doing` with a sentence, and with a share once it knows one. Who listens may also ask for what is done so far
when a person interrupts (`partly`); otherwise an interrupt is an interrupt.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

INTERRUPTED = "interrupted before it was done"


class Interrupted(KeyboardInterrupt):
    """A person interrupted, and part of the answer is there: what was found, and what was not looked at any more."""

    def __init__(self, partial: Any, left: str) -> None:
        super().__init__(left)
        self.found, self.left = partial, left


class Listener(NamedTuple):
    """Who is told, and whether part of an answer is better than none when a person interrupts."""

    tell: Callable[[str, float | None], None]
    partly: bool = False


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


def doing(what: str, share: float | None = None) -> None:
    """Tell what is being done, and which share of it is.

    >>> with listening(Listener(lambda what, share: print(what, share))):
    ...     doing("counting pairs", 0.5)
    counting pairs 0.5
    """
    listener = _LISTENER.get()
    if listener is not None:
        listener.tell(what, share)


def partly() -> bool:
    """Return whether part of an answer is requested when a person interrupts.

    >>> partly()
    False
    """
    listener = _LISTENER.get()
    return listener is not None and listener.partly


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let somebody listen for a while."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
