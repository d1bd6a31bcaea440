"""What column names show."""

import pytest

import beatpath as bp
from beatpath.data.layouts.roles import LAYOUTS, ROLES
from beatpath.data.layouts.words import tokens, twins


def test_a_column_called_columns_is_a_column(write):
    scores = bp.read(write("columns,maths,code\nx,1,2\ny,3,4\n"))
    assert scores.agents == ("x", "y")


def test_usual_names_of_a_value_are_tasks_where_nothing_else_tells_rows_apart(write):
    wide = bp.read(write("model,accuracy,latency\nx,0.5,10\ny,0.7,20\n"))
    assert wide.tasks == ("accuracy", "latency")
    long = bp.read(write("model,task,accuracy,latency\nx,t,0.5,10\ny,t,0.7,20\n"))
    assert long.tasks == ("t",)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["model_a", "model_b"], ("model_a", "model_b", "model")),
        (["Home.Team", "Away.Team"], ("Home.Team", "Away.Team", "team")),
        (["score1", "x", "score2"], ("score1", "score2", "score")),
    ],
)
def test_twins_differ_in_one_side_word(names, found):
    assert [(a, b, stem) for a, b, _, stem in twins(names)] == [found]
    assert list(twins(names[:1])) == []


def test_a_name_is_its_words_whatever_stands_between_them():
    assert tokens("Home Team") == tokens("home_team") == tokens("home.team") == ("home", "team")


def test_every_role_belongs_to_a_layout():
    assert {role for parts in LAYOUTS.values() for roles in parts.values() for role in roles} == ROLES


def test_a_mapping_that_fits_no_layout_is_refused_with_examples(write):
    with pytest.raises(bp.ReadError, match="must show what they mean; 'u', 'v' do not"):
        bp.read(write("u,v\nx,y\n"))
