"""Three-cycles: counts and order by brute force, false alarms by the binomial itself, power by the normal approximation."""

import json
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from scipy.stats import t as student

import beatpath as bp
from beatpath._errors import UsageError
from beatpath.inference.cycles.cycles import cycles, edge_z
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.tournaments import by_brute_force


def named(n):
    return tuple(f"agent{k:03d}" for k in range(n))


def counted(won, battles, agents=None):
    """Win rates of every pair (in the order of `combinations`): so many battles, so many of them won by the first."""
    won, battles = np.asarray(won), np.asarray(battles)
    n = next(n for n in range(2, 100) if n * (n - 1) // 2 == len(won))
    a, b = np.triu_indices(n, 1)
    counts = np.stack([won, battles - won, 0 * won, 0 * won], axis=1)
    played = battles > 0
    return win_rate_inference(bp.Pairs(agents or named(n), a[played], b[played], counts[played]))


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=10, max_size=10), st.integers(1, 40))
def test_only_pairs_with_enough_battles_and_a_winner_are_edges(cells, least):
    battles = np.array([n for n, _ in cells])
    won = np.minimum([w for _, w in cells], battles)
    if not battles.any():
        return
    cycle_test = cycles(counted(won, battles), min_battles=least, most=100)
    enough = (battles >= least) & (2 * won != battles)
    i, j = (side[enough] for side in np.triu_indices(5, 1))
    ahead = (2 * won > battles)[enough]
    edges = np.where(ahead, i, j), np.where(ahead, j, i)
    expected = {one for one, _ in by_brute_force(5, *edges, np.zeros(len(i)))}
    assert cycle_test.observed == len(expected) == len(cycle_test.listed)
    assert {tuple(int(name[-3:]) for name in one.agents) for one in cycle_test.listed} == expected
    assert cycle_test.pairs == (battles >= least).sum()


def test_every_edge_of_a_cycle_carries_its_rate_count_and_strength():
    cycle_test = cycles(counted([60, 20, 36], [100, 50, 60]))
    (one,) = cycle_test.listed
    assert one.agents == named(3)
    assert [(e.winner[-1], e.loser[-1], e.battles) for e in one.edges] == [
        ("0", "1", 100),
        ("1", "2", 60),
        ("2", "0", 50),
    ]
    assert [e.rate for e in one.edges] == pytest.approx([0.6, 0.6, 0.6])
    assert cycle_test.weakest_edge_z == one.weakest_edge_z == min(e.z for e in one.edges) == one.edges[2].z


def equal_agents_called_uneven(battles, statistic, critical):
    """The exact chance that an even pair of independent battles is called uneven."""
    won = np.arange(battles + 1)
    every = [[w, battles - w, 0, 0] for w in won.tolist()]
    pairs = win_rate_inference(bp.Pairs(named(2 * len(won)), 2 * won, 2 * won + 1, every))
    return binom.pmf(won, battles, 0.5)[np.abs(statistic(pairs)) > critical].sum()


@pytest.mark.parametrize("battles", [20, 30, 50, 100, 200])
@pytest.mark.parametrize("pairs", [3, 45, 1326])
def test_even_pairs_are_called_uneven_no_more_often_than_the_level(battles, pairs):
    level = 0.05 / pairs
    assert equal_agents_called_uneven(battles, edge_z, norm.isf(level / 2)) <= 1.4 * level  # what discreteness adds


def test_one_triple_needs_one_side_and_several_cycles_share_the_risk():
    one = cycles(counted([60, 40, 60], [100] * 3))
    assert one.critical == pytest.approx(norm.isf(0.05))
    assert one.critical_each == pytest.approx(norm.isf(0.025))
    ladder = cycles(counted([60] * 6, [100] * 6))  # four agents in order: nothing to share
    assert ladder.observed == 0
    ring = cycles(counted([51, 49, 51, 51, 51, 51], [100] * 6))  # one apparent cycle of four triples
    assert ring.observed == 1
    assert ring.critical == pytest.approx(norm.isf(0.025))
    won = [70, 30, 52, 70, 70, 40]  # a > b > c > a for sure, and a > d > c > a perhaps
    two = cycles(counted(won, [100] * 6))
    assert (two.observed, two.significant) == (2, 1)
    assert two.critical == pytest.approx(norm.isf(0.025))  # Holm's second step: one of two cycles is left
    neither = cycles(counted([51, 49, 52, 51, 51, 49], [100] * 6))
    assert (neither.observed, neither.critical) == (2, pytest.approx(norm.isf(0.0125)))


@pytest.mark.parametrize(("n", "weakest", "apparent", "tests"), [(6, (4, 5), 2, 2), (14, (7, 13), 91, 78)])
def test_what_is_already_certain_no_longer_shares_the_risk(n, weakest, apparent, tests):
    """Holm's second step, over two cycles apart and over the 78 edges of 91 cycles: one weak edge has to exceed one quantile."""
    a, b = np.triu_indices(n, 1)
    ahead = (a == 0) | (b - a <= 6)  # one beats all, and every other of 13 the next six
    if n == 6:  # two cycles, one above the other
        ahead = (a // 3 != b // 3) | (b - a == 1)
    won = np.where(ahead, 90, 10)
    won[(a == weakest[0]) & (b == weakest[1])] = 61
    cycle_test = cycles(counted(won, np.full(len(won), 100)), most=100)
    weak = min(one.weakest_edge_z for one in cycle_test.listed)
    assert norm.isf(0.025) < weak < norm.isf(0.025 / tests)
    assert cycle_test.critical == pytest.approx(norm.isf(0.025))
    assert cycle_test.significant == cycle_test.observed == apparent


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.4])
def test_false_cycles_stand_on_one_board_of_twenty_at_most(spread):
    """Ladders of equal agents, of agents near each other, and of some whose neighbours alone are near."""
    rng, n, battles, boards = np.random.default_rng(8), 6, 200, 400
    a, b = np.triu_indices(n, 1)
    chance = 1 / (1 + np.exp(-spread * (b - a)))
    wrong = sum(
        cycles(counted(won, np.full(len(won), battles))).significant > 0
        for won in rng.binomial(battles, chance, size=(boards, len(a)))
    )
    assert wrong / boards <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / boards)


def test_a_cycle_with_one_even_pair_is_significant_no_more_often_than_the_level():
    """The worst case: two edges that are certain and one between equals."""
    rng, battles, boards = np.random.default_rng(9), 200, 1000
    significant = [
        cycles(counted([190, battles - won, 190], [battles] * 3)).significant
        for won in rng.binomial(battles, 0.5, boards)
    ]
    assert np.mean(significant) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / boards))


def test_clusters_that_reach_over_pairs_make_no_more_false_cycles():
    rng, n, wrong, boards = np.random.default_rng(10), 5, 0, 150
    a, b = np.triu_indices(n, 1)
    for _ in range(boards):
        lean = rng.normal(0, 1.0, (60, n))
        rows, cluster = [], []
        for c in range(60):
            won = rng.random((len(a), 2)) < (1 / (1 + np.exp(lean[c, b] - lean[c, a])))[:, None]
            rows += [(f"x{i}", f"x{j}", float(w)) for i, j, two in zip(a, b, won, strict=True) for w in two]
            cluster += [f"c{c:02d}"] * (2 * len(a))
        battles = bp.Battles.of(rows, factors={"cluster": bp.Factor.of(cluster)})
        wrong += cycles(win_rate_inference(battles)).significant > 0
    assert wrong / boards <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / boards)


@pytest.mark.parametrize("weight", [1.0, 2.0])
@pytest.mark.parametrize("size", [1, 4])
def test_the_strength_of_an_edge_counts_clusters_around_one_half_and_one_even_battle(size, weight):
    rng = np.random.default_rng(size)
    outcome = (rng.random(24) < 0.8).astype(float)
    cluster = np.arange(24) // size
    battles = bp.Battles(
        ("a", "b"),
        np.zeros(24, int),
        np.ones(24, int),
        outcome,
        weight=np.full(24, weight),
        factors={"cluster": bp.Factor.of(f"{c:02d}" for c in cluster)},
    )
    off = weight * np.array([(outcome[cluster == c] - 0.5).sum() for c in np.unique(cluster)])
    expected = abs(off.sum()) / np.sqrt((off**2).sum() + weight**2 / 4)
    assert edge_z(win_rate_inference(battles)) == pytest.approx([expected])


def test_students_t_would_call_even_pairs_uneven_ten_times_too_often():
    level = 0.05 / 1326
    wrong = equal_agents_called_uneven(20, lambda win_rates: win_rates.z, student.isf(level / 2, 19))
    assert wrong > 10 * level


def test_a_planted_cycle_is_significant_as_often_as_the_normal_approximation_says():
    rng, battles, chance, rounds = np.random.default_rng(7), 160, 0.6, 400
    needed = norm.isf(0.05)
    mean, deviation = (chance - 0.5) / np.sqrt(0.25 / battles), np.sqrt(chance * (1 - chance) / 0.25)
    power = norm.sf((needed - mean) / deviation) ** 3
    significant = [
        cycles(counted([w[0], battles - w[1], w[2]], [battles] * 3)).significant
        for w in rng.binomial(battles, chance, size=(rounds, 3))
    ]
    assert 0.3 < power < 0.7
    assert np.mean(significant) == pytest.approx(power, abs=4 * np.sqrt(power * (1 - power) / rounds))


@pytest.mark.parametrize("spread", [0.0, 0.03, 0.1])
def test_a_transitive_truth_seems_cyclic_and_none_of_it_survives(spread):
    rng, n, battles = np.random.default_rng(3), 12, 40
    a, b = np.triu_indices(n, 1)
    chance = 1 / (1 + np.exp(-spread * (b - a)))
    cycle_tests = [cycles(counted(rng.binomial(battles, chance), np.full(len(a), battles))) for _ in range(40)]
    assert np.mean([one.observed for one in cycle_tests]) > 1
    assert sum(one.significant > 0 for one in cycle_tests) <= 2


def test_battles_that_repeat_each_other_make_no_cycle_survive():
    """Equal agents; of every pair 20 prompts, each judged forty times alike."""
    rng = np.random.default_rng(5)
    a, b = (np.repeat(side, 800) for side in np.triu_indices(8, 1))
    prompt = np.arange(len(a)) // 40
    rows, blind = 0, 0
    for _ in range(10):
        outcome = rng.integers(0, 2, size=len(a) // 40).astype(float)[prompt]
        battles = bp.Battles(named(8), a, b, outcome, factors={"prompt": bp.Factor.of(f"{p:05d}" for p in prompt)})
        rows += cycles(win_rate_inference(battles, cluster="prompt")).significant
        blind += cycles(win_rate_inference(battles, cluster=None)).significant
    assert rows == 0
    assert blind > 3


def test_the_answer_does_not_depend_on_the_order_of_agents():
    rng = np.random.default_rng(1)
    n, order = 7, np.array([3, 1, 6, 0, 5, 2, 4])
    a, b = np.triu_indices(n, 1)
    counts = np.zeros((len(a), 4), dtype=int)
    counts[:, 0] = rng.integers(0, 31, size=len(a))
    counts[:, 1] = 30 - counts[:, 0]
    names = np.array(named(n))
    one = cycles(win_rate_inference(bp.Pairs(tuple(names), a, b, counts)), most=5)
    place = np.argsort(order)
    turned = place[a] > place[b]
    swapped = np.where(turned[:, None], counts[:, [1, 0, 2, 3]], counts)
    low, high = np.minimum(place[a], place[b]), np.maximum(place[a], place[b])
    by_pair = np.lexsort((high, low))
    pairs = bp.Pairs(tuple(names[order]), low[by_pair], high[by_pair], swapped[by_pair])
    other = cycles(win_rate_inference(pairs), most=5)
    assert (one.observed, one.significant, one.triads) == (other.observed, other.significant, other.triads)
    assert [(c.agents, c.weakest_edge_z) for c in one.listed] == [(c.agents, c.weakest_edge_z) for c in other.listed]


def test_an_edge_without_a_positive_variance_is_seen_and_never_certain():
    win_rates = counted([70, 30, 70], [100, 100, 100])
    cycle_test = cycles(replace(win_rates, own=np.array([win_rates.own[0], -win_rates.own[1], win_rates.own[2]])))
    assert (cycle_test.observed, cycle_test.significant, cycle_test.weakest_edge_z) == (1, 0, 0.0)
    assert cycles(win_rates).significant == 1


def test_asking_for_more_battles_leaves_fewer_pairs_and_cycles():
    rng = np.random.default_rng(2)
    battles = rng.integers(1, 120, size=190)
    win_rates = counted(rng.binomial(battles, 0.5), battles)
    cycle_tests = [cycles(win_rates, min_battles=least) for least in (1, 10, 50, 100, 200)]
    assert [one.settings["min_battles"] for one in cycle_tests] == [1, 10, 50, 100, 200]
    for wider, narrower in pairwise(cycle_tests):
        assert wider.pairs >= narrower.pairs
        assert wider.observed >= narrower.observed
        assert (wider.weakest_edge_z or 0) >= (narrower.weakest_edge_z or 0)
    assert (cycle_tests[-1].pairs, cycle_tests[-1].observed, cycle_tests[-1].weakest_edge_z) == (0, 0, None)
    assert cycle_tests[0].observed > 100


def test_sentences_say_what_survives_and_what_does_not():
    some = cycles(counted([70, 30, 70], [100] * 3, agents=("a\nb", "rock", "zed")))
    assert some.sentences[0] == "1 of 1 apparent three-cycle survives the noise (simultaneous 95 % confidence)."
    assert r"'a\nb' beats 'rock' (70.0 % of 100 battles)" in some.sentences[1]
    none = cycles(counted([55, 45, 55], [100] * 3))
    assert none.sentences == (
        "1 apparent three-cycle, which does not survive the noise (its weakest edge has z = 1.0, and 1.6 is needed).",
    )
    one_order = cycles(counted([60, 60, 60], [100] * 3))
    assert one_order.sentences == ("The only triple with at least 20 battles per pair is not a cycle.",)
    assert "`--min-battles 2` tests some" in cycles(counted([1, 1, 1], [2] * 3)).sentences[0]
    json.dumps([one.to_dict() for one in (some, none)], allow_nan=False)


def test_pairs_with_eighteen_of_twenty_battles_get_a_hint_on_min_battles():
    few = cycles(counted([12, 6, 12], [18] * 3))
    assert few.most_battles == 18
    assert few.sentences[0].startswith("Cycles were not tested: no three agents have at least 20 battles")
    assert few.sentences[0].endswith("`--min-battles 18` tests some.")
    assert cycles(counted([12, 6, 12], [18] * 3), min_battles=18).triads == 1
    path = bp.Pairs(("a", "b", "c"), [0, 1], [1, 2], [[30, 10, 0, 0]] * 2)
    assert cycles(path).sentences[0] == "Cycles were not tested: no three agents were all compared directly."


@given(st.lists(st.integers(0, 6), min_size=10, max_size=10))
def test_the_battles_of_the_best_triple_are_those_of_trying_all(counts):
    a, b = np.triu_indices(5, 1)
    played = [k for k in range(10) if counts[k]]
    if not played:
        return
    pairs = bp.Pairs(tuple("abcde"), a[played], b[played], [[counts[k], 0, 0, 0] for k in played])
    many = {(i, j): counts[k] for k, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True))}
    best = max(min(many[i, j], many[i, k], many[j, k]) for i, j, k in combinations(range(5), 3))
    assert cycles(pairs, min_battles=7).most_battles == best


def test_the_planted_cycle_of_the_example_survives():
    cycle_test = cycles(win_rate_inference(bp.example()))
    assert cycle_test.significant == 1
    assert set(cycle_test.strongest.agents) == {"aurora", "basalt", "cinder"}


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"level": 95}, {"min_battles": 0}, {"most": 0}])
def test_a_wrong_argument_is_named(wrong):
    (name,) = wrong
    with pytest.raises(UsageError, match=name):
        cycles(counted([1, 1, 1], [2, 2, 2]), **wrong)


def test_by_default_a_pair_needs_twenty_battles():
    assert cycles(counted([11, 9, 11], [20] * 3)).pairs == 3
    assert cycles(counted([11, 8, 11], [20, 19, 20])).pairs == 2
