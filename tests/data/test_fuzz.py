"""Thousands of damaged files: each ends in evidence or in a sentence, soon, and within bounds of memory.

The cases are made in `fuzzing`, by number, so that a failure here can be had again on any machine:
``python -m helpers.fuzzing NUMBER 1`` in the folder of tests.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import beatpath as bp
from beatpath.data.formats import BUILT_IN
from beatpath.data.layouts.roles import LAYOUTS
from helpers import fuzzing
from helpers.paths import TESTS

SHARDS, CASES = 8, 300
VERB_CASES = 60


def run(first, n_cases, *folder):
    """Read cases in a process of their own, which a deadline or a limit of memory can end."""
    command = [sys.executable, "-m", "helpers.fuzzing", str(first), str(n_cases), *map(str, folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TESTS)
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-2000:]}"
    assert done.stderr.count("case ") == n_cases


@pytest.mark.parametrize("shard", range(SHARDS))
def test_damaged_files_end_in_evidence_or_a_sentence(shard):
    run(shard * CASES, CASES)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(2))
def test_damaged_files_through_verbs_end_in_an_answer_or_a_sentence(shard):
    run(shard * VERB_CASES, VERB_CASES, "--verbs")


@pytest.mark.parametrize("shard", range(2))
def test_damaged_real_files_end_in_evidence_or_a_sentence(shared, shard):
    run(shard * CASES // 2, CASES // 2, shared)


def test_the_seeds_reach_every_reader_and_every_layout(tmp_path):
    """Undamaged, they are read by all built-in formats and as all layouts, so that damage meets them all."""
    formats = set()
    for number, (_, files, target) in enumerate(fuzzing.seeds()):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        try:
            formats.add(bp.read(folder / target).reading.format)
        except bp.BeatpathError:
            assert Path(target).suffix in (".eval", ".json", ".jsonl", ".yaml")  # fixtures of broken or partial logs
    assert {name.partition(" (")[0] for name in formats} == set(BUILT_IN)
    assert {name.partition(" (")[2].rstrip(")") for name in formats} - {""} == set(LAYOUTS)


def test_a_case_is_the_same_every_time():
    known = fuzzing.seeds()
    assert fuzzing.case(17, known) == fuzzing.case(17, known)
