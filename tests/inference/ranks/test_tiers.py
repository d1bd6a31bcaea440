"""Tiers against their definitions, what they promise, and how often they are wrong where the truth is known."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.grouping import from_the_top
from beatpath.inference.ranks.tiers import SCHEMES, tiers
from helpers.schemas import validated

PARTS = bp.Pairs(
    ("a", "b", "c", "x", "y"),
    [0, 1, 0, 3],
    [1, 2, 2, 4],
    [[60, 40, 0, 0], [90, 10, 0, 0], [95, 5, 0, 0], [80, 20, 0, 0]],
)


def board_of(score, errors):
    n = len(score)
    names = tuple(f"agent{i:03d}" for i in range(n))
    return Leaderboard(names, np.asarray(score, float), np.diag(np.square(errors)), np.full((n, n), np.inf), "a score")


@st.composite
def boards(draw):
    n, rng = draw(st.integers(2, 9)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    score = np.round(rng.normal(size=n) * draw(st.sampled_from([0.0, 3.0, 10.0])), 1)
    score[rng.random(n) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return board_of(score, rng.uniform(0.2, 2, n))


def ranks_in(board):
    return bp.rank_sets(board, multiplicity="bonferroni")


@given(boards())
@settings(max_examples=100)
def test_everyone_of_a_lower_tier_is_certainly_below_a_leader_of_each_tier_above_unless_it_spans_them(board):
    ranks = ranks_in(board)
    tier = tiers(ranks).tier
    for k in range(1, tier.max(initial=0) + 1):
        here, lower = np.flatnonzero(tier == k), np.flatnonzero(tier > k)
        leaders = here[(ranks.score[here] == ranks.score[here].max()) & (ranks.best_tier[here] == k)]
        below = ranks.above[np.ix_(leaders, lower)].any(axis=0)
        assert (below == (ranks.best_tier[lower] > k)).all()
        assert not ranks.above[np.ix_(leaders, here)].any()
        assert not ranks.above[np.ix_(lower, here)].any()  # nobody of a lower tier is certainly above


@given(boards())
@settings(max_examples=100)
def test_those_who_may_be_first_may_be_in_the_first_tier_and_no_rank_is_better_than_the_best_tier(board):
    ranks = ranks_in(board)
    scored = ranks.rank > 0
    assert (ranks.best_tier[scored & (ranks.best == 1)] == 1).all()
    assert (ranks.best[scored] >= ranks.best_tier[scored]).all()
    assert (ranks.tier[~scored] == 0).all()


@given(boards())
@settings(max_examples=100)
def test_tiers_never_fall_as_scores_fall(board):
    ranks = ranks_in(board)
    scored = np.flatnonzero(ranks.rank)
    in_order = ranks.tier[scored[np.argsort(-ranks.score[scored], kind="stable")]]
    assert (np.diff(in_order) >= 0).all()
    assert (ranks.best_tier <= ranks.tier).all()


def test_an_agent_with_few_data_shows_the_range_of_tiers_it_may_belong_to():
    ranks = ranks_in(board_of([9.0, 5.0, 4.9, 3.0, 1.0], [0.1, 0.1, 0.1, 2.0, 0.1]))
    assert ranks.tier.tolist() == [1, 2, 2, 2, 3]
    assert tiers(ranks).labels == ("1", "2", "2", "2", "3")
    ranks = ranks_in(board_of([9.0, 5.0, 4.9, 3.0, 1.0], [0.1, 0.1, 0.1, 3.0, 0.1]))
    assert tiers(ranks).labels == ("1", "2", "2", "1-2", "3")
    assert "1 agent spans tiers, shown as a range." in tiers(ranks).meaning


@given(boards())
@settings(max_examples=60)
def test_agents_without_a_letter_in_common_are_those_of_a_certain_order(board):
    ranks = ranks_in(board)
    own = [set(re.findall(r"[a-zA-Z]\d*", label)) for label in tiers(ranks, "letters").labels]
    scored = np.flatnonzero(ranks.rank)
    for i in scored:
        for j in scored:
            assert bool(own[i] & own[j]) == (not (ranks.above[i, j] or ranks.above[j, i]))


@given(boards())
@settings(max_examples=60)
def test_cuts_are_the_tie_groups(board):
    ranks = ranks_in(board)
    assert tiers(ranks, "cuts").group.tolist() == ranks.group.tolist()
    assert tiers(ranks, "cuts").groups == ranks.groups


def test_leaders_with_equal_scores_lead_together():
    above = np.zeros((4, 4), dtype=bool)
    above[0, 2] = above[1, 3] = True
    assert from_the_top(above, np.array([1, 1, 3, 4]), np.arange(4)).tolist() == [1, 1, 2, 2]


def test_components_have_tiers_and_letters_of_their_own():
    resolution = bp.resolve(PARTS)
    top, letters = bp.tiers(resolution), bp.tiers(resolution, "letters")
    assert {name for some in top.groups[:-2] for name in some} == {"a", "b", "c"}
    assert top.groups[-2:] == (("x",), ("y",))
    assert top.labels[3:] == ("1 (component 2)", "2 (component 2)")
    assert not set("".join(letters.labels[:3])) & set("".join(letters.labels[3:]))
    assert "Each of the 2 connected components has its own tiers" in str(top)
    assert "of one component" in str(letters)


def test_components_stay_separate_where_scores_would_be_comparable():
    resolution = bp.resolve(PARTS, estimand="as_sampled")
    assert not resolution.ranks.certain("x", "c")
    assert bp.tiers(resolution).labels[3] == "1 (component 2)"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_says_what_it_means_and_how_surely_and_fits_its_schema(scheme):
    tiers = bp.tiers(bp.resolve(bp.example()), scheme)
    assert "certainly" in tiers.meaning
    assert "holds with simultaneous 95 % confidence" in tiers.sentences[-1]
    assert validated(tiers.to_dict())["scheme"] == scheme
    assert len(tiers.rows()) == len(tiers.agents)


def test_marginal_sets_promise_no_simultaneous_confidence():
    tiers = bp.tiers(bp.resolve(bp.example(), simultaneous=False))
    assert "not simultaneously" in tiers.sentences[-1]
    assert "nobody" not in tiers.meaning


def test_a_board_of_one_agent_and_a_board_without_scores_get_a_sentence():
    assert "only agent" in bp.tiers(ranks_in(board_of([1.0], [0.1]))).sentences[0]
    assert "No agent has a score" in bp.tiers(ranks_in(board_of([np.nan, np.nan], [0.1, 0.1]))).sentences[0]


def test_one_tier_or_group_says_why():
    ranks = ranks_in(board_of([0.1, 0.0, 0.05], [1, 1, 1]))
    assert "no agent is certainly below 'agent000'" in str(bp.tiers(ranks))
    assert "no cut has every agent above it" in str(bp.tiers(ranks, "cuts"))


def test_a_scheme_that_does_not_exist_is_named_with_those_that_do():
    ranks = ranks_in(board_of([1.0, 0.0], [0.1, 0.1]))
    with pytest.raises(bp.UsageError, match=r"'top', 'letters', 'cuts'; got 'letter'. Did you mean 'letters'\?"):
        bp.tiers(ranks, "letter")


def test_evidence_must_be_resolved_first():
    with pytest.raises(bp.UsageError, match=r"got Pairs. Give it `resolve\(evidence\)`"):
        bp.tiers(PARTS)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [np.zeros(8), np.repeat([3.0, 2.0, 1.0, 0.0], 2) * 0.5, np.arange(8) * -0.3])
def test_no_scheme_separates_equal_agents_in_more_than_one_board_of_twenty(truth):
    """400 boards: errors of one factor and of their own; 36 of them wrong would have a chance below one in a thousand."""
    rng, n, wrong = np.random.default_rng(5), len(truth), dict.fromkeys(SCHEMES, 0)
    L = np.column_stack([np.diag(rng.uniform(0.3, 1.0, n)), np.full(n, 0.5)])
    for _ in range(400):
        score = truth + L @ rng.normal(size=n + 1)
        board = Leaderboard(tuple("abcdefgh"), score, L @ L.T, np.full((n, n), np.inf), "a score")
        ranks = bp.rank_sets(board, draws=2_000)
        for scheme in SCHEMES:
            wrong[scheme] += any(truth[i] <= truth[j] for i, j in separated(bp.tiers(ranks, scheme)))
    assert max(wrong.values()) < 36


def separated(tiers):
    """The pairs that a scheme calls ordered: a leader and all lower tiers, two without a letter in common, two groups."""
    if tiers.scheme == "letters":
        own = [set(re.findall(r"[a-zA-Z]\d*", label)) for label in tiers.labels]
        order = tiers.ranks.order.tolist()
        return [(i, j) for k, i in enumerate(order) for j in order[k + 1 :] if not own[i] & own[j]]
    number = {name: k for k, name in enumerate(tiers.agents)}
    sets = [[number[name] for name in some] for some in tiers.groups]
    heads = [some[:1] if tiers.scheme == "top" else some for some in sets]
    return [(i, j) for k, head in enumerate(heads) for i in head for lower in sets[k + 1 :] for j in lower]
