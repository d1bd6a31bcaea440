"""Confidence sequences: the result of ``resolve(..., anytime=True)``, valid at every look under any schedule."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError, UsageError
from beatpath._result import Delegate
from beatpath._sentence import OPEN, RESOLVED, Name, Sentence
from beatpath._text import any_of, confidence, counted, listed
from beatpath.inference.anytime.any_schedule import AnySchedule
from beatpath.inference.anytime.boundary import head_to_head_bound, head_to_head_e_value
from beatpath.inference.design.power import about
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.options import AUTO, ResolveOptions
from beatpath.inference.ranks.ranks import Difference, Ranks
from beatpath.inference.ranks.step_down import transitive_closure
from beatpath.inference.resolve.resolution import AROUND, BOARD, Resolution, ResolutionRow
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.win_rates.estimate import COMPARED, WinRateEstimate
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile

# Printed with three or more agents: the conditions of the asymptotic bound (`AnySchedule`).
CONDITION = (
    "This holds simultaneously at every look and under any schedule, adaptive or not, as the number of battles grows. It assumes that "
    "other win rates deviate from the Bradley-Terry fit as those seen do, and that earlier battles do not predict whether an outcome "
    "exceeds the win rate of its pair: win rates do not change over time, and no prompt or judge returns whose outcome is known."
)
# Printed with two agents, whose bound is exact (`head_to_head_bound`).
EXACT = (
    "This holds exactly, simultaneously at every look and under any schedule. It assumes that earlier battles do not predict whether an "
    "outcome exceeds the win rate of the pair: it does not change over time, and no prompt or judge returns whose outcome is known."
)
# Printed last: what `anytime` costs.
PRICE = "Without `anytime` intervals are narrower but hold for one look only, at pairs that were not chosen by earlier outcomes."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AnytimeRanks(Ranks):
    """Rank sets that hold at every look at growing data.

    Attributes
    ----------
    radius : (n, n) float
        Half-width of the confidence interval of every difference of scores, simultaneous over pairs and looks.
    """

    radius: Floats

    def difference(self, first: str, second: str, n_claims: float | None = None) -> Difference:
        """Return the first score minus the second, with a simultaneous confidence interval over pairs and looks."""
        i, j = self.index(first), self.index(second)
        gap, radius = float(self.score[i] - self.score[j]), float(self.radius[i, j])
        return Difference(first, second, gap, np.nan, np.nan, gap - radius, gap + radius)


class AnytimeRow(ResolutionRow):
    """One agent of a board that holds at every look.

    Attributes
    ----------
    beats, loses_to : int
        Agents it certainly beats head to head, and agents that certainly beat it.
    """

    beats: int
    loses_to: int


@dataclass(frozen=True, eq=False, repr=False)
class AnytimeResolution(Resolution):
    """Who is certainly above whom, at every look and under any schedule of battles.

    Use it to monitor an arena, to stop early, or where earlier outcomes decided which pairs were played. For one look
    at data with a fixed design, plain `resolve` has narrower intervals. Scores are the mean win rates of `resolve`.

    Attributes
    ----------
    e_value : (n, n) float
        Evidence against the two agents of a pair being equal: the wealth of a bettor who started with one (an e-value);
        one for pairs never compared directly.
    wins : (n, n) float
        Battles that the row won against the column, without ties.
    pairs_not_compared : int
        Pairs never compared directly.
    """

    document: ClassVar[tuple[str, ...]] = (
        "answer=short_answer",
        *BOARD,
        "pairs_not_compared",
        "beats=beaten_pairs",
        "e_value=e_value_of_two",
        *AROUND,
    )

    ranks: AnytimeRanks
    e_value: Floats
    wins: Floats
    pairs_not_compared: int

    radius = Delegate[Floats]("ranks.radius", "Simultaneous half-width of every difference of scores.")

    @property
    def beats(self) -> Bools:
        """Whether the row certainly wins more battles against the column than it loses; exact, without ties."""
        return _beats(self.e_value, self.wins, self.level)

    @property
    def answer(self) -> Sentence:
        """The answer in one sentence."""
        first, n = self.ranks.top(1), len(self.agents)
        at = f"by mean win rate at every look ({confidence(self.level)})"
        if len(first) == 1:
            return Sentence((Name(first[0]), f" is certainly first of {n:,} agents {at}."), RESOLVED, "board")
        who = f"{any_of(n).capitalize()} agents may be first {at}"
        if len(first) < n:
            who = f"{len(first):,} of {n:,} agents may be first {at}: {listed(first, 8)}"
        return Sentence((f"{who}.",), OPEN, "board")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, which orders and wins are certain, pairs never compared, the conditions and the price."""
        never = f"{counted(self.pairs_not_compared, 'pair was', 'pairs were')} not compared directly: Bradley-Terry predictions stand in and widen the intervals."
        wins = int(self.beats.sum())
        certain: tuple[str, ...] = (
            f"{self.resolved_pairs:,} of {counted(self.pairs, 'pair')} of agents are in a certain order by mean win rate.",
            f"Head to head, {wins:,} of {counted(self.pairs - self.pairs_not_compared, 'pair')} compared directly have a certain winner.",
        )
        if len(self.agents) == 2:
            needed = f"{1 / (1 - self.level):,.4g} or more is certain"
            certain = (f"The e-value against equality is {self.e_value[0, 1]:,.4g}; {needed}.",)
        return (
            self.answer.text,
            *certain,
            *self._outlook,
            *((never,) if self.pairs_not_compared else ()),
            *self._cautions,
            PRICE,
        )

    @property
    def _outlook(self) -> tuple[str, ...]:
        """Estimate how many battles a certain order would take, where there is none yet."""
        needed = self.battles_needed
        if self.resolved_pairs or not needed.size or not np.isfinite(needed[0]):
            return ()
        half = needed[(len(needed) - 1) // 2]
        more = f", and half of all orders about {about(half)}" if np.isfinite(half) and len(needed) > 1 else ""
        return (f"At the current differences the first certain order needs about {about(needed[0])}{more}.",)

    @property
    def battles_needed(self) -> Floats:
        """Rough number of further battles, spread as so far, that would make each order certain, fewest first."""
        i, j = np.triu_indices(len(self.agents), 1)
        gap, total = np.abs(self.ranks.score[i] - self.ranks.score[j]), self.battles.sum() / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sort(total * (np.maximum(self.radius[i, j] / gap, 1.0) ** 2 - 1))

    def _confidence(self, n_claims: int | None) -> str:
        return f"at every look, {confidence(self.level)}"

    @property
    def _cautions(self) -> tuple[str, ...]:
        return (EXACT if len(self.agents) == 2 else CONDITION,)

    def _columns(self) -> dict[str, list[Any]]:
        counts = {"beats": self.beats.sum(axis=1).tolist(), "loses_to": self.beats.sum(axis=0).tolist()}
        return {**counts, **super()._columns()}

    @property
    def by_agent(self) -> dict[str, AnytimeRow]:  # type: ignore[override]
        """Scores, ranks and wins by agent, best first."""
        return super().by_agent  # type: ignore[return-value]

    @property
    def beaten_pairs(self) -> list[tuple[str, str]]:
        """Pairs whose first agent certainly beats the second head to head."""
        return [(self.agents[i], self.agents[j]) for i, j in np.argwhere(self.beats).tolist()]

    @property
    def e_value_of_two(self) -> float | None:
        """The e-value against equality for two agents; None for more."""
        return float(self.e_value[0, 1]) if len(self.agents) == 2 else None


def _beats(e_value: Floats, wins: Floats, level: float) -> Bools:
    """Reject equality at e-values of at least 1 / share, Bonferroni over pairs.

    With three or more agents half of the error goes to the scores, and the other half to these tests.
    """
    pairs = len(wins) * (len(wins) - 1) // 2
    share = (1 - level) / (2 * pairs if pairs > 1 else 1)
    return (e_value >= 1 / share) & (wins > wins.T)


def anytime_resolution(profile: Profile, options: ResolveOptions) -> AnytimeResolution:
    """Resolve battles with confidence sequences; see `resolve` with ``anytime=True``.

    Parameters
    ----------
    profile : Profile
        Of battles, or counts of them, without weights.
    options : ResolveOptions
        `level` and conventions; other options are refused.

    Returns
    -------
    AnytimeResolution
    """
    _require_plain(profile, options)
    pairs, agents = profile.pairs, profile.agents
    assert pairs is not None
    n, level = len(agents), options.level
    pairwise = estimate_of_profile(profile, None)
    board = scores_from(pairwise)
    e_value, wins = np.ones((n, n)), np.zeros((n, n))
    wins[pairs.a, pairs.b], wins[pairs.b, pairs.a] = pairs.counts[:, 0], pairs.counts[:, 1]
    e_value[pairs.a, pairs.b] = [head_to_head_e_value(w, l) for w, l in pairs.counts[:, :2].tolist()]
    e_value[pairs.b, pairs.a] = e_value[pairs.a, pairs.b]
    if n == 2:
        board, radius = _exact_two_agents(board, pairwise, level)
        above, own = _beats(e_value, wins, level), radius[0, 1] / 2 * np.ones(2)
    else:
        bound = AnySchedule(board.made, pairwise.battles.astype(np.float64))
        above, radius = _step_down_order(board, bound, (1 - level) / 2)
        own = np.diag(bound.radius(1 - level))
    best, worst = 1 + above.sum(axis=0), board.together.sum(axis=1) - above.sum(axis=1)
    ranks = AnytimeRanks.of_board(
        board,
        best,
        worst,
        above,
        low=np.maximum(board.score - own, 0.0),
        high=np.minimum(board.score + own, 1.0),
        level=level,
        simultaneous=True,
        estimand="mean win rate",
        bounds=(0.0, 1.0),
        settings={
            "anytime": True,
            "level": level,
            "simultaneous": True,
            "estimand": "mean_win_rate",
            "kind": profile.evidence.kind,
        },
        conventions=profile.conventions,
        notes=(),
        radius=radius,
    )
    played = np.bincount(pairs.a, pairs.battles, n) + np.bincount(pairs.b, pairs.battles, n)
    never = n * (n - 1) // 2 - len(pairwise.rate)
    return AnytimeResolution(ranks, played.astype(np.int64), e_value, wins, never)


def _exact_two_agents(board: Leaderboard, pairwise: WinRateEstimate, level: float) -> tuple[Leaderboard, Floats]:
    """Return the board of two agents by share of wins, and the exact half-width of their difference."""
    battles = float(pairwise.weight.sum())
    won = battles * float(pairwise.rate[0]) if battles else 0.0
    rate = won / battles if battles else 0.5
    bound = head_to_head_bound(won, battles - won, 1 - level)
    radius = 2 * abs(rate - bound) * (1 - np.eye(2))
    return replace(board, score=np.array([rate, 1 - rate])), radius


def _step_down_order(board: Leaderboard, bound: AnySchedule, error: float) -> tuple[Bools, Floats]:
    """Return who is certainly above whom, and the half-widths of all differences.

    Holm's step-down over a confidence sequence: pairs with a certain order pass their share of the error on to the
    others. The first false rejection would occur while all true hypotheses are still in the family, so the family-wise
    error holds at every look.
    """
    gap, pairs = np.nan_to_num(board.differences), (int(board.together.sum()) - len(board.agents)) // 2
    radius = np.where(board.together, bound.radius(error / max(pairs, 1)), np.inf)
    np.fill_diagonal(radius, 0.0)
    above = gap > radius
    while True:
        left = max(pairs - int(above.sum()), 1)
        more = board.together & (gap > bound.radius(error / left)) & ~np.eye(len(gap), dtype=bool)
        if more.sum() <= above.sum():
            return transitive_closure(above), radius
        above = more


def _require_plain(profile: Profile, options: ResolveOptions) -> None:
    """Raise unless battles have equal weight and no option is set that applies to a single look only."""
    if options.estimand not in (AUTO, "mean_win_rate"):
        raise UsageError(
            f"`anytime` is about mean win rates; `estimand` must be left out or mean_win_rate; got {options.estimand!r}."
        )
    if options.cluster not in (None, AUTO):
        raise UsageError(f"`anytime` takes battles one by one; `cluster` must be left out; got {options.cluster!r}.")
    kind, n = profile.evidence.kind, len(profile.agents)
    if kind not in ("battles", "pairs") or profile.pairs is None:
        raise UsageError(
            f"`anytime` takes battles or counts of them, one after the other; these are {kind}, whose pairs come "
            "together. Leave it out."
        )
    if not 2 <= n <= COMPARED:
        raise DataError(f"`anytime` compares 2 to {COMPARED:,} agents; here are {n:,}. Choose some with `--only`.")
    counts = profile.pairs.counts.sum(axis=1)
    if getattr(profile.source, "weight", None) is not None or not np.allclose(counts, profile.pairs.battles):
        raise UsageError("`anytime` takes battles that all count the same; these have weights. Leave the weights out.")
