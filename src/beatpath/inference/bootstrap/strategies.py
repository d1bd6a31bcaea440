"""Which road a method takes: the cheapest that gives what it would say of the resampled rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from beatpath.evidence import Ballots, Battles, Evidence, Pairs, Scores
from beatpath.inference.bootstrap.answers import Function
from beatpath.inference.bootstrap.bradley_terry_strategy import fitted
from beatpath.inference.bootstrap.pair_cells import PairCells, ballot_cells, pair_cells
from beatpath.inference.bootstrap.replicates import Called, Counted, Repeated, ResamplingStrategy, Reweighted
from beatpath.inference.bootstrap.resampling import Codes, Resampling
from beatpath.inference.bootstrap.sampling_units import ballot_units, row_units, score_units
from beatpath.methods.profile import Profile

FROM_COUNTS = frozenset(
    [
        "copeland",
        "minimax",
        "schulze",
        "ranked_pairs",
        "split_cycle",
        "kemeny",
        "maximal_lottery",
        "iml",
        "nash_averaging",
        "alpha_rank",
        "rank_centrality",
        "hodge_rank",
        "bradley_terry",
        "sco",
        "borda",
        "core",
    ]
)  # whatever is not named here gets the ballots or the rows
FROM_TASKS = frozenset({"nash_averaging", "alpha_rank"})  # which look at the score table, unless told not to


def strategy_of_method(
    profile: Profile, key: str, settings: Mapping[str, Any], cluster: str | Sequence[str] | None, draws: int
) -> tuple[ResamplingStrategy, Resampling]:
    """Return the cheapest road that gives what the method would say of the resampled rows, and what is drawn."""
    source, drawn, per, voter = profile.source, None, "", None
    if profile.scores is not None:
        per = next(made.value for made in source.conventions if made.name == "per")
        assert isinstance(source, Ballots)
        drawn, voter = _tasks_drawn(profile.scores, per, source, cluster)
    if isinstance(source, Ballots | Battles):
        scores = profile.scores if key in FROM_TASKS else None
        profile = replace(profile, source=replace(source, factors={}), scores=scores)
    if from_counts(profile, key, settings):
        assert isinstance(source, Ballots | Battles | Pairs)
        if isinstance(source, Ballots):
            cells, drawn = ballot_cells(source, drawn, cluster)
        else:
            cells, drawn = pair_cells(source, cluster)
        return _counted(cells, profile, key, settings), drawn
    if isinstance(source, Battles):
        return Repeated(profile, key, settings, draws), row_units(source, cluster)
    assert isinstance(source, Ballots)
    voter = voter if key in FROM_TASKS else None
    return Reweighted(profile, key, settings, per, voter), drawn or ballot_units(source, cluster)


def strategy_of_function(
    evidence: Evidence, function: Function, settings: Mapping[str, Any], per: str, cluster: str | Sequence[str] | None
) -> tuple[ResamplingStrategy, Resampling]:
    """Return the road of a user's function, and what is drawn."""
    if isinstance(evidence, Pairs):
        cells, drawn = pair_cells(evidence, cluster)
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


def _counted(cells: PairCells, profile: Profile, key: str, settings: Mapping[str, Any]) -> ResamplingStrategy:
    """The road by counts, which travels without the evidence they come from."""
    slim = replace(profile, source=cells.pairs, scores=None)
    return fitted(cells, profile, slim, settings) if key == "bradley_terry" else Counted(cells, slim, key, settings)
