"""Whoever does the work, the answer is one: processes here, a cluster of Dask, Ray, and any of them with a worker killed."""

import importlib
import os
import signal
import threading
import time
from functools import partial
from operator import add

import joblib
import numpy as np
import pytest

from beatpath import Battles, Factor
from beatpath._errors import DataError, UsageError
from beatpath.analysis.analyse import _context, analyse
from beatpath.inference.bootstrap import workers as module
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.inference.bootstrap.workers import SHARE, results
from beatpath.inference.options import ReportOptions
from beatpath.inference.sensitivity.leave_out import leave_one_out
from helpers.methods import slow_win_rate
from helpers.sessions import running_dask, running_ray

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of clusters, left to the garbage collector


def some_battles(n=400, agents=6, tasks=12):
    rng = np.random.default_rng(5)
    a = rng.integers(agents, size=n)
    b = (a + rng.integers(1, agents, size=n)) % agents
    names = tuple(f"agent {i}" for i in range(agents))
    return Battles(
        names,
        a,
        b,
        (rng.random(n) < 1 / (1 + np.exp(0.3 * (a - b)))).astype(float),
        factors={"task": Factor.of(rng.integers(tasks, size=n))},
    )


@pytest.fixture(scope="module")
def cluster():
    """A client of two worker processes of Dask."""
    with running_dask() as made, made.get_client() as client:
        yield client


@pytest.fixture
def ray():
    """Ray, known to joblib."""
    session = running_ray()
    importlib.import_module("ray.util.joblib").register_ray()
    return session


@pytest.fixture
def backend(request):
    """Start the workers of a backend."""

    def start(name):
        if name != "loky":
            request.getfixturevalue({"dask": "cluster"}.get(name, name))
        return joblib.parallel_config(backend=name)

    return start


@pytest.mark.parametrize("name", ["loky", "dask", "ray"])
def test_every_backend_gives_the_same_bits(backend, name):
    battles = some_battles()
    alone = bootstrap(battles, "bradley_terry", draws=200, cluster="task", seed=3)
    left = leave_one_out(battles, "bradley_terry", "task")
    seen = []
    with backend(name):
        bootstrapped = bootstrap(battles, "bradley_terry", draws=200, cluster="task", seed=3, workers=2)
        again = leave_one_out(
            battles, "bradley_terry", "task", workers=2, progress=lambda done, of: seen.append((done, of))
        )
    assert bootstrapped.to_dict() == alone.to_dict()
    np.testing.assert_array_equal(bootstrapped.scores, alone.scores)
    assert again.to_dict() == left.to_dict()
    assert seen == [(i, 12) for i in range(1, 13)]


@pytest.mark.posix
@pytest.mark.parametrize("after", [0.0, 0.02, 0.2])  # while the work travels, as it begins, and in the middle
def test_a_worker_of_dask_that_is_killed_changes_nothing(cluster, after):
    battles = some_battles()
    alone = bootstrap(battles, slow_win_rate, draws=512)
    before = set(cluster.run(os.getpid).values())
    victim = min(before)
    killer = threading.Timer(after, os.kill, (victim, signal.SIGKILL))
    began = time.monotonic()
    killer.start()
    with joblib.parallel_config(backend="dask"):
        bootstrapped = bootstrap(battles, slow_win_rate, draws=512, workers=2)
    assert time.monotonic() - began > after, "the work was over before the worker was killed"
    assert victim not in set(cluster.run(os.getpid).values())
    np.testing.assert_array_equal(bootstrapped.scores, alone.scores)
    assert bootstrapped.to_dict() == alone.to_dict()


@pytest.mark.posix
@pytest.mark.parametrize("name", ["loky", "ray"])
def test_a_worker_that_kills_itself_changes_nothing(backend, name, tmp_path):
    mark, home = tmp_path / "died", os.getpid()

    def deadly(number):
        if number == 3 and os.getpid() != home and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number**2

    with backend(name):
        assert list(results(deadly, range(2 * SHARE + 5), 2)) == [i**2 for i in range(2 * SHARE + 5)]
    assert mark.exists()


@pytest.fixture(scope="module")
def reported():
    """Battles of three tasks, and what a process alone says of them and of each task."""
    battles = some_battles(120, agents=4, tasks=3)
    return battles, analyse(battles, ReportOptions(by="task")).to_dict()


@pytest.mark.posix
@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_report_by_context_is_the_same_though_a_worker_is_killed_meanwhile(
    backend, name, reported, tmp_path, monkeypatch
):
    (battles, alone), mark, home = reported, tmp_path / "asked", os.getpid()

    def deadly(named, *arguments):
        assert os.getpid() != home, "contexts are looked at by workers"
        first = not mark.exists()
        with mark.open("a") as file:
            print(named[0], file=file)
        if first:
            os.kill(os.getpid(), signal.SIGKILL)
        return _context(named, *arguments)

    monkeypatch.setattr("beatpath.analysis.analyse._context", deadly)
    with backend(name):
        assert analyse(battles, ReportOptions(by="task", workers=2)).to_dict() == alone
    contexts = mark.read_text().split()
    assert set(contexts) == {one["name"] for one in alone["contexts"]} == {"0", "1", "2"}
    assert len(contexts) > 3, "the work of the dead worker is requested again"


@pytest.mark.parametrize("name", ["loky", "dask", "ray"])
def test_what_the_work_holds_is_sent_once_and_items_with_every_batch(backend, name):
    sent = []

    class Held:
        def __reduce__(self):
            sent.append(self)
            return int, (7,)

    with backend(name):
        assert list(results(partial(add, Held()), range(3 * SHARE), 2)) == list(range(7, 7 + 3 * SHARE))
    assert len(sent) == 1


@pytest.mark.parametrize("name", ["loky", "dask", "ray"])
def test_an_error_of_a_worker_comes_as_it_was_raised(backend, name):
    def wrong(number):
        raise DataError(f"no such number: {number}")

    with backend(name), pytest.raises(DataError, match=r"^no such number: 3$") as error:
        list(results(wrong, [3, 3], 2))
    assert type(error.value) is DataError


@pytest.mark.parametrize("number", [1, 63, 64, 65, 250])
def test_few_batches_hold_every_item_once_in_its_place(number, monkeypatch):
    batches = []

    def team(work, workers):
        return lambda some: (batches.append(one) or list(map(work, one)) for one in some)

    monkeypatch.setattr(module, "team_for", team)
    assert list(results(abs, range(-number, 0), 2)) == list(range(number, 0, -1))
    assert len({len(one) for one in batches[:-1]}) <= 1
    assert len(batches) <= min(number, 2 * 2 * SHARE)


def test_after_a_death_only_what_is_left_is_submitted_again(monkeypatch):
    class WorkerCrashedError(Exception):
        """As Ray's."""

    submitted = []

    def team(work, workers):
        def done(batches):
            submitted.append(len(batches))
            for k, batch in enumerate(batches):
                if k == 3:
                    raise WorkerCrashedError("out of memory")
                yield [work(one) for one in batch]

        return done

    monkeypatch.setattr(module, "team_for", team)
    assert list(results(abs, range(10), 2)) == list(range(10))
    assert submitted == [10, 7, 4, 1]
    with pytest.raises(DataError, match=r"they died 4 times .out of memory.. Memory may be short"):
        list(results(abs, range(13), 2))


def test_an_error_of_the_work_itself_is_raised_at_once():
    numbers = []

    def wrong(number):
        numbers.append(number)
        raise ZeroDivisionError("mine")

    with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError, match="mine"):
        list(results(wrong, [1], 2))
    assert numbers == [1]


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two"])
def test_workers_are_a_number(workers):
    with pytest.raises(UsageError, match="`workers` must be a whole number"):
        leave_one_out(some_battles(50), "copeland", "task", workers=workers)
