"""Who is first as a mixture of contexts goes towards one of them: from another alone, or from all alike."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from beatpath._arrays import Floats
from beatpath._result import json_number
from beatpath._text import confidence, listed, percent, quoted
from beatpath.inference.contexts.context_boards import ContextStrengths
from beatpath.inference.contexts.context_data import require_known
from beatpath.inference.leaderboard import Leaderboard

if TYPE_CHECKING:
    from beatpath.inference.ranks.rank_sets import RankSets
    from beatpath.inference.ranks.ranks import Ranks

STEPS = 11
Ranked: TypeAlias = "Callable[[Leaderboard], RankSets]"


@dataclass(frozen=True, slots=True, eq=False)
class FirstByMixture:
    """Who has the highest score, and who may be first, by how far the mixture has gone towards a context.

    Parameters
    ----------
    context : str
        To which it goes, alone at last.
    other : str or None
        From which it starts, alone at first; None for all contexts alike.
    share : tuple of float
        How far it has gone, from 0 to 1; with another context, the share of `context`.
    may_be_first : tuple of tuple of str
        At each of these shares.
    changes : tuple of (float, str, str)
        Where the highest score passes from one agent to another, exactly.
    first : str
        Who has the highest score at the start.
    contenders : tuple of str
        Who may be first, or has the highest score, anywhere on the way; highest mean score first.
    score, low, high : (steps, contenders) float
        Their scores with intervals, each by itself.
    level : float
    is_share : bool
        Whether scores are shares from 0 to 1.
    """

    context: str
    other: str | None
    share: tuple[float, ...]
    may_be_first: tuple[tuple[str, ...], ...]
    changes: tuple[tuple[float, str, str], ...]
    first: str
    contenders: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    level: float
    is_share: bool

    @property
    def sentence(self) -> str:
        """How first place changes, in words."""
        start = "all contexts alike" if self.other is None else f"{quoted(self.other)} alone"
        way = f"From {start} to {quoted(self.context)} alone"
        every = set(self.may_be_first[0]).intersection(*self.may_be_first)
        sure = " who is first with certainty at every share." if all(len(one) == 1 for one in self.may_be_first) else ""
        if not self.changes:
            kept = f"{way} the highest score stays that of {quoted(self.first)}"
            return f"{kept},{sure}" if sure else f"{kept}; {_open_said(every)}"
        steps = [f"{quoted(to)} {self.at_said(at)}" for at, _, to in self.changes]
        return (
            f"{way} the highest score passes from {quoted(self.first)} to {', then '.join(steps)}; {_open_said(every)}"
        )

    def at_said(self, at: float) -> str:
        """Return a place on the way in words."""
        return f"{percent(at)} of the way" if self.other is None else f"at {percent(at)} {quoted(self.context)}"

    @property
    def stretches(self) -> tuple[tuple[float, float, str], ...]:
        """From where to where who has the highest score."""
        cuts = [0.0, *(at for at, _, _ in self.changes), 1.0]
        return tuple(zip(cuts[:-1], cuts[1:], (self.first, *(to for _, _, to in self.changes)), strict=True))

    def highest(self) -> tuple[tuple[str, ...], ...]:
        """Return who has the highest score at every share; several where they are equal."""
        top = self.score.max(axis=1, keepdims=True)
        return tuple(
            tuple(name for name, here in zip(self.contenders, row, strict=True) if here)
            for row in (self.score >= top - 1e-12).tolist()
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
            "contenders": [
                {
                    "agent": agent,
                    **{
                        name: [json_number(value) for value in getattr(self, name)[:, j]]
                        for name in ("score", "low", "high")
                    },
                }
                for j, agent in enumerate(self.contenders)
            ],
        }

    @property
    def band_said(self) -> str:
        """What the ends of intervals are."""
        return f"{confidence(self.level)} interval of each score by itself"


def _open_said(every: set[str]) -> str:
    if not every:
        return "nobody may be first at every share."
    return f"{listed(sorted(every), 4)} may be first at every share."


def first_by_mixture(
    strengths: ContextStrengths, context: str, other: str | None, ranked: Ranked, steps: int = STEPS
) -> FirstByMixture:
    """Return who is first on the way from a context alone, or from all alike, to another alone.

    Parameters
    ----------
    strengths : ContextStrengths
    context, other : str
        Where the way ends and begins; None begins with all contexts alike.
    ranked : function of Leaderboard
        Which ranks a board leaves open.
    steps : int
        Places at which it is asked who may be first.
    """
    names = list(strengths.data.contexts)
    require_known([context] if other is None else [context, other], names, strengths.data.by)
    shares = np.linspace(0, 1, steps)
    end = np.eye(len(names))[names.index(context)]
    start = np.full(len(names), 1 / len(names)) if other is None else np.eye(len(names))[names.index(other)]
    mixed = [{name: w for name, w in zip(names, (1 - t) * start + t * end, strict=True) if w > 0} for t in shares]
    boards = [ranked(strengths.board(weights)) for weights in mixed]
    main = np.flatnonzero(strengths.data.part == 0)
    order, changes = upper_envelope(boards[0].score[main], boards[-1].score[main])
    agents = [strengths.data.agents[i] for i in main]
    open_to = tuple(leaders(ranks) for ranks in boards)
    score = np.array([ranks.score for ranks in boards])
    place = {agent: i for i, agent in enumerate(strengths.data.agents)}
    seen = {agents[i] for i in order}.union(*open_to)
    drawn = sorted(seen, key=lambda agent: (-float(score[:, place[agent]].mean()), agent))
    at = [place[agent] for agent in drawn]
    return FirstByMixture(
        context,
        other,
        tuple(shares.round(9).tolist()),
        open_to,
        tuple((at, agents[i], agents[j]) for at, i, j in zip(changes, order[:-1], order[1:], strict=True)),
        agents[order[0]],
        tuple(drawn),
        score[:, at],
        np.array([ranks.low for ranks in boards])[:, at],
        np.array([ranks.high for ranks in boards])[:, at],
        boards[0].level,
        boards[0].board.is_share,
    )


def leaders(ranks: "Ranks") -> tuple[str, ...]:
    """Return who may be first of the largest part, by name."""
    found = np.flatnonzero((ranks.best == 1) & (ranks.part == 0))
    return tuple(sorted(ranks.agents[i] for i in found))


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
