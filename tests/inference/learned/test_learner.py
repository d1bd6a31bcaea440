"""The learner: planted truths come back, gradients are right, the same seed gives the same answer, and ends are reported."""

import sys

import numpy as np
import pytest
import torch

from beatpath import UsageError, rank
from beatpath.inference.learned.learner import learn, one_thread
from beatpath.inference.learned.training import Annealing, Settings, Status, sharpness
from beatpath.inference.sensitivity.calibration import reliability
from helpers.contextual import CONTEXTUAL, CYCLE, ORDERS, TRUTH, contextual


@pytest.fixture(autouse=True)
def quiet_threads():
    with one_thread():
        yield


def test_a_cycle_planted_in_a_mixture_of_contexts_comes_back(learned):
    assert learned.core.top_cycle.members == ("a", "b", "c")
    assert min(learned.top_cycle[x] for x in "abc") > 0.8
    assert max(learned.top_cycle[x] for x in "def") < 0.1
    assert np.abs(learned.probability - TRUTH).max() < 0.1
    assert np.abs(learned.probability - TRUTH).mean() < 0.04
    assert learned.monte_carlo_error == 0


@pytest.mark.parametrize("context", ORDERS)
def test_under_another_mixture_the_core_is_that_contexts_best_agent(learned, context):
    P, error = learned.model.tournament(CONTEXTUAL, by="task", mix={context: 2.0})
    best = "abcdef".index(ORDERS[context][0])
    assert error == 0
    assert (np.delete(P[best], best) > 0.6).all()


def test_contextual_btl_learns_the_cycle_of_a_mixture_of_orders_too():
    battles, truth = contextual(lambda apart: 1 / (1 + np.exp(-2.5 * apart)), per_pair=60)
    learned = learn(battles, context=["task"], settings=Settings(network="btl", epochs=60, rate=0.1))
    assert learned.core.top_cycle.members == ("a", "b", "c")
    assert np.abs(learned.probability - truth).max() < 0.1


def test_without_context_btl_is_the_bradley_terry_model():
    settings = Settings(network="btl", epochs=3000, batch=1000, rate=0.05, weight_decay=0, held_out=0, tol=1e-14)
    learned = learn(CYCLE, settings=settings)
    ours = learned.model.network.strength.detach().numpy()
    theirs = np.array([rank(CYCLE, "bradley_terry").scores[name] for name in CYCLE.agents])
    assert learned.status is Status.CONVERGED
    assert np.allclose(ours - ours.mean(), theirs - theirs.mean(), atol=1e-6)


def test_the_sharpness_regularizer_makes_scores_sharper():
    def entropy(weight):
        settings = Settings(epochs=40, rate=0.03, sharpness=weight, tau=Annealing(1.0, 0.2), gamma=Annealing(1.0, 0.2))
        learned = learn(CYCLE, settings=settings)
        return float(sharpness(torch.tensor(list(learned.top_cycle.values()), dtype=torch.float64)))

    assert entropy(0.5) < 0.8 * entropy(0.0)


def test_known_memberships_pull_the_scores_towards_them():
    truth = {"rock": 1.0, "paper": 1.0, "scissors": 1.0, "stone": 0.0}

    def error(weight):
        options = {"tau": Annealing(1.0, 0.2), "gamma": Annealing(1.0, 0.2), "calibration": weight}
        learned = learn(CYCLE, membership=truth, settings=Settings(epochs=40, rate=0.03, **options))
        return reliability(list(learned.top_cycle.values()), [truth[a] for a in learned.agents]).error

    assert error(1.0) < 0.7 * error(0.0)


def test_held_out_calibration_is_part_of_the_loss_and_of_the_history():
    learned = learn(CYCLE, settings=Settings(epochs=5, calibration=0.5, held_out=0.4))
    assert all(record.calibration > 0 and record.sharpness is None for record in learned.history)


def test_the_same_seed_gives_the_same_answer_and_nothing_global_is_touched():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    settings = Settings(epochs=3, batch=50, sharpness=0.1)
    first, again, other = (learn(CYCLE, settings=settings, seed=s) for s in (7, 7, 8))
    assert np.array_equal(first.probability, again.probability)
    assert first.history == again.history
    assert not np.array_equal(first.probability, other.probability)
    assert torch.equal(torch.get_rng_state(), before)


def test_progress_is_shown_on_a_terminal_alone(capsys, monkeypatch):
    learn(CYCLE, settings=Settings(epochs=2))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    learn(CYCLE, settings=Settings(epochs=2))
    out, err = capsys.readouterr()
    assert out == ""
    assert "epoch 2 of 2: cross-entropy" in err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"context": ["topic"]}, "a column that the battles have \\('task'\\); got 'topic'"),
        ({"context": ["task"], "by": "task", "mix": {"law": 1}}, "'law' occurs in none"),
        ({"context": ["task"], "by": "task", "mix": {"code": -1}}, "not below 0; got -1 for 'code'"),
        ({"context": ["task"], "by": "task", "mix": {"code": 0}}, "at least one context a weight above 0"),
        ({"by": "task", "mix": {"code": 1}}, "`by` must be a column of names in `context`"),
        ({"context": ["task"], "mix": {"code": 1}}, "`by` and `mix` go together"),
        ({"membership": {"a": 1, "zz": 0}}, "must name agents; got 'zz'"),
        ({"membership": {"a": 1}}, "must name every agent; 'b'"),
        ({"membership": {"a": 2}}, "must lie from 0 to 1; got 2 for 'a'"),
    ],
)
def test_options_of_learning_must_fit_the_battles(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        learn(CONTEXTUAL, settings=Settings(epochs=1), **options)
