"""Log loss on votes held out."""

import numpy as np

from beatpath.stats.judges.aware import held_out_loss
from beatpath.stats.judges.votes import counted_votes, in_parts
from helpers.judged import votes_of


def loss(rng, **how):
    who, a, b, outcome, first = votes_of(rng, **how)
    votes, cell = counted_votes(who, a, b, outcome, first[:, None].astype(float))
    return held_out_loss(votes, in_parts(cell, rng.permutation(len(who)) % 5, a, b, outcome))


def test_knowing_judges_that_differ_predicts_better():
    losses = loss(np.random.default_rng(0), reliability=np.repeat([0.0, 1.5], 10))
    assert losses.verdict == "aware"
    assert losses.votes == 2000


def test_knowing_judges_that_are_alike_is_never_called_better():
    rng = np.random.default_rng(1)
    verdicts = [loss(rng, each=60).verdict for _ in range(15)]
    assert verdicts.count("aware") <= 1


def test_a_coin_costs_the_logarithm_of_two():
    losses = loss(np.random.default_rng(2), reliability=np.zeros(20), each=300)
    assert abs(losses.plain - np.log(2)) < 0.005


def test_a_handful_of_votes_is_not_held_out():
    assert loss(np.random.default_rng(3), judges=2, each=4) is None
