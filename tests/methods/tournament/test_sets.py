import json
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from beatpath import Margins
from beatpath._errors import DataError, UsageError
from beatpath.evidence.condorcet import condorcet
from beatpath.methods.graph.relation import beats
from beatpath.methods.tournament.solutions import (
    COVERINGS,
    banks_set,
    bipartisan_set,
    copeland_set,
    covers,
    minimal_covering_set,
    schwartz_set,
    top_cycle,
    uncovered_set,
)
from helpers.game_cases import games, named, skew
from helpers.paths import GOLDEN

SOLUTIONS = (top_cycle, schwartz_set, uncovered_set, copeland_set, minimal_covering_set, bipartisan_set, banks_set)
ORACLE = json.loads((GOLDEN / "tournament_sets_pref_voting.json").read_text())
some = settings(max_examples=40, deadline=None)
every = pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda f: f.__name__)


@st.composite
def tournaments(draw, max_agents=7):
    """Margins of which none is zero."""
    n = draw(st.integers(1, max_agents))
    row = st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)
    return skew(draw(st.lists(row, min_size=n, max_size=n)))


def members(mask):
    return set(np.flatnonzero(mask).tolist())


def subsets(items):
    items = list(items)
    return [set(c) for k in range(1, len(items) + 1) for c in combinations(items, k)]


def smallest(sets):
    """Those that contain no other."""
    return [s for s in sets if not any(t < s for t in sets)]


def covers_within(M, group, c, a):
    """McKelvey's relation, word for word: c beats a and does at least as well against everyone in the group."""
    sign = np.sign(M)
    return M[c, a] > 0 and all(sign[c, b] >= sign[a, b] for b in group)


def test_ste_example_b1_has_everyone_in_both_cores():
    P = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    assert all(solution(named(skew(2 * P - 1))).all() for solution in SOLUTIONS)


def test_ste_example_b2_has_the_condorcet_winner_alone():
    P = np.array([[0.5, 0.8, 0.9, 0.85], [0.2, 0.5, 0.6, 0.55], [0.1, 0.4, 0.5, 0.52], [0.15, 0.45, 0.48, 0.5]])
    for solution in SOLUTIONS:
        assert members(solution(named(skew(2 * P - 1)))) == {0}


def test_ste_example_b3_has_an_uncovered_set_smaller_than_the_top_cycle():
    wins = np.zeros((4, 4))
    for winner, loser in ("BA", "CA", "CB", "DB", "DC", "AD"):
        wins["ABCD".index(winner), "ABCD".index(loser)] = 1
    m = Margins.from_wins(wins, list("ABCD"))
    assert members(top_cycle(m)) == {0, 1, 2, 3}
    assert members(uncovered_set(m)) == {0, 2, 3}
    assert covers(m)[2, 1]


@pytest.mark.parametrize("case", ORACLE["cases"], ids=str)
def test_agrees_with_pref_voting(case):
    m = named(np.array(case["margins"]))
    ours = {name: uncovered_set(m, covering=name) for name in COVERINGS}
    ours |= {"top_cycle": top_cycle(m), "schwartz": schwartz_set(m), "copeland": copeland_set(m)}
    ours |= {"banks": banks_set(m), "bipartisan": bipartisan_set(m)}
    assert {key: sorted(members(ours[key])) for key in case["sets"]} == case["sets"]


@some
@given(games(max_agents=6, largest=1))
def test_the_top_cycle_is_the_smallest_set_that_beats_all_outside(M):
    everyone = set(range(len(M)))
    dominating = [s for s in subsets(everyone) if all(M[a, b] > 0 for a in s for b in everyone - s)]
    assert smallest(dominating) == [members(top_cycle(named(M)))]


@some
@given(games(max_agents=6, largest=1))
def test_the_schwartz_set_joins_the_smallest_sets_that_nobody_outside_beats(M):
    everyone = set(range(len(M)))
    unbeaten = [s for s in subsets(everyone) if not any(M[b, a] > 0 for a in s for b in everyone - s)]
    assert set.union(*smallest(unbeaten)) == members(schwartz_set(named(M)))


@some
@given(games(max_agents=6, largest=1))
def test_covering_is_what_each_name_says(M):
    n, m = len(M), named(M)
    out = [{b for b in range(n) if M[a, b] > 0} for a in range(n)]
    into = [{b for b in range(n) if M[b, a] > 0} for a in range(n)]
    relations = {
        "mckelvey": lambda c, a: covers_within(M, range(n), c, a),
        "bordes": lambda c, a: M[c, a] > 0 and out[a] <= out[c],
        "gillies": lambda c, a: M[c, a] > 0 and into[c] <= into[a],
        "fishburn": lambda c, a: into[c] < into[a],
    }
    for name, relation in relations.items():
        expected = [[bool(relation(c, a)) for a in range(n)] for c in range(n)]
        assert covers(m, covering=name).tolist() == expected


@some
@given(games(max_agents=6, largest=1))
def test_every_covering_set_contains_the_minimal_one(M):
    everyone = set(range(len(M)))
    covering = [
        s for s in subsets(everyone) if all(any(covers_within(M, s | {a}, c, a) for c in s) for a in everyone - s)
    ]
    assert set.intersection(*covering) == members(minimal_covering_set(named(M)))
    assert members(minimal_covering_set(named(M))) in covering


@pytest.mark.parametrize("seed", [14, 24, 36, 53, 66])
def test_the_minimal_covering_set_can_lie_strictly_between(seed):
    """Random games of 7 to 9 agents in which it differs from both neighbours, against all sets of agents."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(7, 10))
    M = skew(rng.choice([-1, 1], (n, n)) if seed % 2 else rng.integers(-1, 2, (n, n)))
    worse = [[{b for b in range(n) if M[c, b] < M[a, b]} for a in range(n)] for c in range(n)]
    covering = [
        s
        for s in subsets(range(n))
        if all(any(M[c, a] > 0 and not worse[c][a] & (s | {a}) for c in s) for a in set(range(n)) - s)
    ]
    minimal = members(minimal_covering_set(named(M)))
    assert set.intersection(*covering) == minimal
    assert members(bipartisan_set(named(M))) < minimal < members(uncovered_set(named(M)))


def equilibrium_may_use(M, agent):
    """Whether some optimal strategy of the game of signs uses the agent, by a linear program for it alone."""
    n = len(M)
    solution = linprog(
        -np.eye(n)[agent], A_ub=-np.sign(M).T, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0], method="highs"
    )
    return -solution.fun > 1e-7


@some
@given(games(max_agents=7, largest=1))
def test_the_bipartisan_set_has_every_agent_that_some_equilibrium_uses(M):
    assert members(bipartisan_set(named(M))) == {a for a in range(len(M)) if equilibrium_may_use(M, a)}


@some
@given(games(max_agents=6, largest=1))
def test_the_banks_set_has_the_heads_of_all_maximal_chains(M):
    chains = [
        order
        for s in subsets(range(len(M)))
        for order in permutations(s)
        if all(M[a, b] > 0 for a, b in combinations(order, 2))
    ]
    maximal = [chain for chain in chains if not any(set(chain) < set(other) for other in chains)]
    assert members(banks_set(named(M))) == {chain[0] for chain in maximal}


@pytest.mark.parametrize(("n", "seed"), [(8, 302), (8, 519), (8, 155), (8, 357), (14, 0), (14, 1), (14, 2)])
def test_the_banks_set_of_larger_tournaments_is_that_of_a_plain_search(n, seed):
    """The first four are cases in which a set of wins with a cycle in it would do what no chain does."""
    rng = np.random.default_rng(seed)
    M = skew(np.where(rng.random((n, n)) < 0.25, -1, 1))
    W = M > 0

    def extends(chain):
        """Whether some chain that goes on below this one is beaten in whole by nobody."""
        if not W[:, chain].all(axis=1).any():
            return True
        below = np.flatnonzero(W[chain].all(axis=0))
        return any(extends([*chain, b]) for b in below)

    assert members(banks_set(named(M))) == {a for a in range(len(M)) if extends([a])}


@every
@some
@given(M=games(), data=st.data())
def test_neutral_renaming_agents_renames_the_set(solution, M, data):
    order = np.array(data.draw(st.permutations(range(len(M)))), dtype=int)
    np.testing.assert_array_equal(solution(named(M[np.ix_(order, order)])), solution(named(M))[order])


@every
@some
@given(M=games())
def test_only_the_direction_of_a_margin_counts(solution, M):
    np.testing.assert_array_equal(solution(named(M)), solution(named(np.sign(M))))


@every
@some
@given(M=games())
def test_a_condorcet_winner_stands_alone(solution, M):
    strong = condorcet(named(M)).strong
    chosen = solution(named(M))
    assert chosen.any()
    if strong is not None:
        assert members(chosen) == {int(strong[5:])}


@some
@given(games())
def test_with_ties_the_sets_lie_within_each_other_as_published(M):
    m = named(M)
    mc_kelvey, bordes, gillies, fishburn = (members(uncovered_set(m, covering=name)) for name in COVERINGS)
    assert members(bipartisan_set(m)) <= members(minimal_covering_set(m)) <= mc_kelvey <= members(top_cycle(m))
    assert members(schwartz_set(m)) <= members(top_cycle(m))
    assert bordes | gillies <= mc_kelvey
    assert fishburn <= gillies
    assert members(copeland_set(m)) <= mc_kelvey
    assert members(banks_set(m)) <= bordes


@some
@given(tournaments())
def test_without_ties_the_readings_of_a_set_are_one(M):
    m = named(M)
    np.testing.assert_array_equal(top_cycle(m), schwartz_set(m))
    for name in COVERINGS:
        np.testing.assert_array_equal(uncovered_set(m, covering=name), uncovered_set(m))
    assert bipartisan_set(m).sum() % 2 == 1  # Laffond, Laslier and Le Breton (1993): always odd


@pytest.mark.parametrize("solution", [top_cycle, minimal_covering_set, bipartisan_set], ids=lambda f: f.__name__)
@some
@given(M=games(), data=st.data())
def test_when_outsiders_leave_the_set_stays(solution, M, data):
    inside = solution(named(M))
    keep = inside | np.array(data.draw(st.lists(st.booleans(), min_size=len(M), max_size=len(M))))
    np.testing.assert_array_equal(solution(named(M[np.ix_(keep, keep)])), inside[keep])


@pytest.mark.parametrize(
    "solution", [uncovered_set, minimal_covering_set, bipartisan_set, banks_set], ids=lambda f: f.__name__
)
@some
@given(data=st.data())
def test_a_group_that_acts_as_one_is_chosen_from_as_one(solution, data):
    """Composition consistency (Laffond, Laine and Laslier, 1996): the best of the best groups."""
    summary = data.draw(tournaments(max_agents=4))
    groups = [data.draw(tournaments(max_agents=3)) for _ in summary]
    label = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    M = summary[np.ix_(label, label)]
    for k, group in enumerate(groups):
        M[np.ix_(label == k, label == k)] = group
    best = solution(named(summary))
    expected = np.concatenate([solution(named(g)) & chosen for g, chosen in zip(groups, best, strict=True)])
    np.testing.assert_array_equal(solution(named(M)), expected)


@every
def test_one_agent_is_the_core_and_two_tied_ones_are(solution):
    assert solution(named(np.zeros((1, 1)))).tolist() == [True]
    assert solution(named(np.zeros((2, 2)))).tolist() == [True, True]
    assert solution(named(skew([[0, -1], [0, 0]]))).tolist() == [False, True]


@every
def test_rounding_does_not_make_a_win(solution):
    tie = 0.1 + 0.2 - 0.3
    assert tie != 0
    assert solution(named(skew([[0, tie, 1], [0, 0, 1], [0, 0, 0]]))).tolist() == [True, True, False]


def test_a_small_margin_of_many_votes_is_a_win():
    assert beats(named(skew([[0, 1, 1e12], [0, 0, 1], [0, 0, 0]])))[0, 1]


@every
def test_the_margins_are_left_alone(solution):
    m = named(skew([[0, 1, -1], [0, 0, 1], [0, 0, 0]]))
    before = m.matrix.copy()
    solution(m)
    np.testing.assert_array_equal(m.matrix, before)


def test_a_covering_nobody_named_is_refused():
    with pytest.raises(UsageError, match=r"'mckelvy'. Did you mean 'mckelvey'"):
        uncovered_set(named(np.zeros((2, 2))), covering="mckelvy")


def test_the_banks_set_says_whom_it_could_not_decide_in_the_steps_allowed():
    M = skew([[0, 1, -1], [0, 0, 1], [0, 0, 0]])
    with pytest.raises(DataError, match=r"within 1 steps .* for 'agent000' among 3 agents"):
        banks_set(named(M), max_steps=1)
    with pytest.raises(UsageError, match="at least 1; got 0"):
        banks_set(named(M), max_steps=0)


def test_two_thousand_agents_are_no_trouble_for_the_sets_of_one_pass():
    rng = np.random.default_rng(0)
    core, n = 5, 2000
    M = np.ones((n, n))
    M[:core, :core] = [[1 if (b - a) % core in (1, 2) else -1 for b in range(core)] for a in range(core)]
    M = skew(np.triu(M, 1))
    order = rng.permutation(n)
    m = named(M[np.ix_(order, order)])
    for solution in (top_cycle, schwartz_set, uncovered_set, copeland_set):
        assert set(order[solution(m)].tolist()) == set(range(core))


@some
@given(games(max_agents=5, largest=1), st.data())
def test_a_pair_without_battles_counts_as_tied(M, data):
    assume(len(M) > 1)
    played = np.ones(M.shape, dtype=bool)
    a, b = data.draw(st.sampled_from(list(combinations(range(len(M)), 2))))
    M[a, b] = M[b, a] = 0
    played[a, b] = played[b, a] = False
    for solution in SOLUTIONS:
        np.testing.assert_array_equal(solution(Margins(M, named(M).agents, played)), solution(named(M)))
