"""Battles in clusters between agents of hostile names, to be resampled."""

import numpy as np

from beatpath import Battles, Factor

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
