"""`bootstrap`: any method on resamples of any evidence.

Resamples are computed in blocks with fixed boundaries, seeded by number, so that any number of workers gives one
result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import BothBad, Missing, PairWeight, Per, Ties, Unranked
from beatpath._validate import require_share, require_whole
from beatpath.evidence import Convention, Evidence, Margins, WinRates
from beatpath.evidence.conventions import Conventions
from beatpath.evidence.select import columns_by_role
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
from beatpath.methods.registry import method_named

BLOCK = 64  # resamples per block; another size gives other random numbers
MOST_WEIGHTS = 1 << 22  # weights in memory at a time, 32 MB
ENOUGH = 5  # resamples beyond a bound below which a note warns about the quantile


def bootstrap(
    evidence: EvidenceLike,
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
    """Bootstrap any method: intervals of scores, and how often each rank, winner or core comes up.

    Use it for methods without standard errors of their own. For ranks with a confidence guarantee use `rank_sets` or
    `resolve`: bootstrap frequencies of ranks and winners are not probabilities.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data.
    method : str or function
        A key that ``beatpath methods`` lists; ``core`` for the top cycle and the uncovered set; or a function from
        evidence to ``{agent: score}``, higher being better, or to a `Ranking`.
    cluster : str, two of them, None or "auto"
        What is resampled: all battles (ballots, tasks) that share a level of this column, together. Two columns are
        resampled independently. None resamples battles, ballots or tasks one by one; "auto" takes the column
        ``cluster`` if there is one, for ballots also ``voter``. Rows without a level are resampled one by one.
    draws : int, default 1000
        Number of resamples.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int, default 0
        Seed of the resamples.
    workers : int, default 1
        Processes of joblib. The result does not depend on them.
    progress : function of (resamples done, all), optional
        Called as resamples complete.
    ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights
        As for `rank`. A function applies its own conventions and gets only `per`, which determines what is resampled.
    **settings
        Of the method, or passed to the function.

    Returns
    -------
    Bootstrap

    See Also
    --------
    stability : Pairwise methods within the uncertainty of estimated win rates.
    rank_sets : Ranks with guaranteed confidence.

    Examples
    --------
    Ada won 8 of 10 against bob.

    >>> from beatpath import Pairs
    >>> result = bootstrap(Pairs(("ada", "bob"), [0], [1], [[8, 2, 0, 0]]), "copeland")
    >>> result.first.round(2), result.rank_frequency.sum(axis=1)
    (array([0.99, 0.03]), array([1., 1.]))

    Notes
    -----
    A resample is a list of rows only where necessary. Methods that need only pair counts get counts: battles are
    counted once by cluster, pair and outcome, and a resample weights the counts by how often each cluster was drawn.
    Methods on ballots (plurality, approval, STV, Plackett-Luce, WSCO) get ballots with other counts. Elo, and
    Bradley-Terry with positions or covariates, get the battles themselves, one drawn twice occurring twice in its
    place. Nash averaging and alpha-rank against tasks get a score table with tasks as often as drawn, and so does a
    function of a score table.

    A resample on which the method has no answer, such as one that leaves two agents without a path of wins between
    them, is counted with its reason and widens the intervals. Where agents are nearly tied, frequencies of ranks vary
    as much as the data.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, *Bootstrap Methods and their Application*, Cambridge University Press, 1997.
    """
    evidence = as_evidence(evidence)
    cluster = columns_by_role(evidence, cluster)
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
    report = None if progress is None else lambda done, _: progress(min(done * BLOCK, draws), draws)
    blocks = results(partial(plan.answers, draws, seed), range(-(-draws // BLOCK)), workers, report)
    answers = [answer for block in blocks for answer in block]
    options = {name: _plain_settings(value) for name, value in {"cluster": cluster, "seed": seed, **settings}.items()}
    return _summary(plan, evidence, answers, level, options)


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """A method on the evidence itself, and the strategy to repeat it on resamples."""

    name: str
    whole: Answer
    strategy: Strategy[Any] | FittedTogether
    units: Resampling
    conventions: tuple[Convention, ...]

    def answers(self, draws: int, seed: int, block: int) -> list[Answer | Failure]:
        """Return the answers of one block of all draws, which depend on its number and the seed alone."""
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
        size, height = min(BLOCK, draws - block * BLOCK), max(1, MOST_WEIGHTS // max(self.units.parts, 1))
        answers: list[Answer | Failure] = []
        for low in range(0, size, height):
            answers += self.strategy.answers(self.units.weights(rng, min(height, size - low)))
        return answers


def _plan(
    evidence: Evidence,
    method: str | Function,
    cluster: str | Sequence[str] | None,
    draws: int,
    chosen: Conventions,
    settings: Mapping[str, Any],
) -> _Plan:
    """Run the method on the evidence itself, which refuses invalid input, and choose a strategy."""
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
    if "matrix" in settings:
        raise UsageError("`matrix` must be left out: a bootstrap resamples counts, so rules use these.")
    profile = profile_of(evidence, chosen)
    method = method if method == CORE else method_named(method).key
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
    """Combine the answers, or raise if there are none."""
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
        settings | {"resampled as": plan.strategy.resample_text},
        plan.conventions,
        _notes(plan, len(answers), level),
    )


def _notes(plan: _Plan, draws: int, level: float) -> tuple[str, ...]:
    """Return caveats about few clusters, few resamples, and the answer on the whole evidence."""
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
    """Convert a setting to JSON types."""
    if isinstance(value, str | int | float | None):
        return value
    return [_plain_settings(one) for one in value] if isinstance(value, list | tuple) else shown(repr(value))
