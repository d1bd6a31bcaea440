"""True verdicts and confusion matrices."""

import itertools

import numpy as np
import pytest

from beatpath.stats.verdicts import Verdicts, accuracy_intervals, dawid_skene


def judged(values):
    judges, units = values.shape
    return Verdicts(np.repeat(np.arange(judges), units), np.tile(np.arange(units), judges), values.ravel())


def crowd(rng, skill, units):
    truth = rng.integers(3, size=units)
    return np.array([np.where(rng.random(units) < q, truth, rng.integers(3, size=units)) for q in skill]), truth


def test_without_a_prior_it_is_what_crowd_kit_finds_on_every_unit_both_ways_round():
    """Crowd-Kit 1.4.2, DawidSkene(n_iter=2000, tol=1e-13) on the same verdicts and their mirror images."""
    values, _ = crowd(np.random.default_rng(11), (0.9, 0.7, 0.6, 0.5), 80)
    estimate = dawid_skene(judged(values), 4, prior=0.0)
    assert estimate.accuracy() == pytest.approx([0.912564, 0.863530, 0.840977, 0.691219], abs=2e-4)
    assert estimate.share == pytest.approx([0.296170, 0.296170, 0.407661], abs=2e-4)


def test_em_climbs_to_a_top_of_the_brute_force_likelihood():
    values, _ = crowd(np.random.default_rng(3), (0.9, 0.8, 0.5), 12)
    estimate = dawid_skene(judged(values), 3, prior=0.0)
    both = np.concatenate([values, np.array([1, 0, 2])[values]], axis=1)

    def likelihood(share, confusion):
        total = 0.0
        for unit in both.T:
            total += np.log(sum(share[t] * np.prod([confusion[j, t, unit[j]] for j in range(3)]) for t in range(3)))
        return total

    best = likelihood(estimate.share, estimate.confusion)
    rng = np.random.default_rng(0)
    for _, scale in itertools.product(range(40), (1e-3, 1e-2)):
        share = np.abs(estimate.share * np.exp(scale * rng.normal(size=3)))
        confusion = estimate.confusion * np.exp(scale * rng.normal(size=estimate.confusion.shape))
        assert likelihood(share / share.sum(), confusion / confusion.sum(axis=2, keepdims=True)) <= best + 1e-3


def test_the_truth_is_recovered_and_intervals_cover_the_accuracy():
    rng = np.random.default_rng(4)
    held, right = [], []
    for _ in range(40):
        skill = np.array([0.9, 0.8, 0.7, 0.6, 0.3])
        values, truth = crowd(rng, skill, 300)
        estimate, ends, whole = accuracy_intervals(judged(values), 5, 0.95)
        true = skill + (1 - skill) / 3
        held.append((ends[:, 0] <= true) & (true <= ends[:, 1]))
        right.append((whole.truth[:300].argmax(axis=1) == truth).mean())
        assert estimate[4] < estimate[0]
    assert np.mean(held) >= 0.88
    assert np.mean(right) > 0.9


def test_very_many_judges_of_one_unit_neither_overflow_nor_vanish():
    """Six hundred judges agree on two of three units and are divided over the third; their likelihoods lie beyond all floats."""
    values = np.array([[0] * 600, [1] * 600, [0] * 300 + [1] * 300]).T
    truth = dawid_skene(judged(values), 600, prior=1.0).truth[:3]
    assert truth.sum(axis=1) == pytest.approx(1)
    assert truth.argmax(axis=1)[:2].tolist() == [0, 1]
    assert truth[:2].max(axis=1) == pytest.approx([1, 1])
