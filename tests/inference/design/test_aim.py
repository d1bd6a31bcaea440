"""How many standard errors a difference must have to be resolved."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chi, norm, t

from beatpath.inference.design.power import chance_of_missing, standard_errors_needed

Z = NormalDist().inv_cdf
NEEDED = Z(0.975) + Z(0.8)  # 2.80 standard errors


@pytest.mark.parametrize("df", [2.0, 7.5, 40.0])
def test_what_is_needed_is_noncentral_t_by_its_definition(df):
    needed = float(standard_errors_needed(Z(0.975), df, 0.8))
    critical = t.ppf(0.975, df)
    power, _ = quad(lambda s: chi.pdf(s, df) * norm.sf(critical * s / sqrt(df) - needed), 0, 40, limit=200)
    assert power == pytest.approx(0.8, abs=1e-6)
    assert float(chance_of_missing(Z(0.975), df, needed)) == pytest.approx(0.2, abs=1e-6)


def test_with_many_degrees_of_freedom_what_is_needed_is_the_sum_of_two_quantiles():
    assert float(standard_errors_needed(Z(0.975), np.inf, 0.8)) == pytest.approx(NEEDED, abs=1e-6)
    assert float(standard_errors_needed(3.0, np.inf, 0.9)) == pytest.approx(3.0 + Z(0.9), abs=1e-6)


@given(
    st.floats(0.5, 5.0),
    st.floats(1.0, 1e4),
    st.tuples(st.floats(0.1, 0.99), st.floats(0.1, 0.99)).map(sorted),
    st.floats(0.01, 2.0),
)
def test_more_power_a_higher_critical_value_or_fewer_degrees_of_freedom_need_more(critical, df, powers, more):
    low, high = (float(standard_errors_needed(critical, df, power)) for power in powers)
    assert low <= high + 1e-7
    assert float(standard_errors_needed(critical + more, df, powers[0])) >= low - 1e-7
    assert float(standard_errors_needed(critical, df * (1 + more), powers[1])) <= high * (1 + 1e-6) + 1e-6
