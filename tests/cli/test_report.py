"""`beatpath report`: one file, its verdict on the terminal, and sentences for what cannot be."""

import html
import re
import sys

import pytest
from typer.testing import CliRunner

from beatpath._errors import BeatpathError
from beatpath.cli.main import app
from helpers.schemas import validated

BATTLES = "model_a,model_b,winner,prompt\n" + "".join(
    f"ada,bob,{'model_a' if k % 3 else 'model_b'},p{k}\nbob,cyd,{'model_a' if k % 4 else 'tie'},p{k}\n"
    for k in range(24)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.csv").write_text(BATTLES)
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, ["report", *words])


def failed(*words):
    with pytest.raises(BeatpathError) as caught:
        CliRunner().invoke(app, ["report", *words], catch_exceptions=False)
    return str(caught.value)


def test_without_a_path_the_report_is_report_html_and_its_answer_comes_first_with_why_on_request(folder):
    done, verbose = run("b.csv"), run("b.csv", "-v")
    assert done.exit_code == 0
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "report: report.html" in done.stdout
    title = re.search("<title>(.*)</title>", (folder / "report.html").read_text(encoding="utf-8"))[1]
    assert done.stdout.startswith(html.unescape(title)[:60])
    assert "Can you trust this?" in done.stdout
    assert [bool(re.search(r"\((not )?resolved\)", one.stdout)) for one in (done, verbose)] == [False, True]


def test_a_second_report_says_that_it_took_the_place_of_the_first(folder):
    run("b.csv", "-o", "r.html")
    assert "replacing the previous one" in " ".join(run("b.csv", "-o", "r.html").stdout.split())


def test_the_ending_of_the_path_says_the_form(folder):
    assert run("b.csv", "-o", "r.json").exit_code == 0
    assert validated((folder / "r.json").read_text())["type"] == "report"
    assert run("b.csv", "-o", "summary", "--format", "md").exit_code == 0
    assert (folder / "summary").read_text().startswith("## Report on b.csv")


def test_markdown_and_json_without_a_path_go_to_standard_output(folder):
    assert run("b.csv", "--format", "md").stdout.startswith("## Report on b.csv")
    assert validated(run("b.csv", "--format", "json", "--title", "T").stdout)["title"] == "T"
    assert run("b.csv", "-o", "-").stdout.startswith("<!doctype html>")
    assert not (folder / "report.html").exists()


def test_pictures_are_written_as_png_and_svg(folder):
    pytest.importorskip("vl_convert", reason="the extra `png` is not installed")
    done = run("b.csv", "--figures", "pictures/all", "-m", "copeland", "-m", "schulze")
    assert done.exit_code == 0
    names = {path.stem for path in (folder / "pictures/all").glob("*.svg")}
    assert {"win_rates", "bump", "rank_intervals"} <= names
    assert {path.stem for path in (folder / "pictures/all").glob("*.png")} == names


def test_pictures_are_written_as_svg_alone_without_the_extra_and_it_says_so(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = run("b.csv", "--figures", "pictures", "-m", "copeland", "-m", "schulze")
    assert done.exit_code == 0
    assert "written as SVG only" in done.stderr
    assert "pip install 'beatpath[png]'" in done.stderr
    assert {path.suffix for path in (folder / "pictures").iterdir()} == {".svg"}


def test_the_report_lists_its_options(folder):
    words = ("--level", "0.9", "--cluster", "prompt", "--keep", "prompt", "--estimand", "as_sampled", "--ties", "drop")
    data = validated(run("b.csv", *words, "--seed", "7", "--format", "json").stdout)
    assert data["level"] == 0.9
    assert data["provenance"]["seed"] == 7
    assert data["provenance"]["settings"]["estimand"] == "as_sampled"
    assert data["resolution"]["settings"]["cluster"] == ["prompt"]
    assert ("ties", "drop") in [(made["name"], made["value"]) for made in data["provenance"]["conventions"]]


def test_contexts_are_named_by_column(folder):
    (folder / "c.csv").write_text(
        "model_a,model_b,winner,category\n" + "ada,bob,model_a,code\nada,bob,model_b,chat\nbob,ada,model_a,code\n" * 9
    )
    data = validated(run("c.csv", "--keep", "category", "--by", "category", "--format", "json").stdout)
    assert [context["name"] for context in data["contexts"]] == ["code", "chat"]


def test_what_cannot_be_is_a_sentence_and_leaves_nothing(folder):
    before = sorted(path.name for path in folder.iterdir())
    assert "must end in .html, .md or .json" in failed("b.csv", "-o", "r.pdf")
    assert "must not be a file that is read" in failed("b.csv", "-o", "b.csv", "--format", "html")
    assert "folder of the output must exist" in failed("b.csv", "-o", "nowhere/r.html")
    assert "folder of the output must exist" in failed("not_there.csv", "-o", "nowhere/r.html")
    assert "is no folder" in failed("not_there.csv", "--figures", "b.csv/pictures")
    assert "schulze" in failed("b.csv", "-m", "shulze")
    assert "among them" in failed("b.csv", "--by", "category")
    assert sorted(path.name for path in folder.iterdir()) == before
    assert (folder / "b.csv").read_text() == BATTLES


def test_an_interrupt_writes_what_was_done_and_says_what_is_left_out(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("beatpath.inference.removal.smallest_influential_set.smallest_influential_set", interrupted)
    done = run("b.csv", "-o", "r.json")
    assert done.exit_code == 130
    assert "Interrupted; left out: " in done.stderr
    assert "fewest removals" in done.stderr
    document = validated((folder / "r.json").read_text())
    assert document["board"]
    assert document["not_run"]["fewest removals"] == "interrupted before it was done"
