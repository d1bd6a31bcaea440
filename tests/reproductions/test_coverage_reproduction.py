"""The counts of coverage: what a stopped run keeps, and what its table says."""

import importlib.util
import json
import sys

import numpy as np
import pytest

from helpers.paths import ROOT


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("coverage_reproduction", ROOT / "reproductions/coverage/reproduce.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_stopped_run_goes_on_where_it_was(script, tmp_path):
    path, world = tmp_path / "runs.jsonl", script.WORLDS[1]
    list(script.finished([(1, 0, 3)], path, 1))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"world": "cut o')
    totals = script.blocks_of(path)
    assert totals[world.name].runs == 3
    again = np.array([script.run(world, seed) for seed in range(3)]).mean(axis=0)
    assert np.allclose(totals[world.name].mean, again, atol=1e-6, equal_nan=True)
    assert [first for _, first, _ in script.jobs_of(totals, [world], 60)] == [20, 40]


def test_every_world_has_its_first_runs_before_any_has_its_second(script):
    jobs = script.jobs_of(script.blocks_of(None), script.WORLDS, 40)
    assert [first for _, first, _ in jobs] == [0] * len(script.WORLDS) + [20] * len(script.WORLDS)
    assert {world for world, _, _ in jobs} == set(range(len(script.WORLDS)))


def test_what_covers_too_little_stands_out_in_the_table(script, tmp_path):
    path, world = tmp_path / "runs.jsonl", script.WORLDS[0]
    sums = [18, 20, 19, 18, 20, 20, 20, 20, 0, None, 19, 60.0, 70.0]
    path.write_text(json.dumps({"world": world.name, "first": 0, "runs": 20, "seconds": 1.0, "sums": sums}) + "\n")
    row = script.markdown([world], script.blocks_of(path)).splitlines()[-1]
    assert row.startswith(f"| {world.name} | 20 | **0.900** | 1.000 | 0.950 | **0.900** |")
    assert row.endswith("| 0.00 | 3.0 | 3.5 |  | 0.95 |")
