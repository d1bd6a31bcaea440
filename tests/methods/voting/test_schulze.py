"""schulze: a circle broken at its weakest win."""

import beatpath as bp

WINS = [[0, 5, 2, 9], [4, 0, 7, 9], [7, 2, 0, 9], [0, 0, 0, 0]]  # a beats b by 1, b beats c by 5, c beats a by 5


def test_the_weakest_win_of_a_circle_gives_way():
    found = bp.rank(bp.Margins.from_wins(WINS, list("abcd")), "schulze")
    assert found.levels == (("b",), ("c",), ("a",), ("d",))
