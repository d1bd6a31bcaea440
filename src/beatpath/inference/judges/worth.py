"""What judges add to human votes: more votes, at which price, and where their own board is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from beatpath._errors import UsageError
from beatpath._result import Record
from beatpath._text import confidence, counted, joined, listed, percent, quoted
from beatpath.stats.intervals import Interval

SHOWN = 3  # agents and pairs that a sentence names


@dataclass(frozen=True, slots=True)
class Split(Record):
    """What one unit of money buys at best.

    Attributes
    ----------
    votes, calls : float
        Human votes, and judge calls on the same and on other battles.
    gain : float
        Precision relative to human votes alone for the same money, less one: 0.1 is that of 10 % more votes.
    """

    votes: float
    calls: float
    gain: float


@dataclass(frozen=True, slots=True)
class JudgeWorth(Record):
    """What judges add to human votes.

    Attributes
    ----------
    humans, judges : tuple of str
        Those whose preference the board is about, and the judges.
    votes, paired, calls : int
        Human votes, those with a judge's vote on the same battle, and battles that only judges judged.
    slopes : mapping of str to float
        Change of the expected human vote with that of each judge, or with the mean of all.
    explained : float
        Share of the variance of human votes within pairs of agents that judges explain.
    more : Interval
        Worth of the judges as a share of the human votes: 0.1 is 10 % more votes.
    off : mapping of agent to Interval
        By how much the judges' own scores are off, where that is significant; above 0 where they are too high.
    reversed : tuple of (str, str)
        Pairs that the judges' own board certainly orders the wrong way round, the better agent first.
    p_value : float
        Of the hypothesis that humans voted on a random part of the battles, as far as judges' votes show.
    level : float
        Confidence level.
    """

    derived = ("sentences",)

    humans: tuple[str, ...]
    judges: tuple[str, ...]
    votes: int
    paired: int
    calls: int
    slopes: Mapping[str, float]
    explained: float
    more: Interval
    off: Mapping[str, Interval]
    reversed: tuple[tuple[str, str], ...]
    p_value: float
    level: float

    def split(self, *, human: float, judge: float) -> Split:
        r"""Split a budget by the price of a human vote and that of a judge call (of all judges on one battle).

        With *n* human votes and *m* calls, on the same battles and on others, the variance of a score is proportional
        to :math:`(1 - \rho^2) / n + \rho^2 / m`, with :math:`\rho^2` the share explained; without calls, to
        :math:`1 / n`. For given money, :math:`m / n = \sqrt{\rho^2 / (1 - \rho^2) \cdot \text{human} / \text{judge}}`
        is best.
        """
        if not (0 < human < np.inf and 0 < judge < np.inf):
            raise UsageError(f"prices must be finite numbers above 0; got human={human!r}, judge={judge!r}.")
        rest = max(1 - self.explained, 1e-9)
        ratio = max(float(np.sqrt(self.explained / rest * human / judge)), 1.0)
        votes = 1 / (human + ratio * judge)
        gain = votes * human / (rest + self.explained / ratio) - 1
        return Split(votes, ratio * votes, gain) if gain > 0 else Split(1 / human, 0.0, 0.0)

    @property
    def pays_from(self) -> float:
        """Number of judge calls that must cost less than one human vote before any is worth buying."""
        if self.explained <= 0:
            return float("inf")
        return self.explained / (1 - float(np.sqrt(1 - self.explained))) ** 2

    @property
    def sentence(self) -> str:
        """What the judges are worth."""
        one = len(self.judges) == 1
        who = f"The judge {quoted(self.judges[0])} is" if one else f"The judges {listed(self.judges, SHOWN)} are"
        share, low, high = (max(x, 0.0) for x in (self.more.estimate, self.more.low, self.more.high))
        between = f"{percent(share)} more votes ({100 * low:.1f} to {100 * high:.1f})"
        worth = f"at most {percent(high)} more votes" if low == 0 else between
        return f"{who} worth {worth}: {counted(self.votes, 'human vote')}, and {counted(self.calls, 'battle')} without one."

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the judges are worth, from which price, where their own board is wrong, and the condition."""
        number = self.pays_from
        price = f"A judge call is worth buying where {np.ceil(number):,.0f} of them cost less than one human vote."
        return (self.sentence, *((price,) if np.isfinite(number) else ()), *self.errors, self.condition)

    @property
    def errors(self) -> tuple[str, ...]:
        """Where the judges' own board is certainly wrong."""
        texts, sure = [], confidence(self.level)
        if self.reversed:
            pairs = joined([f"{quoted(low)} above {quoted(high)}" for high, low in self.reversed], SHOWN)
            number = counted(len(self.reversed), "pair")
            texts.append(f"The judges' own board has {number} certainly the wrong way round ({sure}): {pairs}.")
        if self.off:
            largest = sorted(self.off.items(), key=lambda one: (-abs(one[1].estimate), one[0]))
            way = {True: "high", False: "low"}
            points = [(name, f"{100 * abs(x.estimate):.0f} points too {way[x.estimate > 0]}") for name, x in largest]
            each = joined([f"{quoted(name)} {off}" for name, off in points], SHOWN)
            number = counted(len(self.off), "agent")
            texts.append(f"The judges' own scores of {number} are certainly off ({sure}): {each}.")
        return tuple(texts)

    @property
    def condition(self) -> str:
        """The condition, and whether the data contradict it."""
        if self.p_value >= 1 - self.level:
            return "With judges, scores are about human preference if humans voted on a random part of each pair's battles."
        return (
            f"Judges vote differently on battles with a human vote than on others (p = {self.p_value:.2g}): humans did not "
            "vote on a random part, and scores may be biased. Use the human votes alone, with `--where`."
        )
