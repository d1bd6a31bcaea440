"""Predictions of battles held out by cluster: honest ones are judged honest, overconfident ones overconfident, and clusters stay together."""

import numpy as np
import pytest

from beatpath._errors import DataError, UsageError
from beatpath.evidence import Ballots, Battles, Factor
from beatpath.inference.sensitivity.calibration import bradley_terry_chances, predicted_reliability


def simulated(rng, n_agents=6, n=12_000):
    strength = rng.normal(0, 1.0, n_agents)
    a = rng.integers(0, n_agents, n)
    b = (a + rng.integers(1, n_agents, n)) % n_agents
    chance = 1 / (1 + np.exp(strength[b] - strength[a]))
    names = tuple(f"x{i}" for i in range(n_agents))
    return Battles(names, a, b, (rng.random(n) < chance).astype(float)), strength


def test_a_model_that_made_the_battles_is_calibrated():
    battles, strength = simulated(np.random.default_rng(0))
    reliability = predicted_reliability(battles)
    assert reliability.error < 0.02
    assert reliability.weight.sum() == pytest.approx(len(battles))
    by_hand = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    np.testing.assert_allclose(bradley_terry_chances(battles), by_hand, atol=0.05)


def test_an_overconfident_model_is_detected():
    battles, strength = simulated(np.random.default_rng(1))
    bold = predicted_reliability(battles, lambda _: 1 / (1 + np.exp(3 * (strength[None, :] - strength[:, None]))))
    assert bold.error > 0.08
    high = bold.weight.argmax()
    assert abs(bold.observed[high] - 0.5) < abs(bold.predicted[high] - 0.5)


def test_nothing_of_a_cluster_is_on_both_sides():
    """Within a cluster outcomes repeat; who may learn from its other battles foretells them all."""
    rng = np.random.default_rng(2)
    names, cluster, outcome = ("ada", "bob"), np.repeat(np.arange(300), 4), np.repeat(rng.random(300) < 0.5, 4)
    battles = Battles(
        names, np.zeros(1200), np.ones(1200), outcome.astype(float), factors={"cluster": Factor.of(cluster.tolist())}
    )
    sizes = []

    def seen(train):
        factor = train.factors["cluster"]
        sizes.append(np.bincount([int(factor.levels[code]) for code in factor.codes], minlength=300))
        return bradley_terry_chances(train)

    predicted_reliability(battles, seen, folds=3)
    assert all(np.isin(size, (0, 4)).all() for size in sizes)
    assert (np.sum(sizes, axis=0) == 8).all()  # two folds of three, four battles each
    sizes.clear()
    predicted_reliability(battles, seen, cluster=None, folds=3)
    assert any((~np.isin(size, (0, 4))).any() for size in sizes)


def test_the_same_seed_gives_the_same_answer_and_battles_without_a_cluster_are_their_own():
    battles, _ = simulated(np.random.default_rng(3), n=600)
    some = [str(i // 3) if i % 2 else None for i in range(600)]
    battles = Battles(battles.agents, battles.a, battles.b, battles.outcome, factors={"cluster": Factor.of(some)})
    one, same, other = (predicted_reliability(battles, seed=seed).to_dict() for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_folds_must_be_two_or_more_and_no_more_than_clusters():
    rows = [("ada", "bob", 1.0)] * 4
    battles = Battles.of(rows, factors={"cluster": Factor.of(["s", "s", "t", "t"])})
    with pytest.raises(UsageError, match="`folds` must be a whole number"):
        predicted_reliability(battles, folds=1)
    with pytest.raises(DataError, match="folds=3 for 2 clusters"):
        predicted_reliability(battles, folds=3)
    with pytest.raises(UsageError, match="must be a column"):
        predicted_reliability(battles, cluster="judge")


def test_counts_get_a_sentence_that_battles_are_needed():
    with pytest.raises(DataError, match="needs battles row by row"):
        predicted_reliability(Ballots.of(["abc"], count=[9]).pairs())
