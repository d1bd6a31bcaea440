"""Checks of single arguments: what is refused, and in what words."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import UsageError
from beatpath._validate import generator, require_choice, require_share


@pytest.mark.parametrize("value", [0.95, 1e-9, np.float64(0.5)])
def test_a_share_lies_between_nothing_and_all(value):
    require_share("level", value)


@pytest.mark.parametrize("value", [0, 1, 95, -0.1, float("nan"), True, "0.95", None])
def test_what_is_no_share_is_named(value):
    with pytest.raises(UsageError, match="`level` must lie between 0 and 1"):
        require_share("level", value)


def test_a_choice_that_is_nearly_right_gets_the_right_one():
    require_choice("ties", "half", ("half", "drop"))
    with pytest.raises(UsageError, match="Did you mean 'half'"):
        require_choice("ties", "hlaf", ("half", "drop"))


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(UsageError, match="`seed` must be a whole number, 0 or more"):
        generator(seed)


def test_equal_seeds_draw_alike():
    assert generator(3).random() == generator(np.int64(3)).random() != generator(4).random()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: bp.example(seed=-1),
        lambda: bp.resolve(bp.Battles.of([("a", "b", 1), ("b", "a", 1)] * 20), seed=-1),
        lambda: bp.planning.next_pairs(
            bp.Battles.of([("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 20), budget=10, goal="core", seed=-1
        ),
    ],
)
def test_a_negative_seed_is_a_sentence_wherever_it_is_given(ask):
    with pytest.raises(UsageError, match="`seed` must be a whole number, 0 or more"):
        ask()
