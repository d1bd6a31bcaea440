"""Strategies from what was drawn to answers: pair counts, reweighted ballots, repeated rows, or whole evidence for a function.

Every strategy is a pure function of how often each part was taken, so that a block of resamples can be done anywhere, and again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Pairs, Scores
from beatpath.inference.bootstrap.answers import Answer, Function, function_answer, ranked_answer, reason
from beatpath.inference.bootstrap.pair_cells import PairCells, resampled_pairs
from beatpath.inference.bootstrap.resampling import Codes
from beatpath.methods.profile import Profile
from beatpath.methods.rating.elo import COMPILE, compiled_steps, in_turn

Failure = str
T = TypeVar("T")
WEIGHED = frozenset({"majority_judgment"})  # methods that weigh a task's scores as its ballot weighs


class ResamplingStrategy(Protocol):
    """What turns draws into answers."""

    @property
    def said(self) -> str:
        """What a resample is made of, in words."""

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield an answer, or the reason why there is none, for each row of weights of shape (draws, parts)."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Methods that ask for no more than how often each pair met, and how it went."""

    cells: PairCells
    profile: Profile
    key: str
    settings: Mapping[str, Any]
    said: str = "pair counts"

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield the method's answer on the counts of each resample."""
        answer = ranked_answer(self.key, self.settings)
        for pairs in resampled_pairs(self.cells, weights):
            yield attempted(answer, replace(self.profile, source=pairs, scores=None))


@dataclass(frozen=True, slots=True, eq=False)
class Reweighted:
    """Methods that look at ballots, which are given other counts, and perhaps at the score table they come from.

    `voter` is the place of each ballot among the voters of the table, `per` what the voters are.
    """

    profile: Profile
    key: str
    settings: Mapping[str, Any]
    per: str = ""
    voter: Codes | None = None
    said: str = "ballots with other counts"

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield the method's answer on the ballots of each resample."""
        answer = ranked_answer(self.key, self.settings)
        for taken in weights:
            yield attempted(answer, self._drawn(taken))

    def _drawn(self, taken: Codes) -> Profile:
        assert self.profile.ballots is not None
        scores = self.profile.scores
        if self.voter is None or scores is None:
            scores = None
        else:
            of_voter = np.zeros(len(scores.voters(self.per).levels), dtype=np.int64)
            of_voter[self.voter] = np.minimum(taken, 1) if self.key in WEIGHED else taken
            scores = drawn_scores(scores, self.per, of_voter)
        return replace(self.profile, source=drawn_ballots(self.profile.ballots, taken), scores=scores)


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """Methods that look at battles row by row, in order; a row that was taken twice stands twice, in its place."""

    profile: Profile
    key: str
    settings: Mapping[str, Any]
    draws: int
    said: str = "rows repeated in place"

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield the method's answer on the rows of each resample."""
        battles = self.profile.battles
        assert battles is not None
        if self.key == "elo" and len(battles) * self.draws >= COMPILE:
            compiled_steps(in_turn)  # from now on elo runs compiled, where numba is installed
        answer = ranked_answer(self.key, self.settings)
        for taken in weights:
            yield attempted(answer, replace(self.profile, source=drawn_battles(battles, taken)))


@dataclass(frozen=True, slots=True, eq=False)
class Called:
    """A user's function, which gets evidence of the kind that was given."""

    evidence: Battles | Ballots | Scores | Pairs
    function: Function
    settings: Mapping[str, Any]
    per: str
    cells: PairCells | None
    said: str = "evidence for a function"

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield the function's answer on each resample."""
        answer = partial(function_answer, self.function, self.settings)
        for evidence in self._drawn(weights):
            yield attempted(answer, evidence)

    def _drawn(self, weights: Codes) -> Iterator[Evidence]:
        if self.cells is not None:
            yield from resampled_pairs(self.cells, weights)
            return
        for taken in weights:
            if isinstance(self.evidence, Battles):
                yield drawn_battles(self.evidence, taken)
            elif isinstance(self.evidence, Ballots):
                yield drawn_ballots(self.evidence, taken)
            elif isinstance(self.evidence, Scores):
                yield drawn_scores(self.evidence, self.per, taken)


def attempted(answer: Callable[[T], Answer], drawn: T) -> Answer | Failure:
    """Return the answer, or why data like these have none."""
    try:
        return answer(drawn)
    except DataError as error:
        return reason(error)


def drawn_battles(battles: Battles, taken: Codes) -> Battles:
    """Return the battles, each standing as often as it was taken, all in the order in which they happened.

    >>> drawn_battles(Battles.of([("ada", "bob", 1), ("ada", "bob", 0)]), np.array([1, 2])).outcome
    array([1., 0., 0.])
    """
    return battles.take(np.repeat(np.arange(len(battles)), taken))


def drawn_ballots(ballots: Ballots, taken: Codes) -> Ballots:
    """Return the ballots with these counts, those with none left out; nothing is validated again.

    >>> drawn_ballots(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]]), np.array([0, 3]))
    Ballots(2 agents, 3 ballots, 1 distinct)
    """
    kept = taken > 0
    return ballots.take(kept, count=taken[kept])


def drawn_scores(scores: Scores, per: str, taken: Codes) -> Scores:
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
    >>> drawn_scores(scores, "task", np.array([0, 2])).tasks
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
    told = scores.higher_is_better
    origin = origin if column == "task" else {}
    better = {name: told[origin.get(name, name)] for name in sorted(known) if origin.get(name, name) in told}
    return replace(
        scores,
        agent=scores.agent[rows],
        value=scores.value[rows],
        factors=factors,
        higher_is_better=better,
        stderr=None if scores.stderr is None else scores.stderr[rows],
    )


def _named_apart(codes: NDArray[np.int32], copies: Codes, levels: tuple[str, ...]) -> tuple[Factor, dict[str, str]]:
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
