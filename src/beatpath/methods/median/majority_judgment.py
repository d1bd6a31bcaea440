"""Majority judgment: agents by their median grade, ties by the grades next to it."""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath.evidence.ties import ROUNDING
from beatpath.methods.graph.levels import outcome
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome

CHUNK = 256  # steps outwards from the median that are compared at a time


def majority_judgment(profile: Profile) -> Outcome:
    r"""Rank agents of a score table by their median grade, and where medians tie by the grades around it.

    Every task, or item, is a voter that gives each agent a grade, its score; grades must mean the same on every task. An
    agent's majority grade is the lower median of its grades.
    Where two are equal one voter with the median grade is set aside for each agent, and the medians of the others are compared, and so
    on: Balinski and Laraki's majority value [1]_. In shares of the voters this compares, from the median outwards,

    .. math::  q_a(\tfrac12 - \epsilon), \; q_a(\tfrac12 + \epsilon) \quad\text{at } \epsilon \text{ from } 0 \text{ to } \tfrac12,

    :math:`q_a` the quantile function of *a*'s grades, the lower first; so voters may have weights, and an agent may lack grades.

    Parameters
    ----------
    profile : Profile
        With a score table.

    Returns
    -------
    Outcome
        Scores are majority grades, in the table's unit, signed so that higher is better. Details give the shares of an agent's
        grades "above" and "below" its majority grade.

    Examples
    --------
    Both have the median 3. Ada's grades next to it are 2 and 5, Bob's 2 and 4.

    >>> from beatpath import Scores, rank
    >>> table = Scores.from_table([[5, 3, 2], [2, 4, 3], [1, 2, 6]], ["ada", "bob", "cyd"], ["maths", "code", "prose"])
    >>> found = rank(table, "majority_judgment")
    >>> found, found.scores
    (majority_judgment: ada > bob > cyd, {'ada': 3.0, 'bob': 3.0, 'cyd': 2.0})

    Notes
    -----
    Sorting the table. Whether one agent is above another depends on the grades of these two alone, so that no agent that comes
    or goes turns them round. Not Condorcet consistent; two sets of tasks that agree may disagree together.

    References
    ----------
    .. [1] M. Balinski and R. Laraki, "A theory of measuring, electing, and ranking", *PNAS* 104 (2007), 8720-8725.
    """
    grade, weight = grades(profile)
    median = quantiles(grade, weight, np.array([0.5]))[:, 0]
    have = np.where(np.isnan(grade), 0.0, weight)
    total = have.sum(axis=1)
    details = {}
    for word, apart in (("above", grade > median[:, None]), ("below", grade < median[:, None])):
        share = np.divide((have * apart).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
        details[word] = dict(zip(profile.agents, share.tolist(), strict=True))
    return outcome(judged_levels(grade, weight), median, details=details)


def grades(profile: Profile) -> tuple[Floats, Floats]:
    """Return the grade that each voter of a score table gives each agent, NaN where none, and what each voter weighs."""
    if profile.scores is None or profile.ballots is None:
        raise DataError(
            "majority_judgment needs a score table, whose values are grades; rankings and battles hold none."
        )
    made = {c.name: c.value for c in profile.conventions}
    per, missing = made.get("per", "task"), made.get("missing", "unranked")
    grade = profile.scores.table(per)[0] * profile.scores.voter_signs(per)
    hole = np.isnan(grade)
    if missing == "drop_task":
        grade = grade[:, ~hole.any(axis=0)]
    elif missing == "last":
        grade = np.where(hole, np.nanmin(grade, axis=0), grade)
    return grade, profile.ballots.total


def judged_levels(grade: Floats, weight: Floats) -> Ints:
    """Return levels by the grades met on the way outwards from the median, the lower of two first.

    Parameters
    ----------
    grade : (n, voters) float
        NaN where a voter gives none; an agent without any comes last.
    weight : (voters,) float

    Returns
    -------
    (n,) int

    Examples
    --------
    >>> judged_levels(np.array([[5.0, 3, 2], [2, 4, 3], [1, 2, 6], [2, 3, 5]]), np.ones(3))
    array([0, 1, 2, 0])
    """
    below, above = steps_outwards(grade, weight)
    level = np.zeros(len(grade), dtype=np.int64)
    for at in range(0, len(below), CHUNK):
        low, high = (quantiles(grade, weight, side[at : at + CHUNK]) for side in (below, above))
        key = np.stack([low, high], axis=2).reshape(len(grade), -1)
        key = np.nan_to_num(np.column_stack([-level, key]), nan=-np.inf)
        _, place = np.unique(key, axis=0, return_inverse=True)
        level = place.max() - place.ravel()
        if level.max() == len(grade) - 1:
            break
    return level


def steps_outwards(grade: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return shares of voters below and above one half between which no agent's grade changes, from the median outwards.

    >>> below, above = steps_outwards(np.array([[5.0, 3, 2]]), np.ones(3))
    >>> below.round(3), above.round(3)
    (array([0.417, 0.167]), array([0.583, 0.833]))
    """
    end = _ends(np.sort(grade, axis=1), np.take_along_axis(_held(grade, weight), np.argsort(grade, axis=1), axis=1))
    away = np.unique(np.append(np.abs(end[np.isfinite(end)] - 0.5), [0.0, 0.5]))
    away = away[np.append(True, np.diff(away) > ROUNDING)]
    middle = (away[1:] + away[:-1]) / 2
    return 0.5 - middle, 0.5 + middle


def quantiles(grade: Floats, weight: Floats, share: Floats) -> Floats:
    """Return the lowest grade that at least such a share of an agent's voters does not exceed, shape (n, shares).

    >>> quantiles(np.array([[5.0, 3, 2, 4]]), np.ones(4), np.array([0.5, 0.6]))
    array([[3., 4.]])
    """
    order = np.argsort(grade, axis=1)  # missing grades come last
    grade, held = np.take_along_axis(grade, order, axis=1), np.take_along_axis(_held(grade, weight), order, axis=1)
    found = np.full((len(grade), len(share)), np.nan)
    for i, end in enumerate(_ends(grade, held)):
        if held[i].any():
            found[i] = grade[i, np.searchsorted(end, share - ROUNDING)]
    return found


def _held(grade: Floats, weight: Floats) -> Floats:
    """What voters weigh for each agent: nothing where they give no grade."""
    return np.where(np.isnan(grade), 0.0, weight)


def _ends(grade: Floats, held: Floats) -> Floats:
    """Up to which share of an agent's voters each of its sorted grades reaches; infinite for those that count nothing."""
    reached = np.cumsum(held, axis=1)
    total = reached[:, -1:]
    return np.divide(reached, total, out=np.full_like(reached, np.inf), where=(total > 0) & ~np.isnan(grade))
