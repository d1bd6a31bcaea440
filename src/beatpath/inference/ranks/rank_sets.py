r"""Sets of ranks: which places of a board every agent may truly hold.

With :math:`a \succ c` where the difference :math:`S_a - S_c` is certainly positive,

.. math::  \text{best}_a = 1 + \#\{c : c \succ a\}, \qquad \text{worst}_a = K - \#\{c : a \succ c\} .

*K* being the agents of its part: agents that nothing connects are not compared, and each part has a board of its own.
If no certain sign is wrong, these contain the true rank of every agent; of agents that are truly equal, every rank that
they share.

References
----------
.. [1] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for ranks with applications to mobility across
       neighbourhoods and academic achievement across countries", *Review of Economic Studies* 91 (2024), 476-518.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Ints
from beatpath._errors import UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath._threads import threads_for
from beatpath.evidence import Evidence
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.critical import (
    Critical,
    Family,
    bonferroni,
    enough,
    of_all,
    of_each_agent,
)
from beatpath.inference.ranks.differences import Array, Mask, estimable, z_scores
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.ranks.score_intervals import score_intervals
from beatpath.inference.ranks.simulation import Simulation, simulate
from beatpath.inference.ranks.step_down import rejections, transitive_closure
from beatpath.inference.ranks.tie_groups import best_first, point_ranks, tie_groups, unresolved_runs
from beatpath.inference.scores.scored import HasBoard, board_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

METHODS = ("step-down", "max-t", "bonferroni")
NONE = Critical(float("nan"), float("nan"))
MENDED = (
    "The covariance of the scores is not positive, as two-way clustering can leave it; "
    "correlations were simulated from its positive part."
)


def rank_sets(
    asked: Evidence | WinRateEstimate | Leaderboard | HasBoard,
    *,
    level: float = 0.95,
    simultaneous: bool = True,
    method: str = "step-down",
    draws: int = 20_000,
    seed: int = 0,
) -> RankSets:
    """Find which ranks the agents of a board may truly have.

    Parameters
    ----------
    asked : Leaderboard, Battles, Ballots, Scores, Pairs or Resolution
        Scores with the covariance of their errors. Evidence is scored by default conventions; `leaderboard` and `resolve`
        take others.
    level : float
        The confidence with which the sets hold.
    simultaneous : bool
        Whether all sets hold at once, as a board that is read as a whole needs. Otherwise each holds by itself, for a
        reader who came for one agent.
    method : {"step-down", "max-t", "bonferroni"}
        How a critical value is found. Every one is valid; each is at least as sharp as the next.
    draws : int
        How many times the scores are simulated; Bonferroni's method needs none.
    seed : int

    Returns
    -------
    RankSets

    Raises
    ------
    UsageError
        When `level` is not between 0 and 1, `method` is unknown, or `draws` are too few for the level.

    Examples
    --------
    Three agents, errors of 0.01 each: the gap of 0.3 is certain, that of 0.01 is not.

    >>> score, known = np.array([0.8, 0.79, 0.5]), np.full((3, 3), np.inf)
    >>> board = Leaderboard(("ada", "bob", "cyd"), score, 1e-4 * np.eye(3), known, "mean score")
    >>> sets = rank_sets(board)
    >>> sets.best, sets.worst
    (array([1, 1, 3]), array([2, 2, 3]))
    >>> print(sets)
    The first is one of 2 agents: 'ada', 'bob'.
    1 of 3 agents has a unique rank.
    The data resolve 2 of 3 pairs (67 %).
    The agents fall into 2 groups whose order is certain.
    All sets of ranks hold at once with 95 % confidence (step-down), if battles are independent of each other \
and outcomes did not steer who met whom.

    Notes
    -----
    What follows from two certain orders is certain too, at no further risk, so a simultaneous `above` is a strict
    partial order. *n* agents and *B* draws take :math:`O(n^2 B)` operations at most and :math:`O(n B + n^2)` memory;
    see `critical`.
    """
    _check(level, method, draws)
    board = board_of(asked)
    with threads_for(len(board.agents)):
        return _ranked(board, level, simultaneous, method, draws, seed)


def _ranked(board: Leaderboard, level: float, simultaneous: bool, method: str, draws: int, seed: int) -> RankSets:
    """Sets of ranks of a board."""
    used = estimable(board) & board.together
    drawn = None if method == "bonferroni" else simulate(board, used, draws, seed)
    judge = _all_at_once if simultaneous else _one_by_one
    found = judge(z_scores(board, used), used, level, drawn, method == "step-down")
    best, worst = 1 + found.below.sum(axis=1), board.together.sum(axis=1) - found.above.sum(axis=1)
    above = found.above & found.below.T
    rank = point_ranks(board.score, board.parts)
    order = best_first(rank, best, worst, board.agents, board.parts)
    runs = [order[board.parts[order] == part] for part in np.unique(board.parts[order])]
    low, high = score_intervals(board, bonferroni(level, 2))
    return RankSets(
        board=board,
        level=level,
        simultaneous=simultaneous,
        method=method,
        draws=0 if drawn is None else draws,
        seed=seed,
        low=low,
        high=high,
        rank=rank,
        best=best,
        worst=worst,
        above=above,
        group=_groups_by_part(above, runs),
        order=order,
        runs=tuple(run for one in runs for run in unresolved_runs(above, one)),
        skipped=int(np.triu(board.together & ~used, 1).sum()),
        borderline=found.borderline,
        critical=found.critical,
        critical_error=found.error,
        interval_critical=found.interval,
        notes=board.notes + ((MENDED,) if drawn is not None and drawn.mended else ()),
    )


def _groups_by_part(above: Mask, orders: Sequence[Ints]) -> Ints:
    """Tie groups of every part, numbered on from part to part."""
    group = np.zeros(len(above), dtype=np.int64)
    for order in orders:
        own = tie_groups(above, order)
        group[order] = own[order] + group.max(initial=0)
    return group


def _check(level: float, method: str, draws: int) -> None:
    if not 0 < level < 1:
        raise UsageError(f"`level` must lie between 0 and 1; got {level!r}: use 0.95 for a confidence of 95 %.")
    if method not in METHODS:
        raise UsageError(
            f"`method` must be one of {listed(METHODS)}; got {quoted(method)}.{suggestion(method, METHODS)}"
        )
    if method != "bonferroni":
        enough(level, draws)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """What each agent's own family says: whom it is certainly above and below, and by which critical value."""

    above: Mask
    below: Mask
    critical: Array
    error: Array
    interval: Critical
    borderline: int


def _all_at_once(statistic: Array, used: Mask, level: float, drawn: Simulation | None, step_down: bool) -> _Judged:
    family = None if drawn is None else of_all(drawn, level)

    def critical(left: Mask) -> Critical:
        if family is None:
            return bonferroni(level, int(left.sum()))
        return family.critical(np.triu(left), np.triu(left.T))

    rejected, steps = rejections(statistic, used, critical, step_down=step_down)
    above = transitive_closure(rejected)
    first, last = (steps[0], steps[-1]) if steps else (NONE, NONE)
    values, errors = np.full(len(used), last.value), np.full(len(used), last.error)
    return _Judged(above, above.T, values, errors, first, _borderline(statistic, values, errors))


def _one_by_one(statistic: Array, used: Mask, level: float, drawn: Simulation | None, step_down: bool) -> _Judged:
    n = len(used)
    above, below = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    values, errors = np.full(n, np.nan), np.full(n, np.nan)
    families = [None] * n if drawn is None else of_each_agent(drawn, level)
    for a, family in enumerate(families):

        def critical(left: Mask, family: Family | None = family) -> Critical:
            return bonferroni(level, int(left.sum())) if family is None else family.critical(left[:1], left[1:])

        both = np.stack([statistic[a], -statistic[a]])
        (above[a], below[a]), steps = rejections(both, np.stack([used[a]] * 2), critical, step_down=step_down)
        if steps:
            values[a], errors[a] = steps[-1].value, steps[-1].error
    return _Judged(above, below, values, errors, bonferroni(level, 2), _borderline(statistic, values, errors))


def _borderline(statistic: Array, critical: Array, error: Array) -> int:
    """How many differences lie within two standard errors of a critical value that was simulated."""
    near = (np.abs(np.abs(statistic) - critical[:, None]) <= 2 * error[:, None]) & (error > 0)[:, None]
    return int(np.triu(near | near.T).sum())
