"""Who plays next and why: the chances of the present stage, and what each of the likeliest pairs is for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._text import counted, quoted

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena

ALIKE = 1e-9  # by which chances may differ and be called the same


@dataclass(frozen=True, slots=True)
class NextPair:
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
class Outlook:
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

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        pairs = [{"agents": list(one.agents), "chance": one.chance, "why": one.why} for one in self.pairs]
        return {"policy": self.policy, "pairs": pairs, "others": self.others}


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
        return "It makes the scores of all agents surest, whatever the goal."
    if open_pairs[i, j]:
        return "The goal needs their order, which is not certain yet."
    open_ones = [k for k in (i, j) if open_pairs[k].any()]
    if not open_ones:
        return "Every pair keeps a share of the battles, so that it stays estimable."
    left = [
        f"{quoted(names[k], 40)} must still be told apart from {counted(int(open_pairs[k].sum()), 'other')}"
        for k in open_ones
    ]
    return f"{' and '.join(left)}."
