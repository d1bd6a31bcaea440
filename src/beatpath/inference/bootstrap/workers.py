"""Map a function over many items: in this process, on local processes, or on the workers of a Dask or Ray cluster.

The function's state is sent to every worker once; items follow in batches. If a worker dies, its batches are submitted
again. Results come in the order of the items and depend on the items alone.
"""

import ctypes
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[Any], Any]
Progress = Callable[[int, int], None]
SHARE = 32  # batches per worker, so that the last ones end together and a death costs little
ATTEMPTS = 4  # times that work is submitted before giving up on dying workers
# Names of exceptions that mean a worker died.
DEATHS = {
    "BrokenExecutor",  # local processes: one was killed, as when out of memory
    "KilledWorker",  # Dask: a task has killed several workers
    "CancelledError",  # Dask: all workers with the work are gone
    "RayActorError",  # Ray
    "WorkerCrashedError",
    "NodeDiedError",
    "ObjectLostError",
}
# the variable and value that Dask sets; another value is a user's choice
TRIM, TRIM_OF_DASK = "MALLOC_TRIM_THRESHOLD_", "65536"
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # constants of malloc.h
MAPPED = 32 << 20  # bytes: the threshold that glibc itself reaches after freeing so large an array
_opened: dict[str, Work] = {}  # the work last unpacked in this process


Batches = Sequence[Sequence[Any]]
# does batches, in their order, or raises the engine's own error on a death
Team = Callable[[Batches], Iterator[list[Any]]]


def results(work: Callable[[T], R], items: Sequence[T], workers: int, progress: Progress | None = None) -> Iterator[R]:
    """Yield the result of every item in order, whichever worker computes it.

    Parameters
    ----------
    work : function of one item
        Must depend on the item alone, so that it may run twice. Its state is sent to every worker once.
    items : sequence
        Sent with every batch; best small, such as indices into the state.
    workers : int
        One runs in this process. More are local processes, or, within ``joblib.parallel_config(backend="dask")`` or
        ``"ray"``, those of a cluster.
    progress : function of (items done, all), optional
        Called as items complete.

    Raises
    ------
    DataError
        When workers die repeatedly.

    Examples
    --------
    >>> list(results(abs, [3, -2], 1))
    [3, 2]
    """
    answers = map(work, items) if workers == 1 or not items else _spread(work, items, workers)
    for done, one in enumerate(answers, start=1):
        if progress is not None:
            progress(done, len(items))
        yield one


def _spread(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """Yield the results of items submitted in batches; those without one are submitted again, to new workers, if one dies."""
    size = max(1, len(items) // (SHARE * workers))
    batches = [items[low : low + size] for low in range(0, len(items), size)]
    for _ in range(ATTEMPTS):
        try:
            for done in team_for(work, workers)(batches):
                batches = batches[1:]
                yield from done
            return
        except Exception as error:
            if not DEATHS & {kind.__name__ for kind in type(error).__mro__}:
                raise
            died = error
    raise DataError(
        f"workers must live to the end of their work; they died {ATTEMPTS} times ({died}). Memory may be short: give fewer "
        "`workers`, or one."
    )


def team_for(work: Work, workers: int) -> Team:
    """Send the work to the workers that ``joblib.parallel_config`` names, or to local processes."""
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    match type(backend).__name__:
        case "DaskDistributedBackend":
            return _on_dask(work, backend.client)
        case "RayBackend":
            return _on_ray(work, workers, sys.modules["ray"], backend.ray_remote_args or {})
    threads = getattr(backend, "supports_sharedmem", False)  # large work of processes is a file that all read
    parallel = Parallel(n_jobs=workers, batch_size=1, return_as="generator")
    task = partial(do, work) if threads else partial(do_parcel, *packed(work))
    return lambda batches: parallel(delayed(task)(batch) for batch in batches)


def _on_dask(work: Work, client: Any) -> Team:
    """Run on all workers of a Dask cluster; the scheduler resubmits batches of dead workers.

    The work is the result of a task, which the scheduler can run again. Scattered, it would be lost with its worker, and
    broadcast to a worker that dies meanwhile, it would be waited for without end.
    """
    name, packed_work = packed(work)
    parcel = client.submit(_same, packed_work, pure=False)
    submit = partial(client.submit, do_parcel, name, parcel, pure=False)
    return lambda batches: (future.result() for future in [submit(batch) for batch in batches])


def _same(value: T) -> T:
    return value


def _on_ray(work: Work, workers: int, ray: Any, options: dict[str, Any]) -> Team:
    """Run on workers of a Ray cluster, which stay for later work; Ray resubmits batches of dead workers."""
    name, packed_work = packed(work)
    task, parcel = ray.remote(do_parcel).options(**options), ray.put(packed_work)

    def done(batches: Batches) -> Iterator[list[Any]]:
        sent: list[Any] = []
        for batch in batches:
            if len(sent) >= workers:
                ray.wait(sent, num_returns=len(sent) - workers + 1, fetch_local=False)
            sent.append(task.remote(name, parcel, batch))
        try:
            yield from map(ray.get, sent)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None

    return done


def do(work: Callable[[T], R], batch: Sequence[T]) -> list[R]:
    """Run the work on every item of a batch.

    >>> do(abs, [3, -2])
    [3, 2]
    """
    return [work(item) for item in batch]


def do_parcel(name: str, parcel: NDArray[np.uint8], batch: Sequence[Any]) -> list[Any]:
    """Run packed work; a worker unpacks it once."""
    work = _opened.get(name)
    if work is None:
        keep_memory()
        work = pickle.loads(parcel.data)
        _opened.clear()
        _opened[name] = work
    return do(work, batch)


def packed(work: Work) -> tuple[str, NDArray[np.uint8]]:
    """Return a unique name and the work as bytes.

    >>> name, parcel = packed(abs)
    >>> do_parcel(name, parcel, [-2])
    [2]
    """
    from joblib import wrap_non_picklable_objects

    travels = wrap_non_picklable_objects(work, keep_wrapper=False)  # also lambdas and local functions
    return uuid4().hex, np.frombuffer(pickle.dumps(travels, pickle.HIGHEST_PROTOCOL), dtype=np.uint8)


def keep_memory() -> None:
    """Let a process that Dask started keep up to 64 MB of freed memory; elsewhere, and without glibc, do nothing.

    Dask starts its workers with ``MALLOC_TRIM_THRESHOLD_=65536``, so that freed memory returns to the system
    immediately. Every array of more than 128 kB is then mapped and zeroed again, and a report took a third more CPU
    seconds: this keeps the row "Dask, report by context" of the benchmarks at an efficiency of 0.95, which was 0.61.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.environ.get(TRIM) == TRIM_OF_DASK else None
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, MAPPED)
        mallopt(M_TRIM_THRESHOLD, 2 * MAPPED)
