"""Where an arena stands: its board, and whether that settles the goal."""

from dataclasses import dataclass
from typing import Any

from beatpath._result import Result, Rows
from beatpath.arena.goal import Goal
from beatpath.inference.anytime.anytime_board import AnytimeBoard


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Standing(Result):
    """What an arena has resolved at one moment, valid whenever one looks.

    Parameters
    ----------
    board : AnytimeBoard
        Scores, and who is certainly above whom.
    goal : str
        As it was asked for.
    done : bool
        Whether the goal is settled.
    reason : str
        By whom, or what is missing, in a sentence.
    battles_left : int or None
        About how many more battles it takes; None where nothing is known.
    pending : int
        Battles that are out with workers.
    """

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

    def rows(self) -> Rows:
        """Return the rows of the board."""
        return self.board.rows()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return self.board.to_dict() | {
            "type": "arena_status",
            "goal": self.goal,
            "done": self.done,
            "reason": self.reason,
            "battles_left": self.battles_left,
            "pending": self.pending,
        }
