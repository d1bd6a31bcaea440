"""What an arena is for: which differences must be certain before it is done."""

import re
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import UsageError
from beatpath._text import counted, listed, quoted
from beatpath.inference.anytime.anytime_board import AnytimeBoard

LEAST = 0.02  # of the information there is, that an open pair lacks
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

    def alpha(self, board: AnytimeBoard) -> float:
        """The share of the error that each pair of agents has.

        A false top is one in which somebody stands above somebody of the true one, in one direction: with *k* at the top of *n*
        agents, :math:`k (n - k)` statements, and one more for ties across the line; fewer than on a board of all pairs.
        """
        if not self.best:
            return board.alpha
        return 2 * (1 - board.level) / (self.best * (len(board.agents) - self.best) + 1)

    def need(self, board: AnytimeBoard) -> Floats:
        """How near a difference must be known: to tell its sign, or that it is below the points that matter."""
        apart = np.abs(board.difference)
        return np.maximum(apart, self.points - apart)

    def open_pairs(self, board: AnytimeBoard) -> Bools:
        """Whether the order of two agents still matters and is not certain."""
        radius = board.radius_at(self.alpha(board)) if self.best else board.radius
        undecided = (self.need(board) <= radius) & ~np.eye(len(board.agents), dtype=bool)
        if not self.best:
            return undecided
        top = self.top(board)
        if top.sum() != self.best:  # tied across the line: any of them may have to go
            return undecided
        wrong = top[:, None] & ~top[None, :] & (board.difference <= radius)
        return wrong | wrong.T

    def top(self, board: AnytimeBoard) -> Bools:
        """Who is above the line, as scores stand; more or fewer than asked for where scores tie across it."""
        found: Bools = board.score > np.sort(board.score)[::-1][self.best - 1 : self.best + 1].mean()
        return found

    def sentence(self, board: AnytimeBoard) -> str:
        """Say whether the goal is reached, and by whom, or what is missing."""
        missing = self.open_pairs(board)
        if missing.any():
            return f"Not settled: {self.text}. {counted(int(missing.sum()) // 2, 'pair')} of agents must still be told apart."
        if self.best:
            top = sorted(board.agents[i] for i in np.flatnonzero(self.top(board)))
            return f"Settled at {100 * board.level:g} %, whenever one looks: {self.text} {'is' if self.best == 1 else 'are'} {listed(top)}."
        what = f"certainly less than {100 * self.points:g} points apart" if self.points else ""
        order = "every two agents are in a certain order"
        return f"Settled at {100 * board.level:g} %, whenever one looks: {order}{', or ' + what if what else ''}."

    def missing(self, board: AnytimeBoard) -> Floats:
        """How much information every pair of agents lacks, by the differences seen now; none where it is not open.

        A difference near none is taken for as large as its error: nobody knows that it is smaller. What is open lacks some.
        """
        error = 1 / np.maximum(board.information, 1e-9)
        near = np.sqrt(self.need(board) ** 2 + error)
        lacking = np.maximum(board.information_missing(near, self.alpha(board)), LEAST * board.information + 1e-9)
        return np.where(self.open_pairs(board), lacking, 0.0)

    def battles_left(self, board: AnytimeBoard) -> int | None:
        """About how many more battles it takes at the differences seen now; None before there are any.

        The pair of agents that takes longest decides, at the pace of the latest chances.
        """
        missing = self.missing(board)
        if not missing.any():
            return 0
        if not board.battles:
            return None
        slow = missing > 0
        return int(np.ceil(np.max(missing[slow] / board.pace[slow])))
