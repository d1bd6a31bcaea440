"""Who does work that is spread: processes or threads of joblib, workers of Dask, workers of Ray. Each is sent the work once."""

import pickle
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.bootstrap.kept_memory import keep_memory

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[Any], Any]
_opened: dict[str, Work] = {}  # the parcel that was last opened in this process


class Done(NamedTuple, Generic[R]):
    """What became of a batch, and how many seconds it took whoever did it."""

    results: list[R]
    seconds: float


class Crew(Protocol):
    """Workers that know the work, and stay until they are no longer wanted."""

    def done(self, batches: Sequence[Sequence[Any]]) -> list[Done[Any]]:
        """Return what became of every batch, in their order; where a worker dies the engine's own error may come."""


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


class OnJoblib:
    """Processes of this machine, its threads, or whatever joblib knows besides."""

    def __init__(self, work: Work, workers: int, threads: bool) -> None:
        from joblib import Parallel, delayed

        self.parallel = Parallel(n_jobs=workers, batch_size=1)
        self.task = delayed(do if threads else do_parcel)
        self.sent: tuple[Any, ...] = (work,) if threads else packed(work)

    def done(self, batches: Sequence[Sequence[Any]]) -> list[Done[Any]]:
        """A large parcel is a file that all processes of this machine read."""
        return list(self.parallel(self.task(*self.sent, batch) for batch in batches))


class OnDask:
    """Workers of a Dask cluster, all that it has."""

    def __init__(self, work: Work, client: Any) -> None:
        self.client = client
        self.name, parcel = packed(work)
        self.parcel = client.scatter(parcel, broadcast=True, hash=False)

    def done(self, batches: Sequence[Sequence[Any]]) -> list[Done[Any]]:
        """Batches of a worker that dies are given to others by the scheduler."""
        sent = [self.client.submit(do_parcel, self.name, self.parcel, batch, pure=False) for batch in batches]
        return list(self.client.gather(sent))


class OnRay:
    """So many workers of a Ray cluster. They are those of tasks, which stay for the next work, and not actors, which do not."""

    def __init__(self, work: Work, workers: int, ray: Any, options: dict[str, Any]) -> None:
        self.ray, self.workers = ray, workers
        self.task = ray.remote(do_parcel).options(**options)
        self.name, parcel = packed(work)
        self.parcel = ray.put(parcel)

    def done(self, batches: Sequence[Sequence[Any]]) -> list[Done[Any]]:
        """Batches of a worker that dies are given to others by Ray itself."""
        sent: list[Any] = []
        for batch in batches:
            if len(sent) >= self.workers:
                self.ray.wait(sent, num_returns=len(sent) - self.workers + 1, fetch_local=False)
            sent.append(self.task.remote(self.name, self.parcel, batch))
        try:
            return list(self.ray.get(sent))
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from None


def crew_for(work: Work, workers: int) -> Crew:
    """Send the work to the workers that ``joblib.parallel_config`` names, or else to processes of this machine."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    match type(backend).__name__:
        case "DaskDistributedBackend":
            return OnDask(work, backend.client)
        case "RayBackend":
            return OnRay(work, workers, sys.modules["ray"], backend.ray_remote_args or {})
    return OnJoblib(work, workers, getattr(backend, "supports_sharedmem", False))
