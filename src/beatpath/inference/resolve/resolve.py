"""`resolve`: what the data resolve, from counts to a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._progress import Interrupted, doing, partly
from beatpath._threads import threads_for
from beatpath.evidence import Battles, Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.contexts.context_data import with_contexts
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of_profile
from beatpath.inference.ranking.estimated import takes_estimate
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.resolve.first_place import first_probability
from beatpath.inference.resolve.majorities import majorities
from beatpath.inference.resolve.resolution import Resolution
from beatpath.inference.runs.run_board import RUN_ESTIMANDS, run_board
from beatpath.inference.runs.runs import runs_said
from beatpath.inference.scale.projection import Projection, bradley_terry_projection
from beatpath.inference.scores.estimands import AUTO, estimand_for, of_runs, scores_from
from beatpath.inference.scores.mean_scores import mean_scores, one_unit
from beatpath.inference.win_rates.estimate import COMPARED, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.run import require_evidence
from beatpath.stats.steering import steering

if TYPE_CHECKING:
    from beatpath.inference.resolve.anytime_resolution import AnytimeResolution
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard

AFTER_RANKS = "majorities, circles and whether one scale is fair"
AFTER_SCORES = f"a simulation that makes the ranges of ranks narrower, {AFTER_RANKS}"
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
    draws: int = 20_000,
    seed: int = 0,
    anytime: bool = False,
    **conventions: Unpack[ConventionOptions],
) -> "Resolution | LongBoard | AnytimeResolution | ContextResolution":
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
    draws, seed : int
        Of the simulation that finds critical values.
    anytime : bool
        Whether what is said must hold at every look at once, and for battles whose schedule may have followed the outcomes;
        gives an `AnytimeResolution`. Only `level` and conventions go with it.
    **conventions
        As for `rank`: ties, both_bad, unranked, missing, per, tolerance, weights.

    Returns
    -------
    Resolution, LongBoard, AnytimeResolution or ContextResolution

    Examples
    --------
    >>> from beatpath import Pairs
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])
    >>> found = resolve(told)
    >>> print(found.answer)
    'ada' is certainly first of 3 agents by mean win rate (95 %).
    >>> found.test("bob > cyd").supported
    False
    """
    require_evidence(evidence)
    chosen = Conventions.of(**conventions)
    told: dict[str, Any] = {"estimand": estimand, "cluster": cluster, "level": level, "seed": seed}
    simulated: dict[str, Any] = {"simultaneous": simultaneous, "method": method, "draws": draws}
    if by is not None or mix is not None:
        if anytime:
            raise UsageError(
                "what holds at every look is worked out for the whole; leave `anytime` out, or `by` and `mix`."
            )
        from beatpath.inference.resolve.context_resolution import BY, resolve_contexts

        evidence, by = (evidence, by) if by is None or isinstance(by, str) else with_contexts(evidence, by)
        return resolve_contexts(
            evidence, BY if by is None else by, mix, chosen=chosen, covariates=covariates, **told, **simulated
        )
    if covariates:
        raise UsageError(
            "`covariates` go with contexts: name a column with `by`, or tasks with `mix`. For the whole, rank with the method "
            "bradley_terry takes them."
        )
    profile = profile_of(evidence, chosen)
    if anytime:
        from beatpath.inference.resolve.anytime_resolution import anytime_resolution

        _require_plain(estimand, cluster, level)
        return anytime_resolution(profile, level=level)
    if len(evidence.agents) > COMPARED:
        from beatpath.inference.resolve.long_board import long_board

        return long_board(profile, **{**told, "estimand": estimand_for(evidence.kind, estimand)})
    return resolve_profile(profile, min_battles=min_battles, **told, **simulated)


def resolve_profile(
    profile: Profile,
    *,
    estimand: str | Mapping[str, float] = AUTO,
    cluster: str | Sequence[str] | None = "auto",
    level: float = 0.95,
    simultaneous: bool = True,
    method: str = "step-down",
    min_battles: int = 20,
    draws: int = 20_000,
    seed: int = 0,
    schedule: bool = True,
) -> Resolution:
    """Say what a profile resolves; see `resolve`. Win rates, strengths and their lack of fit are worked out once.

    `schedule` says whether to ask as well if outcomes steered who met whom; part of the battles is asked with the whole.
    """
    if not 0 < level < 1:
        raise UsageError(f"`level` must lie between 0 and 1; got {level!r}: use 0.95 for a confidence of 95 %.")
    if min_battles < 1:
        raise UsageError(f"`min_battles` must be at least 1; got {min_battles!r}.")
    told = {"level": level, "simultaneous": simultaneous, "method": method, "draws": draws, "seed": seed}
    with threads_for(len(profile.agents)):
        return _resolved(profile, estimand, cluster, min_battles, told, schedule)


def _resolved(
    profile: Profile,
    estimand: str | Mapping[str, float],
    cluster: str | Sequence[str] | None,
    min_battles: int,
    told: dict[str, Any],
    schedule: bool,
) -> Resolution:
    """One question after another; `told` is what `rank_sets` is told."""
    level, seed = told["level"], told["seed"]
    asked = estimand_for(profile.evidence.kind, estimand)
    doing("counting the battles of every pair")
    pairwise = estimate_of_profile(profile, "auto" if of_runs(asked, cluster) else cluster)
    doing("fitting one scale")
    projection, why = _projection(profile, pairwise, level, seed)
    matrix = matrix_of_profile(profile, pairwise)
    board = _board(profile, cluster, asked, pairwise, projection, matrix, seed, by_default=estimand == AUTO)
    board = replace(board, notes=(*_runs_noted(profile, board), *board.notes))
    doing("finding which ranks are open")
    try:
        ranks = rank_sets(board, **told)
    except KeyboardInterrupt:
        if not partly():
            raise
        raise Interrupted(rank_sets(board, **{**told, "method": "bonferroni"}), AFTER_SCORES) from None
    try:
        return _beyond_ranks(profile, pairwise, projection, why, matrix, ranks, min_battles, told, schedule)
    except KeyboardInterrupt:
        if not partly():
            raise
        raise Interrupted(ranks, AFTER_RANKS) from None


def _beyond_ranks(
    profile: Profile,
    pairwise: WinRateEstimate,
    projection: Projection | None,
    why: str,
    matrix: WinMatrix,
    ranks: RankSets,
    min_battles: int,
    told: dict[str, Any],
    schedule: bool,
) -> Resolution:
    """All that is said besides the ranks that are open."""
    level, seed, board = told["level"], told["seed"], ranks.board
    on_one_scale = _on_one_scale(ranks, projection, told)
    doing("looking for circles")
    return Resolution(
        ranks,
        pairwise,
        matrix,
        majorities(matrix, pairwise, level, "" if takes_estimate(profile) else _unit(profile)),
        first_probability(board, matrix.part, seed=seed),
        cycles(pairwise, level=level, min_battles=min_battles),
        projection,
        why,
        on_one_scale,
        _opposed(ranks, on_one_scale),
        {"min_battles": min_battles, "kind": profile.evidence.kind},
        _steered(profile.evidence, level) if schedule else "",
    )


def _require_plain(estimand: str | Mapping[str, float], cluster: str | Sequence[str] | None, level: float) -> None:
    """Refuse what goes with one look only."""
    if not 0 < level < 1:
        raise UsageError(f"`level` must lie between 0 and 1; got {level!r}: use 0.95 for a confidence of 95 %.")
    if estimand not in (AUTO, "mean_win_rate"):
        raise UsageError(
            f"`anytime` is about mean win rates; `estimand` must be left out or mean_win_rate; got {estimand!r}."
        )
    if cluster not in (None, "auto"):
        raise UsageError(f"`anytime` takes battles one by one; `cluster` must be left out; got {cluster!r}.")


def _unit(profile: Profile) -> str:
    """What is counted where majorities are."""
    if profile.scores is not None:
        return profile.scores.who_votes(profile.chosen.per)
    return "ballot" if profile.ballots is not None else "battle"


def _board(
    profile: Profile,
    cluster: str | Sequence[str] | None,
    estimand: str | Mapping[str, float],
    pairwise: WinRateEstimate,
    projection: Projection | None,
    matrix: WinMatrix,
    seed: int,
    *,
    by_default: bool,
) -> Leaderboard:
    """The scores; where a table has no mean scores and none were asked for by name, mean win rates with the reason."""
    if of_runs(estimand, cluster):
        doing("drawing runs and tasks again")
        return run_board(profile.evidence, str(estimand), profile.chosen, cluster, seed=seed)
    if estimand != "mean_score":
        return scores_from(pairwise, estimand, projection=projection, matrix=matrix)
    try:
        if (
            not by_default
            or profile.scores is None
            or one_unit(profile.scores.table(profile.scores.who_votes(profile.chosen.per))[0])
        ):
            return mean_scores(profile.evidence, profile.chosen, cluster)
        why = "a few tasks with large numbers would decide the means. `estimand` set to mean_score asks for them."
    except DataError as error:
        if not by_default:
            raise
        why = str(error)
    board = scores_from(pairwise, "mean_win_rate", matrix=matrix)
    return replace(board, notes=(f"Scores are win rates and not mean scores: {why}", *board.notes))


def _runs_noted(profile: Profile, board: Leaderboard) -> tuple[str, ...]:
    """Say what becomes of several runs of an agent on a task, and which question that answers."""
    number = "" if profile.scores is None else runs_said(profile.scores, profile.chosen)
    if not number or profile.scores is None:
        return ()
    per, asked = profile.scores.who_votes(profile.chosen.per), board.settings.get("estimand")
    if asked in RUN_ESTIMANDS or board.settings.get("cluster") == ["run"]:
        return (f"There are {number}.",)
    how = (
        "their means count"
        if asked == "mean_score"
        else "every run of one agent is compared with every run of the other"
    )
    these = f"`--cluster replicate --estimand mean_score` (or iqm) asks about these {per}s, had other runs been made"
    return (f"There are {number}: {how}, and whole {per}s might have been others. {these}.",)


def _steered(evidence: Evidence, level: float) -> str:
    """Say where the order of battles speaks against the condition that outcomes did not steer who met whom."""
    if not isinstance(evidence, Battles):
        return ""
    found = steering(evidence.a, evidence.b, evidence.outcome, evidence.time)
    if found is None or found.p_value > 1 - level:
        return ""
    seems = f"Outcomes seem to have steered who met whom (p = {found.p_value:.2g}): {found.sign}."
    return f"{seems} What is said to be certain holds only if they did not."


def _on_one_scale(ranks: RankSets, projection: Projection | None, told: Mapping[str, Any]) -> RankSets | None:
    """The sets of ranks by strengths on one scale, where scores are something else and agents are few enough."""
    if (
        projection is None
        or ranks.board.settings.get("estimand") == "bradley_terry"
        or len(ranks.agents) > OPPOSED_AGENTS
    ):
        return None
    return rank_sets(projection.board, **{**told, "method": "bonferroni"})


def _opposed(ranks: RankSets, other: RankSets | None) -> tuple[tuple[str, str], ...]:
    """Pairs of agents of whom the scores call the first certainly above the second, and strengths on one scale the reverse."""
    if other is None:
        return ()
    return tuple((ranks.agents[i], ranks.agents[j]) for i, j in np.argwhere(ranks.above & other.above.T).tolist())


def _projection(profile: Profile, pairwise: WinRateEstimate, level: float, seed: int) -> tuple[Projection | None, str]:
    """The Bradley-Terry projection, or why there is none."""
    try:
        return bradley_terry_projection(pairwise, level=level, seed=seed, strength=_fitted(profile, pairwise)), ""
    except DataError as error:
        return None, str(error)


def _fitted(profile: Profile, pairwise: WinRateEstimate) -> NDArray[np.float64] | None:
    """Strengths that the profile's own counts gave before, where these are the counts behind the win rates."""
    if "bradley_terry" not in profile.rankings or profile.settled is None:
        return None
    counts, won = profile.settled.counts, pairwise.rate * pairwise.weight
    same = (
        len(counts) == len(won) and np.allclose(counts[:, 0], won) and np.allclose(counts.sum(axis=1), pairwise.weight)
    )
    fitted = np.array(list(profile.rankings["bradley_terry"].scores.values()))
    return fitted if same and np.isfinite(fitted).all() else None
