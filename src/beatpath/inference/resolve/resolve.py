"""`resolve`: from evaluation data to ranks, ties, cycles and tested claims."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from beatpath._arrays import Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._progress import Interrupted, doing, partly
from beatpath._sentence import Caution
from beatpath._text import listed, shown
from beatpath._threads import threads_for
from beatpath.evidence import Ballots, Battles, Evidence, Pairs
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.scores import lower_noted
from beatpath.evidence.select import times_met
from beatpath.evidence_design.adaptive_sampling import adaptive_sampling
from beatpath.evidence_design.columns import factors_of
from beatpath.evidence_design.field import Field, hubs_of, placed_profile
from beatpath.evidence_design.run_effects import run_effects
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.cluster_sums import of_differences
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of_profile
from beatpath.inference.options import ALL, AUTO, Estimand, ResolveOptions, with_roles
from beatpath.inference.ranking.rank import takes_estimate
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.rank_sets import RankSets, ranked, score_intervals
from beatpath.inference.resolve.majorities import majorities
from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution, Panel
from beatpath.inference.resolve.resolution import Resolution, Unplaced
from beatpath.inference.resolve.who_is_first import first_probability
from beatpath.inference.runs.run_board import RUN_ESTIMANDS, run_board
from beatpath.inference.runs.runs import runs_note
from beatpath.inference.scores.estimands import estimand_for, of_runs, scores_from
from beatpath.inference.scores.mean_scores import mean_scores
from beatpath.inference.win_rates.cluster_cells import effects_on_win_rates
from beatpath.inference.win_rates.estimate import COMPARED, FEW_CLUSTERS, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile, profile_of
from beatpath.stats.added_variance import AddedVariance
from beatpath.stats.one_unit import one_unit

if TYPE_CHECKING:
    from beatpath.inference.resolve.long_board import LongBoard

# What an interrupted run lists as not computed once the rank sets are ready.
AFTER_RANKS = "majorities and cycles"
# The same, once only the scores are ready.
AFTER_SCORES = f"a simulation that narrows rank sets, {AFTER_RANKS}"


def resolve(
    evidence: EvidenceLike,
    *,
    estimand: str | Mapping[str, float] = AUTO,
    cluster: str | Sequence[str] | None = "auto",
    by: str | Mapping[str, Sequence[str]] | None = None,
    mix: Mapping[str, float] | None = None,
    covariates: str | Sequence[str] = (),
    level: float = 0.95,
    simultaneous: bool = True,
    multiplicity: str = "step-down",
    min_battles: int = 20,
    field: str = AUTO,
    draws: int = 20_000,
    seed: int = 0,
    anytime: bool = False,
    humans: str | Sequence[str] = (),
    **conventions: Unpack[ConventionOptions],
) -> Resolution:
    """Find who is certainly above whom, who is tied, which cycles are significant, and whether Bradley-Terry fits.

    This is the main entry point. It estimates a score per agent with cluster-robust standard errors, builds confidence
    sets for the ranks, tests preferences for intransitivity, and tests the goodness of fit of the Bradley-Terry model.
    Use `rank` for the answer of a voting rule or a rating method, and `report` for the same result as a page. With
    more than 2,000 agents the result is a `LongBoard`: scores with simultaneous confidence intervals, and the ranks
    that these allow.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data, with counts. Margins or win rates without counts carry no information about uncertainty.
    estimand : {"auto", "mean_win_rate", "mean_score", "as_sampled", "bradley_terry"}, one of runs, or mapping of agent to float
        What a score estimates: the mean win rate against every other agent, compared directly or not; the mean score
        over the tasks of a table; the share of battles won; the Bradley-Terry strength; or the mean win rate against
        opponents with the weights of the mapping. Tables with several runs also have ``iqm``, ``median``,
        ``optimality_gap`` and ``probability_of_improvement``. "auto" is the mean score for tables of scores and the
        mean win rate otherwise.
    cluster : str, two of them, None or "auto"
        The column whose battles are dependent (prompt, session, judge), for cluster-robust standard errors; two
        columns give two-way clustering. None treats battles as independent. "auto" takes the column ``cluster`` if
        there is one, and task and judge where outcomes depend on them, at most two columns. For runs, ``task``
        generalizes to tasks like these, ``replicate`` to other runs on these tasks, and both to tasks and to runs
        within them.
    by : str or mapping of context to tasks, optional
        A column of battles or scores that defines contexts, or the tasks of each context. The result is a
        `ContextResolution`: a board per context, shrunk toward the overall board as far as contexts agree, and the
        board of a mixture of contexts.
    mix : mapping of context to float, optional
        Weights of the mixture; only ratios matter. By default each context has the weight of its battles or tasks.
        Without `by`, contexts are tasks.
    covariates : str or sequence of str, default ()
        With contexts: numeric columns of battles, or ``left - right`` of two, at equal values of which agents are
        compared ("style control"); as for the method `bradley_terry`.
    level : float, default 0.95
        Confidence level, between 0 and 1.
    simultaneous : bool, default True
        Whether the rank sets of all agents hold simultaneously (family-wise), or each one separately.
    multiplicity : {"step-down", "max-t", "bonferroni"}
        The correction for multiple comparisons; see `rank_sets`.
    min_battles : int, default 20
        Battles that a pair needs to be an edge of a cycle.
    field : {"auto", "all"}
        "auto" scores agents with fewer than ten independent battles, or tasks, against the others and lists them apart
        from the board, where they would widen every interval. "all" ranks every agent.
    draws, seed : int
        Number of simulations for critical values (default 20,000), and the seed of the random numbers (default 0).
    anytime : bool, default False
        Whether statements must hold at every look at growing data, under adaptive sampling too. The result is an
        `AnytimeResolution`. Combines only with `level` and conventions.
    humans : str or sequence of str, default ()
        Names in the column ``judge`` whose preference the board is about. The votes of all other judges narrow its
        intervals as far as they predict human votes on the same battle, and cannot bias it where humans voted on a
        random part of the battles; `PairwiseResolution.worth` has what they are worth.
    **conventions
        As for `rank`: ties, both_bad, unranked, missing, per, tolerance, weights.

    Returns
    -------
    Resolution
        The same interface for all options; a `PairwiseResolution` where all pairs of agents are compared.

    Raises
    ------
    UsageError
        When options exclude each other, or a name is unknown.
    DataError
        When the evidence cannot answer: no counts, fewer than two agents.

    See Also
    --------
    rank_sets : The rank sets alone, from scores and their covariance.
    tiers : A board in tiers, letters or groups.
    diff : What changed between two boards.
    win_matrix : The estimated win rate of every pair.
    core : The undominated set and its posterior probability.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> result = resolve(pairs)
    >>> print(result.answer)
    'ada' is certainly first of 3 agents by mean win rate (95 %).
    >>> result.test("bob > cyd").supported, result.test("cyd > bob").supported
    (True, False)
    """
    evidence = as_evidence(evidence)
    options = ResolveOptions(
        estimand=estimand,
        cluster=cluster,
        by=by,
        mix=mix,
        covariates=covariates,
        level=level,
        simultaneous=simultaneous,
        multiplicity=multiplicity,
        min_battles=min_battles,
        field=field,
        draws=draws,
        seed=seed,
        anytime=anytime,
        humans=humans,
        conventions=Conventions.of(**conventions),
    )
    return resolve_with(evidence, options)


def resolve_with(evidence: Evidence, options: ResolveOptions) -> Resolution:
    """Run `resolve` with options that are already checked."""
    options.conventions.refuse(("matrix", "pair_weight"), "a resolution, which compares pair by pair")
    options = with_roles(options, evidence)
    if options.humans:
        return _about_humans(evidence, options)
    if options.by is not None or options.mix is not None:
        return _by_contexts(evidence, options)
    if options.covariates:
        raise UsageError(
            "`covariates` go with contexts: name a column with `by`, or tasks with `mix`. Without contexts, `rank` by "
            "bradley_terry takes them."
        )
    profile = profile_of(evidence, options.conventions)
    if options.anytime:
        from beatpath.inference.resolve.anytime_resolution import anytime_resolution

        return anytime_resolution(profile, options)
    return resolve_profile(profile, options)


def _about_humans(evidence: Evidence, options: ResolveOptions) -> Resolution:
    """Resolve the votes of humans, with the other judges as control variates."""
    from beatpath.inference.judges.assisted import assisted, human_votes

    votes, options = human_votes(evidence, options), replace(options, estimand="mean_win_rate")
    resolution = resolve_profile(profile_of(votes, options.conventions), options)
    assert isinstance(resolution, PairwiseResolution)
    assert isinstance(evidence, Battles)
    board, worth = assisted(resolution.board, evidence, resolution.pairwise.settings["cluster"], options)
    ranks = ranked(board, options)
    return replace(
        resolution,
        ranks=ranks,
        first_probability=first_probability(board, resolution.matrix.part, seed=options.seed),
        worth=worth,
    )


def _by_contexts(evidence: Evidence, options: ResolveOptions) -> Resolution:
    """Resolve by context: the column named by `by`, or tasks."""
    from beatpath.inference.contexts.context_data import with_contexts
    from beatpath.inference.resolve.context_resolution import BY, resolve_contexts

    if options.anytime:
        raise UsageError("`anytime` does not take contexts; leave it out, or leave out `by` and `mix`.")
    by = BY if options.by is None else options.by
    evidence, column = (evidence, by) if isinstance(by, str) else with_contexts(evidence, by)
    with threads_for(len(evidence.agents)):
        return resolve_contexts(evidence, column, options)


def resolve_profile(profile: Profile, options: ResolveOptions) -> PairwiseResolution | LongBoard:
    """Resolve a profile: rank the agents with enough data and list the others apart; see `resolve`."""
    _require_several_scores(profile)
    with threads_for(len(profile.agents)):
        placed, field = placed_profile(profile)
        if placed is profile or options.field == ALL or isinstance(options.estimand, Mapping):
            return _pairwise_or_long(profile, options)
        resolution = _pairwise_or_long(placed, options)
        return replace(resolution, unplaced=_unplaced(profile, field, resolution, options))


def _require_several_scores(profile: Profile) -> None:
    """Raise an error if every agent has one score, or several that nothing tells apart."""
    scores = profile.scores
    if scores is None or len(scores.voters(profile.unit).levels) > 1:
        return
    most = int(np.bincount(scores.agent).max(initial=0))
    if most > 1:
        raise DataError(
            f"scores must say which task, item or run they are of; agents here have up to {most:,}, and no column says so. "
            "`runs` compares their means; or name the column, `--map replicate=COLUMN`."
        )
    raise DataError(
        "uncertainty needs several scores of every agent; these agents have one each, which does not show how much of it is "
        "chance. Use the scores of single tasks, items or runs, in a row or column each; `rank` orders the agents as they are."
    )


def _pairwise_or_long(profile: Profile, options: ResolveOptions) -> PairwiseResolution | LongBoard:
    """Compare all pairs up to `COMPARED` agents; beyond that, build a `LongBoard`."""
    if len(profile.agents) <= COMPARED:
        return _resolved(profile, options)
    from beatpath.inference.resolve.long_board import long_board

    return long_board(profile, replace(options, estimand=estimand_for(profile.evidence.kind, options.estimand)))


def _unplaced(
    profile: Profile, field: Field, resolution: PairwiseResolution | LongBoard, options: ResolveOptions
) -> tuple[Unplaced, ...]:
    """Score the agents with too little data against the field; NaN where that is not possible."""
    names = [name for name, placed in zip(profile.agents, field.placed.tolist(), strict=True) if not placed]
    battles, nothing = dict(zip(profile.agents, field.number.astype(np.int64).tolist(), strict=True)), (np.nan,) * 3
    known = dict.fromkeys(names, nothing)
    if len(profile.agents) <= COMPARED and isinstance(resolution, PairwiseResolution):
        known |= _against_field(profile, resolution, options)
    return tuple(Unplaced(name, battles[name], *known[name]) for name in names)


def _against_field(
    profile: Profile, resolution: PairwiseResolution, options: ResolveOptions
) -> dict[str, tuple[float, float, float]]:
    """Return score, lower and upper bound of every agent against the field."""
    estimand = resolution.board.settings.get("estimand")
    if estimand == "mean_score":
        board = mean_scores(profile.evidence, profile.chosen, options.cluster)
    elif estimand == "mean_win_rate":
        pairwise = estimate_of_profile(profile, options.cluster)
        matrix = matrix_of_profile(profile, pairwise)
        board = scores_from(pairwise, dict.fromkeys(resolution.agents, 1.0), matrix=matrix)
    else:
        board = _resolved(profile, replace(options, multiplicity="bonferroni")).board
    low, high = score_intervals(board, bonferroni(options.level, 2))
    return dict(zip(board.agents, zip(*(x.tolist() for x in (board.score, low, high)), strict=True), strict=True))


def _resolved(profile: Profile, options: ResolveOptions) -> PairwiseResolution:
    """Run every analysis in turn: win rates, scores, rank sets, cycles; a Bradley-Terry model is fitted when it is first read."""
    estimand = estimand_for(profile.evidence.kind, options.estimand)
    doing("counting the battles of every pair")
    cluster = AUTO if of_runs(estimand, options.cluster) else options.cluster
    pairwise = estimate_of_profile(profile, cluster, weighed=estimand != "as_sampled")
    matrix = matrix_of_profile(profile, pairwise)
    board = _board(profile, options, estimand, pairwise, matrix)
    unused = _unused_note(profile.evidence, pairwise)
    board = replace(board, notes=(*lower_noted(profile.scores), *_runs_note(profile, board), *unused, *board.notes))
    doing("computing rank sets")
    with _partial_on_interrupt(lambda: ranked(board, replace(options, multiplicity="bonferroni")), AFTER_SCORES):
        ranks = ranked(board, options)
    with _partial_on_interrupt(lambda: ranks, AFTER_RANKS):
        level = options.level
        doing("looking for cycles")
        return PairwiseResolution(
            ranks,
            _amount_by_agent(profile, pairwise),
            pairwise,
            matrix,
            majorities(matrix, pairwise, level, "" if takes_estimate(profile) else profile.unit, profile.wins),
            first_probability(ranks.board, matrix.part, seed=options.seed),
            cycles(pairwise, level=level, min_battles=options.min_battles),
            profile.evidence.kind,
            _adaptive_sampling_note(profile.evidence, level) if options.schedule else "",
            panel=_panel(profile, pairwise, options),
        )


def _panel(profile: Profile, pairwise: WinRateEstimate, options: ResolveOptions) -> Panel | None:
    """Return the alternative inference for few judges or tasks: fixed where the board is random, and vice versa."""
    named = {one.name: one.n_clusters for one in pairwise.clusterings if one.sign > 0}
    few = {name: number for name, number in named.items() if number < FEW_CLUSTERS}
    if options.cluster != AUTO:
        return None
    if profile.scores is not None:
        return _panel_of_runs(profile, pairwise, options)
    if not (few or pairwise.fixed) or not isinstance(profile.source, Battles | Pairs):
        return None
    column = next(iter(few), None) or pairwise.fixed[0]
    clusters = tuple(name for name in named if name not in few) if few else (*pairwise.fixed, *named)[:2]
    estimand = estimand_for(profile.evidence.kind, options.estimand)
    other = estimate_of_profile(profile, clusters or None, weighed=estimand != "as_sampled")
    matrix = matrix_of_profile(profile, other)
    board = _board(profile, replace(options, cluster=clusters), estimand, other, matrix)
    levels = few or {column: len(factors_of(profile.source)[column].levels)}
    return Panel({_noun(profile, name): n for name, n in levels.items()}, ranked(board, options), fixed=bool(few))


def _panel_of_runs(profile: Profile, pairwise: WinRateEstimate, options: ResolveOptions) -> Panel | None:
    """Return what holds for these few runs (seeds, judges of scores) where scores depend on them."""
    scores, estimand = profile.scores, estimand_for("scores", options.estimand)
    effects = None if scores is None else run_effects(scores, profile.unit)
    if scores is None or effects is None or not effects.matter or effects.labels >= FEW_CLUSTERS:
        return None
    if estimand not in ("mean_score", "mean_win_rate"):
        return None
    alike = replace(scores, factors={name: one for name, one in scores.factors.items() if name != "replicate"})
    matrix = matrix_of_profile(profile, pairwise)
    board = _board(profile_of(alike, options.conventions), options, estimand, pairwise, matrix)
    return Panel({effects.name: effects.labels}, ranked(board, options), fixed=True)


def _noun(profile: Profile, name: str) -> str:
    """Return what one level of a column is called: of clusters, the name of their column in the file if it is a word."""
    reading = profile.source.reading
    return name if reading is None or name != "cluster" else reading.noun(name, name)


@contextmanager
def _partial_on_interrupt(partial: Callable[[], RankSets], left: str) -> Iterator[None]:
    """On Ctrl-C, hand over the partial result if the caller accepts one."""
    try:
        yield
    except KeyboardInterrupt:
        if not partly():
            raise
        raise Interrupted(partial(), left) from None


def _amount_by_agent(profile: Profile, pairwise: WinRateEstimate) -> Ints:
    """Count the battles, ballots, tasks or items of every agent."""
    n = len(pairwise.agents)
    if profile.scores is not None:
        return np.isfinite(profile.scores.table(profile.unit)[0]).sum(axis=1)
    if isinstance(profile.evidence, Ballots):
        return times_met(profile.evidence).astype(np.int64)
    total = np.bincount(pairwise.a, pairwise.battles, n) + np.bincount(pairwise.b, pairwise.battles, n)
    return total.astype(np.int64)


def _board(
    profile: Profile,
    options: ResolveOptions,
    estimand: Estimand,
    pairwise: WinRateEstimate,
    matrix: WinMatrix,
) -> Leaderboard:
    """Return the scores; mean win rates with a note where mean scores are the default but not defined."""
    if of_runs(estimand, options.cluster):
        doing("resampling runs and tasks")
        return run_board(profile.evidence, str(estimand), profile.chosen, options.cluster, seed=options.seed)
    if estimand != "mean_score":
        met = (len(pairwise.agents), pairwise.a, pairwise.b, pairwise.battles)
        hubs = hubs_of(*met) if options.estimand == AUTO else ()
        board = scores_from(pairwise, estimand, matrix=matrix, hubs=hubs)
        return _with_run_effects(board, profile) if estimand == "mean_win_rate" and not hubs else board
    by_default = options.estimand == AUTO
    why = _why_no_mean_scores(profile) if by_default else ""
    if not why:
        try:
            return mean_scores(profile.evidence, profile.chosen, options.cluster)
        except DataError as error:
            if not by_default:
                raise
            why = str(error)
    board = _with_run_effects(scores_from(pairwise, "mean_win_rate", matrix=matrix), profile)
    return replace(board, notes=(Caution(f"Scores are win rates and not mean scores: {why}"), *board.notes))


def _with_run_effects(board: Leaderboard, profile: Profile) -> Leaderboard:
    """Return mean win rates of a table with the variance of runs that are better on all tasks than others."""
    effects = None if profile.scores is None else effects_on_win_rates(profile.scores, profile.chosen)
    if effects is None or not effects.matter:
        return board
    n = len(board.agents)
    opposed = (np.eye(n) * n - 1) / (n - 1)  # a good run of one agent lowers the win rates of the others
    added = AddedVariance(np.diag(whole := opposed @ effects.added.covariance() @ opposed.T), effects.added.df)
    added = added._replace(between=whole - np.diag(added.variance))
    df = added.degrees_of_differences(of_differences(board.covariance), board.df)
    return replace(board, covariance=board.covariance + whole, df=df, notes=(*board.notes, effects.column.note))


def _why_no_mean_scores(profile: Profile) -> str:
    """Return why mean scores are not the default here, or an empty string where they are."""
    scores = profile.scores
    if scores is None or one_unit(scores.table(profile.unit)[0]):
        return ""
    return (
        "a few tasks with large numbers would dominate the means. `--zero` and `--one` rescale scores between two agents, such as "
        "random and human; `--estimand mean_score` uses the means as they are."
    )


def _runs_note(profile: Profile, board: Leaderboard) -> tuple[str, ...]:
    """Explain how several runs of an agent on a task enter, and which question that answers."""
    number = "" if profile.scores is None else runs_note(profile.scores, profile.chosen)
    if not number or profile.scores is None:
        return ()
    per, estimand = profile.unit, board.settings.get("estimand")
    if estimand in RUN_ESTIMANDS or board.settings.get("cluster") == ["run"]:
        return (f"There are {number}.",)
    compared = "every run of one agent is compared with every run of the other"
    how = "each counts by its mean" if estimand == "mean_score" else compared
    these = f"`--cluster replicate --estimand mean_score` (or iqm) is for other runs on these {per}s"
    note = f"There are {number}: {how}, and results are for {per}s like these. {these}."
    effects = None if estimand in ("mean_score", "mean_win_rate") else run_effects(profile.scores, per)
    if effects is None or not effects.matter:
        return (note,)
    better = f"Some runs are better on all {per}s than others (p = {effects.p_value:.2g} if none are)"
    do = "standard errors do not allow for it, those of `--estimand mean_score` and mean_win_rate do"
    return note, Caution(f"{better}; {do}.")


def _unused_note(evidence: Evidence, pairwise: WinRateEstimate) -> tuple[str, ...]:
    """Name the columns of battles or ballots that count as independent by which they might be clustered."""
    unused = evidence.reading.unused if evidence.reading is not None and isinstance(evidence, Battles | Ballots) else ()
    if not unused or any(one.name != "ballot" for one in pairwise.clusterings):
        return ()
    option = f"`--cluster {shlex.quote(shown(unused[0], 200))}`"
    return (
        f"Standard errors use no column; without a role are {listed(unused, 5)}. If outcomes depend on one, name it: {option}.",
    )


def _adaptive_sampling_note(evidence: Evidence, level: float) -> str:
    """Warn where the order of battles shows that outcomes influenced which pairs were compared."""
    if not isinstance(evidence, Battles):
        return ""
    test = adaptive_sampling(evidence)
    if test is None or test.p_value > 1 - level:
        return ""
    seems = f"Pairs seem to have been chosen by earlier outcomes (p = {test.p_value:.2g}): {test.sign}."
    return f"{seems} What is called certain assumes that they were not."
