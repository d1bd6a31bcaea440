"""What a function on a resample may answer."""

import numpy as np
import pytest

from beatpath import Battles, Factor, rank
from beatpath.inference.bootstrap.bootstrap import bootstrap

HOSTILE = ("<b>ada</b>", "bob\x1b[31m\n", "\u202ecyd", "'; drop --", "x" * 300)


def some_battles(seed=0, n=300, agents=HOSTILE, timed=True):
    rng = np.random.default_rng(seed)
    k = len(agents)
    a = rng.integers(k, size=n)
    b = (a + rng.integers(1, k, size=n)) % k
    win = rng.random(n) < 1 / (1 + np.exp(0.5 * (a - b)))
    outcome = np.where(rng.random(n) < 0.1, 0.5, win)
    clusters = Factor.of(rng.integers(40, size=n))
    time = np.arange(n, dtype=float) if timed else None
    return Battles(tuple(agents), a, b, outcome, time=time, factors={"cluster": clusters})


def test_a_function_may_return_a_ranking_and_take_settings():
    battles = some_battles()
    one = bootstrap(battles, lambda evidence, key: rank(evidence, key, matrix="raw"), draws=20, key="copeland")
    other = bootstrap(battles, "copeland", draws=20)
    assert one.score.tolist() == other.score.tolist()
    assert one.settings["key"] == "copeland"


def test_a_bug_in_a_function_is_not_counted_as_a_failure():
    def wrong(evidence):
        return {name: 1 / (len(evidence) - 50) for name in evidence.agents}

    with pytest.raises(ZeroDivisionError):
        bootstrap(some_battles(n=50), wrong, draws=5)
