"""What a runner may say."""

import pytest
from pydantic import ValidationError

from beatpath.web.live import BattleRequest, Outcomes


def test_one_battle_or_many():
    assert Outcomes(battle="k", outcome="a", judge="eve", style={"length": 0.5}).rows() == [
        ("k", "a", "eve", None, None, {"length": 0.5})
    ]
    many = [{"battle": "k", "outcome": 0.5}, {"battle": "m", "outcome": "b", "judge": "dan"}]
    assert Outcomes.model_validate({"outcomes": many}).rows() == [
        ("k", 0.5, None, None, None, None),
        ("m", "b", "dan", None, None, None),
    ]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"battle": "k"},
        {"outcome": "a"},
        {"battle": "k", "outcome": "a", "outcomes": [{"battle": "m", "outcome": "a"}]},
        {"battle": "k", "outcome": True},
        {"battle": "k", "outcome": "a", "winner": "x"},
        {"outcomes": [{"battle": "k", "outcome": "a"}] * 10_001},
    ],
)
def test_anything_else_is_refused(body):
    with pytest.raises(ValidationError):
        Outcomes.model_validate(body)


@pytest.mark.parametrize("count", [0, -1, 1001, "many"])
def test_so_many_battles_at_once(count):
    with pytest.raises(ValidationError):
        BattleRequest.model_validate({"count": count})
