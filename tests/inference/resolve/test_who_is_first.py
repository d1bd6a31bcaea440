"""Who is first, in words: units, conditions, singular and plural, and ties."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import Pairs, Scores, resolve
from beatpath.inference.resolve.who_is_first import ScoreGroups, _scores_without_bounds, grouped_scores


def sentences(resolution):
    return " ".join(one.text for one in resolution.verdict)


def test_two_agents_are_compared_without_others():
    resolution = resolve(Pairs(("a", "b"), [0], [1], [[90, 10, 0, 0]]))
    assert resolution.answer.text == "'a' is certainly first of 2 agents by mean win rate (95 %)."
    assert "is above that of the only other agent (95 %), and it beats it head to head, by the" in sentences(resolution)


def test_agents_that_are_even_lead_together():
    resolution = resolve(Pairs(("a", "b"), [0], [1], [[50, 50, 0, 0]]))
    assert resolution.answer.text == "No agent stands out: either of the two may be first by mean win rate (95 %)."
    assert "head to head" not in sentences(resolution).lower()  # the score of two agents is their head-to-head record
    three = resolve(Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[50, 50, 0, 0]] * 3))
    assert three.answer.text == "No agent stands out: any of 3 may be first by mean win rate (95 %)."
    assert "every pair is even" in sentences(three)


def test_the_simulation_does_not_choose_who_of_equals_is_most_likely_to_be_first():
    """Three agents lost once each to the fourth: their frequencies in 4,000 draws differ, as they would under other names."""
    resolution = resolve(Pairs(tuple("abcd"), [0, 1, 2], [3, 3, 3], [[0, 1, 0, 0]] * 3))
    assert len(set(resolution.first_probability[:3])) > 1
    assert "Most likely" not in sentences(resolution)


@pytest.mark.parametrize(
    ("estimand", "measure"),
    [
        ("mean_win_rate", "mean win rate against every other agent"),
        ("as_sampled", "share of its battles that the agent won"),
        ("bradley_terry", "Bradley-Terry strength (log odds)"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, "mean win rate against opponents that weigh as given"),
    ],
)
def test_every_estimand_is_named(estimand, measure):
    a, b = np.triu_indices(3, 1)
    resolution = resolve(Pairs(tuple("abc"), a, b, [[90, 10, 0, 0], [98, 2, 0, 0], [90, 10, 0, 0]]), estimand=estimand)
    assert measure in sentences(resolution)
    assert resolution.answer.text.startswith("'a' is certainly first of 3 agents by ")


def test_scores_have_their_own_unit_and_are_won_task_by_task():
    rng = np.random.default_rng(0)
    table = rng.normal([[60.0], [58.0], [30.0]], 8.0, (3, 40))
    resolution = resolve(Scores.from_table(table, ["a", "b", "c"], [f"t{i}" for i in range(40)]))
    assert "by mean score over tasks" in resolution.answer.text
    assert (
        "%"
        not in resolution.verdict[0]
        .text.replace("(95 %", "")
        .replace("% taking", "")
        .split("Most likely to be first")[0]
    )
    assert "task by task" in sentences(resolution)


def test_one_agent_that_loses_to_nobody_loses():
    """Ada beats bob and is even with cyd, who loses to bob."""
    resolution = resolve(
        Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[80, 20, 0, 0], [50, 50, 0, 0], [80, 20, 0, 0]]),
    )
    assert "'ada' loses to none" in sentences(resolution)
    assert "lose to none" in " ".join(
        bp.compare_methods(
            Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[5, 5, 0, 0], [8, 2, 0, 0], [8, 2, 0, 0]]),
            ["copeland"],
            matrix="raw",
        ).sentences
    )


def test_an_unresolved_win_is_reported_as_unresolved():
    a, b = np.triu_indices(4, 1)
    counts = [[52, 48, 0, 0], [90, 10, 0, 0], [95, 5, 0, 0], [90, 10, 0, 0], [95, 5, 0, 0], [80, 20, 0, 0]]
    resolution = resolve(Pairs(tuple("abcd"), a, b, counts))
    assert (
        "'a' also beats every other agent head to head, battle by battle; tested one by one, 2 of these 3 wins are resolved (95 %)."
        in sentences(resolution)
    )


def test_an_agent_ahead_by_estimates_is_not_also_said_to_lose():
    """Two lost battles out of 1,100 do not change an estimate that all other pairs agree on: one page, one winner."""
    strength, (a, b) = np.linspace(1.4, -1.4, 8), np.triu_indices(8, 1)
    wins = (40 / (1 + np.exp(strength[b] - strength[a]))).round()
    counts = np.column_stack([wins, 40 - wins, np.zeros((len(a), 2))]).astype(int)
    counts[0] = [0, 2, 0, 0]
    pairs = Pairs(tuple("abcdefgh"), a, b, counts)
    assert (
        "'a' is ahead of every other agent head to head, by the estimated win rates; in direct battles its record is 0-2 against 'b'."
        in (sentences(resolve(pairs)))
    )
    assert bp.compare_methods(pairs, ["copeland"]).rankings[0].condorcet.strong == "a"


def test_a_claim_carries_the_cautions_of_the_verdict():
    resolution = resolve(bp.example())
    tested = resolution.test("aurora > dune")
    assert resolution.ranks.sentences[-1] in tested.cautions
    assert set(resolution.notes) <= set(tested.cautions)
    assert "by mean win rate against every other agent, 'aurora' minus 'dune' is +" in tested.sentence
    assert tested.to_dict()["cautions"] == list(tested.cautions)


def test_a_claim_to_be_first_says_who_beats_it_head_to_head():
    assert "Head to head it loses to 'aurora'." in resolve(bp.example()).test("basalt is first").sentence


def test_a_claim_that_head_to_head_contradicts_says_so():
    names, rate = ("close", "wide", "x", "y", "z"), np.full((5, 5), 0.5)
    rate[0, 1:], rate[1, 2:] = 0.56, 0.93
    a, b = np.triu_indices(5, 1)
    wins = (2000 * rate[a, b]).round()
    resolution = resolve(Pairs(names, a, b, np.stack([wins, 2000 - wins, 0 * wins, 0 * wins], axis=1)))
    tested = resolution.test("wide > close")
    assert tested.supported
    assert "Head to head, 'close' beats 'wide' (56.0 %)." in tested.sentence


def test_an_agent_that_solved_every_task_is_not_known_to_solve_all():
    """Anscombe's transformation of 20 of 20: the angle of (20 + 3/8) / (20 + 3/4), with variance 1 / (4 * 20)."""
    table = np.ones((3, 20))
    table[1, :5], table[2, 5:15] = 0, 0
    result = resolve(Scores.from_table(table, ["a", "b", "c"], [f"i{k}" for k in range(20)]))
    angle, V = _scores_without_bounds(result.board)
    np.testing.assert_allclose(angle[0], np.arcsin(np.sqrt(20.375 / 20.75)))
    np.testing.assert_allclose(V[0, 0], 1 / 80)


def test_true_scores_are_drawn_from_the_posterior_of_normal_groups():
    """Of a group with mean m and variance s^2, a score x with variance v: m + w (x - m) and w v, with w = s^2 / (s^2 + v)."""
    share = np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.75]])
    groups = ScoreGroups(np.array([-1.0, 3.0]), np.full(2, 2.0), share, 0.0)
    x, v, rng = np.array([0.5, 1.0, 2.0]), np.array([1.0, 4.0, 12.0]), np.random.default_rng(0)
    still, moved = (groups.drawn(np.arange(3), x, v, np.full((4000, 3), k), rng) for k in (0.0, 2.0))
    np.testing.assert_allclose(still[0, :2], [-1 + 0.8 * 1.5, 3 - 0.5 * 2])
    np.testing.assert_allclose((moved - still)[0, :2], [2 * np.sqrt(0.8), 2 * np.sqrt(2)])
    values, number = np.unique(still[:, 2].round(9), return_counts=True)
    np.testing.assert_allclose(values, [-1 + 0.25 * 3, 3 - 0.25 * 1])
    assert number[1] / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_group_that_starts_far_from_every_score_takes_part_in_nothing():
    """Of three groups the middle one starts halfway between two points a thousand errors apart."""
    score = np.repeat([0.0, 100.0], 3)
    for one in grouped_scores(score, np.full(6, 0.01)):
        assert np.isfinite([*one.means, *one.spread, one.criterion]).all()
        assert one.share.sum(axis=1) == pytest.approx(1)
        close = one.share @ one.means
        assert len(one.means) == 1 or one.spread.max() > 1 or close == pytest.approx(score, abs=1)


@pytest.mark.parametrize("groups", [2, 3])
def test_a_crowd_at_the_top_may_be_denser_than_the_groups_below(groups):
    """Two groups or three, of which the top one varies less: more kinds of spreads are tried than for one group or four."""
    x = np.concatenate([np.random.default_rng(0).normal(0, 1, 40), np.full(20, 3.0)])
    fits = grouped_scores(x, np.full(60, 1e-4))
    mixed = {len(one.means) for one in fits if len(set(one.spread)) > 1}
    assert mixed == {2, 3}
    best = max((one for one in fits if len(one.means) == groups), key=lambda one: one.criterion)
    assert best.spread[-1] < best.spread[0]
