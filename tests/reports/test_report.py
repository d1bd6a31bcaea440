"""A report: its forms, its files, and what it says of itself."""

import pytest

import beatpath as bp
from beatpath import Pairs, UsageError
from beatpath._text import shown
from beatpath.reports.report import Report, report
from helpers.hostile import NAMES, hostile_battles
from helpers.pages import Page
from helpers.schemas import validated

SMALL = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 20, 3, 2]])


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


@pytest.fixture(scope="module")
def small() -> Report:
    return report(SMALL, seed=0)


@pytest.fixture(scope="module")
def hostile() -> Report:
    return report(hostile_battles(), title=NAMES[1], by="task")


def test_json_has_a_schema_version_and_no_number_that_json_lacks(example):
    data = validated(example.to_dict())
    assert data["schema_version"] == "1"
    assert data["type"] == "report"
    assert {"verdict", "board", "pairs", "check", "comparison", "core", "resolution", "robustness", "plan"} <= set(data)
    assert data["provenance"]["seed"] == 0
    assert data["provenance"]["sources"]
    assert len(data["board"]) == 30
    n = len(data["pairs"]["a"])
    assert all(len(column) == n for column in data["pairs"].values() if column is not None)


def test_pairs_are_seen_from_the_better_placed_agent(example):
    pairs, battles = example.pairs, bp.example()
    rates = bp.metrics.win_rate_inference(battles).rates
    place = {name: i for i, name in enumerate(battles.agents)}
    for a, b, rate in list(zip(pairs.a, pairs.b, pairs.rate, strict=True))[::7]:
        assert a < b
        i, j = place[pairs.agents[a]], place[pairs.agents[b]]
        assert rate == pytest.approx(rates[i, j], abs=1e-4)


def test_no_control_character_reaches_any_form(hostile):
    for form in ("html", "md", "json"):
        text = hostile.text(form)
        text.encode("utf-8")
        assert not set("\x1b\u202e\u2028") & set(text)


def test_a_file_is_written_whole_or_not_at_all(small, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UsageError, match="No space left"):
        small.save(path)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["r.html"]


def test_an_interrupted_write_leaves_nothing_behind(small, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small.save(tmp_path / "r.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["missing/r.html", "r.txt", "."])
def test_a_path_that_will_not_do_is_a_sentence(small, tmp_path, place):
    with pytest.raises(UsageError) as caught:
        small.save(tmp_path / place)
    assert str(caught.value).endswith(".")
    assert not list(tmp_path.iterdir())


def test_every_form_can_be_saved(small, tmp_path):
    for form in ("html", "md", "json"):
        assert small.save(tmp_path / f"r.{form}").read_text(encoding="utf-8") == small.text(form)


def test_a_notebook_shows_verdict_and_board_escaped(hostile):
    page = Page(hostile._repr_html_())
    assert not page.scripts
    assert " ".join(shown(NAMES[0]).split()) in page.text


def test_a_report_prints_its_verdict(example):
    assert str(example).splitlines()[1] == example.answer.text
    assert str(example).splitlines()[2].endswith("(not resolved)")
