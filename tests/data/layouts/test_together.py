"""Several files: read together, passed over by name, or refused."""

import gzip
import json

import pytest

import beatpath as bp
from beatpath.data.formats.tables import WEAKEST
from beatpath.data.layouts.roles import LAYOUTS
from helpers.command_line import beatpath

BATTLES = "left,right,winner\nada,bob,left\nbob,cyd,tie\n"


@pytest.fixture
def folder(tmp_path):
    """Battles in two files, with what lies beside data."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "one.csv").write_text(BATTLES)
    (data / "two.csv").write_text("winner,right,left,judge\nright,ada,dan,j\n")
    (data / "README.md").write_text("# Data, made by hand\n\n| file, kind | rows |\n")
    (data / "prompts.csv").write_text("id,slug\n1,x\n2,y\n")
    (data / "config.json").write_text(json.dumps({"seed": 1, "version": "2"}))
    (data / "empty.csv").write_text("")
    (data / "notes.txt").write_text("nothing to see here, really\n")
    (data / "sizes.csv").write_text("name,height,weight\nada,1,2\nbob,3,4\n")
    return data


def test_a_folder_is_read_by_what_can_be_read_and_names_the_rest(folder):
    battles = bp.read(folder)
    assert (len(battles), battles.agents) == (3, ("ada", "bob", "cyd", "dan"))
    assert [name.rpartition("/")[2] for name in battles.reading.sources] == ["one.csv", "two.csv"]
    over = battles.reading.notes[-1]
    assert over.startswith("passed over 6 other files")


@pytest.mark.parametrize("verb", ["check", "rank", "core", "resolve"])
def test_every_verb_takes_what_a_shell_makes_of_a_star(folder, verb):
    done = beatpath(verb, *sorted(folder.glob("*")), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reading"]["rows_used"] == 3


def test_report_and_convert_take_several_files(folder, tmp_path):
    files = [folder / "one.csv", folder / "two.csv"]
    assert beatpath("report", *files, "-o", tmp_path / "r.json").returncode == 0
    assert beatpath("convert", *files, tmp_path / "all.csv").returncode == 0
    assert len(bp.read(tmp_path / "all.csv")) == 3


def test_files_of_two_layouts_are_refused_with_the_columns_all_have(folder):
    (folder / "three.csv").write_text("winner_name,loser_name,left,right,winner\nx,y,x,y,left\n")
    with pytest.raises(
        bp.ReadError, match=r"one layout; there is battles .*one\.csv'.*winner and loser .*three\.csv'"
    ) as error:
        bp.read(folder)
    assert '`map={"agent_a": "left", "agent_b": "right", "outcome": "winner"}`' in str(error.value)
    assert len(bp.read(folder, map={"agent_a": "left", "agent_b": "right", "outcome": "winner"})) == 4


def test_a_file_alone_is_never_passed_over(folder):
    with pytest.raises(bp.ReadError, match="must show what they mean; 'id', 'slug' do not"):
        bp.read(folder / "prompts.csv")
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read([folder / "prompts.csv", folder / "config.json"])


def test_a_damaged_file_among_others_is_an_error_and_not_passed_over(folder):
    (folder / "four.csv").write_text(BATTLES + "ada\n")
    with pytest.raises(bp.ReadError, match="four"):
        bp.read(folder)


def test_rows_are_counted_within_their_own_file(folder):
    (folder / "two.csv").write_text(BATTLES + "ada,bob,whoever\n" + "eve,eve,left\n")
    with pytest.raises(bp.ReadError, match=r"'eve' is in row 4 of \S*two\.csv"):
        bp.read(folder, labels={"whoever": "tie"}, self_battles="error")


def test_thousands_of_json_lines_files_are_one_pass(tmp_path):
    for i in range(1500):
        row = {"model_a": f"m{i % 7}", "model_b": f"n{i % 5}", "winner": "tie", **({"note": 1} if i % 2 else {})}
        (tmp_path / f"{i:04}.jsonl").write_text(json.dumps(row) + "\n")
    assert len(bp.read(tmp_path)) == 1500


def test_plain_and_packed_files_of_other_columns_are_put_together(tmp_path):
    (tmp_path / "a.csv").write_text(BATTLES)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"left;right;winner;judge\neve;ada;left;j\n"))
    (tmp_path / "c.jsonl").write_text(json.dumps({"winner": "tie", "left": "ada", "right": "fay"}))
    battles = bp.read(tmp_path)
    assert (len(battles), battles.factor("judge").names()) == (4, [None, None, "j", None])


def test_the_weakest_layout_is_a_layout():
    assert WEAKEST in LAYOUTS
