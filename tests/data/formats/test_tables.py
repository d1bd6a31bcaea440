"""Generic tables: layouts, labels, encodings, compression, globs, and nothing lost on the way."""

import gzip
import io
import json

import numpy as np
import pytest
import zstandard

import beatpath as bp

BATTLES = "left,right,winner\nada,bob,left\nbob,cyd,tie\nada,cyd,right\n"


@pytest.fixture
def write(tmp_path):
    def put(text, name="games.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def rows(battles):
    return [
        (battles.agents[a], battles.agents[b], s) for a, b, s in zip(battles.a, battles.b, battles.outcome, strict=True)
    ]


EXPECTED = [("ada", "bob", 1.0), ("bob", "cyd", 0.5), ("ada", "cyd", 0.0)]
RECORDS = [dict(zip(("left", "right", "winner"), line.split(","), strict=True)) for line in BATTLES.split()[1:]]
FORMS = {
    "games.csv": BATTLES.encode(),
    "games.tsv": BATTLES.replace(",", "\t").encode(),
    "semicolons.csv": BATTLES.replace(",", ";").encode(),
    "bom.csv": b"\xef\xbb\xbf" + BATTLES.encode(),
    "utf16.csv": BATTLES.encode("utf-16"),
    "windows.csv": BATTLES.replace("\n", "\r\n").encode(),
    "no_end.csv": BATTLES.rstrip().encode(),
    "games.csv.gz": gzip.compress(BATTLES.encode()),
    "games.csv.zst": zstandard.compress(BATTLES.encode()),
    "games.json": json.dumps(RECORDS).encode(),
    "pretty.json": json.dumps(RECORDS, indent=2).encode(),
    "games.jsonl": "\n".join(map(json.dumps, RECORDS)).encode(),
    "games.jsonl.gz": gzip.compress("\n".join(map(json.dumps, RECORDS)).encode()),
    "games.jsonl.zst": zstandard.compress("\n".join(map(json.dumps, RECORDS)).encode()),
    "noname": BATTLES.encode(),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_same_battles_come_out_of_every_form(write, name):
    battles = bp.read(write(FORMS[name], name))
    assert rows(battles) == EXPECTED
    assert battles.reading.rows_read == battles.reading.rows_used == 3


def test_parquet_globs_and_lists_read_together(write, tmp_path):
    for i in range(2):
        bp.write(bp.read(write(BATTLES)), tmp_path / f"part{i}.parquet")
    for source in (str(tmp_path / "part*.parquet"), [tmp_path / "part0.parquet", tmp_path / "part1.parquet"]):
        assert rows(bp.read(source)) == EXPECTED * 2


def test_standard_input_is_a_source(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(BATTLES.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    assert rows(bp.read("-")) == EXPECTED


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
    assert rows(battles)[0] == ("x", "y", outcome)


@pytest.mark.parametrize("label", ["tie (bothbad)", "both_bad", "bothbad", "Both Bad", "tie_bothbad"])
def test_both_bad_is_kept_apart_from_a_tie(write, label):
    battles = bp.read(write(f"model_a,model_b,winner\nx,y,{label}\nx,y,tie\n"))
    assert battles.both_bad.tolist() == [True, False]
    assert battles.pairs().counts.tolist() == [[0, 0, 1, 1]]


def test_lmarena_rows_are_clustered_by_session_else_by_user(write):
    record = {"model_a": "x", "model_b": "y", "winner": "model_a", "question_id": "q", "language": "English"}
    sessions = [record | {"evaluation_session_id": f"s{i // 2}", "conversation_a": [], "id": i} for i in range(4)]
    battles = bp.read(write(json.dumps(sessions), "arena.json"))
    assert battles.reading.format == "lmarena (battles)"
    assert len(battles.factors["cluster"].levels) == 2
    users = [record | {"judge": "arena_user_1", "tstamp": 1682351591.1, "anony": True}]
    battles = bp.read(write("\n".join(map(json.dumps, users)), "clean.jsonl"))
    assert battles.factors["cluster"].levels == ("arena_user_1",)
    assert battles.time.tolist() == [1682351591.1]


def test_nested_fields_can_be_kept(write):
    record = {"model_a": "x", "model_b": "y", "winner": "tie", "conv_metadata": {"tokens": {"a": 12}}}
    battles = bp.read(write(json.dumps(record), "one.jsonl"), keep=["conv_metadata.tokens.a"])
    assert battles.covariates["conv_metadata.tokens.a"].tolist() == [12]


def test_filters_choose_rows_and_say_how_many_were_left_out(write):
    path = write("model_a,model_b,winner,anony,turn\nx,y,tie,True,1\nx,y,tie,false,1\nx,y,model_a,true,3\n")
    battles = bp.read(path, where=["anony=true", "turn<=2"])
    assert len(battles) == 1
    assert battles.reading.dropped == {"left out by --where": 2}
    assert len(bp.read(path, where=["anony!=true"])) == 1
    with pytest.raises(bp.UsageError, match="Did you mean 'anony'"):
        bp.read(path, where=["anonny=true"])


def test_counting_in_the_engine_equals_counting_rows(write):
    path = write("model_a,model_b,winner,w,prompt\nx,y,tie,2,p\ny,x,model_a,1.5,q\nx,z,both_bad,1,p\nz,x,model_b,3,p\n")
    mapped = {"weight": "w", "cluster": "prompt"}
    by_rows = bp.read(path, map=mapped).pairs(["cluster"])
    counted = bp.read(path, map=mapped, to="pairs", by=["cluster"])
    np.testing.assert_array_equal(by_rows.counts, counted.counts)
    np.testing.assert_array_equal(by_rows.squares, counted.squares)
    np.testing.assert_array_equal(by_rows.battles, counted.battles)
    assert by_rows.keys["cluster"].names() == counted.keys["cluster"].names()


def test_a_win_matrix_a_rate_matrix_and_a_margin_matrix_are_told_apart(write):
    wins = bp.read(write(",x,y\nx,0,3\ny,1,0\n"))
    assert wins.counts.tolist() == [[3, 1, 0, 0]]
    wins = bp.read(write("agent,x,y,z\nx,5,3,0\ny,1,0,2\nz,0,0,0\n"))
    assert wins.counts.tolist() == [[3, 1, 0, 0], [2, 0, 0, 0]]
    assert "diagonal (5)" in wins.reading.notes[0]
    rates = bp.read(write("agent,x,y,z\nx,0.5,0.75,\ny,0.25,0.5,0.1\nz,,0.9,0.5\n"))
    assert rates.kind == "win_rates"
    assert np.isnan(rates.matrix[0, 2])
    half = bp.read(write("agent,x,y,z\nx,,0.75,0.5\ny,,,0.1\nz,,,\n"))
    assert half.kind == "win_rates"
    assert half.matrix.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 0.1], [0.5, 0.9, 0.5]]
    margins = bp.read(write("agent,x,y,z\nx,0,2,-1\ny,-2,0,0\nz,1,0,0\n"))
    assert margins.kind == "margins"


def test_places_scores_orderings_and_choices_become_ballots(write):
    expected = [[("x",), ("y", "z")], [("z",), ("x",)]]
    places = "match,player,rank\n1,x,1\n1,y,2\n1,z,2\n2,z,1\n2,x,5\n"
    assert list(bp.read(write(places))) == expected
    points = "match_id,agent,score\n1,x,9\n1,y,4\n1,z,4\n2,z,3\n2,x,0\n"
    assert list(bp.read(write(points))) == expected
    assert list(bp.read(write("voter,place_1,place_2\nv,z,x\n"))) == [[("z",), ("x",)]]
    best = "option_a,option_b,option_c,best,worst\nx,y,z,A,C\nz,y,x,c,a\n"
    assert list(bp.read(write(best))) == [[("x",), ("y",), ("z",)]] * 2


def test_further_columns_are_kept_on_ballots_and_pairs(write):
    ballots = bp.read(write("match,player,rank,sky\n1,x,1,blue\n1,y,2,blue\n2,y,1,grey\n"), keep=["sky"])
    assert ballots.factors["sky"].names() == ["blue", "grey"]
    assert bp.read(write("place_1,place_2,sky\nx,y,blue\n"), keep=["sky"]).factors["sky"].names() == ["blue"]
    pairs = bp.read(write("model_a,model_b,wins_a,wins_b,sky\nx,y,3,1,blue\nx,y,0,2,grey\n"), keep=["sky"])
    assert pairs.keys["sky"].names() == ["blue", "grey"]
    assert pairs.counts.tolist() == [[3, 1, 0, 0], [0, 2, 0, 0]]
    with pytest.raises(bp.UsageError, match="in wide scores every column has its place"):
        bp.read(write("model,sky,sea\nx,1,2\n"), keep=["sky"])


def test_a_position_column_splits_pair_counts_by_who_was_first(write):
    """In the first row y stands first; written as the pair (x, y) that is b first, and its wins are x's losses."""
    pairs = bp.read(write("model_a,model_b,wins_a,wins_b,position\ny,x,3,1,a\nx,y,5,2,1\nx,y,0,4,0\n"))
    assert pairs.keys["position"].names() == ["a first", "b first", "neither first"]
    assert pairs.counts.tolist() == [[5, 2, 0, 0], [1, 3, 0, 0], [0, 4, 0, 0]]


def test_tasks_may_have_directions_where_metrics_have_both(write):
    path = write("model,task,metric,value,higher_is_better\nx,t,m,1,true\nx,u,m,1,false\n")
    assert bp.read(path).sign().tolist() == [1, -1]


def test_a_column_called_columns_is_a_column(write):
    scores = bp.read(write("columns,maths,code\nx,1,2\ny,3,4\n"))
    assert scores.agents == ("x", "y")


def test_long_and_wide_scores_say_the_same(write):
    long = bp.read(write("model,task,score\nx,maths,1\nx,code,2\ny,maths,3\n"))
    wide = bp.read(write("model,code,maths\nx,2,1\ny,,3\n"))
    turned = bp.read(write("task,x,y\ncode,2,\nmaths,1,3\n"))
    for scores in (wide, turned):
        np.testing.assert_array_equal(scores.table()[0], long.table()[0])
        assert scores.agents == long.agents
        assert scores.table()[1] == long.table()[1]


def test_lower_is_better_where_said(write):
    path = write("model,task,metric,value\nx,t,loss,1\ny,t,loss,2\n")
    assert list(bp.read(path, lower=["loss"]).ballots()) == [[("x",), ("y",)]]
    with pytest.raises(bp.UsageError, match="Did you mean 'loss'"):
        bp.read(path, lower=["los"])


HOSTILE = [
    "a\nb",
    "<script>alert(1)</script>",
    "\x1b[31mred",
    "\u202eright",
    "x" * 10_000,
    "it's",
    'say "hi"',
    " pad ",
    "=1+1",
    "NaN",
    "007",
    "null",
]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.zst"])
def test_hostile_names_survive_every_table(tmp_path, suffix):
    battles = bp.Battles.of([(name, "other", 1) for name in HOSTILE])
    path = tmp_path / f"names{suffix}"
    assert bp.write(battles, path) == ()
    assert bp.read(path).agents == battles.agents


def test_names_that_look_like_numbers_stay_names(write):
    battles = bp.read(write("left,right,winner\n007,7,left\n1e3,1000,right\n"))
    assert battles.agents == ("007", "1000", "1e3", "7")


def test_usual_names_of_a_value_are_tasks_where_nothing_else_tells_rows_apart(write):
    wide = bp.read(write("model,accuracy,latency\nx,0.5,10\ny,0.7,20\n"))
    assert wide.tasks == ("accuracy", "latency")
    long = bp.read(write("model,task,accuracy,latency\nx,t,0.5,10\ny,t,0.7,20\n"))
    assert long.tasks == ("t",)


def test_a_label_that_is_neither_name_nor_known_is_the_one_that_is_blamed(write):
    path = write("player_a,player_b,winner\nada,bob,ada\nbob,ada,both poor\n")
    with pytest.raises(bp.UnknownLabel, match=r"'both poor' is not.*--labels 'both poor=MEANING'"):
        bp.read(path)


def test_columns_carried_along_are_not_called_unused(write):
    path = write("left,right,winner,note,tokens\nada,bob,left,x,3\n")
    assert bp.read(path, keep=["note", "tokens"]).reading.unused == ()


def test_blank_text_in_a_number_column_is_a_missing_cell(write):
    rows = [{"model": "x", "task": "t", "score": ""}, {"model": "y", "task": "t", "score": "2"}]
    scores = bp.read(write("\n".join(map(json.dumps, rows)), "scores.jsonl"))
    assert scores.reading.dropped == {"no value": 1}


def test_a_stray_text_among_numbers_is_an_error_and_not_a_lost_column(write):
    path = write("model,mmlu,code\nada,90,0.5\nbob,n/a,0.4\ncyd,80,0.3\n")
    with pytest.raises(bp.ReadError, match=r"'mmlu' must hold finite numbers; got 'n/a' in row 2"):
        bp.read(path)


def test_labels_that_can_be_read_two_ways_are_refused(write):
    text = "model_a,model_b,winner\nb,a,a\na,c,a\nb,c,b\n"
    with pytest.raises(bp.ReadError, match=r"must be read in one way; 'a' in row 1"):
        bp.read(write(text))
    sides = bp.read(write(text), labels={"a": "a", "b": "b"})
    assert sides.outcome.tolist() == [1, 1, 0]


def test_conditions_that_no_row_meets_are_refused(write):
    with pytest.raises(bp.ReadError, match=r"must leave rows to read; 'left=nobody' leaves none of 3 rows"):
        bp.read(write(BATTLES), where=["left=nobody"])


def test_battles_as_rankings_name_what_they_lose(write, tmp_path):
    path = write("model_a,model_b,winner,time\nx,y,both_bad,1\ny,x,tie,2\n")
    lost = bp.write(bp.read(path), tmp_path / "votes.toc")
    assert any("'both bad' (1 battle)" in what for what in lost)
    assert {"the column 'position'", "the column 'time'"} <= set(lost)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_name_with_signs_of_a_glob_is_that_file(tmp_path, ending):
    bp.write(bp.Battles.of([("ada", "bob", 1), ("ada", "bob", 0)]), tmp_path / f"x[1].{ending}")
    bp.write(bp.Battles.of([("eve", "bob", 1)]), tmp_path / f"x1.{ending}")
    assert bp.read(tmp_path / f"x[1].{ending}").agents == ("ada", "bob")
