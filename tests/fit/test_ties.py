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


@pytest.mark.parametrize("name", [name for name, model in TIE_MODELS.items() if model.start])
def test_the_derivatives_in_the_tie_parameter_are_those_of_the_value(name):
    counts, eta, at, h = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 1.0]]), np.array([0.4, -1.2]), 0.3, 1e-5
    terms = TIE_MODELS[name].terms
    below, here, above = (terms(eta, at + step, counts) for step in (-h, 0.0, h))
    assert here.tie == pytest.approx((above.value - below.value) / (2 * h), rel=1e-6)
    assert here.tie_tie == pytest.approx((below.tie - above.tie) / (2 * h), rel=1e-6)
    np.testing.assert_allclose(here.lead_tie, (below.lead - above.lead) / (2 * h), rtol=1e-6)


def test_leads_and_ties_beyond_the_range_of_exponentials_have_their_log_likelihood():
    counts = np.array([[1.0, 0.0, 0.0]])
    for eta, delta, value in ((6000.0, 0.0, 0.0), (-6000.0, 0.0, -6000.0), (0.0, 3000.0, -3000.0)):
        terms = TIE_MODELS["davidson"].terms(np.array([eta]), delta, counts)
        assert (terms.value, np.isfinite(terms.lead).all()) == (value, True)
