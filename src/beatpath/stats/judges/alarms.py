"""What falls out of a judge, in words."""

import numpy as np

from beatpath._text import quoted
from beatpath.stats.intervals import Interval, t_quantile
from beatpath.stats.judges.examined import KIN, POSITION, RELIABILITY, TIES, Examined
from beatpath.stats.judges.votes import Votes

SAME = 0.9  # share of one answer from which a judge gives it whatever it sees


def coefficient(found: Examined, k: int, column: int, level: float) -> Interval | None:
    """Return the coefficient of the k-th judge examined with its interval, or nothing where its votes do not say."""
    value, half = float(found.estimate[k, column]), t_quantile(level) * float(found.error[k, column])
    return None if np.isnan(value) else Interval(value, value - half, value + half)


def alarms_of(votes: Votes, found: Examined, k: int, level: float) -> tuple[str, ...]:
    """Return everything that falls out of the k-th judge examined."""
    asked = zip(found.questions, found.alarm[k].tolist(), strict=True)
    said = [_words(votes, found, k, question, level) for question, alarm in asked if alarm]
    return tuple(one for one in said if one)


def _words(votes: Votes, found: Examined, k: int, question: str, level: float) -> str:
    """One thing that falls out; nothing for ties that are many and not all."""
    own = votes.take(votes.judge == found.judge[k])
    if question == TIES:
        share = own.ties.sum() / (own.ties + own.n).sum()
        return "calls a tie whatever it sees" if share >= SAME else ""
    value = coefficient(found, k, found.questions.index(question), level)
    assert value is not None
    if question == RELIABILITY:
        if value.high < 0:
            return "votes against the others"
        return "answers as if at random" if value.low <= 0 else "follows the others less than they follow each other"
    more = value.estimate > 0
    if question == POSITION:
        side = "first" if more else "second"
        whatever = _share_of_side(own, more) >= SAME
        return f"prefers the side shown {side} whatever it sees" if whatever else f"favours the side shown {side}"
    if question == KIN:
        return "favours its own kin" if more else "is hard on its own kin"
    return f"{'rewards' if more else 'punishes'} {quoted(question)}"


def _share_of_side(own: Votes, first: bool) -> float:
    """Share of votes, where the order is known, for the side shown first, or second; the first column of `x` is the order."""
    x = own.x[:, 0]
    for_first = np.where(x > 0, own.wins, own.n - own.wins) * (x != 0)
    share = float(for_first.sum() / max((own.n * (x != 0)).sum(), 1.0))
    return share if first else 1 - share
