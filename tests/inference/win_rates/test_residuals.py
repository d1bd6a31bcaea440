"""What clusters leave over of predicted rates, from the battles themselves."""

import numpy as np
import pytest
from hypothesis import given

from beatpath.inference.win_rates.residuals import residuals
from beatpath.inference.win_rates.win_rates import estimate_of_profile, win_rate_inference
from beatpath.methods.profile import profile_of
from helpers import strategies
from helpers.tastes import clusters_of, residuals_by_cluster


@given(strategies.clustered_battles())
def test_what_clusters_leave_over_is_what_their_battles_do(battles):
    pairwise = estimate_of_profile(profile_of(battles), weighed=False)
    predicted = np.linspace(0.2, 0.9, len(pairwise.a))
    f, n = residuals_by_cluster(battles, pairwise, predicted, clusters_of(battles, "cluster"))
    one_battle = n.sum(axis=1) == 1
    residual = residuals(pairwise, predicted)
    (part,) = residual.parts
    assert part.f.tocsr().toarray() == pytest.approx(f[~one_battle], abs=1e-12)
    assert part.n.tocsr().toarray() == pytest.approx(n[~one_battle], abs=1e-12)
    assert residual.alone == pytest.approx((f[one_battle] ** 2).sum(axis=0), abs=1e-12)
    assert residual.number == pytest.approx(n[one_battle].sum(axis=0), abs=1e-9)


@given(strategies.clustered_battles())
def test_what_battles_by_themselves_leave_over_is_known_by_pair(battles):
    pairwise = win_rate_inference(battles, cluster=None)
    predicted = np.linspace(0.9, 0.2, len(pairwise.a))
    f, n = residuals_by_cluster(battles, pairwise, predicted, clusters_of(battles, None))
    residual = residuals(pairwise, predicted)
    assert residual.alone == pytest.approx((f**2).sum(axis=0), abs=1e-12)
    assert residual.number == pytest.approx(n.sum(axis=0), abs=1e-9)


@given(strategies.clustered_battles())
def test_two_ways_of_clustering_leave_over_what_each_does(battles):
    pairwise = estimate_of_profile(profile_of(battles), ("cluster", "judge"), weighed=False)
    predicted = np.linspace(0.9, 0.2, len(pairwise.a))
    for name, part in zip(("cluster", "judge"), residuals(pairwise, predicted).parts, strict=False):
        f, _ = residuals_by_cluster(battles, pairwise, predicted, clusters_of(battles, name))
        assert part.f.tocsr().toarray() == pytest.approx(f, abs=1e-12)
    assert not residuals(pairwise, predicted).alone.any()
