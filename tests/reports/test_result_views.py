"""Views of results: facts first, one line an agent, and no name that acts, on a terminal and as Markdown."""

import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import beatpath as bp
from beatpath.inference.resolve.long_board import LongBoard, ranks_by_intervals
from beatpath.methods.registry import METHODS
from beatpath.reports import result_views as v
from beatpath.reports.terminal import Terminal
from beatpath.reports.view import Column, Table, View, escaped, html, markdown
from helpers.judged import judged_battles
from helpers.printing import printed

HOSTILE = "<script>|*x*[bold]"
CYCLE = [("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)]
CORE = CYCLE * 5 + [("ada", "dan", 1), ("bob", "dan", 1)] * 5
THREE = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])


def at_width(view, width=120):
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(Terminal(view))
    return out.getvalue()


def test_every_finding_of_a_check_has_a_line_and_failures_come_first():
    report = bp.check(bp.Battles.of([(HOSTILE, "bob", 1)]))
    text = printed(Terminal(v.check_view(report)))
    lines = [line for line in text.splitlines() if line.startswith(("failed", "warning"))]
    status = [row["status"] for row in report.rows()]
    assert len(report.rows()) == len(report.findings)
    assert status == sorted(status, key=["failed", "warning", "passed", "not run"].index)
    assert len(lines) == sum(one in ("failed", "warning") for one in status)


def test_signs_of_markdown_are_escaped_and_every_other_letter_stays():
    assert escaped("plain text, 3 %") == "plain text, 3 %"
    assert escaped("a|b<c>") == r"a\|b\<c\>"
    assert "<script>" not in markdown(v.check_view(bp.check(bp.Battles.of([(HOSTILE, "bob", 1)]))))


def test_hostile_names_are_shown_as_they_are_and_escaped_in_markdown():
    resolution = bp.resolve(bp.Pairs(("a|[b]", "c"), [0], [1], [[60, 20, 5, 0]]), anytime=True)
    assert "a|[b]" in at_width(v.board_view(resolution, [resolution.test("a|[b] > c")]))
    text = markdown(v.board_view(resolution))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[2].startswith("| 1 | a\\|")  # tier, name


@pytest.fixture(scope="module")
def by_context():
    keys = {"task": bp.Factor.of(["x\x1b[31m|y", "z"])}
    pairs = bp.Pairs(("a|b", "<c>\x1b"), [0, 0], [1, 1], [[30, 10, 0, 0], [10, 30, 0, 0]], keys=keys)
    return bp.resolve(pairs, by="task")


def test_the_table_of_contexts_shows_the_mixture_and_every_context(by_context):
    text = at_width(v.board_view(by_context, [by_context.test("a|b > <c>\x1b in z")]))
    assert "is shown to be false" in text
    best = by_context.contexts["z"].score[1]
    assert 0.5 < best < 0.75  # the observed rate, shrunk toward the half that both contexts give
    assert f"{100 * best:.0f} (" in text
    assert "50.0 ±" in text
    assert "\x1b" not in text


def test_no_name_of_a_context_breaks_the_markdown(by_context):
    text = markdown(v.board_view(by_context))
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) == 8
    assert "\x1b" not in text
    assert "<c>" not in text


def test_sentences_come_before_the_table_of_a_core_and_the_witness_after_the_notes():
    core_result = bp.core(bp.Battles.of(CORE))
    text = printed(Terminal(v.core_view(core_result, "dan")))
    assert text.startswith(core_result.sentences[0][:40])
    why = " ".join(core_result.witness("dan")[0].sentence.split())
    flat = " ".join(text.split())
    assert flat.index(why) < flat.index("agent core rate cycle set")


def test_markdown_of_a_core_has_one_row_an_agent_and_what_the_columns_are():
    text = markdown(v.core_view(bp.core(bp.Battles.of(CORE))))
    assert sum(line.startswith(("| ada", "| bob", "| cyd", "| dan")) for line in text.splitlines()) == 4
    assert "smooth membership in the top cycle, 0 to 1" in text


def test_cores_have_a_line_a_context_and_their_most_probable_core():
    task = bp.Factor.of(["circle"] * 15 + ["rest"] * 10)
    view = v.cores_view(bp.core_by(bp.Battles.of(CORE, factors={"task": task}), "task"))
    for text in (printed(Terminal(view)), markdown(view)):
        assert "circle" in text
        assert "rest" in text


NAMES = ("a|da", "<b>bob", "cyd\x1b[31m")
OLD = bp.Pairs(NAMES, [0, 0, 1], [1, 2, 2], [[90, 10, 0, 0], [95, 5, 0, 0], [80, 20, 0, 0]])
NEW = bp.Pairs(NAMES, [0, 0, 1], [1, 2, 2], [[10, 90, 0, 0], [95, 5, 0, 0], [99, 1, 0, 0]])


def test_words_of_a_diff_come_first_then_who_moved_then_the_pairs():
    text = printed(Terminal(v.diff_view(bp.diff(OLD, NEW, claims=["a|da is first"]))))
    assert text.startswith("'a|da is first' is lost")
    assert text.index("certainly rose") < text.index("change  ") < text.index("Reversed: ")
    assert "\x1b" not in text


def test_markdown_of_a_diff_escapes_names_and_leaves_out_what_did_not_change():
    text = markdown(v.diff_view(bp.diff(OLD, NEW)))
    assert "<b>" not in text
    assert "| rose |" in text
    assert "cyd" not in text.split("| change")[1].split("**")[0]


def test_a_diff_without_a_change_has_no_table():
    assert "| change" not in markdown(v.diff_view(bp.diff(OLD, OLD)))


@pytest.fixture(scope="module")
def judges():
    return bp.judges(judged_battles(np.random.default_rng(0), agents=5, judges=25, each=30))


def test_judges_have_sentences_and_a_row_each(judges):
    text = at_width(v.judges_view(judges))
    assert " ".join(judges.sentences[0].split()) in " ".join(text.split())
    assert "000000" in text
    assert "… 5 more: --all" in text
    assert len(judges.rows()) == markdown(v.judges_view(judges)).count("\n| 0000") == 25


def long_board(n):
    score = np.linspace(0.9, 0.1, n)
    names = ("\x1b[31mred|", *(f"m{i}" for i in range(1, n)))
    settings = {"cluster": [], "estimand": "mean_win_rate"}
    zero = np.zeros(n, dtype=np.int64)
    ranks = ranks_by_intervals(
        agents=names,
        score=score,
        stderr=np.full(n, 0.01),
        df=np.full(n, 100.0),
        part=zero,
        level=0.95,
        bounds=(0.0, 1.0),
        estimand="share",
        settings=settings,
    )
    return LongBoard(ranks, zero + 9)


def test_the_first_agents_of_a_long_board_are_shown_and_the_way_to_the_rest():
    text = at_width(v.board_view(long_board(100)), 400)
    assert "\x1b[31mred" not in text
    assert "90.0 ± 2.1 %" in text
    assert "m19" in text
    assert "m20 " not in text
    assert "--format csv or json lists all 100 agents" in text


def test_markdown_of_a_long_board_escapes_names_and_has_a_row_an_agent():
    text = markdown(v.board_view(long_board(3)))
    assert text.count("\n| ") == 5
    assert "red\\|" in text


def test_rows_of_a_comparison_hold_every_method_and_agent():
    rows = v.comparison_rows(bp.compare_methods(bp.Battles.of(CYCLE), ["copeland", "schulze"]))
    assert {(row["method"], row["agent"]) for row in rows} == {
        (method, agent) for method in ("copeland", "schulze") for agent in ("ada", "bob", "cyd")
    }
    assert {row["rank"] for row in rows} == {1}


def test_a_comparison_has_a_column_a_method_and_a_ranking_its_scores():
    several = v.comparison_view(bp.compare_methods(bp.Battles.of(CYCLE), ["copeland", "schulze"]))
    assert "| agent | copeland | schulze |" in markdown(several)
    alone = bp.compare_methods(bp.Battles.of(CORE), ["split_cycle"])
    assert markdown(v.comparison_view(alone)).splitlines()[-1].endswith("| - |")  # which has no scores


def test_every_method_has_a_row_with_a_sentence():
    rows = bp.methods().rows()
    assert [row["method"] for row in rows] == list(METHODS)
    assert all(row["what it does"] and row["takes"] for row in rows)


def test_a_claim_is_answered_before_the_verdict():
    resolution = bp.resolve(THREE)
    text = printed(Terminal(v.board_view(resolution, [resolution.test("ada > cyd")])))
    assert text.startswith("'ada > cyd' is supported")
    assert text.index("is supported") < text.index(resolution.sentences[0])


def test_a_short_view_says_why_ranks_are_wider_than_first_place_where_they_are():
    counts = bp.Pairs(("ada", "bob", "cyd", "dan"), *np.triu_indices(4, 1), [[58, 42, 0, 0]] * 3 + [[50, 50, 0, 0]] * 3)
    resolution = bp.resolve(counts)
    assert resolution.ranks.certainly_top(1) == ("ada",)
    assert resolution.ranks.worst[0] > 1
    assert v.FIRST_NOTE in v.board_view(resolution).facts
    assert v.FIRST_NOTE not in v.board_view(bp.resolve(THREE)).facts


def test_agents_with_little_data_come_last_and_have_no_tier():
    names = ("ada", "bob", "cyd", "dan", "eve")
    a, b = np.triu_indices(5, 1)
    counts = np.where((b == 4)[:, None], [3, 3, 0, 0], [[1280, 320, 0, 0]])
    text = markdown(v.board_view(bp.resolve(bp.Pairs(names, a, b, counts))))
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert [row.split(" | ")[0] for row in rows] == ["| 1", "| 2", "| 3", "| 4", "| ?"]
    assert "eve" in rows[-1]


def test_tables_of_scores_count_tasks_and_not_comparisons():
    rng = np.random.default_rng(0)
    table = rng.normal([[0], [1], [2]], 1, (3, 12))
    resolution = bp.resolve(bp.Scores.from_table(table, ["ada", "bob", "cyd"], [f"t{k}" for k in range(12)]))
    assert resolution.battles.tolist() == [12, 12, 12]
    assert "| ranks | tasks |" in markdown(v.board_view(resolution))


def test_the_board_has_every_agent_best_first():
    text = markdown(v.board_view(bp.resolve(THREE)))
    assert text.index("| ada") < text.index("| bob") < text.index("| cyd")


TIERED = bp.Pairs(("ada", "b\x1b[31mob", "cyd"), [0, 0, 1], [1, 2, 2], [[80, 20, 0, 0], [95, 5, 0, 0], [52, 48, 0, 0]])


@pytest.mark.parametrize(("scheme", "word"), [("top", "tier 1"), ("letters", "letter a"), ("cuts", "group 1")])
def test_every_scheme_calls_its_steps_by_its_own_word(scheme, word):
    lines = v.tier_lines(bp.tiers(bp.resolve(TIERED), scheme))
    assert f"{word}: ada" in lines
    assert "\x1b" not in "".join(lines)


def test_a_tier_of_many_is_cut_with_a_word():
    n = 60
    i, j = np.triu_indices(n, 1)
    even = bp.Pairs(tuple(f"agent{k}" for k in range(n)), i, j, np.full((len(i), 4), [3, 3, 0, 0]))
    assert v.tier_lines(bp.tiers(bp.resolve(even)))[-1].endswith("and 20 more")


def test_a_notebook_shows_the_headline_the_top_rows_with_bars_and_the_rest_on_demand():
    from beatpath.reports.view import Column, Table, View, html

    rows = [(f"<agent {k}>", k) for k in range(1, 31)]
    columns = [
        Column("agent", lambda row: row[0]),
        Column("ranks", lambda row: f"{row[1]}", bar=lambda row: (row[1],) * 3),
    ]
    text = html(View("Nobody is first.", ["one", "two", "three", "four"], [Table(columns, rows)]))
    assert text.startswith('<p style="font-size:1.15em"><strong>Nobody is first.</strong></p><details><summary>Why')
    assert text.count("<svg") == text.count("&lt;agent") == 30
    assert "<agent" not in text
    assert text.index("&lt;agent 15&gt;") < text.index("<summary>15 more</summary>") < text.index("&lt;agent 16&gt;")
    assert 'aria-label="ranks 30 to 30 of 30"' in text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("'A vs. B' wins. More follows.", "'A vs. B' wins."),
        ("It won 0.5. Then (as 'Dr. No') it lost.", "It won 0.5."),
        (
            "Krippendorff's alpha is 0.22. 'x. Y' and 'z' differ.",
            "Krippendorff's alpha is 0.22. 'x. Y' and 'z' differ.",
        ),
        ("no period", "no period"),
        ("", ""),
    ],
)
def test_a_first_sentence_ends_before_a_capital_and_not_inside_a_name(text, first):
    assert v.FIRST_SENTENCE.match(text)[0] == first


def test_a_report_of_scores_counts_what_the_board_counts():
    rng = np.random.default_rng(3)
    table = (rng.random((3, 60)) < np.array([[0.9], [0.6], [0.3]])).astype(float)
    scores = bp.Scores.from_table(table, ["ada", "bob", "cyd"], [f"t{k}" for k in range(60)])
    report = bp.report(scores)
    assert report.unit == bp.resolve(scores).unit == "task"
    assert [row.battles for row in report.board] == [60, 60, 60]
    assert "| tasks |" in report.to_markdown()


def test_cells_with_sentences_wrap_in_a_notebook_and_numbers_do_not():
    text = html(View("", [], [Table([Column("score", str), Column("flags", lambda row: "word " * row)], [3, 30])]))
    assert [("nowrap" in style) for style in re.findall('<td style="([^"]*)"', text)] == [True, False] * 2


def test_a_notebook_marks_names_of_a_headline_by_bold_type_and_starts_bars_at_one_place():
    text = bp.resolve(THREE)._repr_html_()
    assert "<strong>ada</strong> is certainly first" in text
    assert text.count('"><svg style') == 3


def test_agents_that_are_not_placed_do_not_make_the_wide_margins_of_others_usual():
    def row(agent, battles, margin):
        placed = margin is not None
        ends = (0.5 - margin, 0.5 + margin) if placed else (None, None)
        return {"agent": agent, "battles": battles, "score": 0.5, "low": ends[0], "high": ends[1], "placed": placed}

    rows = [row("a", 90, 0.01), row("b", 90, 0.01), row("c", 2, 0.4), row("d", 0, None), row("e", 0, None)]
    rows.append(row("f", 90, 0.01))
    resolution = SimpleNamespace(ranks=SimpleNamespace(top=lambda _: ["a"]), rows=lambda: rows)
    assert v.with_little_data(resolution) == {"c", "d", "e"}


@pytest.mark.parametrize(("method", "decimals"), [("bradley_terry", 3), ("elo", 1), ("copeland", 0)])
def test_scores_of_a_method_have_one_number_of_decimals(method, decimals):
    rows = v.ranking_view(bp.rank(bp.example(), method)).tables[0].cells()
    assert {len(row[2].partition(".")[2]) for row in rows} == {decimals}


def test_a_comparison_of_runs_is_one_line_in_a_session_and_names_its_runs_in_bold():
    old, new = (
        bp.Scores.from_table([[i % 3 > k for i in range(60)]], ["m"], [f"q{i}" for i in range(60)]) for k in (1, 0)
    )
    compared = bp.compare(old, new)
    assert repr(compared) == f"<RunComparison: {compared.answer}>"
    assert "<strong>new</strong> is better than <strong>base</strong>" in compared._repr_html_()
    assert "<code>matrix=&quot;raw&quot;</code>" in bp.check(bp.example())._repr_html_()


def test_in_a_notebook_bars_stand_beside_their_ranks_and_long_cells_are_wide_enough_to_read():
    board, judged = bp.resolve(bp.example())._repr_html_(), bp.judges(bp.example())._repr_html_()
    assert board.count('<svg style="display:inline"') == board.count("<svg") > 20
    assert re.search(r'<td style="[^"]*text-align:left;min-width:min\(16em,40vw\)">takes the side shown first', judged)


def test_a_core_of_all_agents_singles_nobody_out():
    core = SimpleNamespace(agents=("ada", "bob"))
    assert v._members(core, ("ada", "bob")) == "no agent singled out"
    assert v._members(core, ("ada",)) == "'ada'"
    assert v._members(SimpleNamespace(agents=("ada",)), ("ada",)) == "'ada'"


def test_ranks_among_agents_of_both_boards_are_shown_where_some_agent_has_them():
    some = bp.Pairs((*NAMES[:2], "new"), [0, 0, 1], [1, 2, 2], [[10, 90, 0, 0], [95, 5, 0, 0], [99, 1, 0, 0]])
    rows = bp.diff(OLD, some).rows()
    assert {bool(row["new_best_of_both"]) for row in rows if row["change"] != "open"} == {True, False}
    assert "ranks of both" in markdown(v.diff_view(bp.diff(OLD, some)))


@pytest.mark.parametrize(("factor", "is_drawn"), [(1, True), (5, False)])
def test_intervals_of_several_metrics_are_drawn_on_one_scale_only_where_all_are_shares(factor, is_drawn):
    rng, runs = np.random.default_rng(0), {}
    for run in ("old", "new"):
        value, metrics = rng.random((12, 2)) * [1, factor], bp.Factor.of(["exact", "f1"] * 12)
        items = bp.Factor.of(f"q{i // 2}" for i in range(24))
        runs[run] = bp.Scores(("m",), [0] * 24, value.ravel(), {"item": items, "metric": metrics})
    table = v._difference_table(bp.compare(runs))
    assert table.columns[-1].strip is is_drawn
