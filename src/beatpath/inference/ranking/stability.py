"""`stability`: how rankings vary within the uncertainty of the win rates.

Win-rate matrices are drawn from the confidence distribution of the estimate, and every pairwise method runs on each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from time import monotonic
from typing import Any, ClassVar, Unpack

import numpy as np

from beatpath._arrays import Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import UsageError
from beatpath._result import Delegate, Record, Rows, TableResult
from beatpath._text import counted, listed, percent, quoted
from beatpath._validate import generator, require_whole
from beatpath.evidence import Convention
from beatpath.evidence.conventions import ConventionOptions
from beatpath.inference.matrix.win_matrix import matrix_of
from beatpath.inference.ranking.rank import as_profile, one_part, profile_of_matrix, profile_of_rates
from beatpath.inference.win_rates.win_rates import estimate_of_profile
from beatpath.methods.profile import Profile
from beatpath.methods.registry import METHODS, Method, method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking, require_kind

RANGE = (0.05, 0.95)  # quantiles of ranks: the middle nine tenths of draws
MOST_RATES = 20_000_000  # most win rates drawn and held in memory, 160 MB
BUDGET = 5.0  # seconds for all methods together
FEWEST_DRAWS = 20  # fewest draws from which a range of ranks is reported


@dataclass(frozen=True, slots=True)
class StableAgent(Record):
    """One agent over the draws of a method; NaN where there was no time for a draw.

    Attributes
    ----------
    rank : int
        Rank on the estimate.
    first : float
        Share of draws in which it is first, alone or tied.
    stays : float
        Share of draws in which it keeps its rank on the estimate.
    low, high : float
        Range of its rank in nine of ten draws.
    """

    rank: int
    first: float
    stays: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class RuleStability(Record):
    """One method over the draws.

    Attributes
    ----------
    ranking : Ranking
        On the estimate itself.
    draws : int
        Number of matrices it ran on; 0 where there was no time, and then shares are NaN.
    winners_stay : float
        Share of draws with the same set of winners.
    agents : mapping of str to StableAgent
        Every agent over the draws, by name.
    """

    hidden: ClassVar = ("ranking",)
    derived: ClassVar = ("method", "winners")

    ranking: Ranking
    draws: int
    winners_stay: float
    agents: Mapping[str, StableAgent]

    method = Delegate[str]("ranking.method", "The key of the method.")
    winners = Delegate[tuple[str, ...]]("ranking.winners", "Who is first on the estimate.")

    def __str__(self) -> str:
        winners = self.winners
        who = f"{quoted(winners[0])} is first" if len(winners) == 1 else f"{listed(winners)} share the first place"
        if not self.draws:
            return f"{self.ranking.method}: {who}; there was no time for a draw."
        alone = "" if len(winners) == 1 else "exactly these "
        return f"{self.ranking.method}: {who}, {alone}in {percent(self.winners_stay)} of {counted(self.draws, 'draw')}."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stability(TableResult):
    """How stable the rankings of pairwise methods are under the uncertainty of the data.

    Attributes
    ----------
    rules : tuple of RuleStability
        In the order requested.
    draws : int
        Number of matrices drawn.
    settings : mapping
        All settings.
    """

    derived: ClassVar = ("conventions",)

    rules: tuple[RuleStability, ...]
    draws: int
    settings: Mapping[str, Any]

    def of(self, method: str) -> RuleStability:
        """Return the result for one method."""
        return next(one for one in self.rules if one.ranking.method == method)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is first by each method and in how many draws, and which methods had fewer draws."""
        short = [one.ranking.method for one in self.rules if one.draws < self.draws]
        cut = f"There was no time to run {listed(short, len(short))} on all {self.draws:,} draws." if short else ""
        return tuple(one for one in (*map(str, self.rules), cut, self._apart_sentence()) if one)

    def apart(self) -> list[tuple[str, float, float, float]]:
        """Return agents whose rank varies more between methods than over the draws of any method, largest first.

        Each with its best and its worst rank over the methods, and its largest range in nine of ten draws. Methods
        that put more than half of the agents on one level select and do not rank; they are not compared.
        """
        ranking = [one for one in self.rules if one.draws >= FEWEST_DRAWS and not _selects_only(one.ranking)]
        if len(ranking) < 2:
            return []
        middle = [one.ranking.middle_ranks() for one in ranking]
        width = {name: max(one.agents[name].high - one.agents[name].low for one in ranking) for name in middle[0]}
        spans = [(name, min(r[name] for r in middle), max(r[name] for r in middle), width[name]) for name in width]
        wide = [span for span in spans if span[2] - span[1] > span[3]]
        return sorted(wide, key=lambda span: (span[1] - span[2], span[0]))

    def _apart_sentence(self) -> str:
        """State whether methods differ by more than the data leave open, and which were not compared."""
        choosing = [one.ranking.method for one in self.rules if _selects_only(one.ranking)]
        others = sum(one.draws >= FEWEST_DRAWS and not _selects_only(one.ranking) for one in self.rules)
        if others < 2:
            return ""
        left = f" ({listed(choosing)} select agents and do not rank them)" if choosing else ""
        wide = self.apart()
        if not wide:
            return f"No agent's rank varies more between the {others} ranking methods than between draws{left}."
        name, best, worst, width = wide[0]
        return (
            f"The rank of {counted(len(wide), 'agent')} varies more between the {others} ranking methods than between draws{left}: "
            f"most for {quoted(name)}, rank {best:g} to {worst:g} between methods and a range of {width:g} between draws. There the "
            "methods answer different questions, and more battles would not make them agree."
        )

    @property
    def conventions(self) -> tuple[Convention, ...]:
        """How evidence became win rates."""
        return self.rules[0].ranking.conventions

    def rows(self) -> Rows:
        """Return one row per method and agent, best first."""
        return [
            {"method": one.method, "agent": name, **one.agents[name].to_dict()}
            for one in self.rules
            for name in (each["agent"] for each in one.ranking.rows())
        ]


def _selects_only(ranking: Ranking) -> bool:
    """Whether a method puts more than half of the agents on one level."""
    return 2 * max(map(len, ranking.levels)) > len(ranking.agents)


def stability(
    evidence: EvidenceLike | Profile,
    methods: Sequence[str] | str | None = None,
    *,
    draws: int = 200,
    seed: int = 0,
    budget: float = BUDGET,
    **conventions: Unpack[ConventionOptions],
) -> Stability:
    """Measure how often each agent is first, and keeps its rank, within the uncertainty of the win rates.

    Use it for rankings by pairwise voting rules, which have no standard errors of their own.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data.
    methods : str or sequence of str, optional
        Pairwise methods; by default all of them.
    draws : int, default 200
        Number of win-rate matrices drawn from the distribution of the estimate.
    seed : int, default 0
        Seed of the draws.
    budget : float, default 5
        Seconds for all methods together. The fastest go first; a method that exceeds its share of the time gets fewer
        draws, and the result says so.
    **conventions
        As for `rank`.

    Returns
    -------
    Stability

    See Also
    --------
    bootstrap : Resample the evidence instead, for any method.
    compare_methods : Methods on the same evidence.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> settings = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[40, 30, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    >>> matrix = stability(settings, "copeland")
    >>> matrix.of("copeland").ranking
    copeland: ada > bob > cyd
    >>> bool(0.7 < matrix.of("copeland").winners_stay < 0.99), matrix.of("copeland").agents["cyd"].stays
    (True, 1.0)
    """
    require_whole("draws", draws)
    rng = generator(seed)
    if not (isinstance(budget, int | float) and isfinite(budget) and budget > 0):
        raise UsageError(f"`budget` must be a number of seconds above 0; got {quoted(budget)}.")
    profile = as_profile(evidence, conventions)
    chosen = _rule_methods(profile, methods)
    matrix = one_part(matrix_of(estimate_of_profile(profile)))
    n = len(profile.agents)
    draws_of_matrix = matrix.draws(rng, max(1, min(draws, MOST_RATES // n**2)))
    profiles = [profile_of_rates(profile, rate) for rate in draws_of_matrix]
    estimated, end = profile_of_matrix(profile, matrix), monotonic() + budget
    whole = {method.key: _timed(estimated, method, budget / len(chosen)) for method in chosen}
    rules: dict[str, RuleStability] = {}
    for k, method in enumerate(sorted(chosen, key=lambda method: whole[method.key][1])):
        share = max(end - monotonic(), 0.0) / (len(chosen) - k)
        rules[method.key] = _over_draws(whole[method.key][0], method, profiles, share)
    settings = {"draws": draws, "seed": seed, "budget": budget, **profile.chosen.options()}
    return Stability(tuple(rules[method.key] for method in chosen), len(draws_of_matrix), settings)


def _timed(profile: Profile, method: Method, share: float) -> tuple[Ranking, float]:
    """Return the ranking on the estimate, and how long it took."""
    start = monotonic()
    return ranking(profile, method, _limit(method, share)), monotonic() - start


def _limit(method: Method, share: float) -> dict[str, Any]:
    """Return the setting that stops a method in time, where it has one."""
    return {"time_limit": share} if "time_limit" in method.settings else {}


def _over_draws(whole: Ranking, method: Method, profiles: Sequence[Profile], share: float) -> RuleStability:
    """Run a method on one draw after the other, for at most `share` seconds."""
    rule, end, levels = method.function(), monotonic() + share, []
    for profile in profiles:
        left = end - monotonic()
        if left <= 0:
            break
        levels.append(rule(profile, **_limit(method, left)).level)
    return _summarized(whole, np.array(levels, dtype=np.int64).reshape(len(levels), len(whole.agents)))


def _summarized(whole: Ranking, levels: Ints) -> RuleStability:
    """Summarize levels over draws, (draws, n)."""
    own = [whole.rank(name) for name in whole.agents]
    same, figures = float("nan"), np.full((4, len(own)), np.nan)
    if len(levels):
        first, ranks = levels == 0, np.array([1 + np.searchsorted(np.sort(one), one) for one in levels])
        same = float((first == (whole.level_of() == 0)).all(axis=1).mean())
        ends = np.quantile(ranks, RANGE, axis=0, method="inverted_cdf")
        figures = np.stack([first.mean(axis=0), (ranks == own).mean(axis=0), *ends])
    named = zip(whole.agents, own, figures.T.tolist(), strict=True)
    return RuleStability(whole, len(levels), same, {name: StableAgent(rank, *some) for name, rank, some in named})


def _rule_methods(profile: Profile, methods: Sequence[str] | str | None) -> list[Method]:
    """Return the methods, or raise for one that does not compare pairs."""
    if profile.chosen.matrix == "raw":
        raise UsageError("`matrix` must be estimated here, as draws are those of the estimate; got 'raw'.")
    able = [method for method in METHODS.values() if method.compares]
    if methods is None:
        return able
    chosen = [method_named(key) for key in dict.fromkeys([methods] if isinstance(methods, str) else methods)]
    if not chosen:
        raise UsageError("`methods` must name at least one rule that compares pairs.")
    for method in chosen:
        require_kind(profile.evidence, method)
        if not method.compares:
            rules = ", ".join(one.key for one in able)
            raise UsageError(f"`methods` must be rules that compare pairs: {rules}; {quoted(method.key)} is none.")
    return chosen
