"""The core of a running evaluation: who belongs to it by current win rates, and which pairs settle it."""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.inference.anytime.anytime_board import SCALE, AnytimeBoard
from beatpath.inference.anytime.boundary import information_needed
from beatpath.methods.graph.relation import block_numbers, strong_parts


def likely_core(board: AnytimeBoard) -> Bools:
    """Flag the agents of the top cycle by certain wins and, for all other pairs, by the battles so far."""
    likely = _likely(board).astype(float)
    return block_numbers(likely - likely.T) == 0


def core_pairs(board: AnytimeBoard, needed: Floats) -> Bools:
    """Flag the pairs that must still become certain to settle the core; none if it is settled.

    A set is the core if every member certainly beats every agent outside it and chains of certain wins lead from each
    member to every other. So each pair of a member and an outsider counts, and, for each group of members that are not
    connected yet, the pair that lacks the fewest battles of those that lead out of it, and into it.

    Parameters
    ----------
    board : AnytimeBoard
        Certain wins, and the battles so far.
    needed : (n, n) float
        The battles that each pair lacks.
    """
    core, sure, likely = likely_core(board), board.beats, _likely(board)
    flagged = core[:, None] & ~core[None, :] & ~sure
    part = strong_parts(sure & core[:, None] & core[None, :])
    for k in np.unique(part[core]):
        inside, outside = np.flatnonzero(part == k), np.flatnonzero(core & (part != k))
        for here, there in ((inside, outside), (outside, inside)):
            if outside.size and not sure[np.ix_(here, there)].any():
                lacking = np.where(likely, needed, np.inf)[np.ix_(here, there)]
                i, j = np.unravel_index(lacking.argmin(), lacking.shape)
                flagged[here[i], there[j]] = True
    return flagged | flagged.T


def battles_needed(board: AnytimeBoard, alpha: float | Floats) -> Floats:
    """Return the battles that every pair lacks to be certain at its current win rate.

    A win rate near one half is taken to be as far from it as its standard error, but not as more than ten points.
    """
    played = board.wins + board.wins.T
    apart = np.divide(board.wins, played, out=np.full_like(played, 0.5), where=played > 0) - 0.5
    apart = np.sqrt(apart**2 + 1 / np.maximum(4 * played, SCALE))
    return np.maximum(information_needed(apart, SCALE, alpha) / 4 - played, 1.0)


def _likely(board: AnytimeBoard) -> Bools:
    """Flag certain wins, and pairs in which the row has won at least as much as the column."""
    return board.beats | ((board.wins >= board.wins.T) & ~board.beats.T)
