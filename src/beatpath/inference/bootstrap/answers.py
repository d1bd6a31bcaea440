"""What a method answers on one resample: levels, scores and sets of agents; or why it has no answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted, shown
from beatpath.evidence import Evidence
from beatpath.methods.profile import Profile
from beatpath.methods.registry import METHODS
from beatpath.methods.result import Outcome, Ranking, levels_by_score
from beatpath.methods.status import CONVERGED, EXACT, LOCAL
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set

CORE = "core"
Function = Callable[..., Mapping[str, float] | Ranking]


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

    level: NDArray[np.int64]
    score: NDArray[np.float64]
    sets: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    caveat: str = ""


def ranked_answer(key: str, settings: Mapping[str, Any]) -> Callable[[Profile], Answer]:
    """Return the function from a profile to a method's answer."""
    if key == CORE:
        return core_answer
    function = OF_COUNTS[key] if key in OF_COUNTS else METHODS[key].function()

    def answer(profile: Profile) -> Answer:
        return _told(function(profile, **settings))

    return answer


def core_answer(profile: Profile) -> Answer:
    """Return the top cycle and the uncovered set; the levels are in the top cycle, and out of it.

    >>> from beatpath import Pairs
    >>> found = core_answer(Profile(("ada", "bob"), Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])))
    >>> found.level, found.sets["uncovered_set"]
    (array([0, 1]), array([ True, False]))
    """
    top, uncovered = top_cycle(profile.margins), uncovered_set(profile.margins)
    level = np.where(top, 0, 1)
    return Answer(level, np.full(len(level), np.nan), {"top_cycle": top, "uncovered_set": uncovered})


def function_answer(function: Function, settings: Mapping[str, Any], evidence: Evidence) -> Answer:
    """Return what a user's function answers: scores by agent, of which more is better, or a ranking."""
    found = function(evidence, **settings)
    if not isinstance(found, Ranking | Mapping):
        raise UsageError(
            "`method` must be a method's key or a function that returns a score for every agent, by name, or a ranking; it "
            f"returned {type(found).__name__}."
        )
    scores = found.scores if isinstance(found, Ranking) else found
    lacking = [name for name in evidence.agents if name not in scores]
    if lacking:
        raise DataError(f"the function must score every agent; it gave none to {quoted(lacking[0])}.")
    score = np.array([float(scores[name]) for name in evidence.agents])
    if isinstance(found, Ranking):
        place = {name: k for k, level in enumerate(found.levels) for name in level}
        return Answer(np.array([place[name] for name in evidence.agents]), score, caveat=found.caveat)
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


def _borda_of_counts(profile: Profile) -> Outcome:
    from beatpath.methods.voting.scoring import borda_of_counts

    return borda_of_counts(profile)


def _black_of_counts(profile: Profile) -> Outcome:
    from beatpath.methods.voting.scoring import black_of_counts

    return black_of_counts(profile)


def _told(outcome: Outcome) -> Answer:
    caveat = "" if outcome.status in (EXACT, CONVERGED, LOCAL) else outcome.status
    return Answer(outcome.level, outcome.score, caveat=caveat)


OF_COUNTS = {
    "borda": _borda_of_counts,
    "black": _black_of_counts,
}  # they ask for ballots, but their pair counts say all
