"""The arena from a shell, as any runner would drive it."""

import json
import os
import subprocess
import sys

import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from helpers.command_line import beatpath
from helpers.paths import ROOT


def test_a_shell_asks_tells_and_stops(tmp_path):
    file = tmp_path / "arena.db"
    made = beatpath("arena", "create", file, "-a", "ada", "-a", "bob", "--goal", "first")
    assert made.returncode == 0, made.stderr
    completed = beatpath("arena", "ask", file, "--count", 300)
    battles = [json.loads(line) for line in completed.stdout.splitlines()]
    assert {frozenset((one["a"], one["b"])) for one in battles} == {frozenset(("ada", "bob"))}
    before = beatpath("arena", "status", file)
    assert before.returncode == 3
    outcomes = "\n".join(json.dumps({"battle": one["battle"], "outcome": "a"}) for one in battles)
    assert beatpath("arena", "tell", file, stdin=outcomes).returncode == 0
    after = beatpath("arena", "status", file, "-o", tmp_path / "board.csv")
    assert after.returncode == 0
    assert (tmp_path / "board.csv").read_text().splitlines()[1] == "ada,1,1,1.0"
    assert json.loads(after.stdout)["reason"] == "'ada' is certainly first at every look (95 %)."
    assert beatpath("arena", "export", file, tmp_path / "battles.csv").returncode == 0
    assert (tmp_path / "battles.csv").read_text().count("\n") == 301


def test_a_bad_outcome_is_named_with_its_line_and_none_is_recorded(tmp_path):
    file = tmp_path / "arena.db"
    beatpath("arena", "create", file, "-a", "ada", "-a", "bob")
    battle = json.loads(beatpath("arena", "ask", file).stdout)["battle"]
    wrong = beatpath("arena", "tell", file, stdin=f'{{"battle": "{battle}", "outcome": "a"}}\n{{"battle": "x"}}\n')
    assert wrong.returncode == 1
    assert "standard input, line 2 must have `outcome`" in wrong.stderr
    assert json.loads(beatpath("arena", "status", file).stdout)["battles"] == 0
    assert beatpath("arena", "create", file, "-a", "ada", "-a", "bob").returncode == 0  # the same again
    assert beatpath("arena", "create", file, "-a", "ada", "-a", "eve").returncode == 2


@pytest.fixture
def arena(tmp_path):
    made = beatpath("arena", "create", tmp_path / "arena.db", "-a", "ada", "-a", "bob", "-a", "cyd", "--goal", "first")
    assert made.returncode == 0, made.stderr
    return tmp_path / "arena.db"


def ask_battles(arena, count=1):
    done = beatpath("arena", "ask", arena, "--count", count)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def lines(*objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


def test_what_is_exported_is_read_by_every_verb_as_the_arena_itself(arena, tmp_path):
    none = beatpath("arena", "export", arena)
    assert none.returncode == 1
    assert "must have battles that were answered to be exported" in none.stderr
    outcomes = [
        {"battle": one["battle"], "outcome": "a", "judge": f"judge {k % 2}"}
        for k, one in enumerate(ask_battles(arena, 20))
    ]
    assert beatpath("arena", "tell", arena, stdin=lines(*outcomes)).returncode == 0
    out = beatpath("arena", "export", arena)
    (tmp_path / "battles.jsonl").write_text(out.stdout)
    one, other = (bp.read(tmp_path / name) for name in ("battles.jsonl", "arena.db"))
    assert len(one) == len(other) == 20
    assert one.factors["judge"].names() == other.factors["judge"].names()
    assert one.position.tolist() == other.position.tolist()


def test_battles_fail_come_back_and_are_answered_by_several_judges_in_one_file(arena):
    first, second = ask_battles(arena, 2)
    outcomes = lines(
        {"battle": first["battle"], "outcome": "failed"}, {"battle": second["battle"], "outcome": 0.25, "judge": "eve"}
    )
    assert beatpath("arena", "tell", arena, stdin=outcomes).returncode == 0
    assert ask_battles(arena) == [first]
    assert json.loads(beatpath("arena", "status", arena).stdout)["pending"] == 1


def test_agents_join_and_retire_from_a_shell(arena):
    assert beatpath("arena", "join", arena, "dan").returncode == 0
    assert beatpath("arena", "retire", arena, "bob").returncode == 0
    ranks = json.loads(beatpath("arena", "status", arena).stdout)["ranks"]
    assert {one["agent"] for one in ranks} == {"ada", "cyd", "dan"}
    again = beatpath("arena", "retire", arena, "bob")
    assert again.returncode == 1
    assert "'bob' must be an agent of the arena" in again.stderr


def test_battles_from_elsewhere_are_added_once_by_their_key(arena):
    rows = lines(
        {"a": "ada", "b": "bob", "outcome": "a", "battle": "game 1", "judge": "eve"},
        {"a": "bob", "b": "cyd", "outcome": 0},
    )
    assert "2 battles added" in beatpath("arena", "add", arena, stdin=rows).stderr
    assert "1 battle added" in beatpath("arena", "add", arena, stdin=rows).stderr


@pytest.mark.parametrize(
    ("words", "stdin", "status", "says"),
    [
        (["tell", "{arena}"], "[1]\n", 1, "standard input, line 1 must be a JSON object"),
        (
            ["tell", "{arena}"],
            '{"battle": "x", "outcome": "a"}',
            1,
            "must be requested before it is answered; 'x' was not",
        ),
        (["tell", "{arena}"], '{"battle": 7, "outcome": "a"}', 1, "named by its key, a text; got '7'"),
        (["tell", "{arena}", "nowhere.jsonl"], "", 2, "'nowhere.jsonl' must be a file to read"),
        (["add", "{arena}"], '{"a": "ada", "b": "eve", "outcome": "a"}', 1, "'eve' must be an agent of the arena"),
        (["create", "{arena}", "-a", "x", "-a", "y"], "", 2, "is there already"),
        (["create", "new.db", "-a", "x"], "", 2, "at least two agents; got 1 agent"),
        (["create", "new.db", "-a", "x", "-a", "y", "--goal", "top 2"], "", 2, "must leave some agent below the top"),
        (["create", "new.db", "-a", "x", "-a", "y", "--prompts", "nowhere.txt"], "", 2, "'nowhere.txt' must be a file"),
        (["status", "nowhere.db"], "", 2, "must be made with `agents` before it is opened"),
        (["ask", "pyproject.toml"], "", 1, "must be an arena; it is no SQLite file"),
    ],
)
def test_bad_input_gets_a_sentence_and_changes_nothing(arena, words, stdin, status, says):
    before = arena.read_bytes()
    done = beatpath("arena", *(word.format(arena=arena) for word in words), stdin=stdin, cwd=ROOT)
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (ROOT / "new.db").exists()
    assert arena.read_bytes() == before


@pytest.mark.posix
@pytest.mark.slow
def test_the_tutorial_runs_an_arena_from_nothing_to_its_goal(tmp_path):
    page = (ROOT / "docs" / "how_to" / "arena.md").read_text(encoding="utf-8")
    script = page.split("```sh\n", 1)[1].split("```", 1)[0]
    for name, words in (("beatpath", '-m beatpath "$@"'), ("python", '"$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\nexec {sys.executable} {words}\n")
        (tmp_path / name).chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "status.json").read_text())["done"]
    assert (tmp_path / "board.csv").read_text().count("\n") == 4
    assert len(bp.read(tmp_path / "battles.jsonl")) == len(bp.read(tmp_path / "arena.db"))


def test_settings_change_and_voters_are_shown(arena):
    done = beatpath("arena", "change", arena, "--goal", "top 2", "--patience", "60")
    assert (done.returncode, done.stderr.count("\n")) == (0, 2)
    assert "reserved for the goal 'first'" in done.stderr
    assert json.loads(beatpath("arena", "status", arena).stdout)["goal"] == "top 2"
    verdict = {"outcome": "tie", "judge": "eve", "criteria": {"short": "a"}, "comment": "hm"}
    outcomes = lines(*({"battle": one["battle"], **verdict} for one in ask_battles(arena, 3)))
    assert beatpath("arena", "tell", arena, stdin=outcomes).returncode == 0
    with Arena(arena) as told:
        assert [one["comment"] for one in told.comments()] == ["hm"] * 3
        assert len(told.evidence(criterion="short")) == 3
    seen = beatpath("arena", "voters", arena, "--per-person", 5)
    assert json.loads(seen.stdout)["voters"][0]["votes"] == 3
    assert "No voter looks careless: 1 voter, 3 votes." in seen.stderr


def test_prompts_of_categories_come_from_a_json_file(tmp_path):
    pool, place = tmp_path / "prompts.json", tmp_path / "arena.db"
    pool.write_text('{"math": ["1 + 1?"], "verse": ["a haiku"]}')
    assert beatpath("arena", "create", place, "-a", "ada", "-a", "bob", "--prompts", pool).returncode == 0
    with Arena(place) as arena:
        assert {battle.prompt for battle in arena.ask(2)} == {"1 + 1?", "a haiku"}
        assert arena.board(category="math").battles == 0
    pool.write_text("{")
    done = beatpath("arena", "change", place, "--prompts", pool)
    assert (done.returncode, "must be JSON; it is not" in done.stderr) == (2, True)
