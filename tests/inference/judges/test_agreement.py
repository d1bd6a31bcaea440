"""Agreement of judges on the same units."""

import numpy as np

from beatpath.inference.judges.judges_result import LEAST, agreement_of
from beatpath.stats.verdicts import Verdicts


def test_too_few_units_say_nothing():
    few = Verdicts(np.tile([0, 1], LEAST - 1), np.repeat(np.arange(LEAST - 1), 2), np.zeros(2 * (LEAST - 1), int))
    assert agreement_of(few, ("j", "k"), 0.95) is None
    assert agreement_of(None, ("j", "k"), 0.95) is None


def test_two_judges_have_the_kappa_of_their_own_units():
    rng = np.random.default_rng(0)
    first = rng.integers(3, size=60)
    second = np.where(rng.random(60) < 0.7, first, rng.integers(3, size=60))
    values = np.concatenate([first, second])
    agreement = agreement_of(Verdicts(np.repeat([0, 1], 60), np.tile(np.arange(60), 2), values), ("j", "k"), 0.95)
    assert agreement.pairs[0].judges == ("j", "k")
    assert agreement.pairs[0].units == 60
    assert abs(agreement.share - (first == second).mean()) < 1e-12
    assert set(agreement.accuracy) == {"j", "k"}
