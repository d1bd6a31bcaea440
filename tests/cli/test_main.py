"""The command line as a user meets it: real processes, exit statuses, plain output when piped."""

import os
import re
import shlex
import signal
import stat
import subprocess
import sys

import pytest

from beatpath.cli.main import BROKEN_PIPE
from helpers.command_line import beatpath

COMMAND = [sys.executable, "-m", "beatpath"]
STATUS = {
    "data that will not do": (1, ["check", "BAD"], "must hold outcomes that are known"),
    "a file that is not there": (2, ["check", "nowhere.csv"], "must be a file, folder or glob; there is none"),
    "no file at all": (2, ["check"], "name the files to read"),
    "a role that does not exist": (2, ["check", "GOOD", "--map", "agent_x=left"], "is none of"),
    "a map that is no map": (2, ["check", "GOOD", "--map", "left"], "must read NAME=VALUE"),
    "an option that does not exist": (2, ["check", "GOOD", "--colour"], "must be an option of `beatpath check`"),
    "an option of other programs": (2, ["rank", "GOOD", "--json"], "Use `--format json`."),
    "an option of other verbs": (2, ["rank", "GOOD", "--alpha", "0.1"], "`--level` is an option of 'resolve'"),
    "an option with another name": (2, ["resolve", "GOOD", "--n-boot", "9"], "Did you mean `--draws`?"),
    "an output that the shell writes": (2, ["rank", "GOOD", "-o", "x.json"], "`beatpath report -o FILE`"),
    "a verb of other programs": (2, ["leaderboard", "GOOD"], "Use `beatpath resolve`."),
    "a method in place of a verb": (2, ["elo", "GOOD"], "Use `beatpath rank --method elo`."),
    "help as a verb": (2, ["help"], "Use `beatpath --help`"),
    "a format that does not exist": (2, ["check", "GOOD", "--format-in", "excel"], "must name a format"),
    "an output that cannot be named": (2, ["convert", "GOOD", "out.xlsx"], "must end in one of"),
    "an output in no folder": (2, ["convert", "GOOD", "no/where/out.csv"], "the folder of the output must exist"),
}


@pytest.mark.parametrize(("status", "arguments", "message"), STATUS.values(), ids=STATUS)
def test_it_ends_with_its_status_and_a_sentence(tmp_path, games, status, arguments, message):
    bad = tmp_path / "bad.csv"
    bad.write_text("left,right,winner\nada,bob,perhaps\n")
    done = beatpath(*[{"GOOD": games, "BAD": bad}.get(a, a) for a in arguments], cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_version_and_help():
    assert beatpath("--version").stdout.startswith("beatpath 0.")
    out = beatpath("check", "--help").stdout
    assert "--map" in out
    assert "beatpath check --example" in out


def test_a_reader_that_goes_away_ends_it_without_a_word():
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run([*COMMAND, "schema", "resolve"], stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (BROKEN_PIPE, b"")


@pytest.fixture
def full(tmp_path):
    """A disk without room: a device of our own."""
    node = tmp_path / "full"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        node.open("wb").close()
    except (AttributeError, OSError):
        pytest.skip("making a device needs a privileged user")
    return node


@pytest.mark.parametrize("form", ["table", "json", "csv", "md"])
def test_a_full_disk_under_standard_output_is_a_sentence(games, full, form):
    with full.open("wb") as out:
        run = [*COMMAND, "rank", games, "-m", "copeland", "-q", "--format", form]
        done = subprocess.run(run, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == "beatpath: standard output cannot be written: No space left on device.\n"
    assert done.returncode == 2


@pytest.mark.posix
@pytest.mark.parametrize(
    ("closed", "status", "message"),
    [(">&-", 2, "beatpath: standard output cannot be written: it is closed.\n"), ("2>&-", 0, "")],
)
def test_closed_streams_are_no_traceback(games, closed, status, message):
    line = f"{shlex.join([*COMMAND, 'rank', str(games), '-q'])} {closed}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, message)


@pytest.mark.parametrize("form", ["table", "csv", "md", "json"])
def test_names_outside_a_terminal_s_letters_are_escaped(tmp_path, form):
    file = tmp_path / "games.csv"
    file.write_text("left,right,winner\n日本,zoë,left\n", encoding="utf-8")
    done = beatpath("core", file, "--format", form, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert "\\u65e5" in done.stdout


def test_warnings_of_libraries_stay_with_developers():
    code = (
        "import sys, warnings, beatpath.cli.main as m\n"
        "m.WELCOME = type('W', (), {'__str__': lambda self: warnings.warn('odd', RuntimeWarning) or 'hello'})()\n"
        "sys.argv = ['beatpath']; m.main()"
    )
    usual = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    completed = subprocess.run([sys.executable, "-Wdefault", "-c", code], capture_output=True, text=True, check=True)
    assert (usual.stdout, usual.stderr) == ("hello\n", "")
    assert "RuntimeWarning: odd" in completed.stderr


def test_an_unexpected_error_ends_with_the_traceback_of_python_which_a_bug_report_can_quote():
    code = (
        "import sys, beatpath.cli.main as m\n"
        "m.WELCOME = type('W', (), {'__str__': lambda self: str(1 / 0)})()\n"
        "sys.argv = ['beatpath']; m.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert done.stderr.endswith("\nZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("rank -m sch", "schulze"), ("report -m split", "split_cycle"), ("rank --ties dr", "drop"), ("reso", "resolve")],
)
def test_shells_complete_verbs_words_and_methods(typed, offered):
    environment = {
        "_BEATPATH_COMPLETE": "complete_bash",
        "COMP_WORDS": f"beatpath {typed}",
        "COMP_CWORD": f"{len(typed.split())}",
    }
    assert beatpath(env=os.environ | environment).stdout.split() == [offered]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(tmp_path, shell):
    home = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = beatpath("--install-completion", shell, env=home)
    assert done.returncode == 0, done.stderr
    assert any("_BEATPATH_COMPLETE" in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("verb", ["rank", "resolve", "core", "report", "check"])
def test_help_shows_the_options_that_people_need_and_help_all_the_rest(verb):
    short, full = (beatpath(verb, flag).stdout for flag in ("--help", "--help-all"))
    assert "--ties" not in short
    assert "--encoding" in full
    assert all(f"─ {panel} " in full for panel in ("Data", "Output"))
    assert len(short.splitlines()) < len(full.splitlines())
    assert short.count("\n│ --") <= 18


@pytest.mark.parametrize("words", [("resolve",), ("report",), ("serve",), ("arena", "create"), ("arena", "vote")])
def test_values_of_options_have_names_of_people_in_the_help(words):
    text = subprocess.run(
        [sys.executable, "-m", "beatpath", *words, "--help"], capture_output=True, text=True, check=True
    )
    assert not re.findall(r"<(?:int|float|str|path|bool|list)[^|>]*>", text.stdout)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_a_long_query_ends_it_without_a_word(number):
    """This query would take hours, of which DuckDB itself notices no signal for minutes."""
    code = f"""
import os, threading, typer
from beatpath.cli import main as cli
from beatpath.data.tables.database import connect, reading_errors

def query():
    with connect() as con, reading_errors(["x.csv"]):
        threading.Timer(0.5, os.kill, (os.getpid(), {int(number)})).start()
        con.execute("SELECT count(*) FROM range(30000000) AS a, range(300000) AS b WHERE hash(a.range + b.range) % 7 = 1").fetchall()

cli.app = typer.Typer()
cli.app.command()(query)
cli.main()
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, timeout=100)
    assert (ended.returncode, ended.stderr) == (128 + number, b"")
