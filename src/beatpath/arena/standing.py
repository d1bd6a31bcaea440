"""Where an arena stands: its goal, whether the board settles it, and who plays next."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import UsageError
from beatpath._result import Record, Result
from beatpath._text import counted, listed, quoted
from beatpath.inference.anytime.anytime_board import AnytimeBoard, AnytimeRow

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena

LEAST = 0.02  # of the information there is, that an open pair lacks
FORMS = '"first", "top 3", "ranking" or "5 points apart"'


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal as it was requested.

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
        match = re.fullmatch(r"first|ranking|top ([1-9]\d{0,5})|(\d{1,2}(?:\.\d+)?) points? apart", words)
        if match is None:
            raise UsageError(f"`goal` must be {FORMS}; got {quoted(text)}.")
        goal = cls(words, best=int(match[1] or words == "first"), points=float(match[2] or 0) / 100)
        if goal.best and not goal.best < n_agents:
            raise UsageError(
                f"`goal` must leave some agent below the top; got {quoted(text)} for {counted(n_agents, 'agent')}. "
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
        """Who is above the line, as scores stand; more or fewer than requested where scores tie across it."""
        top: Bools = board.score > np.sort(board.score)[::-1][self.best - 1 : self.best + 1].mean()
        return top

    def sentence(self, board: AnytimeBoard) -> str:
        """Say whether the goal is reached, and by whom, or what is missing."""
        missing = self.open_pairs(board)
        if missing.any():
            return f"Not settled: {self.text}. {counted(int(missing.sum()) // 2, 'pair')} of agents must still be separated."
        if self.best:
            top = sorted(board.agents[i] for i in np.flatnonzero(self.top(board)))
            return f"Settled at every look ({100 * board.level:g} %): {self.text} {'is' if self.best == 1 else 'are'} {listed(top)}."
        what = f"certainly less than {100 * self.points:g} percentage points apart" if self.points else ""
        order = "every two agents are in a certain order"
        return f"Settled at every look ({100 * board.level:g} %): {order}{', or ' + what if what else ''}."

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Standing(Result):
    """What an arena has resolved at one moment, valid whenever one looks.

    Parameters
    ----------
    board : AnytimeBoard
        Scores, and who is certainly above whom.
    goal : str
        As it was requested.
    done : bool
        Whether the goal is settled.
    reason : str
        By whom, or what is missing, in a sentence.
    battles_left : int or None
        About how many more battles it takes; None where nothing is known.
    pending : int
        Battles that are out with workers.
    """

    document_name: ClassVar[str] = "arena_status"
    document: ClassVar[tuple[str, ...]] = (
        "sentences=board.sentences",
        "level=board.level",
        "battles=board.battles",
        "ranks=rows",
        "above=board.above_pairs",
        "goal",
        "done",
        "reason",
        "battles_left",
        "pending",
    )

    board: AnytimeBoard
    goal: str
    done: bool
    reason: str
    battles_left: int | None
    pending: int

    @classmethod
    def of(cls, board: AnytimeBoard, goal: Goal, pending: int) -> "Standing":
        """Hold a board against a goal."""
        done = not goal.open_pairs(board).any()
        return cls(board, goal.text, done, goal.sentence(board), goal.battles_left(board), pending)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether the goal is settled, then what the board says."""
        return (self.reason, *self.board.sentences)

    def rows(self) -> list[AnytimeRow]:
        """Return the rows of the board: agents, best first."""
        return self.board.rows()


ALIKE = 1e-9  # by which chances may differ and be called the same


@dataclass(frozen=True, slots=True)
class NextPair(Record):
    """A pair that is likely to play next.

    Parameters
    ----------
    agents : pair of str
    chance : float
        Of the next battle to be theirs.
    why : str
    """

    agents: tuple[str, str]
    chance: float
    why: str


@dataclass(frozen=True, slots=True)
class Outlook(Record):
    """Who plays next.

    Parameters
    ----------
    policy : str
        How pairs are drawn.
    pairs : tuple of NextPair
        The likeliest, likeliest first; none where all are alike.
    others : int
        All other pairs, of which none is likelier.
    """

    policy: str
    pairs: tuple[NextPair, ...]
    others: int


def outlook(arena: "Arena", most: int = 5) -> Outlook:
    """Return the pairs that the next battle is likeliest to be of, at most so many.

    Examples
    --------
    Before the first battle all pairs are alike.

    >>> from beatpath.arena.arena import Arena
    >>> outlook(Arena(":memory:", agents=["ada", "bob", "cyd"]))
    Outlook(policy='adaptive', pairs=(), others=3)
    """
    with arena._storage.reading() as db:
        active = tuple(number for number, _, retired in arena._roster(db) if not retired)
        board = arena._board(db)
        last = next(reversed(arena._stages._known(db)), None)
    policy = arena._settings["policy"]
    a, b = np.triu_indices(len(active), 1)
    chance = last.chance if last is not None and last.agents == active else np.full(len(a), 1 / len(a))
    open_pairs = arena._goal(board).open_pairs(board)
    pairs = tuple(
        NextPair(
            (board.agents[a[k]], board.agents[b[k]]),
            float(chance[k]),
            _why(policy, board.agents, open_pairs, int(a[k]), int(b[k])),
        )
        for k in _likeliest(chance, most)
    )
    return Outlook(policy, pairs, len(a) - len(pairs))


def _likeliest(chance: Floats, most: int) -> list[int]:
    """The likeliest, at most so many; where more are alike, only those above them, for none of these is before another.

    >>> _likeliest(np.array([0.1, 0.4, 0.1, 0.3, 0.1]), 3)
    [1, 3]
    """
    order = np.argsort(-chance, kind="stable")
    edge = chance[order[most]] if len(order) > most else -1.0
    if np.ptp(chance) < ALIKE:
        return []
    return [int(k) for k in order[:most] if chance[k] > edge + ALIKE]


def _why(policy: str, names: tuple[str, ...], open_pairs: Bools, i: int, j: int) -> str:
    """What a battle of a pair is for."""
    if policy != "adaptive":
        return "It lowers the standard errors of all scores most, whatever the goal."
    if open_pairs[i, j]:
        return "The goal needs their order, which is not certain yet."
    open_ones = [k for k in (i, j) if open_pairs[k].any()]
    if not open_ones:
        return "Every pair gets some battles, so that it can be estimated."
    left = [
        f"{quoted(names[k], 40)} must still be separated from {counted(int(open_pairs[k].sum()), 'other')}"
        for k in open_ones
    ]
    return f"{' and '.join(left)}."
