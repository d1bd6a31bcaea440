"""The many ways in which people write battles down."""

import pandas as pd
import pytest

import beatpath as bp
from helpers.format_trial import battle_list


@pytest.mark.parametrize(
    ("header", "row", "outcome"),
    [
        ("model_a,model_b,winner", "x,y,model_a", 1),
        ("model_a,model_b,winner", "x,y,model_b", 0),
        ("model_a,model_b,winner", "x,y,tie", 0.5),
        ("model_1,model_2,winner", "x,y,2", 0),
        ("agent_a,agent_b,outcome", "x,y,0.25", 0.25),
        ("home,away,result", "x,y,-1", 0),
        ("home_team,away_team,home_score,away_score", "x,y,3,1", 1),
        ("team1,team2,score1,score2", "x,y,2,2", 0.5),
        ("white,black,result", "x,y,1/2-1/2", 0.5),
        ("white,black,result", "x,y,0-1", 0),
        ("pro_model,con_model,winner", "x,y,con", 0),
        ("model_a,model_b,choice", "x,y,B>>A", 0),
        ("model_a,model_b,choice", "x,y,A=B", 0.5),
        ("model_1,model_2,preference", "x,y,1.25", 0.75),
        ("player_a,player_b,winner", "x,y,y", 0),
        ("a,b,winner", "x,y,a", 1),
        ("model_a,model_b,winner_model_a,winner_model_b,winner_tie", "x,y,0,0,1", 0.5),
        ("winner,loser", "x,y", 1),
    ],
)
def test_people_write_battles_down_in_many_ways(write, header, row, outcome):
    filler = "" if "preference" not in header else "\nx,y,2"
    battles = bp.read(write(f"{header}\n{row}{filler}\n"))
    assert battle_list(battles)[0] == ("x", "y", outcome)


@pytest.mark.parametrize("label", ["tie (bothbad)", "both_bad", "bothbad", "Both Bad", "tie_bothbad"])
def test_both_bad_is_distinct_from_a_tie(write, label):
    battles = bp.read(write(f"model_a,model_b,winner\nx,y,{label}\nx,y,tie\n"))
    assert battles.both_bad.tolist() == [True, False]
    assert battles.pairs().counts.tolist() == [[0, 0, 1, 1]]


def test_a_label_that_is_neither_name_nor_known_is_the_one_that_is_blamed(write):
    path = write("player_a,player_b,winner\nada,bob,ada\nbob,ada,both poor\n")
    with pytest.raises(bp.UnknownLabel, match=r"'both poor' is not.*labels=.\"both poor\": \"drop\""):
        bp.read(path)


def test_labels_that_can_be_read_two_ways_are_refused(write):
    text = "model_a,model_b,winner\nb,a,a\na,c,a\nb,c,b\n"
    with pytest.raises(bp.ReadError, match=r"must be read in one way; 'a' in row 1"):
        bp.read(write(text))
    sides = bp.read(write(text), labels={"a": "a", "b": "b"})
    assert sides.outcome.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "rows",
    [
        "0,1,1,0\n1,0,0,1\n2,1,0,1\n",
        "0,true,True,False\n1,false,False,True\n",
        "0,cat,cat,cat\n1,dog,cat,dog\n2,fox,fox,dog\n",
    ],
)
def test_predictions_of_two_models_are_no_agents(write, rows):
    path = write("id,label,model_a,model_b\n" + rows)
    with pytest.raises(
        bp.ReadError, match=r"'model_a' and 'model_b' must name agents; they hold .* the answers of two models"
    ):
        bp.read(path)
    with pytest.raises(bp.ReadError, match="must name agents"):
        bp.read(path, to="pairs")


def test_agents_called_0_and_1_are_read_where_outcomes_name_sides(write):
    assert bp.read(write("model_a,model_b,winner\n0,1,model_a\n1,0,model_b\n")).agents == ("0", "1")
    assert bp.read(write("agent_a,agent_b,outcome\n0,1,a\n1,0,b\n")).agents == ("0", "1")


def test_a_label_may_be_the_name_of_the_winner(write):
    battles = bp.read(write("id,label,model_a,model_b\n0,gpt,gpt,llama\n1,llama,llama,gpt\n"))
    assert battles.outcome.tolist() == [1.0, 1.0]


def test_right_answers_are_not_offered_as_outcomes(write):
    with pytest.raises(bp.ReadError, match="must show what they mean") as error:
        bp.read(write("id,gold,model_a,model_b\n0,cat,cat,cat\n1,dog,cat,dog\n2,cat,dog,cat\n"))
    assert '"outcome": "gold"' not in str(error.value)


@pytest.mark.parametrize("form", ["file", "frame"])
def test_a_column_that_is_empty_in_every_row_is_no_column(write, form):
    rows = [(*row, f"j{i % 2}", f"p{i // 4}") for i, row in enumerate([("x", "y", "model_a"), ("y", "z", "tie")] * 12)]
    names = ("model_a", "model_b", "winner", "judge", "prompt")
    without = bp.read(pd.DataFrame(rows, columns=names))
    if form == "frame":
        full = bp.read(pd.DataFrame(rows, columns=names).assign(task=float("nan")))
    else:
        full = bp.read(
            write("\n".join(f"{','.join(row)},{cell}" for row, cell in [(names, "task"), *((row, "") for row in rows)]))
        )
    assert sorted(full.factors) == sorted(without.factors) == ["cluster", "judge"]
    assert bp.judges(full).to_dict()["agreement"] == bp.judges(without).to_dict()["agreement"]


def test_neutral_ground_is_marked_by_yes_or_one(write):
    games = "home,away,FT,neutral\nann,bob,2-1,{}\nbob,ann,0-0,{}\nann,bob,0-1,NA\n"
    for no, yes in (("no", "yes"), ("0", "1"), ("false", "true")):
        assert bp.read(write(games.format(no, yes))).position.tolist() == [1, 0, 1]
    with pytest.raises(bp.ReadError, match="'neutral' must hold finite numbers; got 'Wembley'"):
        bp.read(write(games.format("no", "Wembley")))
