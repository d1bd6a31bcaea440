"""One context that is unlike the others has a spread of its own."""

import numpy as np

from beatpath.inference.contexts.deviations import deviations
from beatpath.inference.contexts.shrunken import relative_spreads
from helpers.contexts import simulated_contexts


def test_a_context_that_alone_deviates_is_separated_from_the_others():
    spread = np.array([1.0, 0, 0, 0, 0, 0])
    spreads = np.mean(
        [np.log(relative_spreads(deviations(simulated_contexts(seed, spread)[1], 0.3))) for seed in range(10)], axis=0
    )
    assert spreads[0] > np.log(3)
    assert np.abs(spreads[1:] - spreads[1:].mean()).max() < np.log(1.5)


def test_contexts_that_deviate_alike_have_nearly_one_spread():
    spreads = [relative_spreads(deviations(simulated_contexts(seed, 0.5)[1], 0.5)) for seed in range(10)]
    assert np.mean(np.abs(np.log(spreads))) < np.log(1.25)


def test_their_geometric_mean_is_one():
    spreads = relative_spreads(deviations(simulated_contexts(1, 0.5)[1], 0.5))
    assert np.isclose(np.log(spreads).sum(), 0)
