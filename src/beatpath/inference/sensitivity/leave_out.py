"""Leave one out: the ranking without each task, judge, cluster or agent, and what changes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import Record, TableResult
from beatpath._sentence import named, plain_text
from beatpath._text import counted, joined, listed, quoted, suggestion
from beatpath._validate import require_whole
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Margins, Pairs, Scores, WinRates
from beatpath.evidence.select import without
from beatpath.inference.bootstrap.workers import Progress, results
from beatpath.inference.ranking.rank import rank
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.registry import method_named
from beatpath.methods.result import Ranking, levels_as_names

AGENT = "agent"  # the value of `by` that leaves out agents
SHOWN = 5  # most levels named in a sentence
AS_COUNTED: dict[str, Any] = {"matrix": "raw"}  # defaults: battles are counted without each level
# names of levels, and a function to the evidence without the k-th
Rest = tuple[tuple[str, ...], Callable[[int], Evidence]]
ROWS_ONLY = ("position", "covariates", "weights")  # settings that need rows and not pair counts


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut(Record):
    """The ranking without one level.

    Attributes
    ----------
    name : str
        The level left out.
    agents : tuple of str
        Agents ranked without it.
    level : (n,) int or None
        Their levels, 0 the best; None where the method has no answer.
    expected : (n,) int
        Their levels in the full ranking.
    distance : float or None
        Kendall distance between the two, from 0 (the same) to 1 (reversed).
    why_not : str
        Why there is no answer; empty where there is one.
    """

    hidden: ClassVar = ("agents", "level", "expected")
    derived: ClassVar = ("levels", "winners", "changes_winner")

    name: str
    agents: tuple[str, ...]
    level: Ints | None
    expected: Ints
    distance: float | None
    why_not: str = ""

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Agents best first without the level, tied ones together; empty where the method has no answer."""
        return () if self.level is None else tuple(levels_as_names(self.level, self.agents))

    @property
    def winners(self) -> tuple[str, ...]:
        """Who is first without the level."""
        return self.levels[0] if self.levels else ()

    @property
    def changes_winner(self) -> bool:
        """Whether the winners differ from those of the full ranking among these agents."""
        return self.level is not None and self.winners != levels_as_names(self.expected, self.agents)[0]

    def change(self) -> tuple[float, int]:
        """Return how far the order changes: the distance, and the number of pairs reversed."""
        return self.distance or 0.0, len(self.reversed_pairs())

    def reversed_pairs(self) -> list[tuple[str, str]]:
        """Return the pairs that change places, as ``(now above, above in the full ranking)``, best first."""
        if self.level is None:
            return []
        order = np.lexsort((self.expected, self.level))
        level, expected = self.level[order], self.expected[order]
        above, below = np.nonzero((level[:, None] < level[None, :]) & (expected[:, None] > expected[None, :]))
        names = [self.agents[i] for i in order]
        return [(names[i], names[j]) for i, j in zip(above, below, strict=True)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LeaveOneOut(TableResult):
    """The full ranking, and the ranking without each level of a column.

    Attributes
    ----------
    by : str
        The column, or "agent".
    ranking : Ranking
        Of all the evidence.
    left_out : tuple of LeftOut
        Sorted by name.
    """

    by: str
    ranking: Ranking
    left_out: tuple[LeftOut, ...]

    @property
    def change_winner(self) -> tuple[LeftOut, ...]:
        """The levels whose removal changes the winner."""
        return tuple(one for one in self.left_out if one.changes_winner)

    @property
    def change_order(self) -> tuple[LeftOut, ...]:
        """The levels whose removal changes the order of some agents, the largest difference first."""
        return tuple(sorted((one for one in self.left_out if one.distance), key=LeftOut.change, reverse=True))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which levels change the winner, and which the order."""
        ran = [one for one in self.left_out if one.level is not None]
        sentences = [self._winner(len(ran)), self._order(len(ran))] if ran else []
        lost = [one for one in self.left_out if one.level is None]
        if lost:
            sentences.append(
                f"{self.ranking.method} gives no answer without {listed([one.name for one in lost], 3)}: {lost[0].why_not}"
            )
        return tuple(sentences)

    def _winner(self, n: int) -> str:
        method, whole, of = self.ranking.method, self.ranking.winners, self._counted(n)
        if not self.change_winner:
            stay = "the first of the others stay" if self.by == AGENT else _winners_that(whole, "stays", "stay")
            return f"Whichever of {of} is left out, {stay} first by {method}."
        texts = [
            f"without {quoted(one.name)}, {_winners_that(one.winners, 'is', 'are')} first" for one in self.change_winner
        ]
        first = f"{_winners_that(whole, 'is', 'are')} first by {method}"
        return f"{first}. Leaving out {len(texts):,} of {of} changes who is: {joined(texts, SHOWN)}."

    def _order(self, n: int) -> str:
        if not self.change_order:
            return "The order of no two agents changes."
        distance, pairs = self.change_order[0].change()
        most = [one.name for one in self.change_order if one.change() == (distance, pairs)]
        some = "any of the" if len(self.change_order) == n > 1 else f"{len(self.change_order):,} of"
        return (
            f"Leaving out {some} {self._counted(n)} changes some order, most of all {listed(most, 3)} "
            f"(Kendall distance {distance:.2g}, {counted(pairs, 'pair')} reversed{'' if len(most) == 1 else ' each'})."
        )

    def _counted(self, n: int) -> str:
        return counted(n, self.by) if self.by.isalpha() else f"{counted(n, 'level')} of {quoted(self.by)}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per level left out, the largest changes first."""
        rest = [one for one in self.left_out if not one.distance]
        return [
            {f"without {self.by}": one.name, "first": listed(one.winners) or one.why_not, "distance": one.distance}
            for one in (*self.change_order, *rest)
        ]


def leave_one_out(
    evidence: EvidenceLike,
    method: str,
    by: str = "task",
    *,
    workers: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> LeaveOneOut:
    """Rank again without each task, judge, cluster or agent, and report which of them the answer depends on.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates, or what `read` takes
        The data.
    method : str
        Any method that takes this evidence.
    by : str, default "task"
        A column of the evidence, "ballot" for distinct ballots, or "agent". Without an agent the others should keep
        their order (independence of irrelevant alternatives), and seldom do.
    workers : int, default 1
        Processes of joblib, as for `bootstrap`. The result does not depend on them.
    progress : function of levels done and levels in all, optional
        Called as levels complete.
    **options
        Conventions and settings, as for `rank`.

    Returns
    -------
    LeaveOneOut
        A level without which the method has no answer is included, with the reason.

    See Also
    --------
    smallest_influential_set : The fewest battles that change the winner.

    Examples
    --------
    >>> rows = [("ada", "bob", 1), ("ada", "bob", 1), ("ada", "bob", 0), ("bob", "ada", 1)]
    >>> battles = Battles.of([*rows, ("ada", "bob", 1)], factors={"task": Factor.of(["code", "code", "math", "math", "math"])})
    >>> print(leave_one_out(battles, "copeland", "task"))
    'ada' is first by copeland. Leaving out 1 of 2 tasks changes who is: without 'code', 'bob' is first.
    Leaving out 1 of 2 tasks changes some order, most of all 'code' (Kendall distance 1, 1 pair reversed).

    Notes
    -----
    Battles are counted by pair and level once and each level's counts subtracted, unless the method needs the rows.
    """
    evidence = as_evidence(evidence)
    require_whole("workers", workers)
    whole = rank(evidence, method, **AS_COUNTED | options)
    return left_out_of(whole, evidence, by, options, workers=workers, progress=progress)


def left_out_of(
    whole: Ranking,
    evidence: Evidence,
    by: str,
    options: dict[str, Any],
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> LeaveOneOut:
    """Compare a full ranking with those without each level of a column; see `leave_one_out`."""
    rest = _rest_of(evidence, whole.method, by, options)
    work = partial(_left_out, rest=rest, whole=whole, options=options)
    answers = results(work, range(len(rest[0])), workers, progress)
    return LeaveOneOut(by, whole, tuple(answers))


def _left_out(k: int, rest: Rest, whole: Ranking, options: dict[str, Any]) -> LeftOut:
    """Rank without the k-th level, and compare with the full ranking of the same agents."""
    name, part, method = rest[0][k], rest[1](k), whole.method
    place = dict(zip(whole.agents, whole.level_of().tolist(), strict=True))
    expected = np.unique([place[agent] for agent in part.agents], return_inverse=True)[1].astype(np.int64)
    try:
        level = rank(part, method, **AS_COUNTED | _kept_weights(part, options)).level_of()
    except DataError as error:
        return LeftOut(name, part.agents, None, expected, None, str(error))
    return LeftOut(name, part.agents, level, expected, kendall_distance(level, expected))


def _kept_weights(part: Evidence, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without the weights of tasks or voters that were left out."""
    weights = options.get("weights")
    columns = part.factors if isinstance(part, Battles | Ballots | Scores) else {}
    named = {level for name in ("task", "voter") if name in columns for level in columns[name].levels}
    if not weights or not named:
        return options
    return {**options, "weights": {name: weight for name, weight in weights.items() if name in named}}


def _rest_of(evidence: Evidence, method: str, by: str, options: dict[str, Any]) -> Rest:
    """Return the levels of a column, and the evidence without each of them."""
    if by == AGENT:
        names = tuple(sorted(evidence.agents)) if len(evidence.agents) > 1 else ()
        return names, lambda k: without(evidence, [names[k]])
    if isinstance(evidence, Margins | WinRates):
        raise UsageError(
            f"`by` must be agent where only {evidence.kind.replace('_', ' ')} are known; got {quoted(by)}. Other columns need "
            "the battles, ballots or scores."
        )
    if isinstance(evidence, Pairs):
        return _rest_of_cells(evidence.by(by), by)
    key = _column_to_leave(evidence, by)
    by_rows = any(options.get(name) for name in ROWS_ONLY)
    if isinstance(evidence, Battles) and "pairs" in method_named(method).takes and not by_rows:
        return _rest_of_cells(evidence.pairs([by]), by)
    return key.levels, lambda k: evidence.take(key.codes != k)


def _column_to_leave(evidence: Battles | Ballots | Scores, by: str) -> Factor:
    """Return the column to leave levels out of."""
    if isinstance(evidence, Battles):
        return evidence.factor(by)
    if isinstance(evidence, Ballots) and by == "ballot" and by not in evidence.factors:
        return Factor.of([f"{i:0{len(str(len(evidence)))}d}" for i in range(1, len(evidence) + 1)])
    if by not in evidence.factors:
        has = ", ".join(evidence.factors) or "they have none"
        raise UsageError(
            f"`by` must be agent or a column these {evidence.kind} have ({has}); got {quoted(by)}."
            f"{suggestion(by, evidence.factors)}"
        )
    return evidence.factors[by]


def _rest_of_cells(cells: Pairs, by: str) -> Rest:
    """Return the counts of all levels minus those of one; rounding residue is set to zero."""
    # 500 tasks of 200,000 battles take 0.7 processor seconds; counting the other levels again for each takes 6.1.
    whole, codes, n = cells.by(), cells.keys[by].codes, len(cells.agents)
    place = np.searchsorted(whole.a.astype(np.int64) * n + whole.b, cells.a.astype(np.int64) * n + cells.b)

    def without_level(k: int) -> Pairs:
        own = np.flatnonzero(codes == k)
        counts, battles = whole.counts.copy(), whole.battles.copy()
        np.subtract.at(counts, place[own], cells.counts[own])
        np.subtract.at(battles, place[own], cells.battles[own])
        left = np.flatnonzero(battles > 0)
        counts = np.where(counts > 1e-9 * whole.counts, counts, 0.0)[left]
        return Pairs(
            whole.agents, whole.a[left], whole.b[left], counts, battles=battles[left], conventions=whole.conventions
        )

    return cells.keys[by].levels, without_level


def _winners_that(names: tuple[str, ...], one: str, several: str) -> str:
    """Return the names with the verb in the right number."""
    return f"{plain_text(named(names))} {one if len(names) == 1 else several}"
