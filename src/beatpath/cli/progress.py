"""What is being done, as one line on standard error that goes when the answer comes; nothing where nobody looks."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from beatpath._progress import Listener, listening

if TYPE_CHECKING:
    from rich.status import Status

_SHOWN: "list[Status]" = []


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show what is being done while the body runs, where standard error is a terminal; answers may be partial."""
    if not sys.stderr.isatty():
        with listening(Listener(_nobody, partly=True)):
            yield
        return
    from rich.console import Console
    from rich.text import Text

    status = Console(stderr=True, highlight=False, markup=False, emoji=False).status(Text("starting"))

    def tell(what: str, share: float | None) -> None:
        status.update(Text(what if share is None else f"{what}: {share:.0%}"))

    _SHOWN.append(status)
    status.start()
    try:
        with listening(Listener(tell, partly=True)):
            yield
    finally:
        hide_progress()


def hide_progress() -> None:
    """Take the line away before anything is printed."""
    while _SHOWN:
        _SHOWN.pop().stop()


def _nobody(what: str, share: float | None) -> None:
    """Tell nobody."""
