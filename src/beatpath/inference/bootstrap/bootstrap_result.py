"""What `bootstrap` hands back: how far scores, ranks, winners and cores move when the data are drawn again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.evidence import Convention
from beatpath.inference.bootstrap.bootstrap_text import sentences, table
from beatpath.inference.bootstrap.rank_frequencies import (
    above_frequencies,
    quantile_and_error,
    rank_frequencies,
    rank_ranges,
)
from beatpath.methods.result import SCHEMA_VERSION

Array = NDArray[np.float64]
KINDS = ("percentile", "basic")


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Bounds of every agent's score, and what drawing more resamples could still move them by.

    A bound is infinite where so many resamples gave no score that it could lie anywhere, NaN where the method gives none.
    """

    low: Array
    high: Array
    low_error: Array
    high_error: Array


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Answers of one method on resamples of the evidence.

    Attributes
    ----------
    method : str
    agents : tuple of str
    score : (n,) float
        On the evidence itself.
    place : (n,) int
        Level on the evidence itself, 0 the best.
    scores : (r, n) float
        On every resample that has an answer.
    levels : (r, n) int
    members : mapping of name to (r, n) bool
        Of methods that choose sets: who is in each.
    chosen : mapping of name to (n,) bool
        The same on the evidence itself.
    draws : int
        Resamples drawn, answered or not.
    level : float
        Of the intervals.
    drawn : str
        What was drawn, in words.
    failures, caveats : mapping of str to int
        Why resamples have no answer, and what the method said of answers it gave; how often.
    settings : mapping
    conventions : tuple of Convention
    notes : tuple of str
    """

    method: str
    agents: tuple[str, ...]
    score: Array
    place: NDArray[np.int64]
    scores: Array
    levels: NDArray[np.int32]
    members: Mapping[str, NDArray[np.bool_]]
    chosen: Mapping[str, NDArray[np.bool_]]
    draws: int
    level: float
    drawn: str
    failures: Mapping[str, int] = field(default_factory=dict)
    caveats: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def answered(self) -> int:
        """How many resamples have an answer."""
        return len(self.levels)

    def intervals(self, kind: str = "percentile") -> Intervals:
        r"""Return intervals of the scores.

        With :math:`q` a quantile of the resampled scores and :math:`\hat s` the score, "percentile" is
        :math:`[q_{\alpha/2}, q_{1-\alpha/2}]`: it stays where scores can lie, and is the same on any scale. "basic" is
        :math:`[2 \hat s - q_{1-\alpha/2}, 2 \hat s - q_{\alpha/2}]`: it takes off the bias that resampling shows. A
        resample without an answer counts as lying below the lower and above the upper bound, so that failures only widen.

        Simulated with 6 to 100 battles a pair (300 to 400 data sets each), 95 % percentile intervals of Bradley-Terry strengths
        cover 93.4 to 96.0 %, basic ones 95.2 to 97.9 %; of win rates both cover 94 to 96 %. The percentile interval, a little
        short for few battles but nearer to its level on the whole, is the one that is shown.
        """
        if kind not in KINDS:
            raise UsageError(
                f"`kind` must be one of {', '.join(KINDS)}; got {quoted(kind)}.{suggestion(str(kind), KINDS)}"
            )
        failed, tail = self.draws - self.answered, (1 - self.level) / 2
        low, below = quantile_and_error(self.scores, tail, -np.inf, failed)
        high, over = quantile_and_error(self.scores, 1 - tail, np.inf, failed)
        none = np.isnan(self.scores).all(axis=0)
        bounds = (
            (low, high, below, over)
            if kind == "percentile"
            else (2 * self.score - high, 2 * self.score - low, over, below)
        )
        return Intervals(*(np.where(none, np.nan, bound) for bound in bounds))

    @cached_property
    def rank_frequency(self) -> Array:
        """How often each agent (row) has each rank (column, the first best), tied agents sharing theirs."""
        return rank_frequencies(self.levels)

    @cached_property
    def above(self) -> Array:
        """How often the row's agent is strictly above the column's."""
        return above_frequencies(self.levels)

    @cached_property
    def ranks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The ranks between which each agent stays in a share `level` of resamples, one without an answer counting as out."""
        best, worst = (side.astype(np.float64) for side in rank_ranges(self.levels))
        failed, tail, n = self.draws - self.answered, (1 - self.level) / 2, len(self.agents)
        low, high = (
            quantile_and_error(best, tail, 1.0, failed)[0],
            quantile_and_error(worst, 1 - tail, float(n), failed)[0],
        )
        return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)

    @cached_property
    def mean_rank(self) -> Array:
        """The mean rank, that of tied agents being the middle of those they share."""
        return self.rank_frequency @ np.arange(1, len(self.agents) + 1)

    @property
    def first(self) -> Array:
        """How often each agent is on the first level, alone or tied."""
        return (self.levels == 0).mean(axis=0)

    @property
    def first_alone(self) -> Array:
        """How often each agent is alone on the first level."""
        top = self.levels == 0
        return (top & (top.sum(axis=1, keepdims=True) == 1)).mean(axis=0)

    @property
    def membership(self) -> dict[str, Array]:
        """How often each agent is in each set, for methods that choose sets."""
        return {name: inside.mean(axis=0) for name, inside in self.members.items()}

    def error(self, frequency: Array) -> Array:
        r"""Return the Monte-Carlo standard error of frequencies, :math:`\sqrt{f (1 - f) / r}`: what more draws would take away."""
        return np.sqrt(frequency * (1 - frequency) / self.answered)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is first or chosen how often, what these numbers are, and what went wrong."""
        return sentences(self)

    @property
    def sentence(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)

    def __str__(self) -> str:
        return self.sentence

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The sentences and a table for a notebook, every name escaped."""
        return table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single resamples as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "bootstrap",
            "method": self.method,
            "sentences": list(self.sentences),
            "agents": list(self.agents),
            "draws": self.draws,
            "answered": self.answered,
            "drawn": self.drawn,
            "level": self.level,
            "sets": {name: _numbers(frequency) for name, frequency in self.membership.items()},
            "ranking": None if self.members else _ranking(self),
            "failures": dict(self.failures),
            "caveats": dict(self.caveats),
            "settings": dict(self.settings),
            "conventions": [made.to_dict() for made in self.conventions],
            "notes": list(self.notes),
        }


def _ranking(found: Bootstrap) -> dict[str, Any]:
    """Scores, ranks and who is above whom, with their Monte-Carlo errors."""
    best, worst = found.ranks
    intervals = {kind: found.intervals(kind) for kind in KINDS}
    return {
        "score": _numbers(found.score),
        "place": found.place.tolist(),
        "intervals": {
            kind: {name: _numbers(getattr(bounds, name)) for name in ("low", "high", "low_error", "high_error")}
            for kind, bounds in intervals.items()
        },
        "rank_low": best.tolist(),
        "rank_high": worst.tolist(),
        "mean_rank": _numbers(found.mean_rank),
        "first": _numbers(found.first),
        "first_error": _numbers(found.error(found.first)),
        "first_alone": _numbers(found.first_alone),
        "rank_frequency": [_numbers(row) for row in found.rank_frequency],
        "above": [_numbers(row) for row in found.above],
    }


def _numbers(values: Array) -> list[float | None]:
    """Plain numbers, None for what is not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]
