"""Running evaluations without a storage, in worlds whose truth is known."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np

from beatpath.arena.policy import chances
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_board import AnytimeBoard, board_of
from beatpath.inference.anytime.stage import Stage, Sums, predictions


def summed(stages: Iterable[Stage], n: int) -> Sums:
    """The sums over stages."""
    return reduce(Sums.plus, stages, Sums.none(n))


def anytime_board(agents: Sequence[str], stages: Iterable[Stage], reserved: float = 0.0) -> AnytimeBoard:
    """The board of stages."""
    return board_of(agents, summed(stages, len(agents)), 0.95, reserved=reserved)


def rates(strength: np.ndarray) -> np.ndarray:
    """Bradley-Terry win rates of strengths."""
    return 1 / (1 + np.exp(strength[None, :] - strength[:, None]))


def played(
    P: np.ndarray, seed: int, battles: int, policy: str, goal: str = "ranking", length: int = 50
) -> Iterator[AnytimeBoard]:
    """The board after every stage."""
    n, rng = len(P), np.random.default_rng([11, seed])
    a, b = np.triu_indices(n, 1)
    names, aim = tuple(f"agent {i}" for i in range(n)), Goal.of(goal, n)
    count, won, sums = np.zeros(len(a)), np.zeros(len(a)), Sums.none(n, aim.best)
    board = board_of(names, sums, 0.95)
    for _ in range(0, battles, length):
        predicted = predictions(a, b, count, won, n)
        chance = chances(policy, a, b, predicted, count, board, aim)
        pair = rng.choice(len(a), length, p=chance)
        x = (rng.random(length) < P[a, b][pair]).astype(float)
        times, total = np.bincount(pair, minlength=len(a)).astype(float), np.bincount(pair, x, len(a))
        sums = sums.plus(Stage(a, b, chance, predicted, times, total, total))
        count, won = count + times, won + total
        board = board_of(names, sums, 0.95)
        yield board
