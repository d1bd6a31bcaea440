"""Results in a notebook: pictures and frames."""

import json

import pytest

import beatpath as bp


@pytest.fixture(scope="module")
def results():
    battles = bp.only(bp.example(), ["aurora", "basalt", "cinder", "dune"])
    return {
        "resolution": bp.resolve(battles),
        "ranks": bp.resolve(battles).ranks,
        "pairwise": bp.resolve(battles).pairwise,
        "comparison": bp.compare_methods(battles, ["copeland", "schulze"]),
        "core": bp.core(battles),
        "ranking": bp.rank(battles, "bradley_terry"),
        "bootstrap": bp.bootstrap(battles, "copeland", draws=30),
        "core bootstrap": bp.bootstrap(battles, "core", draws=30),
    }


@pytest.mark.parametrize("name", ["resolution", "ranks", "pairwise", "comparison", "core"])
def test_a_result_draws_itself(results, name, tmp_path):
    picture = bp.plot(results[name])
    bundle = picture._repr_mimebundle_()
    assert json.loads(json.dumps(bundle["application/vnd.vegalite.v6+json"], allow_nan=False))["$schema"]
    assert "aurora" in bundle["image/svg+xml"]
    picture.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("name", ["resolution", "ranks", "core", "ranking", "bootstrap", "core bootstrap"])
def test_a_result_is_a_frame_of_any_library(results, name, library):
    pytest.importorskip(library)
    frame = results[name].to_frame(library)
    names = list(frame["agent"]) if library != "pyarrow" else frame["agent"].to_pylist()
    assert sorted(names) == ["aurora", "basalt", "cinder", "dune"]


def test_methods_side_by_side_have_a_column_each(results):
    frame = results["comparison"].to_frame("pandas")
    assert list(frame.columns) == ["agent", "copeland", "schulze"]
    assert len(frame) == 4


def test_what_is_no_result_is_refused():
    with pytest.raises(bp.UsageError, match="got int"):
        bp.plot(3)


def test_a_library_must_be_known():
    with pytest.raises(bp.UsageError, match="polars"):
        bp.rank(bp.example(), "copeland").to_frame("excel")


def test_a_picture_has_an_ending_it_knows(results, tmp_path):
    with pytest.raises(bp.UsageError, match=r"\.svg or \.png"):
        bp.plot(results["core"]).save(tmp_path / "picture.jpg")
