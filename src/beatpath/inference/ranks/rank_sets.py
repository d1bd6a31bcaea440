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

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._result import plain
from beatpath._text import counted
from beatpath._threads import threads_for
from beatpath.evidence import Evidence
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.claims import Claim
from beatpath.inference.ranks.critical import (
    Critical,
    Family,
    between,
    bonferroni,
    draws_quantile,
    enough,
    of_all,
    of_each_agent,
)
from beatpath.inference.ranks.differences import estimable, t_critical, z_scores
from beatpath.inference.ranks.grouping import best_first, point_ranks
from beatpath.inference.ranks.ranks import Difference, RankRow, Ranks
from beatpath.inference.ranks.simulation import Simulation, in_parts, score_maxima, simulate
from beatpath.inference.ranks.step_down import rejections, transitive_closure

if TYPE_CHECKING:
    from beatpath.inference.scores.scored import HasBoard
    from beatpath.inference.win_rates.estimate import WinRateEstimate

MEANS_OF_TASKS = ("mean_score", "iqm", "median", "optimality_gap", "probability_of_improvement")
STEERED = "pairs were not chosen by earlier outcomes"  # a condition of all errors but those of `anytime`
NONE = Critical(float("nan"), float("nan"))
MOST_FIRST = 2e10  # agents that may be first times errors drawn, about ten seconds; of more, Bonferroni's value decides
MENDED = (
    "The covariance of the scores is not positive, as two-way clustering can leave it; "
    "correlations were simulated from its positive part."
)


class RankSetRow(RankRow):
    """One agent among the sets of ranks.

    Attributes
    ----------
    rank : int
        By score.
    joint_low, joint_high : float
        The ends of its interval where all intervals hold at once.
    critical : float
        The critical value of its differences.
    """

    rank: int
    joint_low: float
    joint_high: float
    critical: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankSets(Ranks):
    """The ranks that the agents of a board may truly have, by the joint errors of its scores.

    Attributes
    ----------
    board : Leaderboard
        Scores and the covariance of their errors.
    options : RankOptions
    skipped : int
        Pairs whose difference has no usable variance.
    borderline : int
        Pairs so close to the critical value that another seed might decide otherwise.
    critical, critical_error : (n,) float
        The Gaussian critical value of the last step behind each agent's set, equal where all hold at once, and the
        standard error that simulation leaves in it.
    interval_critical : Critical
        That of the intervals of differences: of all of them at once without stepping down, or of one by itself.
    first : (n,) bool
        Whether every agent may be first of its component, by the family of that question alone; see `multiple_with_best`.
    """

    document: ClassVar = (
        "estimand",
        "agents=agent_rows",
        "above=below_each",
        "groups",
        "pairs",
        "resolved_pairs",
        "share_resolved",
        "unique_ranks",
        "skipped",
        "borderline",
        "settings",
        "conventions",
        "notes",
    )

    board: Leaderboard
    options: RankOptions
    skipped: int
    borderline: int
    critical: Floats
    critical_error: Floats
    interval_critical: Critical
    first: Bools

    @property
    def may_be_first(self) -> Bools:
        """Whether every agent may be first of its component."""
        return self.first

    @cached_property
    def joint(self) -> tuple[Floats, Floats]:
        """The ends of intervals of the scores that all hold at once; who is above whom `above` says, not their overlap."""
        with threads_for(len(self.agents)):
            critical = of_all_scores(self.board, self.options)
        return score_intervals(self.board, critical)

    @property
    def joint_low(self) -> Floats:
        """Lower ends of intervals that all hold at once."""
        return self.joint[0]

    @property
    def joint_high(self) -> Floats:
        """Upper ends of these."""
        return self.joint[1]

    def supports(self, claim: Claim, n_claims: int | None = None) -> bool:
        r"""Return whether the data carry a claim; see `Ranks.supports`.

        Of claims fixed in advance, each has a share of the risk, two-sided. That an agent is among the best *k* of *n* is the claim that
        it is above :math:`n - k` others. If it is not, *k* others or more are not below it, and one of these at least was taken to be:
        *k* times the risk of one comparison is enough, and for first place no more than that.
        """
        if n_claims is None or claim.agent not in self.agents or (claim.below or claim.agent) not in self.agents:
            return super().supports(claim)
        i, level = self.index(claim.agent), 1 - (1 - self.level) / n_claims
        used = estimable(self.board) & self.board.together
        z = z_scores(self.board, used)[i]
        if claim.below is not None:
            j = self.index(claim.below)
            return bool(used[i, j] and z[j] > bonferroni(level, 2).value)
        n, top = len(self.agents), 1 if claim.last else claim.top or 1
        lead = -z if claim.last else z
        return int((used[i] & (lead > bonferroni(level, 2 * top).value)).sum()) >= n - top

    def difference(self, first: str, second: str, n_claims: int | None = None) -> Difference:
        """Return the first score less the second, with an interval.

        Of claims fixed in advance, `n_claims` so many, each pays for itself. Where sets hold all at once, so do the intervals of all differences. These do not step down, which has no
        intervals: one may reach zero though the order is certain.
        """
        a, c = self.index(first), self.index(second)
        estimate, df = float(self.score[a] - self.score[c]), float(self.board.df[a, c])
        variance = self.board.variance_of_differences[a, c] if estimable(self.board)[a, c] else np.nan
        stderr = float(np.sqrt(variance))
        critical = self.interval_critical if n_claims is None else bonferroni(1 - (1 - self.level) / n_claims, 2)
        reach = float(t_critical(critical.value, df)) * stderr
        return Difference(first, second, estimate, stderr, df, estimate - reach, estimate + reach)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, how much is certain, and how surely."""
        n, unique, groups = len(self.agents), len(self.unique_ranks), len(self.groups)
        if n == 1:
            return (self.first_sentence,)
        in_groups = f"The agents form {groups:,} groups whose order is certain."
        return (
            self.first_sentence,
            f"{unique:,} of {n:,} agents {'has' if unique == 1 else 'have'} a unique rank{self._together}.",
            self.resolved_sentence,
            *((in_groups,) if self.simultaneous and groups > 1 and not self.part.any() else ()),
            *self._left_open(),
            self.condition,
        )

    @property
    def _together(self) -> str:
        return " with all pairs compared simultaneously" if self.simultaneous and len(self.agents) > 2 else ""

    def _left_open(self) -> list[str]:
        """What nothing is reported for: agents without a score, differences without a variance, and what another seed may decide."""
        missing, notes = int((self.rank == 0).sum()), []
        if missing:
            notes.append(f"{counted(missing, 'agent has', 'agents have')} no score and may hold any rank.")
        if self.skipped:
            number = counted(self.skipped, "difference has", "differences have")
            notes.append(
                f"{number} no usable variance: {'its sign stays' if self.skipped == 1 else 'their signs stay'} open."
            )
        if self.borderline:
            more = 10 * self.options.draws
            notes.append(
                f"{counted(self.borderline, 'pair is', 'pairs are')} close to the critical value, and another seed may decide otherwise; "
                f"`draws={more}` (`--draws {more}`) settles it."
            )
        return notes

    @property
    def condition(self) -> str:
        """With which confidence the sets hold, and under which conditions."""
        held = (
            f"All rank sets hold with simultaneous {100 * self.level:g} % confidence ({self.options.method})"
            if self.simultaneous
            else f"Each rank set holds by itself, not simultaneously, with {100 * self.level:g} % confidence ({self.options.method})"
        )
        return f"{held}, {_conditions(self.board)}."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, best first, with intervals that hold at once and critical values."""
        names = ("rank", "joint_low", "joint_high", "critical")
        return self.board_rows(**{name: plain(getattr(self, name)) for name in names})

    @property
    def below_each(self) -> list[list[int]]:
        """Which agents, by their place among `agents`, are certainly below each."""
        return [np.flatnonzero(row).tolist() for row in self.above[np.ix_(self.listed, self.listed)]]

    def agent_rows(self) -> "list[RankSetRow]":
        """Return one row an agent, best first."""
        return self.rows()  # type: ignore[return-value]


def _conditions(board: Leaderboard) -> str:
    """Under which conditions errors are what they are said to be."""
    cluster, estimand = board.settings.get("cluster") or (), board.settings.get("estimand")
    unit = " and ".join("ballots or tasks" if name == "ballot" else f"{name}s" for name in cluster)
    if cluster == ["run"]:
        return "if runs are independent and other runs would be like them; this says nothing about other tasks"
    return conditions_of(unit, means=isinstance(estimand, str) and estimand in MEANS_OF_TASKS)


def conditions_of(unit: str, *, means: bool) -> str:
    """Return under which conditions errors hold of battles, or of means over tasks, whose clusters are so called."""
    if means:
        return f"if {unit} are independent and other {unit} would be like them"
    return f"if battles {f'of different {unit} ' if unit else ''}are independent and {STEERED}"


def rank_sets(
    evidence: "Evidence | WinRateEstimate | Leaderboard | HasBoard",
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
    evidence : Leaderboard, Battles, Ballots, Scores, Pairs or Resolution
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
    2 of 3 agents may be first: 'ada', 'bob'.
    1 of 3 agents has a unique rank with all pairs compared simultaneously.
    The data resolve 2 of 3 pairs (67 %).
    The agents form 2 groups whose order is certain.
    All rank sets hold with simultaneous 95 % confidence (step-down), if battles are independent and pairs were not \
chosen by earlier outcomes.

    Notes
    -----
    What follows from two certain orders is certain too, at no further risk, so a simultaneous `above` is a strict
    partial order. *n* agents and *B* draws take :math:`O(n^2 B)` operations at most and :math:`O(n B + n^2)` memory;
    see `critical`.
    """
    from beatpath.inference.scores.scored import board_of

    return ranked(
        board_of(evidence), RankOptions(level=level, simultaneous=simultaneous, method=method, draws=draws, seed=seed)
    )


def ranked(board: Leaderboard, options: RankOptions) -> RankSets:
    """Return the sets of ranks of a board; see `rank_sets`."""
    if options.method != "bonferroni":
        enough(options.level, options.draws)
    with threads_for(len(board.agents)):
        return _ranked(board, options)


def _ranked(board: Leaderboard, options: RankOptions) -> RankSets:
    level = options.level
    used = estimable(board) & board.together
    simulation = None if options.method == "bonferroni" else simulate(board, used, options.draws, options.seed)
    judge = _all_at_once if options.simultaneous else _one_by_one
    statistic = z_scores(board, used)
    judgment = judge(statistic, used, level, simulation, options.method == "step-down")
    compared = ~(board.df <= 0)  # what follows by way of others is not called certain of agents that share nothing
    above, below = judgment.above & compared, judgment.below & compared
    best, worst = 1 + below.sum(axis=1), board.together.sum(axis=1) - above.sum(axis=1)
    rank = point_ranks(board.score, board.parts)
    low, high = score_intervals(board, bonferroni(level, 2))
    draws = 0 if simulation is None else options.draws
    return RankSets(
        agents=board.agents,
        score=board.score,
        low=low,
        high=high,
        rank=rank,
        best=best,
        worst=worst,
        above=above & below.T,
        part=board.parts,
        order=best_first(rank, best, worst, board.agents, board.parts),
        level=level,
        simultaneous=options.simultaneous,
        estimand=board.estimand,
        bounds=board.bounds,
        settings={
            **board.settings,
            "level": level,
            "simultaneous": options.simultaneous,
            "method": options.method,
            "draws": draws,
            "seed": options.seed,
        },
        conventions=board.conventions,
        notes=board.notes + ((MENDED,) if simulation is not None and simulation.mended else ()),
        board=board,
        options=options,
        skipped=int(np.triu(board.together & compared & ~used, 1).sum()),
        borderline=judgment.borderline,
        critical=judgment.critical,
        critical_error=judgment.error,
        interval_critical=judgment.interval,
        first=multiple_with_best(statistic, used, level, simulation) & (best == 1),
    )


def multiple_with_best(statistic: Floats, used: Bools, level: float, simulation: Simulation | None) -> Bools:
    r"""Return which agents may be first, by multiple comparisons with the best [1]_, [2]_.

    Whether *i* is first is one question, with the one-sided comparisons of *i* with all others as its family: *i* is ruled out where
    some other is above it by more than the quantile of :math:`\max_j (Z_j - Z_i) / \operatorname{sd}(Z_j - Z_i)`. The agent that is
    truly first is ruled out with probability :math:`\alpha` at most, however many others there are to be ruled out.

    References
    ----------
    .. [1] J. C. Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best", *Annals of Statistics* 12
           (1984), 1136-1144.
    .. [2] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024), as above, section 3.
    """
    below = np.where(used, -statistic, -np.inf).max(axis=1, initial=-np.inf)
    number = used.sum(axis=1)
    surely = np.array([bonferroni(level, int(k)).value for k in number])
    may = below <= surely
    if simulation is None:
        return np.asarray(may)
    scale = simulation.scale.astype(simulation.errors.dtype)
    candidates = np.flatnonzero(may & (below > bonferroni(level, 1).value))
    if len(candidates) * simulation.errors.size > MOST_FIRST:
        return np.asarray(may)
    maxima = np.empty((len(candidates), simulation.errors.shape[1]), dtype=scale.dtype)
    for part in in_parts(maxima.shape[1], len(scale)):
        errors = np.ascontiguousarray(simulation.errors[:, part])
        for k, i in enumerate(candidates):
            maxima[k, part] = ((errors - errors[i]) * scale[i, :, None]).max(axis=0)
    for k, i in enumerate(candidates):
        quantile = draws_quantile(level, maxima[k])
        may[i] = below[i] <= between(quantile, bonferroni(level, int(number[i])), simulation.per_degree).value
    return np.asarray(may)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """What each agent's own family says: whom it is certainly above and below, and by which critical value."""

    above: Bools
    below: Bools
    critical: Floats
    error: Floats
    interval: Critical
    borderline: int


def _all_at_once(
    statistic: Floats, used: Bools, level: float, simulation: Simulation | None, step_down: bool
) -> _Judged:
    family = None if simulation is None else of_all(simulation, level)

    def critical(left: Bools) -> Critical:
        if family is None:
            return bonferroni(level, int(left.sum()))
        return family.critical(np.triu(left), np.triu(left.T))

    rejected, steps = rejections(statistic, used, critical, step_down=step_down)
    above = transitive_closure(rejected)
    first, last = (steps[0], steps[-1]) if steps else (NONE, NONE)
    values, errors = np.full(len(used), last.value), np.full(len(used), last.error)
    return _Judged(above, above.T, values, errors, first, _borderline(statistic, values, errors))


def _one_by_one(
    statistic: Floats, used: Bools, level: float, simulation: Simulation | None, step_down: bool
) -> _Judged:
    n = len(used)
    above, below = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    values, errors = np.full(n, np.nan), np.full(n, np.nan)
    families = [None] * n if simulation is None else of_each_agent(simulation, level)
    for a, family in enumerate(families):

        def critical(left: Bools, family: Family | None = family) -> Critical:
            return bonferroni(level, int(left.sum())) if family is None else family.critical(left[:1], left[1:])

        both = np.stack([statistic[a], -statistic[a]])
        (above[a], below[a]), steps = rejections(both, np.stack([used[a]] * 2), critical, step_down=step_down)
        if steps:
            values[a], errors[a] = steps[-1].value, steps[-1].error
    return _Judged(above, below, values, errors, bonferroni(level, 2), _borderline(statistic, values, errors))


def _borderline(statistic: Floats, critical: Floats, error: Floats) -> int:
    """How many differences lie within two standard errors of a critical value that was simulated."""
    near = (np.abs(np.abs(statistic) - critical[:, None]) <= 2 * error[:, None]) & (error > 0)[:, None]
    return int(np.triu(near | near.T).sum())


def score_intervals(board: Leaderboard, critical: Critical) -> tuple[Floats, Floats]:
    """Return the score less and plus its own critical value times its standard error; NaN where that is not positive.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.5, 0.9]), np.diag([1e-2, 0.0]), np.full((2, 2), np.inf), "mean")
    >>> score_intervals(board, Critical(2.0))
    (array([0.3, nan]), array([0.7, nan]))
    """
    variance = np.diag(board.covariance)
    stderr = np.sqrt(np.where(variance > 0, variance, np.nan))
    reach = t_critical(critical.value, np.diag(board.df)) * stderr
    return np.clip(board.score - reach, *board.bounds), np.clip(board.score + reach, *board.bounds)


def of_all_scores(board: Leaderboard, options: RankOptions) -> Critical:
    """Return the critical value with which the intervals of all scores hold at once; Bonferroni's where nothing is drawn.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.5, 0.9]), np.eye(2), np.full((2, 2), np.inf), "mean")
    >>> round(of_all_scores(board, RankOptions(method="bonferroni")).value, 3)
    2.241
    """
    some = np.isfinite(board.score) & (np.diag(board.covariance) > 0)
    shared = bonferroni(options.level, 2 * int(some.sum()))
    if options.method == "bonferroni" or not some.any():
        return shared
    per_degree = float((1 / np.diag(board.df)[some]).mean())
    return between(draws_quantile(options.level, score_maxima(board, options.draws, options.seed)), shared, per_degree)
