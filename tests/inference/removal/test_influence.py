"""Bradley-Terry removals between their bounds."""

from itertools import combinations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from beatpath import Pairs
from beatpath.inference.removal.search import at_least, bradley_terry_at
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set
from beatpath.inference.removal.units import units_of
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import METHODS
from beatpath.methods.run import ranking
from helpers.removals import few_battles


def bradley_terry_by_trying(battles, up, down, prior):
    for size in range(1, len(battles)):
        for some in combinations(range(len(battles)), size):
            keep = np.ones(len(battles), dtype=bool)
            keep[list(some)] = False
            ranking = bradley_terry_of_all(battles.take(keep), prior)
            if ranking.rank(up) < ranking.rank(down):
                return size
    return None


def bradley_terry_of_all(battles, prior):
    """The method itself, whose prior rates agents that no battle connects too; `rank` gives these no place."""
    return ranking(profile_of(battles), METHODS["bradley_terry"], {"prior": prior})


@given(battles=few_battles(most=7), prior=st.sampled_from([0.3, 1.0]), data=st.data())
@settings(max_examples=15)
def test_bradley_terry_lies_between_its_bounds(battles, prior, data):
    up, down = data.draw(st.permutations("xyz"))[:2]
    before = bradley_terry_of_all(battles, prior)
    assume(before.rank(up) >= before.rank(down))
    truth = bradley_terry_by_trying(battles, up, down, prior)
    removal = smallest_influential_set(battles, "bradley_terry", above=up, below=down, prior=prior)
    if removal.needed is not None:
        assert removal.verified
        assert truth is not None
        assert removal.at_least <= truth <= removal.needed
        assert not removal.exact or truth == removal.needed
    elif removal.exact:
        assert truth is None


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_the_lower_bound_holds_for_any_removal_without_a_prior(seed):
    rng = np.random.default_rng(seed)
    pairs = Pairs(
        tuple("xyzu"), *np.triu_indices(4, 1), np.column_stack([rng.integers(2, 9, (6, 2)), np.zeros((6, 2))])
    )
    units = units_of(pairs)
    start = bradley_terry_at(units, units.wins, units.losses)
    leader = int(np.argmax(start.score))
    bound = at_least(units, start.score, leader)
    for _ in range(40):
        x = rng.binomial(units.many, rng.random(len(units.many)) * rng.random())
        there = bradley_terry_at(units, *units.without(x))
        if there is not None:
            passed = there.score >= there.score[leader]
            assert (bound[passed] <= x.sum() + 1e-9).all()


def test_two_agents_need_what_arithmetic_says_and_the_bound_is_below():
    # 700 wins to 300: the other leads once 401 of the wins are gone
    removal = smallest_influential_set(Pairs(("ada", "bob"), [0], [1], [[700, 300, 0, 0]]))
    assert (removal.needed, removal.verified) == (401, True)
    # by hand: gap log(7/3) = 0.847, weight 1000 sigma'(2 gap) = 1000 (49/9) / (58/9)^2 at this gap
    gap = np.log(7 / 3)
    assert removal.at_least >= np.ceil(gap * 1000 * (49 / 9) / (58 / 9) ** 2)
