"""True verdicts and judges' errors by Dawid and Skene's model, beside crowd-kit.

beatpath sees every unit both ways round, so that no name matters, and pulls judges of few units towards all; crowd-kit, which does
neither, is given both ways and beatpath no prior, so that both climb the same likelihood. They agree where the true verdicts they
find most probable differ in one of ten thousand at most.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from measure import Row, ask, row

SIZE, QUICK = (20, 20_000), (20, 1_000)  # judges, units; a quarter of the judges sees each
TURNED = np.array([1, 0, 2])


def verdicts(judges: int, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seeded judges of many skills, who saw a quarter of the units each: judge, unit and verdict."""
    rng = np.random.default_rng(units)
    truth = rng.choice(3, units, p=[0.4, 0.4, 0.2])
    judge, unit = np.nonzero(rng.random((judges, units)) < 0.25)
    skill = np.linspace(0.4, 0.9, judges)[judge]
    return judge, unit, np.where(rng.random(len(unit)) < skill, truth[unit], rng.integers(3, size=len(unit)))


def beatpath(judge: np.ndarray, unit: np.ndarray, value: np.ndarray) -> Callable[[], list[int]]:
    from beatpath.stats.verdicts import Verdicts, dawid_skene

    seen, n = np.unique(unit), int(judge.max()) + 1
    verdicts = Verdicts(judge, unit, value)
    return lambda: dawid_skene(verdicts, n, prior=0.0).truth[seen].argmax(axis=1).tolist()


def crowdkit(judge: np.ndarray, unit: np.ndarray, value: np.ndarray) -> Callable[[], list[int]]:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    seen, n = np.unique(unit), int(unit.max()) + 1
    frame = pd.DataFrame(
        {
            "worker": np.append(judge, judge),
            "task": np.append(unit, unit + n),
            "label": np.append(value, TURNED[value]),
        }
    )
    return lambda: DawidSkene(n_iter=200, tol=1e-9).fit_predict(frame)[seen].tolist()


def cell(name: str, judges: str, units: str, repeats: str) -> dict[str, Any]:
    """Time one library, and tell the verdicts it finds most probable."""
    return timed({"beatpath": beatpath, "crowdkit": crowdkit}[name](*verdicts(int(judges), int(units))), int(repeats))


def measured(given: argparse.Namespace) -> list[Row]:
    """Both libraries on the same verdicts."""
    judges, units = QUICK if given.quick else SIZE
    case = f"Dawid and Skene's model, {judges} judges, {units:,} units"
    measurements = {
        name: ask(given, "inference.judges", name, judges, units, given.repeats, needs=name)
        for name in ("beatpath", "crowdkit")
    }
    ours, theirs = measurements["beatpath"], measurements["crowdkit"]
    rows = [row(case, "beatpath", ours)]
    if isinstance(ours, str) or isinstance(theirs, str):
        return [*rows, row(case, "crowd-kit", theirs)]
    other = sum(x != y for x, y in zip(ours["answer"], theirs["answer"], strict=True))
    return [*rows, row(case, "crowd-kit", theirs, answer=f"{other} other verdicts", agrees=other <= 1e-4 * units)]
