"""What a resolution says: cautions before ranks, and names escaped."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.resolve.resolve import resolve


@pytest.fixture(scope="module")
def found():
    return resolve(bp.example())


def left_out(*pairs):
    """Five agents of whom all pairs met but those named."""
    a, b = np.triu_indices(5, 1)
    met = [pair not in pairs for pair in zip(a.tolist(), b.tolist(), strict=True)]
    return bp.Pairs(tuple("abcde"), a[met], b[met], [[60, 40, 0, 0]] * sum(met))


def test_hostile_names_are_escaped():
    name = "<script>alert(1)</script>"
    told = resolve(bp.Pairs((name, "b"), [0], [1], [[20, 10, 0, 0]]))
    assert "<script>" not in told._repr_html_()


def test_a_caution_comes_first_where_more_than_a_tenth_of_the_pairs_never_met():
    cautioned = [resolve(left_out(*pairs)).sentences[0] for pairs in ((), ((0, 1),), ((0, 1), (2, 3)))]
    assert [said.startswith("Read with care") for said in cautioned] == [False, False, True]
    assert cautioned[2].startswith("Read with care: 20 % of the pairs never met")


@pytest.mark.parametrize("option", [{"estimand": "bradley_terry"}, {"unobserved": "bradley_terry"}])
def test_no_caution_is_needed_where_opponents_are_allowed_for(option):
    told = resolve(left_out((0, 1), (2, 3)), **option)
    assert not any(said.startswith("Read with care") for said in told.sentences)


def test_json_has_the_promised_shape(found):
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["schema_version"] == "1"
    assert set(data["ranks"]) == set(found.agents)
    assert set(data["ranks"]["aurora"]) == {"score", "low", "high", "best", "worst", "group"}
    assert {"observed", "significant", "weakest_edge_z"} <= set(data["cycles"])
    assert {"lack_of_fit", "defensible"} <= set(data["bradley_terry"])
    assert isinstance(data["resolved_pairs"], int)
    assert isinstance(data["unique_ranks"], int)
    assert data["settings"]["level"] == 0.95
    assert data["settings"]["cluster"] == ["cluster"]


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("aurora > dune", True),
        ("dune < aurora", True),
        ("dune > aurora", False),
        ("aurora is first", False),
        ("aurora is in the top 20", True),
        ("dune is last", False),
    ],
)
def test_claims_are_judged_by_what_is_certain(found, claim, supported):
    judged = found.test(claim)
    assert judged.supported is supported
    assert ("is supported" in judged.sentence) is supported


def test_a_claim_about_the_last_agent_can_be_supported():
    told = bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[90, 10, 0, 0], [98, 2, 0, 0], [90, 10, 0, 0]])
    sure = resolve(told)
    assert sure.test("c is last").supported
    assert sure.test("a is first").supported
    assert sure.sentences[0] == "'a' is certainly first."


def test_a_board_without_a_finite_scale_says_so():
    told = bp.Pairs(("a", "b"), [0], [1], [[20, 0, 0, 0]])
    sure = resolve(told)
    assert sure.projection is None
    assert "cannot be told" in sure.one_scale.sentence
    assert sure.to_dict()["bradley_terry"]["defensible"] is None
    assert sure.test("a > b").supported  # twenty wins of twenty


def test_plain_data_count_pairs_and_battles():
    told = bp.resolve(left_out((0, 1)))
    plain = told.to_dict()
    assert plain["pairs"] == 10
    assert plain["resolved_pairs"] == told.ranks.resolved_pairs
    assert {row["agent"]: row["battles"] for row in told.rows()} == dict(
        zip("abcde", (300, 300, 400, 400, 400), strict=True)
    )
