"""`rank`: one method on any evidence, rules that compare pairs on the estimated win rates.

Counts let a pair met ten thousand times outweigh all others, and shares let a pair met once decide as much as any. The
estimate of `beatpath.inference.matrix` shrinks each pair's rate toward one scale by as much as its battles leave open, and
has a rate for pairs that never met: one vote a pair, split as these rates say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._progress import INTERRUPTED, doing, partly
from beatpath._text import counted, listed
from beatpath._typing import BothBad, JudgesAs, Matrix, Missing, PairWeight, Per, Ties, Unranked
from beatpath.evidence import Battles, Convention, Evidence, Pairs, WinRates
from beatpath.evidence.conventions import ConventionOptions, Conventions, convention
from beatpath.evidence.select import only
from beatpath.evidence_design.field import complete_and_even
from beatpath.inference.judges.weighed import weighed
from beatpath.inference.win_rates.estimate import COMPARED, MOST_AGENTS, WinRateEstimate
from beatpath.methods.graph.connection import unconnected
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import Method, method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking, require_evidence, require_kind

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix

SOLVED = 100_000  # agents up to whom equations of all strengths are solved unasked
SIGNS = 500  # agents up to whom it is told which signs are resolved
NAME_IT = "name it with `--method` to run it"
DIGITS = 9  # of a rate, beyond which solvers do not tell
SIGN = 0.95  # confidence at which a pair's interval, by itself, leaves one half out where its sign is resolved


def as_profile(evidence: Evidence | Profile, conventions: ConventionOptions) -> Profile:
    """Return the profile of evidence by its conventions; a profile, which has settled them, as it is."""
    if isinstance(evidence, Profile):
        return evidence
    require_evidence(evidence)
    return profile_of(evidence, Conventions.of(**conventions))


def takes_estimate(profile: Profile, matrix: Matrix | None = None) -> bool:
    """Return whether rules that compare pairs take the estimated win rates of a profile; see `Conventions`."""
    choice = profile.chosen.matrix if matrix is None else matrix
    if choice != "auto":
        return choice == "estimated"
    if not isinstance(profile.source, Battles | Pairs) or profile.pair_weight != "count":
        return False
    if not 1 < len(profile.agents) <= MOST_AGENTS:
        return False
    assert profile.pairs is not None
    return not complete_and_even(profile.pairs)


def resolved_signs(matrix: "WinMatrix") -> Bools:
    """Return the pairs whose 95 % interval, each by itself, leaves one half out, (n, n).

    >>> from beatpath.inference.matrix.win_matrix import win_matrix
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[300, 100, 0, 0], [290, 110, 0, 0], [205, 195, 0, 0]])
    >>> resolved_signs(win_matrix(pairs))
    array([[False,  True,  True],
           [ True, False, False],
           [ True, False, False]])
    """
    low, high = matrix.interval(SIGN)
    return np.asarray((low > 0.5) | (high < 0.5))


def _counted_signs(matrix: "WinMatrix") -> dict[str, Any] | None:
    """How many pairs there are and of how many the sign is resolved; None for more agents than that takes a moment of."""
    n = len(matrix.agents)
    if n > SIGNS:
        return None
    return {"pairs": n * (n - 1) // 2, "resolved": int(resolved_signs(matrix).sum()) // 2, "level": SIGN}


def estimated_matrix(profile: Profile) -> "WinMatrix":
    """Return the estimated win rate of every pair of a profile.

    Raises
    ------
    DataError
        Where no chain of battles connects all agents: nothing says who is above whom across parts.

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
    """The win rates of pairs that met; errors by cluster where there are two clusters, as an order needs none."""
    from beatpath.inference.win_rates.win_rates import estimate_of_profile

    try:
        return estimate_of_profile(profile)
    except DataError:
        return estimate_of_profile(profile, None)


def profile_of_matrix(profile: Profile, matrix: "WinMatrix") -> Profile:
    """Return a profile of the same evidence with one vote a pair, split as a matrix says."""
    return profile_of_rates(profile, matrix.rate, (*matrix.conventions, convention("matrix", "estimated")))


def profile_of_rates(profile: Profile, rate: Floats, conventions: tuple[Convention, ...] = ()) -> Profile:
    """Return a profile of the same evidence with one vote a pair, split as win rates say."""
    above = np.triu(rate.round(DIGITS), 1)
    full = above + np.tril(1 - above.T, -1) + np.eye(len(rate)) / 2
    source = WinRates(full, profile.agents, conventions)
    return Profile(profile.agents, source, original=profile.evidence, chosen=profile.chosen)


def one_part(matrix: "WinMatrix") -> "WinMatrix":
    """Return the matrix, or raise with the parts that no chain of battles connects."""
    parts = matrix.parts
    if len(parts) > 1:
        some = "; ".join(listed(part, 3) for part in parts[:3]) + ("; ..." if len(parts) > 3 else "")
        raise DataError(
            f"the agents must be connected by battles to be ranked together; no chain of battles connects {len(parts):,} components "
            f"({some}). Rank each component by itself with `only`."
        )
    return matrix


def left_out(profile: Profile, methods: Sequence[Method]) -> dict[str, str]:
    """Return the methods that are too slow for so many agents to be run unasked, and why."""
    n = len(profile.agents)
    if n <= COMPARED:
        return {}
    why = f"works on tables of all pairs, and {n:,} agents are more than {COMPARED:,}; {NAME_IT}"
    slow = {method.key: why for method in methods if not method.scales}
    long = profile.ballots is not None and profile.ballots.is_long
    if long or n > SOLVED:
        much = f"works on every pair, and {n:,} agents on the same ballots make up to {n * (n - 1) // 2:,}"
        many = f"solves equations of all agents, and {n:,} are more than {SOLVED:,}"
        slow |= {m.key: f"{much if long else many}; {NAME_IT}" for m in methods if m.scales and not m.passes}
    return slow


def _most_connected(profile: Profile) -> tuple[str, ...] | None:
    """The agents of the part that holds more than half of all, where there are other parts; `only` is theirs alone."""
    pairs, n = profile.pairs, len(profile.agents)
    assert pairs is not None
    met = pairs.counts @ np.ones(4) > 0
    number, part = unconnected(n, pairs.a, pairs.b) if met.all() else unconnected(n, pairs.a[met], pairs.b[met])
    if number == 1:
        return None
    size = np.bincount(part, minlength=1)
    if 2 * size.max() <= n or size.max() < 2:
        return None
    return tuple(profile.agents[i] for i in np.flatnonzero(part == size.argmax()))


def _with_the_rest(result: Ranking, agents: tuple[str, ...]) -> Ranking:
    """A ranking of one part with the agents of other parts, that have no place, named in the status and last."""
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
    """What each method is run on: the profile, or what was estimated from it; estimated once, when first needed."""

    profile: Profile
    matrix: Matrix | None = None
    found: "WinMatrix | None" = None
    _estimated: Profile | DataError | None = None
    _part: "Basis | None" = None
    _signs: dict[str, Any] | None = None
    _answered: bool = False
    interrupted: bool = False

    def rank(self, method: Method, settings: dict[str, Any]) -> Ranking:
        """Run a method on what it takes; where most agents, and not all, are connected, on these, unless something rates all.

        A prior does, and so does what is known of agents.

        Where part of an answer is requested and there is one, an interrupt ends this method and all that follow.
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
        return _with_the_rest(result, self.profile.agents)

    def _ranked(self, method: Method, settings: dict[str, Any]) -> Ranking:
        """A ranking, with how many of the signs that it took are resolved where they are estimates."""
        taken = self.under(method)
        result = ranking(taken, method, settings)
        if self._signs is None or taken is not self._estimated:
            return result
        return replace(result, details={**result.details, "signs": self._signs})

    def _largest_part(self) -> "Basis | None":
        """The same of the part that holds most agents, where nothing connects all of them."""
        if self._part is None and isinstance(self.profile.source, Battles | Pairs):
            most = _most_connected(self.profile)
            profile = (
                self.profile if most is None else profile_of(only(self.profile.evidence, most), self.profile.chosen)
            )
            self._part = Basis(profile, self.matrix)
        return None if self._part is None or self._part.profile is self.profile else self._part

    def under(self, method: Method) -> Profile:
        """Return the profile that a method takes."""
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


def rank(
    evidence: Evidence,
    method: str,
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
    **settings: Any,
) -> Ranking:
    """Rank agents by one method; ties come back as ties.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        What was read or built.
    method : str
        A key that ``beatpath methods`` lists.
    ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix
        By which evidence becomes a profile; see `Conventions`. Of battles and pair counts, rules that compare pairs take the counts
        where every pair met about as often as any other, and else the estimated win rate of every pair; ``matrix="raw"`` always
        takes the counts, as papers do, and ``"estimated"`` the estimate.
    judges : {"alike", "reliability"}
        What a battle weighs: the same whoever judged it, or as much as its judge is reliable; see `judges`.
    **settings
        What the method itself takes, such as ``k`` for `approval` and `stv`.

    Examples
    --------
    >>> from beatpath import Ballots, Pairs
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "copeland")
    copeland: C > A > B

    Bob lost to Ada more often than Cyd did, as they met more often; at two to one he is the better all the same.

    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[400, 200, 0, 0], [16, 4, 0, 0], [11, 9, 0, 0]])
    >>> rank(pairs, "minimax"), rank(pairs, "minimax", matrix="raw")
    (minimax: ada > bob > cyd, minimax: ada > cyd > bob)
    """
    chosen = method_named(method)
    require_kind(evidence, chosen)
    conventions = Conventions(ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix)
    return Basis(profile_of(weighed(evidence, judges), conventions)).rank(chosen, settings)
