"""Kemeny's rule against all permutations, against itself by another computation, and against the paper."""

import json
from itertools import permutations
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Ballots, Margins, UsageError, rank
from beatpath.methods.kemeny.kemeny import kemeny, kemeny_scores, kemeny_value, unit_of_costs
from beatpath.methods.kemeny.orders import MOST, by_subsets, chain, components, good_order, reversed_margin, sure_levels
from beatpath.methods.kemeny.search import by_cuts, cycle_packing
from beatpath.methods.profile import Profile, profile_of
from helpers.paths import GOLDEN

GOLDEN = json.loads((GOLDEN / "kemeny_pentathlon.json").read_text())
INTEGERS = st.integers(-3, 3).map(float)
REALS = st.floats(-2, 2).map(lambda value: round(value, 3)) | st.sampled_from([0.1, 0.2, 0.3, -0.1])


@st.composite
def margin_matrices(draw, least=1, most=6, entries=INTEGERS | REALS):
    n = draw(st.integers(least, most))
    kind = draw(st.sampled_from([INTEGERS, REALS])) if entries is None else entries
    upper = np.zeros((n, n))
    above = np.triu_indices(n, 1)
    upper[above] = draw(st.lists(kind, min_size=len(above[0]), max_size=len(above[0])))
    return upper - upper.T


def profile(margins):
    names = tuple(f"a{k:03}" for k in range(len(margins)))
    return Profile(names, Margins(margins, names))


def voters(rng, n, votes):
    place = np.array([rng.permutation(n) for _ in range(votes)])
    wins = (place[:, :, None] < place[:, None, :]).sum(axis=0)
    return (wins - wins.T).astype(float)


def all_optima(margins):
    orders = np.array(list(permutations(range(len(margins)))))
    first, second = np.triu_indices(len(margins), 1)
    cost = np.maximum(margins, 0)[orders[:, second], orders[:, first]].sum(axis=1)
    _, tol = unit_of_costs(margins)
    return cost.min(), list(orders[cost <= cost.min() + tol])


def levels_of(optima):
    """The definition: a line after k agents when the first k are the same set in every optimal order."""
    n = len(optima[0])
    lines = [k for k in range(1, n) if len({frozenset(order[:k].tolist()) for order in optima}) == 1]
    level = np.zeros(n, dtype=np.int64)
    for k in lines:
        level[optima[0][k:]] += 1
    return level


@settings(max_examples=150, deadline=None)
@given(margin_matrices(entries=None))
def test_objective_ties_uniqueness_and_the_list_of_optima_are_those_of_all_permutations(margins):
    best, optima = all_optima(margins)
    consensus = kemeny(profile(margins), optima=1000)
    assert consensus.details["gap"] == 0
    assert consensus.details["optimal"]
    assert consensus.details["objective"] == pytest.approx(best, abs=1e-9)
    assert consensus.details["unique"] == (len(optima) == 1)
    names = {tuple(f"a{k:03}" for k in order) for order in optima}
    assert {tuple(order) for order in consensus.details["optima"]} == names
    assert len(consensus.details["optima"]) == len(names)
    assert consensus.level.tolist() == levels_of(optima).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_seven_agents_are_those_of_all_permutations(seed):
    margins = voters(np.random.default_rng(seed), 7, 4 + seed)
    best, optima = all_optima(margins)
    consensus = kemeny(profile(margins))
    assert consensus.details["objective"] == best
    assert consensus.level.tolist() == levels_of(optima).tolist()


@settings(max_examples=60, deadline=None)
@given(margin_matrices(least=2, entries=None))
def test_cuts_alone_find_what_all_permutations_find(margins):
    """Also when the margins are not strongly connected, which the rule never hands to the cuts."""
    unit, tol = unit_of_costs(margins)
    if not margins.any():
        return
    best, optima = all_optima(margins)
    part = by_cuts(margins, tol=tol, unit=unit, optima=12)
    assert part.cost == pytest.approx(best, abs=1e-9)
    assert part.optimal
    assert part.unique == (len(optima) == 1)
    assert sure_levels(part.order, part.sure).tolist() == levels_of(optima).tolist()
    listed = {tuple(order.tolist()) for order in part.optima}
    assert listed <= {tuple(order.tolist()) for order in optima}
    assert len(listed) == len(part.optima) == min(12, len(optima))


@settings(max_examples=100, deadline=None)
@given(margin_matrices(least=4, most=7, entries=st.sampled_from([0.0, 0.0, 1.0, 1.0, -1.0, 2.0])))
def test_the_rule_with_cuts_for_every_component_finds_what_all_permutations_find(margins):
    best, optima = all_optima(margins)
    with mock.patch("beatpath.methods.kemeny.kemeny.MOST", 2):
        consensus = kemeny(profile(margins))
    assert consensus.details["objective"] == best
    assert consensus.details["unique"] == (len(optima) == 1)
    assert consensus.status == "exact"
    assert consensus.level.tolist() == levels_of(optima).tolist()


@pytest.mark.parametrize("n", range(8, 15))
@pytest.mark.parametrize(("votes", "missing"), [(5, 0.0), (10, 0.0), (101, 0.0), (6, 0.5)])
def test_dynamic_programming_and_cuts_agree(n, votes, missing):
    rng = np.random.default_rng([n, votes])
    played = np.triu(rng.random((n, n)) >= missing, 1)
    margins = voters(rng, n, votes) * (played | played.T)
    unit, tol = unit_of_costs(margins)
    subsets = by_subsets(margins, tol=tol, optima=8)
    cuts = by_cuts(margins, tol=tol, unit=unit, optima=8)
    assert (subsets.cost, subsets.unique, len(subsets.optima)) == (cuts.cost, cuts.unique, len(cuts.optima))
    assert sure_levels(subsets.order, subsets.sure).tolist() == sure_levels(cuts.order, cuts.sure).tolist()
    for order in (*subsets.optima, *cuts.optima):
        assert reversed_margin(margins, order) == subsets.cost


@pytest.mark.parametrize("n", [9, 12])
def test_dynamic_programming_and_cuts_agree_on_real_weights(n):
    rng = np.random.default_rng(n)
    upper = np.triu(rng.normal(size=(n, n)), 1)
    margins = upper - upper.T
    unit, tol = unit_of_costs(margins)
    subsets, cuts = by_subsets(margins, tol=tol), by_cuts(margins, tol=tol, unit=unit)
    assert unit == 0
    assert cuts.cost == pytest.approx(subsets.cost, abs=1e-9)
    assert cuts.unique
    assert subsets.unique
    assert cuts.order.tolist() == subsets.order.tolist()


def test_the_pentathlon_has_the_values_and_scores_of_the_paper():
    votes = Ballots.of([[[name] for name in vote] for vote in GOLDEN["votes"]], count=GOLDEN["count"])
    made = profile_of(votes)
    for order, value in GOLDEN["values"].items():
        assert kemeny_value(made.wins, [made.agents.index(name) for name in order]) == value
    ranking = rank(votes, "kemeny")
    assert ranking.levels == tuple((name,) for name in GOLDEN["order"])
    assert ranking.scores == GOLDEN["scores"]
    assert ranking.status == "exact"
    assert ranking.details["value"] == GOLDEN["values"][GOLDEN["order"]]
    assert ranking.details["objective"] == 5


def test_details_are_plain_data():
    ranking = rank(
        Ballots.of([[["A"], ["B"], ["C"]], [["B"], ["C"], ["A"]], [["C"], ["A"], ["B"]]]), "kemeny", optima=5
    )
    assert json.loads(json.dumps(ranking.to_dict()))["details"]["optima"] == [
        ["A", "B", "C"],
        ["B", "C", "A"],
        ["C", "A", "B"],
    ]
    assert ranking.levels == (("A", "B", "C"),)
    assert ranking.details["unique"] is False
    assert ranking.details["components"] == [
        {"size": 3, "method": "dynamic programming", "optimal": True, "unique": False}
    ]


def test_agents_never_compared_are_tied():
    margins = np.zeros((4, 4))
    margins[0, 1], margins[1, 0] = 2, -2
    consensus = kemeny(profile(margins))
    assert consensus.level.tolist() == [0, 0, 0, 0]
    assert consensus.details["unique"] is False
    assert consensus.details["objective"] == 0


def test_one_agent_is_ranked():
    consensus = kemeny(profile(np.zeros((1, 1))))
    assert consensus.level.tolist() == [0]
    assert consensus.details["unique"] is True
    assert consensus.details["components"] == []


@settings(max_examples=60, deadline=None)
@given(margin_matrices(least=2, most=9))
def test_a_condorcet_winner_is_first_and_the_smith_set_above_all_others(margins):
    consensus = kemeny(profile(margins))
    n = len(margins)
    winner = np.flatnonzero(((margins > 0) | np.eye(n, dtype=bool)).all(axis=1))
    if len(winner):
        assert consensus.level[winner[0]] == 0
        assert (consensus.level == 0).sum() == 1
    reach = margins >= 0
    for via in range(n):
        reach |= reach[:, [via]] & reach[[via], :]
    smith = reach.all(axis=1)
    if not smith.all():
        assert consensus.level[smith].max() < consensus.level[~smith].min()


@settings(max_examples=60, deadline=None)
@given(margin_matrices(least=2, most=8), st.randoms(use_true_random=False))
def test_renaming_agents_renames_the_answer(margins, random):
    shuffle = np.array(random.sample(range(len(margins)), len(margins)))
    consensus, renamed = kemeny(profile(margins)), kemeny(profile(margins[np.ix_(shuffle, shuffle)]))
    assert renamed.details["objective"] == pytest.approx(consensus.details["objective"], abs=1e-9)
    assert renamed.level.tolist() == consensus.level[shuffle].tolist()
    np.testing.assert_allclose(renamed.score, consensus.score[shuffle], atol=1e-12)


@pytest.mark.parametrize("votes", [60, 61])
def test_a_large_component_is_the_same_under_other_names_and_in_a_second_run(votes):
    rng = np.random.default_rng(7)
    margins = voters(rng, 32, votes)
    shuffle = rng.permutation(32)
    consensus, again = kemeny(profile(margins)), kemeny(profile(margins))
    renamed = kemeny(profile(margins[np.ix_(shuffle, shuffle)]))
    assert consensus.details == again.details
    assert consensus.level.tolist() == again.level.tolist()
    assert consensus.details["components"][0]["method"].startswith("cuts")
    assert consensus.details["objective"] == renamed.details["objective"]
    assert consensus.level[shuffle].tolist() == renamed.level.tolist()


def test_branching_proves_what_the_relaxation_leaves_fractional():
    """Random tournaments with unit margins: their triangle relaxation is often fractional."""
    branched = 0
    for seed in range(7, 10):
        rng = np.random.default_rng(seed)
        upper = np.triu(rng.choice([-1.0, 1.0], size=(16, 16)), 1)
        margins = upper - upper.T
        unit, tol = unit_of_costs(margins)
        cuts = by_cuts(margins, tol=tol, unit=unit)
        assert cuts.cost == by_subsets(margins, tol=tol).cost
        branched += cuts.method == "cuts and branching"
    assert branched


@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_a_time_limit_gives_the_best_order_and_a_finite_gap(limit):
    margins = voters(np.random.default_rng(0), 120, 11)
    consensus = kemeny(profile(margins), time_limit=limit)
    details = consensus.details
    assert not details["optimal"]
    assert details["unique"] is None
    assert 0 < details["gap"] <= details["objective"]
    assert details["bound"] == pytest.approx(details["objective"] - details["gap"])
    assert consensus.status.startswith("stopped at the time limit: the best order found disagrees with ")
    assert sorted(consensus.level.tolist()) == list(range(120))


def test_margins_between_components_are_never_reversed():
    margins = voters(np.random.default_rng(3), 20, 3)
    place = {int(a): k for k, part in enumerate(components(margins)) for a in part}
    for a, b in np.argwhere(margins > 0):
        assert place[a] <= place[b]


@given(margin_matrices(least=2, most=9))
@settings(max_examples=60, deadline=None)
def test_no_single_move_betters_a_good_order(margins):
    order = good_order(margins, tol=1e-9)
    cost = reversed_margin(margins, order)
    for place in range(len(order)):
        for target in range(len(order)):
            moved = np.insert(np.delete(order, place), target, order[place])
            assert reversed_margin(margins, moved) >= cost - 1e-8


@given(margin_matrices(least=3, most=9))
@settings(max_examples=60, deadline=None)
def test_packed_cycles_bound_every_order_from_below(margins):
    _, tol = unit_of_costs(margins)
    best = by_subsets(margins, tol=tol).cost
    packed, cycles = cycle_packing(margins, np.arange(len(margins)))
    assert (margins[cycles, np.roll(cycles, -1, axis=1)] > 0).all()
    assert packed <= best + tol
    if (margins != 0).sum() == len(margins) * (len(margins) - 1):
        assert (packed > 0) == (best > 0)


@given(st.permutations(range(6)))
def test_a_chain_has_a_level_for_every_agent(order):
    assert sure_levels(np.array(order), chain(np.array(order))).tolist() == np.argsort(order).tolist()


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"time_limit": -1}, "`time_limit` must be a number of seconds"),
        ({"time_limit": float("nan")}, "`time_limit` must be a number of seconds"),
        ({"optima": 0}, "`optima` must be a whole number"),
        ({"optima": 2.5}, "`optima` must be a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings_, words):
    with pytest.raises(UsageError, match=words):
        kemeny(profile(np.zeros((2, 2))), **settings_)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.integers(0, 2**16))
def test_scores_of_tied_agents_are_the_mean_over_all_ways_to_order_them(level, seed):
    level = np.array(level)
    wins = np.random.default_rng(seed).integers(0, 9, size=(len(level), len(level))).astype(float)
    np.fill_diagonal(wins, 0)
    parted = [order for order in permutations(range(len(level))) if (np.diff(level[list(order)]) >= 0).all()]
    scores = [[sum(wins[i, j] for j in order[order.index(i) + 1 :]) for i in range(len(level))] for order in parted]
    np.testing.assert_allclose(kemeny_scores(wins, level), np.mean(scores, axis=0))


@pytest.mark.parametrize(("n", "unit"), [(MOST, 2.0**41), (MOST + 1, 0.0)])
def test_whole_margins_have_a_unit_as_long_as_sums_of_all_are_exact(n, unit):
    """Up to so many agents floats hold the sum over all pairs; beyond, margins of 2^40 and more count as rounded."""
    margins = 2.0**41 * (np.triu(np.ones((n, n)), 1) - np.tril(np.ones((n, n)), -1))
    assert unit_of_costs(margins)[0] == unit
    assert unit_of_costs(margins / 4)[0] == 2.0**39
