"""Tables of rankings."""

import pytest

import beatpath as bp


def test_places_scores_orderings_and_choices_become_ballots(write):
    expected = [[("x",), ("y", "z")], [("z",), ("x",)]]
    places = "match,player,rank\n1,x,1\n1,y,2\n1,z,2\n2,z,1\n2,x,5\n"
    assert list(bp.read(write(places))) == expected
    points = "match_id,agent,score\n1,x,9\n1,y,4\n1,z,4\n2,z,3\n2,x,0\n"
    assert list(bp.read(write(points))) == expected
    assert list(bp.read(write("voter,place_1,place_2\nv,z,x\n"))) == [[("z",), ("x",)]]
    best = "option_a,option_b,option_c,best,worst\nx,y,z,A,C\nz,y,x,c,a\n"
    assert list(bp.read(write(best))) == [[("x",), ("y",), ("z",)]] * 2


@pytest.mark.parametrize("contest", ["game", "round", "heat", "event", "tournament"])
def test_a_game_is_a_contest_beside_places_and_a_task_beside_scores(write, contest):
    places = bp.read(write(f"{contest},player,place\n1,x,1\n1,y,2\n2,y,1\n2,x,2\n"))
    assert list(places) == [[("x",), ("y",)], [("y",), ("x",)]]
    both = bp.read(write(f"{contest},player,score,rank\n1,x,9,1\n1,y,4,2\n2,y,3,1\n2,x,0,2\n"), map={"task": contest})
    assert both.kind == "scores"


def test_further_columns_stay_with_ballots_and_pairs(write):
    ballots = bp.read(write("match,player,rank,sky\n1,x,1,blue\n1,y,2,blue\n2,y,1,grey\n"), keep=["sky"])
    assert ballots.factors["sky"].names() == ["blue", "grey"]
    assert bp.read(write("place_1,place_2,sky\nx,y,blue\n"), keep=["sky"]).factors["sky"].names() == ["blue"]
    pairs = bp.read(write("model_a,model_b,wins_a,wins_b,sky\nx,y,3,1,blue\nx,y,0,2,grey\n"), keep=["sky"])
    assert pairs.keys["sky"].names() == ["blue", "grey"]
    assert pairs.counts.tolist() == [[3, 1, 0, 0], [0, 2, 0, 0]]
    with pytest.raises(bp.UsageError, match="in wide scores every column has its place"):
        bp.read(write("model,sky,sea\nx,1,2\n"), keep=["sky"])
