"""Performance profiles, held against rliable."""

import json

import numpy as np
import pytest

import beatpath as bp
from helpers.paths import GOLDEN as FOLDER
from helpers.run_tables import scores_of

GOLDEN = json.loads((FOLDER / "rliable_runs.json").read_text(encoding="utf-8"))
SCORES = scores_of(np.array([GOLDEN["data"][a] for a in "abc"]).transpose(0, 2, 1))


def test_shares_are_those_of_rliable_and_bands_lie_within_a_run_of_its():
    profile = bp.metrics.performance_profile(SCORES, tau=GOLDEN["tau"], draws=4000)
    assert profile.share == pytest.approx(np.array([GOLDEN["profile"][a] for a in "abc"]), rel=1e-12)
    bands = np.array([GOLDEN["band"][a] for a in "abc"])
    assert np.abs(profile.low - bands[:, 0]).max() <= 1 / 28 + 1e-9
    assert np.abs(profile.high - bands[:, 1]).max() <= 1 / 28 + 1e-9


def test_a_profile_falls_from_all_runs_to_none():
    profile = bp.metrics.performance_profile(SCORES)
    assert (np.diff(profile.share, axis=1) <= 1e-12).all()
    assert bp.metrics.performance_profile(SCORES, tau=[-1.0, 1e9]).share.tolist() == [[pytest.approx(1.0), 0.0]] * 3


def test_an_agent_nowhere_below_another_is_reported():
    low = np.random.default_rng(0).random((1, 5, 3))
    profile = bp.metrics.performance_profile(scores_of(np.concatenate([low + 1, low])))
    assert profile.above.tolist() == [[False, True], [False, False]]
    assert "'a' is nowhere below" in profile.sentences[0]
    crossed = bp.metrics.performance_profile(scores_of(np.array([[[0.0, 3.0]], [[1.0, 2.0]]])))
    assert "depends on the threshold" in crossed.sentences[0]


def test_values_that_do_not_rise_are_refused():
    for tau in ([1.0, 1.0], [np.nan], [[1.0]], []):
        with pytest.raises(bp.UsageError, match="`tau`"):
            bp.metrics.performance_profile(SCORES, tau=tau)


def test_it_is_plotted():
    spec = bp.metrics.performance_profile(SCORES).plot().to_dict()
    assert json.dumps(spec, allow_nan=False)
    assert {value["label"] for value in spec["layer"][-1]["data"]["values"]} == {"a", "b", "c"}
