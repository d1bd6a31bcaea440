"""Verdicts on the same unit by several judges."""

import numpy as np

from beatpath.stats.verdicts import Verdicts, shared_verdicts


def test_units_are_pairs_with_the_same_keys_that_two_judges_saw():
    judge, a, b = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), np.array([1, 0, 1, 2])
    verdicts = shared_verdicts(judge, a, b, np.array([1.0, 1.0, 0.5, 1.0]), [np.array([0, 0, 0, 0])])
    assert verdicts.counts().tolist() == [[1, 1, 0]]


def test_rows_without_a_judge_or_a_key_are_left_out():
    judge, key = np.array([-1, 0, 1]), np.array([0, 0, -1])
    assert not len(shared_verdicts(judge, np.zeros(3, int), np.ones(3, int), np.ones(3), [key]).unit)


def test_mirrored_units_turn_the_pair_round():
    mirrored = Verdicts(np.array([0, 1, 0]), np.array([0, 0, 1]), np.array([0, 2, 1])).mirrored()
    assert mirrored.counts().tolist() == [[1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]]
