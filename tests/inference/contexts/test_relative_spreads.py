"""One context that is unlike the others has a spread of its own."""

import numpy as np

from beatpath.inference.contexts.deviations import deviations
from beatpath.inference.contexts.shrunken import relative_spreads
from helpers.contexts import drawn_contexts


def test_a_context_that_alone_deviates_is_told_from_the_others():
    spread = np.array([1.0, 0, 0, 0, 0, 0])
    found = np.mean(
        [np.log(relative_spreads(deviations(drawn_contexts(seed, spread)[1], 0.3))) for seed in range(10)], axis=0
    )
    assert found[0] > np.log(3)
    assert np.abs(found[1:] - found[1:].mean()).max() < np.log(1.5)


def test_contexts_that_deviate_alike_have_nearly_one_spread():
    found = [relative_spreads(deviations(drawn_contexts(seed, 0.5)[1], 0.5)) for seed in range(10)]
    assert np.mean(np.abs(np.log(found))) < np.log(1.25)


def test_their_geometric_mean_is_one():
    found = relative_spreads(deviations(drawn_contexts(1, 0.5)[1], 0.5))
    assert np.isclose(np.log(found).sum(), 0)
