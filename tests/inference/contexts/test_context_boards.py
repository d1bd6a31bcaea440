"""Boards of contexts and mixtures, and gains from one context to another."""

import numpy as np
import pytest
from scipy.special import expit

import beatpath as bp
from beatpath.inference.contexts.context_boards import (
    _scored_by_rivals,
    context_strengths,
    mixture_of,
    mixture_text,
    own_board,
)
from beatpath.inference.contexts.context_data import context_counts


@pytest.fixture(scope="module")
def strengths():
    return _strengths()


def _strengths(measure="mean_win_rate"):
    keys = {"task": bp.Factor.of(["chat", "code"] * 3)}
    counts = [[30, 10, 0, 0], [10, 30, 0, 0], [25, 15, 0, 0], [20, 20, 0, 0], [18, 22, 0, 0], [28, 12, 0, 0]]
    pairs = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 0, 0, 1, 1], [1, 1, 2, 2, 2, 2], counts, keys=keys)
    return context_strengths(context_counts(pairs, "task"), measure)


def test_a_score_is_the_mean_win_rate_that_strengths_predict(strengths):
    eta = strengths.fit.eta[1]
    expected = [np.mean([expit(eta[i] - eta[j]) for j in range(3) if j != i]) for i in range(3)]
    assert strengths.board({"code": 1.0}).score == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["mean_win_rate", "bradley_terry"])
def test_the_gradient_of_scores_is_that_of_finite_differences(measure):
    from beatpath.inference.contexts.context_boards import _scored_by_rivals as _scored

    eta, part, step = np.array([0.3, -0.2, 0.9, 0.1]), np.array([0, 0, 0, 1]), 1e-6
    score, slope = _scored(eta, part, measure)
    for j in range(4):
        moved, _ = _scored(eta + step * np.eye(4)[j], part, measure)
        assert (np.nan_to_num(moved) - np.nan_to_num(score)) / step == pytest.approx(slope[:, j], abs=1e-5)


def test_a_mixture_is_the_weighted_mean_of_its_contexts(strengths):
    chat, code = strengths.board({"chat": 1.0}), strengths.board({"code": 1.0})
    mixed = strengths.board({"chat": 0.25, "code": 0.75})
    assert mixed.score == pytest.approx(0.25 * chat.score + 0.75 * code.score)
    assert np.trace(mixed.covariance) <= max(np.trace(chat.covariance), np.trace(code.covariance))


def test_a_gain_is_a_difference_of_scores_that_turns_its_sign_with_the_contexts(strengths):
    chat, code = strengths.board({"chat": 1.0}).score, strengths.board({"code": 1.0}).score
    gain, loss = strengths.gain("ada", "chat", "code", 0.95), strengths.gain("ada", "code", "chat", 0.95)
    assert gain.estimate == pytest.approx(chat[0] - code[0])
    assert (gain.low, gain.high) == pytest.approx((-loss.high, -loss.low))


def test_scores_in_a_context_lie_between_those_of_its_own_battles_and_those_of_the_whole(strengths):
    own = own_board(strengths, "chat").score[0], own_board(strengths, "code").score[0]
    shrunk = strengths.board({"chat": 1.0}).score[0], strengths.board({"code": 1.0}).score[0]
    assert own[0] > shrunk[0] > np.mean(own) > shrunk[1] > own[1]


@pytest.mark.parametrize("measure", ["mean_win_rate", "bradley_terry"])
def test_an_agent_without_battles_in_a_context_has_no_score_of_its_own_there(measure):
    rows = [("a", "b", 1.0), ("b", "a", 1.0), ("a", "c", 1.0), ("c", "b", 1.0), ("a", "b", 0.0)]
    battles = bp.Battles.of(rows, factors={"task": bp.Factor.of(["x", "x", "x", "x", "y"])})
    strengths = context_strengths(context_counts(battles, "task"), measure)
    assert np.isnan(own_board(strengths, "y").score).tolist() == [False, False, True]
    assert np.isfinite(strengths.board({"y": 1.0}).score).all()


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        ({"cod": 1}, "'cod' occurs in none. It has 'chat', 'code'.*Did you mean 'code'"),
        ({"code": -1}, "not below 0; got -1 for 'code'"),
        ({"code": 0, "chat": 0}, "a weight above 0"),
        ({}, "a weight above 0; got none"),
        ({"code": float("nan")}, "not below 0; got nan"),
    ],
)
def test_a_mixture_that_is_none_is_refused_with_a_sentence(strengths, mix, message):
    with pytest.raises(bp.UsageError, match=message):
        mixture_of(mix, strengths.data)


def test_only_ratios_of_weights_count_and_contexts_weigh_their_battles_by_default(strengths):
    assert mixture_of({"code": 6, "chat": 2}, strengths.data) == {"chat": 0.25, "code": 0.75}
    assert mixture_of(None, strengths.data) == pytest.approx({"chat": 0.5, "code": 0.5})


def test_a_mixture_of_many_is_described_in_few_words():
    assert mixture_text({f"c{i}": 0.1 for i in range(10)}).endswith("10.0 % 'c3' and 60.0 % 6 others")


@pytest.mark.parametrize("measure", ["bradley_terry", "mean_win_rate"])
def test_scores_are_against_known_rivals_of_the_component_and_have_their_gradient(measure):
    eta, part = np.array([1.0, 0.2, np.nan, -0.7, 0.5, 0.1]), np.array([0, 0, 0, 0, 1, 1])

    def score(eta):
        groups = [np.flatnonzero((part == part[i]) & np.isfinite(eta)) for i in range(6)]
        if measure == "bradley_terry":
            return np.array([eta[i] - eta[group].mean() for i, group in enumerate(groups)])
        return np.array([expit(eta[i] - eta[group[group != i]]).mean() for i, group in enumerate(groups)])

    value, slope = _scored_by_rivals(eta, part, measure)
    np.testing.assert_allclose(value, score(eta))
    known = np.flatnonzero(np.isfinite(eta))
    for j in known:
        h = 1e-6 * (np.arange(6) == j)
        np.testing.assert_allclose(slope[known, j], ((score(eta + h) - score(eta - h)) / 2e-6)[known], atol=1e-8)
