"""What a function on a resample may answer."""

import pytest

from beatpath import rank
from beatpath.inference.bootstrap.bootstrap import bootstrap
from helpers.hostile_resamples import some_battles


def test_a_function_may_return_a_ranking_and_take_settings():
    battles = some_battles()
    one = bootstrap(battles, lambda evidence, key: rank(evidence, key, matrix="raw"), draws=20, key="copeland")
    other = bootstrap(battles, "copeland", draws=20)
    assert one.score.tolist() == other.score.tolist()
    assert one.settings["key"] == "copeland"


def test_a_bug_in_a_function_is_not_counted_as_a_failure():
    def wrong(evidence):
        return {name: 1 / (len(evidence) - 50) for name in evidence.agents}

    with pytest.raises(ZeroDivisionError):
        bootstrap(some_battles(n=50), wrong, draws=5)
