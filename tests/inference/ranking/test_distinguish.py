"""A profile that separates two methods: the profile is counted again by hand, and the search misses no smaller one."""

from itertools import combinations_with_replacement, permutations

import pytest

import beatpath as bp
from beatpath.robustness import distinguish
from helpers.command_line import beatpath


def borda_and_condorcet(votes):
    """Borda's winners, and the agent that beats both others if there is one, counted from the definition."""
    agents = sorted(votes[0])
    points = {a: sum(len(agents) - 1 - vote.index(a) for vote in votes) for a in agents}
    beaten = {a: [b for b in agents if sum(v.index(a) < v.index(b) for v in votes) * 2 > len(votes)] for a in agents}
    winner = [a for a in agents if len(beaten[a]) == len(agents) - 1]
    return {a for a in agents if points[a] == max(points.values())}, set(winner)


def test_the_smallest_profile_on_which_borda_misses_a_condorcet_winner_has_five_votes():
    orders = ["".join(order) for order in permutations("abc")]
    small = (votes for size in range(1, 6) for votes in combinations_with_replacement(orders, size))
    sizes = [len(votes) for votes in small if (both := borda_and_condorcet(votes))[1] and not both[0] & both[1]]
    example = distinguish("borda", "schulze")
    votes = [row["order"].replace(" > ", "") for row in example.votes for _ in range(row["votes"])]
    assert len(votes) == min(sizes) == 5
    assert borda_and_condorcet(votes) == ({"b"}, {"a"})
    assert (example.rankings[0].winners, example.rankings[1].winners, example.smallest) == (("b",), ("a",), True)


def test_four_agents_separate_schulze_and_ranked_pairs_and_no_vote_can_be_left_out():
    example = distinguish("schulze", "ranked_pairs")
    votes = [row["order"].split(" > ") for row in example.votes for _ in range(row["votes"])]
    ballots = [
        bp.Ballots.of([[[name] for name in vote] for vote in subset])
        for subset in (votes, *(votes[:k] + votes[k + 1 :] for k in range(len(votes))))
    ]
    differ = [not set(bp.rank(one, "schulze").winners) & set(bp.rank(one, "ranked_pairs").winners) for one in ballots]
    assert differ == [True] + [False] * len(votes)
    assert not example.smallest


def test_methods_that_cannot_be_compared_get_a_sentence():
    with pytest.raises(bp.UsageError, match="borda"):
        distinguish("bordo", "schulze")
    with pytest.raises(bp.DataError, match="elo needs battles"):
        distinguish("elo", "schulze")


def test_the_command_prints_the_profile_and_takes_two_methods():
    done = beatpath("methods", "--distinguish", "borda,schulze")
    assert "borda elects b, schulze a, by 5 votes on 3 agents" in done.stdout
    assert "a > b > c      3" in done.stdout
    done = beatpath("methods", "--distinguish", "borda")
    assert (done.returncode, "must name two methods; got 1" in done.stderr) == (2, True)
