"""`resolve`: what the data resolve, from counts to a verdict."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._progress import Interrupted, doing, partly
from beatpath._threads import threads_for
from beatpath.evidence import Battles, Evidence, Pairs
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.scores import lower_noted
from beatpath.evidence_design.columns import factors_of
from beatpath.evidence_design.field import Field, field_of, hubs_of, placed_evidence
from beatpath.inference.contexts.context_data import with_contexts
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of_profile
from beatpath.inference.options import ALL, AUTO, Estimand, ResolveOptions
from beatpath.inference.ranking.rank import takes_estimate
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.rank_sets import RankSets, ranked, score_intervals
from beatpath.inference.resolve.majorities import majorities
from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution, Panel
from beatpath.inference.resolve.resolution import Resolution, Unplaced
from beatpath.inference.resolve.who_is_first import first_probability
from beatpath.inference.runs.run_board import RUN_ESTIMANDS, run_board
from beatpath.inference.runs.runs import runs_note
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.scores.estimands import estimand_for, of_runs, scores_from
from beatpath.inference.scores.mean_scores import mean_scores
from beatpath.inference.win_rates.estimate import COMPARED, FEW_CLUSTERS, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.run import require_evidence
from beatpath.stats.one_unit import one_unit
from beatpath.stats.steering import steering

if TYPE_CHECKING:
    from beatpath.inference.resolve.long_board import LongBoard

AFTER_RANKS = "majorities, cycles and the fit of a Bradley-Terry model"
AFTER_SCORES = f"a simulation that narrows rank sets, {AFTER_RANKS}"
OPPOSED_AGENTS = 300  # up to whom the scores are held against strengths on one scale


def resolve(
    evidence: Evidence,
    *,
    estimand: str | Mapping[str, float] = AUTO,
    cluster: str | Sequence[str] | None = "auto",
    by: str | Mapping[str, Sequence[str]] | None = None,
    mix: Mapping[str, float] | None = None,
    covariates: str | Sequence[str] = (),
    level: float = 0.95,
    simultaneous: bool = True,
    method: str = "step-down",
    min_battles: int = 20,
    field: str = AUTO,
    draws: int = 20_000,
    seed: int = 0,
    anytime: bool = False,
    **conventions: Unpack[ConventionOptions],
) -> Resolution:
    """Say who is certainly above whom, who is tied, which cycles survive the noise, and whether one scale is fair.

    More than 2,000 agents get a `LongBoard`: scores with intervals, and the ranks that these leave.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
        With counts; margins and win rates alone do not say how sure one may be.
    estimand : {"auto", "mean_win_rate", "mean_score", "as_sampled", "bradley_terry"}, one of runs, or mapping of agent to float
        What a score is: the mean win rate against every other agent, met or not; the mean score over the tasks of a table;
        the share of battles won; the strength on one scale; the mean win rate against opponents that weigh as given. Of the
        runs of a table also ``iqm``, ``median``, ``optimality_gap`` and ``probability_of_improvement``. By default the mean
        score of tables of scores, the mean win rate of everything else.
    cluster : str, two of them, None or "auto"
        The column whose battles belong together (prompt, session, judge); two give two-way clustering. None takes battles
        as independent, "auto" the column ``cluster`` where there is one, and of task and judge those that outcomes are seen to
        depend on, two columns at most. Of runs, ``task`` asks about tasks like these, ``replicate`` about other runs on these
        tasks, both about tasks and then runs within them.
    by : str or mapping of context to tasks, optional
        A column of battles or scores that tells contexts apart, or the tasks of every context: boards for every context, drawn
        towards the whole as far as contexts are alike, and for a mixture of them, in a `ContextResolution`.
    mix : mapping of context to float, optional
        Weights of the mixture, of which only ratios count; by default contexts weigh as many battles, or tasks, as they have.
        Without `by` contexts are tasks.
    covariates : str or sequence of str
        With contexts: numeric columns of battles, or ``left - right`` of two, at equal values of which agents are compared
        ("style control"); as for the method `bradley_terry`.
    level : float
        Confidence, between 0 and 1.
    simultaneous : bool
        Whether the sets of ranks of all agents hold at once, or each by itself.
    method : {"step-down", "max-t", "bonferroni"}
        How many comparisons at once are allowed for; see `rank_sets`.
    min_battles : int
        Battles that a pair needs to be an edge of a cycle.
    field : {"auto", "all"}
        By default agents with fewer than ten independent battles, or tasks, are scored against the others and listed apart from the
        board, where they would widen every interval; ``all`` places everybody.
    draws, seed : int
        Of the simulation that finds critical values.
    anytime : bool
        Whether statements must hold at every look at once, and for battles whose schedule may have followed the outcomes;
        gives an `AnytimeResolution`. Only `level` and conventions go with it.
    **conventions
        As for `rank`: ties, both_bad, unranked, missing, per, tolerance, weights.

    Returns
    -------
    Resolution
        One interface whatever the options; a `PairwiseResolution` of agents that are compared pair by pair.

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
    require_evidence(evidence)
    options = ResolveOptions(
        estimand=estimand,
        cluster=cluster,
        by=by,
        mix=mix,
        covariates=covariates,
        level=level,
        simultaneous=simultaneous,
        method=method,
        min_battles=min_battles,
        field=field,
        draws=draws,
        seed=seed,
        anytime=anytime,
        conventions=Conventions.of(**conventions),
    )
    return resolve_with(evidence, options)


def resolve_with(evidence: Evidence, options: ResolveOptions) -> Resolution:
    """Say what the data resolve; see `resolve`."""
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


def _by_contexts(evidence: Evidence, options: ResolveOptions) -> Resolution:
    from beatpath.inference.resolve.context_resolution import BY, resolve_contexts

    if options.anytime:
        raise UsageError("`anytime` does not take contexts; leave it out, or leave out `by` and `mix`.")
    by = BY if options.by is None else options.by
    evidence, column = (evidence, by) if isinstance(by, str) else with_contexts(evidence, by)
    return resolve_contexts(evidence, column, options)


def resolve_profile(profile: Profile, options: ResolveOptions) -> "PairwiseResolution | LongBoard":
    """Say what a profile resolves of the agents with enough data; see `resolve`."""
    with threads_for(len(profile.agents)):
        field = field_of(profile.evidence)
        if field.placed.all() or options.field == ALL or isinstance(options.estimand, Mapping):
            return _pairwise_or_long(profile, options)
        resolution = _pairwise_or_long(
            profile_of(placed_evidence(profile.evidence, field), options.conventions), options
        )
        return replace(resolution, unplaced=_unplaced(profile, field, resolution, options))


def _pairwise_or_long(profile: Profile, options: ResolveOptions) -> "PairwiseResolution | LongBoard":
    if len(profile.agents) <= COMPARED:
        return _resolved(profile, options)
    from beatpath.inference.resolve.long_board import long_board

    return long_board(profile, replace(options, estimand=estimand_for(profile.evidence.kind, options.estimand)))


def _unplaced(
    profile: Profile, field: Field, resolution: "PairwiseResolution | LongBoard", options: ResolveOptions
) -> tuple[Unplaced, ...]:
    """The agents with too little data, scored against the field as far as that can be done."""
    names = [name for name, placed in zip(profile.agents, field.placed.tolist(), strict=True) if not placed]
    battles, nothing = dict(zip(profile.agents, field.number.astype(np.int64).tolist(), strict=True)), (np.nan,) * 3
    known = dict.fromkeys(names, nothing)
    if len(profile.agents) <= COMPARED and isinstance(resolution, PairwiseResolution):
        known |= _against_field(profile, resolution, options)
    return tuple(Unplaced(name, battles[name], *known[name]) for name in names)


def _against_field(
    profile: Profile, resolution: PairwiseResolution, options: ResolveOptions
) -> dict[str, tuple[float, float, float]]:
    """Score and interval of every agent against the field."""
    if resolution.board.settings.get("estimand") == "mean_win_rate":
        pairwise = estimate_of_profile(profile, options.cluster)
        board = scores_from(
            pairwise, dict.fromkeys(resolution.agents, 1.0), matrix=matrix_of_profile(profile, pairwise)
        )
    else:
        board = _resolved(profile, replace(options, method="bonferroni")).board
    low, high = score_intervals(board, bonferroni(options.level, 2))
    return dict(zip(board.agents, zip(*(x.tolist() for x in (board.score, low, high)), strict=True), strict=True))


def _resolved(profile: Profile, options: ResolveOptions) -> PairwiseResolution:
    """One question after another."""
    estimand = estimand_for(profile.evidence.kind, options.estimand)
    doing("counting the battles of every pair")
    cluster = AUTO if of_runs(estimand, options.cluster) else options.cluster
    pairwise = estimate_of_profile(profile, cluster, weighed=estimand != "as_sampled")
    doing("fitting a Bradley-Terry model")
    projection, why = _projection(profile, pairwise, options)
    matrix = matrix_of_profile(profile, pairwise)
    board = _board(profile, options, estimand, pairwise, projection, matrix)
    board = replace(board, notes=(*lower_noted(profile.scores), *_runs_noted(profile, board), *board.notes))
    doing("computing rank sets")
    with _partly(lambda: ranked(board, replace(options, method="bonferroni")), AFTER_SCORES):
        ranks = ranked(board, options)
    with _partly(lambda: ranks, AFTER_RANKS):
        resolution = _beyond_ranks(profile, pairwise, projection, why, matrix, ranks, options)
        return replace(resolution, panel=_panel(profile, pairwise, options))


def _panel(profile: Profile, pairwise: WinRateEstimate, options: ResolveOptions) -> Panel | None:
    """The other reading of a few judges or tasks: as they are where the board is about others like them, and the reverse."""
    named = {one.name: one.n_clusters for one in pairwise.clusterings if one.sign > 0}
    few = {name: number for name, number in named.items() if number < FEW_CLUSTERS}
    if options.cluster != AUTO or not (few or pairwise.fixed) or not isinstance(profile.source, Battles | Pairs):
        return None
    column = next(iter(few), None) or pairwise.fixed[0]
    clusters = tuple(name for name in named if name not in few) if few else (*pairwise.fixed, *named)[:2]
    estimand = estimand_for(profile.evidence.kind, options.estimand)
    other = estimate_of_profile(profile, clusters or None, weighed=estimand != "as_sampled")
    matrix = matrix_of_profile(profile, other)
    board = _board(profile, replace(options, cluster=clusters), estimand, other, None, matrix)
    levels = few or {column: len(factors_of(profile.source)[column].levels)}
    return Panel(levels, ranked(board, options), fixed=bool(few))


@contextmanager
def _partly(partial: Callable[[], RankSets], left: str) -> Iterator[None]:
    """Hand on what was found so far where a person interrupts and part of an answer is requested."""
    try:
        yield
    except KeyboardInterrupt:
        if not partly():
            raise
        raise Interrupted(partial(), left) from None


def _beyond_ranks(
    profile: Profile,
    pairwise: WinRateEstimate,
    projection: Projection | None,
    why: str,
    matrix: WinMatrix,
    ranks: RankSets,
    options: ResolveOptions,
) -> PairwiseResolution:
    """All that is said besides the ranks that are open."""
    level, on_one_scale = options.level, _on_one_scale(ranks, projection, options)
    doing("looking for cycles")
    return PairwiseResolution(
        ranks,
        _battles_by_agent(pairwise),
        pairwise,
        matrix,
        majorities(matrix, pairwise, level, "" if takes_estimate(profile) else _unit(profile)),
        first_probability(ranks.board, matrix.part, seed=options.seed),
        cycles(pairwise, level=level, min_battles=options.min_battles),
        projection,
        why,
        on_one_scale,
        _opposed(ranks, on_one_scale),
        profile.evidence.kind,
        _steered(profile.evidence, level) if options.schedule else "",
    )


def _battles_by_agent(pairwise: WinRateEstimate) -> Ints:
    n = len(pairwise.agents)
    total = np.bincount(pairwise.a, pairwise.battles, n) + np.bincount(pairwise.b, pairwise.battles, n)
    return total.astype(np.int64)


def _unit(profile: Profile) -> str:
    """What is counted where majorities are."""
    if profile.scores is not None:
        return profile.scores.who_votes(profile.chosen.per)
    return "ballot" if profile.ballots is not None else "battle"


def _board(
    profile: Profile,
    options: ResolveOptions,
    estimand: Estimand,
    pairwise: WinRateEstimate,
    projection: Projection | None,
    matrix: WinMatrix,
) -> Leaderboard:
    """The scores; where a table has no mean scores and none were requested by name, mean win rates with the reason."""
    if of_runs(estimand, options.cluster):
        doing("resampling runs and tasks")
        return run_board(profile.evidence, str(estimand), profile.chosen, options.cluster, seed=options.seed)
    if estimand != "mean_score":
        hubs = hubs_of(len(pairwise.agents), pairwise.a, pairwise.b) if options.estimand == AUTO else ()
        return scores_from(pairwise, estimand, projection=projection, matrix=matrix, hubs=hubs)
    by_default = options.estimand == AUTO
    why = _no_means(profile) if by_default else ""
    if not why:
        try:
            return mean_scores(profile.evidence, profile.chosen, options.cluster)
        except DataError as error:
            if not by_default:
                raise
            why = str(error)
    board = scores_from(pairwise, "mean_win_rate", matrix=matrix)
    return replace(board, notes=(f"Scores are win rates and not mean scores: {why}", *board.notes))


def _no_means(profile: Profile) -> str:
    """Why means of scores are not what is asked unless they are named; nothing where they are."""
    scores = profile.scores
    if scores is None or one_unit(scores.table(scores.who_votes(profile.chosen.per))[0]):
        return ""
    return (
        "a few tasks with large numbers would dominate the means. `--zero` and `--one` rescale scores between two agents, such as "
        "random and human; `--estimand mean_score` uses the means as they are."
    )


def _runs_noted(profile: Profile, board: Leaderboard) -> tuple[str, ...]:
    """Say what becomes of several runs of an agent on a task, and which question that answers."""
    number = "" if profile.scores is None else runs_note(profile.scores, profile.chosen)
    if not number or profile.scores is None:
        return ()
    per, estimand = profile.scores.who_votes(profile.chosen.per), board.settings.get("estimand")
    if estimand in RUN_ESTIMANDS or board.settings.get("cluster") == ["run"]:
        return (f"There are {number}.",)
    how = (
        "each counts by its mean"
        if estimand == "mean_score"
        else "every run of one agent is compared with every run of the other"
    )
    these = f"`--cluster replicate --estimand mean_score` (or iqm) is for other runs on these {per}s"
    return (f"There are {number}: {how}, and results are for {per}s like these. {these}.",)


def _steered(evidence: Evidence, level: float) -> str:
    """Say where the order of battles speaks against the condition that outcomes did not steer who met whom."""
    if not isinstance(evidence, Battles):
        return ""
    test = steering(evidence)
    if test is None or test.p_value > 1 - level:
        return ""
    seems = f"Pairs seem to have been chosen by earlier outcomes (p = {test.p_value:.2g}): {test.sign}."
    return f"{seems} What is called certain holds only if they were not."


def _on_one_scale(ranks: RankSets, projection: Projection | None, options: ResolveOptions) -> RankSets | None:
    """The sets of ranks by strengths on one scale, where scores are something else and agents are few enough."""
    if (
        projection is None
        or ranks.board.settings.get("estimand") == "bradley_terry"
        or len(ranks.agents) > OPPOSED_AGENTS
    ):
        return None
    return ranked(projection.board, replace(options, method="bonferroni"))


def _opposed(ranks: RankSets, other: RankSets | None) -> tuple[tuple[str, str], ...]:
    """Pairs of agents of whom the scores call the first certainly above the second, and strengths on one scale the reverse."""
    if other is None:
        return ()
    return tuple((ranks.agents[i], ranks.agents[j]) for i, j in np.argwhere(ranks.above & other.above.T).tolist())


def _projection(profile: Profile, pairwise: WinRateEstimate, options: ResolveOptions) -> tuple[Projection | None, str]:
    """The Bradley-Terry projection, or why there is none."""
    try:
        fitted = _fitted(profile, pairwise)
        return bradley_terry_projection(pairwise, level=options.level, seed=options.seed, strength=fitted), ""
    except DataError as error:
        return None, str(error)


def _fitted(profile: Profile, pairwise: WinRateEstimate) -> Floats | None:
    """Strengths that the profile's own counts gave before, where these are the counts behind the win rates."""
    if "bradley_terry" not in profile.rankings or profile.settled is None:
        return None
    counts, won = profile.settled.counts, pairwise.rate * pairwise.weight
    same = (
        len(counts) == len(won) and np.allclose(counts[:, 0], won) and np.allclose(counts.sum(axis=1), pairwise.weight)
    )
    fitted = np.array(list(profile.rankings["bradley_terry"].scores.values()))
    return fitted if same and np.isfinite(fitted).all() else None
