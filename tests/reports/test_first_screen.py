"""The first screen of a report: what it says is what the results hold."""

import re
from itertools import combinations

import numpy as np
import pytest

import beatpath as bp
from beatpath._sentence import plain_text
from beatpath.reports.first_screen import claims, subtitle, tiles, trust_line
from beatpath.reports.result_views import board_view
from beatpath.reports.words import board_note, board_table, core_sentences, findings

CLEAR = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 20, 3, 2]])
EVEN = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[5, 5, 0, 0]] * 3)
APART = bp.Pairs(("ada", "bob", "cyd", "dan"), [0, 2], [1, 3], [[70, 30, 0, 0], [75, 20, 3, 2]])


@pytest.fixture(scope="module")
def example():
    return bp.report(bp.example())


def test_tiles_show_the_figures_of_the_results(example):
    resolution = bp.resolve(bp.example())
    shown = {tile.label: tile.value for tile in tiles(example)}
    assert shown["may be first"] == f"{len(resolution.ranks.top(1))} of 30"
    assert shown["pairs in a certain order"] == f"{resolution.resolved_pairs} of {resolution.pairs}"
    warned = len(bp.check(bp.example()).having("warning"))
    assert shown[f"of {len(example.check.findings)} checks"] == f"{warned} warnings"


@pytest.mark.parametrize("evidence", [bp.example(), CLEAR, EVEN])
def test_a_claim_shown_as_supported_is_supported_by_a_simultaneous_test(evidence):
    resolution = bp.resolve(evidence)
    for line in claims(bp.report(evidence)):
        text = (
            plain_text(line.parts)
            .replace("'", "")
            .rstrip(".")
            .replace(" is above ", " > ")
            .replace("the best", "first")
        )
        if "head to head" in text:
            edges = {(one.winner, one.loser) for cycle in resolution.cycles.surviving for one in cycle.edges}
            named = text.removesuffix(" head to head").replace(" and ", ", ").split(", ")
            assert {tuple(step.split(" beats ")) for step in named} <= edges
        elif text.endswith("is first") and line.supported:
            assert resolution.test(text).supported
        else:
            assert resolution.test(text, simultaneous=True).supported == line.supported


def test_the_subtitle_counts_everybody_once(example):
    text = plain_text(subtitle(example))
    assert text.startswith("'basalt' has the highest mean win rate (76.0 %); 'aurora' (75.6 %) and 'cinder' (74.4 %)")
    assert text.endswith("may be first as well. The other 27 are certainly not.")
    assert plain_text(subtitle(bp.report(EVEN))) == "'ada', 'bob' and 'cyd' score 50.0 %."
    near = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[52, 48, 0, 0], [90, 10, 0, 0], [90, 10, 0, 0]])
    assert plain_text(subtitle(bp.report(near))).endswith("may be first as well. The other one is certainly not.")


def test_of_two_agents_the_second_is_next_and_the_first_is_claimed_to_be_first():
    report = bp.report(bp.Pairs(("ada", "bob"), [0], [1], [[90, 10, 0, 0]]))
    assert "; next is 'bob' (" in plain_text(subtitle(report))
    assert [(plain_text(line.parts), line.supported) for line in claims(report)] == [("'ada' is first.", True)]


def test_agents_left_out_of_the_board_are_counted_below_it_and_named_without_quotation_marks():
    """Two of seven have one battle each: everyone who was read is on the board or in the count."""
    rows = [(x, y, float(k < 18)) for x, y in combinations("abcde", 2) for k in range(30)]
    report = bp.report(bp.Battles.of([*rows, ("a", "few", 1.0), ("b", "rare", 1.0)]))
    assert "2 more agents have too little data to be placed." in board_note(report)
    assert len(report.board) + 2 == 7
    facts = board_view(report.resolution).facts
    assert any(fact.endswith("2 more agents have too little data to be placed") for fact in facts)
    assert "&#39;few&#39;" not in report.html()


def test_a_table_of_scores_speaks_of_its_tasks_and_has_one_number_of_decimals():
    table = np.random.default_rng(0).normal([[20.0], [15.0], [7.0], [3.0]], 9.0, (4, 24))
    report = bp.report(bp.Scores.from_table(table, ["ada", "bob", "cyd", "dan"], [f"t{i:02}" for i in range(24)]))
    text = report.html()
    assert "Percentage of tasks that the row" in text
    assert "of 24 tasks against" in text
    cells = [row[2] for row in board_table(report).cells()]
    assert all(re.fullmatch(r"-?\d+\.\d ± \d+\.\d", cell) for cell in cells)


def test_no_sentence_of_the_core_repeats_the_title_of_its_picture():
    for evidence in (CLEAR, bp.example()):
        report = bp.report(evidence)
        assert findings(report)["majorities"] not in core_sentences(report)


def test_agents_that_are_not_compared_have_no_first_and_no_claims():
    report = bp.report(APART)
    assert tiles(report)[0][:2] == ("2 groups", "never compared with each other")
    assert claims(report) == []
    assert "connected" in trust_line(report)


def test_without_counts_there_is_no_figure_but_a_warning():
    report = bp.report(bp.WinRates(np.array([[0.5, 0.6], [0.4, 0.5]]), ("ada", "bob")))
    assert [tile.section for tile in tiles(report)] == ["trust"]
    assert trust_line(report) == "Not the order: the data do not show its uncertainty."


def test_every_figure_but_the_board_has_a_finding(example):
    assert set(example.figures()) - {"rank_intervals"} <= set(findings(example))
    assert findings(bp.report(CLEAR))["cliques"] == "Every two agents are separated."


def test_a_rank_set_that_reaches_first_place_is_explained_where_first_place_is_ruled_out():
    for seed in range(40):
        random = np.random.default_rng(seed)
        strength = np.array([0.9, 0.45, 0.3, 0.0, -0.2, -0.4])
        a, b = np.triu_indices(6, 1)
        won = random.binomial(60, 1 / (1 + np.exp(strength[b] - strength[a])))
        report = bp.report(
            bp.Pairs(tuple("abcdef"), a, b, np.column_stack([won, 60 - won, 0 * won, 0 * won])), methods=["copeland"]
        )
        ranks = report.resolution.ranks
        apart = [
            name for name, best in zip(ranks.agents, ranks.best, strict=True) if best == 1 and name not in ranks.top(1)
        ]
        assert ("First place has its own test" in board_note(report)) == bool(apart)
        if apart:
            return
    raise AssertionError("no data set in which the two differ")


def test_no_tile_separates_the_first_two_where_the_first_is_certain():
    a, b = np.triu_indices(8, 1)
    ahead = bp.Pairs(tuple("abcdefgh"), a, b, [[24, 16, 0, 0] if i == 0 else [20, 20, 0, 0] for i in a])
    report = bp.report(ahead)
    assert not report.plan.leaders.certain
    assert not [tile for tile in tiles(report) if "separate" in tile.label]


def test_the_highest_score_of_a_few_battles_does_not_lead_the_title():
    a, b = np.triu_indices(13, 1)
    few = [[2, 0, 0, 0] if j < 4 else [1, 1, 0, 0] for j in b]  # thin wins 15 of 24, the others play 1,100 and more
    counts = [few[k] if a[k] == 0 else [53, 47, 0, 0] for k in range(len(a))]
    report = bp.report(bp.Pairs(("thin", *"abcdefghijkl"), a, b, counts))
    assert report.board[0].agent == "thin"
    assert report.answer.text == "No agent stands out: 12 of 13 may be first by mean win rate (95 %)."
    assert plain_text(subtitle(report)).startswith("'thin' has the highest mean win rate (62.0 % in only 24 battles);")
    assert [line.parts[0] for line in claims(report)] == ["a"]


def test_the_page_lists_agents_with_little_data_last_as_the_terminal_does(example):
    from beatpath.reports.result_views import LITTLE, board_view
    from beatpath.reports.words import board_table

    in_terminal = [(row[0], row[1]) for row in board_view(example.resolution).tables[0].cells()]
    assert [(row[0], row[1]) for row in board_table(example).cells()] == in_terminal
    assert in_terminal[-1][0] == LITTLE


def test_a_bar_is_dark_exactly_where_an_agent_may_be_first():
    counts = bp.Pairs(("ada", "bob", "cyd", "dan"), *np.triu_indices(4, 1), [[58, 42, 0, 0]] * 3 + [[50, 50, 0, 0]] * 3)
    report = bp.report(counts)
    assert report.resolution.ranks.best.tolist().count(1) > 1
    assert [row.agent for row in report.board if row.may_be_first] == ["ada"]
    assert report.html().count('<rect class="top"') == 1


def test_what_limits_the_conclusions_is_on_the_first_screen(example):
    line = trust_line(example)
    assert line.startswith("With care. For other tasks like these 4, ")
    assert all(warning in line for warning in example.resolution.warnings)


def test_battles_with_the_same_judges_do_not_separate_agents_where_the_board_is_about_other_judges():
    random = np.random.default_rng(3)
    judge = np.tile(np.arange(4), 300)
    won = random.random(1200) < np.array([0.75, 0.4, 0.55, 0.5])[judge]
    factors = {"judge": bp.Factor.of([f"j{k}" for k in judge])}
    report = bp.report(bp.Battles.of([("ada", "bob", float(one)) for one in won], factors=factors))
    assert report.resolution.panel.fixed
    assert report.plan.beyond == " with other judges"
    assert "with other judges" in report.plan.sentences[-1]
    fixed = bp.report(bp.Battles.of([("ada", "bob", float(one)) for one in won]))
    assert fixed.plan.beyond == ""
    assert "judges" not in " ".join(fixed.plan.sentences)


def test_one_first_agent_is_not_also_claimed_to_be_in_the_top_two():
    rng = np.random.default_rng(0)
    power = {"ada": 3.0, "bob": 0.1, "cyd": 0.0, "dan": 0.0, "eve": -0.1}
    rows = [
        (a, b, float(rng.random() < 1 / (1 + np.exp(power[b] - power[a]))))
        for a, b in combinations(power, 2)
        for _ in range(60)
    ]
    said = [plain_text(one.parts) for one in claims(bp.report(bp.Battles.of(rows))) if one.supported]
    assert "'ada' is first." in said
    assert not any("top" in one for one in said)
