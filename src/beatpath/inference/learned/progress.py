"""A line on the terminal that says how far training is; nothing where there is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from beatpath.inference.learned.training import Epoch


@contextmanager
def progress(epochs: int) -> Iterator[Callable[[Epoch], None]]:
    """Yield a function that shows an epoch on standard error, if that is a terminal, and clear the line at the end.

    >>> with progress(10) as report:
    ...     report(Epoch(1, 1.0, 1.0, 0.7, None, None, None))
    """
    if not sys.stderr.isatty():
        yield lambda record: None
        return

    def report(record: Epoch) -> None:
        held = "" if record.held_out is None else f", held out {record.held_out:.4f}"
        sys.stderr.write(f"\r\033[Kepoch {record.epoch} of {epochs}: cross-entropy {record.cross_entropy:.4f}{held}")
        sys.stderr.flush()

    try:
        yield report
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
