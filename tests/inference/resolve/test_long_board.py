"""Boards of more agents than can be compared pair by pair."""

import json

import jsonschema
import numpy as np
import pytest
from scipy.special import expit

import beatpath as bp
from beatpath._errors import DataError, UsageError
from beatpath._schema import document_schema
from beatpath.evidence import Scores
from beatpath.inference.options import ResolveOptions
from beatpath.inference.resolve.long_board import LongBoard, long_board, ranks_left
from beatpath.methods.profile import profile_of


def world(rng, n, battles, spread=1.0):
    """Strengths, and the counts of battles of random pairs."""
    theta = spread * rng.standard_normal(n)
    a, b = rng.integers(0, n, battles), rng.integers(1, n, battles)
    b = (a + b) % n
    won = rng.random(battles) < expit(theta[a] - theta[b])
    low, high = np.minimum(a, b), np.maximum(a, b)
    code, at = np.unique(low * n + high, return_inverse=True)
    wins = np.bincount(at, won == (a < b), len(code))
    counts = np.zeros((len(code), 4))
    counts[:, 0], counts[:, 1] = wins, np.bincount(at) - wins
    return theta, bp.Pairs(tuple(f"m{i:05d}" for i in range(n)), code // n, code % n, counts)


def test_ranks_that_intervals_leave_are_those_counted_pair_by_pair():
    rng = np.random.default_rng(0)
    centre, reach, part = rng.random(60), 0.2 * rng.random(60), rng.integers(0, 3, 60)
    low, high = centre - reach, centre + reach
    best, worst = ranks_left(low, high, part)
    for i in range(60):
        same = part == part[i]
        assert best[i] == 1 + (low[same] > high[i]).sum()
        assert worst[i] == same.sum() - (high[same] < low[i]).sum()


def test_true_scores_lie_in_all_intervals_simultaneously():
    """Forty worlds of sixty agents: at 95 %, more than five misses have a probability below 1.4 %."""
    missed = 0
    for seed in range(40):
        theta, pairs = world(np.random.default_rng(seed), 60, 3000)
        psi = expit(theta[:, None] - theta[None, :])
        truth = (psi.sum(axis=1) - 0.5) / 59
        ranks = long_board(profile_of(pairs), ResolveOptions()).ranks
        missed += not ((ranks.joint_low <= truth) & (truth <= ranks.joint_high)).all()
    assert missed <= 5


def test_more_than_two_thousand_agents_go_the_long_way_by_themselves():
    theta, pairs = world(np.random.default_rng(1), 2100, 40_000, spread=2.0)
    board = bp.resolve(pairs)
    assert isinstance(board, LongBoard)
    assert board.sentences[0].startswith("Scores: mean win rate against every other agent")
    assert "Not computed for more than 2,000 agents: cycles" in board.sentences[-1]
    best_low = max(row["joint_low"] for row in board.rows())
    may = f"{sum(row['joint_high'] >= best_low for row in board.rows()):,}"
    leader = board.agents[int(np.argmax(board.score))]
    assert board.answer.text == f"'{leader}' leads, but {may} of 2,100 agents may be first (95 %)."
    assert np.corrcoef(theta, board.score)[0, 1] > 0.9
    best, worst = (board.agents[i] for i in (int(np.argmax(theta)), int(np.argmin(theta))))
    assert board.test(f"{best} > {worst}").supported
    assert not board.test(f"{worst} > {best}").supported
    assert not board.test(f"{worst} is first").supported
    jsonschema.validate(json.loads(json.dumps(board.to_dict(), allow_nan=False)), document_schema("resolution"))


def test_agents_that_nothing_connects_are_not_ordered():
    pairs = bp.Pairs(tuple("abxy"), [0, 2], [1, 3], [[990, 10, 0, 0], [990, 10, 0, 0]])
    board = long_board(profile_of(pairs), ResolveOptions())
    assert [row["part"] for row in board.rows()] == [1, 1, 2, 2]
    assert [(row["best"], row["worst"]) for row in board.rows()] == [(1, 1), (2, 2)] * 2
    assert "no chain of battles connects the two" in board.test("a > y").sentence
    assert not board.test("a is first").supported
    assert board.test("a > b").supported


def test_a_long_table_of_scores_needs_no_comparisons():
    rng = np.random.default_rng(0)
    table = rng.random((2500, 6)) + np.linspace(0, 3, 2500)[:, None]
    names = [f"m{i:04d}" for i in range(2500)]
    board = bp.resolve(Scores.from_table(table, names, list("abcdef")))
    assert isinstance(board, LongBoard)
    assert np.allclose(board.score, table.mean(axis=1))
    assert np.allclose(board.ranks.stderr, table.std(axis=1, ddof=1) / np.sqrt(6))
    assert np.allclose(board.ranks.df, 5)


def test_other_estimands_are_refused_with_what_works():
    _, pairs = world(np.random.default_rng(0), 30, 300)
    with pytest.raises(UsageError, match="mean_win_rate or mean_score for more than 2,000 agents; got 'as_sampled'"):
        long_board(profile_of(pairs), ResolveOptions(estimand="as_sampled"))


def test_too_many_agents_for_standard_errors_are_refused_early_with_an_alternative(monkeypatch):
    monkeypatch.setattr("beatpath.inference.resolve.long_board.MOST_AGENTS", 2_500)
    n = 2_600
    chain = bp.Pairs(
        tuple(f"m{i}" for i in range(n)), np.arange(n - 1), np.arange(1, n), np.tile([2, 1, 0, 0], (n - 1, 1))
    )
    with pytest.raises(DataError, match=r"at most 2,500 agents; there are 2,600.*`rank` by copeland or elo takes more"):
        bp.resolve(chain)
