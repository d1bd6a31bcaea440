"""A column may be named as the source names it, whatever role it was read as."""

import numpy as np
import pytest

import beatpath as bp


@pytest.fixture
def path(tmp_path):
    rows = [f"{a},{b},{w},p{k % 6}" for k in range(12) for a, b, w in (("ada", "bob", "ada"), ("bob", "cyd", "cyd"))]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(["model_a,model_b,winner,prompt", *rows]))
    return file


def test_a_cluster_is_selected_by_its_name_in_the_file(path):
    battles = bp.read(path)
    assert set(battles.factors) == {"cluster"}
    named = bp.resolve(battles, cluster="prompt", draws=1000)
    assert named.settings["cluster"] == ["cluster"]
    np.testing.assert_array_equal(named.low, bp.resolve(battles, cluster="cluster", draws=1000).low)
    assert bp.core(battles, cluster="prompt").membership == bp.core(battles, cluster="cluster").membership
    assert (bp.win_matrix(battles, cluster="prompt").rate == bp.win_matrix(battles, cluster="cluster").rate).all()
    assert bp.bootstrap(battles, "copeland", cluster="prompt", draws=20).settings["cluster"] == "cluster"


def test_contexts_are_selected_by_the_name_in_the_file(path):
    assert set(bp.resolve(path, by="prompt", draws=1000).contexts) == {f"p{k}" for k in range(6)}


def test_a_name_that_neither_has_is_refused(path):
    with pytest.raises(bp.UsageError, match=r"must name a column of the evidence \(cluster\); got 'prompts'"):
        bp.resolve(path, cluster="prompts")
