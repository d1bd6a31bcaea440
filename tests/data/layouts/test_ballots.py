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


RANKED = {
    "task,model,rank": [("law", "ada", 1), ("law", "bob", 2), ("math", "ada", 1), ("math", "bob", 3)],
    "voter,candidate,rank": [("v1", "ada", 1), ("v1", "bob", 2), ("v2", "bob", 1), ("v2", "ada", 2)],
    "judge,model,place": [("j1", "ada", 1), ("j1", "bob", 2), ("j2", "bob", 1), ("j2", "ada", 2)],
    "rater,task,model,rank": [
        (rater, task, name, 1 + (name == last))
        for rater, task, last in (("r1", "t1", "bob"), ("r1", "t2", "ada"), ("r2", "t1", "bob"), ("r2", "t2", "bob"))
        for name in ("ada", "bob")
    ],
}


@pytest.mark.parametrize("columns", RANKED)
def test_ranks_by_judges_or_tasks_or_both_are_ballots(write, columns):
    rows = [columns.split(","), *RANKED[columns]]
    ballots = bp.read(write("\n".join(",".join(map(str, row)) for row in rows)))
    assert isinstance(ballots, bp.Ballots)
    orders = {}
    for *unit, name, place in RANKED[columns]:
        orders.setdefault(tuple(unit), {})[place] = (name,)
    assert sorted(ballots) == sorted([order[place] for place in sorted(order)] for order in orders.values())
    voters = ballots.factors.get("voter")
    assert (voters is not None and voters.levels == ("r1", "r2")) == ("rater" in columns)


@pytest.mark.parametrize("rows", ["v1,ada,1\nv1,ada,2\nv2,bob,1", "v1,ada,2\nv1,bob,3\nv2,ada,1\nv2,bob,2"])
def test_ranks_that_no_column_sorts_into_ballots_are_refused(write, rows):
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read(write(f"voter,candidate,rank\n{rows}"))
