"""The first words: ten lines, and every command in them runs."""

import shlex

import pytest

from beatpath.cli.main import WELCOME
from helpers.command_line import beatpath


def test_the_name_alone_says_in_eleven_lines_what_to_do_first():
    done = beatpath()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{WELCOME}\n"
    assert len(WELCOME.splitlines()) == 11
    assert max(map(len, WELCOME.splitlines())) <= 80


@pytest.mark.parametrize("command", [line.split("  ")[-1].strip() for line in WELCOME.splitlines()[2:8]])
def test_every_command_it_names_runs(command, tmp_path):
    rows = ["ada,bob,model_a", "bob,cyd,tie", "cyd,ada,model_b", "ada,bob,model_a"] * 5
    (tmp_path / "battles.csv").write_text("\n".join(["model_a,model_b,winner", *rows]))
    for run in ("old", "new"):
        (tmp_path / f"{run}.csv").write_text("\n".join(["id,correct", *(f"q{i},{i % 2}" for i in range(12))]))
    name, *words = shlex.split(command)
    assert name == "beatpath"
    done = beatpath(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_file_in_place_of_a_verb_is_resolved(games, tmp_path):
    alone, resolved = beatpath(games), beatpath("resolve", games)
    assert (alone.returncode, alone.stdout) == (0, resolved.stdout)
    missing = beatpath("nowhere.csv", cwd=tmp_path)
    assert missing.returncode == 2
    assert "must be a file" in missing.stderr
    assert "Did you mean 'resolve'" in beatpath("resolv").stderr


def test_help_leads_with_tasks_and_shows_no_type_of_a_flag():
    for words in ([], ["resolve"]):
        text = beatpath(*words, "--help").stdout
        assert "bool" not in text
        assert "list[str]" not in text
    lines = beatpath("--help").stdout.splitlines()
    at = {text: next(k for k, line in enumerate(lines) if text in line) for text in ("Try it", "Options", "Commands")}
    assert at["Try it"] < at["Options"] < at["Commands"]


def test_the_example_in_place_of_a_verb_is_resolved():
    assert beatpath("--example").stdout == beatpath("resolve", "--example").stdout


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["games.csv", "--filter", "judge=x"], "Use `--where COLUMN=VALUE`."),
        (["games.csv", "--model-a", "left"], "Use `--map agent_a=COLUMN,agent_b=COLUMN,outcome=COLUMN`."),
        (["games.csv", "--baseline", "ada"], "Use `--estimand AGENT=1`"),
        (["games.csv", "--level", "90"], "90 % is 0.9."),
        (["compare", "a", "b", "--fail-on", "regression"], 'Use `--claim "new at most 1 point below base"`'),
        (["arena", "vote", "x.jsonl", "--loud"], "must be an option of `beatpath arena vote`"),
        (["tiers", "games.csv"], "Use `beatpath resolve`"),
    ],
)
def test_what_newcomers_guess_is_answered_with_the_name(words, hint):
    done = beatpath(*words)
    assert done.returncode == 2
    assert hint in done.stderr


def test_no_verb_shows_the_type_of_a_flag_and_files_stand_under_files():
    for words in (["arena"], ["arena", "vote"], ["compare"], ["diff"]):
        assert "<bool>" not in beatpath(*words, "--help").stdout
    assert all("─ Files ─" in beatpath(word, "--help").stdout for word in ("compare", "diff"))
