"""Work on the two workers of a Dask or Ray cluster on this machine: the same answer, also when one is killed, and what it costs.

    python benchmarks/scale/workers.py [dask] [ray] [loky] [--share 0.5]

Every work takes about twenty processor seconds alone, or the share of them that is requested; the whole is meant to take about
five minutes on two idle cores. Processor seconds are those of this process, the "head", which also does what is not spread, and of all that it
started, those included that have ended. A cluster's daemons take some while nothing is done at all; what that comes to is measured
first, and distinguished as "daemons". What it costs to start a cluster, and to let its workers load what each work needs, is reported on
lines of its own and is no part of what follows. Efficiency "of the processor" is what the work takes alone over what it takes on the
cluster, daemons aside; "by the clock" it is half the speed-up, which means something on idle cores alone. The worker is killed
during a part of the work.
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
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "reproductions" / "coverage"), str(ROOT / "reproductions" / "common")]
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])  # for workers too
TICK = os.sysconf("SC_CLK_TCK")
IDLE = 5.0  # seconds for which a cluster is watched while it does nothing
BUSY = 0.3  # processor seconds into its work a worker is killed
FIRST = 0.05  # of the work is done before anything is measured
KILLED = 0.25  # of the work during which a worker is killed
SAMPLED = 0.2  # seconds between looks at processes, which may end


def coverage(workers: int, share: float) -> Any:
    """Blocks of coverage runs: what held in each."""
    from reproduce import block

    from beatpath.inference.bootstrap.workers import results

    blocks = results(lambda job: block(*job), [(8, 5 * i, 5) for i in range(round(200 * share))], workers)
    return [(one.world, one.first, one.sums) for one in blocks]


def resamples(workers: int, share: float) -> Any:
    """A bootstrap of Schulze's rule."""
    import beatpath as bp

    return bp.bootstrap(bp.example(), "schulze", draws=round(28_672 * share), workers=workers).to_dict()


def left_out(workers: int, share: float) -> Any:
    """Every one of thousands of prompts left out in turn, by Bradley-Terry."""
    import beatpath as bp

    return bp.robustness.leave_one_out(
        battles(round(20_000 * share)), "bradley_terry", by="cluster", workers=workers
    ).to_dict()


def contexts(workers: int, share: float) -> Any:
    """A report that asks everything of every one of a dozen judges too."""
    import beatpath as bp

    return bp.report(
        battles(judges=max(2, round(12 * share)), agents=100, each=3000), by="judge", workers=workers
    ).to_dict()


def battles(clusters: int = 3000, judges: int = 1, agents: int = 30, each: int = 0) -> Any:
    """Seeded battles, so many for each judge or ten for each cluster."""
    import numpy as np

    import beatpath as bp

    n = max(each * judges, 10 * clusters)
    rng = np.random.default_rng(n)
    a = rng.integers(agents, size=n)
    b = (a + rng.integers(1, agents, size=n)) % agents
    won = rng.random(n) < 1 / (1 + np.exp((a - b) / 10))
    factors = {"cluster": rng.integers(clusters, size=n), "judge": rng.integers(judges, size=n)}
    names = {
        key: bp.Factor.coded(value, [f"{key} {i:05}" for i in range(value.max() + 1)]) for key, value in factors.items()
    }
    return bp.Battles(tuple(f"agent {i:02}" for i in range(agents)), a, b, won.astype(float), factors=names)


WORKS = {"coverage runs": coverage, "bootstrap": resamples, "leave one out": left_out, "report by context": contexts}


def processes() -> dict[tuple[int, int], float]:
    """Processor seconds of this process and of all that descend from it, by number and time of start."""
    parent, born, spent = {}, {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            pid = int(entry.name)
            parent[pid], born[pid], spent[pid] = int(fields[1]), int(fields[19]), sum(map(int, fields[11:13])) / TICK
    mine = {os.getpid()}
    while more := {child for child, of in parent.items() if of in mine} - mine:
        mine |= more
    return {(one, born[one]): spent[one] for one in mine}


class Cost(NamedTuple):
    """Wall seconds, processor seconds of this process, and of those that it started."""

    wall: float
    head: float
    others: float

    @property
    def busy(self) -> float:
        """Processor seconds of all."""
        return self.head + self.others


@contextmanager
def metered() -> Iterator[Callable[[], Cost]]:
    """What tells the cost of what is done within; processes are looked at again and again, since some end meanwhile."""
    before, seen, over, looking = processes(), processes(), threading.Event(), [0.0]
    begin, head = time.perf_counter(), time.process_time()

    def look() -> None:
        while not over.wait(SAMPLED):
            seen.update(processes())
            looking[0] = time.thread_time()

    thread = threading.Thread(target=look)
    thread.start()

    def cost() -> Cost:
        over.set()
        thread.join()
        wall, mine = time.perf_counter() - begin, time.process_time() - head - looking[0]
        seen.update(processes())
        others = sum(spent - before.get(one, 0.0) for one, spent in seen.items() if one[0] != os.getpid())
        return Cost(wall, mine, others)

    try:
        yield cost
    finally:
        over.set()


def measured(work: Callable[[int, float], Any], workers: int, share: float) -> tuple[Any, Cost]:
    """The answer, and what it took."""
    with metered() as cost:
        answer = work(workers, share)
        return answer, cost()


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
        yield lambda: named("ray::do_parcel")
    ray.shutdown()


@contextmanager
def loky_workers() -> Iterator[Callable[[], list[int]]]:
    """Two processes of joblib's own, and what tells them."""
    yield lambda: named("loky")


def named(word: str) -> list[int]:
    """Processes whose command line has a word."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word in (entry / "cmdline").read_text():
                pids.append(int(entry.name))
        except OSError:
            continue
    return sorted(pids)


def killed(work: Callable[[int, float], Any], share: float, pids: Callable[[], list[int]]) -> tuple[Any, int]:
    """The answer though a worker is killed meanwhile, once it has done something, and how many were."""
    dead: list[int] = []
    over, before = threading.Event(), processes()

    def kill() -> None:
        while not dead and not over.wait(SAMPLED):
            spent = {one[0]: now - before.get(one, 0.0) for one, now in processes().items()}
            for pid in [one for one in pids() if spent.get(one, 0.0) > BUSY][:1]:
                os.kill(pid, signal.SIGKILL)
                dead.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    answer = work(2, share)
    over.set()
    thread.join()
    return answer, len(dead)


CLUSTERS = {"dask": dask_workers, "ray": ray_workers, "loky": loky_workers}


HEADS = (
    "cluster",
    "work",
    "alone, CPU s (wall)",
    "head, CPU s",
    "two workers, CPU s",
    "daemons, CPU s",
    "wall s",
    "efficiency of the processor",
    "by the clock",
    "one killed",
)


def row(*cells: Any) -> None:
    """Print a line of the table."""
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def same(answer: Any, expected: Any) -> str:
    """Whether two answers are one."""
    return "the same answer" if answer == expected else "ANOTHER ANSWER"


def overhead(which: str, what: str, cost: Cost) -> None:
    """Print what is no part of the work."""
    row(which, what, "", f"{cost.head:.1f}", f"{cost.others:.1f}", "", f"{cost.wall:.1f}", "", "", "")


def on_cluster(which: str, alone: dict[str, tuple[Any, Cost]], part: dict[str, Any], share: float) -> None:
    """Print what a cluster takes to start, and to do each work."""
    with metered() as started, CLUSTERS[which]() as pids:
        cost = started()
        overhead(which, "to start the cluster", cost)
        asleep = measured(lambda *_: time.sleep(IDLE), 2, 1.0)[1]
        idle = asleep.busy / asleep.wall
        for name, (answer, by_one) in alone.items():
            _, cost = measured(WORKS[name], 2, FIRST)
            overhead(which, f"{name}, to load", cost)
            again, cost = measured(WORKS[name], 2, share)
            last, dead = killed(WORKS[name], KILLED * share, pids)
            daemons = idle * cost.wall
            row(
                which,
                f"{name}: {same(again, answer)}",
                f"{by_one.busy:.1f} ({by_one.wall:.1f})",
                f"{cost.head:.1f}",
                f"{cost.others - daemons:.1f}",
                f"{daemons:.1f}",
                f"{cost.wall:.1f}",
                f"{by_one.busy / (cost.busy - daemons):.2f}",
                f"{by_one.wall / cost.wall / 2:.2f}",
                f"{dead} killed, {same(last, part[name])}",
            )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cluster", nargs="*", help="dask, ray or loky; by default the first two")
    parser.add_argument("--share", type=float, default=1.0, help="of the work")
    parser.add_argument("--work", action="append", choices=list(WORKS), help="only this; may be repeated")
    given = parser.parse_args()
    part = {name: WORKS[name](1, KILLED * given.share) for name in given.work or WORKS}  # loads whatever it needs
    alone = {name: measured(WORKS[name], 1, given.share) for name in part}
    row(*HEADS)
    row("---", "---", *["--:"] * 7, "---")
    for which in given.cluster or ["dask", "ray"]:
        on_cluster(which, alone, part, given.share)


if __name__ == "__main__":
    main()
