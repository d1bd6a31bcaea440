"""What a resolution says: cautions before ranks, and names escaped."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.resolve.resolve import resolve


@pytest.fixture(scope="module")
def resolution():
    return resolve(bp.example())


def test_hostile_names_are_escaped():
    name = "<script>alert(1)</script>"
    resolution = resolve(bp.Pairs((name, "b"), [0], [1], [[20, 10, 0, 0]]))
    assert "<script>" not in resolution._repr_html_()


def test_the_first_sentences_are_the_short_answer_and_what_a_score_is(resolution):
    assert resolution.sentences[0] == resolution.answer.text
    assert "may be first by mean win rate against every other agent" in resolution.sentences[1]
    by_strength = resolve(bp.example(), estimand="bradley_terry")
    assert "first by Bradley-Terry strength (log odds)" in by_strength.sentences[1]


def test_agents_that_nothing_connects_are_never_ordered():
    """Two unconnected trios: the best of a weak one is not above the best of another."""
    names = ("s1", "s2", "s3", "w1", "w2", "w3")
    strong, weak = [[60, 40, 0, 0]] * 3, [[90, 10, 0, 0]] * 3
    resolution = resolve(bp.Pairs(names, [0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5], [*strong, *weak]))
    assert resolution.sentences[1].startswith("The agents form 2 connected components (")
    across = [(a, b) for a in names[:3] for b in names[3:]]
    assert not any(
        resolution.test(f"{a} > {b}").supported or resolution.test(f"{b} > {a}").supported for a, b in across
    )
    assert not any(resolution.test(f"{name} is first").supported for name in names)
    assert resolution.test("w1 > w3").supported


def test_a_component_has_its_own_board():
    """Three agents that are far apart, and two others that only played each other: ranks are 1 to 3, and 1 to 2."""
    cells = [[90, 10, 0, 0], [99, 1, 0, 0], [90, 10, 0, 0], [80, 20, 0, 0]]
    pairs = bp.Pairs(("a", "b", "c", "x", "y"), [0, 0, 1, 3], [1, 2, 2, 4], cells)
    resolution = resolve(pairs)
    ranks = {row["agent"]: (row["part"], row["best"], row["worst"]) for row in resolution.rows()}
    assert ranks == {"a": (1, 1, 1), "b": (1, 2, 2), "c": (1, 3, 3), "x": (2, 1, 1), "y": (2, 2, 2)}
    assert [row["agent"] for row in resolution.rows()] == ["a", "b", "c", "x", "y"]
    assert resolution.ranks.pairs == resolution.ranks.resolved_pairs == 4
    assert resolution.ranks.skipped == 0
    assert resolution.ranks.sentences[0] == "'a' is certainly first of 3 agents of the largest component."
    assert not resolution.test("x is first").supported
    assert not resolve(pairs, estimand="as_sampled").test("a > y").supported


def test_one_stray_battle_moves_a_score_by_no_more_than_its_weight():
    """Eight agents with some 700 battles each in clusters, and two newcomers who meet one of them once."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 8, 2800)
    b = (a + rng.integers(1, 8, 2800)) % 8
    rows = [(f"x{i}", f"x{j}", float(rng.random() < 0.5)) for i, j in zip(a, b, strict=True)]
    cluster = [f"c{i // 4}" for i in range(2800)]

    def interval(rows, cluster):
        resolution = resolve(bp.Battles.of(rows, factors={"cluster": bp.Factor.of(cluster)}))
        row = next(row for row in resolution.rows() if row["agent"] == "x0")
        return row["high"] - row["low"]

    before = interval(rows, cluster)
    after = interval([*rows, ("x0", "n1", 1.0), ("x0", "n2", 0.0)], [*cluster, "n", "n"])
    assert after == before  # two opponents that are hardly known stand apart


def test_json_has_the_promised_shape(resolution):
    data = json.loads(json.dumps(resolution.to_dict(), allow_nan=False))
    assert data["schema_version"] == "1"
    assert set(data["ranks"]) == set(resolution.agents) | {one.agent for one in resolution.unplaced}
    assert set(data["ranks"]["aurora"]) == {
        "score",
        "low",
        "high",
        "best",
        "worst",
        "may_be_first",
        "group",
        "tier",
        "best_tier",
        "letters",
        "part",
        "battles",
        "placed",
    }
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
        ("dune is last", True),
    ],
)
def test_claims_are_judged_by_what_is_certain(resolution, claim, supported):
    judged = resolution.test(claim)
    assert judged.supported is supported
    assert ("is supported" in judged.sentence) is supported


def test_a_claim_about_the_last_agent_can_be_supported():
    pairs = bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[90, 10, 0, 0], [98, 2, 0, 0], [90, 10, 0, 0]])
    sure = resolve(pairs)
    assert sure.test("c is last").supported
    assert sure.test("a is first").supported
    assert sure.sentences[0] == "'a' is certainly first of 3 agents by mean win rate (95 %)."


def test_a_board_without_a_finite_scale_says_so():
    pairs = bp.Pairs(("a", "b"), [0], [1], [[20, 0, 0, 0]])
    sure = resolve(pairs)
    assert sure.projection is None
    assert "cannot be determined" in sure.one_scale.sentence
    assert sure.to_dict()["bradley_terry"]["defensible"] is None
    assert sure.test("a > b").supported  # twenty wins of twenty


def test_plain_data_count_pairs_and_battles():
    a, b = np.triu_indices(5, 1)
    resolution = bp.resolve(bp.Pairs(tuple("abcde"), a[1:], b[1:], [[60, 40, 0, 0]] * 9))
    plain = resolution.to_dict()
    assert plain["pairs"] == 10
    assert plain["resolved_pairs"] == resolution.ranks.resolved_pairs
    assert {row["agent"]: row["battles"] for row in resolution.rows()} == dict(
        zip("abcde", (300, 300, 400, 400, 400), strict=True)
    )
