"""Generic tables: every form of a file, compression, globs, and LMArena's battles."""

import gzip
import json

import pytest
import zstandard

import beatpath as bp
from helpers.format_trial import battle_list

BATTLES = "left,right,winner\nada,bob,left\nbob,cyd,tie\nada,cyd,right\n"
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
    assert battle_list(battles) == EXPECTED
    assert battles.reading.rows_read == battles.reading.rows_used == 3


def test_parquet_globs_and_lists_read_together(write, tmp_path):
    for i in range(2):
        bp.write(bp.read(write(BATTLES)), tmp_path / f"part{i}.parquet")
    for source in (str(tmp_path / "part*.parquet"), [tmp_path / "part0.parquet", tmp_path / "part1.parquet"]):
        assert battle_list(bp.read(source)) == EXPECTED * 2


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


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_name_with_signs_of_a_glob_is_that_file(tmp_path, ending):
    bp.write(bp.Battles.of([("ada", "bob", 1), ("ada", "bob", 0)]), tmp_path / f"x[1].{ending}")
    bp.write(bp.Battles.of([("eve", "bob", 1)]), tmp_path / f"x1.{ending}")
    assert bp.read(tmp_path / f"x[1].{ending}").agents == ("ada", "bob")


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


@pytest.mark.parametrize(
    "text",
    ["agent,task,score\nada,t1,1\nbob,t1,0\n", "agent_a,agent_b,wins_a,wins_b\nada,bob,9,1\n"],
)
def test_labels_are_refused_where_a_table_has_none(write, text):
    with pytest.raises(bp.UsageError, match=r"`labels` say what outcomes and places mean"):
        bp.read(write(text.encode(), "table.csv"), labels={"x": "a"})
