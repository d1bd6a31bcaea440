"""The gate of speed: it fails where a cell stays slower by more than a fifth, and only there."""

import importlib.util
import json

import pytest

from helpers.paths import ROOT


@pytest.fixture
def gate():
    pytest.importorskip("resource", reason="processor time of other processes is not counted here")
    spec = importlib.util.spec_from_file_location("gate", ROOT / "benchmarks" / "gate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figures(gate):
    return json.loads(gate.FIGURES.read_text(encoding="utf-8"))["ratios"]


def test_a_figure_is_stored_for_each_of_five_cells(gate):
    baseline = figures(gate)
    assert list(baseline) == list(gate.CELLS)
    assert len(baseline) == 5
    assert all(value > 0 for value in baseline.values())


def test_a_tree_as_fast_as_before_passes_and_one_cell_slower_by_three_tenths_fails(gate, monkeypatch, capsys):
    baseline = figures(gate)
    monkeypatch.setattr(gate, "figure", lambda cell, source: 1.1 * baseline[cell])
    assert gate.compared(None) == 0
    monkeypatch.setattr(gate, "figure", lambda cell, source: (1.3 if cell == "resolve" else 1.0) * baseline[cell])
    assert gate.compared(None) == 1
    assert capsys.readouterr().out.endswith("slower by more than 20%: resolve\n")


def test_one_disturbed_measurement_does_not_fail(gate, monkeypatch):
    baseline, calls = figures(gate), []

    def disturbed(cell, source):
        calls.append(cell)
        return (2.0 if len(calls) <= gate.PROCESSES else 1.0) * baseline[cell]

    monkeypatch.setattr(gate, "figure", disturbed)
    assert gate.compared(None) == 0


def test_a_base_is_measured_beside_what_is_there(gate, monkeypatch, tmp_path):
    monkeypatch.setattr(gate, "figure", lambda cell, source: 1.0 if source == tmp_path else 1.25)
    assert gate.compared(tmp_path) == 1


def test_a_ratio_is_of_the_work_over_the_work_beside_it(gate, monkeypatch):
    def spin(n):
        return lambda: sum(range(n))

    monkeypatch.setattr(gate, "SECONDS", 0.3)
    monkeypatch.setitem(gate.CELLS, "resolve", lambda: (spin(400_000), spin(100_000)))
    assert gate.ratio("resolve") == pytest.approx(4, rel=0.4)
