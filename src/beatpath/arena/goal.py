"""What an arena is for: which differences must be certain before it is done."""

import re
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools
from beatpath._errors import UsageError
from beatpath._text import counted, listed, quoted
from beatpath.inference.anytime.anytime_board import AnytimeBoard

FORMS = '"first", "top 3", "ranking" or "5 points apart"'


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal as it was asked for.

    Parameters
    ----------
    text : str
    best : int
        The agents at the top that must be known as a set; 0 where all pairs matter.
    points : float
        Share of battles by which scores must differ for their order to matter.
    """

    text: str
    best: int = 0
    points: float = 0.0

    @classmethod
    def of(cls, text: str, n_agents: int) -> "Goal":
        """Read a goal; it must be one that so many agents can reach.

        >>> Goal.of("top 3", 10).best, Goal.of("first", 2).best, Goal.of("5 points apart", 4).points
        (3, 1, 0.05)
        """
        words = text.strip().lower()
        if words == "first":
            goal = cls(words, best=1)
        elif words == "ranking":
            goal = cls(words)
        elif found := re.fullmatch(r"top ([1-9]\d{0,5})", words):
            goal = cls(words, best=int(found[1]))
        elif found := re.fullmatch(r"(\d{1,2}(?:\.\d+)?) points? apart", words):
            goal = cls(words, points=float(found[1]) / 100)
        else:
            raise UsageError(f"`goal` must be {FORMS}; got {quoted(text)}.")
        if goal.best and not goal.best < n_agents:
            raise UsageError(
                f"`goal` must leave somebody below the top; got {quoted(text)} for {counted(n_agents, 'agent')}. "
                "Ask for fewer, or add agents."
            )
        return goal

    def open_pairs(self, board: AnytimeBoard) -> Bools:
        """Whether the order of two agents still matters and is not certain."""
        n = len(board.agents)
        undecided = ~(board.above | board.above.T) & ~np.eye(n, dtype=bool)
        if self.best:
            line = np.sort(board.score)[::-1][self.best - 1 : self.best + 1].mean()
            top = board.score > line
            if top.sum() != self.best:  # tied across the line: any of them may have to go
                return undecided
            return undecided & (top[:, None] != top[None, :])
        return undecided & (np.abs(board.difference) >= self.points)

    def sentence(self, board: AnytimeBoard) -> str:
        """Say whether the goal is reached, and by whom, or what is missing."""
        missing = self.open_pairs(board)
        if missing.any():
            return f"Not settled: {self.text}. {counted(int(missing.sum()) // 2, 'pair')} of agents must still be told apart."
        if self.best:
            order = np.argsort(-board.score)[: self.best]
            top = sorted(board.agents[i] for i in order)
            return f"Settled at {100 * board.level:g} %, whenever one looks: {self.text} {'is' if self.best == 1 else 'are'} {listed(top)}."
        return f"Settled at {100 * board.level:g} %, whenever one looks: {self.text}."

    def battles_left(self, board: AnytimeBoard) -> int | None:
        """About how many more battles it takes at the differences seen now; None where nothing is known or they are equal."""
        missing = self.open_pairs(board)
        if not missing.any():
            return 0
        gap, radius = np.abs(board.difference[missing]), board.radius[missing]
        if not np.isfinite(radius).all() or not (gap > 0).all():
            return None
        return int(np.ceil(board.battles * (np.max(radius / gap) ** 2 - 1) - 1e-9))
