"""All pictures of a report."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import beatpath as bp
from beatpath.reports import figures
from beatpath.reports.figures.pictures import _of_methods
from beatpath.reports.report import Report, report


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


def test_pictures_have_titles_and_plain_data(example):
    figures = example.figures()
    assert {"rank_intervals", "win_rates", "majorities", "membership", "bump", "agreement", "sampling"} <= set(figures)
    for spec in figures.values():
        json.dumps(spec, allow_nan=False)
        assert spec["title"]["text"]


def test_agents_that_methods_rank_differently_are_in_color_where_they_are_shown(monkeypatch):
    """Of 40 agents two have several ranks; one of these is among the 30 that are shown."""
    names = [f"agent {i:02d}" for i in range(40)]
    ranks = {name: (i, i + 1 if i in (3, 35) else i) for i, name in enumerate(names, 1)}
    comparison = SimpleNamespace(
        rankings=[SimpleNamespace(method="borda"), SimpleNamespace(method="copeland")],
        order=lambda: names,
        movers=lambda: sorted(((name, *both) for name, both in ranks.items()), key=lambda one: one[1] - one[2]),
        distances=np.zeros((2, 2)),
    )
    board = [SimpleNamespace(agent=name, ranks={"borda": a, "copeland": b}) for name, (a, b) in ranks.items()]
    marked: list[str] = []
    monkeypatch.setattr(figures, "bump", lambda *_, **options: marked.extend(options["marked"]))
    _of_methods(SimpleNamespace(comparison=comparison, board=board))
    assert marked == ["agent 02"]
