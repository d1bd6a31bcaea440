r"""`bootstrap`: any method on resamples of any evidence.

Blocks of resamples: cut at fixed places, seeded by their number, and done by any number of workers with one result.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import BothBad, Missing, PairWeight, Per, Ties, Unranked
from beatpath._validate import require_share, require_whole
from beatpath.evidence import Convention, Evidence, Margins, WinRates
from beatpath.evidence.conventions import Conventions
from beatpath.inference.bootstrap.bootstrap_result import Bootstrap
from beatpath.inference.bootstrap.resampling import Resampling
from beatpath.inference.bootstrap.strategies import (
    CORE,
    Answer,
    Failure,
    FittedTogether,
    Function,
    Strategy,
    core_answer,
    function_answer,
    strategy_of_function,
    strategy_of_method,
)
from beatpath.inference.bootstrap.workers import Progress, results
from beatpath.inference.ranking.rank import rank
from beatpath.inference.win_rates.estimate import FEW_CLUSTERS
from beatpath.methods.profile import profile_of
from beatpath.methods.run import require_evidence

BLOCK = 64  # resamples; another size gives other random numbers
HELD = 1 << 22  # weights held at a time
ENOUGH = 5  # resamples beyond a bound, for a quantile to rest on


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """All there is to do, in a form that travels to workers."""

    strategy: Strategy[Any] | FittedTogether
    units: Resampling
    draws: int
    seed: int

    def answers(self, block: int) -> list[Answer | Failure]:
        """Return the answers of one block, which depend on nothing but its number."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(block,)))
        size, height = min(BLOCK, self.draws - block * BLOCK), max(1, HELD // max(self.units.parts, 1))
        answers: list[Answer | Failure] = []
        for low in range(0, size, height):
            answers += self.strategy.answers(self.units.weights(rng, min(height, size - low)))
        return answers


def bootstrap(
    evidence: Evidence,
    method: str | Function,
    *,
    cluster: str | Sequence[str] | None = "auto",
    draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
    ties: Ties = "half",
    both_bad: BothBad = "tie",
    pair_weight: PairWeight = "count",
    unranked: Unranked = "ignore",
    missing: Missing = "unranked",
    per: Per = "auto",
    tolerance: float = 0.0,
    weights: Mapping[str, float] | None = None,
    **settings: Any,
) -> Bootstrap:
    r"""Run a method on resamples of the evidence: intervals of scores, and how often each rank, winner or core comes up.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
    method : str or function
        A key that ``beatpath methods`` lists; ``core`` for the top cycle and the uncovered set; or a function from evidence to
        ``{agent: score}`` or to a `Ranking`, higher scores being better.
    cluster : str, two of them, None or "auto"
        What is drawn with replacement: all battles (ballots, tasks) that share a name in this column, together. Two columns
        are drawn independently. None draws battles, ballots or tasks one by one; "auto" takes the column ``cluster`` where
        there is one, for ballots also ``voter``. Rows without a name are drawn one by one.
    draws : int
        How many resamples.
    level : float
        Of the intervals, between 0 and 1.
    seed : int
    workers : int
        Processes of joblib. The result does not depend on them.
    progress : function of (resamples done, all), optional
    ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights
        As for `rank`. A function settles its own conventions, and is told none but `per`, which says what is drawn.
    **settings
        Of the method, or handed on to the function.

    Returns
    -------
    Bootstrap

    Examples
    --------
    Ada won 8 of 10 against Bob.

    >>> from beatpath import Pairs
    >>> result = bootstrap(Pairs(("ada", "bob"), [0], [1], [[8, 2, 0, 0]]), "copeland")
    >>> result.first.round(2), result.rank_frequency.sum(axis=1)
    (array([0.99, 0.03]), array([1., 1.]))

    Notes
    -----
    A resample is never a list of rows where less will do. Methods that ask only how often pairs met, and how it went, get
    counts: battles are counted once by cluster, pair and outcome, and a resample weighs the counts by how often each cluster
    was drawn. Methods that look at ballots (plurality, approval, STV, Plackett-Luce, WSCO) get ballots with other counts. Elo,
    and Bradley-Terry with positions or covariates, get the battles themselves, one drawn twice standing twice in its place.
    Nash averaging and alpha-rank against tasks get a score table with tasks in it as often as drawn, and so does a function of
    a score table.

    A resample on which the method has no answer, such as one that leaves two agents without a path of wins between them, is
    counted with its reason and widens the intervals. Frequencies of ranks and winners are no probabilities: where agents are
    close to tied they vary as much as the data, and ranks with a guarantee need rank-confidence sets.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, *Bootstrap Methods and their Application*, Cambridge University Press, 1997.
    """
    require_evidence(evidence)
    if isinstance(evidence, Margins | WinRates):
        raise DataError(
            f"resampling needs the battles, ballots, scores or counts behind {evidence.kind.replace('_', ' ')}, which do not "
            "hold them. Read the data themselves."
        )
    for name, value, least in (("draws", draws, 1), ("seed", seed, 0), ("workers", workers, 1)):
        require_whole(name, value, least)
    require_share("level", level)
    chosen = Conventions(ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights)
    plan = _plan(evidence, method, cluster, draws, chosen, settings)
    work = _Blocks(plan.strategy, plan.units, draws, seed)
    report = None if progress is None else lambda done, _: progress(min(done * BLOCK, draws), draws)
    blocks = results(work.answers, range(-(-draws // BLOCK)), workers, report)
    answers = [answer for block in blocks for answer in block]
    options = {name: _plain_settings(value) for name, value in {"cluster": cluster, "seed": seed, **settings}.items()}
    return _summary(plan, evidence, answers, level, options)


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """A method on the evidence itself, and the way to do the same on resamples."""

    name: str
    whole: Answer
    strategy: Strategy[Any] | FittedTogether
    units: Resampling
    conventions: tuple[Convention, ...]


def _plan(
    evidence: Evidence,
    method: str | Function,
    cluster: str | Sequence[str] | None,
    draws: int,
    chosen: Conventions,
    settings: Mapping[str, Any],
) -> _Plan:
    """Answer on the evidence itself, which refuses what cannot work, and choose a strategy."""
    if not isinstance(method, str):
        if not callable(method):
            raise UsageError(f"`method` must be a method's key or a function; got {type(method).__name__}.")
        extra = [name for name in chosen.options() if name != "per"]
        if extra:
            raise UsageError(
                f"a function settles its own conventions; got {listed(extra)}. Let the function apply them."
            )
        way = strategy_of_function(evidence, method, settings, chosen.per, cluster)
        name = getattr(method, "__name__", type(method).__name__)
        return _Plan(name, function_answer(method, settings, evidence), *way, ())
    profile = profile_of(evidence, chosen)
    if method == CORE:
        if settings:
            raise UsageError(f"{CORE} takes no settings here; got {listed(settings)}.")
        whole, conventions = core_answer(profile), profile.conventions
    else:
        ranking = rank(evidence, method, **replace(chosen, matrix="raw").options(), **settings)
        score = np.array([ranking.scores[name] for name in evidence.agents])
        whole, conventions = Answer(ranking.level_of(), score, caveat=ranking.caveat), ranking.conventions
    return _Plan(method, whole, *strategy_of_method(profile, method, settings, cluster, draws), conventions)


def _summary(
    plan: _Plan, evidence: Evidence, answers: list[Answer | Failure], level: float, settings: dict[str, object]
) -> Bootstrap:
    """Put the answers together, or say that there are none."""
    ranked = [one for one in answers if isinstance(one, Answer)]
    failures = Counter(one for one in answers if isinstance(one, Failure))
    caveats = Counter(one.caveat for one in ranked if one.caveat)
    if not ranked:
        ((why, _),) = failures.most_common(1)
        raise DataError(
            f"{plan.name} must have an answer on some of the resamples; it has none on {len(answers):,}: {why}."
        )
    return Bootstrap(
        plan.name,
        evidence.agents,
        plan.whole.score,
        plan.whole.level,
        np.array([one.score for one in ranked], dtype=np.float64),
        np.array([one.level for one in ranked], dtype=np.int32),
        {name: np.array([one.sets[name] for one in ranked]) for name in ranked[0].sets},
        plan.whole.sets,
        len(answers),
        level,
        " and ".join(
            counted(way.number, name if name.isidentifier() else quoted(name))
            for way, name in zip(plan.units.ways, plan.units.units, strict=True)
        ),
        dict(failures.most_common()),
        {caveat: times for caveat, times in caveats.most_common() if caveat != plan.whole.caveat},
        settings | {"resampled as": plan.strategy.estimate_of_board},
        plan.conventions,
        _notes(plan, len(answers), level),
    )


def _notes(plan: _Plan, draws: int, level: float) -> tuple[str, ...]:
    """What a reader must know of few clusters, few resamples, and a remark on the whole."""
    notes = [f"{plan.name} on the evidence itself: {plan.whole.caveat}."] if plan.whole.caveat else []
    few = min(way.number for way in plan.units.ways)
    if few < FEW_CLUSTERS:
        notes.append(
            f"Resamples are drawn from {few:,} clusters; below {FEW_CLUSTERS} they vary too little, and intervals are too narrow."
        )
    if draws * (1 - level) / 2 < ENOUGH:
        notes.append(
            f"With {counted(draws, 'draw')} fewer than {ENOUGH} lie beyond each bound at this level: use more draws."
        )
    return tuple(notes)


def _plain_settings(value: object) -> object:
    """A setting as JSON can carry it."""
    if isinstance(value, str | int | float | None):
        return value
    return [_plain_settings(one) for one in value] if isinstance(value, list | tuple) else shown(repr(value))
