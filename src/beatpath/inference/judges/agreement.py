"""How far judges of the same units agree beyond chance, and how probably each gives the true verdict."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._result import json_number
from beatpath.stats.agreement import alpha_interval, cohen_interval, fleiss_interval, percent_agreement
from beatpath.stats.intervals import Interval
from beatpath.stats.verdicts import Verdicts, accuracy_intervals

LEAST = 20  # units that a judge, or two judges together, must have
MOST_JUDGES = 20  # of whom every pair is compared


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Cohen's kappa of two judges on the units that both judged."""

    judges: tuple[str, str]
    units: int
    kappa: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"judges": list(self.judges), "units": self.units, "kappa": interval_data(self.kappa)}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on units that two judges or more judged.

    Attributes
    ----------
    units : int
    share : float
        Of pairs of verdicts that agree.
    alpha, fleiss : Interval
        Krippendorff's alpha and Fleiss' kappa, both agents of a pair alike.
    pairs : tuple of PairAgreement
        Cohen's kappa of every two judges with enough units in common, lowest first; none where there are too many judges.
    accuracy : mapping of judge to Interval
        Dawid and Skene's probability of giving the true verdict, for judges with enough units.
    """

    units: int
    share: float
    alpha: Interval
    fleiss: Interval
    pairs: tuple[PairAgreement, ...]
    accuracy: dict[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "units": self.units,
            "share": json_number(self.share),
            "alpha": interval_data(self.alpha),
            "fleiss": interval_data(self.fleiss),
            "pairs": [one.to_dict() for one in self.pairs],
            "accuracy": {name: interval_data(value) for name, value in self.accuracy.items()},
        }


def agreement_of(found: Verdicts | None, names: tuple[str, ...], level: float) -> Agreement | None:
    """Return how far judges agree, or nothing where too few units were judged by two or more."""
    if found is None or int(found.unit.max(initial=-1)) + 1 < LEAST:
        return None
    counts = found.counts()
    seen = np.bincount(found.judge, minlength=len(names))
    estimate, ends, _ = accuracy_intervals(found, len(names), level)
    enough = np.flatnonzero(seen >= LEAST).tolist()
    return Agreement(
        len(counts),
        percent_agreement(counts),
        alpha_interval(counts, level),
        fleiss_interval(counts, level),
        _pairs(found, names, enough, level),
        {names[j]: Interval(float(estimate[j]), float(ends[j, 0]), float(ends[j, 1])) for j in enough},
    )


def _pairs(found: Verdicts, names: tuple[str, ...], enough: list[int], level: float) -> tuple[PairAgreement, ...]:
    """Every two judges with enough units in common."""
    if len(enough) > MOST_JUDGES:
        return ()
    n_units = int(found.unit.max()) + 1
    value = np.full((len(names), n_units), -1, dtype=np.int64)
    value[found.judge, found.unit] = found.value
    made = []
    for k, i in enumerate(enough):
        for j in enough[k + 1 :]:
            both = (value[i] >= 0) & (value[j] >= 0)
            if both.sum() >= LEAST:
                kappa = cohen_interval(value[i, both], value[j, both], level)
                made.append(PairAgreement((names[i], names[j]), int(both.sum()), kappa))
    return tuple(sorted(made, key=lambda one: (one.kappa.estimate, one.judges)))


def interval_data(value: Interval | None) -> dict[str, Any] | None:
    """Return an interval as plain data; numbers that are none become null."""
    return None if value is None else {name: json_number(number) for name, number in value.to_dict().items()}
