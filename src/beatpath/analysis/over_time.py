"""Changes over time: strength curves of the leading agents, and whether there is drift."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from beatpath._errors import DataError
from beatpath._result import Record
from beatpath._text import confidence, counted, listed
from beatpath.checks.finding import Check
from beatpath.evidence import Battles, Evidence

if TYPE_CHECKING:
    from beatpath.methods.rating.whole_history import StrengthCurves

PERIODS = 20  # periods within which strength is taken as constant
LEADING = 6  # agents whose curves are shown
MOST = 200_000  # most battles for which curves take seconds
FEWEST = 100  # fewest battles for which curves are informative


@dataclass(frozen=True, slots=True, eq=False)
class OverTime(Record):
    """Strengths over time, and the finding about drift.

    Attributes
    ----------
    agents : tuple of str
        Agents shown, in the order of the board, with at least two known periods.
    curves : StrengthCurves
        Curves of all agents, by period.
    periods : int
        Number of periods.
    drift : str
        The sentence of the check for drift.
    """

    document: ClassVar[tuple[str, ...]] = ("sentences", "periods", "curves=shown_curves")

    agents: tuple[str, ...]
    curves: "StrengthCurves"
    periods: int
    drift: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether there is drift, who is strongest now, who changed most, and what a point of a curve is."""
        point = f"Each point is one of {counted(self.periods, 'period')} of equal length; strengths are constant within a period."
        # How small a change is found, after what was found
        drift, _, power = self.drift.partition("; for half of them")
        more = (f"For half of these shares{power}",) if power else ()
        return (f"{drift.removesuffix('.')}.", self._strongest_sentence, *self.curves.sentences[1:], *more, point)

    @property
    def _strongest_sentence(self) -> str:
        """The strongest agent among those with battles in the last period; agents that are gone do not count."""
        rows = self.curves.rows()
        now = max(row["time"] for row in rows)
        late = [row for row in rows if row["time"] == now]
        best = [row for row in late if row["strength"] > late[0]["strength"] - 1e-6]
        return (
            f"Strongest of the {counted(len(late), 'agent')} with battles in the last period: "
            f"{listed((row['agent'] for row in best), 3)}, {best[0]['strength']:.2f} log odds above the mean of all, {best[0]['low']:.2f} to "
            f"{best[0]['high']:.2f} with {confidence(self.curves.level)} probability."
        )

    @property
    def shown_curves(self) -> list[dict[str, Any]]:
        """The curves of the agents shown, one point per period in which the agent had battles."""
        return [{"agent": name, "points": list(self.curves.curve(name))} for name in self.agents]


def over_time(evidence: Evidence, checked: Check, leaders: Sequence[str], level: float) -> OverTime | None:
    """Return the changes over time, or None if battles have no times or are few."""
    if not isinstance(evidence, Battles) or evidence.time is None:
        return None
    timed = evidence.take(np.flatnonzero(~np.isnan(evidence.time)))
    if len(timed) < FEWEST or _times(timed) < 2:
        return None
    if len(timed) > MOST:
        raise DataError(
            f"strengths over time are computed here for at most {MOST:,} battles; there are {len(timed):,}. Take a shorter "
            "span with `--where`; `beatpath.online.strength_curves` takes all."
        )

    from beatpath.methods.rating.whole_history import strength_curves

    in_periods = by_period(timed)
    curves = strength_curves(in_periods, level=level)
    points = np.bincount(curves.knots.agent, minlength=len(curves.agents))
    plotted = {name for name, n in zip(curves.agents, points, strict=True) if n > 1}
    leading = tuple(name for name in leaders if name in plotted)[:LEADING]
    return OverTime(leading, curves, _times(in_periods), checked["drift"].sentence)


def by_period(battles: Battles) -> Battles:
    """Return the battles with the midpoint of its period as the time of each, if there are more times than periods.

    >>> result = by_period(Battles.of([("ada", "bob", 1)] * 61, time=range(61)))
    >>> result.time[:4], len(set(result.time))
    (array([1.5, 1.5, 1.5, 4.5]), 20)
    """
    assert battles.time is not None
    if _times(battles) <= PERIODS:
        return battles
    edge = np.linspace(battles.time.min(), battles.time.max(), PERIODS + 1)
    period = np.clip(np.searchsorted(edge, battles.time, side="right") - 1, 0, PERIODS - 1)
    return replace(battles, time=((edge[:-1] + edge[1:]) / 2)[period])


def _times(battles: Battles) -> int:
    """Number of distinct times."""
    assert battles.time is not None
    return len(np.unique(battles.time))
