"""Work given out to joblib's workers, on this machine or on a cluster, and given out again where one of them dies."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted

T = TypeVar("T")
R = TypeVar("R")
WAVE = 32  # pieces of work that a worker is given at a time; after each wave the quicker worker waits
ATTEMPTS = 4  # times that a wave is given out before workers that die are called hopeless
DEATHS = {
    "BrokenExecutor",  # of processes on this machine: one was killed, as one out of memory is
    "KilledWorker",  # of Dask: a task has taken several workers with it
    "RayActorError",  # of Ray
    "WorkerCrashedError",
    "NodeDiedError",
}


def results(work: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """Yield the result of every item, in their order, whoever does the work.

    Parameters
    ----------
    work : function of one item
        Must depend on the item alone, so that it may be done twice.
    items : iterable
    workers : int
        One does the work here. More are those of joblib: processes of this machine, or, within
        ``joblib.parallel_config(backend="dask")`` or ``"ray"``, those of a cluster.

    Raises
    ------
    DataError
        When workers die again and again.

    Examples
    --------
    >>> list(results(abs, [3, -2], 1))
    [3, 2]
    """
    if workers == 1:
        yield from map(work, items)
        return
    rest = iter(items)
    while wave := list(islice(rest, WAVE * workers)):
        yield from _given_out(work, wave, workers)


def require_workers(workers: int) -> None:
    """Refuse what is no number of workers."""
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise UsageError(f"`workers` must be a whole number, 1 or more; got {quoted(workers)}.")


def _given_out(work: Callable[[T], R], wave: list[T], workers: int) -> list[R]:
    """One wave; where a worker dies, all of it is given out again."""
    from joblib import Parallel, delayed

    for _ in range(ATTEMPTS):
        try:
            return list(Parallel(n_jobs=workers)(delayed(work)(item) for item in wave))
        except Exception as error:
            if not DEATHS & {kind.__name__ for kind in type(error).__mro__}:
                raise
            died = error
    raise DataError(
        f"workers must live to the end of their work; they died {ATTEMPTS} times ({died}). Memory may be short: give fewer "
        "`workers`, or one."
    )
