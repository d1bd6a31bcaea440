"""Who is first as the mixture of two contexts goes from one to the other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._text import listed, percent, quoted
from beatpath.inference.contexts.context_boards import ContextStrengths
from beatpath.inference.contexts.context_counts import require_known
from beatpath.inference.leaderboard import Leaderboard

STEPS = 11


@dataclass(frozen=True, slots=True)
class FirstByMixture:
    """Who has the highest score, and who may be first, by the share of the first of two contexts.

    Parameters
    ----------
    context, other : str
    share : tuple of float
        Of `context`, from 0 to 1.
    may_be_first : tuple of tuple of str
        At each of these shares.
    changes : tuple of (float, str, str)
        The shares at which the highest score passes from one agent to another, exactly.
    first : str
        Who has the highest score with `other` alone.
    """

    context: str
    other: str
    share: tuple[float, ...]
    may_be_first: tuple[tuple[str, ...], ...]
    changes: tuple[tuple[float, str, str], ...]
    first: str

    @property
    def sentence(self) -> str:
        """How first place changes, in words."""
        way = f"From {quoted(self.other)} alone to {quoted(self.context)} alone"
        every = set(self.may_be_first[0]).intersection(*self.may_be_first)
        sure = " who is first with certainty at every share." if all(len(one) == 1 for one in self.may_be_first) else ""
        if not self.changes:
            kept = f"{way} the highest score stays that of {quoted(self.first)}"
            return f"{kept},{sure}" if sure else f"{kept}; {_open_said(every)}"
        steps = [f"{quoted(to)} at {percent(at)} {quoted(self.context)}" for at, _, to in self.changes]
        return (
            f"{way} the highest score passes from {quoted(self.first)} to {', then '.join(steps)}; {_open_said(every)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "context": self.context,
            "other": self.other,
            "first": self.first,
            "changes": [{"share": at, "from": one, "to": to} for at, one, to in self.changes],
            "steps": [
                {"share": share, "may_be_first": list(names)}
                for share, names in zip(self.share, self.may_be_first, strict=True)
            ],
        }


def _open_said(every: set[str]) -> str:
    if not every:
        return "nobody may be first at every share."
    return f"{listed(sorted(every), 4)} may be first at every share."


def first_by_mixture(
    strengths: ContextStrengths, context: str, other: str, may_be_first: Callable[[Leaderboard], tuple[str, ...]]
) -> FirstByMixture:
    """Return who is first at every mixture of two contexts; `may_be_first` says who may be on a board."""
    names = list(strengths.counts.contexts)
    require_known([context, other], names, strengths.counts.by)
    shares = np.linspace(0, 1, STEPS)
    boards = [strengths.board({context: float(t), other: float(1 - t)}) for t in shares]
    main = strengths.counts.part == 0
    order, changes = upper_envelope(
        strengths.score[names.index(other)][main], strengths.score[names.index(context)][main]
    )
    agents = [name for name, here in zip(strengths.counts.agents, main.tolist(), strict=True) if here]
    return FirstByMixture(
        context,
        other,
        tuple(shares.round(9).tolist()),
        tuple(may_be_first(board) for board in boards),
        tuple((at, agents[i], agents[j]) for at, i, j in zip(changes, order[:-1], order[1:], strict=True)),
        agents[order[0]],
    )


def upper_envelope(left: Floats, right: Floats) -> tuple[list[int], list[float]]:
    """Return which lines are highest from 0 to 1, in turn, and where each gives way; lines go from `left` to `right`.

    >>> order, at = upper_envelope(np.array([0.9, 0.6, 0.8]), np.array([0.1, 0.9, 0.7]))
    >>> order, np.round(at, 3).tolist()
    ([0, 2, 1], [0.143, 0.5])
    """
    slope = right - left
    order, changes = [int(max(range(len(left)), key=lambda i: (left[i], slope[i], -i)))], list[float]()
    at = 0.0
    while True:
        now = order[-1]
        faster = np.flatnonzero(slope > slope[now] + 1e-15)
        meets = (left[now] - left[faster]) / (slope[faster] - slope[now])
        inside = meets < 1
        if not inside.any():
            return order, changes
        at = max(at, float(meets[inside].min()))
        first = faster[inside][meets[inside] <= at + 1e-12]
        order.append(int(first[np.argmax(slope[first])]))
        changes.append(at)
