"""How a method runs on resamples: the cheapest strategy that gives the same answer as running on the rows.

A strategy is a pure function of how often each part was drawn, so a block of resamples can be computed anywhere, and
again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._result import Delegate
from beatpath._text import quoted, shown
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Pairs, Scores
from beatpath.evidence.pairs import LOSS, TIE, WIN, win_matrix
from beatpath.fit.batched import SETTLED, TABLE, batched_strengths, shared_inverse
from beatpath.fit.newton import CONVERGED, Ended
from beatpath.fit.pairs import fits_a_table
from beatpath.inference.bootstrap.pair_cells import PairCells, ballot_cells, cluster_pair_cells, resampled_pairs
from beatpath.inference.bootstrap.resampling import Resampling, ballot_units, row_units, score_units
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry, on_scale, rating_levels
from beatpath.methods.rating.elo import COMPILE, compiled_steps, in_turn
from beatpath.methods.registry import METHODS
from beatpath.methods.result import EXACT, LOCAL, Outcome, Ranking, levels_by_score
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set

CORE = "core"  # the key of the core among methods
WITH_PRIOR = ("bradley_terry_firth", "bradley_terry_posterior", "bradley_terry_structured")  # always penalized
OF_COUNTS = ("borda", "black")  # methods on ballots for which pair counts suffice
NEEDED_COLUMNS = {"bradley_terry_judged": ("judge",)}  # columns that a method needs
# methods that use the score table, unless turned off
FROM_TASKS = frozenset({"nash_averaging", "alpha_rank", "deviation_ratings", "majority_judgment"})
WEIGHTED = frozenset({"majority_judgment"})  # methods that weight a task's scores by its ballot
SCALE = ("scale", "anchor", "anchor_rating")  # settings that only rescale Bradley-Terry strengths

T = TypeVar("T")
Failure = str
Function = Callable[..., Mapping[str, float] | Ranking]
Settings = Mapping[str, Any]
Cluster = str | Sequence[str] | None


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answer on one resample.

    Parameters
    ----------
    level : (n,) int
        0 for the best.
    score : (n,) float
        NaN where there is none.
    sets : mapping of name to (n,) bool
        Members, for methods that choose sets rather than rank.
    caveat : str, default ""
        A remark of the method on its answer.
    """

    level: Ints
    score: Floats
    sets: Mapping[str, Bools] = field(default_factory=dict)
    caveat: str = ""


def method_answer(key: str, settings: Settings, profile: Profile) -> Answer:
    """Return a method's answer on a profile."""
    if key == CORE:
        return core_answer(profile)
    outcome: Outcome = METHODS[key].function()(profile, **settings)
    caveat = "" if outcome.status in (EXACT, CONVERGED, LOCAL) else outcome.status
    return Answer(outcome.level, outcome.score, caveat=caveat)


def core_answer(profile: Profile) -> Answer:
    """Return the top cycle and the uncovered set; levels are in and out of the top cycle.

    >>> from beatpath import Pairs
    >>> result = core_answer(Profile(("ada", "bob"), Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])))
    >>> result.level, result.sets["uncovered_set"]
    (array([0, 1]), array([ True, False]))
    """
    top, uncovered = top_cycle(profile.margins), uncovered_set(profile.margins)
    level = np.where(top, 0, 1)
    return Answer(level, np.full(len(level), np.nan), {"top_cycle": top, "uncovered_set": uncovered})


def function_answer(function: Function, settings: Settings, evidence: Evidence) -> Answer:
    """Return the answer of a user's function: scores by agent, higher being better, or a ranking."""
    answer = function(evidence, **settings)
    if not isinstance(answer, Ranking | Mapping):
        raise UsageError(
            "`method` must be a method's key or a function that returns a score for every agent, by name, or a ranking; it "
            f"returned {type(answer).__name__}."
        )
    scores = answer.scores if isinstance(answer, Ranking) else answer
    lacking = [name for name in evidence.agents if name not in scores]
    if lacking:
        raise DataError(f"the function must score every agent; it gave none to {quoted(lacking[0])}.")
    score = np.array([float(scores[name]) for name in evidence.agents])
    if isinstance(answer, Ranking):
        place = {name: k for k, level in enumerate(answer.levels) for name in level}
        return Answer(np.array([place[name] for name in evidence.agents]), score, caveat=answer.caveat)
    if np.isnan(score).any():
        raise DataError(
            f"the function must score every agent; {quoted(evidence.agents[int(np.flatnonzero(np.isnan(score))[0])])} has NaN."
        )
    return Answer(levels_by_score(score), score)


def reason(error: Exception) -> str:
    """Return the first part of an error message, what must hold, by which failures are counted.

    >>> reason(DataError("there must be a path; here are 2 groups: {'x'}. Give a `prior`."))
    'there must be a path'
    """
    return shown(str(error).split(";")[0].split(". ")[0], 200)


@dataclass(frozen=True, slots=True, eq=False)
class Strategy(Generic[T]):
    """How resamples are built from draw counts, and how each is answered.

    Parameters
    ----------
    resample_text : str
        What a resample consists of, as text.
    resample : function of (parts,) int
        From how often every part is drawn to the evidence, or the profile, of the resample.
    answer : function of that
        Runs the method.
    """

    resample_text: str
    resample: Callable[[Ints], T]
    answer: Callable[[T], Answer]

    def answers(self, weights: Ints) -> Iterator[Answer | Failure]:
        """Yield an answer, or the reason why there is none, for each row of weights of shape (draws, parts)."""
        for taken in weights:
            try:
                yield self.answer(self.resample(taken))
            except DataError as error:
                yield reason(error)


@dataclass(frozen=True, slots=True, eq=False)
class FittedTogether:
    """Bradley-Terry on as many resamples together as fit into the CPU cache.

    The benchmark of 1,000 resamples of 100 agents in 1.06 CPU seconds needs it. Resamples too different from the
    whole, or without an estimate, are left to the method itself, `alone`.
    """

    alone: Strategy[Profile]
    cells: PairCells
    start: Floats
    inverse: Floats
    profile: Profile
    settings: Settings

    resample_text = Delegate[str]("alone.resample_text", "What a resample consists of, as text.")

    def answers(self, weights: Ints) -> Iterator[Answer | Failure]:
        """Yield the ratings of each resample."""
        height = max(1, TABLE // len(self.start) ** 2)
        for low in range(0, len(weights), height):
            yield from self._fit_together(weights[low : low + height])

    def _fit_together(self, weights: Ints) -> Iterator[Answer | Failure]:
        pairs, prior = self.cells.pairs, float(self.settings.get("prior", 0.0))
        won = self.cells.counts(weights) @ outcome_shares(self.profile.ties, self.profile.both_bad)
        wins = np.zeros((len(weights), len(self.start), len(self.start)))
        wins[:, pairs.a, pairs.b], wins[:, pairs.b, pairs.a] = won[..., WIN], won[..., LOSS]
        if self.profile.pair_weight != "count":
            met = wins + wins.transpose(0, 2, 1)
            wins = np.divide(wins, met, out=np.zeros_like(wins), where=met > 0)
        scale = {name: self.settings[name] for name in SCALE if name in self.settings}
        strength, settled = batched_strengths(wins, self.start, self.inverse, prior=prior)
        rest = self.alone.answers(weights[~settled])
        for one, here in zip(strength, settled, strict=True):
            if not here:
                yield next(rest)
            else:
                level, one = rating_levels(one, Ended(one, 0.0, 0, True, False, 0.0, np.full(1, SETTLED)))
                yield Answer(level, on_scale(one, self.profile.agents, **scale))


def outcome_shares(ties: str, both_bad: str) -> Floats:
    """Return what each outcome adds to the wins of the first and the second agent, (4, 2).

    >>> outcome_shares("half", "drop")
    array([[1. , 0. ],
           [0. , 1. ],
           [0.5, 0.5],
           [0. , 0. ]])
    """
    one_each = Pairs(("a", "b"), np.zeros(4, dtype=np.int32), np.ones(4, dtype=np.int32), np.eye(4))
    return one_each.two_way(ties=ties, both_bad=both_bad).counts[:, :TIE]


def strategy_of_method(
    profile: Profile, key: str, settings: Settings, cluster: Cluster, draws: int
) -> tuple[Strategy[Profile] | FittedTogether, Resampling]:
    """Return the cheapest strategy equivalent to the method on resampled rows, and what is resampled."""
    source, units, per, voter = profile.source, None, "", None
    if profile.scores is not None:
        per = next(one.value for one in source.conventions if one.name == "per")
        assert isinstance(source, Ballots)
        units, voter = _task_resampling(profile.scores, per, source, cluster)
    if isinstance(source, Ballots | Battles):
        scores = profile.scores if key in FROM_TASKS else None
        factors = {name: factor for name, factor in source.factors.items() if name in NEEDED_COLUMNS.get(key, ())}
        profile = replace(profile, source=replace(source, factors=factors), scores=scores)
    answer = partial(method_answer, key, settings)
    if from_counts(profile, key, settings):
        assert isinstance(source, Ballots | Battles | Pairs)
        if isinstance(source, Ballots):
            cells, units = ballot_cells(source, units, cluster)
        else:
            cells, units = cluster_pair_cells(source, cluster)
        slim = replace(profile, source=cells.pairs, scores=None)  # workers do not need the evidence that was counted
        counted = Strategy("pair counts", partial(_profile_of_counts, cells, slim), answer)
        return _fit_together(counted, cells, profile, slim, settings) if key == "bradley_terry" else counted, units
    if isinstance(source, Battles):
        compiled = key == "elo" and len(source) * draws >= COMPILE
        rows = partial(_resampled_profile, profile, compiled=compiled)
        return Strategy("rows repeated in place", rows, answer), row_units(source, cluster)
    assert isinstance(source, Ballots)
    voter = voter if key in FROM_TASKS else None
    ballots = partial(_resampled_profile, profile, per=per, voter=voter, once=key in WEIGHTED)
    return Strategy("ballots with other counts", ballots, answer), units or ballot_units(source, cluster)


def strategy_of_function(
    evidence: Evidence, function: Function, settings: Settings, per: str, cluster: Cluster
) -> tuple[Strategy[Any], Resampling]:
    """Return the strategy of a user's function, which gets evidence of the original kind, and what is resampled."""
    if isinstance(evidence, Pairs):
        cells, units = cluster_pair_cells(evidence, cluster)
        resample: Callable[[Ints], Evidence] = partial(resampled_pairs, cells)
    else:
        assert isinstance(evidence, Battles | Ballots | Scores)
        if isinstance(evidence, Scores):
            per = evidence.who_votes(per)
            units = score_units(evidence, per, cluster, evidence.voters(per).levels)
        else:
            units = row_units(evidence, cluster) if isinstance(evidence, Battles) else ballot_units(evidence, cluster)
        resample = partial(resampled_evidence, evidence, per)
    return Strategy("evidence for a function", resample, partial(function_answer, function, settings)), units


def from_counts(profile: Profile, key: str, settings: Settings) -> bool:
    """Return whether pair counts suffice for the method with these settings.

    >>> from beatpath import Pairs
    >>> two = Profile(("ada", "bob"), Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))
    >>> from_counts(two, "bradley_terry", {}), from_counts(two, "bradley_terry", {"position": True})
    (True, False)
    """
    if profile.scores is not None and key in FROM_TASKS and settings.get("against", "auto") != "agents":
        return False
    if key == "bradley_terry" and (settings.get("position") or settings.get("covariates")):
        return False
    if key == "sco" and settings.get("solver") == "sgd" and profile.ballots is not None:
        return False
    weighted = profile.battles is not None and profile.battles.weight is not None
    if weighted and (settings.get("prior") or key in WITH_PRIOR):  # counts against the squared weights of the resample
        return False
    return key == CORE or key in OF_COUNTS or "pairs" in METHODS[key].takes


def _fit_together(
    counted: Strategy[Profile], cells: PairCells, profile: Profile, slim: Profile, settings: Settings
) -> Strategy[Profile] | FittedTogether:
    """Fit Bradley-Terry to many resamples together, where the settings allow it."""
    plain = settings.get("tie_model", "half") == "half" and "max_iter" not in settings
    n = len(profile.agents)
    if not plain or n < 2 or not fits_a_table(n, len(cells.pairs)):
        return counted
    assert profile.settled is not None
    prior = float(settings.get("prior", 0.0))
    start = bradley_terry(profile, prior=prior).score
    inverse = shared_inverse(win_matrix(profile.settled), start, prior)
    return FittedTogether(counted, cells, start, inverse, slim, settings)


def _task_resampling(scores: Scores, per: str, ballots: Ballots, cluster: Cluster) -> tuple[Resampling, Ints]:
    """Return how the tasks behind ballots are resampled, and the position of each in the table."""
    factor = ballots.factors.get("ballot") or ballots.factors["task"]
    levels = [factor.levels[code] for code in factor.codes]
    place = {name: i for i, name in enumerate(scores.voters(per).levels)}
    return score_units(scores, per, cluster, levels), np.array([place[name] for name in levels], dtype=np.int64)


def _profile_of_counts(cells: PairCells, profile: Profile, taken: Ints) -> Profile:
    """Return a profile for methods that need pair counts only."""
    return replace(profile, source=resampled_pairs(cells, taken))


def _resampled_profile(
    profile: Profile,
    taken: Ints,
    *,
    per: str = "",
    voter: Ints | None = None,
    once: bool = False,
    compiled: bool = False,
) -> Profile:
    """Return a profile of resampled battles or ballots, and perhaps of the score table behind these.

    `voter` is the position of each ballot among the voters of the table, `per` what the voters are; `once` is for
    methods that account for a task drawn twice by the weight of its ballot; `compiled` compiles Elo for the many runs,
    where numba is installed.
    """
    assert isinstance(profile.source, Battles | Ballots)
    source, scores = resampled_evidence(profile.source, per, taken), None
    assert isinstance(source, Battles | Ballots)
    if compiled:
        compiled_steps(in_turn)
    if voter is not None and profile.scores is not None:
        of_voter = np.zeros(len(profile.scores.voters(per).levels), dtype=np.int64)
        of_voter[voter] = np.minimum(taken, 1) if once else taken
        scores = resampled_scores(profile.scores, per, of_voter)
    return replace(profile, source=source, scores=scores)


def resampled_evidence(evidence: Battles | Ballots | Scores, per: str, taken: Ints) -> Battles | Ballots | Scores:
    """Return evidence of the same kind: battles repeated in their place, ballots with other counts, or copies of tasks.

    >>> resampled_evidence(Battles.of([("ada", "bob", 1), ("ada", "bob", 0)]), "", np.array([1, 2])).outcome
    array([1., 0., 0.])
    >>> resampled_evidence(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]]), "", np.array([0, 3]))
    Ballots(2 agents, 3 ballots, 1 distinct)
    """
    if isinstance(evidence, Battles):
        return evidence.take(np.repeat(np.arange(len(evidence)), taken))
    if isinstance(evidence, Ballots):
        return evidence.take(taken > 0, count=taken[taken > 0])
    return resampled_scores(evidence, per, taken)


def resampled_scores(scores: Scores, per: str, taken: Ints) -> Scores:
    """Return the scores of the tasks (or items) drawn; one drawn several times appears under several names.

    Parameters
    ----------
    scores : Scores
        The data.
    per : {"task", "item", "run"}
        What was resampled.
    taken : (voters,) int
        How often each of ``scores.voters(per)`` was drawn.

    Examples
    --------
    >>> scores = Scores.from_table([[1.0, 2.0], [3.0, 4.0]], ["ada", "bob"], ["code", "math"])
    >>> resampled_scores(scores, "task", np.array([0, 2])).tasks
    ('math', 'math (copy 2)')
    """
    times = taken[scores.voters(per).codes]
    rows = np.repeat(np.arange(len(scores)), times)
    copies = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    column = {"item": "item", "run": "replicate"}.get(per, "task")
    old = scores.factors.get(column, Factor.coded(np.zeros(len(scores), dtype=np.int64), ("all",)))
    new, origin = _named_apart(old.codes[rows], copies, old.levels)
    factors = {name: factor.take(rows) for name, factor in scores.factors.items()} | {column: new}
    known = {level for name in ("metric", "task") if name in factors for level in factors[name].levels}
    direction = scores.higher_is_better
    origin = origin if column == "task" else {}
    better = {name: direction[origin.get(name, name)] for name in sorted(known) if origin.get(name, name) in direction}
    return replace(
        scores,
        agent=scores.agent[rows],
        value=scores.value[rows],
        factors=factors,
        higher_is_better=better,
        stderr=None if scores.stderr is None else scores.stderr[rows],
    )


def _named_apart(codes: Codes, copies: Ints, levels: tuple[str, ...]) -> tuple[Factor, dict[str, str]]:
    """Return a column in which every copy has its own name, and the old name of each new one."""
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
