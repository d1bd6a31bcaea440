import json
from dataclasses import replace
from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Ballots, Battles, DataError, Factor, Margins, Pairs, Scores, UsageError, WinRates, resolve
from beatpath.inference.core.core import core
from beatpath.inference.core.core_posterior import core_posterior
from beatpath.inference.core.estimated_edges import estimated_edges
from beatpath.inference.matrix.win_matrix import win_matrix
from beatpath.methods.soft_core.edges import edges_from_pairs
from beatpath.methods.soft_core.operators import reachability, soft_top_cycle, soft_uncovered_set
from helpers.strategies import ballots, battles

B1 = [[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]]
B2 = [[0.5, 0.8, 0.9, 0.85], [0.2, 0.5, 0.6, 0.55], [0.1, 0.4, 0.5, 0.52], [0.15, 0.45, 0.48, 0.5]]
B3 = [[0.5, 0.1, 0.1, 0.9], [0.9, 0.5, 0.1, 0.1], [0.9, 0.9, 0.5, 0.1], [0.1, 0.9, 0.9, 0.5]]
H1 = [[0.5, 0.7, 0.6, 0.9], [0.3, 0.5, 0.8, 0.7], [0.4, 0.2, 0.5, 0.6], [0.1, 0.3, 0.4, 0.5]]
CYCLE = [("x", "y", 1), ("y", "z", 1), ("z", "x", 1)]
some = settings(max_examples=30, deadline=None)


def letters(P):
    return list("ABCDEFGH"[: len(P)])


def scores(core_result):
    return list(core_result.top_cycle.scores.values()), list(core_result.uncovered_set.scores.values())


@st.composite
def probabilities(draw, max_agents=6):
    """Win probabilities of which none is a half."""
    n = draw(st.integers(1, max_agents))
    cell = st.sampled_from([0.1, 0.25, 0.4, 0.6, 0.75, 0.9])
    upper = np.triu(draw(st.lists(st.lists(cell, min_size=n, max_size=n), min_size=n, max_size=n)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n)


@pytest.mark.parametrize(
    ("P", "cycle", "uncovered"), [(B1, "ABC", "ABC"), (B2, "A", "A"), (B3, "ABCD", "ACD"), (H1, "A", "A")]
)
def test_the_examples_of_ste_have_the_sets_the_paper_gives(P, cycle, uncovered):
    core_result = core(P, agents=letters(P))
    assert core_result.top_cycle.members == tuple(cycle)
    assert core_result.uncovered_set.members == tuple(uncovered)


@pytest.mark.parametrize(
    ("reach", "t"),
    [
        ("noisy-or", [0.994, 0.204, 0.159, 0.044]),
        ("max-min", [0.987, 0.174, 0.139, 0.119]),
        ("smooth", [0.913, 0.122, 0.092, 0.050]),
    ],
)
def test_example_h1_comes_out_to_three_digits(reach, t):
    """Printed for noisy-or; for the other two as recomputed independently from the equations."""
    top_cycle, uncovered = scores(core(H1, agents=letters(H1), tau=0.05, gamma=0.05, reach=reach, max_length=3))
    np.testing.assert_allclose(top_cycle, t, atol=5.1e-4)
    np.testing.assert_allclose(uncovered, [0.991, 0.160, 0.123, 0.031], atol=5.1e-4)


@some
@given(probabilities())
def test_scores_fall_to_the_members_with_the_temperatures(P):
    """Theorem 5.11: near one within the hard set, near zero outside."""
    core_result = core(P, tau=0.002, gamma=0.002)
    for part in (core_result.top_cycle, core_result.uncovered_set):
        expected = [float(name in part.members) for name in core_result.agents]
        np.testing.assert_allclose(list(part.scores.values()), expected, atol=0.02)


@some
@given(probabilities(), st.data())
def test_the_order_of_the_rows_changes_nothing(P, data):
    order = data.draw(st.permutations(range(len(P))))
    names = [f"n{i}" for i in range(len(P))]
    one, other = core(P, agents=names), core(P[np.ix_(order, order)], agents=[names[i] for i in order])
    assert one.sentences == other.sentences
    for part in ("top_cycle", "uncovered_set"):
        for name in names:
            assert abs(getattr(one, part).scores[name] - getattr(other, part).scores[name]) < 1e-9


@some
@given(st.one_of(battles(), battles(weighted=True), ballots()))
def test_any_evidence_gives_an_answer_that_survives_json(evidence):
    core_result = core(evidence)
    data = json.loads(json.dumps(core_result.to_dict(), allow_nan=False))
    assert set(data) >= {"schema_version", "top_cycle", "uncovered_set", "posterior", "settings"}
    assert set(data["top_cycle"]) == {"members", "scores"}
    parts = [one["posterior"] for one in data["components"]] or [data["posterior"]]
    assert set().union(*(one["top_cycle"] for one in parts)) == set(core_result.agents) <= set(evidence.agents)
    assert set(core_result.uncovered_set.members) <= set(core_result.top_cycle.members)
    assert core_result._repr_html_().count("<tr>") == len(core_result.agents) + 1


def test_scores_of_raw_counts_are_those_of_the_operators_on_posterior_edges():
    b = Battles.of(CYCLE * 4 + [("x", "w", 1), ("y", "w", 1), ("z", "w", 1), ("w", "x", 1), ("x", "w", 1)])
    core_result = core(b, gamma=0.02, matrix="raw")
    settled = b.pairs().settle()
    D = edges_from_pairs(settled, edges="posterior").strength(1.0)
    np.testing.assert_allclose(scores(core_result)[0], soft_top_cycle(reachability(D), 0.02))
    np.testing.assert_allclose(scores(core_result)[1], soft_uncovered_set(D, 0.02))
    assert core_result.posterior.to_dict() == core_posterior(settled).to_dict()
    assert core_result.settings == {
        "edges": "posterior",
        "missing_pairs": "neutral",
        "tau": 0.05,
        "gamma": 0.02,
        "reach": "max-min",
        "max_length": None,
    }


def test_win_rates_and_strengths_stand_beside_the_scores():
    core_result = core(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]), matrix="raw")
    assert core_result.win_rate == {"ada": 0.75, "bob": 0.25}
    assert core_result.win_rate_is.startswith("share of its comparisons won")
    assert core_result.bradley_terry["ada"] - core_result.bradley_terry["bob"] == pytest.approx(np.log(3))
    assert core(B2).win_rate["agent 1"] == pytest.approx((0.8 + 0.9 + 0.85) / 3)


def test_the_win_rate_of_battles_is_the_one_that_resolve_scores():
    rows = (
        [("x", "y", 1)] * 30
        + [("y", "x", 1)] * 10
        + [("y", "z", 1)] * 5
        + [("z", "y", 1), ("z", "w", 1), ("w", "z", 1)] * 4
    )
    board = resolve(Battles.of(rows), field="all").board
    assert core(Battles.of(rows), field="all").win_rate == pytest.approx(
        dict(zip(board.agents, board.score, strict=True))
    )


def test_battles_and_counts_use_the_estimate_and_raw_options_use_counts():
    """Of pairs with one battle the majority is a coin; the estimate goes by all battles."""
    rows = [("x", "y", 1)] * 60 + [("y", "x", 1)] * 20 + [("y", "z", 1)] * 60 + [("z", "y", 1)] * 20 + [("z", "x", 1)]
    b = Battles.of(rows)
    core_result = core(b)
    rate = win_matrix(b).rate
    np.testing.assert_allclose(core_result.margins.matrix, 2 * rate - 1, atol=1e-8)
    assert core_result.top_cycle.members == ("x",)
    assert core_result.settings["edges"] == "estimated"
    assert core_result.to_dict()["unresolved_pairs"] == 3 - core_result.resolved.sum() / 2
    for options in ({"matrix": "raw"}, {"edges": "empirical"}, {"missing_pairs": "absent"}):
        raw = core(b, **options)
        assert raw.top_cycle.members == ("x", "y", "z")
        assert raw.resolved is None
    with pytest.raises(UsageError, match="can be 'estimated' for battles and pair counts"):
        core(b, edges="estimated", matrix="raw")
    with pytest.raises(UsageError, match="`edges` and `missing_pairs` must be left out"):
        core(b, edges="empirical", matrix="estimated")


def test_ballots_keep_votes():
    core_result = core(Ballots.of([["a", "b", "c"]] * 2 + [["b", "c", "a"]] * 2 + [["c", "a", "b"]] * 2))
    assert core_result.resolved is None
    assert core_result.settings["edges"] == "posterior"


def test_soft_edges_of_the_estimate_are_probabilities_of_a_majority():
    matrix = win_matrix(Pairs(tuple("xyz"), [0, 0, 1], [1, 2, 2], [[30, 20, 0, 0], [40, 10, 0, 0], [26, 24, 0, 0]]))
    made = estimated_edges(matrix)
    z = (matrix.rate - 0.5) / np.where(matrix.stderr > 0, matrix.stderr, 1.0)
    expected = [[0.5 * (1 + erf(x / sqrt(2))) for x in row] for row in z]
    np.testing.assert_allclose(made.edges.probability, expected, atol=1e-6)
    low, high = matrix.interval(0.95)
    assert (made.resolved == ((low > 0.5) | (high < 0.5)) & ~np.eye(3, dtype=bool)).all()


def test_where_bradley_terry_has_no_estimate_a_note_says_why():
    core_result = core(Battles.of([("x", "y", 1), ("z", "w", 1)]))
    assert core_result.bradley_terry is None
    assert core_result.notes[0].startswith("No Bradley-Terry strengths: ")


def test_battles_in_clusters_say_less_and_a_note_says_so():
    """Every battle ten times over, in clusters of ten: as much as the battles themselves."""
    rng = np.random.default_rng(0)
    rows = [(*rng.choice(list("wxyz"), 2, replace=False).tolist(), float(rng.random() < 0.6)) for _ in range(120)]
    once = Battles.of(rows)
    copies = [row for row in rows for _ in range(10)]
    clustered = Battles.of(copies, factors={"cluster": Factor.of(str(i // 10) for i in range(1200))})
    core_result, apart = core(clustered), core(clustered, cluster=None)
    effect = core_result.posterior.settings["design_effect"]
    assert effect == pytest.approx(10, rel=0.1)
    assert f"allows for it (design effect {effect:.3g})." in core_result.notes[-1]
    np.testing.assert_allclose(core_result.posterior.probability, core(once).posterior.probability, atol=0.05)
    assert apart.posterior.settings["design_effect"] == 1.0
    assert core_result.top_cycle.members == apart.top_cycle.members


def test_nothing_is_undetermined_across_components():
    core_result = core(Battles.of([*CYCLE, ("u", "v", 1)] * 3))
    assert core_result.undetermined == ()
    assert [one.agents for one in core_result.components] == [("x", "y", "z"), ("u", "v")]
    assert core(Battles.of(CYCLE)).components == ()


@pytest.mark.parametrize("options", [{}, {"matrix": "raw"}])
def test_weights_say_how_much_battles_matter_and_not_how_many_there_were(options):
    """Three battles of weight 1,000 are three battles, and a column of ones is no column."""
    rows = [("x", "y", 1), ("x", "y", 1), ("y", "z", 1), ("x", "z", 0.5), ("z", "y", 1), ("x", "y", 0)]
    plain = Battles.of(rows)
    for weight in (1.0, 1000.0):
        core_result = core(replace(plain, weight=np.full(len(rows), weight)), **options)
        np.testing.assert_allclose(
            core_result.posterior.probability, core(plain, **options).posterior.probability, atol=1e-9
        )
        assert core_result.sentences == core(plain, **options).sentences
    heavy_win, heavy_loss = (core(replace(plain, weight=1 + 3.0 * (np.arange(6) == k)), **options) for k in (0, 5))
    assert heavy_win.posterior.probability[0] > heavy_loss.posterior.probability[0] + 0.05


def test_agents_with_too_little_data_are_left_out_and_named():
    rows = [("a", "b", 1)] * 30 + [("b", "a", 1)] * 10 + [("b", "c", 1)] * 30 + [("c", "b", 1)] * 10 + [("d", "a", 1)]
    core_result, everybody = core(Battles.of(rows)), core(Battles.of(rows), field="all")
    assert core_result.agents == ("a", "b", "c")
    assert everybody.agents == ("a", "b", "c", "d")
    assert core_result.notes[0].startswith(
        "1 agent has too little data to be placed: 'd'. The core is of the 3 others;"
    )
    assert core_result.sentences == core(Battles.of(rows[:-1])).sentences
    with pytest.raises(UsageError, match="`field` must be 'auto' or 'all'"):
        core(Battles.of(rows), field="some")


def test_imputing_pairs_does_not_hide_that_they_have_no_battles():
    rows = [("x", "y", 1)] * 9 + [("y", "z", 1)] * 9 + [("y", "x", 1), ("z", "y", 1)]
    core_result = core(Battles.of(rows), edges="empirical", missing_pairs="imputed")
    assert core_result.top_cycle.members == ("x",)
    assert core_result.undetermined[0].pairs == (("x", "z"),)
    assert core_result.settings["missing_pairs"] == "imputed"


def test_win_rates_are_edges_as_they_are_and_have_no_posterior():
    core_result = core(WinRates(H1, list("ABCD")), reach="noisy-or", max_length=3)
    np.testing.assert_allclose(scores(core_result)[0], [0.994, 0.204, 0.159, 0.044], atol=5.1e-4)
    assert core_result.posterior is None
    assert core_result.to_dict()["posterior"] is None


@pytest.mark.parametrize(
    ("P", "message"),
    [
        ([[0.5, 1.2], [-0.2, 0.5]], "from 0 to 1; got 1.2 for 'agent 1' over 'agent 2'"),
        ([[0.5, 0.7], [0.4, 0.5]], "add up to 1; got 0.7 for 'agent 1' over 'agent 2' and 0.4"),
        ([[0.5, np.nan], [0.5, 0.5]], "from 0 to 1; got nan for 'agent 1' over 'agent 2'"),
        ([[0.5, 0.5]], r"must have shape \(1, 1\)"),
        ([0.5, 0.5], "square array with one row per agent"),
        ([["a"]], "square array of numbers"),
    ],
)
def test_bad_probabilities_are_refused_by_pair(P, message):
    with pytest.raises(DataError, match=message):
        core(P)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": 0}, "`tau` must be a temperature above 0; got '0'"),
        ({"gamma": -1.0}, "`gamma` must be a temperature above 0"),
        ({"gamma": float("nan")}, "`gamma` must be a temperature above 0"),
        ({"max_length": 0}, "`max_length` must be a whole number, 1 or more"),
        ({"reach": "maxmin"}, "Did you mean 'max-min'"),
        ({"edges": "posterior"}, "options of evidence must be left out; got edges='posterior'"),
        ({"ties": "half"}, "options of evidence must be left out; got 'ties'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        core(B1, **options)


def test_evidence_that_cannot_give_edges_is_refused_with_what_can():
    with pytest.raises(DataError, match="margins give neither"):
        core(Margins([[0, 1], [-1, 0]], ("a", "b")))
    with pytest.raises(UsageError, match=r"'file.csv' must be a file, folder or glob; there is none"):
        core("file.csv")
    with pytest.raises(UsageError, match="win rates, which have no counts; got 'posterior'"):
        core(WinRates(B1, list("ABC")), edges="posterior")
    with pytest.raises(UsageError, match="evidence brings its own names"):
        core(Battles.of(CYCLE), agents=["x", "y", "z"])
    with pytest.raises(UsageError, match="`edges` must be one of"):
        core(Battles.of(CYCLE), edges="emprical")


def test_more_agents_than_a_core_supports_are_refused_before_counting():
    def chain(n):
        return Pairs(
            tuple(f"m{i}" for i in range(n)), np.arange(n - 1), np.arange(1, n), np.tile([1, 0, 0, 0], (n - 1, 1))
        )

    with pytest.raises(DataError, match=r"at most 40,000 agents; there are 40,001. Choose agents with `bp.only`"):
        core(chain(40_001))
    table = Scores.from_table(np.arange(12_000.0).reshape(4_000, 3), [f"m{i}" for i in range(4_000)], ["x", "y", "z"])
    with pytest.raises(
        DataError, match="where most pairs were compared, a core is computed for at most 2,000 agents; there are 4,000"
    ):
        core(table)


def test_a_table_of_many_agents_has_a_core_without_its_posterior_and_says_so(monkeypatch):
    monkeypatch.setattr("beatpath.inference.core.core.MOST_POSTERIOR", 2)
    core_result = core(Ballots.of([[["x"], ["y"], ["z"]], [["y"], ["z"], ["x"]], [["z"], ["x"], ["y"]]]))
    assert core_result.posterior is None
    assert any("The core posterior is computed for at most" in note for note in core_result.notes)
    assert set(core_result.top_cycle.members) == {"x", "y", "z"}


def test_no_agent_has_no_core(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("winner,loser\n")
    with pytest.raises(DataError, match="at least one agent"):
        core(path)
