"""Whoever does the work, the answer is one: processes here, a cluster of Dask, Ray, and any of them with a worker killed."""

import importlib
import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

from beatpath import Battles, Factor
from beatpath._errors import UsageError
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.inference.bootstrap.workers import FEW, results
from beatpath.inference.sensitivity.leave_out import leave_one_out
from helpers.methods import slow_win_rate
from helpers.sessions import running_dask, running_ray

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of clusters, left to the garbage collector


def some_battles(n=400, agents=6):
    rng = np.random.default_rng(5)
    a = rng.integers(agents, size=n)
    b = (a + rng.integers(1, agents, size=n)) % agents
    names = tuple(f"agent {i}" for i in range(agents))
    return Battles(
        names,
        a,
        b,
        (rng.random(n) < 1 / (1 + np.exp(0.3 * (a - b)))).astype(float),
        factors={"task": Factor.of(rng.integers(12, size=n))},
    )


@pytest.fixture(scope="module")
def cluster():
    """A client of two worker processes of Dask."""
    with running_dask() as made, made.get_client() as client:
        yield client


@pytest.fixture
def ray():
    """Ray, known to joblib."""
    found = running_ray()
    importlib.import_module("ray.util.joblib").register_ray()
    return found


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
        found = bootstrap(battles, "bradley_terry", draws=200, cluster="task", seed=3, workers=2)
        again = leave_one_out(
            battles, "bradley_terry", "task", workers=2, progress=lambda done, of: seen.append((done, of))
        )
    assert found.to_dict() == alone.to_dict()
    np.testing.assert_array_equal(found.scores, alone.scores)
    assert again.to_dict() == left.to_dict()
    assert seen == [(i, 12) for i in range(1, 13)]


@pytest.mark.posix
def test_a_worker_of_dask_killed_in_the_middle_changes_nothing(cluster):
    battles = some_battles()
    alone = bootstrap(battles, slow_win_rate, draws=1500)
    before = set(cluster.run(os.getpid).values())
    victim = min(before)
    killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
    began = time.monotonic()
    killer.start()
    with joblib.parallel_config(backend="dask"):
        found = bootstrap(battles, slow_win_rate, draws=1500, workers=2)
    assert time.monotonic() - began > 0.5, "the work was over before the worker was killed"
    assert victim not in set(cluster.run(os.getpid).values())
    np.testing.assert_array_equal(found.scores, alone.scores)
    assert found.to_dict() == alone.to_dict()


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
        assert list(results(deadly, range(2 * FEW + 5), 2)) == [i**2 for i in range(2 * FEW + 5)]
    assert mark.exists()


def test_an_error_of_the_work_itself_is_raised_at_once():
    asked = []

    def wrong(number):
        asked.append(number)
        raise ZeroDivisionError("mine")

    with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError, match="mine"):
        list(results(wrong, [1], 2))
    assert asked == [1]


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two"])
def test_workers_are_a_number(workers):
    with pytest.raises(UsageError, match="`workers` must be a whole number"):
        leave_one_out(some_battles(50), "copeland", "task", workers=workers)
