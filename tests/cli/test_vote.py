"""`beatpath arena vote`: what it takes, and what it says before it serves; tests/web has the page itself."""

import os
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath.arena.arena import Arena
from helpers.answers import write_answers
from helpers.command_line import beatpath


@pytest.fixture
def answers(tmp_path):
    return write_answers(tmp_path / "answers.jsonl")


def test_it_makes_an_arena_beside_the_answers_prints_its_address_and_serves_there(answers, tmp_path):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": dict(os.environ)}
    process = subprocess.Popen(
        [sys.executable, "-m", "beatpath", "arena", "vote", str(answers), "--goal", "first", "--port", "0"], **pipes
    )
    try:
        place, _, token = process.stdout.readline().strip().partition("?token=")
        request = urllib.request.Request(place, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as page:
            assert "Which answer is better?" in page.read().decode()
    finally:
        process.terminate()
        stderr = process.communicate(timeout=30)[1]
    assert "2 prompts, 3 agents; votes go to" in " ".join(stderr.split())
    arena = Arena(tmp_path / "answers.db")
    assert arena.agents == ("ada", "bob", "cyd")
    assert arena.status()["goal"] == "first"


@pytest.mark.parametrize(
    ("content", "words", "status", "says"),
    [
        ("", [], 1, "must have answers of at least two agents"),
        ("x\n", [], 1, "answers.jsonl, line 1 must be a JSON object"),
        (None, ["--goal", "best"], 2, "`goal` must be"),
        (None, ["--goal", "top 3"], 2, "must leave some agent below the top"),
        (None, ["--arena", "answers.jsonl"], 2, "votes must go elsewhere than the answers"),
        (None, ["--token-file", "answers.jsonl.none"], 2, "`--token-file` must be a text file to read"),
        (None, ["--token-file", "short.txt"], 2, "must be a token of 16 or more characters"),
    ],
)
def test_what_will_not_do_is_a_sentence(answers, tmp_path, content, words, status, says):
    (tmp_path / "short.txt").write_text("short\n")
    if content is not None:
        answers.write_text(content)
    done = beatpath("arena", "vote", "answers.jsonl", *words, cwd=tmp_path)
    assert done.returncode == status
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_arena_of_other_answers_is_a_sentence(answers, tmp_path):
    Arena(tmp_path / "answers.db", agents=["ada", "bob", "cyd"], prompts=["three?"]).close()
    done = beatpath("arena", "vote", "answers.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert "must be of the prompts of the answers" in " ".join(done.stderr.split())
