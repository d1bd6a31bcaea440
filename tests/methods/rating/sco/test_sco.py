"""SCO: the loss, the default solver, Algorithm 1, and what it says of bad settings."""

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath._errors import DataError, UsageError
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.sco.descent import Settings, algorithm_1, steps
from beatpath.methods.rating.sco.losses import (
    Cells,
    cells_of,
    disagreement,
    sigmoid_gradient,
    sigmoid_loss,
    votes_of,
    votes_of_two,
)
from beatpath.methods.rating.sco.sco import sco
from beatpath.methods.rating.sco.solver import minimized
from helpers.strategies import ballots

EQ_10 = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
TABLE_1 = Ballots.of(
    [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]], count=[1, 1, 2, 1]
)
few = settings(max_examples=30, deadline=None)
from beatpath.methods.result import LOCAL


def cells_from(b):
    return cells_of(profile_of(b), "sco")


def by_votes(theta, b, temperature):
    """SCO eq. (6), vote by vote; a tie is half a preference either way."""
    at = dict(zip(b.agents, theta, strict=True))
    total = 0.0
    for vote, count in zip(b, b.count, strict=True):
        for i, group in enumerate(vote):
            for x in group:
                worse = [y for later in vote[i + 1 :] for y in later]
                total += count * sum(1 / (1 + np.exp((at[x] - at[y]) / temperature)) for y in worse)
                total += count * sum(0.5 / (1 + np.exp((at[x] - at[y]) / temperature)) for y in group if y != x)
    return total


@few
@given(b=ballots(), seed=st.integers(0, 99), temperature=st.sampled_from([0.5, 1.0, 3.0]))
def test_the_loss_on_pair_counts_is_the_sum_over_votes(b, seed, temperature):
    theta = np.random.default_rng(seed).normal(size=len(b.agents)) * 3
    np.testing.assert_allclose(sigmoid_loss(theta, cells_from(b), temperature), by_votes(theta, b, temperature))


@few
@given(b=ballots(), seed=st.integers(0, 99), temperature=st.sampled_from([0.5, 1.0, 3.0]))
def test_the_gradient_agrees_with_finite_differences(b, seed, temperature):
    cells = cells_from(b)
    theta = np.random.default_rng(seed).normal(size=len(b.agents)) * 3
    step = 1e-5
    finite = [
        (sigmoid_loss(theta + step * e, cells, temperature) - sigmoid_loss(theta - step * e, cells, temperature))
        / (2 * step)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(sigmoid_gradient(theta, cells, temperature), finite, atol=1e-7)


@few
@given(b=ballots(complete=True), seed=st.integers(0, 99))
def test_the_loss_is_the_mean_disagreement_of_orders_sampled_from_plackett_luce(b, seed):
    """What `cold_enough` rests on, by summing over all orders."""
    n = min(len(b.agents), 4)
    rng = np.random.default_rng(seed)
    cells = Cells.from_wins(np.triu(rng.integers(0, 9, (n, n)), 1) + np.tril(rng.integers(0, 9, (n, n)), -1))
    theta = rng.normal(size=n)
    mean = 0.0
    for order in permutations(range(n)):
        strength = np.exp(theta[list(order)])
        chance = np.prod(strength / np.cumsum(strength[::-1])[::-1])
        mean += chance * disagreement(-np.argsort(order), cells)
    np.testing.assert_allclose(sigmoid_loss(theta, cells, 1.0), mean)


def test_the_discrete_loss_of_the_papers_example_is_five():
    """SCO Figure 1 and Example 1."""
    assert disagreement(np.array([20.0, 10.0, 30.0]), cells_from(TABLE_1)) == 5


@few
@given(b=ballots())
def test_the_default_is_stationary_in_the_box(b):
    cells = cells_from(b)
    fit = minimized(cells)
    assert fit.status == LOCAL
    assert ((fit.theta >= 0) & (fit.theta <= 100)).all()
    gradient = sigmoid_gradient(fit.theta, cells, fit.temperature) * fit.temperature
    free = (fit.theta > 0) & (fit.theta < 100)
    np.testing.assert_allclose(gradient[free], 0, atol=1e-6)
    assert (gradient[fit.theta >= 100] <= 1e-6).all()
    assert (gradient[fit.theta <= 0] >= -1e-6).all()


def test_the_default_finds_kemenys_objective_on_small_random_profiles():
    """Orders by brute force; ties broken by the order that the details give."""
    rng = np.random.default_rng(5)
    missed = 0
    for _ in range(40):
        votes = [[[name] for name in rng.permutation(list("abcdef"))] for _ in range(5)]
        b = Ballots.of(votes, agents=tuple("abcdef"))
        cells = cells_from(b)
        best = min(disagreement(-np.argsort(order), cells) for order in permutations(range(6)))
        reached = bp.rank(b, "sco").details["order_disagreement"]
        assert reached >= best
        missed += reached > best
    assert missed <= 1


def test_a_condorcet_winner_among_many_is_alone_on_top():
    """Noisy votes on 200 agents, and one agent that a bare majority puts first."""
    rng = np.random.default_rng(1)
    names = [f"m{i:03d}" for i in range(200)]
    votes = []
    for v in range(9):
        order = [n for n in np.array(names)[np.argsort(np.arange(200) + 60 * rng.normal(size=200))] if n != "m150"]
        order.insert(0 if v < 5 else len(order), "m150")
        votes.append([[n] for n in order])
    ranking = bp.rank(Ballots.of(votes, agents=tuple(names)), "sco")
    assert ranking.condorcet.strong == "m150"
    assert ranking.winners == ("m150",)


@few
@given(b=ballots())
def test_polish_never_makes_it_worse_and_says_by_how_much(b):
    plain, better = bp.rank(b, "sco", temperature=30.0), bp.rank(b, "sco", temperature=30.0, polish=True)
    polish = better.details["polish"]
    assert polish["before"] == plain.details["disagreement"]
    assert polish["after"] == better.details["disagreement"] <= polish["before"]
    assert polish["gain"] == polish["before"] - polish["after"]
    assert json.dumps(better.to_dict(), allow_nan=False)


def test_a_cycle_of_equals_is_tied_and_an_unequal_one_is_not():
    cycle = [("r", "s"), ("s", "p"), ("p", "r")]
    ranking = bp.rank(Battles.of([(a, b, 1) for a, b in cycle]), "sco")
    assert ranking.levels == (("p", "r", "s"),)
    assert ranking.details["indistinct"] == [["p", "r", "s"]]
    assert ranking.details["disagreement"] == 1.5
    assert ranking.details["order_disagreement"] == 1
    unequal = bp.rank(Battles.of([("r", "s", 1)] * 3 + [("s", "p", 1)] * 2 + [("p", "r", 1)]), "sco")
    assert unequal.levels == (("r",), ("s",), ("p",))


def test_the_box_and_its_unit_change_nothing_but_the_scale():
    one, other = bp.rank(TABLE_1, "sco"), bp.rank(TABLE_1, "sco", low=-3.0, high=5.0)
    assert one.levels == other.levels
    for name in "ABC":
        np.testing.assert_allclose(other.scores[name], one.scores[name] * 0.08 - 3, atol=1e-6)


@pytest.mark.parametrize(
    ("alpha", "tau", "printed"), [(0.1, 0.5, 28), (0.1, 1.0, 115), (0.1, 2.0, 463), (0.01, 0.5, 289)]
)
def test_full_descent_reaches_the_optimal_order_as_table_4_prints(alpha, tau, printed):
    """SCO Table 4, within one per cent or two steps: the paper's is float32."""
    rule = Settings(2 * printed, alpha, None, tau)
    order = None
    for step, theta in enumerate(steps(votes_of(EQ_10), rule, np.full(3, 50.0), np.random.default_rng(0)), 1):
        new = tuple(np.argsort(-theta))
        if new == (2, 0, 1) and order != new:
            reached = step
        order = new
    assert order == (2, 0, 1)
    assert abs(reached - printed) <= max(2, 0.01 * printed)


def test_algorithm_1_on_all_votes_is_gradient_descent_on_the_mean_loss():
    cells, votes = cells_from(TABLE_1), votes_of(TABLE_1)
    theta = np.full(3, 50.0)
    for _ in range(50):
        theta = np.clip(theta - 0.2 * sigmoid_gradient(theta, cells, 1.0) / 5, 0, 100)
    estimate = algorithm_1(votes, Settings(50, 0.2, None), np.random.default_rng(0))
    np.testing.assert_allclose(estimate, theta, atol=1e-12)


def test_batches_of_pairs_sum_and_batches_of_votes_average():
    one_vote = votes_of(Ballots.of([[["a"], ["b"]]]))
    by_votes = algorithm_1(one_vote, Settings(1, 1.0, 4), np.random.default_rng(0))
    by_pairs = algorithm_1(one_vote, Settings(1, 1.0, 4, unit="pairs"), np.random.default_rng(0))
    np.testing.assert_allclose(by_votes, [50.25, 49.75])
    np.testing.assert_allclose(by_pairs, [51, 49])


def test_stochastic_descent_repeats_by_seed_and_says_it_cannot_tell_convergence():
    one = bp.rank(EQ_10, "sco", solver="sgd", temperature=0.5, learning_rate=0.1, seed=3)
    assert one.to_dict() == bp.rank(EQ_10, "sco", solver="sgd", temperature=0.5, learning_rate=0.1, seed=3).to_dict()
    assert one.winners == ("C",)
    assert "no test of convergence" in str(one)


def test_votes_on_two_agents_hold_every_preference_of_the_counts():
    votes = votes_of_two(cells_from(TABLE_1))
    wins = np.zeros((3, 3))
    np.add.at(wins, (votes.winner, votes.loser), votes.weight)
    np.testing.assert_array_equal(wins, [[0, 4, 2], [1, 0, 2], [3, 3, 0]])


def test_the_requested_temperature_is_used_and_reported():
    cells = cells_from(TABLE_1)
    ranking = bp.rank(TABLE_1, "sco", temperature=2.5)
    theta = np.array([ranking.scores[name] for name in "ABC"])
    assert ranking.details["temperature"] == 2.5
    assert ranking.details["loss"] == pytest.approx(sigmoid_loss(theta, cells, 2.5))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (
            {"low": 5.0, "high": 5.0},
            "`low` must be below `high`, both finite: they bound the ratings; got '5.0' and '5.0'",
        ),
        ({"high": float("inf")}, "both finite"),
        ({"temperature": 0.0}, "`temperature` must be a positive number; got '0.0'"),
        ({"temperature": float("nan")}, "`temperature` must be a positive number; got 'nan'"),
        ({"solver": "sgdd"}, "Did you mean 'sgd'"),
        ({"loss": "hinge"}, "`loss` must be one of sigmoid, fenchel_young"),
        ({"solver": "sgd", "batch": 0}, "`batch` must be a whole number, 1 or more; got 0"),
        ({"solver": "sgd", "iterations": 2.5}, "`iterations` must be a whole number"),
        ({"solver": "sgd", "learning_rate": -1.0}, "`learning_rate` must be a positive number; got '-1.0'"),
        ({"solver": "sgd", "unit": "rows"}, "`unit` must be one of votes, pairs"),
        ({"solver": "exact", "loss": "fenchel_young"}, "convex"),
    ],
)
def test_settings_that_cannot_work_are_refused_in_a_sentence(bad, words):
    with pytest.raises(UsageError, match=words.replace("(", r"\(")):
        bp.rank(TABLE_1, "sco", **bad)


def test_margins_and_votes_without_a_preference_are_refused_in_a_sentence():
    with pytest.raises(DataError, match="sco needs"):
        bp.rank(TABLE_1.pairs().margins(), "sco")
    with pytest.raises(DataError, match="every comparison is tied"):
        bp.rank(Ballots.of([[["a", "b"]]]), "sco", solver="sgd")


def test_a_fit_that_did_not_converge_says_so_wherever_it_is_shown(monkeypatch):
    monkeypatch.setattr("beatpath.methods.rating.sco.solver.STEPS", 0)
    monkeypatch.setattr("beatpath.methods.rating.sco.solver.LONG", 0)
    ranking = bp.rank(TABLE_1, "sco")
    assert "not final" in ranking.status
    assert "not final" in str(ranking)
    assert "not final" in ranking.to_dict()["status"]


def test_many_agents_and_few_battles_need_no_table_of_all_pairs():
    """Twenty thousand agents in a chain, all of whose battles can be satisfied."""
    n = 20_000
    rng = np.random.default_rng(0)
    skill = rng.permutation(n)
    a, b = rng.integers(n, size=60_000), rng.integers(n, size=60_000)
    played = a != b
    a, b = a[played], b[played]
    battles = Battles(tuple(f"m{i}" for i in range(n)), a, b, (skill[a] > skill[b]).astype(float))
    outcome = sco(profile_of(battles))
    assert outcome.details["disagreement"] <= 0.01 * len(a)
