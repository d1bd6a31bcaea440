"""The verdict of a report: one story of first, head to head, core and methods, the short answer before it."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import Pairs
from beatpath._sentence import RESOLVED
from beatpath.inference.ranking.compare import compare_profile
from beatpath.methods.profile import profile_of


def text(report):
    return " ".join(sentence.text for sentence in report.verdict)


def all_pairs_compared(n):
    return np.triu_indices(n, 1)


@pytest.fixture(scope="module")
def clear():
    """Ada beats bob, bob beats cyd, widely."""
    return bp.report(
        Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[170, 30, 0, 0], [190, 10, 0, 0], [175, 25, 0, 0]])
    )


def test_the_first_of_a_clear_board_is_certain_beats_everyone_and_is_the_core(clear):
    assert clear.answer.text == "'ada' is certainly first of 3 agents by mean win rate (95 %)."
    first = clear.verdict[0]
    assert first.mark == RESOLVED
    assert "'ada' is certainly first: its mean win rate against every other agent, " in first.text
    assert "and it beats every one of them head to head" in first.text
    assert "'ada' alone is most probably the core" in text(clear)
    assert "All 8 methods rank 'ada' first. The methods give every agent the same rank." in text(clear)


def test_resolve_rank_and_report_tell_the_same_story(clear):
    pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[170, 30, 0, 0], [190, 10, 0, 0], [175, 25, 0, 0]])
    resolution = bp.resolve(pairs)
    assert resolution.answer == clear.answer
    assert resolution.verdict == clear.verdict[: len(resolution.verdict)]
    methods = [one.method for one in clear.comparison.rankings]
    assert bp.compare_methods(pairs, methods).answer.text in text(clear)


def test_the_short_answer_is_in_every_output(clear):
    answer = clear.answer.text
    assert clear.to_dict()["answer"]["sentence"] == answer
    assert clear.to_dict()["resolution"]["answer"] == answer
    assert clear.sentences[0] == answer
    assert answer in clear.to_markdown()
    assert " is certainly first of 3 agents by mean win rate (95\u00a0%)." in clear.html()
    assert "is certainly first of 3 agents" in clear._repr_html_()
    assert answer in str(clear)


def test_a_cycle_at_the_top_is_the_answer():
    a, b = all_pairs_compared(3)
    report = bp.report(Pairs(("p", "r", "s"), a, b, [[140, 60, 0, 0], [60, 140, 0, 0], [140, 60, 0, 0]]))
    assert report.answer.text == "No single agent is best: 'p', 'r' and 's' beat each other in a cycle (95 %)."
    assert "'p', 'r' and 's' are also most probably the core" in text(report)


def test_a_winner_head_to_head_that_is_not_first_by_score_is_explained():
    """Wide beats the weak by far and loses narrowly to close, who beats everybody narrowly."""
    names = ("close", "wide", "x", "y", "z")
    rate = np.full((5, 5), 0.5)
    rate[0, 1:], rate[1, 2:] = 0.56, 0.93
    a, b = all_pairs_compared(5)
    wins = (2000 * rate[a, b]).round()
    report = bp.report(Pairs(names, a, b, np.stack([wins, 2000 - wins, 0 * wins, 0 * wins], axis=1)))
    assert report.answer.text.startswith("'wide' is certainly first")
    assert "'close', and not 'wide', beats every other agent head to head" in text(report)
    assert "because the mean also counts by how much an agent wins" in text(report)
    assert "counts who beats whom, not by how much" not in text(report)  # reported once


def test_where_majorities_are_one_order_nobody_is_sent_to_the_pairs():
    """One order, no cycle, but win rates far from any Bradley-Terry model: a hardly beats b, who beats c widely, yet a only hardly c."""
    names, n = ("a", "b", "c", "d"), 4000
    rate = {(0, 1): 0.54, (0, 2): 0.54, (0, 3): 0.54, (1, 2): 0.9, (1, 3): 0.9, (2, 3): 0.54}
    a, b = all_pairs_compared(4)
    wins = np.array([n * rate[i, j] for i, j in zip(a, b, strict=True)]).round()
    report = bp.report(Pairs(names, a, b, np.stack([wins, n - wins, 0 * wins, 0 * wins], axis=1)))
    assert report.resolution.one_scale.defensible is False
    assert "head to head all agents stand in one order" in text(report)
    assert "read the pairs" not in text(report)


def test_unconnected_components_open_the_verdict():
    strong, weak = [[60, 40, 0, 0]] * 3, [[90, 10, 0, 0]] * 3
    report = bp.report(
        Pairs(("s1", "s2", "s3", "w1", "w2", "w3"), [0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5], [*strong, *weak])
    )
    assert report.answer.text == "The 6 agents form 2 connected components: no agent is first of all."
    assert report.verdict[0].text.startswith("The agents form 2 connected components")
    assert "In the component of 'w1', 'w2', 'w3', 'w1' is certainly first" in text(report)
    assert "methods put" not in text(report)
    assert report.comparison.sentences[0].startswith("The 6 agents form connected components, each ranked by itself")
    assert report.board[0].agent in report.robustness.component
    assert report.robustness.component in (("s1", "s2", "s3"), ("w1", "w2", "w3"))
    assert report.robustness.sentences[0].startswith("In the component of '")
    assert {report.robustness.removals.above, report.robustness.removals.below} <= set(report.robustness.component)


def test_a_method_not_run_is_reported_once_with_its_reason():
    strong = [[60, 40, 0, 0]] * 3
    pairs = Pairs(("s1", "s2", "s3", "w1", "w2", "w3"), [0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5], [*strong, *strong])
    comparison = compare_profile(profile_of(pairs))
    not_run = [sentence for sentence in comparison.sentences if "not run" in sentence]
    assert len(not_run) <= 2
    assert any(sentence.startswith("copeland, minimax, ") for sentence in not_run)


def test_a_star_design_is_not_reported_as_having_different_opponents():
    """All played the same agent: scores are win rates against it."""
    n, lost = 12, np.linspace(60, 180, 11).round()
    report = bp.report(
        Pairs(
            tuple(f"m{i:02d}" for i in range(n)),
            [0] * 11,
            range(1, 12),
            np.stack([200 - lost, lost, 0 * lost, 0 * lost], 1),
        )
    )
    page = text(report)
    assert "different opponents" not in page
    assert "may be first by win rate against 'm00'" in page
    assert report.resolution.resolved_pairs > 40


def test_an_order_that_bradley_terry_reverses_is_named():
    """Nearly all battles of 'ada' are narrow losses to 'dan', which a Bradley-Terry model weighs by their number."""
    cells = {(0, 1): (200, 200), (0, 2): (270, 30), (0, 3): (18_000, 22_000)}
    cells |= {(1, 2): (12_000, 8_000), (1, 3): (150, 150), (2, 3): (200, 200)}
    a, b = zip(*cells, strict=True)
    counts = np.array([(*cell, 0, 0) for cell in cells.values()])
    resolution = bp.resolve(Pairs(("ada", "bob", "cyd", "dan"), a, b, counts))
    assert resolution.opposed == (("ada", "dan"),)
    assert any("'ada' is certainly above 'dan' by mean win rate" in sentence for sentence in resolution.sentences)
    assert "By Bradley-Terry strength the opposite order is certain." in resolution.test("ada > dan").sentence


def test_where_many_may_be_first_the_likeliest_is_described():
    """A season: one player wins 88 of 100 against forty who have some eight games each."""
    rng = np.random.default_rng(1)
    rows = [("champion", f"p{i % 40:02d}", float(rng.random() < 0.88)) for i in range(100)]
    rows += [(f"p{i:02d}", f"p{j:02d}", float(rng.random() < 0.5)) for i, j in rng.integers(0, 40, (160, 2)) if i != j]
    report = bp.report(bp.Battles.of(rows))
    assert report.answer.text.startswith("'champion' leads by mean win rate, but ")
    assert "Most likely to be first is 'champion'" in report.verdict[0].text
    assert "of its 100 battles" in report.verdict[0].text
    assert "with each pair compared by itself" in report.verdict[0].text


def test_a_certain_first_with_several_possible_ranks_is_explained_in_the_same_sentence():
    a, b = all_pairs_compared(8)
    ahead = Pairs(tuple("abcdefgh"), a, b, [[24, 16, 0, 0] if i == 0 else [20, 20, 0, 0] for i in a])
    report = bp.report(ahead)
    assert report.answer.text.startswith("'a' is certainly first of 8 agents")
    assert report.resolution.ranks.worst[0] > 1
    assert "all pairs compared simultaneously, which is stricter than the test of first place" in text(report)
    assert "Separating 'a' from" not in text(report)


def test_the_clause_about_first_place_stands_only_where_the_ranks_are_wider(clear):
    assert "stricter" not in text(clear)
