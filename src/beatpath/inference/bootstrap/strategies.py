"""Which resampling strategy a method takes: the cheapest that gives what it would say of the resampled rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Ballots, Battles, Evidence, Pairs, Scores
from beatpath.evidence.pairs import TIE, win_matrix
from beatpath.fit.batched import SETTLED, TABLE, batched_strengths, shared_inverse
from beatpath.fit.newton import Ended
from beatpath.fit.table import fits_a_table
from beatpath.inference.bootstrap.answers import Answer, Function
from beatpath.inference.bootstrap.pair_cells import CellWins, PairCells, ballot_cells, cluster_pair_cells
from beatpath.inference.bootstrap.replicates import Called, Counted, Failure, Repeated, ResamplingStrategy, Reweighted
from beatpath.inference.bootstrap.resampling import Codes, Resampling
from beatpath.inference.bootstrap.sampling_units import ballot_units, row_units, score_units
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry, rating_levels
from beatpath.methods.rating.bradley_terry.scale import on_scale

Array = NDArray[np.float64]
SCALE = ("scale", "anchor", "anchor_rating")
FROM_COUNTS = frozenset(
    [
        "copeland",
        "minimax",
        "schulze",
        "ranked_pairs",
        "split_cycle",
        "nanson",
        "baldwin",
        "river",
        "stable_voting",
        "kemeny",
        "maximal_lottery",
        "iml",
        "nash_averaging",
        "alpha_rank",
        "deviation_ratings",
        "rank_centrality",
        "pagerank",
        "eigenvector_centrality",
        "hodge_rank",
        "thurstone",
        "bradley_terry_firth",
        "bradley_terry_posterior",
        "bradley_terry",
        "sco",
        "borda",
        "black",
        "core",
    ]
)  # whatever is not named here gets the ballots or the rows
KEPT = {"bradley_terry_judged": ("judge",)}  # columns that a method looks at
FROM_TASKS = frozenset(
    {"nash_averaging", "alpha_rank", "deviation_ratings", "majority_judgment"}
)  # which look at the score table, unless told not to


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Resamples fitted together; those that are too unlike the whole, or have no estimate, are left to the method itself."""

    alone: Counted
    cells: CellWins
    start: Array
    inverse: Array
    said: str = "pair counts"

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield the ratings of each resample."""
        height = max(1, TABLE // len(self.start) ** 2)
        for low in range(0, len(weights), height):
            yield from self._fitted_together(weights[low : low + height])

    def _fitted_together(self, weights: Codes) -> Iterator[Answer | Failure]:
        """As many resamples as the processor's cache holds."""
        agents = self.alone.profile.agents
        prior = float(self.alone.settings.get("prior", 0.0))
        scale = {name: self.alone.settings[name] for name in SCALE if name in self.alone.settings}
        strength, settled = batched_strengths(self._wins(weights), self.start, self.inverse, prior=prior)
        rest = self.alone.answers(weights[~settled])
        for one, here in zip(strength, settled, strict=True):
            if not here:
                yield next(rest)
            else:
                level, one = _levels_of_strengths(one)
                yield Answer(level, on_scale(one, agents, **scale))

    def _wins(self, weights: Codes) -> Array:
        """Wins of all pairs, shape (draws, n, n), settled as the profile says."""
        wins = self.cells.table(weights)
        if self.alone.profile.pair_weight == "count":
            return wins
        met = wins + wins.transpose(0, 2, 1)
        return np.divide(wins, met, out=np.zeros_like(wins), where=met > 0)


def outcome_shares(ties: str, both_bad: str) -> Array:
    """Return what a battle of each outcome adds, (4, 2), to the wins of its first and of its second agent.

    >>> outcome_shares("half", "drop")
    array([[1. , 0. ],
           [0. , 1. ],
           [0.5, 0.5],
           [0. , 0. ]])
    """
    one_each = Pairs(("a", "b"), np.zeros(4, dtype=np.int32), np.ones(4, dtype=np.int32), np.eye(4))
    return one_each.two_way(ties=ties, both_bad=both_bad).counts[:, :TIE]


def fitted(cells: PairCells, profile: Profile, slim: Profile, settings: Mapping[str, Any]) -> Counted | Fitted:
    """Return the quickest strategy that the settings leave open, from the whole profile; `slim` is what travels."""
    alone = Counted(cells, slim, "bradley_terry", settings)
    plain = settings.get("tie_model", "half") == "half" and "max_iter" not in settings
    n = len(profile.agents)
    if not plain or n < 2 or not fits_a_table(n, len(cells.pairs)):
        return alone
    assert profile.settled is not None
    prior = float(settings.get("prior", 0.0))
    start = bradley_terry(profile, prior=prior).score
    wins = cells.wins(outcome_shares(profile.ties, profile.both_bad))
    return Fitted(alone, wins, start, shared_inverse(win_matrix(profile.settled), start, prior))


def _levels_of_strengths(strength: Array) -> tuple[NDArray[np.int64], Array]:
    """What `rating_levels` gives, at once where no two strengths are near."""
    order = np.argsort(-strength)
    falls = -np.diff(strength[order])
    if falls.min() > 1e-8 * max(1.0, float(np.abs(strength).max())):
        level = np.empty(len(order), dtype=np.int64)
        level[order] = np.arange(len(order))
        return level, strength
    return rating_levels(strength, Ended(strength, 0.0, 0, True, False, 0.0, np.full(1, SETTLED)))


def strategy_of_method(
    profile: Profile, key: str, settings: Mapping[str, Any], cluster: str | Sequence[str] | None, draws: int
) -> tuple[ResamplingStrategy, Resampling]:
    """Return the cheapest strategy that gives what the method would say of the resampled rows, and what is drawn."""
    source, drawn, per, voter = profile.source, None, "", None
    if profile.scores is not None:
        per = next(made.value for made in source.conventions if made.name == "per")
        assert isinstance(source, Ballots)
        drawn, voter = _tasks_drawn(profile.scores, per, source, cluster)
    if isinstance(source, Ballots | Battles):
        scores = profile.scores if key in FROM_TASKS else None
        kept = {name: factor for name, factor in source.factors.items() if name in KEPT.get(key, ())}
        profile = replace(profile, source=replace(source, factors=kept), scores=scores)
    if from_counts(profile, key, settings):
        assert isinstance(source, Ballots | Battles | Pairs)
        if isinstance(source, Ballots):
            cells, drawn = ballot_cells(source, drawn, cluster)
        else:
            cells, drawn = cluster_pair_cells(source, cluster)
        return _counts_strategy(cells, profile, key, settings), drawn
    if isinstance(source, Battles):
        return Repeated(profile, key, settings, draws), row_units(source, cluster)
    assert isinstance(source, Ballots)
    voter = voter if key in FROM_TASKS else None
    return Reweighted(profile, key, settings, per, voter), drawn or ballot_units(source, cluster)


def strategy_of_function(
    evidence: Evidence, function: Function, settings: Mapping[str, Any], per: str, cluster: str | Sequence[str] | None
) -> tuple[ResamplingStrategy, Resampling]:
    """Return the strategy of a user's function, and what is drawn."""
    if isinstance(evidence, Pairs):
        cells, drawn = cluster_pair_cells(evidence, cluster)
        return Called(evidence, function, settings, "", cells), drawn
    if isinstance(evidence, Battles):
        return Called(evidence, function, settings, "", None), row_units(evidence, cluster)
    if isinstance(evidence, Ballots):
        return Called(evidence, function, settings, "", None), ballot_units(evidence, cluster)
    assert isinstance(evidence, Scores)
    per = evidence.who_votes(per)
    drawn = score_units(evidence, per, cluster, evidence.voters(per).levels)
    return Called(evidence, function, settings, per, None), drawn


def from_counts(profile: Profile, key: str, settings: Mapping[str, Any]) -> bool:
    """Return whether counts by pair say all that the method, so set, asks for.

    >>> from beatpath import Pairs
    >>> two = Profile(("ada", "bob"), Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))
    >>> from_counts(two, "bradley_terry", {}), from_counts(two, "bradley_terry", {"position": True})
    (True, False)
    """
    if profile.scores is not None and key in FROM_TASKS and settings.get("against", "auto") != "agents":
        return False
    if key == "bradley_terry" and (settings.get("position") or settings.get("covariates")):
        return False
    if key == "sco" and settings.get("solver") == "sgd" and profile.ballots is not None:
        return False
    return key in FROM_COUNTS


def _tasks_drawn(
    scores: Scores, per: str, ballots: Ballots, cluster: str | Sequence[str] | None
) -> tuple[Resampling, Codes]:
    """How the tasks behind ballots are drawn, and the place of each among all of the table."""
    factor = ballots.factors["task"]
    kept = [factor.levels[code] for code in factor.codes]
    place = {name: i for i, name in enumerate(scores.voters(per).levels)}
    return score_units(scores, per, cluster, kept), np.array([place[name] for name in kept], dtype=np.int64)


def _counts_strategy(cells: PairCells, profile: Profile, key: str, settings: Mapping[str, Any]) -> ResamplingStrategy:
    """The strategy by counts, which travels without the evidence they come from."""
    slim = replace(profile, source=cells.pairs, scores=None)
    return fitted(cells, profile, slim, settings) if key == "bradley_terry" else Counted(cells, slim, key, settings)
