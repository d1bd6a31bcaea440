"""What column names show."""

import pytest

import beatpath as bp
from beatpath.data.layouts.roles import LAYOUTS, ROLES
from beatpath.data.tables.words import side_pairs, tokens


def test_a_column_called_columns_is_a_column(write):
    scores = bp.read(write("columns,math,code\nx,1,2\ny,3,4\n"))
    assert scores.agents == ("x", "y")


def test_usual_names_of_a_value_are_tasks_where_nothing_else_tells_rows_apart(write):
    wide = bp.read(write("model,accuracy,f1,latency\nx,0.5,0.1,10\ny,0.7,0.2,20\n"))
    assert wide.tasks == ("accuracy", "f1")
    assert wide.reading.unused == ("latency",)
    stated = bp.read(write("model,accuracy,f1,latency\nx,0.5,0.1,10\ny,0.7,0.2,20\n"), lower=["latency"])
    assert stated.tasks == ("accuracy", "f1", "latency")
    long = bp.read(write("model,task,accuracy,latency\nx,t,0.5,10\ny,t,0.7,20\n"))
    assert long.tasks == ("t",)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["model_a", "model_b"], ("model_a", "model_b", "model")),
        (["Home.Team", "Away.Team"], ("Home.Team", "Away.Team", "team")),
        (["score1", "x", "score2"], ("score1", "score2", "score")),
    ],
)
def test_paired_columns_differ_in_one_side_word(names, expected):
    assert [(a, b, stem) for a, b, _, stem in side_pairs(names)] == [expected]
    assert list(side_pairs(names[:1])) == []


def test_a_name_is_its_words_whatever_stands_between_them():
    assert tokens("Home Team") == tokens("home_team") == tokens("home.team") == ("home", "team")


def test_every_role_belongs_to_a_layout():
    assert {role for parts in LAYOUTS.values() for roles in parts.values() for role in roles} == ROLES


def test_a_mapping_that_fits_no_layout_is_refused_with_examples(write):
    with pytest.raises(bp.ReadError, match="must show what they mean; 'u', 'v' do not"):
        bp.read(write("u,v\nx,y\n"))


def test_what_is_printed_as_a_guess_is_taken_as_an_option(write):
    path = write("game,ada,bob\ng,1,2\nh,3,4\n")
    guessed = bp.read(path).reading.guessed
    assert guessed["agent"] == "columns"
    assert bp.read(path, map=guessed).agents == ("ada", "bob")
    assert bp.read(path, map={"agent": "columns"}).agents == ("ada", "bob")


def test_ranks_under_the_names_of_agents_are_ballots(write):
    ballots = bp.read(write("voter,apple,fig,pear\nv,1,2,3\nw,3,1,2\nx,2,1,3\n"))
    assert list(ballots) == [
        [("apple",), ("fig",), ("pear",)],
        [("fig",), ("pear",), ("apple",)],
        [("fig",), ("apple",), ("pear",)],
    ]


def test_numbers_in_order_of_one_row_are_no_ranks(write):
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read(write("apple,fig,pear\n1,2,3\n"))


def test_ranks_may_tie_or_be_empty_where_they_are_mapped(write):
    ballots = bp.read(write("apple,fig,pear\n1,1,2\n2,,1\n"), map={"ranks": "apple+fig+pear"})
    assert list(ballots) == [[("apple", "fig"), ("pear",)], [("pear",), ("apple",)]]


def test_numbers_in_numbered_places_may_be_two_things(write):
    path = write("rank1,rank2,rank3\n1.0,2.0,3.0\n2.0,1.0,3.0\n")
    with pytest.raises(bp.ReadError, match=r'"places": "rank1\+rank2\+rank3"}`, or .*"ranks": "rank1\+rank2\+rank3"}`'):
        bp.read(path)
    assert bp.read(path, map={"places": "rank1+rank2+rank3"}).agents == ("1.0", "2.0", "3.0")
    assert bp.read(path, map={"ranks": "rank1+rank2+rank3"}).agents == ("rank1", "rank2", "rank3")


def test_counts_by_rank_have_no_agents_in_their_header(write):
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read(write("item,1.0,2.0,3.0\na,4,3,2\nb,2,5,2\n"))


def test_a_position_beyond_the_players_of_any_game_is_ambiguous(write):
    path = write("game_id,agent,position\n1,a,28\n1,b,9\n2,a,7\n2,b,20\n")
    with pytest.raises(bp.ReadError, match=r'goes up to 28 .*"rank": "position"}`, or more, `.*"score": "position"}`'):
        bp.read(path)
    mapped = bp.read(path, map={"ballot": "game_id", "agent": "agent", "score": "position"})
    assert list(mapped) == [[("a",), ("b",)], [("b",), ("a",)]]


@pytest.mark.parametrize(
    "text",
    [
        "TESTAMI,msm,twe\nACSF1,0.4,0.3\nBeef,0.1,0.2\n",  # rows or columns
        "Organization,Label,Acc\nMeta,llama,0.5\nOpenAI,gpt,0.6\n",  # either column of names
        "away_team,home_score,away_score\nann,1,2\nbob,0,3\n",  # one side
        "Team,GF,GA,GD,Pts\nann,9,2,7,9\nbob,2,9,-7,0\n",  # totals
        "model,kind,x,y\n,a,1,2\n,b,2,3\n",  # no names
    ],
)
def test_agents_that_a_table_does_not_name_are_requested(write, text):
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read(write(text))


def test_a_column_without_a_name_that_numbers_rows_in_any_order_is_no_score(write):
    assert bp.read(write("model,mmlu,arc,\nx,0.5,0.5,2\ny,0.25,0.75,0\nz,0.75,1.5,1\n")).tasks == ("arc", "mmlu")


def test_options_in_a_message_show_hostile_columns_by_their_escapes(write):
    with pytest.raises(bp.ReadError) as refused:
        bp.read(write("system,w\u202eeird\nx,5\ny,7\nz,8\n"))
    assert "If lower" in str(refused.value)
    assert "\u202e" not in str(refused.value)


@pytest.mark.parametrize(("stem", "agents"), [("player", ("p0", "p1", "p2")), ("model", ("m0", "m1"))])
def test_labels_that_name_a_column_say_which_of_two_pairs_of_columns_holds_the_agents(write, stem, agents):
    sides = (("a", "b") if stem == "model" else ("1", "2")) * 6
    rows = [f"m{k % 2},m{(k + 1) % 2},p{k % 3},p{(k + 1) % 3},{stem}_{side}" for k, side in enumerate(sides)]
    assert bp.read(write("\n".join(["model_a,model_b,player_1,player_2,winner", *rows]) + "\n")).agents == agents
