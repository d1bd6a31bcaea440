"""What the data resolve by context, and claims about it."""

import numpy as np
import pytest

import beatpath as bp
from helpers.schemas import validated


def _pairs():
    keys = {"task": bp.Factor.of(["chat", "code"] * 3)}
    counts = [[90, 10, 0, 0], [20, 80, 0, 0], [80, 20, 0, 0], [40, 60, 0, 0], [45, 55, 0, 0], [70, 30, 0, 0]]
    return bp.Pairs(("ada", "bob", "cyd"), [0, 0, 0, 0, 1, 1], [1, 1, 2, 2, 2, 2], counts, keys=keys)


@pytest.fixture(scope="module")
def resolution():
    return bp.resolve(_pairs(), by="task")


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("ada is better at chat than at code", True),
        ("ada is better at code than at chat", False),
        ("ada is first in chat", True),
        ("ada is first in code", False),
        ("bob is first in code", True),
        ("bob > ada in code", True),
        ("bob > ada in chat", False),
        ("cyd is first", False),
    ],
)
def test_claims_follow_what_battles_of_a_context_say_plainly(resolution, claim, supported):
    tested = resolution.test(claim)
    assert tested.supported is supported
    assert repr(claim) in tested.sentence
    assert ("is supported" in tested.sentence) is supported


def test_without_a_difference_between_contexts_such_claims_are_rarely_supported():
    wrong = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        won = rng.binomial(40, 0.6, 9)
        counts = np.stack([won, 40 - won, 0 * won, 0 * won], axis=1)
        keys = {"task": bp.Factor.of(["x", "y", "z"] * 3)}
        pairs = bp.Pairs(("a", "b", "c"), np.repeat([0, 0, 1], 3), np.repeat([1, 2, 2], 3), counts, keys=keys)
        wrong.append(bp.resolve(pairs, by="task", draws=1000).test("a is better at x than at y").supported)
    assert np.mean(wrong) <= 0.1  # of 30 true chances of 0.025 at most


def test_contexts_are_tasks_where_a_mixture_alone_is_named():
    one = bp.resolve(_pairs(), mix={"chat": 3, "code": 1})
    assert one.weights == {"chat": 0.75, "code": 0.25}
    assert one.settings["by"] == "task"
    assert one.sentences[0].startswith(
        "By mean win rate against every other agent in 75.0 % 'chat' and 25.0 % 'code', "
    )


def test_a_mixture_of_one_context_is_the_board_of_that_context(resolution):
    alone = bp.resolve(_pairs(), mix={"code": 1.0})
    assert alone.ranks.score == pytest.approx(resolution.contexts["code"].score)
    assert (alone.ranks.best == resolution.contexts["code"].best).all()


def test_the_board_of_strengths_is_selected_by_name():
    one = bp.resolve(_pairs(), by="task", estimand="bradley_terry")
    assert one.contexts["chat"].score.sum() == pytest.approx(0)
    assert "its strength in 'chat'" in one.test("ada is better at chat than at code").sentence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mix": {"math": 1}}, "'math' occurs in none"),
        ({"by": "topic"}, "'topic' is not among them: task"),
        ({"by": "task", "estimand": "as_sampled"}, "must be one of 'mean_win_rate', 'bradley_terry'"),
        ({"by": "task", "level": 2}, "between 0 and 1"),
    ],
)
def test_unsupported_options_are_refused_with_a_sentence(options, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.resolve(_pairs(), **options)


def test_a_query_must_name_an_agent(resolution):
    with pytest.raises(bp.UsageError, match="'eve' must be one of the agents"):
        resolution.gain("eve", "chat", "code")


def test_first_place_between_any_two_contexts_can_be_requested(resolution):
    one = resolution.first_between("code", "chat")
    assert one.may_be_first[0] == ("ada",)
    assert one.may_be_first[-1] == ("bob",)


def test_everything_is_in_the_plain_data(resolution):
    data = validated(resolution.to_dict())
    assert set(data["contexts"]) == {"chat", "code"}
    assert {row["context"] for row in resolution.rows()} == {None, "chat", "code"}
    assert data["first_by_mixture"]["steps"][0]["share"] == 0
    assert data["first_over_mixtures"] is None


def test_with_three_contexts_the_share_of_mixtures_each_agent_leads_is_reported():
    keys = {"task": bp.Factor.of(["x", "y", "z"])}
    pairs = bp.Pairs(("ada", "bob"), [0] * 3, [1] * 3, [[300, 100, 0, 0], [150, 250, 0, 0], [20, 20, 0, 0]], keys=keys)
    resolution = bp.resolve(pairs, by="task")
    data = validated(resolution.to_dict())
    assert data["first_by_mixture"] is None
    assert [way["context"] for way in data["first_over_mixtures"]["ways"]] == ["x", "y", "z"]
    assert sum(one["first"] for one in data["first_over_mixtures"]["agents"]) == pytest.approx(1)
    assert any(sentence.startswith("In 1,000 mixtures") for sentence in resolution.sentences)
    assert resolution.plot().spec["title"]["text"] == "Who is first in which mixture"
    assert resolution.first_between("x").other is None
