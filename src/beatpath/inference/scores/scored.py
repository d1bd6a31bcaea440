"""Sources of scores: evidence, a resolution, or an existing board."""

from typing import NamedTuple, Protocol

from beatpath._errors import UsageError
from beatpath.evidence import Evidence
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import win_rates_of


class HasBoard(Protocol):
    """Anything with win rates and scores, such as a resolution."""

    @property
    def pairwise(self) -> WinRateEstimate:
        """The win rate of every pair, with standard errors."""

    @property
    def board(self) -> Leaderboard:
        """Scores and their covariance."""


class Scored(NamedTuple):
    """Win rates and the board computed from them."""

    pairwise: WinRateEstimate
    board: Leaderboard


def scored_of(source: Evidence | WinRateEstimate | HasBoard) -> Scored:
    """Return win rates and scores: those of a resolution, or default mean win rates of evidence.

    >>> from beatpath import Pairs
    >>> scored_of(Pairs(("ada", "bob"), [0], [1], [[300, 100, 0, 0]])).board.score.round(2)
    array([0.75, 0.25])
    """
    if isinstance(source, Leaderboard):
        raise UsageError(
            "planning battles needs the win rates behind a score; a board alone has none. Give the evidence, or "
            "the result of `resolve`."
        )
    pairwise = win_rates_of(source)
    board = getattr(source, "board", None)
    if isinstance(board, Leaderboard):
        return Scored(pairwise, board)
    from beatpath.inference.scores.estimands import scores_from

    return Scored(pairwise, scores_from(pairwise))


def board_of(source: Evidence | WinRateEstimate | Leaderboard | HasBoard) -> Leaderboard:
    """Return the board of a source; see `scored_of`."""
    return source if isinstance(source, Leaderboard) else scored_of(source).board
