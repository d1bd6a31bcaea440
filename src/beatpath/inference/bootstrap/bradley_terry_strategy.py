"""Bradley-Terry on resamples: fitted many at a time, from the strengths of the whole."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence.arrays import frozen
from beatpath.evidence.pairs import LOSS, WIN, win_matrix
from beatpath.inference.bootstrap.answers import Answer
from beatpath.inference.bootstrap.pair_cells import PairCells
from beatpath.inference.bootstrap.replicates import Counted, Failure
from beatpath.inference.bootstrap.resampling import Codes
from beatpath.methods.numeric.newton import Ended
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.batched import SETTLED, batched_strengths, shared_inverse
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry, rating_levels
from beatpath.methods.rating.bradley_terry.scale import on_scale

Array = NDArray[np.float64]

FEW, MOST = 100, 400  # agents up to which a table of all pairs is quicker: whatever pairs met, or where many did
SCALE = ("scale", "anchor", "anchor_rating")


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Resamples fitted together; those that are too unlike the whole, or have no estimate, are left to the method itself."""

    alone: Counted
    start: Array
    inverse: Array
    said: str = "pair counts"

    def answers(self, weights: Codes) -> Iterator[Answer | Failure]:
        """Yield the ratings of each resample."""
        agents = self.alone.profile.agents
        prior = float(self.alone.settings.get("prior", 0.0))
        scale = {name: self.alone.settings[name] for name in SCALE if name in self.alone.settings}
        strength, settled = batched_strengths(self._wins(weights), self.start, self.inverse, prior=prior)
        rest = self.alone.answers(weights[~settled])
        for one, here in zip(strength, settled, strict=True):
            if not here:
                yield next(rest)
            else:
                level, one = _levels(one)
                yield Answer(level, on_scale(one, agents, **scale))

    def _wins(self, weights: Codes) -> Array:
        """Wins of all pairs, shape (draws, n, n), settled as the profile says."""
        cells, profile = self.alone.cells, self.alone.profile
        a, b, draws, n = cells.pairs.a, cells.pairs.b, len(weights), len(profile.agents)
        every = copy(cells.pairs)  # with the pairs of all resamples one after another
        frozen(every, a=np.tile(a, draws), b=np.tile(b, draws), counts=cells.counts(weights).reshape(-1, 4))
        settled = Profile(profile.agents, every, profile.ties, profile.both_bad, profile.pair_weight).settled
        assert settled is not None
        won = settled.counts.reshape(draws, len(a), 4)
        wins = np.zeros((draws, n, n))
        wins[:, a, b], wins[:, b, a] = won[:, :, WIN], won[:, :, LOSS]
        return wins


def fitted(cells: PairCells, profile: Profile, slim: Profile, settings: Mapping[str, Any]) -> Counted | Fitted:
    """Return the quickest road that the settings leave open, from the whole profile; `slim` is what travels."""
    alone = Counted(cells, slim, "bradley_terry", settings)
    plain = settings.get("tie_model", "half") == "half" and "max_iter" not in settings
    n = len(profile.agents)
    if not plain or not 1 < n <= (MOST if 8 * len(cells.pairs) >= n * n else FEW):
        return alone
    assert profile.settled is not None
    prior = float(settings.get("prior", 0.0))
    start = bradley_terry(profile, prior=prior).score
    return Fitted(alone, start, shared_inverse(win_matrix(profile.settled), start, prior))


def _levels(strength: Array) -> tuple[NDArray[np.int64], Array]:
    """What `rating_levels` gives, at once where no two strengths are near."""
    order = np.argsort(-strength)
    falls = -np.diff(strength[order])
    if falls.min() > 1e-8 * max(1.0, float(np.abs(strength).max())):
        level = np.empty(len(order), dtype=np.int64)
        level[order] = np.arange(len(order))
        return level, strength
    return rating_levels(strength, Ended(strength, 0.0, 0, True, False, 0.0, np.full(1, SETTLED)))
