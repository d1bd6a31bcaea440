"""Best of several: order statistics from the literature, and coverage where the truth is known."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath._errors import DataError, UsageError
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.sensitivity.winners_curse import shrunk_together, winners_curse

NAMES = ("v1", "v2", "v3", "v4", "v5", "y", "z")
FAMILY = NAMES[:5]


def board(score, V):
    return Leaderboard(NAMES, np.asarray(score), V, np.full((7, 7), np.inf), "a mean")


def alike(spread=1.0, shared=0.4):
    return spread**2 * ((1 - shared) * np.eye(7) + shared)


def test_equal_variants_explain_what_order_statistics_say():
    # 1.16296 of five and 1.53875 of ten, as in Harter, Biometrika 48 (1961), 151-165
    correction = winners_curse(board([0.1, 0, 0, 0, 0, -3, -4], alike()), FAMILY)
    assert correction.explained == pytest.approx(1.16296 * np.sqrt(0.6), abs=0.03)
    one = winners_curse({"x": 1.0, "y": 0.0}, ["x"], tested=10, stderr=0.5)
    assert one.explained == pytest.approx(0.5 * 1.53875, abs=0.02)
    assert one.luck == pytest.approx(one.explained, abs=0.02)


@pytest.mark.parametrize(("spread", "named"), [(0.0, True), (0.0, False), (1.5, True), (1.5, False)])
def test_the_interval_of_the_one_picked_covers_at_least_as_often_as_it_says(spread, named):
    rng = np.random.default_rng(int(10 * spread) + named)
    V, runs = alike(), 250
    root = np.linalg.cholesky(V)
    covered = plain = 0
    for run in range(runs):
        truth = np.concatenate([spread * rng.standard_normal(5), [0.0, 0.0]])
        score = truth + root @ rng.standard_normal(7)
        correction = winners_curse(board(score, V), FAMILY, rival="y" if named else None, draws=1000, seed=run)
        lead = truth[NAMES.index(correction.selected)] - truth[NAMES.index(correction.rival)]
        covered += correction.low <= lead <= correction.high
        plain += abs(correction.lead - lead) <= 1.96 * np.sqrt(2 * 0.6)
    assert covered / runs >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / runs)
    assert covered >= plain
    if named and not spread:
        assert plain / runs < 0.93  # what is promised needs the correction


def test_variants_that_were_never_shown_are_allowed_for():
    rng = np.random.default_rng(4)
    covered = plain = 0
    for run in range(250):
        hidden = 0.02 * rng.standard_normal(20)
        best, y = float(hidden.max()), 0.02 * float(rng.standard_normal())
        correction = winners_curse({"x": best, "y": y}, ["x"], tested=20, stderr=0.02, draws=1000, seed=run)
        covered += correction.low <= 0 <= correction.high
        plain += abs(best - y) <= 1.96 * 0.02 * np.sqrt(2)
    assert covered / 250 >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / 250)
    assert plain / 250 < 0.9


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 2.0])
def test_luck_is_on_average_what_theory_says(spread):
    # errors of variance 0.6 besides what all share: the mean error of the best is 0.6 / sqrt(spread^2 + 0.6) e_5
    rng = np.random.default_rng(7)
    root = np.linalg.cholesky(alike())
    luck = []
    for run in range(150):
        truth = np.concatenate([spread * rng.standard_normal(5), [0.0, 0.0]])
        score = truth + root @ rng.standard_normal(7)
        luck.append(winners_curse(board(score, alike()), FAMILY, rival="y", draws=300, seed=run).luck)
    assert np.mean(luck) == pytest.approx(0.6 / np.sqrt(spread**2 + 0.6) * 1.16296, rel=0.15)


def test_variants_far_apart_leave_nothing_to_luck():
    correction = winners_curse(board([9.0, 0, -9, -18, -27, 0, 0], alike(0.1)), FAMILY, rival="y")
    assert correction.luck == pytest.approx(0, abs=0.01)
    assert correction.explained > 0.05
    assert correction.resolved


def test_drawing_together_by_hand():
    # scores 3 and -3, errors of variance 1: a variance of 18, of which 1 is error, so that of the worths is 17
    worth, spread = shrunk_together(np.array([3.0, -3.0]), np.eye(2))
    np.testing.assert_allclose(worth, np.array([3.0, -3.0]) * np.sqrt(17 / 18))
    assert np.var(worth, ddof=1) == pytest.approx(17)
    assert spread == pytest.approx(np.sqrt(17))
    assert shrunk_together(np.array([0.1, -0.1]), np.eye(2))[1] == 0.0


def test_a_leaderboard_of_battles_is_accepted():
    correction = winners_curse(leaderboard(bp.example()), ["juniper", "kestrel", "lumen", "meadow"], rival="nimbus")
    assert correction.selected in ("juniper", "kestrel", "lumen", "meadow")
    assert 0 <= correction.luck <= correction.explained + 1e-3
    assert json.loads(json.dumps(correction.to_dict(), allow_nan=False))["tested"] == 4


def test_sentences_say_who_over_whom_and_what_is_left():
    correction = winners_curse({"x": 0.62, "y": 0.5}, ["x"], tested=5, stderr=0.06, level=0.9)
    assert str(correction).startswith(
        "Of the lead of 0.12 of 'x' over 'y', about 0.07 is what picking the best of 5 equal variants would give."
    )
    assert str(correction).endswith("so the order is not resolved.")
    luck = winners_curse({"x": 0.52, "y": 0.5}, ["x"], tested=5, stderr=0.06)
    assert str(luck).startswith("The lead of 0.02 of 'x' over 'y' is no more than what picking the best of 5 equal")
    alone = winners_curse({"x": 0.62}, ["x"], tested=5, stderr=0.06)
    assert alone.rival is None
    assert "has the best score of its family" in str(alone)
    behind = winners_curse({"x": 0.4, "y": 0.5}, ["x"], tested=5, stderr=0.06)
    assert str(behind) == "'x', the best of its family, is not ahead of 'y'."


def test_the_order_of_the_agents_changes_nothing():
    V = alike() + np.diag(np.arange(7) / 5)
    p = np.array([3, 6, 0, 5, 2, 4, 1])
    score = np.array([0.3, 0.9, 0.1, 0.4, 0.2, -0.5, 0.0])
    turned = Leaderboard(tuple(NAMES[i] for i in p), score[p], V[np.ix_(p, p)], np.full((7, 7), np.inf), "a mean")
    one, other = (winners_curse(leaderboard, FAMILY).to_dict() for leaderboard in (board(score, V), turned))
    for name in ("low", "high", "luck", "explained"):
        assert one[name] == pytest.approx(other[name], rel=1e-9)
    assert one["sentences"] == other["sentences"]


def test_hostile_names_are_shown_safely():
    correction = winners_curse({"<b>\x1b": 1.0, "y": 0.0}, ["<b>\x1b"], tested=3, stderr=0.1)
    assert "\x1b" not in str(correction)
    assert "<b>" not in correction._repr_html_()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"family": []}, "at least one agent"),
        ({"family": ["zed"]}, "must be one of the agents"),
        ({"rival": "v1"}, "outside the family"),
        ({"tested": 3}, "no less than the 5"),
        ({"level": 0}, "`level` must lie"),
        ({"draws": 0}, "`draws` must be"),
        ({"draws": 50}, "`draws` must leave"),
    ],
)
def test_wrong_arguments_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        winners_curse(board(np.zeros(7), alike()), **({"family": FAMILY} | options))


def test_scores_without_errors_are_refused():
    with pytest.raises(UsageError, match="`stderr` must give"):
        winners_curse({"x": 1.0, "y": 0.0}, ["x"])
    with pytest.raises(UsageError, match="finite and above zero"):
        winners_curse({"x": 1.0, "y": 0.0}, ["x"], stderr=0)
    with pytest.raises(DataError, match="no score"):
        winners_curse(board([np.nan, 0, 0, 0, 0, 0, 0], alike()), FAMILY)
    for variance in (0.0, -0.1, np.nan):  # -0.1 as two columns of clusters may give
        with pytest.raises(DataError, match="'v2' has no score, or no positive variance"):
            winners_curse(board(np.zeros(7), np.diag([1, variance, 1, 1, 1, 1, 1])), FAMILY)


def test_variants_that_no_chain_of_battles_compares_are_named():
    apart = bp.Battles.of([("a", "b", 1.0), ("a", "b", 0.0), ("c", "d", 1.0), ("c", "d", 0.0)] * 9)
    with pytest.raises(DataError, match="none leads from 'a' to 'c'"):
        winners_curse(apart, ["a", "c"])
    assert winners_curse(apart, ["a"]).rival == "b"
