"""One method on a profile: names put to levels, once a profile, with what it was run on."""

import pytest

import beatpath as bp
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import method_named
from beatpath.methods.run import ranking

GAMES = bp.Battles.of([("x", "y", 1), ("y", "z", 1), ("x", "z", 1)])


def test_a_method_without_settings_is_run_once_a_profile():
    profile, copeland = profile_of(GAMES), method_named("copeland")
    assert ranking(profile, copeland, {}) is ranking(profile, copeland, {})
    assert ranking(profile, copeland, {}).levels == (("x",), ("y",), ("z",))


def test_a_rule_that_compares_pairs_says_that_it_took_counts():
    profile = profile_of(GAMES)
    conventions = {
        key: {made.name for made in ranking(profile, method_named(key), {}).conventions} for key in ("schulze", "sco")
    }
    assert "matrix" in conventions["schulze"]
    assert "matrix" not in conventions["sco"]


def test_what_is_no_evidence_is_refused_with_the_way_to_get_some():
    with pytest.raises(bp.UsageError, match=r"what `bp\.read` takes.*got int"):
        bp.rank(5, "schulze")
