"""Work given out to workers, on this machine or on a cluster, and given out again where one of them dies."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.inference.bootstrap.crews import Crew, Done, crew_for

T = TypeVar("T")
R = TypeVar("R")
FEW = 32  # items a worker: no more than so many are given out at once and singly
FIRST = 2  # items a worker, of more, that show how long one takes
BATCH = 0.5  # seconds for which a worker is given items, so that what it costs to give them is little
LONG = 10.0  # seconds that a wave takes; what a death costs is to do one wave again
LEAST = 4  # batches a worker in a wave, however long they take
EVEN = 8  # a batch at the end of a wave has at least this part of the items of others
ATTEMPTS = 4  # times that a wave is given out before workers that die are called hopeless
DEATHS = {
    "BrokenExecutor",  # of processes on this machine: one was killed, as one out of memory is
    "KilledWorker",  # of Dask: a task has taken several workers with it
    "CancelledError",  # of Dask: all workers that had been sent the work are gone
    "RayActorError",  # of Ray
    "WorkerCrashedError",
    "NodeDiedError",
    "ObjectLostError",
}


def results(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """Yield the result of every item, in their order, whoever does the work.

    Parameters
    ----------
    work : function of one item
        Must depend on the item alone, so that it may be done twice. What it holds is sent to every worker once.
    items : sequence
        Sent with every piece of work, and best small: numbers, of what the work holds.
    workers : int
        One does the work here. More are processes of this machine, or, within
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
    if workers == 1 or not items:
        yield from map(work, items)
        return
    crew, low, size = crew_for(work, workers), 0, 1
    wave = len(items) if len(items) <= FEW * workers else FIRST * workers
    while low < len(items):
        batches = evened(items[low : low + wave], size, workers)
        crew, found = survived(crew, work, batches, workers)
        for one in found:
            yield from one.results
        low += wave
        each = max(sum(one.seconds for one in found) / sum(map(len, batches)), 1e-9)
        size = max(1, round(BATCH / each))
        wave = size * workers * max(LEAST, round(LONG / (size * each)))


def evened(items: Sequence[T], size: int, workers: int) -> list[Sequence[T]]:
    """Return items in batches of a size, towards the end of smaller ones, so that no worker waits long for another.

    >>> [len(batch) for batch in evened(range(100), 16, 2)]
    [16, 16, 16, 13, 10, 8, 6, 4, 3, 2, 2, 2, 2]
    """
    batches, low, size = [], 0, min(size, -(-len(items) // (2 * workers)))
    while low < len(items):
        share = -(-(len(items) - low) // (2 * workers))
        taken = min(size, max(share, size // EVEN))
        batches.append(items[low : low + taken])
        low += taken
    return batches


def survived(
    crew: Crew, work: Callable[[T], R], batches: list[Sequence[T]], workers: int
) -> tuple[Crew, list[Done[R]]]:
    """Return what became of batches, and who did them: where a worker dies, all are given out again, to others."""
    for _ in range(ATTEMPTS):
        try:
            return crew, crew.done(batches)
        except Exception as error:
            if not DEATHS & {kind.__name__ for kind in type(error).__mro__}:
                raise
            died = error
            crew = crew_for(work, workers)
    raise DataError(
        f"workers must live to the end of their work; they died {ATTEMPTS} times ({died}). Memory may be short: give fewer "
        "`workers`, or one."
    )


def require_workers(workers: int) -> None:
    """Refuse what is no number of workers."""
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise UsageError(f"`workers` must be a whole number, 1 or more; got {quoted(workers)}.")
