"""The README's own command lines and the example scripts run as printed; its output is not invented."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.posix
def test_every_command_line_of_the_readme_runs(tmp_path):
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    lines = [line for line in lines if not line.startswith("make ")]  # they set up this very run
    assert len(lines) > 5
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for line in lines:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_the_output_shown_in_the_readme_is_what_is_printed():
    shown = re.search(r"\$ beatpath resolve --example\n(.*?)\n\.\.\.\n```", README, flags=re.DOTALL)[1]
    words = [sys.executable, "-m", "beatpath", "resolve", "--example"]
    done = subprocess.run(words, env=os.environ | {"COLUMNS": "90"}, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(shown)
    assert len(shown.splitlines()) > 10


def test_every_make_verb_of_the_readme_is_a_target():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {"demo", "test", "bench", "reproduce", "docs"} <= set(targets)
    assert set(re.findall(r"`?make (\w+)", README)) <= set(targets)


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_every_example_runs_and_prints_something(script, tmp_path):
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


SHORTER = {  # the longest, with fewer runs or files than by default
    "compare": ("--runs", "40"),
    "contexts": ("--runs", "1"),
    "core_calibration": ("--runs", "4"),
    "coverage": ("--runs", "2"),
    "human_votes": ("--runs", "2"),
    "kemeny_preflib": ("--limit", "50"),
    "real_data": ("--splits", "1", "--only", "QLoRA"),
    "sco_preflib": ("--limit", "3", "--algorithm-1", "1"),
    "ste_tables": ("--bootstraps", "4"),
    "wsco_preflib": ("--limit", "4"),
}


@pytest.mark.parametrize("script", sorted((ROOT / "reproductions").glob("*/reproduce.py")), ids=lambda p: p.parent.name)
def test_every_reproduction_agrees_with_what_was_published(script):
    command = [sys.executable, script, *SHORTER.get(script.parent.name, ())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
