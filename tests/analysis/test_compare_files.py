"""From the files of a harness to the sentence, as a new user would: two runs, no option."""

import json
import re
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from beatpath import ReadError, UsageError
from beatpath.analysis.compare_runs import compare
from beatpath.analysis.run_items import Items
from beatpath.cli.main import app
from helpers import run_files

# 20 items right in both runs, 10 in the new one alone, 2 in the old one alone, 8 in neither
BASE = [1] * 20 + [0] * 10 + [1] * 2 + [0] * 8
NEW = [1] * 20 + [1] * 10 + [0] * 2 + [0] * 8
# The exact McNemar p-value by hand: 2 (1 + 12 + 66) / 2^12 = 158 / 4,096 = 0.0386.
COUNTS = "both right 20 · only new 10 · only base 2 · both wrong 8 · p = 0.039 (exact McNemar)"


def written(true="true", false="false"):
    """A table whose cells are words."""
    return lambda folder, right: run_files.table(folder, [true if x else false for x in right])


# The files of a harness, and the metric that they name.
HARNESSES = {
    "lm-evaluation-harness": (run_files.lm_eval, " on acc"),
    "Inspect, JSON": (run_files.inspect_log, " on match"),
    "Inspect, .eval": (partial(run_files.inspect_log, ending="eval"), " on match"),
    "promptfoo": (run_files.promptfoo, " on score"),
    "promptfoo, JSON Lines": (partial(run_files.promptfoo, ending="jsonl"), " on score"),
    "SWE-bench": (run_files.swe_bench, ""),
    "CSV": (run_files.table, ""),
    "CSV, words": (written(), ""),
    "CSV with a model": (partial(run_files.table, header="model,question,correct", row='m,"what is {i}",{x}'), ""),
    "CSV with answers": (partial(run_files.table, header="question,answer,is_correct", row='"q {i}","a, b",{x}'), ""),
    "CSV with costs": (partial(run_files.table, header="id,correct,tokens", row="q{i},{x},{i}"), ""),
}


def sentences(*words):
    """What the command prints first: the sentence, with its second line if it is folded, and the counts."""
    done = CliRunner().invoke(app, ["compare", *words], env={"COLUMNS": "200"})
    assert done.exception is None, done.exception
    return [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("how", ["folder", "file"])
@pytest.mark.parametrize("harness", HARNESSES)
def test_two_runs_of_a_harness_go_from_files_to_the_sentence(harness, how, tmp_path):
    write, metric = HARNESSES[harness]
    files = {name: write(tmp_path / name, right) for name, right in (("base", BASE), ("new", NEW))}
    answer, counts, *_ = sentences(*(f"{n}={tmp_path / n if how == 'folder' else path}" for n, path in files.items()))
    assert answer.startswith(f"'new' is better than 'base'{metric}: +20.0 points (95 % CI +")
    assert answer.endswith("), 40 items, paired.")
    assert counts == COUNTS


def test_two_lists_of_solved_instances_count_what_one_run_does_not_name_as_not_solved(tmp_path):
    """32 instances are named by a run: of these the new run solves 8 more."""
    for name, right in (("base", BASE), ("new", NEW)):
        run_files.swe_bench_experiments(tmp_path / name, right)
    lines = sentences(f"base={tmp_path / 'base'}", f"new={tmp_path / 'new'}")
    assert lines[0].startswith("'new' is better than 'base': +25.0 points (95 % CI +")
    assert lines[1] == "both right 20 · only new 10 · only base 2 · both wrong 0 · p = 0.039 (exact McNemar)"
    assert "An item that a run does not name is not solved; those that no run names are not counted." in lines
    with pytest.raises(UsageError, match="`cluster` must be known of all items"):
        compare(base=tmp_path / "base", new=tmp_path / "new", cluster="task")


def test_further_items_of_a_run_are_not_solved_once():
    some = np.array([1.0, 1.0])
    items = Items([("t", "x"), ("t", "y")], some, np.full(2, np.nan), np.ones(2, int), None, True)
    more = items.extended([("t", "y"), ("t", "z")])
    assert more.key == [("t", "x"), ("t", "y"), ("t", "z")]
    assert (more.mean.tolist(), more.number.tolist()) == ([1, 1, 0], [1, 1, 1])
    assert np.isnan(more.variance).tolist() == [True] * 3


def test_metrics_of_a_harness_are_one_family_and_the_option_that_is_printed_chooses_one(tmp_path):
    for name, right in (("base", BASE), ("new", NEW)):
        run_files.lm_eval(tmp_path / name, right, metrics=("acc", "acc_norm"), model=f"org/{name}")
    runs = f"base={tmp_path / 'base'}", f"new={tmp_path / 'new'}"
    lines = sentences(*runs)
    assert lines[0].startswith("0 better and 0 worse, of 2 comparisons with 'base'")
    assert "`--metric` chooses one metric." in lines
    assert sentences(*runs, "--metric", "acc")[1] == COUNTS


@pytest.mark.parametrize(
    ("item", "column"),
    [
        *((item, column) for item in ("task_id", "id", "question", "problem") for column in ("sample", "attempt")),
        ("task", "attempt"),
        ("task", "trial"),  # a sample of a task is an item of it
    ],
)
def test_samples_of_an_item_are_no_items(item, column, tmp_path):
    """Two samples of each item; of 40 items, 12 differ, by 1 each in one sample of two: 8 halves of 40 are 10 points."""
    for name, right in (("base", BASE), ("new", NEW)):
        rows = [f"q{i},{k},{x if k else BASE[i]}" for i, x in enumerate(right) for k in (0, 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"{item},{column},correct", *rows]) + "\n")
    result = compare(base=tmp_path / "base.csv", new=tmp_path / "new.csv")
    (one,) = result.comparisons
    assert (one.items, one.result.estimate) == (40, pytest.approx(0.1))
    assert "Repeated samples of an item are averaged (base: 2, new: 2)." in result.notes


def test_epochs_of_inspect_are_samples(tmp_path):
    for name, right in (("base", BASE), ("new", NEW)):
        run_files.inspect_log(tmp_path / name, right, epochs=[BASE])
    (one,) = compare(base=tmp_path / "base", new=tmp_path / "new").comparisons
    assert (one.items, one.result.estimate, one.better_and_worse) == (40, pytest.approx(0.1), (10, 2))


def test_rows_of_one_item_without_a_label_are_averaged_and_it_says_so(tmp_path):
    for name, right in (("base", BASE), ("new", NEW)):
        run_files.table(tmp_path / name, right, row="q{i},{x}\nq{i},{x}")
    result = compare(base=tmp_path / "base", new=tmp_path / "new")
    assert result.comparisons[0].items == 40
    assert "Repeated samples of an item are averaged (base: 2, new: 2)." in result.notes


def test_runs_that_share_no_item_have_their_scores_beside_the_p_value(tmp_path):
    run_files.table(tmp_path / "base", BASE)
    run_files.table(tmp_path / "new", NEW, row="other{i},{x}")
    (one,) = compare(base=tmp_path / "base", new=tmp_path / "new").comparisons
    assert one.details == f"base 55.0 · new 75.0 · p = {one.result.p_value:.2g} (Fisher's exact)"


@pytest.mark.parametrize("header", ["item", "id", "question", "prompt_id", "example", "test", ""])
@pytest.mark.parametrize("row", ["q{i}", "{i}"])
def test_one_table_may_have_a_column_for_every_run(header, row, tmp_path):
    lines = [f"{row.format(i=i)},{new},{old}" for i, (new, old) in enumerate(zip(NEW, BASE, strict=True))]
    (tmp_path / "runs.csv").write_text("\n".join([f"{header},new,old", *lines]) + "\n")
    result = compare(str(tmp_path / "runs.csv"))
    (one,) = result.comparisons
    assert (result.base, one.items, one.result.estimate, one.better_and_worse) == (
        "old",
        40,
        pytest.approx(0.2),
        (10, 2),
    )
    assert COUNTS.replace("base", "old") in one.details
    item = header or "column 1"
    assert f"Guessed by the names of columns: items in {item!r}, a run in every column of scores." in result.notes


def test_of_columns_of_runs_the_first_is_the_base_unless_one_is_called_so(tmp_path):
    rows = [f"{i},why?,{x},{y},{x},0.{i}" for i, (x, y) in enumerate(zip(BASE, NEW, strict=True))]
    for names, base in (("zoe,ada,bob", "zoe"), ("zoe_ok,ada_ok,baseline_ok", "baseline_ok")):
        (tmp_path / "runs.csv").write_text("\n".join([f"id,prompt,{names},latency", *rows]) + "\n")
        result = compare(str(tmp_path / "runs.csv"))
        assert result.runs == (base, *(name for name in names.split(",") if name != base))
        assert ("The base is 'zoe', the first column." in result.notes) == (base == "zoe")


@pytest.mark.parametrize("header", ["id,document,base,new", "item,document,base,new", "id,cluster,base,new"])
def test_columns_of_runs_may_stand_beside_one_of_clusters(header, tmp_path):
    """The same as of two files with the column; items of a document are four copies, so that errors are twice as large."""
    rng = np.random.default_rng(3)
    base, gain = rng.normal(0.5, 0.1, 15).round(3), rng.normal(0.02, 0.05, 15).round(3)
    rows = [(f"q{i}" if "item" in header else i, i // 4, base[i // 4], base[i // 4] + gain[i // 4]) for i in range(60)]
    (tmp_path / "runs.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    item, column, *_ = header.split(",")
    for name, k in (("base", 2), ("new", 3)):
        lines = [f"{item},{column},score", *(f"{row[0]},{row[1]},{row[k]}" for row in rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    cluster = {} if column == "cluster" else {"cluster": column}
    (one,) = compare(str(tmp_path / "runs.csv"), **cluster).comparisons
    (two,) = compare(base=tmp_path / "base.csv", new=tmp_path / "new.csv", **cluster).comparisons
    assert one.result.to_dict() == two.result.to_dict()
    assert one.result.stderr == pytest.approx(gain.std(ddof=1) / np.sqrt(15))


@pytest.mark.parametrize("header", ["id,document,base,new", "item,document,base,new"])
def test_a_column_of_whole_numbers_beside_fractions_is_not_taken_for_a_run(header, tmp_path):
    rows = [f"q{i},{i // 4},0.{i + 10},0.{i + 20}" for i in range(40)]
    (tmp_path / "runs.csv").write_text("\n".join([header, *rows]) + "\n")
    with pytest.raises(ReadError, match="'document' holds whole numbers, 'base', 'new' do not") as caught:
        compare(str(tmp_path / "runs.csv"))
    (mapping,) = re.findall("`map=(.*?)`", str(caught.value))
    assert compare(str(tmp_path / "runs.csv"), map=json.loads(mapping)).runs == ("base", "new")


def test_columns_of_several_measures_are_no_runs(tmp_path):
    (tmp_path / "run.csv").write_text("id,accuracy,f1\n1,0.5,0.4\n2,0.25,0.5\n3,0.75,0.6\n")
    with pytest.raises(UsageError, match="two runs or more must be named to be compared; got 1, 'run'"):
        compare(str(tmp_path / "run.csv"))


NUMBERS = {
    "list": list,
    "array": np.array,
    "pandas": lambda x: pytest.importorskip("pandas").Series(x),
    "polars": lambda x: pytest.importorskip("polars").Series(x),
    "mapping": lambda x: {f"q{i}": value for i, value in enumerate(x)},
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_runs_may_be_numbers(kind):
    for runs in (
        (NUMBERS[kind](BASE), NUMBERS[kind](NEW)),
        ({"base": NUMBERS[kind](BASE), "new": NUMBERS[kind](NEW)},),
    ):
        (one,) = compare(*runs).comparisons
        assert (one.items, one.better_and_worse) == (40, (10, 2))
        assert COUNTS in one.details


def test_items_of_a_mapping_or_an_index_are_paired_by_name_and_missing_ones_left_out():
    pd = pytest.importorskip("pandas")
    base, new = {"x": 1, "y": 0, "z": 1}, {"z": 0.5, "y": None, "x": 1, "w": 1}
    for one in (compare(base, new), compare(pd.Series(base), pd.Series(new))):
        assert (one.comparisons[0].items, one.comparisons[0].result.estimate) == (2, -0.25)
        assert one.sentences[0].endswith("2 items, paired, 2 left out.")


def test_a_run_may_be_a_list_of_files(tmp_path):
    for name, right in (("base", BASE), ("new", NEW)):
        for k, part in enumerate((right[:15], right[15:])):
            run_files.table(tmp_path / f"{name}{k}", part, row=f"{k}-{{i}},{{x}}")
    (one,) = compare({name: sorted(tmp_path.glob(f"{name}?/*.csv")) for name in ("base", "new")}).comparisons
    assert (one.items, one.better_and_worse) == (40, (10, 2))


def test_a_mapping_with_a_column_of_items_is_one_table():
    for item in ([f"q{i}" for i in range(40)], list(range(40))):
        assert compare({"id": item, "base": BASE, "new": NEW}).runs == ("base", "new")


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (([0, 1, 1], [1, 1]), "there are 3 in 'base', 2 in 'new'"),
        (([0, 1, 1],), "two runs or more must be named"),
        (({},), "two runs or more must be named"),
        ((["elo", "copeland"], ["borda"]), "`compare_methods"),
        (([0, "x"], [1, 1]), "got list"),
        ((np.eye(3), np.eye(3)), "got ndarray"),
    ],
)
def test_what_is_no_list_of_numbers_for_the_same_items_is_refused(runs, message):
    with pytest.raises(UsageError, match=message):
        compare(*runs)


def test_numbers_have_no_columns_to_choose():
    with pytest.raises(UsageError, match="are lists of numbers"):
        compare(base=BASE, new=NEW, cost="price")
    with pytest.raises(UsageError, match="got 'document', and there is no other column"):
        compare(base=BASE, new=NEW, cluster="document")


def test_columns_of_a_frame_may_be_runs():
    pl = pytest.importorskip("polars")
    result = compare(pl.DataFrame({"id": range(40), "base": BASE, "new": NEW}))
    assert (result.runs, result.comparisons[0].result.estimate) == (("base", "new"), pytest.approx(0.2))


def test_a_table_without_scores_is_refused_with_the_columns_and_the_option(tmp_path):
    for name in ("base", "new"):
        run_files.table(tmp_path / name, ["A", "B"] * 20, header="id,answer")
    with pytest.raises(ReadError, match="of the columns of 'base', 'id', 'answer', it is not clear which") as caught:
        compare(base=tmp_path / "base", new=tmp_path / "new")
    assert re.search("map.*item.*COLUMN.*value.*COLUMN", str(caught.value))


@pytest.mark.parametrize("share", [True, False])
def test_files_of_one_run_that_share_ids_are_tasks_and_others_are_parts(share, tmp_path):
    """Items 0 to 39 of two files are 80 items where files are tasks; where ids differ, pieces of one table."""
    for name, right in (("base", BASE), ("new", NEW)):
        run_files.table(tmp_path / name, right, name="arc.csv")
        row = "q{i},{x}" if share else "other{i},{x}"
        run_files.table(tmp_path / name / "more", right, row=row).rename(tmp_path / name / "law.csv")
        (tmp_path / name / "more").rmdir()
    (one,) = compare(base=tmp_path / "base", new=tmp_path / "new").comparisons
    assert one.table == (40, 20, 4, 16)
    assert [row["task"] for row in one.by_task] == (["arc", "law"] if share else [])


def test_the_answer_says_what_was_guessed(tmp_path):
    for name, correct in (("a", (0, 1, 0, 1)), ("b", (1, 1, 0, 1))):
        rows = "".join(f"{i},text {i},{right}\n" for i, right in enumerate(correct))
        (tmp_path / f"{name}.csv").write_text("index,question,correct\n" + rows)
    by_number, by_text = compare(tmp_path).notes, compare(tmp_path, map={"item": "question"}).notes
    assert by_number[:3] == (
        "The base is 'a', the first by name; `base=a new=...` names another.",
        "Guessed by the names of columns: items in 'index', scores in 'correct'.",
        "'index' numbers rows: if runs have other orders, pair by a text, `--map item=COLUMN`.",
    )
    assert not any("numbers rows" in note for note in by_text)
    named = compare(base=tmp_path / "a.csv", new=tmp_path / "b.csv").notes
    assert not any(note.startswith("The base") for note in named)


@pytest.mark.parametrize(
    ("header", "row"), [("id,score,document", "q{i},{x},{c}"), ("model,id,score,cluster", "m,q{i},{x},{c}")]
)
def test_items_are_clustered_by_a_column_of_the_file(tmp_path, header, row):
    """40 items in 4 documents, 10 more in none; by the definition of the jackknife over 14 clusters."""
    rng = np.random.default_rng(5)
    document = np.concatenate([np.arange(40) % 4, np.arange(4, 14)])
    score = {name: rng.random(50).round(3) for name in ("base", "new")}
    for name, values in score.items():
        lines = [row.format(i=i, x=x, c=f"d{document[i]}" if i < 40 else "") for i, x in enumerate(values)]
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    column = None if "cluster" in header else "document"
    result = compare(base=tmp_path / "base.csv", new=tmp_path / "new.csv", cluster=column).comparisons[0]
    d = score["new"] - score["base"]
    without = np.array([d[document != k].mean() for k in range(14)])
    assert (result.clusters, result.result.test) == (14, "cluster-robust t")
    assert result.result.stderr == pytest.approx(np.sqrt(13 / 14 * ((without - without.mean()) ** 2).sum()))
    with pytest.raises(
        UsageError, match="`cluster` must be a column of every run; got 'page', and columns without a role"
    ):
        compare(base=tmp_path / "base.csv", new=tmp_path / "new.csv", cluster="page")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["=old.csv", "new=new.csv"], "every run must have a name; got '', 'new'. Write `base=old/ new=new/`."),
        (
            ["base=old.csv", "new=new.csv", "-o", "out.txt"],
            "the ending of the path must be one of .json, .md, .html, .csv; got 'out.txt'.",
        ),
        (
            ["base=old.csv", "new=new.csv", "--metric", "f1"],
            "`--metric` must be one that all runs have, and these name none; got 'f1'. Leave it out.",
        ),
        (
            ["base=old.csv", "new=new.csv", "--cost", "tokens"],
            "`--cost` must name a column; 'tokens' is none of 'item', 'score'.",
        ),
        (
            ["base=old.csv", "new=new.csv", "--labels", "x=a"],
            "`--labels` say what outcomes and places mean; scores have none. Leave them out.",
        ),
    ],
)
def test_wrong_words_are_refused_by_the_name_that_they_have_on_the_command_line(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text("item,score\nq1,1\nq2,0\nq3,1\n")
    done = CliRunner().invoke(app, ["compare", *words])
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == message
