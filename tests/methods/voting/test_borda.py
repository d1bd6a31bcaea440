"""borda: worked by hand."""

import numpy as np
from hypothesis import given
from scipy.stats import spearmanr

import beatpath as bp
from beatpath import Ballots
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import method_named
from beatpath.methods.run import ranking

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.scoring import borda, borda_points
from helpers.strategies import ballots


def test_the_pentathlon_of_vase():
    assert borda(profile_of(VOTES)).score.tolist() == [6, 3, 6]


def test_points_are_rivals_below_with_ties_as_half():
    places = np.array([[0, 1, 1], [2, 0, 1]])
    votes = Ballots.of([[["A"], ["B", "C"]], [["B"], ["C"], ["A"]]])
    points = [(np.sign(row[None, :] - row[:, None]) + 1).sum(axis=1) / 2 - 0.5 for row in places]
    np.testing.assert_allclose(borda(profile_of(votes)).score, sum(points))


def test_games_of_unequal_number_are_not_ranked_by_how_many_were_played():
    """Strength and the number of games are sampled separately; points follow the games, and means the strength."""
    rng = np.random.default_rng(0)
    n = 30
    strength, often = rng.standard_normal(n), rng.random(n) ** 4
    games = []
    for _ in range(4000):
        four = rng.choice(n, 4, replace=False, p=often / often.sum())
        order = four[np.argsort(-(strength[four] + rng.gumbel(size=4)))]
        games.append([[f"m{i:02d}"] for i in order])
    ranking = bp.rank(bp.Ballots.of(games), "borda")
    who = np.array([int(name[1:]) for name in ranking.agents])
    score = np.array(list(ranking.scores.values()))
    assert spearmanr(score, strength[who]).statistic > 0.8
    assert abs(spearmanr(score, often[who]).statistic) < 0.5
    assert "shares of comparisons won, not points" in ranking.status


@given(ballots())
def test_ballots_and_their_pair_counts_give_the_same_points(b):
    (of_ballots, uneven), (of_pairs, uneven_too) = borda_points(profile_of(b)), borda_points(profile_of(b.pairs()))
    np.testing.assert_allclose(of_ballots, of_pairs, atol=1e-12)
    assert uneven == uneven_too


def test_no_pair_is_counted_where_ballots_say_enough():
    for rule in ("plurality", "approval", "borda", "black", "stv"):
        profile = profile_of(VOTES)
        outcome = ranking(profile, method_named(rule), {})
        assert outcome.condorcet.strong == "C"
        assert "pairs" not in vars(profile)
