"""Outcome labels: known words, numbers, and nothing taken for a tie."""

import numpy as np
import pytest

from beatpath._errors import UnknownLabel, UsageError
from beatpath.data.layouts.labels import known_meaning, meanings

NOBODY = ((), ())


def meant(labels, column="winner", sides=NOBODY, **overrides):
    found = meanings(labels, np.ones(len(labels), dtype=np.int64), column=column, sides=sides, overrides=overrides)
    return found.outcome.tolist()


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("Model A", "a"),
        ("[[B]]", "b"),
        ("1/2-1/2", "tie"),
        ("tie (bothbad)", "both_bad"),
        ("A>>B", "a"),
        ("B<A", "a"),
        ("A<<B", "b"),
        ("A=B", "tie"),
        ("A>A", None),
        ("perhaps", None),
    ],
)
def test_words_for_outcomes(label, meaning):
    assert known_meaning(label, NOBODY) == meaning


@pytest.mark.parametrize(
    ("labels", "column", "sides", "outcomes"),
    [
        (["0", "0.25", "1"], "winner", NOBODY, [0, 0.25, 1]),
        (["-1", "0", "1"], "winner", NOBODY, [0, 0.5, 1]),
        (["1", "2"], "winner", (["1"], ["2"]), [1, 0]),
        (["1", "1.5", "2"], "Preference", NOBODY, [1, 0.5, 0]),
    ],
)
def test_numbers_are_outcomes_by_their_range(labels, column, sides, outcomes):
    assert meant(labels, column, sides) == outcomes


def test_numbers_that_can_be_read_two_ways_are_refused():
    with pytest.raises(UnknownLabel, match="'1', '2' are not"):
        meant(["1", "2"])


def test_a_word_nobody_knows_is_never_a_tie():
    with pytest.raises(UnknownLabel, match=r"'perhaps' is not\. Seen: 'a' 1, 'perhaps' 1"):
        meant(["a", "perhaps"])
    assert np.isnan(meant(["a", "perhaps"], perhaps="drop")[1])


def test_what_the_user_says_must_exist():
    with pytest.raises(UsageError, match="Did you mean 'both_bad'"):
        meant(["a", "x"], x="bothbad")
    with pytest.raises(UsageError, match="'y' does not"):
        meant(["a"], y="tie")
