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
from beatpath.inference.ranks.claims import Claim, claims_of
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


@st.composite
def parted_boards(draw):
    """Win rates of two components with unequal degrees of freedom, an agent without a score and a pair not compared."""
    n, rng = draw(st.integers(1, 8)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    score = np.round(rng.choice([0.2, 0.5, 0.7, 0.9], n) + 0.05 * rng.normal(size=n), 2).clip(0.01, 0.99)
    score[rng.random(n) < 0.1] = np.nan
    part = np.sort(rng.integers(0, 2, n)) * draw(st.integers(0, 1))
    df = np.round(np.exp(rng.uniform(1, 6, (n, n))))
    df[rng.random((n, n)) < 0.5] = np.inf
    df[rng.random((n, n)) < 0.04] = 0.0
    df = np.minimum(df, df.T)
    np.fill_diagonal(df, 30.0)
    battles = draw(st.sampled_from([None, rng.integers(1, 60, n).astype(float)]))
    L = np.column_stack([np.diag(rng.uniform(0.02, 0.1, n)), rng.normal(size=(n, 1)) / 30])
    names = tuple(f"agent{i:03d}" for i in range(n))
    return Leaderboard(names, score, L @ L.T, df, "a score", part=part, battles=battles, bounds=(0.0, 1.0))


def bonferronis_z(error, hypotheses):
    return stats.norm.isf(error / max(hypotheses, 1))


@given(parted_boards(), st.booleans(), st.sampled_from([0.8, 0.95]))
@settings(max_examples=40)
def test_every_part_of_a_board_by_bonferroni_follows_its_definition(board, simultaneous, level):
    """Pair by pair: Student's tails with the variance if both are equal, a share of the error for each test of its family."""
    ranks = rank_sets(board, multiplicity="bonferroni", simultaneous=simultaneous, level=level)
    n, part, error = len(board.agents), board.parts, 1 - level
    z, used, t_of = np.full((n, n), np.nan), np.zeros((n, n), dtype=bool), {}
    for i, j in itertools.permutations(range(n), 2):
        p, V, N = board.score, board.covariance, board.battles
        variance, gap = V[i, i] + V[j, j] - 2 * V[i, j], p[i] - p[j]
        equal = variance
        if N is not None and not np.isnan(gap):
            both = (N[i] * p[i] + N[j] * p[j]) / (N[i] + N[j])
            own = [p[k] * (1 - p[k]) / N[k] for k in (i, j)]
            equal += max(both * (1 - both) * (1 / N[i] + 1 / N[j]) - sum(own), 0.0)
        used[i, j] = part[i] == part[j] and not np.isnan(gap) and board.df[i, j] > 0
        if used[i, j]:
            tail = stats.t.sf(abs(gap) / np.sqrt(equal), board.df[i, j])
            z[i, j] = np.sign(gap) * stats.norm.isf(tail)
            t_of[i, j] = gap, np.sqrt(variance), np.sqrt(equal)
    rivals, together = used.sum(axis=1), part[:, None] == part
    compared = board.df > 0
    if simultaneous:
        value = np.full(n, bonferronis_z(error, used.sum()) if used.any() else np.nan)
        above = z > value[:, None]
        for via in range(n):
            above |= above[:, [via]] & above[[via], :]
        below, interval = above.T, value[0]
    else:
        value = np.array([bonferronis_z(error, 2 * k) if k else np.nan for k in rivals])
        above, below = z > value[:, None], z < -value[:, None]
        interval = bonferronis_z(error, 2)
    above, below = above & compared, below & compared
    np.testing.assert_allclose(ranks.critical, value)
    np.testing.assert_array_equal(ranks.best, 1 + below.sum(axis=1))
    np.testing.assert_array_equal(ranks.worst, together.sum(axis=1) - above.sum(axis=1))
    np.testing.assert_array_equal(ranks.above, above & below.T)
    assert ranks.borderline == 0
    assert ranks.skipped == np.triu(together & compared & ~used, 1).sum()
    assert ranks.pairs == np.triu(together, 1).sum()
    assert ranks.resolved_pairs == (above & below.T).sum()
    best_z = np.array([[bonferronis_z(error, k)] for k in rivals])
    first = ~(-z > best_z).any(axis=1) & (ranks.best == 1)
    for i in np.flatnonzero(first):
        if first[part == part[i]].sum() == 1:  # alone by one-sided tests: against each rival by a two-sided one
            first = first | ((z[i] <= bonferronis_z(error, 2)) & (part == part[i]))
    np.testing.assert_array_equal(ranks.may_be_first, first)
    for (i, j), (gap, alone, if_equal) in t_of.items():
        for n_claims, critical in ((None, interval), (3, bonferronis_z(error / 3, 2))):
            difference = ranks.difference(board.agents[i], board.agents[j], n_claims)
            t = stats.t.isf(stats.norm.sf(critical), board.df[i, j])
            low, high = (if_equal, alone) if gap > 0 else (alone, if_equal)
            assert (difference.low, difference.high) == pytest.approx((gap - t * low, gap + t * high))
            assert (difference.estimate, difference.stderr, difference.df) == pytest.approx(
                (gap, alone, board.df[i, j])
            )
        (claim,) = claims_of(f"{board.agents[i]} > {board.agents[j]}", board.agents)
        assert ranks.supports(claim, 2) == (z[i, j] > bonferronis_z(error / 2, 2))
    for i, k in itertools.product(range(n), range(1, n + 1)):
        for sign, claim in ((1, Claim("", board.agents[i], top=k)), (-1, Claim("", board.agents[i], top=k, last=True))):
            enough = (sign * z[i] > bonferronis_z(error / 2, 2 * k)).sum() >= n - k
            assert ranks.supports(claim, 2) == enough
            alone = first[i] and first[part == part[i]].sum() == 1
            placed = (ranks.worst[i] <= k or alone) if sign > 0 else ranks.best[i] > n - k
            assert ranks.supports(claim) == (placed and together.all())
