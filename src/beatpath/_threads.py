"""Use one BLAS thread for small matrices.

Threads of BLAS wait for each other by spinning, which costs more than it saves.

At 129 agents, two threads took eight times the processor time of one, and more wall time. One thread also rounds
alike on every machine. Only OpenBLAS, as numpy and scipy ship it, is changed.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

SMALL = 2000  # most agents for which matrices count as small: all that a report takes


class Threads(NamedTuple):
    """The functions that read and set the number of threads of a library."""

    number: Callable[[], int]
    to: Callable[[int], None]


@contextmanager
def threads_for(n_agents: int) -> Iterator[None]:
    """Use one thread for matrices of few agents; keep the current number for more.

    >>> with threads_for(100):
    ...     print({one.number() for one in blas_threads()} <= {1})
    True
    """
    before = [(one, one.number()) for one in blas_threads()] if n_agents <= SMALL else []
    for one, _ in before:
        one.to(1)
    try:
        yield
    finally:
        for one, number in before:
            one.to(number)


@cache
def blas_threads() -> tuple[Threads, ...]:
    """Return the threads of every OpenBLAS that numpy and scipy ship; empty if they use another library."""
    import numpy
    import scipy

    return tuple(
        threads
        for package, name in ((numpy, "numpy"), (scipy, "scipy"))
        for folder in (Path(package.__path__[0]).parent / f"{name}.libs", Path(package.__path__[0]) / ".dylibs")
        for file in sorted(folder.glob("*openblas*"))
        if (threads := _threads_of(str(file))) is not None
    )


def _threads_of(file: str) -> Threads | None:
    """The threads of one library, whatever its functions are called."""
    try:
        library = ctypes.CDLL(file)
    except OSError:
        return None
    for before, after in (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")):
        names = (f"{before}openblas_{verb}_num_threads{after}" for verb in ("get", "set"))
        try:
            number, to = (getattr(library, name) for name in names)
        except AttributeError:
            continue
        return Threads(number, to)
    return None
