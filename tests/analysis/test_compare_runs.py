"""Comparing runs: what is paired, what is claimed, what is refused, and the sentence as a reader sees it."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import beatpath as bp
from beatpath import DataError, Factor, Scores, UsageError
from beatpath.analysis.compare_runs import compare
from beatpath.cli.main import app
from beatpath.reports.view import markdown_table
from beatpath.stats.paired import paired_means, ratio_of_means


def run(*words):
    return CliRunner().invoke(app, list(words))


def outcomes(both, only_new, only_base, neither):
    """Two runs of right and wrong items with these counts."""
    base = [1] * both + [0] * only_new + [1] * only_base + [0] * neither
    new = [1] * both + [1] * only_new + [0] * only_base + [0] * neither
    items = [f"q{i}" for i in range(len(base))]
    return {name: Scores.from_table([x], ["model"], items) for name, x in (("base", base), ("new", new))}


def noisy(seed, n=80, shift=0.0, samples=1):
    rng = np.random.default_rng(seed)
    ease = np.random.default_rng(99).normal(size=n)
    value = ease[:, None] + shift + rng.normal(size=(n, samples))
    item = np.repeat([f"q{i}" for i in range(n)], samples)
    factors = {"item": item, "task": np.array(["even", "odd"])[np.repeat(np.arange(n) % 2, samples)]}
    if samples > 1:
        factors["replicate"] = np.tile([f"s{k}" for k in range(samples)], n)
    return Scores(("model",), np.zeros(n * samples, int), value.ravel(), {k: Factor.of(v) for k, v in factors.items()})


def test_the_sentence_has_the_difference_its_interval_and_the_counts():
    result = compare(outcomes(81, 19, 5, 15))
    assert result.answer == "'new' is better than 'base': +11.7 points (95 % CI +3.7 to +19.6), 120 items, paired."
    assert result.sentences[1] == (
        "both right 81 · only new 19 · only base 5 · both wrong 15 · p = 0.0066 (exact McNemar)"
    )


def test_runs_without_a_common_item_are_not_paired_and_it_says_so():
    runs = outcomes(30, 20, 10, 20)
    runs["new"] = Scores.from_table([[1, 0] * 40], ["model"], [f"other {i}" for i in range(80)])
    result = compare(runs).comparisons[0]
    assert not result.paired
    assert "not paired" in result.headline
    assert result.result.test == "Fisher's exact"


def test_graded_items_that_do_not_change_leave_an_interval_and_show_no_equivalence():
    scores = Scores.from_table([np.linspace(0, 1, 60)], ["model"], [f"q{i}" for i in range(60)])
    result = compare(base=scores, new=scores, claims=["new within 1 point of base", "new within 5 points of base"])
    assert result.answer.startswith(
        "No significant difference between 'new' and 'base': +0.0 points (95 % CI -4.9 to +4.9)"
    )
    assert [one.supported for one in result.claims] == [False, True]


def test_metrics_and_runs_are_one_family():
    one = compare(outcomes(81, 19, 5, 15)).comparisons[0].result
    three = outcomes(81, 19, 5, 15)
    two = compare({**three, "other": three["base"]}).comparisons[0].result
    assert two.p_value == pytest.approx(2 * one.p_value)
    assert two.low < one.low
    assert two.high > one.high


def test_samples_of_an_item_are_averaged_and_more_of_them_are_weighed_against_more_items():
    result = compare({"base": noisy(1, samples=4), "new": noisy(2, samples=4, shift=0.1)}).comparisons[0]
    assert result.items == 80
    assert result.result.stderr == pytest.approx(np.sqrt(2 / 4 / 80), rel=0.2)
    assert result.more_samples is not None
    clear = compare({"base": noisy(1, samples=4), "new": noisy(2, samples=4, shift=0.5)}).comparisons[0]
    assert clear.more_samples == pytest.approx(clear.more_items, rel=0.2)  # only samples vary, and both runs' do


def test_lower_is_better_turns_the_sign_and_what_counts_as_better():
    runs = {"base": noisy(1), "new": noisy(2, shift=2.0)}

    def comparison(**directions):
        tables = {name: Scores(one.agents, one.agent, one.value, one.factors, directions) for name, one in runs.items()}
        return compare(tables).comparisons[0]

    higher, lower = comparison(), comparison(even=False, odd=False)
    assert higher.result.estimate == pytest.approx(-lower.result.estimate)
    assert higher.result.estimate > 0
    assert (higher.row()["better"], higher.row()["worse"]) == (lower.row()["worse"], lower.row()["better"])
    assert higher.row()["better"] > 60
    with pytest.raises(DataError, match="these tasks differ"):
        comparison(even=False)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("new > base", "supported"),
        ("base > new", "shown to be false"),
        ("new > base by 3 points", "supported"),
        ("new > base by 10 points", "not shown"),
        ("new > base by 25 points", "shown to be false"),
        ("new at most 1 point below base", "supported"),
        ("base at most 1 point below new", "shown to be false"),
        ("new within 2 points of base", "shown to be false"),
        ("new within 30 points of base", "supported"),
        ("new within 12 points of base", "not shown"),
        ("new is first", "supported"),
        ("new in top 2", "supported"),
        ("base first", "shown to be false"),
        ("new > base and new within 30 points of base", "supported"),
        ("new > base and new within 12 points of base", "not shown"),
        ("new within 12 points of base and base > new", "shown to be false"),
    ],
)
def test_claims_are_supported_not_shown_or_shown_to_be_false(claim, verdict):
    result = compare(outcomes(81, 19, 5, 15)).test(claim)
    assert result.verdict == verdict
    assert bool(result) == (verdict == "supported")


def test_equivalence_holds_at_its_level_where_runs_differ_by_the_margin():
    """Two one-sided tests of 5 % at the edge of the margin: false equivalence in about 5 % of worlds."""
    false = sum(
        bool(compare({"base": noisy(2 * k), "new": noisy(2 * k + 1, shift=0.5)}).test("new within 0.5 of base"))
        for k in range(300)
    )
    assert false / 300 < 0.09


def test_by_task_p_values_are_holm():
    result = compare({"base": noisy(5), "new": noisy(6, shift=0.4)}).comparisons[0]
    assert [row["task"] for row in result.by_task] in (["even", "odd"], ["odd", "even"])
    assert sum(row["items"] for row in result.by_task) == result.items


def test_two_runs_without_names_are_base_and_new():
    runs = outcomes(5, 5, 5, 5)
    assert compare(runs["base"], runs["new"]).answer == compare(base=runs["base"], new=runs["new"]).answer


def test_bad_runs_and_claims_get_a_sentence():
    runs = outcomes(5, 5, 5, 5)
    with pytest.raises(UsageError, match="`compare_methods"):
        compare(runs["base"], ["elo"])
    with pytest.raises(UsageError, match="two runs or more"):
        compare({"base": runs["base"]})
    with pytest.raises(UsageError, match="a claim must read"):
        compare(runs, claims=["new beats base"])
    many = Scores.from_table([[1, 0], [0, 1]], ["a", "b"], ["x", "y"])
    with pytest.raises(DataError, match="must hold one agent each, or agents of the same names; 'new' holds 2 agents"):
        compare({"base": runs["base"], "new": many})
    with pytest.raises(UsageError, match="`metric` must be one that all runs have"):
        compare(runs, metric="f1")


def test_agents_of_the_same_names_are_compared_one_by_one():
    both = [Scores.from_table([[1, 0, 1, 0], [0, 0, 1, k]], ["a", "b"], ["w", "x", "y", "z"]) for k in (0, 1)]
    result = compare({"base": both[0], "new": both[1]})
    assert [(one.metric, one.result.estimate) for one in result.comparisons] == [("a", 0.0), ("b", 0.25)]


def test_claims_about_runs_that_are_not_the_base_and_about_places_take_all_runs():
    runs = outcomes(81, 19, 5, 15) | {"other": outcomes(81, 19, 5, 15)["base"]}
    result = compare(runs)
    assert result.test("new > other").verdict == "supported"
    assert result.test("new first").verdict == "supported"
    assert result.test("other in top 2").verdict == "not shown"
    assert result.test("base first").verdict == "shown to be false"
    assert "simultaneous over 2 comparisons" in result.test("new > other").condition


def test_equivalence_of_a_family_takes_the_corrected_level():
    """Four comparisons: each one-sided test at 5 % / 4, the interval of level 97.5 %."""
    runs = {"base": noisy(1), **{f"new{k}": noisy(k + 2, shift=0.1) for k in range(4)}}
    low, high = compare(runs).test("new1 within 0.5 of base").interval
    expected = paired_means(runs["new1"].value - runs["base"].value, 0.975)
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_a_margin_of_shares_must_be_in_points():
    with pytest.raises(UsageError, match="must be in points"):
        compare(outcomes(81, 19, 5, 15)).test("new within 2 of base")


def test_a_folder_and_a_table_of_agents_are_runs(tmp_path):
    base, new = [0, 1] * 40, [1, 1, 0, 1] * 20
    csv(tmp_path / "base.csv", base)
    (tmp_path / "a-new").mkdir()
    csv(tmp_path / "a-new" / "items.csv", new)
    expected = compare(base=str(tmp_path / "base.csv"), new=str(tmp_path / "a-new")).comparisons[0].result
    folder = compare(str(tmp_path))
    assert folder.runs == ("base", "a-new")
    assert folder.comparisons[0].result == expected
    table = Scores.from_table([base, new], ["base", "a-new"], [f"q{i}" for i in range(80)])
    assert compare(table).comparisons[0].result == expected
    done = run("compare", str(tmp_path), "--claim", "a-new at most 1 point below base")
    assert done.exit_code == 0
    assert bool(bp.claim(str(tmp_path), "a-new at most 1 point below base"))
    assert bp.claim(table, "base > a-new").verdict == "shown to be false"
    csv(tmp_path / "base.tsv", base)
    with pytest.raises(UsageError, match="'base' stands for"):
        compare(str(tmp_path))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_without_agents_is_one_run(library):
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    build = getattr(pytest.importorskip(library), make)
    ids = [f"q{i}" for i in range(80)]
    frames = {name: build({"id": ids, "correct": x}) for name, x in (("base", [0, 1] * 40), ("new", [1, 1, 0, 1] * 20))}
    assert compare(**frames).comparisons[0].table == (40, 20, 0, 20)


def test_claim_compares_only_the_runs_that_it_names():
    runs = outcomes(81, 19, 5, 15) | {f"old{k}": noisy(k, n=120) for k in range(3)}
    test = bp.claim(runs, "new > base")
    expected = compare(outcomes(81, 19, 5, 15)).comparisons[0].result
    assert test.interval == (expected.low, expected.high)
    assert test.condition == "95 %"
    assert repr(test) == f"<ClaimTest: {test.sentence}>"
    assert test.to_dict()["verdict"] == "supported"


def test_claim_takes_battles_and_results():
    pairs = bp.Pairs(("ada", "bob"), [0], [1], [[70, 30, 0, 0]])
    assert bp.claim(pairs, "ada > bob and ada first")
    resolution = bp.resolve(pairs)
    assert bp.claim(resolution, "bob > ada").verdict == "shown to be false"
    assert bp.claim(compare(outcomes(81, 19, 5, 15)), "new > base")
    with pytest.raises(UsageError, match="options must go to"):
        bp.claim(resolution, "ada > bob", cluster="task")
    with pytest.raises(UsageError, match="got 'eve'"):
        bp.claim(outcomes(81, 19, 5, 15), "eve > base")


def test_averages_alone_are_refused():
    with pytest.raises(DataError, match="Averages alone cannot be compared"):
        compare({name: Scores.from_table([[0.5]], ["m"], ["all"]) for name in ("base", "new")})


def csv(path, values, header="id,correct"):
    path.write_text("\n".join([header, *(f"q{i},{v}" for i, v in enumerate(values))]) + "\n")
    return path


def test_the_verb_reads_two_plain_files_and_ends_with_3_where_a_claim_is_not_supported(tmp_path):
    old, new = csv(tmp_path / "old.csv", [0, 1] * 40), csv(tmp_path / "new.csv", [1, 1, 0, 1] * 20)
    done = run("compare", f"base={old}", f"new={new}", "--claim", "new > base", "--format", "json")
    document = json.loads(done.stdout)
    assert document["schema_version"] == "1"
    assert document["comparisons"][0]["table"] == [40, 20, 0, 20]
    assert done.exit_code == 0
    page = tmp_path / "page.html"
    assert run("compare", f"base={old}", f"new={new}", "--claim", "base > new", "-o", str(page)).exit_code == 3
    assert len(re.findall("<td[^>]*>q", page.read_text())) == 20
    assert isinstance(run("compare", f"x={old}", f"x={new}").exception, UsageError)


def test_costs_are_compared_on_the_shared_items(tmp_path):
    rng = np.random.default_rng(3)
    price = rng.uniform(0.5, 1.5, 40)
    for name, times in (("old", 1.0), ("new", 0.25)):
        rows = [f"q{i},{i % 2},{times * p:.6f}" for i, p in enumerate(price)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,correct,price", *rows]) + "\n")
    runs = {"base": str(tmp_path / "old.csv"), "new": str(tmp_path / "new.csv")}
    (cost,) = compare(runs, cost="price").costs
    assert (cost.ratio, cost.low, cost.high) == pytest.approx((0.25, 0.25, 0.25), abs=1e-4)
    assert cost.sentence == "'new' beside 'base': 75.0 % cheaper by price (95 % CI 75.0 to 75.0 %)."


def test_intervals_of_cost_ratios_cover():
    rng, held = np.random.default_rng(4), 0
    for _ in range(400):
        size = rng.lognormal(sigma=0.7, size=60)
        r = ratio_of_means(0.5 * size * rng.lognormal(-0.08, 0.4, 60), size * rng.lognormal(-0.08, 0.4, 60))
        held += r.low <= np.log(0.5) <= r.high
    assert held / 400 > 0.92


def test_the_table_has_scores_and_intervals_whose_mark_of_zero_is_covered_where_they_contain_it():
    tasks = {"task": Factor.of(["easy"] * 60 + ["hard"] * 60)}
    runs = {
        name: Scores(one.agents, one.agent, one.value, {**one.factors, "item": one.factors["task"], **tasks})
        for name, one in outcomes(81, 19, 5, 15).items()
    }
    (table,) = (one for one in compare(runs).view().tables if one.title.startswith("By task"))
    head, rule, *rows = markdown_table(table)
    ends = [100 * f(row[end] for row in compare(runs).rows()) for f, end in ((min, "low"), (max, "high"))]
    assert head == (
        "| task | items | base | new | difference (points) | interval | p | better | worse | "
        f"{ends[0]:+.1f}..{ends[1]:+.1f} |"
    )
    assert rule.count("---:") == 9
    assert rows[0].startswith("| all | 120 | 71.7 | 83.3 | +11.7 | +3.7 to +19.6 | 0.0066 | 19 | 5 | `──┼─━")
    for row, one in zip(rows, compare(runs).rows(), strict=True):
        assert ("┼" not in row) == (one["low"] <= 0 <= one["high"])
        assert len(row.split("`")[1]) == 21


def test_several_comparisons_are_a_table_with_their_sentences_as_details():
    runs = outcomes(81, 19, 5, 15)
    view = compare({**runs, "other": runs["base"]}).view()
    assert view.headline.startswith("1 better and 0 worse, of 2 comparisons")
    assert [row[0] for row in view.tables[0].cells()] == ["new", "other"]
    assert len(view.made_details().facts) == 6


def test_a_claim_that_is_not_supported_is_the_headline():
    result = compare(outcomes(81, 19, 5, 15), claims=["new > base", "new > base by 10 points"])
    assert result.view().headline.startswith("'new > base by 10 points' is not shown")


@pytest.mark.parametrize(
    ("claims", "counts", "color"),
    [
        ((), (81, 19, 5, 15), "brightgreen"),
        ((), (81, 5, 19, 15), "red"),
        ((), (81, 6, 5, 15), "lightgrey"),
        (("new > base by 3 points",), (81, 19, 5, 15), "brightgreen"),
        (("new > base", "new > base by 10 points"), (81, 19, 5, 15), "yellow"),
        (("base > new",), (81, 19, 5, 15), "red"),
    ],
)
def test_a_badge_has_the_color_of_the_worst_claim_or_of_the_difference(claims, counts, color):
    badge = compare(outcomes(*counts), claims=claims).badge
    assert badge["color"] == color
    assert badge["schemaVersion"] == 1
    if counts == (81, 19, 5, 15):
        assert (badge["label"], badge["message"]) == ("new vs base", "+11.7 points (+3.7 to +19.6)")


def test_a_badge_of_several_runs_counts_them():
    runs = outcomes(81, 19, 5, 15)
    badge = compare({**runs, "other": runs["base"]}).badge
    assert (badge["label"], badge["message"]) == ("runs vs base", "1 better and 0 worse")


def test_the_verb_writes_the_answer_into_files_as_their_endings_say(tmp_path):
    old, new = csv(tmp_path / "old.csv", [0, 1] * 40), csv(tmp_path / "new.csv", [1, 1, 0, 1] * 20)
    files = {ending: tmp_path / f"answer.{ending}" for ending in ("html", "md", "json", "csv")}
    badge = tmp_path / "badge.json"
    words = [word for path in files.values() for word in ("-o", str(path))]
    assert run("compare", f"base={old}", f"new={new}", *words, "--badge", str(badge)).exit_code == 0
    texts = {ending: path.read_text(encoding="utf-8") for ending, path in files.items()}
    assert texts["html"].startswith("<!doctype html>")
    assert texts["md"].startswith("### **new** is better than **base**: +25.0 points")
    assert json.loads(texts["json"])["type"] == "run_comparison"
    assert texts["csv"].startswith("run,base,metric,task,items,")
    assert json.loads(badge.read_text())["label"] == "new vs base"
    wrong = run("compare", f"base={old}", f"new={new}", "-o", str(tmp_path / "answer.txt"))
    assert "must be one of .json, .md, .html, .csv" in str(wrong.exception)


def test_a_name_with_an_at_sign_notifies_nobody():
    runs = outcomes(5, 5, 5, 5)
    assert "@everyone" not in compare({"base": runs["base"], "@everyone": runs["new"]}).to_markdown()
