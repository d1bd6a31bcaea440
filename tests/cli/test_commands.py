"""The command line as a user meets it: real processes, exit statuses, plain output when piped."""

import csv
import io
import json
import subprocess
import sys

import pytest

BATTLES = "left,right,winner\nada,bob,left\nbob,cyd,tie\nada,cyd,right\ncyd,bob,left\n"


def beatpath(*arguments, stdin=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "beatpath", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        text=True,
        **options,
    )


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(BATTLES)
    return path


def test_check_says_what_it_read_and_what_it_guessed(games):
    done = beatpath("check", games)
    assert done.returncode == 0
    assert "Check of battles between 3 agents" in done.stdout
    assert "agent_a=left" in done.stdout.replace("\n", "")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_check_as_json_carries_everything(games):
    found = json.loads(beatpath("check", games, "--format", "json").stdout)
    assert found["schema_version"]
    assert found["agents"] == ["ada", "bob", "cyd"]
    assert found["reading"]["rows_read"] == 4
    assert {f["status"] for f in found["findings"]} <= {"failed", "warning", "passed", "not run"}
    order = ["failed", "warning", "passed", "not run"]
    places = [order.index(f["status"]) for f in found["findings"]]
    assert places == sorted(places)


def test_check_as_csv_and_markdown(games):
    rows = list(csv.DictReader(io.StringIO(beatpath("check", games, "--format", "csv").stdout)))
    assert {"status", "finding", "sentence", "consequence"} == set(rows[0])
    assert beatpath("check", games, "--format", "md").stdout.startswith("### Check of battles")


def test_standard_input_and_mapping():
    text = "p,q,verdict\nada,bob,L\nbob,ada,R\n"
    arguments = ("--map", "agent_a=p,agent_b=q,outcome=verdict", "--labels", "L=a,R=b", "--format", "json")
    done = beatpath("check", "-", *arguments, stdin=text)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["battles"] == 2


def test_the_example_needs_no_file_and_follows_its_seed():
    one, again, other = (beatpath("check", "--example", "--seed", s, "--format", "json").stdout for s in (1, 1, 2))
    assert one == again != other
    assert json.loads(one)["summary"]["agents"] == 30


STATUS = {
    "data that will not do": (1, ["check", "BAD"], "must hold outcomes that are known"),
    "a file that is not there": (2, ["check", "nowhere.csv"], "must be a file, folder or glob; there is none"),
    "no file at all": (2, ["check"], "name one FILE"),
    "a role that does not exist": (2, ["check", "GOOD", "--map", "agent_x=left"], "is none of"),
    "a map that is no map": (2, ["check", "GOOD", "--map", "left"], "must read NAME=VALUE"),
    "an option that does not exist": (2, ["check", "GOOD", "--colour"], "No such option"),
    "a format that does not exist": (2, ["check", "GOOD", "--format-in", "excel"], "must name a format"),
    "an output that cannot be named": (2, ["convert", "GOOD", "out.xlsx"], "must end in one of"),
    "an output in no folder": (2, ["convert", "GOOD", "no/where/out.csv"], "the folder of the output must exist"),
}


@pytest.mark.parametrize(("status", "arguments", "said"), STATUS.values(), ids=STATUS)
def test_it_ends_with_its_status_and_a_sentence(tmp_path, games, status, arguments, said):
    bad = tmp_path / "bad.csv"
    bad.write_text("left,right,winner\nada,bob,perhaps\n")
    done = beatpath(*[{"GOOD": games, "BAD": bad}.get(a, a) for a in arguments], cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_check_counts_self_battles_that_other_verbs_refuse(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(BATTLES + "ada,ada,tie\n")
    found = json.loads(beatpath("check", path, "--format", "json").stdout)
    finding = next(f for f in found["findings"] if f["name"] == "self-battles")
    assert finding["status"] == "warning"
    done = beatpath("convert", path, tmp_path / "out.csv")
    assert done.returncode == 1
    assert "row 5" in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_convert_goes_round_and_names_what_is_lost(tmp_path, games):
    steps = [(games, "a.parquet"), (tmp_path / "a.parquet", "b.jsonl"), (tmp_path / "b.jsonl", "c.csv")]
    for source, target in steps:
        assert beatpath("convert", source, tmp_path / target).returncode == 0
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [(r["agent_a"], r["agent_b"], float(r["outcome"])) for r in rows] == [
        ("ada", "bob", 1),
        ("bob", "cyd", 0.5),
        ("ada", "cyd", 0),
        ("cyd", "bob", 1),
    ]
    done = beatpath("convert", games, tmp_path / "counts.csv", "--to", "pairs", "--format", "json")
    assert json.loads(done.stdout)["kind"] == "pairs"
    counts = (tmp_path / "counts.csv").read_text().splitlines()
    assert counts[0].startswith("agent_a,agent_b,wins_a,wins_b,ties,both_bad")
    done = beatpath("convert", games, tmp_path / "votes.toi")
    assert done.returncode == 0, done.stderr
    assert "# NUMBER ALTERNATIVES: 3" in (tmp_path / "votes.toi").read_text()


def test_hostile_names_cannot_act_on_a_terminal_a_spreadsheet_or_a_page(tmp_path):
    path = tmp_path / "hostile.jsonl"
    names = ["\x1b[31mred\x1b[0m", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "[bold]x[/bold]", "\u202egnp"]
    path.write_text("\n".join(json.dumps({"left": n, "right": "other", "winner": "left"}) for n in names))
    for form in ("table", "md", "csv"):
        out = beatpath("check", path, "--format", form).stdout
        assert "\x1b" not in out
        assert "\u202e" not in out
    table = beatpath("check", path).stdout
    assert "[bold]x[/bold]" in table
    assert "<script>" not in beatpath("check", path, "--format", "md").stdout.replace("\\<script\\>", "")
    rows = csv.reader(io.StringIO(beatpath("check", path, "--format", "csv").stdout))
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


def test_formats_lists_every_reader():
    done = json.loads(beatpath("formats", "--format", "json").stdout)
    assert {"preflib", "table", "inspect", "lm-eval", "pgn"} <= {row["format"] for row in done["formats"]}
    assert "battles" in {row["layout"] for row in done["layouts"]}


def test_version_and_help():
    assert beatpath("--version").stdout.startswith("beatpath 0.")
    out = beatpath("check", "--help").stdout
    assert "--map" in out
    assert "beatpath check --example" in out


def test_a_reader_that_goes_away_is_no_error(games):
    command = f'"{sys.executable}" -m beatpath check "{games}" | head -1'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_rank_puts_methods_side_by_side_with_the_condorcet_winner_first(games):
    done = beatpath("rank", games)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("'cyd' beats every other agent head to head: it is the Condorcet winner.")
    assert "Kendall distance" in done.stdout
    assert "read 4 rows" in done.stderr
    data = json.loads(beatpath("rank", games, "-m", "schulze", "-m", "iml", "--format", "json").stdout)
    assert [r["method"] for r in data["results"]] == ["schulze", "iml"]
    assert set(data["condorcet"]) == {"strong", "weak"}
    rows = list(csv.DictReader(io.StringIO(beatpath("rank", games, "-m", "copeland", "--format", "csv").stdout)))
    assert {row["agent"] for row in rows} == {"ada", "bob", "cyd"}
    assert "| agent | copeland |" in beatpath("rank", games, "-m", "copeland", "--format", "md").stdout


def test_rank_takes_settings_and_task_weights(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("model,code,maths,toxicity\nbold,1,1,0\nsafe,0,0,1\n")
    plain = json.loads(beatpath("rank", path, "-m", "approval", "--set", "approval.k=1", "--format", "json").stdout)
    assert plain["results"][0]["settings"] == {"k": 1}
    assert plain["results"][0]["levels"][0] == ["bold"]
    weighted = json.loads(beatpath("rank", path, "-m", "borda", "--weights", "toxicity=5", "--format", "json").stdout)
    assert weighted["results"][0]["levels"][0] == ["safe"]
    done = beatpath("rank", path, "-m", "bordo")
    assert done.returncode == 2
    assert "Did you mean 'borda'" in done.stderr


def test_rank_refuses_rules_that_need_rankings_on_battles(games):
    done = beatpath("rank", games, "-m", "borda")
    assert done.returncode == 2
    assert "These do: copeland" in done.stderr


def test_methods_lists_what_each_takes_and_its_properties():
    rows = json.loads(beatpath("methods", "--format", "json").stdout)["methods"]
    schulze = next(row for row in rows if row["method"] == "schulze")
    assert (schulze["condorcet"], schulze["clone"], schulze["population"]) == ("yes", "yes", "")
    assert all(row["what it does"] for row in rows)


def test_reproduce_prints_published_beside_ours():
    done = beatpath("reproduce", "vase_pentathlon")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "published" in done.stdout
    done = beatpath("reproduce", "vasy")
    assert done.returncode == 2
    assert "is none of" in done.stderr
