"""Blocks of runs that were stopped go on where they were."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "reproductions" / "common"))

from resume import resumed, saved_results


def test_blocks_that_are_in_the_file_are_not_run_again(tmp_path, capsys):
    path, called = tmp_path / "runs.jsonl", []

    def work(name, first):
        called.append((name, first))
        return [first, first + 1]

    jobs = [("equal", 0), ("equal", 5), ("close", 0)]
    assert resumed(work, jobs[:1], path, 1) == {("equal", 0): [0, 1]}
    with path.open("a") as file:
        file.write('{"job": ["equal", 5], "fou')  # stopped in the middle of a line
    assert list(saved_results(path)) == [("equal", 0)]
    assert resumed(work, jobs, path, 1)[("close", 0)] == [0, 1]
    assert called == jobs
    assert list(saved_results(path)) == jobs
    assert "3 of 3: close, 0" in capsys.readouterr().err
    assert json.loads(path.read_text().splitlines()[-1])["job"] == ["close", 0]
