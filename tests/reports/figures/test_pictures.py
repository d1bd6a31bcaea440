"""All pictures of a report."""

import json

import pytest

import beatpath as bp
from beatpath.reports.report import Report, report


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


def test_pictures_have_titles_and_plain_data(example):
    drawn = example.figures()
    assert {"rank_intervals", "win_rates", "majorities", "membership", "bump", "agreement", "sampling"} <= set(drawn)
    for spec in drawn.values():
        json.dumps(spec, allow_nan=False)
        assert spec["title"]["text"]
