"""The command line as a user meets it: real processes, exit statuses, plain output when piped."""

import subprocess
import sys

import pytest

from helpers.command_line import beatpath

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


def test_version_and_help():
    assert beatpath("--version").stdout.startswith("beatpath 0.")
    out = beatpath("check", "--help").stdout
    assert "--map" in out
    assert "beatpath check --example" in out


def test_a_reader_that_goes_away_is_no_error(games):
    command = f'"{sys.executable}" -m beatpath check "{games}" | head -1'
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
