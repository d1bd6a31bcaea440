"""Work on the two workers of a Dask or Ray cluster on this machine: the same answer, also when one is killed, and what it costs.

    python benchmarks/scale/workers.py [dask] [ray] [loky] [--share 0.5]

Every work takes about twenty processor seconds alone, or the share of them that is asked for. Processor seconds are those of this process
and of all that it started. A cluster's daemons take some while nothing is done at all; what that comes to is measured first, and
told apart as "daemons". Efficiency "of the processor" is what the work takes alone over what it takes on the cluster, daemons aside;
"by the clock" it is half the speed-up, which means something on idle cores alone. Clusters are up, and have done some of the
same work, before anything is measured.
"""

import argparse
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
IDLE = 5.0  # seconds for which a cluster is watched while it does nothing
LATER = 1.0  # seconds after which a worker is killed
FIRST = 0.1  # of the work is done before anything is measured


def coverage(workers: int, share: float) -> Any:
    """Blocks of coverage runs: what held in each."""
    from reproduce import block

    from beatpath.inference.bootstrap.workers import results

    found = results(lambda job: block(*job), [(8, 5 * i, 5) for i in range(round(160 * share))], workers)
    return [(one.world, one.first, one.sums) for one in found]


def resamples(workers: int, share: float) -> Any:
    """A bootstrap of Schulze's rule."""
    import beatpath as bp

    return bp.bootstrap(bp.example(), "schulze", draws=round(16_384 * share), workers=workers).to_dict()


def left_out(workers: int, share: float) -> Any:
    """Every one of thousands of prompts left out in turn, by Bradley-Terry."""
    import beatpath as bp

    return bp.leave_one_out(battles(round(12_000 * share)), "bradley_terry", by="cluster", workers=workers).to_dict()


def contexts(workers: int, share: float) -> Any:
    """A report that asks everything of every one of many judges too."""
    import beatpath as bp

    return bp.report(battles(judges=max(2, round(30 * share))), contexts="judge", workers=workers).to_dict()


def battles(clusters: int = 3000, judges: int = 4) -> Any:
    """Seeded battles of thirty agents, 600 a judge or ten a cluster."""
    import numpy as np

    import beatpath as bp

    n = max(600 * judges, 10 * clusters)
    rng = np.random.default_rng(n)
    a = rng.integers(30, size=n)
    b = (a + rng.integers(1, 30, size=n)) % 30
    won = rng.random(n) < 1 / (1 + np.exp((a - b) / 10))
    factors = {"cluster": rng.integers(clusters, size=n), "judge": rng.integers(judges, size=n)}
    names = {
        key: bp.Factor.coded(value, [f"{key} {i:05}" for i in range(value.max() + 1)]) for key, value in factors.items()
    }
    return bp.Battles(tuple(f"agent {i:02}" for i in range(30)), a, b, won.astype(float), factors=names)


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


def measured(work: Callable[[int, float], Any], workers: int, share: float) -> tuple[Any, float, float]:
    """The answer, wall and processor seconds."""
    begin, busy = time.perf_counter(), processor()
    answer = work(workers, share)
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


def killed(work: Callable[[int, float], Any], share: float, pids: Callable[[], list[int]]) -> tuple[Any, int]:
    """The answer though a worker is killed meanwhile, and how many were."""
    dead: list[int] = []

    def kill() -> None:
        time.sleep(LATER)
        for pid in pids()[:1]:
            os.kill(pid, signal.SIGKILL)
            dead.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    answer = work(2, share)
    thread.join()
    return answer, len(dead)


CLUSTERS = {"dask": dask_workers, "ray": ray_workers, "loky": loky_workers}


HEADS = (
    "cluster",
    "work",
    "alone, CPU s (wall)",
    "two workers, CPU s (wall)",
    "daemons",
    "efficiency of the processor",
    "by the clock",
    "one killed",
)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cluster", nargs="*", help="dask, ray or loky; by default the first two")
    parser.add_argument("--share", type=float, default=1.0, help="of the work")
    parser.add_argument("--work", action="append", choices=list(WORKS), help="only this; may be repeated")
    given = parser.parse_args()
    works = {name: WORKS[name] for name in given.work or WORKS}
    alone = {}
    for name, work in works.items():
        work(1, FIRST)  # loads whatever it needs
        alone[name] = measured(work, 1, given.share)
    print("|", " | ".join(HEADS), "|\n| --- | --- | --: | --: | --: | --: | --: | --- |", flush=True)
    for which in given.cluster or ["dask", "ray"]:
        with CLUSTERS[which]() as pids:
            idle = measured(lambda *_: time.sleep(IDLE), 2, 1.0)[2] / IDLE
            for name, work in works.items():
                answer, wall, busy = alone[name]
                work(2, FIRST)  # loads whatever they need
                again, wall2, busy2 = measured(work, 2, given.share)
                last, dead = killed(work, given.share, pids)
                same = "the same answer" if again == answer else "ANOTHER ANSWER"
                after = "the same answer" if last == answer else "ANOTHER ANSWER"
                print(
                    f"| {which} | {name}: {same} | {busy:.1f} ({wall:.1f}) | {busy2:.1f} ({wall2:.1f}) | {idle * wall2:.1f} "
                    f"| {busy / (busy2 - idle * wall2):.2f} | {wall / wall2 / 2:.2f} | {dead} killed, {after} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
