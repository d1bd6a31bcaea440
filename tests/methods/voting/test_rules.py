"""The scoring, elimination and path rules: worked examples, definitions by brute force, other libraries, edges."""

import json
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Margins, UsageError
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.paths import widest_paths
from beatpath.methods.graph.relation import agreed_levels, unbeaten_layers
from beatpath.methods.voting.locking import locked_orders
from beatpath.methods.voting.pairwise import schulze_scores, split_cycle_defeats
from helpers.paths import GOLDEN
from helpers.strategies import ballots

PENTATHLON = json.loads((GOLDEN / "vase_pentathlon.json").read_text())
RULES = [
    *("plurality", "approval", "borda", "black", "stv", "minimax", "schulze", "ranked_pairs", "split_cycle"),
    *("nanson", "baldwin", "coombs", "tideman_alternative", "bucklin", "river", "stable_voting"),
]
few = settings(max_examples=60, deadline=None)


def votes_of(case):
    return Ballots.of([[[name] for name in vote] for vote in case["votes"]], count=case["counts"])


@st.composite
def margin_matrices(draw, max_agents=5, most=3):
    n = draw(st.integers(1, max_agents))
    values = draw(st.lists(st.integers(-most, most), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(values, dtype=float).reshape(n, n), 1)
    return upper - upper.T


@pytest.mark.parametrize("key", PENTATHLON["rules"])
def test_the_pentathlon_comes_out_as_printed(key):
    expected = PENTATHLON["rules"][key]
    ranking = bp.rank(votes_of(PENTATHLON), key, **expected["settings"])
    assert ["".join(level) for level in ranking.levels] == expected["levels"]
    assert ranking.status == "exact"
    if expected["scores"] is not None:
        assert ranking.scores == expected["scores"]


# Scoring rules, place by place.


def shared_points(groups, points):
    """Each group gets the mean of the points of the places it occupies."""
    given_to, place = {}, 0
    for group in groups:
        mean = np.mean(points[place : place + len(group)])
        given_to |= dict.fromkeys(group, mean)
        place += len(group)
    return given_to


@pytest.mark.parametrize("key", ["plurality", "approval", "borda"])
@few
@given(b=ballots(), k=st.integers(1, 2))
def test_tied_agents_share_the_points_of_the_places_they_occupy(key, b, k):
    expected, stood = dict.fromkeys(b.agents, 0.0), dict.fromkeys(b.agents, 0)
    for groups, n in zip(b, b.count, strict=True):
        size = sum(map(len, groups))
        for name in (name for group in groups for name in group):
            stood[name] += n * (size - 1)
        points = {
            "plurality": [1] + [0] * size,
            "approval": [1] * k + [0] * size,
            "borda": [*range(size - 1, -1, -1)],
        }[key]
        for name, value in shared_points(groups, points).items():
            expected[name] += n * value
    if key == "borda" and len({times for times in stood.values() if times}) > 1:  # compared unequally often: means
        expected = {name: value / max(stood[name], 1) for name, value in expected.items()}
    ranking = bp.rank(b, key, **({"k": k} if key == "approval" else {}))
    for name in b.agents:
        assert ranking.scores[name] == pytest.approx(expected[name])


# Paths and cycles, by trying all of them.


def strongest_by_hand(strength, a, b):
    others = [c for c in range(len(strength)) if c not in (a, b)]
    chains = [(a, *mid, b) for size in range(len(others) + 1) for mid in permutations(others, size)]
    return max((min(strength[x, y] for x, y in pairwise(p)) for p in chains), default=0)


@few
@given(margin_matrices(), st.sampled_from([1.0, 0.37, 1e5]))
def test_widest_paths_are_the_best_of_all_paths(m, scale):
    strength = np.maximum(m, 0) * scale
    widths = widest_paths(strength)
    for a, b in permutations(range(len(m)), 2):
        assert widths[a, b] == strongest_by_hand(strength, a, b)


@few
@given(margin_matrices(max_agents=4))
def test_split_cycle_drops_the_weakest_wins_of_every_cycle(m):
    n = len(m)
    expected = m > 0
    for size in range(2, n + 1):
        for cycle in permutations(range(n), size):
            steps = list(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
            weakest = min(m[a, b] for a, b in steps)
            if weakest > 0:
                for a, b in steps:
                    expected[a, b] &= m[a, b] > weakest
    np.testing.assert_array_equal(split_cycle_defeats(m), expected)


def lock_in_order(m, order):
    reach = np.zeros(m.shape, dtype=bool)
    for a, b in order:
        if not reach[b, a]:
            up, down = reach[:, a].copy(), reach[b].copy()
            up[a] = down[b] = True
            reach |= np.outer(up, down)
    return reach


def orders_by_hand(m):
    """Every order of equal wins, one at a time."""
    wins = [(a, b) for a, b in permutations(range(len(m)), 2) if m[a, b] > 0]
    groups = [[w for w in wins if m[w] == size] for size in sorted({m[w] for w in wins}, reverse=True)]
    for chosen in product(*(permutations(group) for group in groups)):
        yield lock_in_order(m, [pair for group in chosen for pair in group])


@few
@given(margin_matrices(max_agents=4))
def test_ranked_pairs_follows_every_order_of_equal_wins(m):
    orders, exact = locked_orders(m)
    assert exact
    listed = sorted(order.tobytes() for order in orders)
    assert listed == sorted({order.tobytes() for order in orders_by_hand(m)})


@few
@given(margin_matrices(max_agents=4))
def test_bounds_hold_in_every_order(m):
    orders, exact = locked_orders(m, budget=0)
    if not exact:
        certain, possible = orders
        for order in orders_by_hand(m):
            assert (order >= certain).all()
            assert (possible >= order).all()


def test_following_a_single_order_costs_no_budget():
    """The cycle of the second component has one order, however many wins: budget is left for the two of the first."""
    ring = np.array([[0, 3, -2], [-3, 0, 1], [2, -1, 0]], dtype=float)
    orders, exact = locked_orders(ring, budget=3)
    assert exact
    assert len(orders) == 1
    five = np.zeros((5, 5))
    for at, (a, b) in enumerate(permutations(range(5), 2)):
        if a < b:
            five[a, b], five[b, a] = 10 + at, -10 - at
    five[0, 4], five[4, 0] = -1, 1  # the smallest win closes the cycle
    assert locked_orders(five, budget=5)[1]


def test_wins_that_close_no_cycle_in_any_order_are_certain_where_not_all_orders_are_followed():
    """Three equal wins form a cycle; two of these agents then beat the fourth, which beats the third by least."""
    m = np.array([[0, 5, -5, -1], [-5, 0, 5, 3], [5, -5, 0, 3], [1, -3, -3, 0]], dtype=float)
    (certain, _), exact = locked_orders(m, budget=0)
    assert not exact
    in_all = np.logical_and.reduce(list(orders_by_hand(m)))
    np.testing.assert_array_equal(certain, in_all)
    assert np.argwhere(in_all).tolist() == [[1, 3], [2, 3]]


@few
@given(margin_matrices(max_agents=4))
def test_ranked_pairs_ranks_only_what_all_orders_agree_on(m):
    agents = tuple("abcd"[: len(m)])
    level = bp.rank(Margins(m, agents), "ranked_pairs").level_of()
    ways = [unbeaten_layers(order) for order in orders_by_hand(m)]
    above = np.logical_and.reduce([w[:, None] < w[None, :] for w in ways])
    np.testing.assert_array_equal(level, agreed_levels(above))


@few
@given(margin_matrices(max_agents=6), st.sampled_from(["schulze", "ranked_pairs"]))
def test_without_votes_margins_decide(m, key):
    agents = tuple("abcdef"[: len(m)])
    assert sum(map(len, bp.rank(Margins(m, agents), key).levels)) == len(agents)


# The single transferable vote, by following one way at a time.


def stv_by_hand(b, k):
    """Return the set of rankings over all orders of breaking ties, as tuples of names, best first."""
    groups = [list(vote) for vote in b]
    total = float(b.total.sum())
    quota = int(np.floor(total / (k + 1) + 1))

    def go(left, weight, won, lost):
        if not left:
            return {(won, lost)}
        tally = dict.fromkeys(left, 0.0)
        tops = []
        for vote, w in zip(groups, weight, strict=True):
            top = next((here for g in vote if (here := [n for n in g if n in left])), [])
            tops.append(top)
            for name in top:
                tally[name] += w / len(top)
        best, worst = max(tally.values()), min(tally.values())
        ways = set()
        if best >= quota - 1e-9:
            for name in [n for n in left if tally[n] >= best - 1e-9]:
                spent = [
                    w - (w / len(top)) * (quota / tally[name]) if name in top else w
                    for w, top in zip(weight, tops, strict=True)
                ]
                ways |= go(left - {name}, spent, (*won, name), lost)
        else:
            for name in [n for n in left if tally[n] <= worst + 1e-9]:
                ways |= go(left - {name}, weight, won, (name, *lost))
        return ways

    return go(frozenset(b.agents), b.total.tolist(), (), ())


@settings(max_examples=40, deadline=None)
@given(b=ballots(), data=st.data())
def test_stv_ranks_what_all_ways_of_breaking_ties_agree_on(b, data):
    b = Ballots.of([[[n for n in g if n in b.agents[:4]] for g in v] for v in b], agents=b.agents[:4], count=b.count)
    k = data.draw(st.integers(1, len(b.agents)))
    ways = stv_by_hand(b, k)
    ranking = bp.rank(b, "stv", k=k)
    place = [{name: i for i, name in enumerate(won + lost)} for won, lost in ways]
    above = np.array([[all(p[x] < p[y] for p in place) for y in b.agents] for x in b.agents])
    np.testing.assert_array_equal(ranking.level_of(), agreed_levels(above))
    assert all(len(won) <= k for won, _ in ways)
    always = set.intersection(*(set(won) for won, _ in ways))
    assert set(ranking.details["elected"]) == always
    if "possible winners" in ranking.details:
        assert ranking.details["possible winners"] == sorted({(won + lost)[0] for won, lost in ways})
    if len(ways) == 1:
        ((won, lost),) = ways
        assert ranking.status == "exact"
        bases = [int(ranking.scores[name]) for name in won + lost]
        m = len(b.agents)
        assert bases == [2 * m - i for i in range(len(won))] + [m - i for i in range(len(lost))]


def test_stv_passes_a_surplus_on_by_fractions():
    """Quota 4 of 9: x spends 4 of 6, so its ballots pass on a third each: y gets 4/3, z 2/3 more."""
    b = Ballots.of([[["x"], ["y"]], [["x"], ["z"]], [["z"]], [["w"]]], count=[4, 2, 1, 2])
    ranking = bp.rank(b, "stv", k=2)
    votes = ranking.details["votes"]
    assert ranking.details["quota"] == 4
    assert votes["x"] == 6
    assert votes["y"] == pytest.approx(4 / 3)
    assert ranking.levels == (("x",), ("w",), ("z",), ("y",))


def test_stv_with_too_many_ways_lets_tied_agents_leave_together(monkeypatch):
    from beatpath.methods.voting import stv

    b = Ballots.of([[[a], [z]] for a, z in zip("abcdef", "zzzzzz", strict=True)] + [[["z"]]] * 2)
    full = bp.rank(b, "stv", k=1)
    assert full.winners == ("z",)
    monkeypatch.setattr(stv, "MOST_COUNTS", 2)
    ranking = bp.rank(b, "stv", k=1)
    assert "too many orders" in ranking.status
    assert ranking.levels == (("z",), tuple("abcdef"))


# Other libraries.

ORACLE_FILE = GOLDEN / "voting_oracles.json"
ORACLES = json.loads(ORACLE_FILE.read_text())["cases"]


@pytest.mark.parametrize("case", ORACLES, ids=range(len(ORACLES)))
def test_pref_voting_elects_the_same(case):
    b = votes_of(case)
    for key, expected in case["pref_voting"].items():
        if key == "instant_runoff_put":
            ranking = bp.rank(b, "stv", k=1)
            got = ranking.details.get("possible winners", ranking.winners)
        else:
            ranking = bp.rank(b, key)
            got = ranking.details.get("possible winners", ranking.winners)
        assert "".join(sorted(got)) == expected, key


@pytest.mark.parametrize("case", ORACLES, ids=range(len(ORACLES)))
def test_open_spiel_gives_the_same_scores(case):
    """Not compared: rankings with ties, for the rules whose score follows the ranking; STV where a surplus passes on.

    open_spiel breaks ties by the order of the agents and passes on whole votes, the last ballots of a winner.
    """
    b = votes_of(case)
    for key, expected in case["open_spiel"].items():
        if key == "stv_ranking":
            continue
        ranking = bp.rank(b, "approval", k=2) if key == "approval2" else bp.rank(b, key)
        if key in ("ranked_pairs", "stv", "schulze") and len(ranking.levels) < len(b.agents):
            continue
        if key == "stv":
            details = ranking.details
            if any(details["votes"][name] > details["quota"] for name in details["elected"]):
                continue
        for name, score in expected.items():
            if not np.isnan(ranking.scores[name]):
                assert ranking.scores[name] == pytest.approx(score), (key, name)


# Edges.


def test_a_schulze_score_is_the_mean_over_the_orders_of_tied_agents():
    """By brute force: put the agents of each level in every order, and add N over neighbours."""
    rng = np.random.default_rng(3)
    wins, level = rng.random((6, 6)), np.array([0, 1, 1, 1, 2, 2])
    np.fill_diagonal(wins, 0)
    scores = np.zeros(6)
    orders = [(0, *x, *y) for x in permutations((1, 2, 3)) for y in permutations((4, 5))]
    for order in orders:
        for i, agent in enumerate(order):
            scores[agent] += sum(wins[x, y] for x, y in pairwise(order[i:]))
    np.testing.assert_allclose(schulze_scores(wins, level), scores / len(orders))


@pytest.mark.parametrize("key", ["approval", "stv"])
@pytest.mark.parametrize("k", [0, 4, -1, 1.5, True])
def test_k_must_be_a_number_of_agents(key, k):
    with pytest.raises(UsageError, match="`k` must be a whole number from 1 to 3, the agents there are"):
        bp.rank(votes_of(PENTATHLON), key, k=k)


def test_approval_takes_all_agents_when_they_are_fewer_than_three():
    ranking = bp.rank(Ballots.of([[["x"], ["y"]]]), "approval")
    assert ranking.details["k"] == 2
    assert ranking.scores == {"x": 1, "y": 1}


@pytest.mark.parametrize("key", RULES)
def test_everything_tied_is_one_level_and_the_status_says_so(key):
    ranking = bp.rank(
        Ballots.of([[["x"], ["y"], ["z"]], [["y"], ["z"], ["x"]], [["z"], ["x"], ["y"]]]),
        key,
        **({"k": 1} if key == "approval" else {}),
    )
    assert ranking.levels == (("x", "y", "z"),)
    assert "every agent is tied" in ranking.status


@pytest.mark.parametrize("key", RULES)
def test_a_single_ballot_is_the_answer(key):
    ranking = bp.rank(Ballots.of([[["y"], ["x"], ["z"]]]), key, **({"k": 1} if key == "approval" else {}))
    tail_tied = key in ("plurality", "approval", "stv", "minimax")  # one defeat of one vote is like another
    assert ranking.levels == ((("y",), ("x", "z")) if tail_tied else (("y",), ("x",), ("z",)))


@pytest.mark.parametrize("key", RULES)
def test_two_agents_follow_the_majority(key):
    settings = {"k": 1} if key == "approval" else {}
    b = Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], weight=[1.0, 1.25])
    assert bp.rank(b, key, **settings).levels == (("y",), ("x",))


@pytest.mark.parametrize("key", RULES)
def test_votes_of_no_weight_say_nothing(key):
    b = Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], weight=[0.0, 0.0])
    assert bp.rank(b, key).levels == (("x", "y"),)


@pytest.mark.parametrize("key", ["schulze", "ranked_pairs", "split_cycle", "minimax"])
def test_rounding_does_not_break_a_tie(key):
    """Three votes of 0.1, 0.2 and -0.3 in a cycle of equal margins 0.1 + 0.2 - 0.3, rounded."""
    m = np.array([[0, 0.3, -(0.1 + 0.2)], [-0.3, 0, 0.3], [0.1 + 0.2, -0.3, 0]])
    assert bp.rank(Margins(m, ("x", "y", "z")), key).levels == (("x", "y", "z"),)


def test_snapping_keeps_signs_and_whole_numbers():
    m = np.array([[0.0, 2.5], [-2.5, 0.0]])
    assert snapped(m) is m
    np.testing.assert_array_equal(snapped(np.array([0.3, -(0.1 + 0.2), 1.0])), [0.3, -0.3, 1.0])
