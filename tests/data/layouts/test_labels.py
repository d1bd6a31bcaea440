"""Outcome labels: known words, numbers, and nothing taken for a tie."""

import ast
import re

import numpy as np
import pytest

import beatpath as bp
from beatpath._errors import UnknownLabel, UsageError
from beatpath.data.layouts.labels import BOTH_BAD, DROPPED, known_meaning, meanings

NOBODY = ((), ())


def meant(labels, column="winner", sides=NOBODY, **overrides):
    outcomes = meanings(
        labels, lambda: np.ones(len(labels), dtype=np.int64), column=column, sides=sides, overrides=overrides
    )
    return [{BOTH_BAD: 0.5, DROPPED: np.nan}.get(outcomes[label], outcomes[label]) for label in labels]


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


@pytest.mark.parametrize(
    ("header", "labels", "outcome"),
    [
        ("HomeTeam,AwayTeam,result", "HDA", [1, 0.5, 0]),
        ("home,visitor,result", "HDA", [1, 0.5, 0]),
        ("home,visitor,result", "HDV", [1, 0.5, 0]),
        ("team_a,team_b,result", "WDL", [1, 0.5, 0]),
        ("team_a,team_b,result", "wtl", [1, 0.5, 0]),
    ],
)
def test_letters_are_known_where_they_are_clear_together(write, header, labels, outcome):
    battles = bp.read(write(header + "\n" + "".join(f"x,y,{label}\n" for label in labels)))
    assert battles.outcome.tolist() == outcome


def test_letters_that_are_not_clear_together_are_refused(write):
    with pytest.raises(bp.UnknownLabel, match="'D' is not"):
        bp.read(write("model_a,model_b,winner\nx,y,A\nx,y,B\nx,y,D\n"))


def test_all_unknown_labels_are_named_at_once_with_an_option_to_paste(write):
    path = write(
        "left,right,winner\nx,y,left\nx,y,n/a\nx,y,left, I think\n".replace("left, I think", '"left, I think"')
    )
    with pytest.raises(bp.UnknownLabel) as error:
        bp.read(path)
    labels = ast.literal_eval(re.search("`labels=(.*?)`", str(error.value))[1])
    assert labels == {"left, I think": "drop", "n/a": "drop"}
    assert len(bp.read(path, labels=labels)) == 1


def test_a_player_with_the_name_of_a_label_is_not_blamed_on_another(write):
    with pytest.raises(bp.UnknownLabel, match=r"'\?' is not\. Seen"):
        bp.read(write("a,b,winner\n?,x,a\nx,y,b\ny,?,?\n"))
