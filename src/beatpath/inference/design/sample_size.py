r"""How many more battles would separate two agents.

A difference of scores is a sum over opponents, :math:`S_a - S_b = \sum_p l_p \psi_p`. Battles between the two agents lessen one
term of its variance and hardly the others: there is a floor below which they cannot bring it. Battles spread over all
opponents as at present lessen all terms. Either way the errors are taken to be those of the larger data as a whole,
found with probability `power` if the gap is truly what it is now; see `power` and `more_battles`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION, Result, json_number
from beatpath._text import percent, quoted, suggestion
from beatpath._validate import require_share
from beatpath.evidence import Evidence
from beatpath.inference.design.aim import MOST, Aim, about, score_amount, standard_errors_needed
from beatpath.inference.design.more_battles import Outlook
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.scores.scored import HasBoard, scored_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

FIRST_LOOK = 1000  # battles

Errors = Callable[[float], tuple[float, float]]  # more battles to the variance and its degrees of freedom


@dataclass(frozen=True, slots=True)
class Needed:
    """Numbers of battles: for the gap as estimated, and for both ends of an interval for it; infinite where none will do."""

    number: float
    fewest: float
    most: float

    def to_dict(self) -> dict[str, float | None]:
        """Return the three numbers as plain data; None where no number will do."""
        return {"number": json_number(self.number), "fewest": json_number(self.fewest), "most": json_number(self.most)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampleSize(Result):
    """How many more battles would separate two agents.

    Attributes
    ----------
    agents : tuple of two str
        The one with the higher score first.
    gap : float
        The difference of their scores; NaN where it has no usable variance.
    interval : tuple of two float
        For the gap, at the level `interval` of the settings.
    direct : Needed or None
        Battles between the two alone; None where `note` says why they cannot be planned.
    spread : Needed or None
        Battles of either with all opponents, in proportion to those played; None where the difference cannot be judged.
    floor : float
        The standard error that any number of battles between the two alone would leave; NaN without such a plan.
    certain : bool
        Whether they are separate already.
    note : str
        What keeps a plan from being made, if anything does.
    settings : mapping
    """

    agents: tuple[str, str]
    gap: float
    interval: tuple[float, float]
    direct: Needed | None
    spread: Needed | None
    floor: float
    certain: bool
    note: str
    settings: Mapping[str, Any]

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many battles would do, and how far that can be told."""
        return (self._finding(),)

    def _finding(self) -> str:
        a, b = (quoted(name) for name in self.agents)
        if self.certain:
            return f"{a} is certainly above {b} already: no more battles are needed."
        if self.spread is None:
            return f"How many battles would separate {a} and {b} cannot be told: {self.note}."
        if self.gap == 0:
            return f"{a} and {b} have the same score: no number of battles would separate them if that is the truth."
        parts = (self._direct(a, b), self._spread(self.spread), self._range(self.spread))
        return " ".join(part for part in parts if part)

    def _direct(self, a: str, b: str) -> str:
        apart = score_amount(self.gap, self.settings)
        if self.direct is None:
            return f"{a} and {b} are {apart} apart; battles between them alone cannot be planned: {self.note}."
        if np.isfinite(self.direct.number):
            return f"To separate {a} from {b}, {apart} apart, about {about(self.direct.number)} between them would do."
        return (
            f"No number of battles between {a} and {b} alone would separate them, {apart} apart: those with other opponents "
            f"leave a standard error of {score_amount(self.floor, self.settings)}."
        )

    def _spread(self, spread: Needed) -> str:
        if self.direct is not None and self.direct.number == spread.number:
            return ""
        if np.isinf(spread.number):
            return "Nor would any number spread over all opponents of both as at present."
        return f"Spread over all opponents of both as at present it takes about {about(spread.number)}."

    def _range(self, spread: Needed) -> str:
        told = spread if self.direct is None or np.isinf(self.direct.number) else self.direct
        share = percent(self.settings["interval"])
        if np.isinf(told.number):
            return ""
        if self.interval[0] <= 0:
            return f"That number has no upper limit: the gap may be zero, which even a {share} interval for it holds."
        ends = f"the ends of a {share} interval for it ask for {told.fewest:,.0f} and {told.most:,.0f}"
        if np.isinf(told.most):
            ends = f"at the lower end of a {share} interval for it no number would do"
        return f"The gap is uncertain: {ends}."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "sample_size",
            "agents": list(self.agents),
            "gap": json_number(self.gap),
            "interval": [json_number(end) for end in self.interval],
            "direct": None if self.direct is None else self.direct.to_dict(),
            "spread": None if self.spread is None else self.spread.to_dict(),
            "floor": json_number(self.floor),
            "certain": self.certain,
            "note": self.note,
            "sentences": list(self.sentences),
            "settings": dict(self.settings),
        }


def sample_size(
    asked: Evidence | WinRateEstimate | HasBoard,
    a: str,
    b: str,
    *,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
    interval: float = 0.5,
) -> SampleSize:
    """Return how many more battles would separate two agents at their present difference.

    Parameters
    ----------
    asked : Battles, Ballots, Scores, Pairs or Resolution
        Evidence is scored by default conventions; `resolve` takes others.
    a, b : str
        Two agents, in any order.
    level, power, critical : float
        As for `minimum_detectable_effect`.
    interval : float
        Level of the interval for the gap at whose ends the number is told too. While two agents are not separate, an
        interval as wide as the test's own holds zero always; the middle half tells what is as likely as not.

    Returns
    -------
    SampleSize

    Examples
    --------
    Two agents alone, 57 of 100 won: the gap 0.14 has a standard error of about 2 * 0.5 / sqrt(N), of which 2.8 are needed,
    so that N is about (2.8 / 0.14)^2 = 400.

    >>> from beatpath import Pairs
    >>> print(sample_size(Pairs(("ada", "bob"), [0], [1], [[57, 43, 0, 0]]), "bob", "ada"))
    To separate 'ada' from 'bob', 14 percentage points apart, about 300 more battles between them would do. The gap is \
uncertain: the ends of a 50 % interval for it ask for 83 and 1,408.
    """
    aim = Aim(level, power, critical)
    require_share("interval", interval)
    pairwise, board = scored_of(asked)
    pair = _better_first(board, a, b)
    names = (board.agents[pair[0]], board.agents[pair[1]])
    told = {**aim.settings(), "interval": interval, "estimand": board.settings.get("estimand", "mean_win_rate")}
    if not estimable(board)[pair]:
        return SampleSize(names, np.nan, (np.nan, np.nan), None, None, np.nan, False, _unusable(board, pair), told)
    gap, variance, df = (float(m[pair]) for m in (board.differences, board.variance_of_differences, board.df))
    ends = gap + t_critical(-ndtri((1 - interval) / 2), df) * np.sqrt(variance) * np.array([0.0, -1.0, 1.0])
    around = (float(ends[1]), float(ends[2]))
    if gap > float(t_critical(aim.value, df)) * np.sqrt(variance):
        none = Needed(0.0, 0.0, 0.0)
        return SampleSize(names, gap, around, none, none, np.nan, True, "", told)
    theirs = np.isin(pairwise.a, pair) | np.isin(pairwise.b, pair)
    if not pairwise.battles[theirs].any():
        why = "they have less than one battle, and nothing shows how much one more would tell"
        return SampleSize(names, gap, around, None, None, np.nan, False, why, told)
    if board.made is None:
        spread = _needed(_alike(pairwise, pair, variance, df), ends, aim)
        why = f"under {quoted(told['estimand'])} they would change what a score is"
        return SampleSize(names, gap, around, None, spread, np.nan, False, why, told)
    outlook = Outlook(pairwise, board)
    spread = _needed(_errors_after(outlook, pair, theirs), ends, aim)
    met = (pairwise.a == min(pair)) & (pairwise.b == max(pair))
    if not pairwise.battles[met].any():
        why = "they have less than one battle" if met.any() else "they never met"
        return SampleSize(names, gap, around, None, spread, np.nan, False, why, told)
    errors = _errors_after(outlook, pair, met)
    floor = float(np.sqrt(max(errors(MOST)[0], 0.0)))
    return SampleSize(names, gap, around, _needed(errors, ends, aim), spread, floor, False, "", told)


def _better_first(board: Leaderboard, a: str, b: str) -> tuple[int, int]:
    """The two agents by number, the higher score first."""
    for name in (a, b):
        if name not in board.agents:
            raise UsageError(f"{quoted(name)} must be one of the agents.{suggestion(name, board.agents)}")
    if a == b:
        raise UsageError(f"two different agents must be named; got {quoted(a)} twice.")
    i, j = board.agents.index(a), board.agents.index(b)
    return (j, i) if board.score[j] > board.score[i] else (i, j)


def _unusable(board: Leaderboard, pair: tuple[int, int]) -> str:
    """Why a difference of scores cannot be judged."""
    unknown = [board.agents[i] for i in pair if np.isnan(board.score[i])]
    if unknown:
        return f"{' and '.join(quoted(name) for name in unknown)} met nobody, so no score is known"
    return "the variance of their difference is not positive"


def _errors_after(outlook: Outlook, pair: tuple[int, int], grows: Bools) -> Errors:
    """What more battles of some pairs, in the present proportions, do to the error of a difference."""
    played = outlook.pairwise.battles
    total, (i, j) = float(played[grows].sum()), pair

    @cache
    def errors(more: float) -> tuple[float, float]:
        return outlook.difference(np.where(grows, total / (total + more), 1.0), i, j)

    return errors


def _alike(pairwise: WinRateEstimate, pair: tuple[int, int], variance: float, df: float) -> Errors:
    """What battles with all opponents in the present proportions do to a score that rests on nothing else."""
    theirs = np.isin(pairwise.a, pair) | np.isin(pairwise.b, pair)
    played = float(pairwise.battles[theirs].sum())

    def errors(more: float) -> tuple[float, float]:
        times = 1 + more / played
        return variance / times, times * (df + 1) - 1

    return errors


def _needed(errors: Errors, ends: NDArray[np.float64], aim: Aim) -> Needed:
    """The number for the gap, and for the high and the low end of its interval."""
    number, most, fewest = (battles_until_found(errors, float(gap), aim) for gap in ends)
    return Needed(number, fewest, most)


def battles_until_found(errors: Errors, gap: float, aim: Aim) -> float:
    """Return the smallest number of battles after which a gap is found as surely as is aimed at; infinite if none is.

    >>> battles_until_found(lambda more: (1 / (1 + more), np.inf), 0.1, Aim())  # 1 / N = (0.1 / 2.8016)^2 needs N = 784.9
    784.0
    """

    def lack(more: int) -> float:
        variance, df = errors(more)
        needed = float(standard_errors_needed(aim.value, df, aim.power))
        return float(variance * (needed / gap) ** 2) if variance > 0 else np.inf

    return float(first_at_most_one(lack, MOST)) if gap > 0 and lack(MOST) <= 1 else np.inf


def first_at_most_one(curve: Callable[[int], float], most: int) -> int:
    """Return the smallest number at which a falling curve is at most one, as it is at `most`.

    Variances fall about as :math:`f + c / (t + x)` with more battles *x*: the next look is where that curve through the last two and
    through `most` meets one, and every third time in the middle, so that any falling curve will do.

    >>> looked = []
    >>> first_at_most_one(lambda x: looked.append(x) or 0.5 + 300 / (x + 7), 2**50), len(looked)
    (593, 6)
    >>> first_at_most_one(lambda x: 2.0 - (x > 40), 2**50)
    41
    """
    floor, low, high, seen, x, steps = curve(most), -1, most, list[tuple[int, float]](), 0, 0
    while True:
        seen = [*seen[-1:], (x, curve(x))]
        low, high = (low, x) if seen[-1][1] <= 1 else (x, high)
        if high - low == 1:
            return high
        steps += 1
        guess = FIRST_LOOK if len(seen) == 1 else _where_one(*seen[0], *seen[1], floor)
        if steps % 3 == 0 or not low <= guess <= high:
            guess = (low + high) / 2 if high < most else 2 * low + 1
        x = int(min(max(np.ceil(guess), low + 1), high - 1))


def _where_one(x: int, y: float, z: int, w: float, floor: float) -> float:
    """Where the curve :math:`f + c / (t + x)` through two points and with this floor is one; NaN where there is none."""
    if not floor < min(y, w) or y == w or floor == 1:
        return np.nan
    t = ((w - floor) * z - (y - floor) * x) / (y - w)
    return (y - floor) * (t + x) / (1 - floor) - t
