"""`rank`: one method on any evidence; pairwise methods use estimated win rates where counts are uneven.

Counts let a pair with ten thousand battles outweigh all others, and shares let a pair with one battle decide as much as
any. The estimate of `beatpath.inference.matrix` shrinks each pair's rate toward the Bradley-Terry fit as far as its
battles leave it uncertain, and has a rate for pairs never compared directly: one vote per pair, split by these rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._progress import INTERRUPTED, doing, partly
from beatpath._text import counted, listed, option_hint
from beatpath._typing import BothBad, JudgesAs, Matrix, Missing, PairWeight, Per, Ties, Unranked
from beatpath.evidence import Battles, Convention, Pairs, WinRates
from beatpath.evidence.conventions import ConventionOptions, Conventions, convention
from beatpath.evidence.select import only
from beatpath.evidence_design.field import complete_and_even
from beatpath.inference.judges.weighed import weighed
from beatpath.inference.options import ALL, AUTO, placed_alone
from beatpath.inference.win_rates.estimate import COMPARED, MOST_AGENTS, WinRateEstimate
from beatpath.methods.graph.connection import unconnected
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import Method, method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking, require_kind

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix
    from beatpath.inference.ranking.compare import Comparison

MOST_SOLVED = 100_000  # most agents for which methods that solve for all strengths run without being named
SIGNS = 500  # most agents for which resolved signs are counted; more would take noticeable time
NAME_IT = "name it with `--method` to run it"  # the end of every reason why a slow method was left out
DIGITS = 9  # decimal places to which solvers are accurate; further digits must not break ties
SIGN = 0.95  # confidence level at which the sign of a single pair counts as resolved


def as_profile(evidence: EvidenceLike | Profile, conventions: ConventionOptions) -> Profile:
    """Return the profile of evidence under its conventions; a profile is returned unchanged."""
    if isinstance(evidence, Profile):
        return evidence
    return profile_of(as_evidence(evidence), Conventions.of(**conventions))


def takes_estimate(profile: Profile, matrix: Matrix | None = None) -> bool:
    """Return whether pairwise methods use the estimated win rates of a profile; see `Conventions`."""
    choice = profile.chosen.matrix if matrix is None else matrix
    if choice != "auto":
        return choice == "estimated"
    if not isinstance(profile.source, Battles | Pairs) or profile.pair_weight != "count":
        return False
    if not 1 < len(profile.agents) <= MOST_AGENTS:
        return False
    assert profile.pairs is not None
    return not complete_and_even(profile.pairs)


def resolved_signs(matrix: WinMatrix) -> Bools:
    """Return the pairs whose own 95 % confidence interval excludes one half, (n, n).

    >>> from beatpath.inference.matrix.win_matrix import win_matrix
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[300, 100, 0, 0], [290, 110, 0, 0], [205, 195, 0, 0]])
    >>> resolved_signs(win_matrix(pairs))
    array([[False,  True,  True],
           [ True, False, False],
           [ True, False, False]])
    """
    low, high = matrix.interval(SIGN)
    return np.asarray((low > 0.5) | (high < 0.5))


def _counted_signs(matrix: WinMatrix) -> dict[str, Any] | None:
    """Return the number of pairs and of resolved signs; None for too many agents."""
    n = len(matrix.agents)
    if n > SIGNS:
        return None
    return {"pairs": n * (n - 1) // 2, "resolved": int(resolved_signs(matrix).sum()) // 2, "level": SIGN}


def estimated_matrix(profile: Profile) -> WinMatrix:
    """Return the estimated win rate of every pair of a profile.

    Raises
    ------
    DataError
        Where agents are not all connected: there is no evidence on who is above whom across components.

    Examples
    --------
    >>> from beatpath.methods.profile import profile_of
    >>> profile = profile_of(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[300, 100, 0, 0], [300, 100, 0, 0]]))
    >>> profile_of_matrix(profile, estimated_matrix(profile)).wins.round(2)
    array([[0.  , 0.75, 0.9 ],
           [0.25, 0.  , 0.75],
           [0.1 , 0.25, 0.  ]])
    """
    from beatpath.inference.matrix.win_matrix import matrix_of_profile

    return one_part(matrix_of_profile(profile, _observed(profile)))


def _observed(profile: Profile) -> WinRateEstimate:
    """Return the observed win rates; without clusters where there is only one, as an order needs no standard errors."""
    from beatpath.inference.win_rates.win_rates import estimate_of_profile

    try:
        return estimate_of_profile(profile)
    except DataError:
        return estimate_of_profile(profile, None)


def profile_of_matrix(profile: Profile, matrix: WinMatrix) -> Profile:
    """Return a profile of the same evidence with one vote per pair, split by an estimated matrix."""
    return profile_of_rates(profile, matrix.rate, (*matrix.conventions, convention("matrix", "estimated")))


def profile_of_rates(profile: Profile, rate: Floats, conventions: tuple[Convention, ...] = ()) -> Profile:
    """Return a profile of the same evidence with one vote per pair, split by win rates."""
    above = np.triu(rate.round(DIGITS), 1)
    full = above + np.tril(1 - above.T, -1) + np.eye(len(rate)) / 2
    source = WinRates(full, profile.agents, conventions)
    return Profile(profile.agents, source, original=profile.evidence, chosen=profile.chosen)


def one_part(matrix: WinMatrix) -> WinMatrix:
    """Return the matrix, or raise with its connected components if there are several."""
    parts = matrix.parts
    if len(parts) > 1:
        some = "; ".join(listed(part, 3) for part in parts[:3]) + ("; ..." if len(parts) > 3 else "")
        raise DataError(
            f"the agents must be connected by battles to be ranked together; no chain of battles connects {len(parts):,} components "
            f"({some}). Rank each component by itself with `--only`."
        )
    return matrix


def left_out(profile: Profile, methods: Sequence[Method]) -> dict[str, str]:
    """Return the methods that are too slow for this many agents to run without being named, and why."""
    n = len(profile.agents)
    if n <= COMPARED:
        return {}
    why = f"works on tables of all pairs, and {n:,} agents are more than {COMPARED:,}; {NAME_IT}"
    slow = {method.key: why for method in methods if not method.scales}
    long = profile.ballots is not None and profile.ballots.is_long
    if long or n > MOST_SOLVED:
        much = f"works on every pair, and {n:,} agents on the same ballots make up to {n * (n - 1) // 2:,}"
        many = f"solves equations of all agents, and {n:,} are more than {MOST_SOLVED:,}"
        slow |= {m.key: f"{much if long else many}; {NAME_IT}" for m in methods if m.scales and not m.passes}
    return slow


def components_of(profile: Profile) -> list[tuple[str, ...]]:
    """Return the agents of each connected component of battles or pair counts, largest first."""
    pairs, n = profile.pairs, len(profile.agents)
    assert pairs is not None
    met = pairs.counts @ np.ones(4) > 0
    number, part = unconnected(n, pairs.a, pairs.b) if met.all() else unconnected(n, pairs.a[met], pairs.b[met])
    if number < 2:
        return [profile.agents]
    order = np.argsort(part, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(part))[:-1])
    groups.sort(key=lambda group: (-len(group), group[0]))
    return [tuple(profile.agents[i] for i in group) for group in groups]


def _with_unconnected(result: Ranking, agents: tuple[str, ...]) -> Ranking:
    """Append the agents of other components, unranked, to a ranking of one component."""
    ranked = set(result.agents)
    rest = tuple(sorted(name for name in agents if name not in ranked))
    note = (
        f"{counted(len(rest), 'agent is', 'agents are')} listed last, as no chain of battles connects {'it' if len(rest) == 1 else 'them'} "
        f"with the other {len(ranked):,}: {listed(rest, 3)}"
    )
    return replace(
        result,
        agents=agents,
        levels=(*result.levels, rest),
        scores={name: result.scores.get(name, float("nan")) for name in agents},
        status=f"{result.caveat}; {note}" if result.caveat else note,
    )


@dataclass(slots=True)
class Basis:
    """The data that each method runs on: the profile, or the win rates estimated from it once, when first needed."""

    profile: Profile
    matrix: Matrix | None = None
    found: WinMatrix | None = None
    _estimated: Profile | DataError | None = None
    _part: Basis | None = None
    _signs: dict[str, Any] | None = None
    _answered: bool = False
    interrupted: bool = False

    def rank(self, method: Method, settings: dict[str, Any]) -> Ranking:
        """Run a method on its data; on the largest component where agents are not all connected.

        A prior, or covariates of agents, connect all agents, and then the method runs on all.

        Where a partial answer is accepted and there is one, an interrupt ends this method and all that follow.
        """
        if self.interrupted:
            raise DataError(INTERRUPTED)
        doing(f"ranking by {method.key}")
        try:
            joined = settings.get("prior") or isinstance(settings.get("covariates"), Mapping)
            part = None if joined else self._largest_part()
            result = self._ranked(method, settings) if part is None else part._ranked(method, settings)
        except KeyboardInterrupt:
            if not partly() or not self._answered:
                raise
            self.interrupted = True
            raise DataError(INTERRUPTED) from None
        self._answered = True
        if part is None:
            return result
        self.found = part.found
        return _with_unconnected(result, self.profile.agents)

    def _ranked(self, method: Method, settings: dict[str, Any]) -> Ranking:
        """Return a ranking, with the number of resolved signs where the method used estimates."""
        taken = self.under(method)
        result = ranking(taken, method, settings)
        if self._signs is None or taken is not self._estimated:
            return result
        return replace(result, details={**result.details, "signs": self._signs})

    def _largest_part(self) -> Basis | None:
        """Return the basis of the component with more than half of all agents, where agents are not all connected."""
        if self._part is None and isinstance(self.profile.source, Battles | Pairs):
            most, n = components_of(self.profile)[0], len(self.profile.agents)
            alone = len(most) == n or 2 * len(most) <= n or len(most) < 2
            profile = self.profile if alone else profile_of(only(self.profile.evidence, most), self.profile.chosen)
            self._part = Basis(profile, self.matrix)
        return None if self._part is None or self._part.profile is self.profile else self._part

    def under(self, method: Method) -> Profile:
        """Return the profile that a method runs on."""
        if not method.compares or not takes_estimate(self.profile, self.matrix):
            return self.profile
        if self._estimated is None:
            try:
                self.found = estimated_matrix(self.profile)
                self._estimated = profile_of_matrix(self.profile, self.found)
                self._signs = _counted_signs(self.found)
            except DataError as error:
                self._estimated = error
        if isinstance(self._estimated, DataError):
            raise self._estimated
        return self._estimated


@overload
def rank(
    evidence: EvidenceLike, method: None = None, *, field: str | None = ..., **conventions: Unpack[ConventionOptions]
) -> Comparison: ...
@overload
def rank(
    evidence: EvidenceLike, method: str, *, judges: JudgesAs = ..., field: str | None = ..., **settings: Any
) -> Ranking: ...
def rank(
    evidence: EvidenceLike,
    method: str | None = None,
    *,
    ties: Ties = "half",
    both_bad: BothBad = "tie",
    pair_weight: PairWeight = "count",
    unranked: Unranked = "ignore",
    missing: Missing = "unranked",
    per: Per = "auto",
    tolerance: float = 0.0,
    weights: Mapping[str, float] | None = None,
    matrix: Matrix = "auto",
    judges: JudgesAs = "alike",
    field: str | None = None,
    **settings: Any,
) -> Ranking | Comparison:
    """Rank agents by one method, or by all side by side; ties are returned as ties.

    Use `compare_methods` for several methods, and `resolve` for the uncertainty of a ranking.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates, or what `read` takes
        The data.
    method : str, optional
        A key that `methods` lists, or another name of it, such as ``"bt"``. Without one all methods run, as `compare_methods` does.
    ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix
        How evidence becomes a profile; see `Conventions`. On battles and pair counts, pairwise methods use the counts
        where all pairs have about equally many battles, and the estimated win rate of every pair otherwise.
        ``matrix="raw"`` always uses counts, as papers do, and ``"estimated"`` the estimate.
    judges : {"alike", "reliability"}
        The weight of a battle: equal for all judges, or by the reliability of its judge; see `judges`.
    field : {"auto", "all"}, optional
        Leave out agents with too little data to be placed, as `resolve` does ("auto"), or rank all ("all"). By default
        a method requested by name ranks all agents, as it was published, and all methods side by side the placed ones.
    **settings
        Arguments of the method itself, such as ``k`` for `approval` and `stv`.

    Returns
    -------
    Ranking
        Levels of tied agents, best first, with scores.

    Raises
    ------
    UsageError
        When the method is unknown or does not take this kind of evidence.
    DataError
        When the method has no answer on these data.

    See Also
    --------
    compare_methods : Several methods at once.
    resolve : Ranks with confidence.
    bootstrap : Any method on resampled evidence.

    Returns
    -------
    Ranking, or Comparison where no method is named

    Examples
    --------
    >>> from beatpath import Ballots, Pairs
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "copeland")
    copeland: C > A > B

    Bob lost more battles to ada than cyd did, because they played more; at a rate of two to one he is still the better.

    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[400, 200, 0, 0], [16, 4, 0, 0], [11, 9, 0, 0]])
    >>> rank(pairs, "minimax"), rank(pairs, "minimax", matrix="raw")
    (minimax: ada > bob > cyd, minimax: ada > cyd > bob)
    """
    conventions = Conventions(ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix)
    evidence = as_evidence(evidence)
    if method is not None:
        chosen = method_named(method)
        require_kind(evidence, chosen)
        placed = placed_alone(weighed(evidence, judges), ALL if field is None else field)[0]
        return Basis(profile_of(placed, conventions)).rank(chosen, settings)
    if settings:
        hint = next(
            filter(None, (option_hint(name, [one.name for one in fields(Conventions)]) for name in settings)), ""
        )
        raise UsageError(f"settings are of one method, which `method` names; got {listed(settings)} without one.{hint}")
    from beatpath.inference.ranking.compare import compare_components

    placed, unplaced = placed_alone(weighed(evidence, judges), AUTO if field is None else field)
    return replace(compare_components(profile_of(placed, conventions)), unplaced=unplaced)
