"""Clones: which methods change their answer when an agent is copied.

Submitting an agent twice should not change the ranking. Methods that are independent of clones guarantee it (Tideman
[1]_); others may still be unaffected on the data at hand, which can be tested.

References
----------
.. [1] T. N. Tideman, "Independence of clones as a criterion for voting rules", *Social Choice and Welfare* 4 (1987),
       185-206.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import UsageError
from beatpath._result import Record, TableResult
from beatpath._sentence import named, plain_text, together
from beatpath._text import listed, quoted
from beatpath._validate import require_agents
from beatpath.evidence import Ballots, Battles, Evidence, Factor, Margins, Pairs, Scores
from beatpath.evidence.conventions import ConventionOptions
from beatpath.evidence.pairs import TIE
from beatpath.inference.ranking.compare import compare_profile
from beatpath.inference.ranking.rank import as_profile
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS
from beatpath.methods.result import Ranking, levels_as_names, levels_by_score

E = TypeVar("E", bound=Evidence)
SHARES = ("maximal_lottery",)  # methods whose scores sum to one, so that a copy divides its original's share


@dataclass(frozen=True, slots=True, eq=False)
class Cloned(Record):
    """One method without and with the copy.

    Attributes
    ----------
    method : str
        Its key.
    before, after : tuple of str
        The winners; a winning copy appears under the name of its original.
    distance : float
        Kendall distance between the two orders of the original agents.
    promised : bool
        Whether the method is known to be independent of clones.
    """

    derived: ClassVar = ("winner_changes",)

    method: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    distance: float
    promised: bool

    @property
    def winner_changes(self) -> bool:
        """Whether the winners change."""
        return self.before != self.after

    @property
    def order_changes(self) -> bool:
        """Whether the order of any two agents changes."""
        return self.distance > 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clones(TableResult):
    """The effect of a copy of an agent on each method.

    Attributes
    ----------
    agent, copy : str
        The agent, and the name of its copy.
    methods : tuple of Cloned
        One per method that answers with and without the copy.
    not_run : mapping of method to sentence
        Methods that do not take this evidence, or have no answer with or without the copy, and why.
    evidence : evidence
        The evidence with the copy, for methods of your own.
    """

    hidden: ClassVar = ("evidence",)

    agent: str
    copy: str
    methods: tuple[Cloned, ...]
    not_run: Mapping[str, str]
    evidence: Evidence

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which methods change their answer, and which do not."""
        sentences = [
            f"A copy of {quoted(self.agent)} changes who is first by {one.method}, from {plain_text(named(one.before))} to "
            f"{plain_text(named(one.after))}."
            for one in self.methods
            if one.winner_changes
        ]
        for moves, what in ((True, "the order of others, not the winner,"), (False, "nothing")):
            names = [(one.method,) for one in self.methods if one.order_changes == moves and not one.winner_changes]
            if names:
                by = "".join(together(names, len(names)))
                sentences.append(f"A copy of {quoted(self.agent)} changes {what} by {by}.")
        return tuple(sentences)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per method: who is first without and with the copy."""
        return [
            {"method": one.method, "before": listed(one.before), "after": listed(one.after), "distance": one.distance}
            for one in self.methods
        ]


def clone(
    evidence: EvidenceLike | Profile,
    agent: str,
    methods: Sequence[str] | str = "all",
    *,
    copy: str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **conventions: Unpack[ConventionOptions],
) -> Clones:
    """Add a copy of an agent and report which methods change the winner, or the order of the others.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates, or what `read` takes
        The data.
    agent : str
        The agent to copy; see `with_clone`.
    methods : sequence of str, or "all"
        As for `compare_methods`.
    copy : str, optional
        The copy's name.
    settings, **conventions
        As for `compare_methods`.

    Returns
    -------
    Clones

    Examples
    --------
    Five of seven rank ada first. A second cyd costs ada nothing with them, but one more place with the other two.

    >>> from beatpath import Ballots
    >>> ballots = Ballots.of([[["ada"], ["bob"], ["cyd"]], [["bob"], ["cyd"], ["ada"]]], count=[5, 2])
    >>> print(clone(ballots, "cyd", ["borda", "schulze"]))
    A copy of 'cyd' changes who is first by borda, from 'ada' to 'bob'.
    A copy of 'cyd' changes nothing by schulze.
    """
    profile = as_profile(evidence, conventions)
    added = with_clone(profile.evidence, agent, copy)
    name = next(one for one in added.agents if one not in profile.agents)
    both_profiles = profile, profile_of(added, profile.chosen)
    before, after = (compare_profile(one, methods, settings=settings, matrix="raw") for one in both_profiles)
    rankings = {one.method: one for one in after.rankings}
    both = [one for one in before.rankings if one.method in rankings]
    return Clones(
        agent,
        name,
        tuple(_cloned(one, rankings[one.method], agent, name) for one in both),
        {**before.not_run, **after.not_run},
        added,
    )


def _cloned(before: Ranking, after: Ranking, agent: str, copy: str) -> Cloned:
    """Compare a method's two rankings; the copy is dropped or, where scores are shares, added to its original."""
    if before.method in SHARES:
        pooled = {**after.scores, agent: after.scores[agent] + after.scores[copy]}
        level = levels_by_score(np.array([pooled[name] for name in before.agents]), 1e-8)
        winners = set(levels_as_names(level, before.agents)[0])
    else:
        level = after.level_of()[[after.agents.index(name) for name in before.agents]]
        winners = {agent if name == copy else name for name in after.winners}
    distance = kendall_distance(before.level_of(), level)
    promised = "clone" in METHODS[before.method].properties
    return Cloned(before.method, before.winners, tuple(sorted(winners)), distance, promised)


def with_clone(evidence: E, agent: str, copy: str | None = None) -> E:
    """Return the evidence with a copy of an agent: the same results against everybody, and ties between the two.

    On ballots and score tables the copy is tied with its original. In battles the copy repeats all battles of the
    original, and the two tie as often as the original has battles against a rival in the median.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        The data.
    agent : str
        The agent to copy.
    copy : str, optional
        The copy's name; by default the agent's with " (copy)".

    Examples
    --------
    >>> list(with_clone(Ballots.of([[["ada"], ["bob"]]]), "bob"))
    [[('ada',), ('bob', 'bob (copy)')]]
    >>> with_clone(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]), "ada").counts
    array([[3., 1., 0., 0.],
           [0., 0., 4., 0.],
           [1., 3., 0., 0.]])
    """
    evidence = as_evidence(evidence)
    require_agents([agent], evidence.agents)
    name = free_name(f"{agent} (copy)", evidence.agents) if copy is None else copy
    if name in evidence.agents:
        raise UsageError(f"`copy` must be a new name; {quoted(name)} is an agent already.")
    return _added(evidence, evidence.agents.index(agent), (*evidence.agents, name))


def free_name(name: str, taken: Sequence[str]) -> str:
    """Return the name, with marks appended until it is new."""
    while name in taken:
        name += "*"
    return name


def _added(evidence: Any, x: int, agents: tuple[str, ...]) -> Any:
    """Return the evidence with the last of `agents` as a copy of agent `x`."""
    if isinstance(evidence, Battles):
        return _battles_with_copy(evidence, x, agents)
    if isinstance(evidence, Pairs):
        return _pairs_with_copy(evidence, x, agents)
    if isinstance(evidence, Ballots):
        rows, copied = _twice(evidence.agent == x)
        agent = np.where(copied, len(agents) - 1, evidence.agent[rows]).astype(np.int32)
        start = evidence.start + np.append(0, np.cumsum(evidence.agent == x))[evidence.start]
        return replace(evidence, agents=agents, agent=agent, place=evidence.place[rows], start=start)
    if isinstance(evidence, Scores):
        rows, copied = _twice(evidence.agent == x)
        more = evidence.take(rows)
        return replace(more, agents=agents, agent=np.where(copied, len(agents) - 1, more.agent).astype(np.int32))
    index = np.append(np.arange(len(agents) - 1), x)
    square = np.ix_(index, index)
    if isinstance(evidence, Margins):
        assert evidence.played is not None
        played = evidence.played[square].copy()
        played[x, -1] = played[-1, x] = True
        return replace(evidence, agents=agents, matrix=evidence.matrix[square], played=played)
    return replace(evidence, agents=agents, matrix=evidence.matrix[square])


def _twice(its: Bools) -> tuple[Ints, Bools]:
    """Return all rows, some of them twice, and which are the second of two."""
    rows = np.repeat(np.arange(len(its)), 1 + its)
    return rows, np.diff(rows, prepend=-1) == 0


def _battles_with_copy(battles: Battles, x: int, agents: tuple[str, ...]) -> Battles:
    """Repeat every battle of the original for the copy, right after it; ties of the two at the end."""
    its = (battles.a == x) | (battles.b == x)
    rows, copied = _twice(its)
    n_ties = _typical(np.bincount(np.where(battles.a == x, battles.b, battles.a)[its]))
    more = battles.take(np.concatenate([rows, np.full(n_ties, rows[-1] if len(rows) else 0)]))
    last = np.arange(len(more)) >= len(rows)
    new = len(agents) - 1
    copied = np.append(copied, np.zeros(n_ties, dtype=bool))
    return replace(
        more,
        agents=agents,
        a=np.where(last, x, np.where(copied & (more.a == x), new, more.a)),
        b=np.where(last, new, np.where(copied & (more.b == x), new, more.b)),
        outcome=np.where(last, 0.5, more.outcome),
        both_bad=None if more.both_bad is None else more.both_bad & ~last,
        weight=None if more.weight is None else np.where(last, 1.0, more.weight),
        position=None if more.position is None else np.where(last, 0, more.position),
        factors={name: Factor(np.where(last, -1, f.codes), f.levels) for name, f in more.factors.items()},
        covariates={name: np.where(last, 0.0, values) for name, values in more.covariates.items()},
    )


def _pairs_with_copy(pairs: Pairs, x: int, agents: tuple[str, ...]) -> Pairs:
    """Repeat every cell of the original for the copy, and add a cell of ties."""
    its = (pairs.a == x) | (pairs.b == x)
    new, none = len(agents) - 1, np.zeros(1)
    met = np.bincount(np.where(pairs.a == x, pairs.b, pairs.a)[its], pairs.battles[its])
    ties = np.zeros((1, 4))
    ties[0, TIE] = _typical(met)

    def grown(values: NDArray[Any] | None, last: NDArray[Any]) -> NDArray[Any] | None:
        return None if values is None else np.concatenate([values, values[its], last])

    keys = {
        name: Factor(np.concatenate([f.codes, f.codes[its], [-1]]).astype(np.int32), f.levels)
        for name, f in pairs.keys.items()
    }
    return Pairs.from_cells(
        agents,
        np.concatenate([pairs.a, np.where(pairs.a == x, new, pairs.a)[its], [x]]),
        np.concatenate([pairs.b, np.where(pairs.b == x, new, pairs.b)[its], [new]]),
        np.concatenate([pairs.counts, pairs.counts[its], ties]),
        battles=grown(pairs.battles, ties.sum(axis=1)),
        squares=grown(pairs.squares, ties),
        soft=grown(pairs.soft, none),
        keys=keys,
        conventions=pairs.conventions,
        reading=pairs.reading,
    )


def _typical(met: NDArray[Any]) -> int:
    """Return the median number of battles of the original over its rivals."""
    met = met[met > 0]
    return int(np.median(met)) if len(met) else 0
