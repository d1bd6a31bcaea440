"""Sets of ranks: published ones, laws between methods, coverage of known truths, groups by their definition."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import beatpath as bp
from beatpath import UsageError
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.options import PROCEDURES
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.ranks.rank_sets import _borderline, rank_sets
from helpers.boards import ANY, board_of, boards
from helpers.paths import GOLDEN

PISA = json.loads((GOLDEN / "rank_sets_pisa.json").read_text())


DRAWS = 1_000


@pytest.fixture(scope="module")
def pisa():
    names, score, stderr = zip(*PISA["countries"], strict=True)
    return board_of(score, np.diag(np.square(stderr)), names=names)


def test_of_pisa_the_ranks_and_the_best_five_are_those_of_csranks(pisa):
    ranks = rank_sets(pisa)
    assert ranks.rank.tolist() == PISA["rank"]
    assert sorted(ranks.top(5)) == PISA["top_5_at_95"]
    assert sorted(rank_sets(pisa, level=0.9).top(5)) == PISA["top_5_at_90"]


def test_of_pisa_the_united_kingdom_by_itself_is_where_csranks_puts_it(pisa):
    ranks, expected = rank_sets(pisa, simultaneous=False), PISA["united_kingdom"]
    i = ranks.agents.index("United Kingdom")
    assert ranks.rank[i] == expected["rank"]
    assert ranks.best[i] in expected["best"]
    assert ranks.worst[i] == expected["worst"]


def test_of_pisa_sets_overlap_where_csranks_says_so(pisa):
    ranks, loose = rank_sets(pisa), rank_sets(pisa, level=PISA["germany_and_korea_do_not_overlap_at"])
    last = [ranks.agents.index(name) for name in PISA["apart_from_all_others"]]
    rest = np.setdiff1d(np.arange(37), last)
    assert ranks.best[last].min() > ranks.worst[rest].max()
    germany, korea = ranks.agents.index("Germany"), ranks.agents.index("Korea")
    assert ranks.best[germany] == ranks.worst[korea] == PISA["germany_and_korea_both_may_be"]
    assert loose.best[germany] > loose.worst[korea]


@given(boards(), st.booleans())
@settings(max_examples=40)
def test_every_method_is_at_least_as_sharp_as_the_next(board, simultaneous):
    results = [rank_sets(board, multiplicity=method, simultaneous=simultaneous, draws=DRAWS) for method in PROCEDURES]
    for sharp, wide in itertools.pairwise(results):
        assert (sharp.best >= wide.best).all()
        assert (sharp.worst <= wide.worst).all()


@given(boards(), st.sampled_from(PROCEDURES))
@settings(max_examples=40)
def test_the_marginal_set_of_an_agent_lies_within_the_simultaneous_one(board, method):
    alone = rank_sets(board, multiplicity=method, simultaneous=False, draws=DRAWS)
    at_once = rank_sets(board, multiplicity=method, draws=DRAWS)
    assert (alone.best >= at_once.best).all()
    assert (alone.worst <= at_once.worst).all()


@given(boards(), st.sampled_from(PROCEDURES))
@settings(max_examples=30)
def test_more_confidence_never_makes_a_set_smaller(board, method):
    loose, sure = (rank_sets(board, level=level, multiplicity=method, draws=DRAWS) for level in (0.8, 0.95))
    assert not (sure.above & ~loose.above).any()


@given(ANY, st.sampled_from(PROCEDURES), st.booleans())
@settings(max_examples=60)
def test_ranks_are_within_their_sets_and_certainty_is_an_order_of_scores(board, method, simultaneous):
    ranks = rank_sets(board, multiplicity=method, simultaneous=simultaneous, draws=DRAWS)
    n, scored = len(board.agents), ranks.rank > 0
    assert (ranks.best[scored] <= ranks.rank[scored]).all()
    assert (ranks.rank[scored] <= ranks.worst[scored]).all()
    assert (ranks.best[~scored] == 1).all()
    assert (ranks.worst[~scored] == n).all()
    a, c = np.nonzero(ranks.above)
    assert (board.score[a] > board.score[c]).all()
    if simultaneous:
        np.testing.assert_array_equal(ranks.best, 1 + ranks.above.sum(axis=0))
        np.testing.assert_array_equal(ranks.worst, n - ranks.above.sum(axis=1))
        assert not ((ranks.above.astype(int) @ ranks.above.astype(int) > 0) & ~ranks.above).any()


@given(ANY, st.sampled_from(PROCEDURES), st.booleans(), st.randoms())
@settings(max_examples=40)
def test_the_order_in_which_agents_come_changes_nothing(board, method, simultaneous, random):
    p = list(range(len(board.agents)))
    random.shuffle(p)
    other = Leaderboard(
        tuple(board.agents[i] for i in p),
        board.score[p],
        board.covariance[np.ix_(p, p)],
        board.df[np.ix_(p, p)],
        board.estimand,
    )
    one, two = (rank_sets(b, multiplicity=method, simultaneous=simultaneous, draws=DRAWS) for b in (board, other))
    if not one.borderline:
        for column in ("rank", "best", "worst", "group"):
            np.testing.assert_array_equal(getattr(two, column), getattr(one, column)[p])
        assert two.groups == one.groups


@given(boards(two_way=True), st.sampled_from(PROCEDURES), st.booleans())
@settings(max_examples=40)
def test_turning_the_scores_around_turns_the_ranks_around(board, method, simultaneous):
    other = replace(board, score=-board.score)
    one, two = (rank_sets(b, multiplicity=method, simultaneous=simultaneous, draws=DRAWS) for b in (board, other))
    assume(not one.borderline and not two.borderline)  # at the edge of the simulation other draws may decide otherwise
    np.testing.assert_array_equal(two.best, len(board.agents) + 1 - one.worst)
    np.testing.assert_array_equal(two.above, one.above.T)


def true_sets(truth):
    better = (truth[None, :] > truth[:, None]).sum(axis=1)
    worse = (truth[None, :] < truth[:, None]).sum(axis=1)
    return 1 + better, len(truth) - worse


def held(truth, L, boards, *, simultaneous, seed):
    """How often the sets hold: all of them at once, or the share of them."""
    rng = np.random.default_rng(seed)
    best, worst = true_sets(truth)
    hits = []
    for k in range(boards):
        board = board_of(truth + L @ rng.normal(size=L.shape[1]), L @ L.T)
        ranks = rank_sets(board, simultaneous=simultaneous, draws=DRAWS, seed=k)
        inside = (ranks.best <= best) & (ranks.worst >= worst)
        hits.append(inside.all() if simultaneous else inside.mean())
    return np.mean(hits)


def errors(kind, n):
    if kind == "independent":
        return np.eye(n)
    return np.column_stack([np.diag(np.linspace(0.5, 2, n)), np.full(n, 2.0), np.linspace(-1, 1, n)])


@pytest.mark.parametrize("kind", ["independent", "shared"])
@pytest.mark.parametrize(("n", "boards"), [(3, 300), (10, 300), (40, 60)])
def test_sets_of_equal_agents_cover_simultaneously_at_their_level(n, boards, kind):
    share = held(np.zeros(n), errors(kind, n), boards, simultaneous=True, seed=n)
    assert share == pytest.approx(0.95, abs=3.5 * np.sqrt(0.95 * 0.05 / boards))


@pytest.mark.slow
@pytest.mark.parametrize("gap", [6.0, 0.7])
@pytest.mark.parametrize(("n", "boards"), [(3, 300), (10, 300), (40, 40)])
def test_sets_hold_at_least_as_often_as_they_say_with_ties_among_the_true_scores(n, boards, gap):
    truth = gap * (np.arange(n) // 2)
    assert held(truth, errors("shared", n), boards, simultaneous=True, seed=n) >= 0.95 - 3 * np.sqrt(0.0475 / boards)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [np.zeros(6), np.repeat([0.0, 5.0], 3)])
def test_sets_of_one_agent_hold_as_often_as_they_say(truth):
    share = held(truth, errors("shared", 6), 300, simultaneous=False, seed=1)
    assert share >= 0.95 - 3 * np.sqrt(0.0475 / 300)


def test_intervals_of_independent_scores_are_the_known_ones():
    ranks = rank_sets(board_of(np.arange(4.0), np.diag([1.0, 4, 9, 16])))
    alone, at_once = stats.norm.ppf(0.975), stats.norm.ppf((1 + 0.95**0.25) / 2)
    np.testing.assert_allclose((ranks.high - ranks.low) / 2, alone * np.arange(1, 5), rtol=1e-9)
    np.testing.assert_allclose((ranks.joint_high - ranks.joint_low) / 2, at_once * np.arange(1, 5), rtol=0.02)


def test_a_score_with_few_degrees_of_freedom_has_students_interval():
    ranks = rank_sets(board_of([0.0, 5.0], np.eye(2), 4.0), multiplicity="bonferroni")
    assert ranks.high[0] == pytest.approx(stats.t.ppf(0.975, 4))
    assert ranks.joint_high[0] == pytest.approx(stats.t.ppf(1 - 0.025 / 2, 4))


def test_a_difference_with_few_degrees_of_freedom_needs_more():
    V, df = np.eye(3), np.full((3, 3), np.inf)
    df[0, 2] = df[2, 0] = 2.0
    assert rank_sets(board_of([5.0, 0.0, 0.0], V, df), multiplicity="bonferroni").best.tolist() == [1, 2, 1]


def test_what_two_certain_orders_imply_is_certain_though_its_own_variance_is_not_usable():
    V = np.eye(3)
    V[0, 2] = V[2, 0] = 1.2
    ranks = rank_sets(board_of([20.0, 10.0, 0.0], V))
    assert ranks.skipped == 1
    assert ranks.certain("agent000", "agent002")
    assert ranks.best.tolist() == ranks.worst.tolist() == [1, 2, 3]
    assert np.isnan(ranks.difference("agent000", "agent002").low)


def test_a_covariance_that_is_not_positive_is_noted():
    V = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert "not positive" in rank_sets(board_of([0.0, 1.0, 2.0], V)).notes[0]
    assert not rank_sets(board_of([0.0, 1.0, 2.0], np.eye(3))).notes


def test_the_same_seed_gives_the_same_answer(pisa):
    one, two, other = rank_sets(pisa), rank_sets(pisa), rank_sets(pisa, seed=1)
    assert one.to_dict() == two.to_dict()
    assert one.critical[0] != other.critical[0]
    assert one.critical[0] == pytest.approx(other.critical[0], abs=6 * one.critical_error[0])


def test_wrong_arguments_get_a_sentence_that_says_what_to_do(pisa):
    for level in (0.0, 1.0, 95, float("nan")):
        with pytest.raises(UsageError, match="`level` must lie between 0 and 1"):
            rank_sets(pisa, level=level)
    with pytest.raises(UsageError, match=r"'max_t'. Did you mean 'max-t'\?"):
        rank_sets(pisa, multiplicity="max_t")
    with pytest.raises(UsageError, match="or multiplicity='bonferroni'"):
        rank_sets(pisa, draws=100)
    ranks = rank_sets(pisa, draws=100, multiplicity="bonferroni")
    with pytest.raises(UsageError, match=r"'Koreo' must be one of the agents\. Did you mean 'Korea'"):
        ranks.certain("Koreo", "Japan")
    with pytest.raises(UsageError, match="from 1 to 37; got 0"):
        ranks.top(0)


def test_borderline_are_differences_within_two_errors_of_a_simulated_value():
    statistic = np.array([[np.nan, 2.0, 3.0], [-2.0, np.nan, 1.0], [-3.0, -1.0, np.nan]])
    assert _borderline(statistic, np.full(3, 1.97), np.full(3, 0.02)) == 1
    assert _borderline(statistic, np.full(3, 1.95), np.full(3, 0.02)) == 0
    assert (
        _borderline(statistic, np.array([9.0, 1.01, 9.0]), np.full(3, 0.02)) == 1
    )  # near by the word of one of the two
    assert _borderline(statistic, np.full(3, 2.0), np.zeros(3)) == 0  # nothing was simulated


@pytest.mark.parametrize("seed", range(6))
def test_claims_about_places_are_supported_exactly_where_rank_sets_say_so(seed):
    """First, last, among the best or the worst: by counting, over boards of which some agents are certainly ordered."""
    rng, names = np.random.default_rng(seed), tuple("abcdef")
    rows = []
    for _ in range(400):
        i, j = rng.choice(6, 2, replace=False)
        rows.append((names[i], names[j], float(rng.random() < 1 / (1 + np.exp(0.9 * (i // 2 - j // 2))))))
    board = rank_sets(bp.Battles.of(rows))
    for name, best, worst in zip(board.agents, board.best.tolist(), board.worst.tolist(), strict=True):
        expected = {f"{name} is first": worst == 1, f"{name} is last": best == 6}
        expected |= {f"{name} is in the top {k}": worst <= k for k in range(2, 6)}
        for text, holds in expected.items():
            (claim,) = claims_of(text, board.agents)
            assert board.supports(claim) == holds
            refuted = {f"{name} is first": best > 1, f"{name} is last": worst < 6}.get(text)
            k = claim.top or 1
            refuted = best > k if refuted is None else refuted
            assert (board.verdict(claim) == "shown to be false") == refuted
