"""schulze: a cycle broken at its weakest win."""

import beatpath as bp

WINS = [[0, 5, 2, 9], [4, 0, 7, 9], [7, 2, 0, 9], [0, 0, 0, 0]]  # a beats b by 1, b beats c by 5, c beats a by 5


def test_the_weakest_win_of_a_cycle_gives_way():
    ranking = bp.rank(bp.Margins.from_wins(WINS, list("abcd")), "schulze")
    assert ranking.levels == (("b",), ("c",), ("a",), ("d",))
