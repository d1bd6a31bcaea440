"""`beatpath bench` and `beatpath reproduce`: the scripts run as installed, and their tables hide nothing."""

import json
import subprocess
import sys

import pytest

from beatpath.cli.scripts import shipped
from helpers.command_line import beatpath

posix = pytest.mark.posix  # what a run takes is measured as such systems tell it


@pytest.fixture
def benchmark_modules(monkeypatch):
    """The modules of the benchmarks, as their own scripts see them."""
    monkeypatch.syspath_prepend(str(shipped("benchmarks")))
    import measure
    import tables

    return measure, tables


@posix
def test_the_quick_bench_prints_a_table_and_keeps_the_results(tmp_path):
    words = ["bench", "--quick", "--area", "kemeny", "--dir", str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "beatpath", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| Mallows 0.95, 200 agents |" in done.stdout
    results = json.loads((tmp_path / "quick.json").read_text())["kemeny"]
    assert results["machine"]["cores"]
    assert all(row["seconds"] for row in results["rows"] if row["route"] == "beatpath")


@posix
def test_an_unknown_area_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "beatpath", "bench", "--area", "nowhere"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "nowhere" in done.stderr


@posix
def test_a_table_says_where_we_are_not_ahead_and_who_disagrees(benchmark_modules):
    measure, tables = benchmark_modules
    rows = [
        measure.Row("sums", "beatpath", (2.0, 4.0, 3.0), cpu=3.0),
        measure.Row("sums", "swift", (1.5,), cpu=6.0),
        measure.Row("sums", "wrong", (6.0,), answer="other sums", agrees=False),
        measure.Row("sums", "absent", note=measure.NOT_HERE),
    ]
    text = tables.table(rows)
    assert "**0.5 (2), not ahead**" in text
    assert "**other sums: disagrees**" in text
    assert "| absent | not installed |" in text
    assert "3 (2 to 4)" in text
    wide = tables.table(rows, wide=True)
    assert "not ahead" in wide
    assert "wrong disagrees" in wide


@posix
def test_results_come_back_from_their_file_as_they_were(benchmark_modules):
    measure, _ = benchmark_modules
    rows, goals = [measure.Row("sums", "beatpath", (1.0,), size=3.0)], [measure.Goal("fast", 2.0, 3.0)]
    assert measure.from_data(json.loads(json.dumps(measure.as_data(rows, goals)))) == (rows, goals)
    assert not goals[0].met


@posix
def test_results_go_between_the_marks_of_a_page(benchmark_modules, tmp_path):
    _, tables = benchmark_modules
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- kemeny -->\nold\n<!-- end kemeny -->\nafter\n")
    tables.put_between(page, {"kemeny": "new", "elsewhere": "unused"})
    assert page.read_text() == "before\n<!-- kemeny -->\n\nnew\n\n<!-- end kemeny -->\nafter\n"


def test_reproduce_prints_published_beside_ours():
    done = beatpath("reproduce", "vase_pentathlon")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "published" in done.stdout
    done = beatpath("reproduce", "vasy")
    assert done.returncode == 2
    assert "is none of" in done.stderr
