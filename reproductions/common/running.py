"""Evaluations as an arena runs them, by the same policies and boards, without a storage and in worlds whose truth is known."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath.arena.policy import chances
from beatpath.arena.stages import FIRST, stage_length
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_board import AnytimeBoard, board_of
from beatpath.inference.anytime.stage import Stage, Sums, predictions

Floats = NDArray[np.float64]
Schedule = Callable[[AnytimeBoard, Floats, Floats], Floats]  # of the board, predictions and battles played


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What somebody sees who looks: battles and wins of every pair, and the board."""

    played: int
    battles: Floats
    won: Floats
    board: AnytimeBoard


def true_scores(P: Floats) -> Floats:
    """Mean win rates against all others."""
    return (P.sum(axis=1) - np.diag(P)) / (len(P) - 1)


def policy_schedule(policy: str, goal: Goal, n: int) -> Schedule:
    """The chances of an arena."""
    a, b = np.triu_indices(n, 1)
    return lambda board, predicted, battles: chances(policy, a, b, predicted, battles, board, goal)


def running(
    P: Floats,
    schedule: Schedule,
    rng: np.random.Generator,
    most: int,
    every: int | None = None,
    level: float = 0.95,
    goal: Goal | None = None,
) -> Iterator[Look]:
    """Looks at an evaluation after every stage, or after `every` battles, of which stages then hold whole numbers, up to `most`.

    With a goal the error is shared as in an arena that is made for it; without one the board has all of it.
    """
    n = len(P)
    best, shares = (0, ()) if goal is None else (goal.best, (FIRST, goal.reserved(n)))
    a, b = np.triu_indices(n, 1)
    names, rate = tuple(f"agent {i}" for i in range(n)), P[a, b]
    battles, won, sums = np.zeros(len(a)), np.zeros(len(a)), Sums.none(n, best)
    board, played = board_of(names, sums, level, *shares), 0
    while played < most:
        length = stage_length(played, len(a))
        length = min(-(-length // (every or 1)) * (every or 1), most - played)
        predicted = predictions(a, b, battles, won, n)
        chance = schedule(board, predicted, battles)
        now, left = np.zeros((3, len(a))), length
        while left:
            times = rng.multinomial(min(left, every or left), chance)
            wins = rng.binomial(times, rate).astype(np.float64)
            battles, won, now = battles + times, won + wins, now + np.stack((times, wins, wins))
            left -= int(times.sum())
            played += int(times.sum())
            after = sums.plus(Stage(a, b, chance, predicted, *now))
            board = board_of(names, after, level, *shares)
            yield Look(played, battles, won, board)
        sums = after
