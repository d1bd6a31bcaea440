r"""Rank sets: confidence sets for the true rank of every agent.

With :math:`a \succ c` where the difference :math:`S_a - S_c` is certainly positive,

.. math::  \text{best}_a = 1 + \#\{c : c \succ a\}, \qquad \text{worst}_a = K - \#\{c : a \succ c\} .

*K* counts the agents of a connected component; each component has a board of its own. If no certain sign is wrong,
these contain the true rank of every agent, and for truly equal agents every rank that they share.

References
----------
.. [1] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for ranks with applications to mobility across
       neighbourhoods and academic achievement across countries", *Review of Economic Studies* 91 (2024), 476-518.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._coerce import EvidenceLike
from beatpath._errors import spoken
from beatpath._result import plain, plot_result
from beatpath._text import counted
from beatpath._threads import threads_for
from beatpath._validate import require_number
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.claims import Claim
from beatpath.inference.ranks.critical import (
    Critical,
    Family,
    before_between,
    between,
    bonferroni,
    draws_quantile,
    enough,
    of_all,
    of_each_agent,
    quantile_places,
)
from beatpath.inference.ranks.differences import estimable, t_critical, z_scores
from beatpath.inference.ranks.ranks import Difference, RankRow, Ranks
from beatpath.inference.ranks.simulation import Simulation, in_parts, score_maxima, simulate
from beatpath.inference.ranks.step_down import rejections, transitive_closure
from beatpath.stats.skewed_means import score_ends

if TYPE_CHECKING:
    from beatpath.inference.scores.scored import HasBoard
    from beatpath.inference.win_rates.estimate import WinRateEstimate

# estimands over tasks, whose conditions name tasks and not battles
MEANS_OF_TASKS = ("mean_score", "iqm", "median", "optimality_gap", "probability_of_improvement")
# a condition of all standard errors but those of `anytime`: no adaptive sampling
NOT_ADAPTIVE = "pairs were not chosen by earlier outcomes"
NO_CRITICAL = Critical(float("nan"), float("nan"))  # where no hypothesis is tested
# candidates for first place times simulated errors, about ten seconds; beyond it, Bonferroni's value decides
MOST_FIRST = 2e10
# Printed where the covariance matrix was projected to a positive one.
PROJECTED_COVARIANCE = (
    "The covariance of the scores is not positive, as two-way clustering can leave it; "
    "correlations were simulated from its positive part."
)


class RankSetRow(RankRow):
    """One agent with its rank set.

    Attributes
    ----------
    rank : int
        Rank by score.
    joint_low, joint_high : float
        Ends of its simultaneous confidence interval.
    critical : float
        The critical value of its differences.
    """

    rank: int
    joint_low: float
    joint_high: float
    critical: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankSets(Ranks):
    """Confidence sets for the ranks of agents, from scores and their joint covariance.

    Attributes
    ----------
    board : Leaderboard
        Scores and their covariance.
    options : RankOptions
        Level, method, draws and seed.
    skipped : int
        Pairs whose difference has no usable variance.
    borderline : int
        Pairs so close to the critical value that another seed might decide otherwise.
    critical, critical_error : (n,) float
        The Gaussian critical value of the last step behind each agent's set, equal for all in simultaneous sets, and
        its Monte Carlo standard error.
    interval_critical : Critical
        That of the intervals of differences: simultaneous without step-down, or of one difference.
    """

    plot = plot_result

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

    @cached_property
    def joint(self) -> tuple[Floats, Floats]:
        """Ends of the simultaneous confidence intervals of the scores. Overlap decides nothing; use `above`."""
        with threads_for(len(self.agents)):
            critical = of_all_scores(self.board, self.options)
        return score_intervals(self.board, critical)

    @property
    def joint_low(self) -> Floats:
        """Lower ends of the simultaneous confidence intervals."""
        return self.joint[0]

    @property
    def joint_high(self) -> Floats:
        """Upper ends of the simultaneous confidence intervals."""
        return self.joint[1]

    def supports(self, claim: Claim, n_claims: int | None = None) -> bool:
        """Return whether the data support a claim; see `Ranks.supports`.

        Claims fixed in advance share the error equally, two-sided. That an agent is among the best *k* of *n* means
        that it is above :math:`n - k` others. If it is false, at least *k* others are not below it, and at least one
        of these was judged to be: *k* times the error of one comparison suffices, so first place needs no correction.
        """
        unknown = claim.agent not in self.agents or (claim.below or claim.agent) not in self.agents
        if n_claims is None or unknown or claim.has_margin:
            return super().supports(claim, n_claims)
        i, level = self.index(claim.agent), self._level_of_each(n_claims)
        used = estimable(self.board) & self.board.together
        z = z_scores(self.board, used)[i]
        if claim.below is not None:
            j = self.index(claim.below)
            return bool(used[i, j] and z[j] > bonferroni(level, 2).value)
        n, top = len(self.agents), 1 if claim.top is None else claim.top
        lead = -z if claim.last else z
        return int((used[i] & (lead > bonferroni(level, 2 * max(top, 1)).value)).sum()) >= n - top

    def _level_of_each(self, n_claims: float) -> float:
        """The confidence level of each of so many claims that hold together with the level of all."""
        require_number("n_claims", n_claims, "a positive number of claims", above=0)
        return 1 - (1 - self.level) / n_claims

    def difference(self, first: str, second: str, n_claims: float | None = None) -> Difference:
        """Return the first score minus the second, with a confidence interval.

        With `n_claims`, the interval is corrected for that many claims fixed in advance. Otherwise the intervals of
        simultaneous sets hold simultaneously for all differences. They do not step down, which yields no intervals:
        one may contain zero although the order is certain; see `Leaderboard.difference_ends`.
        """
        a, c, board = self.index(first), self.index(second), self.board
        estimate, df, known = float(self.score[a] - self.score[c]), float(board.df[a, c]), estimable(board)[a, c]
        critical = self.interval_critical if n_claims is None else bonferroni(self._level_of_each(n_claims), 2)
        spread = float(np.sqrt(board.variance_of_differences[a, c])) if known else np.nan
        low, high = (float(x[a, c]) if known else np.nan for x in board.difference_ends(t_critical(critical.value, df)))
        return Difference(first, second, estimate, spread, df, low, high)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, how much is certain, and with which confidence."""
        n, unique, groups = len(self.agents), len(self.unique_ranks), len(self.groups)
        if n == 1:
            return (self.first_sentence,)
        at_once = " with all pairs compared simultaneously" if self.simultaneous and n > 2 else ""
        in_groups = f"The agents form {groups:,} groups whose order is certain."
        return (
            self.first_sentence,
            f"{unique:,} of {n:,} agents {'has' if unique == 1 else 'have'} a unique rank{at_once}.",
            self.resolved_sentence,
            *((in_groups,) if self.simultaneous and groups > 1 and not self.part.any() else ()),
            *self._open_notes(),
            self.condition,
        )

    def _open_notes(self) -> list[str]:
        """List what stays open: agents without a score, differences without a variance, and borderline pairs."""
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
                f"{spoken(f'`--draws {more}` settles it')}."
            )
        return notes

    @property
    def condition(self) -> str:
        """The confidence of the sets and the conditions behind it."""
        alone = "Each rank set holds by itself, not simultaneously, with"
        held = "All rank sets hold with simultaneous" if self.simultaneous else alone
        return f"{held} {100 * self.level:g} % confidence ({self.options.multiplicity}), {_conditions(self.board)}."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, best first, with simultaneous intervals and critical values."""
        names = ("rank", "joint_low", "joint_high", "critical")
        return self.board_rows(**{name: plain(getattr(self, name)) for name in names})

    @property
    def below_each(self) -> list[list[int]]:
        """For each agent, the agents certainly below it, as positions in the listing."""
        return [np.flatnonzero(row).tolist() for row in self.above[np.ix_(self.listed, self.listed)]]

    def agent_rows(self) -> list[RankSetRow]:
        """Return one row per agent, best first."""
        return self.rows()  # type: ignore[return-value]


def _conditions(board: Leaderboard) -> str:
    """Return the conditions under which the standard errors hold."""
    cluster, estimand = board.settings.get("cluster") or (), board.settings.get("estimand")
    voters = any(one.name == "unranked" for one in board.conventions)  # of ballots, or of a table of scores
    if cluster == ["run"]:
        return "if runs are independent and other runs would be like them; this says nothing about other tasks"
    return conditions_of(cluster, means=voters or (isinstance(estimand, str) and estimand in MEANS_OF_TASKS))


def conditions_of(clusters: Sequence[str], *, means: bool) -> str:
    """Return the conditions of standard errors of battles, or of means over tasks, with clusters of these names."""
    unit = " and ".join(f"{name}s" for name in clusters)
    if means:
        return f"if {unit} are independent and other {unit} would be like them"
    return f"if battles {f'of different {unit} ' if unit else ''}are independent and {NOT_ADAPTIVE}"


def rank_sets(
    evidence: EvidenceLike | WinRateEstimate | Leaderboard | HasBoard,
    *,
    level: float = 0.95,
    simultaneous: bool = True,
    multiplicity: str = "step-down",
    draws: int = 20_000,
    seed: int = 0,
) -> RankSets:
    """Find which ranks the agents of a board may truly have (rank-confidence sets).

    Use it on scores and standard errors of your own, as a `Leaderboard`. `resolve` calls it on evidence, and adds
    cycles and goodness of fit.

    Parameters
    ----------
    evidence : Leaderboard, Battles, Ballots, Scores, Pairs or Resolution, or what `read` takes
        Scores with their covariance. Evidence is scored with default conventions; `leaderboard` and `resolve` take
        others.
    level : float, default 0.95
        Confidence level.
    simultaneous : bool, default True
        Whether all sets hold simultaneously, as a reader of the whole board needs. Otherwise each holds separately,
        for a reader interested in one agent.
    multiplicity : {"step-down", "max-t", "bonferroni"}
        The correction for multiple comparisons. All are valid; each has at least the power of the next.
    draws : int, default 20,000
        Number of simulations of the scores; Bonferroni needs none.
    seed : int, default 0
        Seed of the simulations.

    Returns
    -------
    RankSets

    Raises
    ------
    UsageError
        When `level` is not between 0 and 1, `method` is unknown, or `draws` are too few for the level.

    See Also
    --------
    resolve : The same from evidence, with cycles and goodness of fit.
    tiers : Rank sets as tiers, letters or groups.

    Examples
    --------
    Three agents, standard errors of 0.01: the gap of 0.3 is certain, that of 0.01 is not.

    >>> score, known = np.array([0.8, 0.79, 0.5]), np.full((3, 3), np.inf)
    >>> board = Leaderboard(("ada", "bob", "cyd"), score, 1e-4 * np.eye(3), known, "mean score")
    >>> sets = rank_sets(board)
    >>> sets.best, sets.worst
    (array([1, 1, 3]), array([2, 2, 3]))
    >>> print(sets)
    2 of 3 agents may be first: 'ada', 'bob'.
    1 of 3 agents has a unique rank with all pairs compared simultaneously.
    The data resolve 2 of 3 pairs (66.7 %).
    The agents form 2 groups whose order is certain.
    All rank sets hold with simultaneous 95 % confidence (step-down), if battles are independent and pairs were not \
chosen by earlier outcomes.

    Notes
    -----
    A consequence of two certain orders is certain too, without further error, so a simultaneous `above` is a strict
    partial order. *n* agents and *B* draws take at most :math:`O(n^2 B)` operations and :math:`O(n B + n^2)` memory;
    see `critical`.
    """
    from beatpath.inference.scores.scored import board_of

    options = RankOptions(level=level, simultaneous=simultaneous, multiplicity=multiplicity, draws=draws, seed=seed)
    return ranked(board_of(evidence), options)


def ranked(board: Leaderboard, options: RankOptions) -> RankSets:
    """Return the rank sets of a board; see `rank_sets`."""
    if options.multiplicity != "bonferroni":
        enough(options.level, options.draws)
    with threads_for(len(board.agents)):
        return _ranked(board, options)


def _ranked(board: Leaderboard, options: RankOptions) -> RankSets:
    level = options.level
    used = estimable(board) & board.together
    simulation = None if options.multiplicity == "bonferroni" else simulate(board, used, options.draws, options.seed)
    judge = _simultaneous_decisions if options.simultaneous else _separate_decisions
    statistic = z_scores(board, used)
    judgment = judge(statistic, used, level, simulation, options.multiplicity == "step-down")
    compared = ~(board.df <= 0)  # no order by transitivity between agents that share no data
    above, below = judgment.above & compared, judgment.below & compared
    best, worst = 1 + below.sum(axis=1), board.together.sum(axis=1) - above.sum(axis=1)
    low, high = score_intervals(board, bonferroni(level, 2))
    settings = {field.name: getattr(options, field.name) for field in fields(RankOptions)}
    return RankSets.of_board(
        board,
        best,
        worst,
        above & below.T,
        low=low,
        high=high,
        level=level,
        simultaneous=options.simultaneous,
        settings={**board.settings, **settings, "draws": 0 if simulation is None else options.draws},
        notes=board.notes + ((PROJECTED_COVARIANCE,) if simulation is not None and simulation.mended else ()),
        board=board,
        options=options,
        skipped=int(np.triu(board.together & compared & ~used, 1).sum()),
        borderline=judgment.borderline,
        critical=judgment.critical,
        critical_error=judgment.error,
        interval_critical=judgment.interval,
        first=_with_rivals(
            multiple_with_best(statistic, used, level, simulation) & (best == 1), statistic, board, level
        ),
    )


def multiple_with_best(statistic: Floats, used: Bools, level: float, simulation: Simulation | None) -> Bools:
    r"""Return which agents may be first, by multiple comparisons with the best [1]_, [2]_.

    For each *i*, the family is the one-sided comparisons of *i* with all others: *i* is excluded where some other
    agent is above it by more than the quantile of :math:`\max_j (Z_j - Z_i) / \operatorname{sd}(Z_j - Z_i)`. The truly
    first agent is excluded with probability at most :math:`\alpha`, however many agents there are.

    References
    ----------
    .. [1] J. C. Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best", *Annals of
           Statistics* 12 (1984), 1136-1144.
    .. [2] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024), as above, section 3.
    """
    below = np.where(used, -statistic, -np.inf).max(axis=1, initial=-np.inf)
    surely = np.array([bonferroni(level, int(k)).value for k in used.sum(axis=1)])
    may = below <= surely
    if simulation is None:
        return np.asarray(may)
    scale, draws = simulation.scale.astype(simulation.errors.dtype), simulation.errors.shape[1]
    candidates = np.flatnonzero(may & (below > bonferroni(level, 1).value))
    if len(candidates) * simulation.errors.size > MOST_FIRST:
        return np.asarray(may)
    beyond, exceeded = quantile_places(level, draws)[0], np.zeros(len(may), dtype=np.int64)
    limit = before_between(below, surely, simulation.per_degree)
    for part in in_parts(draws, len(scale)):
        errors = np.ascontiguousarray(simulation.errors[:, part])
        for i in candidates[exceeded[candidates] < beyond]:  # 0.14 instead of 0.39 s for 300 agents
            exceeded[i] += (((errors - errors[i]) * scale[i, :, None]).max(axis=0) >= limit[i]).sum()
    may[candidates] = exceeded[candidates] >= beyond
    return np.asarray(may)


def _with_rivals(first: Bools, statistic: Floats, board: Leaderboard, level: float) -> Bools:
    r"""Return who may be first, where one agent alone may be by a two-sided test against each other one.

    Of two agents tied for first place, each is excluded with probability :math:`\alpha` by the one-sided test: one of them
    would be called certainly first twice as often.
    """
    alone = first & (np.bincount(board.parts, first)[board.parts] == 1)
    rivals = (statistic[alone] <= bonferroni(level, 2).value) & board.together[alone]
    return np.asarray(first | rivals.any(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class _Decisions:
    """Test decisions: whom each agent is certainly above and below, and the critical values."""

    above: Bools
    below: Bools
    critical: Floats
    error: Floats
    interval: Critical
    borderline: int


def _simultaneous_decisions(
    statistic: Floats, used: Bools, level: float, simulation: Simulation | None, step_down: bool
) -> _Decisions:
    """Test all differences as one family."""
    family = None if simulation is None else of_all(simulation, level)

    def critical(left: Bools) -> Critical:
        if family is None:
            return bonferroni(level, int(left.sum()))
        return family.critical(np.triu(left), np.triu(left.T), statistic)

    rejected, steps = rejections(statistic, used, critical, step_down=step_down)
    above = transitive_closure(rejected)
    first, last = (steps[0], steps[-1]) if steps else (NO_CRITICAL, NO_CRITICAL)
    values, errors = np.full(len(used), last.value), np.full(len(used), last.error)
    return _Decisions(above, above.T, values, errors, first, _borderline(statistic, values, errors))


def _separate_decisions(
    statistic: Floats, used: Bools, level: float, simulation: Simulation | None, step_down: bool
) -> _Decisions:
    """Test the differences of each agent as a family of its own."""
    n = len(used)
    above, below = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    values, errors = np.full(n, np.nan), np.full(n, np.nan)
    families = [None] * n if simulation is None else of_each_agent(simulation, level)
    for a, family in enumerate(families):
        both = np.stack([statistic[a], -statistic[a]])

        def critical(left: Bools, family: Family | None = family, own: Floats = both[:1]) -> Critical:
            return bonferroni(level, int(left.sum())) if family is None else family.critical(left[:1], left[1:], own)

        (above[a], below[a]), steps = rejections(both, np.stack([used[a]] * 2), critical, step_down=step_down)
        if steps:
            values[a], errors[a] = steps[-1].value, steps[-1].error
    return _Decisions(above, below, values, errors, bonferroni(level, 2), _borderline(statistic, values, errors))


def _borderline(statistic: Floats, critical: Floats, error: Floats) -> int:
    """Count differences within two Monte Carlo standard errors of a simulated critical value."""
    near = (np.abs(np.abs(statistic) - critical[:, None]) <= 2 * error[:, None]) & (error > 0)[:, None]
    return int(np.triu(near | near.T).sum())


def score_intervals(board: Leaderboard, critical: Critical) -> tuple[Floats, Floats]:
    """Return the confidence interval of every score; NaN where nothing shows how it varies. See `score_ends`.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.5, 0.9]), np.diag([1e-2, 0.0]), np.full((2, 2), np.inf), "mean")
    >>> score_intervals(board, Critical(2.0))
    (array([0.3, nan]), array([0.7, nan]))
    """
    variance, t = np.diag(board.covariance), t_critical(critical.value, np.diag(board.df))
    known = np.where(variance > 0, variance, np.nan)
    if board.asymmetry is not None:  # a share has the variance that its curvature says, which is 0 if all is solved
        curvature = board.asymmetry.curvature
        known = np.where(curvature > 0, curvature * board.score * (1 - board.score), known)
    return score_ends(board.score, known, t, board.asymmetry, board.bounds)


def of_all_scores(board: Leaderboard, options: RankOptions) -> Critical:
    """Return the critical value of simultaneous intervals of all scores; Bonferroni's where nothing is simulated.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.5, 0.9]), np.eye(2), np.full((2, 2), np.inf), "mean")
    >>> round(of_all_scores(board, RankOptions(multiplicity="bonferroni")).value, 3)
    2.241
    """
    some = np.isfinite(board.score) & (np.diag(board.covariance) > 0)
    shared = bonferroni(options.level, 2 * int(some.sum()))
    if options.multiplicity == "bonferroni" or not some.any():
        return shared
    per_degree = float((1 / np.diag(board.df)[some]).mean())
    return between(draws_quantile(options.level, score_maxima(board, options.draws, options.seed)), shared, per_degree)
