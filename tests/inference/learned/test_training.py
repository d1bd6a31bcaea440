"""Training: gradients, losses, when it stops and what it keeps."""

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck
from torch.func import functional_call

from beatpath.inference.learned.contexts import BattleColumns, ContextDistribution, ContextFeatures
from beatpath.inference.learned.encoder import ContextualBTL, PairEncoder
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.training import Annealing, Objective, Settings, Status, calibration_error, cross_entropy
from beatpath.inference.sensitivity.calibration import reliability
from beatpath.methods.soft_core.operators import REACH
from helpers.contextual import CONTEXTUAL, CYCLE, cycle, random_network


@pytest.mark.parametrize("kind", [PairEncoder, ContextualBTL])
@pytest.mark.parametrize("reach", REACH)
def test_the_gradient_of_the_whole_objective_matches_finite_differences(kind, reach):
    settings = Settings(sharpness=0.3, calibration=0.2, reach=reach)
    features = ContextFeatures.of(CONTEXTUAL, ["task"])
    rows = BattleColumns.of(CONTEXTUAL, features).take(torch.arange(0, 600, 7))
    Q = ContextDistribution.of(features, CONTEXTUAL, None, None)
    target = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    objective = Objective(settings, Q, target, None)
    network = random_network(kind, 6, len(features))
    names, values = zip(*network.named_parameters(), strict=True)

    class Fixed:
        n_agents = 6

        def __init__(self, parameters):
            self.parameters = dict(zip(names, parameters, strict=True))

        def __call__(self, *rows):
            return functional_call(network, self.parameters, rows)

    def loss(*parameters):
        return objective.loss(objective.terms(Fixed(parameters), rows, 0.5, 0.5, torch.Generator()))

    assert gradcheck(loss, [v.detach().clone().requires_grad_() for v in values], fast_mode=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_calibration_loss_is_the_calibration_error_of_arrays(seed):
    rng = np.random.default_rng(seed)
    p, y, w = rng.random(50), rng.integers(0, 2, 50).astype(float), rng.random(50)
    ours = calibration_error(*map(torch.from_numpy, (p, y)), bins=7, weight=torch.from_numpy(w))
    assert float(ours) == pytest.approx(reliability(p, y, bins=7, weight=w).error)
    assert gradcheck(lambda s: calibration_error(s, torch.from_numpy(y)), torch.tensor(p, requires_grad=True))


def test_the_cross_entropy_of_a_tie_is_that_of_half_a_win_and_half_a_loss():
    logit = torch.tensor([0.7, 0.7, 0.7])
    tie = cross_entropy(logit[:1], torch.tensor([0.5]), torch.ones(1))
    assert torch.allclose(tie, cross_entropy(logit[1:], torch.tensor([1.0, 0.0]), torch.ones(2)))


def test_training_that_learns_nothing_more_stops_and_keeps_its_best_epoch():
    learned = learn(
        cycle(per_pair=6), settings=Settings(epochs=300, rate=0.1, patience=5, held_out=0.4, weight_decay=0)
    )
    held = [record.held_out for record in learned.history]
    assert learned.status is Status.STOPPED_EARLY
    assert len(held) < 300
    assert learned.best_epoch == 1 + int(np.argmin(held))


def test_the_limit_of_epochs_is_reported_and_temperatures_fall_to_their_end():
    learned = learn(CYCLE, settings=Settings(epochs=4, anneal=4, tau=Annealing(1.0, 0.01), held_out=0))
    assert learned.status is Status.LIMIT
    assert "raise it" in str(learned)
    assert [record.tau for record in learned.history] == pytest.approx([10**-0.5, 0.1, 10**-1.5, 0.01])  # section D.2


def test_regularized_training_does_not_stop_before_temperatures_have_fallen():
    options = {"sharpness": 0.1, "patience": 1, "held_out": 0.4}
    learned = learn(cycle(per_pair=6), settings=Settings(epochs=20, anneal=15, rate=0.2, **options))
    assert len(learned.history) >= 15
    assert learned.best_epoch >= 15


def test_a_schedule_longer_than_the_training_uses_the_last_epoch():
    learned = learn(cycle(per_pair=6), settings=Settings(epochs=3, anneal=5, sharpness=0.1))
    assert len(learned.history) == learned.best_epoch == 3
