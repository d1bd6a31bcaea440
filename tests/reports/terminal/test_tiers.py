"""Tiers as lines: every agent under its own, and no name that acts."""

import numpy as np
import pytest

from beatpath import Pairs, resolve, tiers
from beatpath.reports.terminal.tiers import tier_lines

NAMES = ("ada", "b\x1b[31mob", "cyd")
TOLD = Pairs(NAMES, [0, 0, 1], [1, 2, 2], [[80, 20, 0, 0], [95, 5, 0, 0], [52, 48, 0, 0]])


@pytest.mark.parametrize(("scheme", "word"), [("top", "tier 1"), ("letters", "letter a"), ("cuts", "group 1")])
def test_every_scheme_calls_its_steps_by_its_own_word(scheme, word):
    lines = tier_lines(tiers(resolve(TOLD), scheme))
    assert f"{word}: ada" in lines
    assert "\x1b" not in "".join(lines)


def test_a_tier_of_many_is_cut_with_a_word():
    n = 60
    i, j = np.triu_indices(n, 1)
    even = Pairs(tuple(f"agent{k}" for k in range(n)), i, j, np.full((len(i), 4), [3, 3, 0, 0]))
    assert tier_lines(tiers(resolve(even)))[-1].endswith("and 20 more")
