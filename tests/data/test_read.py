"""Reading: bad files get a sentence (what must hold, what came by file, row and value, what to do); so do bad options."""

import gzip
import json
import random
import sys

import pytest
import zstandard

import beatpath as bp
from helpers.opens import counted_opens

HEAD = "left,right,winner\n"
LONG = HEAD + "".join(f"agent{i},agent{i + 1},left\n" for i in range(5000))


BAD = {
    "an empty file": ("a.csv", b"", bp.ReadError, r"a\.csv must hold data; the file is empty"),
    "a header alone": ("a.csv", HEAD.encode(), None, None),
    "an unknown label": (
        "a.csv",
        (HEAD + "x,y,left\nx,y,leftish\n").encode(),
        bp.UnknownLabel,
        r"'leftish' is not\. Seen: 'left' 1, 'leftish' 1\. Leave it out with `labels=.\"leftish\": \"drop\".`, or say what it means",
    ),
    "a winner who did not play": (
        "a.csv",
        b"player_a,player_b,winner\nx,y,x\ny,z,z\nx,y,z\n",
        bp.ReadError,
        r"'z' is neither in row 3 of .*a\.csv",
    ),
    "a truncated gzip": (
        "a.csv.gz",
        gzip.compress(LONG.encode())[:3000],
        bp.ReadError,
        r"whole gzip file; it ends early|Unexpected end of GZIP",
    ),
    "a truncated zstd": (
        "a.csv.zst",
        zstandard.compress(LONG.encode())[:-30],
        bp.ReadError,
        "whole zstd file; it ends early",
    ),
    "a gzip that is none": ("a.csv.gz", HEAD.encode(), bp.ReadError, "must be gzip as its name says"),
    "a single column": ("a.csv", b"name\nx\ny\n", bp.ReadError, "at least two columns"),
    "an object without fields": ("a.jsonl", b"{}", bp.ReadError, r"at least two columns; it has none\."),
    "a ragged row": ("a.csv", (HEAD + "x,y,left\nx,y\n").encode(), bp.ReadError, r"a\.csv.*(Line: 3|row 2)"),
    "latin-1 text": (
        "a.csv",
        (HEAD + "caf\xe9,y,left\n").encode("latin-1"),
        bp.ReadError,
        "must be UTF-8 text; byte 0xe9",
    ),
    "mixed encodings": (
        "a.csv",
        (HEAD + "café,y,left\n").encode() + "caf\xe9,y,left\n".encode("latin-1"),
        bp.ReadError,
        "must be UTF-8 text; byte 0xe9 in line 3",
    ),
    "a negative weight": (
        "a.csv",
        b"model_a,model_b,winner,weight\nx,y,tie,1\nx,y,tie,-2\n",
        bp.ReadError,
        r"got -2 in row 2 of .*a\.csv",
    ),
    "a weight that is no number": (
        "a.csv",
        b"model_a,model_b,winner,weight\nx,y,tie,many\n",
        bp.ReadError,
        r"'weight' must hold finite numbers; got 'many' in row 1 of .*a\.csv",
    ),
    "an infinite score": (
        "a.csv",
        b"model,task,score\nx,t,1\ny,t,inf\n",
        bp.ReadError,
        r"'score' must hold finite numbers; got 'inf' in row 2",
    ),
    "a NaN score": ("a.csv", b"model,task,score\nx,t,1\ny,t,NaN\n", bp.ReadError, r"got 'NaN' in row 2 of .*a\.csv"),
    "a negative pair count": (
        "a.csv",
        b"model_a,model_b,wins_a,wins_b\nx,y,3,-1\n",
        bp.ReadError,
        r"got -1 in row 1 of .*a\.csv",
    ),
    "an agent twice on a ballot": (
        "a.csv",
        b"match,player,rank\n1,x,1\n1,y,2\n1,x,3\n",
        bp.ReadError,
        r"'1' names 'x' again in row 3 of .*a\.csv.*repeats=\"best\"",
    ),
    "a place that is no number": (
        "a.csv",
        b"match,player,rank\n1,x,1\n1,y,DNF\n",
        bp.UnknownLabel,
        r"'DNF' is not.*labels=.\"DNF\": \"drop\".`, or say what it means instead of drop: last",
    ),
    "two winners at once": (
        "a.csv",
        b"model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,1,0\n",
        bp.ReadError,
        r"must be 1, the others 0; got \[1\.0, 1\.0, 0\.0\] in row 1",
    ),
    "columns that say nothing": (
        "a.csv",
        b"p,q\nx,y\n",
        bp.ReadError,
        r"must show what they mean; 'p', 'q' do not.*map=",
    ),
    "JSON that is cut short": ("a.json", json.dumps([{"left": "x"}]).encode()[:-4], bp.ReadError, r"a\.json"),
    "JSON of numbers": ("a.json", b"[1, 2, 3]", bp.ReadError, r"a\.json"),
    "Parquet that is cut short": ("a.parquet", b"PAR1" + bytes(100), bp.ReadError, r"a\.parquet.* cannot be read"),
    "random bytes": ("a.bin", random.Random(0).randbytes(5000), bp.ReadError, r"a\.bin"),
    "a count of half a voter": (
        "a.csv",
        b"place_1,place_2,count\nx,y,1\ny,x,2.5\n",
        bp.ReadError,
        r"'count' must hold whole counts from 0 to 2\^53; got 2\.5 in row 2 of .*a\.csv",
    ),
    "a ballot without its count": (
        "a.csv",
        b"match,player,rank,count\n1,x,1,3\n1,y,2,3\n2,x,1,\n",
        bp.ReadError,
        r"'count' must hold whole counts from 0 to 2\^53; got nan in row 3 of .*a\.csv",
    ),
    "a pair count beyond counting": (
        "a.csv",
        b"model_a,model_b,wins_a,wins_b\nx,y,3,1e300\n",
        bp.ReadError,
        r"'wins_b' must hold counts from 0 to 2\^53; got 1e\+300 in row 1",
    ),
    "a flag that is no flag beside an empty one": (
        "a.csv",
        b"model_a,model_b,winner_model_a,winner_model_b\nx,y,0.5,\nx,y,1,0\n",
        bp.ReadError,
        r"must be 1, the others 0; got \[0\.5, nan\] in row 1",
    ),
    "an empty matrix": (
        "a.csv",
        b"agent,x,y\nx,,\ny,,\n",
        bp.ReadError,
        r"must have numbers beside its diagonal; that of .*a\.csv is empty",
    ),
    "a matrix beyond counting": (
        "a.csv",
        b"agent,x,y\nx,0,1e300\ny,1,0\n",
        bp.ReadError,
        r"from 0 to 2\^53; got 1e\+300 in the row of 'x'",
    ),
    "directions that neither metric nor task decides": (
        "a.csv",
        b"model,task,metric,value,higher_is_better\nx,t,m,1,true\nx,t,m,1,false\n",
        bp.ReadError,
        r"must have one direction; 'higher_is_better' says",
    ),
    "a wide table naming a row twice": (
        "a.csv",
        b"model,t,u\nx,1,2\nx,3,4\n",
        bp.ReadError,
        "'x' stand more than once",
    ),
}


@pytest.mark.parametrize(("name", "data", "error", "message"), BAD.values(), ids=BAD)
def test_it_is_refused_with_a_sentence(tmp_path, name, data, error, message):
    path = tmp_path / name
    path.write_bytes(data)
    if error is None:
        assert len(bp.read(path)) == 0
        return
    with pytest.raises(error, match=message) as caught:
        bp.read(path)
    assert str(caught.value).rstrip().endswith((".", "?", "`."))


def test_an_agent_against_itself_is_left_out_and_counted_or_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEAD + "x,y,left\nx,x,left\n")
    assert bp.read(path).reading.dropped == {"agent against itself": 1}
    with pytest.raises(bp.ReadError, match=r"'x' is in row 2 of .*a\.csv \(1 such row\).*self_battles=\"drop\""):
        bp.read(path, self_battles="error")


def test_ten_thousand_columns_are_a_wide_table(tmp_path):
    path = tmp_path / "a.csv"
    tasks = [f"task {i} with a rather long name" for i in range(10_000)]
    path.write_text(
        "model," + ",".join(tasks) + "\n" + "\n".join(f"m{k}," + ",".join(["1.5"] * 10_000) for k in range(3))
    )
    scores = bp.read(path)
    assert (len(scores.agents), len(scores.tasks)) == (3, 10_000)


def test_a_role_or_column_that_does_not_exist_suggests_one_that_does(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEAD + "x,y,left\n")
    with pytest.raises(bp.UsageError, match="Did you mean 'agent_a'"):
        bp.read(path, map={"agnt_a": "left"})
    with pytest.raises(bp.UsageError, match="Did you mean 'right'"):
        bp.read(path, map={"agent_a": "left", "agent_b": "rigth"})
    with pytest.raises(bp.UsageError, match="Did you mean 'preflib'"):
        bp.read(path, format="prefib")
    with pytest.raises(bp.UsageError, match="`labels` must map to one of"):
        bp.read(path, labels={"left": "win"})


def test_what_is_no_source_is_refused():
    with pytest.raises(bp.UsageError, match="must be a path, a list of paths"):
        bp.read(42)


@pytest.mark.parametrize(
    ("option", "near"),
    [({"delimeter": ";"}, "delimiter"), ({"self_battle": "drop"}, "self_battles"), ({"mapp": {}}, "map")],
)
def test_an_option_that_nobody_knows_is_refused_with_the_nearest(tmp_path, option, near):
    with pytest.raises(bp.UsageError, match=f"an option must be one of format, map, .* Did you mean '{near}'"):
        bp.read(tmp_path / "a.csv", **option)


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ({"self_battles": "dorp"}, "drop"),
        ({"repeats": "bset"}, "best"),
        ({"to": "pair"}, "pairs"),
        ({"engine": "duckdbb"}, "duckdb"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_refused_with_the_nearest(tmp_path, option, near):
    with pytest.raises(bp.UsageError, match=f"`{next(iter(option))}` must be one of .* Did you mean '{near}'"):
        bp.read(tmp_path / "a.csv", **option)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="opens are counted by inotify")
@pytest.mark.parametrize(
    ("name", "most"),
    [("games.csv", 2), ("long.csv", 2), ("arena.csv", 2), ("games.jsonl", 3), ("games.parquet", 6)],
)
def test_a_file_is_opened_once_to_be_recognized_and_read_as_seldom_as_can_be(tmp_path, name, most):
    """JSON is read once more for its keys; DuckDB opens Parquet once to describe it, once to plan and once a thread to scan."""
    path = tmp_path / name
    rows = [(f"agent{i % 7}", f"agent{i % 7 + 1}", "left") for i in range(10_000 if name == "long.csv" else 10)]
    if path.suffix == ".parquet":
        bp.write(bp.Battles.of([(a, b, 1) for a, b, _ in rows]), path)
    elif path.suffix == ".jsonl":
        keys = HEAD.strip().split(",")
        path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    elif name == "arena.csv":
        lines = "".join(f"{a},{b},model_a,s{i // 2}\n" for i, (a, b, _) in enumerate(rows))
        path.write_text("model_a,model_b,winner,evaluation_session_id\n" + lines)
    else:
        path.write_text(HEAD + "".join(",".join(row) + "\n" for row in rows))
    with counted_opens(path) as opens:
        assert len(bp.read(path)) == len(rows)
    assert 1 <= len(opens) <= most
