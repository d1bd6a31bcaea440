"""Run a function over many items: here, on processes of this machine, or on the workers of a Dask or Ray cluster.

What the function holds is sent to every worker once; items follow in batches of about half a second. Where a worker dies, its
batches are given out again. The results come in the order of the items and depend on nothing but the items.
"""

import ctypes
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[Any], Any]
Progress = Callable[[int, int], None]
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
TRIM, TRIM_OF_DASK = "MALLOC_TRIM_THRESHOLD_", "65536"  # what Dask sets; another value is somebody's choice
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
MAPPED = 32 << 20  # bytes: what glibc comes to by itself once so large an array was freed
_opened: dict[str, Work] = {}  # the parcel that was last opened in this process


class Done(NamedTuple, Generic[R]):
    """What became of a batch, and how many seconds it took whoever did it."""

    results: list[R]
    seconds: float


Batches = Sequence[Sequence[Any]]
Team = Callable[[Batches], list[Done[Any]]]  # does batches, in their order, or raises the engine's own error on a death


def results(work: Callable[[T], R], items: Sequence[T], workers: int, progress: Progress | None = None) -> Iterator[R]:
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
    progress : function of (items done, all), optional

    Raises
    ------
    DataError
        When workers die again and again.

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
    """The results of items that are given out in waves, each as long as the last one shows to be right."""
    team, low, size = team_for(work, workers), 0, 1
    wave = len(items) if len(items) <= FEW * workers else FIRST * workers
    while low < len(items):
        batches = evened(items[low : low + wave], size, workers)
        team, done = _survived(team, work, batches, workers)
        for one in done:
            yield from one.results
        low += wave
        each = max(sum(one.seconds for one in done) / sum(map(len, batches)), 1e-9)
        size = max(1, round(BATCH / each))
        wave = size * workers * max(LEAST, round(LONG / (size * each)))


def evened(items: Sequence[T], size: int, workers: int) -> list[Sequence[T]]:
    """Return items in batches of a size, toward the end of smaller ones, so that no worker waits long for another.

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


def _survived(team: Team, work: Work, batches: Batches, workers: int) -> tuple[Team, list[Done[Any]]]:
    """What became of batches, and who did them: where a worker dies, all are given out again, to others."""
    for _ in range(ATTEMPTS):
        try:
            return team, team(batches)
        except Exception as error:
            if not DEATHS & {kind.__name__ for kind in type(error).__mro__}:
                raise
            died = error
            team = team_for(work, workers)
    raise DataError(
        f"workers must live to the end of their work; they died {ATTEMPTS} times ({died}). Memory may be short: give fewer "
        "`workers`, or one."
    )


def team_for(work: Work, workers: int) -> Team:
    """Send the work to the workers that ``joblib.parallel_config`` names, or else to processes of this machine."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    match type(backend).__name__:
        case "DaskDistributedBackend":
            return _on_dask(work, backend.client)
        case "RayBackend":
            return _on_ray(work, workers, sys.modules["ray"], backend.ray_remote_args or {})
    return _on_joblib(work, workers, getattr(backend, "supports_sharedmem", False))


def _on_joblib(work: Work, workers: int, threads: bool) -> Team:
    """Processes of this machine, its threads, or whatever joblib knows besides; a large parcel is a file that all read."""
    from joblib import Parallel, delayed

    parallel, task = Parallel(n_jobs=workers, batch_size=1), delayed(do if threads else do_parcel)
    sent = (work,) if threads else packed(work)
    return lambda batches: list(parallel(task(*sent, batch) for batch in batches))


def _on_dask(work: Work, client: Any) -> Team:
    """All workers of a Dask cluster; batches of one that dies are given to others by the scheduler."""
    name, packed_work = packed(work)
    parcel = client.scatter(packed_work, broadcast=True, hash=False)
    return lambda batches: list(
        client.gather([client.submit(do_parcel, name, parcel, batch, pure=False) for batch in batches])
    )


def _on_ray(work: Work, workers: int, ray: Any, options: dict[str, Any]) -> Team:
    """So many workers of a Ray cluster, those of tasks, which stay for the next work; Ray gives batches of the dead to others."""
    name, packed_work = packed(work)
    task, parcel = ray.remote(do_parcel).options(**options), ray.put(packed_work)

    def done(batches: Batches) -> list[Done[Any]]:
        sent: list[Any] = []
        for batch in batches:
            if len(sent) >= workers:
                ray.wait(sent, num_returns=len(sent) - workers + 1, fetch_local=False)
            sent.append(task.remote(name, parcel, batch))
        try:
            return list(ray.get(sent))
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None

    return done


def do(work: Callable[[T], R], batch: Sequence[T]) -> Done[R]:
    """Do the work for every item of a batch.

    >>> do(abs, [3, -2]).results
    [3, 2]
    """
    begun = perf_counter()
    return Done([work(item) for item in batch], perf_counter() - begun)


def do_parcel(name: str, parcel: NDArray[np.uint8], batch: Sequence[Any]) -> Done[Any]:
    """Do the work that a parcel holds; a worker opens it once."""
    work = _opened.get(name)
    if work is None:
        keep_memory()
        work = pickle.loads(parcel.data)
        _opened.clear()
        _opened[name] = work
    return do(work, batch)


def packed(work: Work) -> tuple[str, NDArray[np.uint8]]:
    """Return a name that no other parcel has, and the work as bytes.

    >>> name, parcel = packed(abs)
    >>> do_parcel(name, parcel, [-2]).results
    [2]
    """
    from joblib import wrap_non_picklable_objects

    travels = wrap_non_picklable_objects(work, keep_wrapper=False)  # functions without a name too
    return uuid4().hex, np.frombuffer(pickle.dumps(travels, pickle.HIGHEST_PROTOCOL), dtype=np.uint8)


def keep_memory() -> None:
    """Let a process that Dask started keep up to 64 MB that it freed; elsewhere, and without glibc, do nothing.

    Dask starts its workers with ``MALLOC_TRIM_THRESHOLD_=65536``, so that memory goes back to the system at once. Then every
    array of more than 128 kB is mapped and zeroed anew, and a report took a third more processor seconds: this holds the row
    "Dask, report by context" of the benchmarks at an efficiency of 0.95, which was 0.61.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.environ.get(TRIM) == TRIM_OF_DASK else None
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, MAPPED)
        mallopt(M_TRIM_THRESHOLD, 2 * MAPPED)
