"""Compare methods: who is first by how many, how far rankings are apart, and which agents methods disagree about.

A method that ties all agents gives no answer to who is first and does not count as a disagreement. One that ties most
agents selects a few winners: the rank it gives the others carries no information.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from operator import or_
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import numpy as np

from beatpath._arrays import Floats
from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, UsageError, spoken
from beatpath._result import Delegate, Record, Rows, TableResult, plot_result
from beatpath._sentence import MOST_NAMES, OPEN, RESOLVED, UNKNOWN, Name, Sentence, named, together
from beatpath._text import all_of, counted, listed, quoted
from beatpath._typing import Matrix
from beatpath.evidence import Ballots, Battles, Pairs
from beatpath.evidence.condorcet import Condorcet
from beatpath.evidence.conventions import ConventionOptions
from beatpath.evidence.scores import lower_noted
from beatpath.evidence_design.field import profile_among, unplaced_sentence
from beatpath.inference.options import AUTO, placed_alone
from beatpath.inference.ranking.rank import Basis, as_profile, components_of, left_out, resolved_signs
from beatpath.methods.graph.connection import groups_named, unconnected
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS, Method, method_named
from beatpath.methods.result import Ranking

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix

MOST_GROUPS = 4  # most different winners listed, each with its methods
MOST_METHODS = 3  # most methods named
FEW_METHODS = 2  # most methods named per winner; more are counted
MOST_PARTS = 20  # most components ranked, the largest
MOST_TOP = 10  # largest agreed top group that is reported


def first_places(rankings: Sequence[Ranking]) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return agents that share first place with the methods that put them there, most methods first.

    >>> from beatpath import Ballots, compare_methods
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> first_places(compare_methods(Ballots.of(votes, count=[1, 1, 2, 1]), ["copeland", "borda"]).rankings)
    [(('C',), ['copeland']), (('A', 'C'), ['borda'])]
    """
    winners: dict[tuple[str, ...], list[str]] = {}
    for ranking in rankings:
        if len(ranking.levels) > 1:
            winners.setdefault(tuple(sorted(ranking.winners)), []).append(ranking.method)
    return sorted(winners.items(), key=lambda one: (-len(one[1]), len(one[0]), one[0]))


def agreement(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    """Return how many methods put whom first, as parts of a sentence without its period."""
    first, silent = first_places(rankings), [one.method for one in rankings if len(one.levels) < 2]
    if not first:
        many = f"{silent[0]} ties" if len(silent) == 1 else f"{all_of(len(silent))} methods tie"
        return (f"No method separates agents: {many} all agents",)
    agents, most = first[0]
    text = (_most_methods(most, len(rankings) - len(silent)), *_ranked_first(agents, most))
    for others, methods in first[1:MOST_GROUPS]:
        few = _methods_named(methods) if len(methods) <= FEW_METHODS else f"{len(methods)}"
        text += ("; ", few, *_ranked_first(others, methods))
    left = sum(len(methods) for _, methods in first[MOST_GROUPS:])
    text += (f"; {counted(left, 'more method ranks', 'more methods rank')} others first",) if left else ()
    if silent:
        text += (f"; {_methods_named(silent)} {'ties' if len(silent) == 1 else 'tie'} all agents",)
    return text


def _most_methods(methods: Sequence[str], k: int) -> str:
    """Name the methods of the most frequent of *k* answers."""
    if len(methods) == 1:
        return methods[0]
    if len(methods) == k:
        return "Both methods" if k == 2 else f"All {k} methods"
    return f"{len(methods)} of {k} methods"


def _ranked_first(agents: tuple[str, ...], methods: Sequence[str]) -> tuple[str, ...]:
    several = len(methods) > 1
    if len(agents) > 1:
        who = named(agents) if len(agents) <= MOST_NAMES else (f"{len(agents):,} agents",)
        return (" tie " if several else " ties ", *who, " for first")
    return (" rank " if several else " ranks ", *named(agents), " first")


def ordering(rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """Return the rankings that order agents: no level holds more than half of them, nor all of two."""
    return tuple(
        ranking
        for ranking in rankings
        if len(ranking.levels) > 1 and 2 * max(map(len, ranking.levels)) <= max(len(ranking.agents), 4)
    )


def agreed_top(rankings: Sequence[Ranking]) -> int:
    """Return the size of the largest top group that all methods agree on, up to ten and half of all; 0 if none."""
    if not rankings:
        return 0
    most = min(MOST_TOP, max(1, len(rankings[0].agents) // 2))
    unions = [accumulate(map(frozenset[str], ranking.levels), or_) for ranking in rankings]
    tops = [set(takewhile(lambda top: len(top) <= most, tops)) for tops in unions]
    return max(map(len, set.intersection(*tops)), default=0)


def _methods_named(methods: Sequence[str]) -> str:
    """List methods as text, counting those after a few.

    >>> _methods_named(["elo", "ranked_pairs"]), _methods_named(list("abcde"))
    ('elo and ranked_pairs', 'a, b, c and 2 more')
    """
    return "".join(together([(method,) for method in methods], MOST_METHODS))


def moves_text(moved: Sequence[tuple[str, int, int]], rankings: Sequence[Ranking], most: int) -> tuple[str, ...]:
    """Return the agents that methods disagree most about, with the two most distant methods, as parts of a sentence."""
    parts: tuple[str, ...] = ()
    for name, best, worst in moved[:most]:
        by = {ranking.rank(name): ranking.method for ranking in reversed(rankings)}
        where = f" (rank {best} by {by[best]}, {worst} by {by[worst]})"
        parts += (*(("; ",) if parts else ()), Name(name), where)
    return parts


RERUN = 100  # agents up to whom rules are run on the other matrix too, which doubles their time
MOST_MOVERS = 3  # most agents named that methods disagree about
UNEVEN = 10  # ratio of battles between the most and the least played pair from which a note warns


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(TableResult):
    """The rankings of several methods on the same evidence.

    Parameters
    ----------
    rankings : tuple of Ranking
        In the order requested.
    distances : (k, k) float
        Kendall distances between them, from 0 (the same) to 1 (reversed).
    not_run : mapping of method to sentence
        Methods that do not take this kind of evidence, or have no answer on it, and why.
    votes : VoteDiversity or None
        How diverse the voters are, where there are ballots.
    notes : tuple of str
        Caveats, as sentences.
    parts : str
        The connected components as text; empty where there is one.
    unplaced : tuple of str
        Agents with too little data to be placed, which are not ranked; see `field`.
    components : tuple of Comparison
        Where battles leave several components of two or more agents: each of the largest, ranked by itself. No method
        ranks agents of different components: `rankings` are empty.
    not_ranked : tuple of str
        Agents of other components.
    """

    plot = plot_result

    hidden: ClassVar = ("rankings", "parts")
    derived: ClassVar = ("answer=short_answer", "results=rankings", "condorcet", "movers")

    rankings: tuple[Ranking, ...]
    distances: Floats
    not_run: Mapping[str, str]
    votes: VoteDiversity | None = None
    notes: tuple[str, ...] = ()
    parts: str = ""
    unplaced: tuple[str, ...] = ()
    components: tuple[Comparison, ...] = ()
    not_ranked: tuple[str, ...] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents."""
        return (
            self.rankings[0].agents if self.rankings else sum((one.agents for one in self.components), self.not_ranked)
        )

    @property
    def by_component(self) -> tuple[Comparison, ...]:
        """The comparisons that hold rankings: those of the components, or this one where all agents are connected."""
        return self.components or (self,)

    @property
    def methods(self) -> tuple[str, ...]:
        """Keys of the methods that ranked agents."""
        return tuple(dict.fromkeys(ranking.method for one in self.by_component for ranking in one.rankings))

    @property
    def condorcet(self) -> Condorcet:
        """The Condorcet winners, of the data that pairwise methods used where one was run; none across components."""
        if self.components:
            return Condorcet(None, ())
        comparing = (one for one in self.rankings if METHODS[one.method].compares)
        return next(comparing, self.rankings[0]).condorcet

    def movers(self) -> list[tuple[str, int, int]]:
        """Return ``(agent, best rank, worst rank)`` over the methods that order all agents, largest difference first.

        A method that ties more than half of the agents does not count. Differences use the mean of the ranks that tied
        agents share. Across components nobody is compared: theirs are in `components`.
        """
        if self.components:
            return []
        rankings = ordering(self.rankings) or self.rankings
        middle = [r.middle_ranks() for r in rankings]
        move = {agent: max(r[agent] for r in middle) - min(r[agent] for r in middle) for agent in self.agents}
        ranks = {agent: [r.rank(agent) for r in rankings] for agent in self.agents}
        moved = [(agent, min(ranks[agent]), max(ranks[agent])) for agent in self.agents]
        return sorted(moved, key=lambda m: (-move[m[0]], m[1], m[0]))

    def agreed(self) -> tuple[str, ...]:
        """Return the agents that every method puts among its winners."""
        return tuple(agent for agent in self.agents if all(agent in r.winners for r in self.rankings))

    short_answer = Delegate[str]("answer.text", "How many methods put whom first, as text.")

    @property
    def answer(self) -> Sentence:
        """How many methods put whom first; where each component is ranked by itself, that it is."""
        if self.components:
            fall = f"The {len(self.agents):,} agents form connected components, each ranked by itself: no agent is first of all."
            return Sentence((fall,), OPEN, "methods")
        tone = RESOLVED if len(first_places(self.rankings)) == 1 else OPEN
        return Sentence((*agreement(self.rankings), "."), tone, "methods")

    @property
    def head_to_head(self) -> Sentence:
        """Whether anyone beats every other agent head to head."""
        winners, n = self.condorcet, len(self.agents)
        by = "By the estimated win rates" if _uses_estimates(self.rankings) else "By majorities"
        if n == 1:
            return Sentence((Name(self.agents[0]), " is the only agent."), UNKNOWN, "data")
        if winners.strong is not None:
            beats = " beats every other agent head to head: it is the Condorcet winner."
            return Sentence((f"{by}, ", Name(winners.strong), beats), RESOLVED, "methods")
        if len(winners.weak) == n:
            return Sentence(("Every pair is tied or was not compared: no agent is above another.",), OPEN, "methods")
        if winners.weak:
            verb = "loses" if len(winners.weak) == 1 else "lose"
            weak = (f"{by}, no agent beats all others; ", *named(winners.weak), f" {verb} to none.")
            return Sentence(weak, OPEN, "methods")
        return Sentence((f"{by}, every agent loses to another: there is no Condorcet winner.",), OPEN, "methods")

    def moves(self, most: int = MOST_MOVERS) -> Sentence | None:
        """State which agents the methods disagree about, or that they agree; None without two that order all agents."""
        rankings = ordering(self.rankings)
        if len(rankings) < 2:
            return None
        moved = [one for one in self.movers() if one[2] > one[1]]
        every = len(rankings) == len(self.rankings)
        many = "The methods" if every else f"The {len(rankings)} methods that order all agents"
        if not moved:
            return Sentence((f"{many} give every agent the same rank.",), RESOLVED, "methods")
        top = agreed_top(rankings)
        same = f"name the same top {top}, and " if top > 1 else ""
        differ = (f"{many} {same}differ most about ", *moves_text(moved, rankings, most), ".")
        return Sentence(differ, OPEN, "methods")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is first by how many methods, who beats everybody head to head, who moves most, and caveats."""
        if self.components:
            return (self.short_answer, *self.field_note, *self._component_sentences)
        sentences = (None if self.parts else self.head_to_head, None if self.parts else self.moves())
        return (
            *self._components_note,
            self.short_answer,
            *self.field_note,
            *(one.text for one in sentences if one is not None),
            *(() if self.votes is None else (str(self.votes),)),
            *self.notes,
            *(f"{r.method}: {r.caveat}." for r in self.rankings if r.caveat and len(r.levels) > 1),
            *self.not_run_sentences,
        )

    @property
    def field_note(self) -> tuple[str, ...]:
        """Name the agents with too little data to be placed."""
        if not self.unplaced:
            return ()
        return (unplaced_sentence(self.unplaced, f"The {len(self.agents):,} others are ranked"),)

    @property
    def _component_sentences(self) -> tuple[str, ...]:
        """State what each component says by itself, and how many more there are."""
        several = tuple(
            f"{one.component_title(k)}: {' '.join(one.sentences)}" for k, one in enumerate(self.components, start=1)
        )
        rest = len(self.not_ranked)
        others = f"{counted(rest, 'agent')} of other components {'is' if rest == 1 else 'are'} not ranked; `only` selects agents."
        return (*several, others) if rest else several

    def component_title(self, number: int) -> str:
        """Return a component's number, size and first agents."""
        return f"Component {number} ({counted(len(self.agents), 'agent')}: {listed(self.agents, 3)})"

    @property
    def _components_note(self) -> tuple[str, ...]:
        """Warn that agents are not all connected, and which methods compare across components all the same."""
        if not self.parts:
            return ()
        if all(isinstance(r.settings.get("covariates"), Mapping) for r in self.rankings):
            reason = "the order across components follows from the covariates alone"
            return (f"The agents form connected components ({self.parts}): {reason}.",)
        names, give = _methods_named([r.method for r in self.rankings]), "gives" if len(self.rankings) == 1 else "give"
        claim = f"the order that {names} {give} across components is arbitrary"
        fall = f"The agents form connected components ({self.parts}), and no method can order agents of different components"
        return (f"{fall}: {claim}. Rank each component by itself with `only`.",)

    @property
    def not_run_sentences(self) -> tuple[str, ...]:
        """State why methods have no answer, grouped by reason; missing connections come first."""
        why: dict[str, list[str]] = {}
        for key, reason in self.not_run.items():
            if not reason.startswith("takes "):
                apart = self.parts and ("no chain of battles" in reason or "not connected" in reason)
                why.setdefault("the agents are not connected." if apart else reason, []).append(key)
        return tuple(
            f"{', '.join(keys)} {'was' if len(keys) == 1 else 'were'} not run: {reason}" for reason, keys in why.items()
        )

    def __str__(self) -> str:
        titled = (f"{one.component_title(k)}\n{one}" for k, one in enumerate(self.components, start=1))
        return "\n".join((*map(str, self.rankings), *titled))

    def rows(self) -> Rows:
        """Return the rank of every agent by each method, in `order`; within its component where there are several."""
        if self.components:
            numbered = enumerate(self.components, start=1)
            return [{"component": k, **row} for k, one in numbered for row in one.rows()]
        return [{"agent": name, **{r.method: r.rank(name) for r in self.rankings}} for name in self.order()]

    def order(self) -> list[str]:
        """Return the agents by mean rank over the methods, component by component, for display only."""
        if self.components:
            return [*(agent for one in self.components for agent in one.order()), *self.not_ranked]
        ranks = [r.middle_ranks() for r in self.rankings]
        mean = {agent: sum(r[agent] for r in ranks) for agent in self.agents}
        return sorted(self.agents, key=lambda agent: (mean[agent], agent))


def compare_methods(
    evidence: EvidenceLike,
    methods: Sequence[str] | str = "all",
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    field: str = AUTO,
    **conventions: Unpack[ConventionOptions],
) -> Comparison:
    """Rank agents by several methods on the same evidence, and measure how far the rankings are apart.

    Use it to see whether a conclusion depends on the method. Use `rank` for one method and `resolve` for uncertainty.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates, or what `read` takes
        The data.
    methods : sequence of str, or "all"
        Keys of methods. "all" runs every method for this kind of evidence and lists the others in `not_run`; it may be
        combined with keys of methods that run only by name.
    settings : mapping of method to its settings, optional
        Keyword arguments by method.
    field : {"auto", "all"}
        Leave out agents with too little data to be placed, as `resolve` and `core` do, and name them; or rank all.
    **conventions
        As for `rank`: ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix.

    Returns
    -------
    Comparison

    See Also
    --------
    rank : One method.
    stability : How rankings vary within the uncertainty of the win rates.

    Examples
    --------
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> both = compare_methods(Ballots.of(votes, count=[1, 1, 2, 1]), ["copeland", "borda"])
    >>> print(both)
    copeland: C > A > B
    borda: A = C > B
    >>> round(float(both.distances[0, 1]), 3)
    0.167
    """
    profile = as_profile(evidence, conventions)
    placed, unplaced = placed_alone(profile.evidence, field)
    profile = profile_of(placed, profile.chosen) if unplaced else profile
    comparison = replace(compare_components(profile, methods, settings), unplaced=unplaced)
    if comparison.components:
        return comparison
    return replace(comparison, notes=(*comparison.notes, *_other_matrix(profile, comparison.rankings, settings or {})))


def compare_components(
    profile: Profile,
    methods: Sequence[str] | str = "all",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    without_answer: Literal["raise", "tell"] = "raise",
) -> Comparison:
    """Rank the agents of a profile, and where battles do not connect them, each of the largest components by itself.

    `without_answer` is that of `compare_profile` where all are connected.
    """
    components = _by_component(profile, methods, settings or {})
    if not components:
        return compare_profile(profile, methods, settings=settings, without_answer=without_answer)
    ranked = {agent for one in components for agent in one.agents}
    others = tuple(agent for agent in profile.agents if agent not in ranked)
    return Comparison((), np.zeros((0, 0)), {}, parts=_parts_of(profile), components=components, not_ranked=others)


def _by_component(
    profile: Profile, methods: Sequence[str] | str, settings: Mapping[str, Mapping[str, Any]]
) -> tuple[Comparison, ...]:
    """Return the comparison within each of the largest components; none where all agents are connected.

    Priors and covariates connect agents that battles do not.
    """
    joined = any(one.get("prior") or isinstance(one.get("covariates"), Mapping) for one in settings.values())
    if joined or not isinstance(profile.source, Battles | Pairs):
        return ()
    several = [agents for agents in components_of(profile) if len(agents) > 1]
    if len(several) < 2:
        return ()
    ranked = []
    for agents in several[:MOST_PARTS]:
        part = profile_among(profile, agents)
        with suppress(DataError):  # a method has no answer on this component: its agents are not ranked
            ranked.append(compare_profile(part, methods, settings=settings, without_answer="tell"))
    return tuple(ranked)


def compare_profile(
    profile: Profile,
    methods: Sequence[str] | str = "all",
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    matrix: Matrix | None = None,
    without_answer: Literal["raise", "tell"] = "raise",
) -> Comparison:
    """Rank the agents of a profile by several methods; see `compare_methods`.

    `matrix` overrides that of the profile. A method requested by name without an answer raises, or with "tell" is
    listed in `not_run` if another method has one.
    """
    chosen, named_, unable = _method_keys(profile, methods)
    basis, rankings, failed = Basis(profile, matrix), [], []
    for method in (m for m in chosen if m.key not in unable):
        try:
            rankings.append(basis.rank(method, dict((settings or {}).get(method.key, {}))))
        except DataError as error:
            if method.key in named_ and without_answer == "raise":
                raise
            unable[method.key] = str(error)
            failed.append(str(error))
    if not rankings:
        raise DataError(next(iter(failed), "no method has an answer."))
    distances = np.array([[kendall_distance(a.level_of(), b.level_of()) for b in rankings] for a in rankings])
    votes = None if profile.ballots is None else vote_diversity(profile.ballots)
    judge_notes = tuple(f"{one.meaning.capitalize()}." for one in profile.conventions if one.name == "judges")
    used = _comparison_notes(profile, rankings, basis.found)
    notes = (*judge_notes, *lower_noted(profile.scores), *_runs_note(profile), *used)
    return Comparison(tuple(rankings), distances, unable, votes, notes, _parts_of(profile))


def _uses_estimates(rankings: Sequence[Ranking]) -> bool:
    """Return whether pairwise methods used estimated win rates."""
    comparing = (one for one in rankings if METHODS[one.method].compares)
    return any(("matrix", "estimated") == (c.name, c.value) for one in comparing for c in one.conventions)


def _parts_of(profile: Profile) -> str:
    """Return the connected components as text; empty where there is one, or no pairs are counted."""
    ballots = profile.ballots
    if len(profile.agents) < 2 or (ballots is None and profile.pairs is None):
        return ""
    if ballots is not None:  # all agents of a ballot are connected through its first
        length = np.diff(ballots.start)
        a, b = np.repeat(ballots.agent[ballots.start[:-1][length > 0]], length[length > 0]), ballots.agent
    elif profile.pairs is not None:
        a, b = profile.pairs.a, profile.pairs.b
    number, part = unconnected(len(profile.agents), a, b)
    return groups_named(profile.agents, part) if number > 1 else ""


def _method_keys(profile: Profile, methods: Sequence[str] | str) -> tuple[list[Method], frozenset[str], dict[str, str]]:
    """Return the methods to run, those requested by name, and the reasons why others cannot run."""
    kind, names = profile.evidence.kind, [methods] if isinstance(methods, str) else list(methods)
    usual = [key for key, method in METHODS.items() if not method.by_name] if "all" in names else []
    by_name = [method_named(key) for key in names if key != "all"]
    chosen = list({m.key: m for m in (*by_name, *map(method_named, usual))}.values())
    if not chosen:
        raise UsageError("`methods` must name at least one method; `beatpath methods` lists them.")
    unable = {m.key: f"takes {', '.join(sorted(m.takes))}" for m in chosen if kind not in m.takes}
    first = next((m.key for m in by_name if m.key in unable), None)
    if first is not None:
        able = ", ".join(m.key for m in METHODS.values() if kind in m.takes)
        raise UsageError(f"{quoted(first)} {unable[first]}; {kind} are neither. These do: {able}.")
    named_ = frozenset(m.key for m in by_name)
    rest = [m for m in chosen if m.key not in named_ and m.key not in unable]
    return chosen, named_, unable | left_out(profile, rest)


def _runs_note(profile: Profile) -> tuple[str, ...]:
    """Explain how several runs of an agent on a task enter."""
    if profile.scores is None:
        return ()
    from beatpath.inference.runs.runs import runs_note

    number, per = runs_note(profile.scores, profile.chosen), profile.unit
    sure = "`resolve` gives the uncertainty, `runs` summarizes runs"
    return (f"There are {number}: every {per} ranks agents by the means of their runs; {sure}.",) if number else ()


def _comparison_notes(profile: Profile, rankings: Sequence[Ranking], matrix: WinMatrix | None) -> tuple[str, ...]:
    """State which data pairwise methods used: estimates, or counts that depend on how often pairs were compared."""
    comparing = [one for one in rankings if METHODS[one.method].compares]
    if profile.ballots is not None or profile.pairs is None or not comparing or not len(profile.pairs):
        return ()
    taken = {one.name: one.value for one in comparing[0].conventions}
    if matrix is not None:
        n = len(matrix.agents) * (len(matrix.agents) - 1) // 2
        text = f"Pairwise methods use the estimated win rate of each of {counted(n, 'pair')}"
        open_ = n - int(resolved_signs(matrix).sum()) // 2
        signs = f"the winner of {open_:,} is not resolved (95 %, tested one by one)" if open_ else "all are resolved"
        direct = f"of which {len(profile.pairs):,} {'was' if len(profile.pairs) == 1 else 'were'} compared directly"
        return (spoken(f"{text}, {direct}; {signs}. With `--matrix raw` they use counts."),)
    most, fewest = int(profile.pairs.battles.max()), int(profile.pairs.battles.min())
    if taken.get("pair_weight") != "count" or most < UNEVEN * max(fewest, 1):
        return ()
    text = f"Pairs have {fewest:,} to {most:,} battles: methods that compare the sizes of wins favor agents with few battles per rival."
    return (f"{text} With `matrix` set to estimated, the number of battles does not matter.",)


def _other_matrix(
    profile: Profile, rankings: Sequence[Ranking], settings: Mapping[str, Mapping[str, Any]]
) -> tuple[str, ...]:
    """How many rules that compare pairs would put somebody else first with counts instead of estimates, or the reverse."""
    comparing = [one for one in rankings if METHODS[one.method].compares]
    if not comparing or not isinstance(profile.source, Battles | Pairs) or not 2 < len(profile.agents) <= RERUN:
        return ()
    estimated = _uses_estimates(comparing)
    basis, winners = Basis(profile, "raw" if estimated else "estimated"), []
    try:
        for one in comparing:
            winners.append(basis.rank(method_named(one.method), dict(settings.get(one.method, {}))).winners)
    except DataError:
        return ()
    changed = sum(set(one.winners) != set(other) for one, other in zip(comparing, winners, strict=True))
    other = spoken("counted battles (`--matrix raw`)" if estimated else "estimated win rates (`--matrix estimated`)")
    if len(comparing) == 1:
        return (f"With {other}, the winner would be {'different' if changed else 'the same'}.",)
    return (f"With {other}, {changed:,} of these {len(comparing):,} rules would name a different winner.",)


@dataclass(frozen=True, slots=True)
class VoteDiversity(Record):
    """How diverse the voters are (VasE, Observation 1).

    Attributes
    ----------
    total, distinct : int
        Number of votes, and of distinct votes.
    histogram : mapping of int to int
        From how often a vote was cast to the number of distinct votes cast that often.
    """

    derived: ClassVar = ("diversity",)

    total: int
    distinct: int
    histogram: Mapping[int, int]

    def __str__(self) -> str:
        if self.distinct == self.total:
            return f"No two of {self.total:,} votes give the same order." if self.total > 1 else "There is one order."
        most = max(self.histogram)
        return f"{self.total:,} orders of {counted(self.distinct, 'kind')}; the most common occurs {most:,} times."

    @property
    def diversity(self) -> float | None:
        """Share of distinct votes."""
        return self.distinct / self.total if self.total else None


def vote_diversity(ballots: Ballots) -> VoteDiversity:
    """Count how often each distinct ballot was cast.

    >>> print(vote_diversity(Ballots.of([[["x"], ["y"]], [["x"], ["y"]], [["y"], ["x"]]])))
    3 orders of 2 kinds; the most common occurs 2 times.
    """
    cast: Counter[bytes] = Counter()
    for low, high, n in zip(ballots.start[:-1], ballots.start[1:], ballots.count, strict=True):
        cast[ballots.agent[low:high].tobytes() + b"|" + ballots.place[low:high].tobytes()] += int(n)
    times = Counter(n for n in cast.values() if n)
    return VoteDiversity(cast.total(), times.total(), dict(sorted(times.items())))
