"""Scores that should be high for members of the core, and how well they recover it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from beatpath import Pairs
from beatpath.inference.core.core_posterior import core_posterior
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry
from beatpath.methods.soft_core.edges import edges_from_pairs
from beatpath.methods.soft_core.operators import reachability, soft_top_cycle

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TAU = GAMMA = 0.01
JITTERS = 20


def ste_posterior(pairs: Pairs) -> Array:
    """STE with posterior edges, eq. (20), max-min reachability and the soft minimum of eq. (11)."""
    return soft_top_cycle(reachability(edges_from_pairs(pairs, edges="posterior").strength(TAU)), GAMMA)


def ste_weighted(pairs: Pairs) -> Array:
    """STE with weighted empirical edges, section F.3."""
    return soft_top_cycle(reachability(edges_from_pairs(pairs, edges="weighted").strength(TAU)), GAMMA)


def strengths(pairs: Pairs) -> Array:
    """Bradley-Terry strengths; half a win and half a loss against an average agent keep them finite."""
    return bradley_terry(profile_of(pairs), prior=0.5).score


def win_rates(pairs: Pairs) -> Array:
    """Mean win rate against all others, one half against those never played."""
    return edges_from_pairs(pairs).probability.mean(axis=1)


def membership(pairs: Pairs) -> Array:
    """The core posterior."""
    return core_posterior(pairs).probability


METHODS: dict[str, Callable[[Pairs], Array]] = {
    "STE-posterior-edge": ste_posterior,
    "BTL": strengths,
    "Win-rate": win_rates,
    "core posterior": membership,
}


def top_sets(score: Array, k: int, rng: np.random.Generator, times: int = JITTERS) -> NDArray[np.int64]:
    """The k agents of highest score, ties broken at random, so many times over: (times, k)."""
    jitter = rng.random((times, len(score)))
    return np.stack([np.lexsort((row, -score))[:k] for row in jitter])


def top_f1(score: Array, core: Mask, rng: np.random.Generator) -> float:
    """F1 of the top set of the core's own size; precision and recall are then the same."""
    return float(core[top_sets(score, int(core.sum()), rng)].mean())


def auroc(score: Array, core: Mask) -> float:
    """Chance that a member scores above an outsider, ties counting half."""
    members, others = core.sum(), (~core).sum()
    return float((rankdata(score)[core].sum() - members * (members + 1) / 2) / (members * others))


def auprc(score: Array, core: Mask) -> float:
    """Average precision over thresholds, agents of one score entering together."""
    order = np.argsort(-score, kind="stable")
    hits, taken = np.cumsum(core[order]), np.arange(1, len(score) + 1)
    last = np.append(np.diff(score[order]) != 0, True)
    recall = np.diff(np.append(0.0, hits[last] / core.sum()))
    return float(recall @ (hits[last] / taken[last]))


def calibration_error(probability: Array, core: Mask, bins: int = 10) -> float:
    """Expected calibration error, section 4.1.1 of STE."""
    place = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = [abs(probability[place == bin].sum() - core[place == bin].sum()) for bin in range(bins)]
    return float(sum(gaps) / len(core))
