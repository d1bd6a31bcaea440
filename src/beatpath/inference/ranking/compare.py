"""Methods side by side: how far their rankings are apart, and which agents they disagree about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._result import SCHEMA_VERSION, Result, Rows
from beatpath._text import counted, quoted
from beatpath._typing import Matrix
from beatpath.evidence import Ballots, Evidence
from beatpath.evidence.condorcet import Condorcet
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.ranking.estimated import Basis, left_out, resolved_signs
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS, Method, method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import require_evidence

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix

UNEVEN = 10  # how many times as often some pair met as another, before it is said


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """The rankings of several methods on the same evidence.

    Parameters
    ----------
    rankings : tuple of Ranking
        In the order asked for.
    distances : (k, k) float
        Kendall distances between them, from 0 (the same) to 1 (reversed).
    not_run : mapping of method to sentence
        Methods that do not take this kind of evidence, or have no answer on it, and why.
    votes : VoteDiversity or None
        How diverse the voters are, where there are ballots.
    notes : tuple of str
        What a reader of the rankings must know, in sentences.
    """

    rankings: tuple[Ranking, ...]
    distances: Floats
    not_run: Mapping[str, str]
    votes: "VoteDiversity | None" = None
    notes: tuple[str, ...] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents."""
        return self.rankings[0].agents

    @property
    def condorcet(self) -> Condorcet:
        """The Condorcet winners: of what rules that compare pairs took, where one was run."""
        comparing = (made for made in self.rankings if METHODS[made.method].compares)
        return next(comparing, self.rankings[0]).condorcet

    def movers(self) -> list[tuple[str, int, int]]:
        """Return ``(agent, best rank, worst rank)`` over the methods, those that move most first.

        How far one moves is judged by the mean of the ranks that tied agents share, so that a method with few levels moves
        nobody far by that alone.
        """
        middle = [r.middle_ranks() for r in self.rankings]
        move = {agent: max(r[agent] for r in middle) - min(r[agent] for r in middle) for agent in self.agents}
        ranks = {agent: [r.rank(agent) for r in self.rankings] for agent in self.agents}
        moved = [(agent, min(ranks[agent]), max(ranks[agent])) for agent in self.agents]
        return sorted(moved, key=lambda m: (-move[m[0]], m[1], m[0]))

    def agreed(self) -> tuple[str, ...]:
        """Return the agents that every method puts among its winners."""
        return tuple(agent for agent in self.agents if all(agent in r.winners for r in self.rankings))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The orders, one line a method."""
        return tuple(map(str, self.rankings))

    def rows(self) -> Rows:
        """Return every agent's rank by each method, in `order`."""
        return [{"agent": name, **{r.method: r.rank(name) for r in self.rankings}} for name in self.order()]

    def order(self) -> list[str]:
        """Return the agents by their mean rank over the methods, for display only."""
        ranks = [r.middle_ranks() for r in self.rankings]
        mean = {agent: sum(r[agent] for r in ranks) for agent in self.agents}
        return sorted(self.agents, key=lambda agent: (mean[agent], agent))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        results = []
        for ranking_ in self.rankings:
            one = ranking_.to_dict()
            results.append({key: one[key] for key in one if key not in ("schema_version", "type", "condorcet")})
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "comparison",
            "results": results,
            "condorcet": self.condorcet.to_dict(),
            "distances": {
                a.method: {b.method: float(self.distances[i, j]) for j, b in enumerate(self.rankings)}
                for i, a in enumerate(self.rankings)
            },
            "movers": [{"agent": name, "best": best, "worst": worst} for name, best, worst in self.movers()],
            "not_run": dict(self.not_run),
            "notes": list(self.notes),
            "votes": None if self.votes is None else self.votes.to_dict(),
        }


def compare(
    evidence: Evidence,
    methods: Sequence[str] | str = "all",
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **conventions: Unpack[ConventionOptions],
) -> Comparison:
    """Rank agents by several methods on the same profile.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        What was read or built.
    methods : sequence of str, or "all"
        Keys of methods. With "all", those that do not take this kind of evidence are left out and named.
    settings : mapping of method to its settings, optional
    **conventions
        As for `rank`: ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix.

    Examples
    --------
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> both = compare(Ballots.of(votes, count=[1, 1, 2, 1]), ["copeland", "borda"])
    >>> print(both)
    copeland: C > A > B
    borda: A = C > B
    >>> round(float(both.distances[0, 1]), 3)
    0.167
    """
    require_evidence(evidence)
    return compare_profile(profile_of(evidence, Conventions.of(**conventions)), methods, settings=settings)


def compare_profile(
    profile: Profile,
    methods: Sequence[str] | str = "all",
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    matrix: Matrix | None = None,
    without_answer: Literal["raise", "tell"] = "raise",
) -> Comparison:
    """Rank the agents of a profile by several methods; see `compare`.

    `matrix` takes precedence over that of the profile. A method that was asked for by name and has no answer raises, or with
    "tell" is told in `not_run` if another has one.
    """
    everything = methods == "all"
    chosen, unable = _methods_asked(profile, methods)
    basis, rankings = Basis(profile, matrix), []
    for method in (m for m in chosen if m.key not in unable):
        try:
            rankings.append(basis.rank(method, dict((settings or {}).get(method.key, {}))))
        except DataError as error:
            if not everything and without_answer == "raise":
                raise
            unable[method.key] = str(error)
    if not rankings:
        raise DataError(
            next((why for why in unable.values() if not why.startswith("takes ")), "no method has an answer.")
        )
    distances = np.array([[kendall_distance(a.level_of(), b.level_of()) for b in rankings] for a in rankings])
    votes = None if profile.ballots is None else vote_diversity(profile.ballots)
    return Comparison(tuple(rankings), distances, unable, votes, _comparison_notes(profile, rankings, basis.found))


def _methods_asked(profile: Profile, methods: Sequence[str] | str) -> tuple[list[Method], dict[str, str]]:
    """The methods, and those among them that do not take this kind of evidence, which may not be asked for by name."""
    kind, everything = profile.evidence.kind, methods == "all"
    keys = list(METHODS) if everything else list(dict.fromkeys([methods] if isinstance(methods, str) else methods))
    if not keys:
        raise UsageError("`methods` must name at least one method; `beatpath methods` lists them.")
    chosen = [method_named(key) for key in keys]
    unable = {m.key: f"takes {', '.join(sorted(m.takes))}" for m in chosen if kind not in m.takes}
    if unable and not everything:
        able = ", ".join(m.key for m in METHODS.values() if kind in m.takes)
        first = next(iter(unable))
        raise UsageError(f"{quoted(first)} {unable[first]}; {kind} are neither. These do: {able}.")
    if everything:
        unable |= {key: why for key, why in left_out(profile, chosen).items() if key not in unable}
    return chosen, unable


def _comparison_notes(profile: Profile, rankings: Sequence[Ranking], found: "WinMatrix | None") -> tuple[str, ...]:
    """Say what rules that compare pairs took: estimates, or counts where the sizes of wins mostly tell how often pairs met."""
    comparing = [made for made in rankings if METHODS[made.method].compares]
    if profile.pairs is None or not comparing or not len(profile.pairs):
        return ()
    taken = {made.name: made.value for made in comparing[0].conventions}
    if found is not None:
        n = len(found.agents) * (len(found.agents) - 1) // 2
        said = f"Rules that compare pairs took the estimated win rate of each of {counted(n, 'pair')}"
        open_ = n - int(resolved_signs(found).sum()) // 2
        signs = f"for {open_:,} who is ahead is not resolved (95 %, each by itself)" if open_ else "all are resolved"
        return (
            (
                f"{said}, of which {len(profile.pairs):,} met; {signs}. With `matrix` set to raw they take what was counted."
            ),
        )
    most, fewest = int(profile.pairs.battles.max()), int(profile.pairs.battles.min())
    if taken.get("pair_weight") != "count" or most < UNEVEN * max(fewest, 1):
        return ()
    said = f"Pairs met {fewest:,} to {most:,} times: rules that compare the sizes of wins favour agents that met rivals seldom."
    return (f"{said} With `matrix` set to estimated, neither few nor many battles decide.",)


@dataclass(frozen=True, slots=True)
class VoteDiversity:
    """How diverse the voters are: VasE, Observation 1.

    `histogram` maps how often a vote was cast to how many distinct votes were cast that often.
    """

    total: int
    distinct: int
    histogram: Mapping[int, int]

    def __str__(self) -> str:
        if self.distinct == self.total:
            return f"All {self.total:,} votes are different." if self.total > 1 else "There is one vote."
        most = max(self.histogram)
        kinds = counted(self.distinct, "distinct order")
        return f"{self.total:,} votes, in {kinds}; the commonest was cast {most:,} times."

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "total": self.total,
            "distinct": self.distinct,
            "diversity": self.distinct / self.total if self.total else None,
            "histogram": {str(times): n for times, n in sorted(self.histogram.items())},
        }


def vote_diversity(ballots: Ballots) -> VoteDiversity:
    """Count how often each distinct ballot was cast.

    >>> print(vote_diversity(Ballots.of([[["x"], ["y"]], [["x"], ["y"]], [["y"], ["x"]]])))
    3 votes, in 2 distinct orders; the commonest was cast 2 times.
    """
    cast: dict[bytes, int] = {}
    for low, high, n in zip(ballots.start[:-1], ballots.start[1:], ballots.count, strict=True):
        key = ballots.agent[low:high].tobytes() + b"|" + ballots.place[low:high].tobytes()
        cast[key] = cast.get(key, 0) + int(n)
    times = [n for n in cast.values() if n]
    return VoteDiversity(sum(times), len(times), {t: times.count(t) for t in sorted(set(times))})
