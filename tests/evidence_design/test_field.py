"""Agents with too little data stand apart and change nothing; where all comparisons go through hubs, scores are against these."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.evidence import Ballots, Battles, Factor, Scores
from beatpath.evidence_design.field import _often, field_of, hubs_of


def three(seed=0, per_pair=120):
    """Rows of battles of three agents, of which the first is the best."""
    rng = np.random.default_rng(seed)
    chances = {("ada", "bob"): 0.7, ("bob", "cyd"): 0.7, ("ada", "cyd"): 0.8}
    return [(*pair, float(rng.random() < p)) for pair, p in chances.items() for _ in range(per_pair)]


def test_a_stray_battle_changes_no_statement_about_others():
    alone, with_stray = (bp.resolve(Battles.of(three() + more)) for more in ([], [("dan", "ada", 1.0)]))
    assert with_stray.agents == alone.agents
    assert with_stray.answer.text == alone.answer.text
    np.testing.assert_array_equal(with_stray.ranks.above, alone.ranks.above)
    np.testing.assert_array_equal(with_stray.low, alone.low)


def test_an_agent_that_is_not_placed_has_a_row_an_interval_and_no_ranks():
    board = bp.resolve(Battles.of([*three(), ("dan", "ada", 1.0)]))
    row = board.to_dict()["ranks"]["dan"]
    assert not row["placed"]
    assert row["best"] is row["worst"] is row["tier"] is None
    assert row["battles"] == 1
    assert row["low"] < 0.5 < row["score"] < row["high"] <= 1
    assert "1 agent has too little data to be placed: 'dan'." in " ".join(board.sentences)
    test = board.test("dan > ada")
    assert not test.supported
    assert "'dan' has too little data to be placed" in test.sentence


def test_everybody_is_placed_on_request():
    board = bp.resolve(Battles.of([*three(), ("dan", "ada", 1.0)]), field="all")
    assert board.agents == ("ada", "bob", "cyd", "dan")
    assert not board.unplaced


def test_where_all_have_few_battles_nobody_stands_apart():
    names = [f"agent {i}" for i in range(8)]
    rows = [(a, b, 1.0) for i, a in enumerate(names) for b in names[:i]]
    assert field_of(Battles.of(rows)).placed.all()
    pairs = [(f"x{i}", f"y{i}", 1.0) for i in range(30) for _ in range(5)]
    assert field_of(Battles.of(pairs)).placed.all()


def test_a_board_is_never_about_fewer_than_half_of_the_battles():
    """Most agents met others whose battles are of one prompt; without these they have too few, and two hubs are left."""
    wide, deep = [f"wide {i}" for i in range(20)], [f"deep {i}" for i in range(6)]
    rows = [("hub 0", "hub 1", float(k % 2), k) for k in range(8)]
    rows += [(one, "hub 0", 1.0, prompt) for one in wide for prompt in range(13)]
    rows += [
        (one, deep[(i + k) % 6], 1.0, prompt) for i, one in enumerate(wide) for prompt in range(13) for k in (0, 1)
    ]
    rows += [(one, "hub 1", 1.0, 0) for one in deep for _ in range(40)]
    battles = Battles.of([row[:3] for row in rows], factors={"cluster": Factor.of(row[3] for row in rows)})
    placed = field_of(battles).placed
    assert (placed[battles.a] & placed[battles.b]).mean() >= 0.5


def test_agents_with_a_third_of_the_precision_of_others_stand_apart_up_to_twenty_battles():
    rows = three(per_pair=200)  # 400 battles each, a ninth of which is above twenty
    for number, placed in ((19, False), (20, True)):
        more = [("dan", "ada", 1.0)] * number
        field = field_of(Battles.of(rows + more))
        assert field.placed.tolist() == [True, True, True, placed]


def test_battles_of_one_cluster_count_once():
    rows = three() + [("dan", "ada", 1.0)] * 40
    prompts = Factor.of([*(f"p{i}" for i in range(len(rows) - 40)), *["q"] * 40])
    assert field_of(Battles.of(rows, factors={"cluster": prompts})).placed.tolist() == [True, True, True, False]


def test_agents_left_by_others_are_left_too():
    rows = (
        three() + [("dan", "eve", 1.0)] * 15 + [("dan", "ada", 1.0)] * 15
    )  # twenty are enough: without eve, dan has fewer
    assert field_of(Battles.of(rows)).placed.tolist() == [True, True, True, False, False]
    assert field_of(Battles.of(rows + [("dan", "ada", 0.0)] * 5)).placed.tolist() == [True, True, True, True, False]


def test_an_agent_that_never_played_is_not_placed():
    pairs = bp.Pairs(("ada", "bob", "idle"), [0], [1], [[30, 10, 0, 0]])
    board = bp.resolve(pairs)
    assert board.agents == ("ada", "bob")
    assert [one.agent for one in board.unplaced] == ["idle"]


def test_an_agent_with_one_task_of_many_is_not_placed():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(4, 91))
    table[3, 1:] = np.nan
    assert field_of(Scores.from_table(table, list("wxyz"), [f"t{i}" for i in range(91)])).placed.tolist() == [
        True
    ] * 3 + [False]


def test_an_agent_on_few_ballots_is_not_placed():
    ballots = [[["x"], ["y"], ["z"]]] * 40 + [[["rare"], ["x"]]]
    evidence = Ballots.of(ballots)
    assert evidence.agents[int(np.flatnonzero(~field_of(evidence).placed)[0])] == "rare"


@pytest.mark.parametrize(
    ("effective", "least"),
    [
        ([300, 300, 300, 300, 300, 12, 19, 20, 40], 20),  # a ninth of the median of those with ten, at most twenty
        ([108, 108, 108, 10, 11, 12, 13, 9], 10),  # at least ten: the median of those with ten is 13
        ([135, 135, 135, 135, 14, 15, 16], 15),  # a ninth of 135
        ([9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 3, 5], 4.5),  # nobody has ten: half the median
        ([12, *[8] * 9, 3], 4),  # one of ten, with less than half of all
    ],
)
def test_agents_on_enough_ballots_are_placed(effective, least):
    number = np.array(effective, dtype=float)
    np.testing.assert_array_equal(_often(number), number >= least)


@pytest.mark.parametrize(
    ("edges", "hubs"),
    [
        ([(0, 1), (0, 2), (0, 3)], (0,)),
        ([(0, 2), (1, 2), (2, 3)], (2,)),
        ([(0, 1), (1, 2), (0, 2)], ()),
        ([(0, j) for j in range(2, 8)] + [(1, j) for j in range(2, 8)], (0, 1)),
        ([(0, 1), (2, 3)], ()),
        ([(0, 1), (1, 2), (3, 4), (4, 5)], (1, 4)),
        ([(0, 1), (1, 2), (3, 4), (4, 5), (3, 5)], ()),  # the second component is a round robin
        ([(0, 1), (0, 2), (0, 3)] * 10 + [(1, 2)], (0,)),  # one comparison in thirty-one does not make another design
        ([(0, 1), (0, 2), (0, 3)] * 2 + [(1, 2)], ()),
        ([(0, 1), (0, 2), (0, 3)] * 10 + [(3, 4)], ()),  # agent 4 met no hub
    ],
)
def test_hubs_are_the_agents_through_which_all_pairs_go(edges, hubs):
    a, b = np.array(edges).T
    assert hubs_of(int(b.max()) + 1, a, b) == hubs


def test_every_component_that_is_a_star_is_scored_against_its_own_hub():
    rng, rows = np.random.default_rng(5), []
    for a, hub, b in (("a", "b", "c"), ("x", "y", "z")):
        rows += [(a, hub, float(rng.random() < 0.8)) for _ in range(100)]
        rows += [(hub, b, float(rng.random() < 0.8)) for _ in range(100)]
    wins = {
        name: np.mean([won if one == name else 1 - won for one, other, won in rows if name in (one, other)])
        for name in "acxz"
    }
    board = bp.resolve(Battles.of(rows))
    scores = {row["agent"]: row["score"] for row in board.rows()}
    assert scores["b"] == scores["y"] == 0.5
    assert all(scores[name] == pytest.approx(wins[name], abs=0.01) for name in wins)
    assert board.resolved_pairs == board.pairs == 6
    assert not any("nan" in text or "no battle" in text for text in (*board.sentences, *board.notes))


def test_against_two_hubs_the_estimand_names_both():
    rng = np.random.default_rng(6)
    rows = [
        (f"m{i}", hub, float(rng.random() < p))
        for i, p in enumerate((0.3, 0.4, 0.6, 0.7))
        for hub in ("h", "k")
        for _ in range(50)
    ]
    board = bp.resolve(Battles.of([*rows, ("h", "k", 1.0), ("h", "k", 0.0)]))
    assert board.ranks.estimand == "win rate against 'h' and 'k'"
    assert "win rate against 'h' and 'k'" in board.answer.text


def star(seed, truth, each=300):
    """Battles of agents with a baseline, which each beats with its own probability."""
    rng = np.random.default_rng(seed)
    return Battles.of([(f"m{i}", "base", float(rng.random() < p)) for i, p in enumerate(truth) for _ in range(each)])


def test_a_star_is_scored_against_its_baseline_as_two_proportions_are_compared():
    board = bp.resolve(star(0, [0.3, 0.5, 0.7]))
    rate = board.score[board.agents.index("m0")]
    assert board.estimand == "win rate against 'base'"
    assert board.score[board.agents.index("base")] == 0.5
    assert "against 'base'" in board.answer.text
    wide = board.high[board.agents.index("m0")] - board.low[board.agents.index("m0")]
    assert wide == pytest.approx(2 * 1.96 * np.sqrt(rate * (1 - rate) / 300), rel=0.05)
    assert (board.resolved_pairs, board.pairs) == (5, 6)  # one agent is as good as the baseline


def test_a_few_battles_beside_a_star_cost_nothing():
    truth = [0.3, 0.35, 0.4, 0.5, 0.6, 0.65, 0.7]
    rng = np.random.default_rng(1)
    plain, beside = (
        star(0, truth),
        Battles.of([(f"m{i}", f"m{(i + 1) % 7}", float(rng.random() < 0.5)) for i in range(7)]),
    )
    rows = [(x.agents[i], x.agents[j], y) for x in (plain, beside) for i, j, y in zip(x.a, x.b, x.outcome, strict=True)]
    alone, both = bp.resolve(plain), bp.resolve(Battles.of(rows))
    assert both.estimand == "win rate against 'base'"
    assert both.resolved_pairs >= alone.resolved_pairs - 1
    assert any(note.startswith("99.7 % of battles are with 'base'") for note in both.notes)
    assert bp.design(Battles.of(rows)).hubs == ("base",)


def test_equal_agents_of_a_star_are_not_ordered():
    boards = [bp.resolve(star(seed, [0.4] * 10, each=60)) for seed in range(60)]
    ordered = [
        np.delete(np.delete(b.above, b.agents.index("base"), 0), b.agents.index("base"), 1).any() for b in boards
    ]
    assert sum(ordered) <= 3 + 3 * 1.7


def test_a_star_by_few_judges_has_the_degrees_of_freedom_of_the_judges():
    """Equal agents, four judges with tastes: for judges like these nothing is certain."""
    ordered = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        agent, judge = rng.integers(0, 8, 2400), rng.integers(0, 4, 2400)
        likes = 0.6 * rng.standard_normal((4, 8))
        won = rng.random(2400) < 1 / (1 + np.exp(-likes[judge, agent]))
        rows = [(f"m{i}", "base", float(x)) for i, x in zip(agent, won, strict=True)]
        board = bp.resolve(Battles.of(rows, factors={"judge": Factor.of(f"j{j}" for j in judge)}))
        ordered += board.resolved_pairs > 0
    assert ordered <= 3
