"""Work on the two workers of a Dask or Ray cluster on this machine: the same answer, also when one is killed, and what it costs.

    python benchmarks/scale/workers.py [dask] [ray] [loky]

Processor seconds are those of this process and of all that it started. A cluster's daemons take some while nothing is done at all;
what that comes to is measured first, and told apart as "daemons". "share" is what the work takes alone over what it takes on the
cluster, daemons aside: beside other programs the clock tells nothing of efficiency, and on idle cores the share is half the
speed-up, but for waiting at the end. "speed-up / 2" is by the clock. Clusters are up, and have done the same work, before
anything is measured.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "reproductions" / "coverage"), str(ROOT / "reproductions" / "common")]
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])  # for workers too
TICK = os.sysconf("SC_CLK_TCK")
RUNS = 12  # coverage blocks of five runs each
IDLE = 5.0  # seconds for which a cluster is watched while it does nothing
LATER = 1.0  # seconds after which a worker is killed


def coverage(workers: int) -> Any:
    """Blocks of coverage runs: what held in each."""
    from reproduce import block

    from beatpath.inference.bootstrap.workers import results

    found = results(lambda job: block(*job), [(8, 5 * i, 5) for i in range(RUNS)], workers)
    return [(one.world, one.first, one.sums) for one in found]


def resamples(workers: int) -> Any:
    """A bootstrap of Schulze's rule."""
    import beatpath as bp

    return bp.bootstrap(bp.example(), "schulze", draws=4096, workers=workers).to_dict()


def left_out(workers: int) -> Any:
    """Every prompt left out in turn, by Bradley-Terry; there are hundreds."""
    import beatpath as bp

    return bp.leave_one_out(bp.example(), "bradley_terry", by="cluster", workers=workers).to_dict()


def contexts(workers: int) -> Any:
    """A report that asks everything of every judge too."""
    import beatpath as bp

    return bp.report(bp.example(), contexts="judge", workers=workers).to_dict()


WORKS = {"coverage runs": coverage, "bootstrap": resamples, "leave one out": left_out, "report by context": contexts}


def processor() -> float:
    """Processor seconds of this process and of all that descend from it, those included that have ended and were waited for."""
    parent, spent = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                told = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parent[int(entry.name)] = int(told[1])
            spent[int(entry.name)] = sum(map(int, told[11:15])) / TICK
    mine = {os.getpid()}
    while more := {child for child, of in parent.items() if of in mine} - mine:
        mine |= more
    return sum(spent[one] for one in mine)


def measured(work: Callable[[int], Any], workers: int) -> tuple[Any, float, float]:
    """The answer, wall and processor seconds."""
    begin, busy = time.perf_counter(), processor()
    answer = work(workers)
    return answer, time.perf_counter() - begin, processor() - busy


@contextmanager
def dask_workers() -> Iterator[Callable[[], list[int]]]:
    """Two workers of Dask, and what tells their processes."""
    import joblib
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        yield lambda: list(client.run(os.getpid).values())


@contextmanager
def ray_workers() -> Iterator[Callable[[], list[int]]]:
    """Two workers of Ray, and what tells their processes."""
    import joblib
    import ray
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    register_ray()
    with joblib.parallel_config(backend="ray"):
        yield lambda: _named("ray::PoolActor")
    ray.shutdown()


@contextmanager
def loky_workers() -> Iterator[Callable[[], list[int]]]:
    """Two processes of joblib's own, and what tells them."""
    yield lambda: _named("loky")


def _named(word: str) -> list[int]:
    """Processes whose command line has a word."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return sorted(found)


def killed(work: Callable[[int], Any], pids: Callable[[], list[int]]) -> tuple[Any, int]:
    """The answer though a worker is killed meanwhile, and how many were."""
    dead: list[int] = []

    def kill() -> None:
        time.sleep(LATER)
        for pid in pids()[:1]:
            os.kill(pid, signal.SIGKILL)
            dead.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    answer = work(2)
    thread.join()
    return answer, len(dead)


CLUSTERS = {"dask": dask_workers, "ray": ray_workers, "loky": loky_workers}


def main() -> None:
    """Print a table a cluster."""
    asked = sys.argv[1:] or ["dask", "ray"]
    alone = {}
    for name, work in WORKS.items():
        work(1)  # loads whatever it needs
        alone[name] = measured(work, 1)
    heads = (
        "cluster",
        "work",
        "alone, CPU s (wall)",
        "two workers, CPU s (wall)",
        "daemons",
        "share",
        "speed-up / 2",
        "one killed",
    )
    print("|", " | ".join(heads), "|\n| --- | --- | --: | --: | --: | --: | --: | --- |")
    for which in asked:
        with CLUSTERS[which]() as pids:
            idle = measured(lambda _: time.sleep(IDLE), 2)[2] / IDLE
            for name, work in WORKS.items():
                answer, wall, busy = alone[name]
                work(2)  # loads whatever they need
                again, wall2, busy2 = measured(work, 2)
                last, dead = killed(work, pids)
                same = "the same answer" if again == answer else "ANOTHER ANSWER"
                after = "the same answer" if last == answer else "ANOTHER ANSWER"
                print(
                    f"| {which} | {name}: {same} | {busy:.1f} ({wall:.1f}) | {busy2:.1f} ({wall2:.1f}) | {idle * wall2:.1f} "
                    f"| {busy / (busy2 - idle * wall2):.2f} | {wall / wall2 / 2:.2f} | {dead} killed, {after} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
