"""borda: worked by hand."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import beatpath as bp
from beatpath import Ballots
from beatpath.evidence.conventions import Conventions
from beatpath.methods.profile import profile_of
from beatpath.methods.voting.borda import borda, borda_of_counts

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])


def test_the_pentathlon_of_vase():
    assert borda(profile_of(VOTES)).score.tolist() == [6, 3, 6]


def test_points_are_rivals_below_with_ties_as_half():
    places = np.array([[0, 1, 1], [2, 0, 1]])
    votes = Ballots.of([[["A"], ["B", "C"]], [["B"], ["C"], ["A"]]])
    points = [(np.sign(row[None, :] - row[:, None]) + 1).sum(axis=1) / 2 - 0.5 for row in places]
    np.testing.assert_allclose(borda(profile_of(votes)).score, sum(points))


def test_games_of_unequal_number_are_not_ranked_by_how_many_were_played():
    """Strength and the number of games are drawn apart; points follow the games, and means the strength."""
    rng = np.random.default_rng(0)
    n = 30
    strength, often = rng.standard_normal(n), rng.random(n) ** 4
    games = []
    for _ in range(4000):
        four = rng.choice(n, 4, replace=False, p=often / often.sum())
        order = four[np.argsort(-(strength[four] + rng.gumbel(size=4)))]
        games.append([[f"m{i:02d}"] for i in order])
    found = bp.rank(bp.Ballots.of(games), "borda")
    who = np.array([int(name[1:]) for name in found.agents])
    score = np.array(list(found.scores.values()))
    assert spearmanr(score, strength[who]).statistic > 0.8
    assert abs(spearmanr(score, often[who]).statistic) < 0.5
    assert "shares of comparisons won and not points" in found.status


@pytest.mark.parametrize("unranked", ["ignore", "last"])
def test_places_on_ballots_give_what_counts_by_pair_give(unranked):
    rng = np.random.default_rng(5)
    names = [f"a{i}" for i in range(8)]
    votes = [
        [[names[i] for i in part] for part in np.array_split(rng.permutation(8)[: rng.integers(1, 9)], 3)]
        for _ in range(12)
    ]
    for count in (np.ones(12, dtype=int), rng.integers(1, 9, 12)):
        profile = profile_of(Ballots.of(votes, agents=names, count=count), Conventions.of(unranked=unranked))
        one, other = borda(profile), borda_of_counts(profile)
        assert np.allclose(one.score, other.score, rtol=1e-12)
        assert one.status == other.status
        assert one.level.tolist() == other.level.tolist()
