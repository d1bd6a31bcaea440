"""Tie models: slopes against finite differences."""

import numpy as np
import pytest

from beatpath.fit.ties import TIE_MODELS


@pytest.mark.parametrize("name", TIE_MODELS)
def test_the_derivatives_in_the_lead_are_those_of_the_value(name):
    counts = np.array([[3.0, 1.0, 2.0]])
    terms = TIE_MODELS[name].terms

    def value(eta):
        return float(terms(np.array([eta]), 0.3, counts).value)

    bend = -(value(0.4 + 1e-4) - 2 * value(0.4) + value(0.4 - 1e-4)) / 1e-8
    slope = (value(0.4 + 1e-6) - value(0.4 - 1e-6)) / 2e-6
    derivatives = terms(np.array([0.4]), 0.3, counts)
    assert float(derivatives.lead[0]) == pytest.approx(slope, abs=1e-5)
    assert float(derivatives.lead_lead[0]) == pytest.approx(bend, abs=1e-4)
