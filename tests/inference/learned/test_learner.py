"""The learner: planted truths come back, gradients are right, the same seed gives the same answer, and ends are said."""

import json
import sys

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck
from torch.func import functional_call

from beatpath import Battles, DataError, Factor, ReadError, UsageError, rank
from beatpath.inference.calibration.calibration import expected_calibration_error
from beatpath.inference.learned.comparisons import BattleColumns
from beatpath.inference.learned.contexts import ContextDistribution, ContextFeatures
from beatpath.inference.learned.encoder import ContextualBTL, PairEncoder, marginal_tournament
from beatpath.inference.learned.learner import learn, one_thread
from beatpath.inference.learned.settings import Annealing, Settings
from beatpath.inference.learned.state import load_learned, save_learned
from beatpath.inference.learned.training import Objective, Status, calibration_error, cross_entropy, sharpness
from beatpath.methods.soft_core.soft_reach import REACH

ORDERS = {
    "code": "abcdef",
    "maths": "bcadef",
    "prose": "cabdef",
}  # each context has an order; together a, b, c go round
QUICK = Settings(epochs=100)


@pytest.fixture(autouse=True)
def quiet_threads():
    with one_thread():
        yield


def contextual(chance, per_pair=40, seed=0):
    """Battles in three contexts, the better agent winning with a chance that depends on how many places apart they are there,
    and the true probabilities under an even mixture.
    """
    rng = np.random.default_rng(seed)
    rows, contexts, truth = [], [], np.full((6, 6), 0.5)
    for context, order in ORDERS.items():
        for i, better in enumerate(order):
            for apart, worse in enumerate(order[i + 1 :], 1):
                k, m = ord(better) - ord("a"), ord(worse) - ord("a")
                truth[k, m] += (chance(apart) - 0.5) / 3
                truth[m, k] -= (chance(apart) - 0.5) / 3
                for won in rng.random(per_pair) < chance(apart):
                    turned = rng.random() < 0.5
                    rows.append((worse, better, float(not won)) if turned else (better, worse, float(won)))
                    contexts.append(context)
    return Battles.of(rows, factors={"task": Factor.of(contexts)}), truth


def circle(per_pair=40, sure=0.8, seed=0):
    """Rock, paper, scissors above a stone, in no context."""
    rng = np.random.default_rng(seed)
    beats = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    beats += [(name, "stone") for name in ("rock", "paper", "scissors")]
    return Battles.of([(a, b, float(won)) for a, b in beats for won in rng.random(per_pair) < sure])


CONTEXTUAL, TRUTH = contextual(lambda apart: 0.85)
CIRCLE = circle()


@pytest.fixture(scope="module")
def learned():
    with one_thread():
        return learn(CONTEXTUAL, context=["task"], settings=QUICK)


def test_a_cycle_planted_in_a_mixture_of_contexts_comes_back(learned):
    assert learned.core.top_cycle.members == ("a", "b", "c")
    assert min(learned.top_cycle[x] for x in "abc") > 0.8
    assert max(learned.top_cycle[x] for x in "def") < 0.1
    assert np.abs(learned.probability - TRUTH).max() < 0.1
    assert np.abs(learned.probability - TRUTH).mean() < 0.04
    assert learned.monte_carlo_error == 0


@pytest.mark.parametrize("context", ORDERS)
def test_under_another_mixture_the_core_is_that_contexts_best_agent(learned, context):
    P, error = learned.model.tournament(CONTEXTUAL, by="task", mixture={context: 2.0})
    best = "abcdef".index(ORDERS[context][0])
    assert error == 0
    assert (np.delete(P[best], best) > 0.6).all()


def test_contextual_btl_learns_the_cycle_of_a_mixture_of_orders_too():
    battles, truth = contextual(lambda apart: 1 / (1 + np.exp(-2.5 * apart)), per_pair=60)
    found = learn(battles, context=["task"], settings=Settings(network="btl", epochs=60, rate=0.1))
    assert found.core.top_cycle.members == ("a", "b", "c")
    assert np.abs(found.probability - truth).max() < 0.1


def test_a_cycle_within_one_context_needs_the_pair_encoder():
    pair = learn(circle(per_pair=100), settings=QUICK)
    assert pair.core.top_cycle.members == ("paper", "rock", "scissors")
    assert min(pair.top_cycle[x] for x in ("rock", "paper", "scissors")) > 0.9
    btl = learn(CIRCLE, settings=Settings(network="btl", epochs=100, rate=0.1))
    triples = btl.probability > 0.5
    assert not any(
        triples[a, b] and triples[b, c] and triples[c, a] for a in range(4) for b in range(4) for c in range(4)
    )


def test_without_context_btl_is_the_bradley_terry_model():
    settings = Settings(network="btl", epochs=3000, batch=1000, rate=0.05, weight_decay=0, held_out=0, tol=1e-14)
    found = learn(CIRCLE, settings=settings)
    ours = found.model.network.strength.detach().numpy()
    theirs = np.array([rank(CIRCLE, "bradley_terry").scores[name] for name in CIRCLE.agents])
    assert found.status is Status.CONVERGED
    assert np.allclose(ours - ours.mean(), theirs - theirs.mean(), atol=1e-6)


def test_a_weight_counts_as_that_many_battles():
    weight = np.random.default_rng(0).integers(0, 4, len(CIRCLE)).astype(float)
    settings = Settings(network="btl", epochs=30, batch=1000, rate=0.1, held_out=0)
    weighted = learn(Battles(CIRCLE.agents, CIRCLE.a, CIRCLE.b, CIRCLE.outcome, weight=weight), settings=settings)
    repeated = learn(CIRCLE.take(np.repeat(np.arange(len(CIRCLE)), weight.astype(int))), settings=settings)
    assert np.allclose(weighted.probability, repeated.probability, atol=1e-9)


@pytest.mark.parametrize("kind", [PairEncoder, ContextualBTL])
def test_both_models_are_antisymmetric_to_the_bit(kind):
    network = _network(kind, 5, 3)
    g = torch.Generator().manual_seed(1)
    a, b = torch.randint(5, (50,), generator=g), torch.randint(5, (50,), generator=g)
    x = torch.randn(50, 3, dtype=torch.float64, generator=g)
    assert torch.equal(network(a, b, x), -network(b, a, x))
    P = marginal_tournament(network, x, torch.full((50,), 0.02, dtype=torch.float64))
    assert torch.allclose(P + P.T, torch.ones_like(P), atol=1e-12)


@pytest.mark.parametrize("kind", [PairEncoder, ContextualBTL])
@pytest.mark.parametrize("reach", REACH)
def test_the_gradient_of_the_whole_objective_matches_finite_differences(kind, reach):
    settings = Settings(sharpness=0.3, calibration=0.2, reach=reach)
    features = ContextFeatures.of(CONTEXTUAL, ["task"])
    rows = BattleColumns.of(CONTEXTUAL, features).take(torch.arange(0, 600, 7))
    Q = ContextDistribution.of(features, CONTEXTUAL, None, None)
    target = torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    objective = Objective(settings, Q, target, None)
    network = _network(kind, 6, len(features))
    names, values = zip(*network.named_parameters(), strict=True)

    class Fixed:
        n_agents = 6

        def __init__(self, parameters):
            self.parameters = dict(zip(names, parameters, strict=True))

        def __call__(self, *rows):
            return functional_call(network, self.parameters, rows)

    def loss(*parameters):
        return objective.loss(objective.parts(Fixed(parameters), rows, 0.5, 0.5, torch.Generator()))

    assert gradcheck(loss, [v.detach().clone().requires_grad_() for v in values], fast_mode=True)


def _network(kind, n, d):
    generator = torch.Generator().manual_seed(0)
    if kind is PairEncoder:
        return PairEncoder(n, d, embedding=2, width=3, generator=generator)
    network = ContextualBTL(n, d)
    for parameter in network.parameters():
        parameter.data.normal_(generator=generator)
    return network


def test_the_sharpness_regulariser_makes_scores_sharper():
    def entropy(weight):
        settings = Settings(epochs=40, rate=0.03, sharpness=weight, tau=Annealing(1.0, 0.2), gamma=Annealing(1.0, 0.2))
        found = learn(CIRCLE, settings=settings)
        return float(sharpness(torch.tensor(list(found.top_cycle.values()), dtype=torch.float64)))

    assert entropy(0.5) < 0.8 * entropy(0.0)


def test_known_memberships_pull_the_scores_towards_them():
    truth = {"rock": 1.0, "paper": 1.0, "scissors": 1.0, "stone": 0.0}

    def error(weight):
        told = {"tau": Annealing(1.0, 0.2), "gamma": Annealing(1.0, 0.2), "calibration": weight}
        found = learn(CIRCLE, membership=truth, settings=Settings(epochs=40, rate=0.03, **told))
        return expected_calibration_error(list(found.top_cycle.values()), [truth[a] for a in found.agents])

    assert error(1.0) < 0.7 * error(0.0)


def test_held_out_calibration_is_part_of_the_loss_and_of_the_history():
    found = learn(CIRCLE, settings=Settings(epochs=5, calibration=0.5, held_out=0.4))
    assert all(record.calibration > 0 and record.sharpness is None for record in found.history)


@pytest.mark.parametrize("seed", range(3))
def test_the_calibration_loss_is_the_calibration_error_of_arrays(seed):
    rng = np.random.default_rng(seed)
    p, y, w = rng.random(50), rng.integers(0, 2, 50).astype(float), rng.random(50)
    ours = calibration_error(*map(torch.from_numpy, (p, y)), bins=7, weight=torch.from_numpy(w))
    assert float(ours) == pytest.approx(expected_calibration_error(p, y, bins=7, weight=w))
    assert gradcheck(lambda s: calibration_error(s, torch.from_numpy(y)), torch.tensor(p, requires_grad=True))


def test_the_cross_entropy_of_a_tie_is_that_of_half_a_win_and_half_a_loss():
    logit = torch.tensor([0.7, 0.7, 0.7])
    tie = cross_entropy(logit[:1], torch.tensor([0.5]), torch.ones(1))
    assert torch.allclose(tie, cross_entropy(logit[1:], torch.tensor([1.0, 0.0]), torch.ones(2)))


def test_the_same_seed_gives_the_same_answer_and_nothing_global_is_touched():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    settings = Settings(epochs=3, batch=50, sharpness=0.1)
    first, again, other = (learn(CIRCLE, settings=settings, seed=s) for s in (7, 7, 8))
    assert np.array_equal(first.probability, again.probability)
    assert first.history == again.history
    assert not np.array_equal(first.probability, other.probability)
    assert torch.equal(torch.get_rng_state(), before)


def test_training_that_learns_nothing_more_stops_and_keeps_its_best_epoch():
    found = learn(circle(per_pair=6), settings=Settings(epochs=300, rate=0.1, patience=5, held_out=0.4, weight_decay=0))
    held = [record.held_out for record in found.history]
    assert found.status is Status.STOPPED_EARLY
    assert len(held) < 300
    assert found.kept == 1 + int(np.argmin(held))


def test_the_limit_of_epochs_is_said_and_temperatures_fall_to_their_end():
    found = learn(CIRCLE, settings=Settings(epochs=4, anneal=4, tau=Annealing(1.0, 0.01), held_out=0))
    assert found.status is Status.LIMIT
    assert "raise it" in str(found)
    assert [record.tau for record in found.history] == pytest.approx([10**-0.5, 0.1, 10**-1.5, 0.01])  # section D.2


def test_regularised_training_does_not_stop_before_temperatures_have_fallen():
    told = {"sharpness": 0.1, "patience": 1, "held_out": 0.4}
    found = learn(circle(per_pair=6), settings=Settings(epochs=20, anneal=15, rate=0.2, **told))
    assert len(found.history) >= 15
    assert found.kept >= 15


def test_contexts_drawn_from_many_come_within_their_error_of_all():
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    won = rng.random(600) < 1 / (1 + np.exp(-2 * x))
    battles = Battles.of([("ada", "bob", float(w)) for w in won], covariates={"size": x})
    found = learn(battles, context=["size"], settings=Settings(network="btl", epochs=20, rate=0.1))
    exact, none = found.model.tournament(battles, draws=1000)
    P, error = found.model.tournament(battles, draws=200)
    assert none == 0 < error < 0.05
    assert 0 < np.abs(P - exact).max() < 4 * error


def test_unknown_contexts_count_as_average_and_it_is_said():
    factor = Factor.of(["x", None, "y", "x"])
    battles = Battles.of(
        [("ada", "bob", 1), ("bob", "ada", 0.5), ("ada", "bob", 0), ("ada", "bob", 1)],
        factors={"task": factor},
        covariates={"size": [1.0, np.nan, 3.0, 2.0]},
    )
    assert ContextFeatures.of(battles, ["size", "task"]).rows(battles)[1].tolist() == [0, 0, 0]
    said = learn(battles, context=["size", "task"], settings=Settings(epochs=1)).conventions
    assert {c.name: c.affected for c in said} == {"ties": 1, "both_bad": 0, "missing_pairs": None, "unknown_context": 2}


def test_a_saved_model_predicts_what_it_predicted(learned, tmp_path):
    file = tmp_path / "model.pt"
    save_learned(learned.model, file)
    back = load_learned(file)
    assert np.array_equal(back.logits(CONTEXTUAL), learned.model.logits(CONTEXTUAL))
    assert back.features == learned.model.features
    assert [path.name for path in tmp_path.iterdir()] == ["model.pt"]


def test_a_model_knows_agents_by_name_in_any_order(learned):
    turned = Battles.of([("b", "a", 1)], factors={"task": Factor.of(["code"])})
    straight = Battles.of([("a", "b", 1)], factors={"task": Factor.of(["code"])})
    assert learned.model.logits(turned)[0] == -learned.model.logits(straight)[0] < 0
    with pytest.raises(UsageError, match="must be among the 6 that were learned; got 'zoe'"):
        learned.model.logits(Battles.of([("a", "zoe", 1)], factors={"task": Factor.of(["code"])}))
    with pytest.raises(UsageError, match=r"had in learning.*got 'law'"):
        learned.model.logits(Battles.of([("a", "b", 1)], factors={"task": Factor.of(["law"])}))


class Mischief:
    def __reduce__(self):
        return sys.exit, (3,)


def test_files_that_are_no_models_are_refused_and_run_no_code(learned, tmp_path):
    file = tmp_path / "model.pt"
    for content in (b"", b"not a model", b"PK\x03\x04broken"):
        file.write_bytes(content)
        with pytest.raises(ReadError, match="must be a learned tournament"):
            load_learned(file)
    torch.save(Mischief(), file)
    with pytest.raises(ReadError, match="cannot be read"):
        load_learned(file)
    torch.save({"weights": torch.ones(2)}, file)
    with pytest.raises(ReadError, match="holds something else"):
        load_learned(file)
    save_learned(learned.model, file)
    state = torch.load(file, weights_only=True)
    torch.save(state | {"version": 99}, file)
    with pytest.raises(ReadError, match="version '99'"):
        load_learned(file)
    torch.save(state | {"agents": ["a"]}, file)
    with pytest.raises(ReadError, match="do not fit"):
        load_learned(file)


def test_progress_is_shown_on_a_terminal_alone(capsys, monkeypatch):
    learn(CIRCLE, settings=Settings(epochs=2))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    learn(CIRCLE, settings=Settings(epochs=2))
    out, err = capsys.readouterr()
    assert out == ""
    assert "epoch 2 of 2: cross-entropy" in err


def test_the_answer_is_plain_data(learned):
    plain = json.loads(json.dumps(learned.to_dict()))
    assert plain["core"]["top_cycle"]["members"] == ["a", "b", "c"]
    assert plain["probability"] == learned.probability.tolist()
    assert plain["settings"]["tau"] == {"high": 1.0, "low": 0.05}
    assert len(plain["history"]) == len(learned.history)
    assert plain["reliability"]["error"] < 0.1


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"context": ["topic"]}, "a column that the battles have \\('task'\\); got 'topic'"),
        ({"context": ["task"], "by": "task", "mixture": {"law": 1}}, "'law' occurs in none"),
        ({"context": ["task"], "by": "task", "mixture": {"code": -1}}, "not below 0; got -1 for 'code'"),
        ({"context": ["task"], "by": "task", "mixture": {"code": 0}}, "at least one context a weight above 0"),
        ({"by": "task", "mixture": {"code": 1}}, "`by` must be a column of names in `context`"),
        ({"context": ["task"], "mixture": {"code": 1}}, "`by` and `mixture` go together"),
        ({"membership": {"a": 1, "zz": 0}}, "must name agents; got 'zz'"),
        ({"membership": {"a": 1}}, "must name every agent; 'b'"),
        ({"membership": {"a": 2}}, "must lie from 0 to 1; got 2 for 'a'"),
    ],
)
def test_what_learning_is_told_must_fit_the_battles(told, sentence):
    with pytest.raises(UsageError, match=sentence):
        learn(CONTEXTUAL, settings=Settings(epochs=1), **told)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"network": "btll"}, "`network` must be one of pair, btl; got 'btll'"),
        ({"held_out": 1.0}, "`held_out` must be a share"),
        ({"sharpness": -1.0}, "`sharpness` must be a number, 0 or more"),
        ({"rate": 0.0}, "`rate` must be a positive number"),
        ({"max_length": 0}, "`max_length` must be a whole number"),
        ({"score": "core"}, "`score` must be one of top cycle, uncovered set"),
    ],
)
def test_settings_are_refused_in_sentences(told, sentence):
    with pytest.raises(UsageError, match=sentence):
        Settings(**told)
    with pytest.raises(UsageError, match="temperatures fall"):
        Annealing(0.1, 1.0)


def test_agents_without_battles_and_nothing_to_calibrate_to_are_refused():
    with pytest.raises(DataError, match="every agent must have at least one battle to learn from; 'stone'"):
        learn(CIRCLE.take((CIRCLE.a != 3) & (CIRCLE.b != 3)))
    with pytest.raises(UsageError, match="`calibration` must have something to calibrate to"):
        learn(CIRCLE, settings=Settings(calibration=1.0, held_out=0))
