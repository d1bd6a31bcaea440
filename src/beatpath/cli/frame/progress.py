"""What is being done, as one line on standard error that goes when the answer comes; nothing where nobody looks."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from shutil import get_terminal_size

from beatpath._progress import Listener, listening

CLEAR = "\r\x1b[2K"
_silent = ContextVar("silent", default=False)


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show what is being done while the body runs, where standard error is a terminal; an interrupt may leave part of an answer."""
    with listening(Listener(show_progress, partly=True)):
        try:
            yield
        finally:
            hide_progress()


def silence_progress(silent: bool) -> None:
    """Show nothing from here on, as `--quiet` asks, or show it again."""
    _silent.set(silent)


def show_progress(what: str, share: float | None = None) -> None:
    """Write one line in place of the one before."""
    if sys.stderr.isatty() and not _silent.get():
        text = what if share is None else f"{what}: {share:.0%}"
        sys.stderr.write(CLEAR + text[: get_terminal_size().columns - 1])
        sys.stderr.flush()


def hide_progress() -> None:
    """Take the line away before anything is printed."""
    if sys.stderr.isatty():
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
