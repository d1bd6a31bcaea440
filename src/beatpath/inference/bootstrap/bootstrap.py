r"""`bootstrap`: any method on resamples of any evidence.

Blocks of resamples: cut at fixed places, seeded by their number, and done by any number of workers with one result.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import BothBad, Missing, PairWeight, Per, Ties, Unranked
from beatpath.evidence import Convention, Evidence, Margins, WinRates
from beatpath.evidence.conventions import Conventions
from beatpath.inference.bootstrap.answers import CORE, Answer, Function, core_answer, function_answer
from beatpath.inference.bootstrap.bootstrap_result import Bootstrap
from beatpath.inference.bootstrap.replicates import ResamplingStrategy
from beatpath.inference.bootstrap.resampling import Resampling
from beatpath.inference.bootstrap.strategies import strategy_of_function, strategy_of_method
from beatpath.inference.bootstrap.workers import results
from beatpath.inference.ranking.rank import rank
from beatpath.inference.win_rates.estimate import FEW_CLUSTERS
from beatpath.methods.profile import profile_of
from beatpath.methods.run import require_evidence

BLOCK = 64  # resamples; another size gives other random numbers
HELD = 1 << 22  # weights held at a time
Progress = Callable[[int, int], None]
ENOUGH = 5  # resamples beyond a bound, for a quantile to rest on


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers of many resamples, and how many have none.

    Parameters
    ----------
    levels : (r, n) int
    scores : (r, n) float
    sets : mapping of name to (r, n) bool
    failures, caveats : Counter
        How often each reason, and each remark, was given.
    """

    levels: NDArray[np.int32]
    scores: NDArray[np.float64]
    sets: Mapping[str, NDArray[np.bool_]]
    failures: Counter[str]
    caveats: Counter[str]


@dataclass(frozen=True, slots=True, eq=False)
class BlockWork:
    """All there is to do, in a form that travels to workers."""

    strategy: ResamplingStrategy
    drawn: Resampling
    n_agents: int
    draws: int
    seed: int

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.draws // BLOCK)

    def size(self, block: int) -> int:
        """Return how many resamples a block has: the same for all but the last."""
        return min(BLOCK, self.draws - block * BLOCK)

    def answers(self, block: int) -> Answers:
        """Return the answers of one block, which depend on nothing but its number."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(block,)))
        found: list[Answer] = []
        failures: Counter[str] = Counter()
        height = max(1, HELD // max(self.drawn.parts, 1))
        for low in range(0, self.size(block), height):
            weights = self.drawn.weights(rng, min(height, self.size(block) - low))
            for answer in self.strategy.answers(weights):
                if isinstance(answer, Answer):
                    found.append(answer)
                else:
                    failures[answer] += 1
        return _stacked(found, failures, self.n_agents)


def done(work: BlockWork, workers: int, progress: Progress | None) -> Answers:
    """Return the answers of all blocks, the same however many workers there are."""
    blocks: list[Answers] = []
    for found in results(work.answers, range(work.n_blocks), workers):
        blocks.append(found)
        if progress is not None:
            progress(min(len(blocks) * BLOCK, work.draws), work.draws)
    return _joined_blocks(blocks)


def _stacked(found: list[Answer], failures: Counter[str], n: int) -> Answers:
    names = found[0].sets if found else ()
    return Answers(
        np.array([one.level for one in found], dtype=np.int32).reshape(-1, n),
        np.array([one.score for one in found], dtype=np.float64).reshape(-1, n),
        {name: np.array([one.sets[name] for one in found]) for name in names},
        failures,
        Counter(one.caveat for one in found if one.caveat),
    )


def _joined_blocks(blocks: list[Answers]) -> Answers:
    names = next((block.sets for block in blocks if block.sets), {})
    return Answers(
        np.concatenate([block.levels for block in blocks]),
        np.concatenate([block.scores for block in blocks]),
        {name: np.concatenate([block.sets[name] for block in blocks if block.sets]) for name in names},
        sum((block.failures for block in blocks), Counter()),
        sum((block.caveats for block in blocks), Counter()),
    )


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
    >>> found = bootstrap(Pairs(("ada", "bob"), [0], [1], [[8, 2, 0, 0]]), "copeland")
    >>> found.first.round(2), found.rank_frequency.sum(axis=1)
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
    _require_numbers(draws, level, seed, workers)
    chosen = Conventions(ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights)
    made = _method_asked(evidence, method, cluster, draws, chosen, settings)
    found = done(BlockWork(made.strategy, made.drawn, len(evidence.agents), draws, seed), workers, progress)
    return _bootstrap_of_answers(made, evidence, found, draws, level, {"cluster": cluster, "seed": seed, **settings})


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A method on the evidence itself, and the way to do the same on resamples."""

    name: str
    whole: Answer
    strategy: ResamplingStrategy
    drawn: Resampling
    conventions: tuple[Convention, ...]


def _method_asked(
    evidence: Evidence,
    method: str | Function,
    cluster: str | Sequence[str] | None,
    draws: int,
    chosen: Conventions,
    settings: Mapping[str, Any],
) -> _Asked:
    """Answer on the evidence itself, which refuses what cannot work, and choose a strategy."""
    if not isinstance(method, str):
        if not callable(method):
            raise UsageError(f"`method` must be a method's key or a function; got {type(method).__name__}.")
        extra = [name for name in chosen.options() if name != "per"]
        if extra:
            raise UsageError(
                f"a function settles its own conventions; got {listed(extra)}. Let the function apply them."
            )
        strategy, drawn = strategy_of_function(evidence, method, settings, chosen.per, cluster)
        name = getattr(method, "__name__", type(method).__name__)
        return _Asked(name, function_answer(method, settings, evidence), strategy, drawn, ())
    if method == CORE:
        if settings:
            raise UsageError(f"{CORE} takes no settings here; got {listed(settings)}.")
        profile = profile_of(evidence, chosen)
        whole, conventions = core_answer(profile), profile.conventions
    else:
        found = rank(evidence, method, **replace(chosen, matrix="raw").options(), **settings)
        score = np.array([found.scores[name] for name in evidence.agents])
        whole, conventions = Answer(found.level_of(), score, caveat=found.caveat), found.conventions
        profile = profile_of(evidence, chosen)
    return _Asked(method, whole, *strategy_of_method(profile, method, settings, cluster, draws), conventions)


def _bootstrap_of_answers(
    made: _Asked, evidence: Evidence, found: Answers, draws: int, level: float, settings: Mapping[str, Any]
) -> Bootstrap:
    """Put the answers together, or say that there are none."""
    if not len(found.levels):
        ((reason, _),) = found.failures.most_common(1)
        raise DataError(
            f"{made.name} must have an answer on some of the resamples; it has none on {draws:,}: {reason}."
        )
    sizes = " and ".join(
        counted(way.number, name if name.isidentifier() else quoted(name))
        for way, name in zip(made.drawn.ways, made.drawn.units, strict=True)
    )
    return Bootstrap(
        made.name,
        evidence.agents,
        made.whole.score,
        made.whole.level,
        found.scores,
        found.levels,
        found.sets,
        made.whole.sets,
        draws,
        level,
        sizes,
        dict(found.failures.most_common()),
        {said: times for said, times in found.caveats.most_common() if said != made.whole.caveat},
        {name: _plain_settings(value) for name, value in settings.items()} | {"resampled as": made.strategy.said},
        made.conventions,
        _bootstrap_notes(made, draws, level),
    )


def _bootstrap_notes(made: _Asked, draws: int, level: float) -> tuple[str, ...]:
    """What a reader must know of few clusters, few resamples, and a remark on the whole."""
    notes = [f"On the evidence itself {made.name} adds: {made.whole.caveat}."] if made.whole.caveat else []
    few = min(way.number for way in made.drawn.ways)
    if few < FEW_CLUSTERS:
        notes.append(
            f"Resamples are drawn from {few:,} clusters; below {FEW_CLUSTERS} they are too alike, and intervals too narrow."
        )
    if draws * (1 - level) / 2 < ENOUGH:
        notes.append(
            f"With {counted(draws, 'draw')} fewer than {ENOUGH} lie beyond each bound at this level; draw more."
        )
    return tuple(notes)


def _plain_settings(value: object) -> object:
    """A setting as JSON can carry it."""
    if isinstance(value, str | int | float | None):
        return value
    return [_plain_settings(one) for one in value] if isinstance(value, list | tuple) else shown(repr(value))


def _require_numbers(draws: int, level: float, seed: int, workers: int) -> None:
    for name, value, least in (("draws", draws, 1), ("seed", seed, 0), ("workers", workers, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise UsageError(f"`{name}` must be a whole number, {least} or more; got {quoted(value)}.")
    if not (isinstance(level, int | float) and isfinite(level) and 0 < level < 1):
        raise UsageError(f"`level` must lie between 0 and 1, such as 0.95; got {quoted(level)}.")
