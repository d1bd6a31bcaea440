"""What is printed cannot act on a terminal, a spreadsheet or a page."""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys

import pytest

import beatpath as bp
from beatpath._result import TableResult
from beatpath.cli.main import VERBS, main
from beatpath.cli.output import print_table, show
from beatpath.reports.view import View, inert
from helpers.command_line import beatpath


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


class Answer(TableResult):
    """An answer that keeps an account of what was made of it."""

    def __init__(self):
        self.made = []

    def view(self):
        self.made.append("view")
        return View(facts=["one"])

    def to_dict(self):
        self.made.append("data")
        return {"x": 1}

    def rows(self):
        self.made.append("rows")
        return [{"x": 1}]


def test_names_that_look_like_markup_or_emoji_are_printed_as_they_are(capsys):
    print_table("':smile:' is above '[bold]x[/bold]'")
    assert capsys.readouterr().out == "':smile:' is above '[bold]x[/bold]'\n"


def test_an_answer_is_made_in_the_requested_format_and_in_no_other(games, capsys):
    evidence, answer = bp.read(games), Answer()
    printed = {}
    for name in ("table", "json", "csv", "md"):
        show(name, answer, evidence=evidence)
        printed[name] = capsys.readouterr()
    assert answer.made == ["view", "data", "rows", "view"]
    assert [printed[name].out for name in ("table", "csv", "md")] == ["one\n", "x\n1\n", "- one\n"]
    assert json.loads(printed["json"].out) == {"x": 1, "reading": evidence.reading.to_dict()}
    assert {name: str(evidence.reading) in one.err for name, one in printed.items()} == {
        "table": True,
        "json": False,
        "csv": True,
        "md": True,
    }


def test_json_is_indented_by_two(games):
    printed = beatpath("rank", games, "--format", "json").stdout
    assert printed == json.dumps(json.loads(printed), indent=2) + "\n"


@pytest.mark.parametrize("verb", ["rank", "core", "resolve", "convert"])
def test_quiet_leaves_the_answer_and_errors(verb, games, tmp_path):
    target = [tmp_path / "out.jsonl"] if verb == "convert" else []
    usual, quiet = beatpath(verb, games, *target), beatpath(verb, games, *target, "--quiet")
    assert usual.stderr != ""
    assert quiet.stderr == ""
    assert quiet.stdout == usual.stdout != ""
    assert "must" in beatpath(verb, tmp_path / "nowhere.csv", *target, "--quiet").stderr


def test_verbose_says_what_was_read_and_how_long_it_took(games):
    stderr = beatpath("check", games, "--verbose", "--format", "json").stderr
    assert "Battles(3 agents, 4 battles)" in stderr
    assert re.findall(r"^(\w+): [\d.]+ s$", stderr, re.MULTILINE) == ["reading", "answer", "all"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_quiet_and_verbose_and_not_both(verb):
    needed = {"reproduce": ["vase"], "diff": ["old.json", "new.json"]}.get(verb, [])
    done = beatpath(verb, *needed, "--quiet", "--verbose")
    assert done.returncode == 2
    assert "exclude each other" in done.stderr


SHOWN = ("rank", "core", "resolve", "check", "methods", "formats", "schema")


@pytest.mark.parametrize(("verb", "width"), [*((verb, 80) for verb in SHOWN), ("rank", 120)])
def test_no_line_is_wider_than_the_columns_there_are_nor_ends_in_blanks(tmp_path, verb, width):
    names = [f"20250{k}_{'very-' * k}long-name-of-an-agent_with-2025052{k}" for k in range(1, 9)]
    rows = [f"{a},{b},left" for i, a in enumerate(names) for b in names[i + 1 :]]
    (tmp_path / "games.csv").write_text("\n".join(["left,right,winner", *rows]))
    words = [verb, tmp_path / "games.csv"] if verb in ("rank", "core", "resolve", "check") else [verb]
    lines = beatpath(*words, env=os.environ | {"COLUMNS": str(width)}).stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["terminal", "NO_COLOR", "dumb"],
)
@pytest.mark.posix
def test_color_is_for_terminals_that_want_it_and_words_say_the_same(games, environment, coloured):
    import pty

    master, slave = pty.openpty()
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    words = [sys.executable, "-m", "beatpath", "check", games]
    run = subprocess.Popen(words, stdout=slave, stderr=subprocess.DEVNULL, env=plain | {"TERM": "xterm"} | environment)
    os.close(slave)
    seen = b""
    try:
        while part := os.read(master, 65536):
            seen += part
    except OSError:  # the other end is closed
        pass
    assert run.wait() == 0
    assert bool(re.search(rb"\x1b\[[\d;]*3[0-7]m", seen)) == coloured
    assert b"warning" in seen
    assert b"\x1b" not in beatpath("check", games).stdout.encode()


@pytest.mark.parametrize(
    ("value", "cell"), [(float("nan"), ""), (float("inf"), ""), (-0.0, 0.0), (-1.5, -1.5), (None, None)]
)
def test_a_cell_is_a_number_or_empty(value, cell):
    assert str(inert(value)) == str(cell)


def in_this_process(capsys, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["beatpath", *map(str, arguments)])
    with pytest.raises(SystemExit):
        main()
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_a_rule_without_scores_leaves_the_cell_empty(tmp_path, capsys, monkeypatch):
    orders = ("abc", "acb", "abc")
    votes = "ballot,agent,rank\n" + "".join(f"{k},{a},{i}\n" for k, o in enumerate(orders) for i, a in enumerate(o, 1))
    (tmp_path / "votes.csv").write_text(votes)
    words = ("rank", tmp_path / "votes.csv", "-m", "split_cycle", "-m", "borda", "--format", "csv")
    rows = in_this_process(capsys, monkeypatch, *words)
    assert {row["score"] for row in rows if row["method"] == "split_cycle"} == {""}
    assert [float(row["score"]) for row in rows if row["method"] == "borda"] == [6.0, 2.0, 1.0]


def test_a_core_leaves_the_cell_empty_where_there_is_no_number(tmp_path, capsys, monkeypatch):
    (tmp_path / "games.csv").write_text("left,right,winner\nada,bob,left\ncyd,dan,left\n")
    rows = in_this_process(capsys, monkeypatch, "core", tmp_path / "games.csv", "--format", "csv")
    cells = [row[name] for row in rows for name in row if name != "agent"]
    assert {row["bradley_terry"] for row in rows} == {""}  # the components are not connected: no scale holds both
    assert not [cell for cell in cells if cell and (not math.isfinite(float(cell)) or cell.startswith("-0.0"))]
