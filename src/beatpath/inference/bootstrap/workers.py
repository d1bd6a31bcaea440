"""Work given out to joblib's workers, on this machine or on a cluster, and given out again where one of them dies."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted

if TYPE_CHECKING:
    from joblib import Parallel

T = TypeVar("T")
R = TypeVar("R")
WAVE = 32  # pieces of work that a worker is given at first; after each wave the quicker worker waits
LONG = 10.0  # seconds: while waves take less, the next is twice as large; what a death costs is to do one wave again
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
    rest, size = iter(items), WAVE * workers
    with ExitStack() as hired:
        crew = Crew(workers, hired)
        while wave := list(islice(rest, size)):
            begun = monotonic()
            yield from crew.results(work, wave)
            size *= 2 if monotonic() - begun < LONG else 1


class Crew:
    """Workers of joblib that stay between waves, and others in their place where one of them dies."""

    def __init__(self, workers: int, hired: ExitStack) -> None:
        self.workers, self.hired = workers, hired
        self.parallel: Parallel | None = None

    def results(self, work: Callable[[T], R], wave: list[T]) -> list[R]:
        """Return the results of one wave; where a worker dies, all of it is given out again."""
        from joblib import Parallel, delayed

        for _ in range(ATTEMPTS):
            try:
                if self.parallel is None:
                    self.parallel = self.hired.enter_context(Parallel(n_jobs=self.workers))
                return list(self.parallel(delayed(work)(item) for item in wave))
            except Exception as error:
                if not DEATHS & {kind.__name__ for kind in type(error).__mro__}:
                    raise
                died = error
                self.parallel = None
                self.hired.close()
        raise DataError(
            f"workers must live to the end of their work; they died {ATTEMPTS} times ({died}). Memory may be short: give fewer "
            "`workers`, or one."
        )


def require_workers(workers: int) -> None:
    """Refuse what is no number of workers."""
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise UsageError(f"`workers` must be a whole number, 1 or more; got {quoted(workers)}.")
