"""Evidence of a resample: rows that are repeated in place, ballots with other counts, tasks that stand several times."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Ballots, Battles, Factor, Scores
from beatpath.inference.bootstrap.resampling import Codes


def drawn_battles(battles: Battles, taken: Codes) -> Battles:
    """Return the battles, each standing as often as it was taken, all in the order in which they happened.

    >>> drawn_battles(Battles.of([("ada", "bob", 1), ("ada", "bob", 0)]), np.array([1, 2])).outcome
    array([1., 0., 0.])
    """
    return battles.take(np.repeat(np.arange(len(battles)), taken))


def drawn_ballots(ballots: Ballots, taken: Codes) -> Ballots:
    """Return the ballots with these counts, those with none left out; nothing is validated again.

    >>> drawn_ballots(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]]), np.array([0, 3]))
    Ballots(2 agents, 3 ballots, 1 distinct)
    """
    kept = taken > 0
    return ballots.take(kept, count=taken[kept])


def drawn_scores(scores: Scores, per: str, taken: Codes) -> Scores:
    """Return the scores of the tasks (or items) taken; one taken several times stands under several names.

    Parameters
    ----------
    scores : Scores
    per : {"task", "item"}
        What was drawn.
    taken : (voters,) int
        How often each of ``scores.voters(per)`` was taken.

    Examples
    --------
    >>> scores = Scores.from_table([[1.0, 2.0], [3.0, 4.0]], ["ada", "bob"], ["code", "maths"])
    >>> drawn_scores(scores, "task", np.array([0, 2])).tasks
    ('maths', 'maths (copy 2)')
    """
    times = taken[scores.voters(per).codes]
    rows = np.repeat(np.arange(len(scores)), times)
    copies = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    column = "item" if per == "item" else "task"
    old = scores.factors.get(column, Factor.coded(np.zeros(len(scores), dtype=np.int64), ("all",)))
    new, origin = _named_apart(old.codes[rows], copies, old.levels)
    factors = {name: factor.take(rows) for name, factor in scores.factors.items()} | {column: new}
    known = {level for name in ("metric", "task") if name in factors for level in factors[name].levels}
    told = scores.higher_is_better
    origin = origin if column == "task" else {}
    better = {name: told[origin.get(name, name)] for name in sorted(known) if origin.get(name, name) in told}
    return replace(
        scores,
        agent=scores.agent[rows],
        value=scores.value[rows],
        factors=factors,
        higher_is_better=better,
        stderr=None if scores.stderr is None else scores.stderr[rows],
    )


def _named_apart(codes: NDArray[np.int32], copies: Codes, levels: tuple[str, ...]) -> tuple[Factor, dict[str, str]]:
    """A column in which every copy has a name of its own, and the old name of each new one."""
    mark, nameless = "copy", "?"
    while any(f"({mark} " in level for level in levels):
        mark += "'"
    while nameless in levels:
        nameless += "?"
    most = int(copies.max(initial=0)) + 1
    cell, place = np.unique(codes.astype(np.int64) * most + copies, return_inverse=True)
    old = [nameless if code < 0 else levels[code] for code in (cell // most).tolist()]
    new = [name if not k else f"{name} ({mark} {k + 1})" for name, k in zip(old, (cell % most).tolist(), strict=True)]
    return Factor.coded(place, new), dict(zip(new, old, strict=True))
