"""How a method is run on resamples: from how often each part was taken to an answer, the cheapest way that gives the same.

A strategy is a pure function of how often each part was taken, so that a block of resamples can be done anywhere, and again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted, shown
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Pairs, Scores
from beatpath.evidence.pairs import TIE, win_matrix
from beatpath.fit.batched import SETTLED, TABLE, batched_strengths, shared_inverse
from beatpath.fit.newton import CONVERGED, Ended
from beatpath.fit.pairs import fits_a_table
from beatpath.inference.bootstrap.pair_cells import (
    PairCells,
    WinTable,
    ballot_cells,
    cluster_pair_cells,
    resampled_pairs,
)
from beatpath.inference.bootstrap.resampling import Resampling, ballot_units, row_units, score_units
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry, on_scale, rating_levels
from beatpath.methods.rating.elo import COMPILE, compiled_steps, in_turn
from beatpath.methods.registry import METHODS
from beatpath.methods.result import EXACT, LOCAL, Outcome, Ranking, levels_by_score
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set

CORE = "core"
OF_COUNTS = {
    "borda": "voting.scoring:borda_of_counts",
    "black": "voting.scoring:black_of_counts",
}  # methods that ask for ballots, though their pair counts say all, and what runs on these
KEPT = {"bradley_terry_judged": ("judge",)}  # columns that a method looks at
FROM_TASKS = frozenset(
    {"nash_averaging", "alpha_rank", "deviation_ratings", "majority_judgment"}
)  # which look at the score table, unless turned off
WEIGHED = frozenset({"majority_judgment"})  # methods that weigh a task's scores as its ballot weighs
SCALE = ("scale", "anchor", "anchor_rating")  # settings that place Bradley-Terry strengths on a scale
NEAR = 1e-8  # strengths that lie nearer, beside the largest, may be tied: `rating_levels` decides

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
        Members, of methods that choose sets rather than rank.
    caveat : str
        What the method says of its answer, empty where it ended as it should.
    """

    level: Ints
    score: Floats
    sets: Mapping[str, Bools] = field(default_factory=dict)
    caveat: str = ""


def method_answer(key: str, settings: Settings, profile: Profile) -> Answer:
    """Return a method's answer on a profile."""
    if key == CORE:
        return core_answer(profile)
    method = METHODS[key]
    runs = replace(method, home=OF_COUNTS[key]) if key in OF_COUNTS else method
    outcome: Outcome = runs.function()(profile, **settings)
    caveat = "" if outcome.status in (EXACT, CONVERGED, LOCAL) else outcome.status
    return Answer(outcome.level, outcome.score, caveat=caveat)


def core_answer(profile: Profile) -> Answer:
    """Return the top cycle and the uncovered set; the levels are in the top cycle, and out of it.

    >>> from beatpath import Pairs
    >>> result = core_answer(Profile(("ada", "bob"), Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])))
    >>> result.level, result.sets["uncovered_set"]
    (array([0, 1]), array([ True, False]))
    """
    top, uncovered = top_cycle(profile.margins), uncovered_set(profile.margins)
    level = np.where(top, 0, 1)
    return Answer(level, np.full(len(level), np.nan), {"top_cycle": top, "uncovered_set": uncovered})


def function_answer(function: Function, settings: Settings, evidence: Evidence) -> Answer:
    """Return what a user's function answers: scores by agent, of which more is better, or a ranking."""
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
    """Return what must hold, the first part of an error's message, by which failures are counted.

    >>> reason(DataError("there must be a path; here are 2 groups: {'x'}. Give a `prior`."))
    'there must be a path'
    """
    return shown(str(error).split(";")[0].split(". ")[0], 200)


@dataclass(frozen=True, slots=True, eq=False)
class Strategy(Generic[T]):
    """How resamples are made of what was drawn, and how each is answered.

    Parameters
    ----------
    estimate_of_board : str
        What a resample is made of, in words.
    resamples : function of (draws, parts) int
        From how often every part is taken to the evidence, or the profile, of each resample.
    answer : function of one of these
    """

    estimate_of_board: str
    resamples: Callable[[Ints], Iterator[T]]
    answer: Callable[[T], Answer]

    def answers(self, weights: Ints) -> Iterator[Answer | Failure]:
        """Yield an answer, or the reason why there is none, for each row of weights of shape (draws, parts)."""
        for resample in self.resamples(weights):
            try:
                yield self.answer(resample)
            except DataError as error:
                yield reason(error)


@dataclass(frozen=True, slots=True, eq=False)
class FittedTogether:
    """Bradley-Terry on as many resamples at once as the processor's cache holds.

    The benchmarks' 1,000 resamples of 100 agents in 1.06 processor seconds need it. Resamples that are too unlike the whole, or
    have no estimate, are left to the method itself, `alone`.
    """

    alone: Strategy[Profile]
    wins: WinTable
    start: Floats
    inverse: Floats
    profile: Profile
    settings: Settings

    @property
    def estimate_of_board(self) -> str:
        """What a resample is made of, in words."""
        return self.alone.estimate_of_board

    def answers(self, weights: Ints) -> Iterator[Answer | Failure]:
        """Yield the ratings of each resample."""
        height = max(1, TABLE // len(self.start) ** 2)
        for low in range(0, len(weights), height):
            yield from self._together(weights[low : low + height])

    def _together(self, weights: Ints) -> Iterator[Answer | Failure]:
        wins, prior = self.wins(weights), float(self.settings.get("prior", 0.0))
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
                level, one = _levels_of_strengths(one)
                yield Answer(level, on_scale(one, self.profile.agents, **scale))


def outcome_shares(ties: str, both_bad: str) -> Floats:
    """Return what a battle of each outcome adds, (4, 2), to the wins of its first and of its second agent.

    >>> outcome_shares("half", "drop")
    array([[1. , 0. ],
           [0. , 1. ],
           [0.5, 0.5],
           [0. , 0. ]])
    """
    one_each = Pairs(("a", "b"), np.zeros(4, dtype=np.int32), np.ones(4, dtype=np.int32), np.eye(4))
    return one_each.two_way(ties=ties, both_bad=both_bad).counts[:, :TIE]


def _levels_of_strengths(strength: Floats) -> tuple[Ints, Floats]:
    """What `rating_levels` gives, at once where no two strengths are near."""
    order = np.argsort(-strength)
    falls = -np.diff(strength[order])
    if falls.min() > NEAR * max(1.0, float(np.abs(strength).max())):
        level = np.empty(len(order), dtype=np.int64)
        level[order] = np.arange(len(order))
        return level, strength
    return rating_levels(strength, Ended(strength, 0.0, 0, True, False, 0.0, np.full(1, SETTLED)))


def strategy_of_method(
    profile: Profile, key: str, settings: Settings, cluster: Cluster, draws: int
) -> tuple[Strategy[Profile] | FittedTogether, Resampling]:
    """Return the cheapest strategy that gives what the method would say of the resampled rows, and what is drawn."""
    source, units, per, voter = profile.source, None, "", None
    if profile.scores is not None:
        per = next(one.value for one in source.conventions if one.name == "per")
        assert isinstance(source, Ballots)
        units, voter = _task_resampling(profile.scores, per, source, cluster)
    if isinstance(source, Ballots | Battles):
        scores = profile.scores if key in FROM_TASKS else None
        factors = {name: factor for name, factor in source.factors.items() if name in KEPT.get(key, ())}
        profile = replace(profile, source=replace(source, factors=factors), scores=scores)
    answer = partial(method_answer, key, settings)
    if from_counts(profile, key, settings):
        assert isinstance(source, Ballots | Battles | Pairs)
        if isinstance(source, Ballots):
            cells, units = ballot_cells(source, units, cluster)
        else:
            cells, units = cluster_pair_cells(source, cluster)
        slim = replace(profile, source=cells.pairs, scores=None)  # travels without the evidence that was counted
        counted = Strategy("pair counts", partial(_profiles_of_counts, cells, slim), answer)
        return _together(counted, cells, profile, slim, settings) if key == "bradley_terry" else counted, units
    if isinstance(source, Battles):
        rows = partial(_profiles_of_rows, profile, key, draws)
        return Strategy("rows repeated in place", rows, answer), row_units(source, cluster)
    assert isinstance(source, Ballots)
    ballots = partial(_profiles_of_ballots, profile, per, voter if key in FROM_TASKS else None, key in WEIGHED)
    return Strategy("ballots with other counts", ballots, answer), units or ballot_units(source, cluster)


def strategy_of_function(
    evidence: Evidence, function: Function, settings: Settings, per: str, cluster: Cluster
) -> tuple[Strategy[Any], Resampling]:
    """Return the strategy of a user's function, which gets evidence of the kind that was given, and what is drawn."""
    resamples: Callable[[Ints], Iterator[Evidence]]
    if isinstance(evidence, Pairs):
        cells, units = cluster_pair_cells(evidence, cluster)
        resamples = partial(resampled_pairs, cells)
    else:
        assert isinstance(evidence, Battles | Ballots | Scores)
        if isinstance(evidence, Scores):
            per = evidence.who_votes(per)
            units = score_units(evidence, per, cluster, evidence.voters(per).levels)
        else:
            units = row_units(evidence, cluster) if isinstance(evidence, Battles) else ballot_units(evidence, cluster)
        resamples = partial(_resampled_evidence, evidence, per)
    return Strategy("evidence for a function", resamples, partial(function_answer, function, settings)), units


def from_counts(profile: Profile, key: str, settings: Settings) -> bool:
    """Return whether counts by pair say all that the method, so set, asks for.

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
    return key == CORE or key in OF_COUNTS or "pairs" in METHODS[key].takes


def _together(
    counted: Strategy[Profile], cells: PairCells, profile: Profile, slim: Profile, settings: Settings
) -> Strategy[Profile] | FittedTogether:
    """Bradley-Terry fitted to many resamples at once, where the settings leave that open."""
    plain = settings.get("tie_model", "half") == "half" and "max_iter" not in settings
    n = len(profile.agents)
    if not plain or n < 2 or not fits_a_table(n, len(cells.pairs)):
        return counted
    assert profile.settled is not None
    prior = float(settings.get("prior", 0.0))
    start = bradley_terry(profile, prior=prior).score
    inverse = shared_inverse(win_matrix(profile.settled), start, prior)
    wins = cells.wins(outcome_shares(profile.ties, profile.both_bad))
    return FittedTogether(counted, wins, start, inverse, slim, settings)


def _task_resampling(scores: Scores, per: str, ballots: Ballots, cluster: Cluster) -> tuple[Resampling, Ints]:
    """How the tasks behind ballots are drawn, and the place of each among all of the table."""
    factor = ballots.factors.get("ballot") or ballots.factors["task"]
    levels = [factor.levels[code] for code in factor.codes]
    place = {name: i for i, name in enumerate(scores.voters(per).levels)}
    return score_units(scores, per, cluster, levels), np.array([place[name] for name in levels], dtype=np.int64)


def _profiles_of_counts(cells: PairCells, profile: Profile, weights: Ints) -> Iterator[Profile]:
    """For methods that ask for no more than how often each pair met, and how it went."""
    for pairs in resampled_pairs(cells, weights):
        yield replace(profile, source=pairs, scores=None)


def _profiles_of_rows(profile: Profile, key: str, draws: int, weights: Ints) -> Iterator[Profile]:
    """For methods that look at battles row by row, in order; a row that was taken twice stands twice, in its place."""
    assert profile.battles is not None
    if key == "elo" and len(profile.battles) * draws >= COMPILE:
        compiled_steps(in_turn)  # from now on elo runs compiled, where numba is installed
    for taken in weights:
        yield replace(profile, source=resampled_battles(profile.battles, taken))


def _profiles_of_ballots(
    profile: Profile, per: str, voter: Ints | None, once: bool, weights: Ints
) -> Iterator[Profile]:
    """For methods that look at ballots, which are given other counts, and perhaps at the score table they come from.

    `voter` is the place of each ballot among the voters of the table, `per` what the voters are; `once` is for methods that take a
    task drawn twice by the weight of its ballot.
    """
    assert profile.ballots is not None
    scores = None
    for taken in weights:
        if voter is not None and profile.scores is not None:
            of_voter = np.zeros(len(profile.scores.voters(per).levels), dtype=np.int64)
            of_voter[voter] = np.minimum(taken, 1) if once else taken
            scores = resampled_scores(profile.scores, per, of_voter)
        yield replace(profile, source=resampled_ballots(profile.ballots, taken), scores=scores)


def _resampled_evidence(evidence: Battles | Ballots | Scores, per: str, weights: Ints) -> Iterator[Evidence]:
    """Evidence of the same kind for each resample."""
    for taken in weights:
        if isinstance(evidence, Battles):
            yield resampled_battles(evidence, taken)
        elif isinstance(evidence, Ballots):
            yield resampled_ballots(evidence, taken)
        else:
            yield resampled_scores(evidence, per, taken)


def resampled_battles(battles: Battles, taken: Ints) -> Battles:
    """Return the battles, each standing as often as it was taken, all in the order in which they happened.

    >>> resampled_battles(Battles.of([("ada", "bob", 1), ("ada", "bob", 0)]), np.array([1, 2])).outcome
    array([1., 0., 0.])
    """
    return battles.take(np.repeat(np.arange(len(battles)), taken))


def resampled_ballots(ballots: Ballots, taken: Ints) -> Ballots:
    """Return the ballots with these counts, those with none left out; nothing is validated again.

    >>> resampled_ballots(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]]), np.array([0, 3]))
    Ballots(2 agents, 3 ballots, 1 distinct)
    """
    taken_some = taken > 0
    return ballots.take(taken_some, count=taken[taken_some])


def resampled_scores(scores: Scores, per: str, taken: Ints) -> Scores:
    """Return the scores of the tasks (or items) taken; one taken several times stands under several names.

    Parameters
    ----------
    scores : Scores
    per : {"task", "item", "run"}
        What was drawn.
    taken : (voters,) int
        How often each of ``scores.voters(per)`` was taken.

    Examples
    --------
    >>> scores = Scores.from_table([[1.0, 2.0], [3.0, 4.0]], ["ada", "bob"], ["code", "maths"])
    >>> resampled_scores(scores, "task", np.array([0, 2])).tasks
    ('maths', 'maths (copy 2)')
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
