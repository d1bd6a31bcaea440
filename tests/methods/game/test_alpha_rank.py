import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

import beatpath
from beatpath import DataError, UsageError
from beatpath.inference.ranking.rank import rank
from beatpath.methods.game import alpha_rank as module
from beatpath.methods.game.alpha_rank import log_fixation
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.numeric import markov
from beatpath.methods.numeric.markov import stationary
from helpers.game_cases import OPEN_SPIEL, VASE, games, named, table, tables


def scores(ranking):
    return np.array([ranking.scores[name] for name in ranking.agents])


def fixation(u, m=50):
    """The sum that the closed form stands for."""
    return 1 / sum(np.exp(-u * k) for k in range(m))


def chain_of_agents(M, alpha):
    n = len(M)
    C = np.array([[0 if r == s else fixation(2 * alpha * M[r, s]) / (n - 1) for r in range(n)] for s in range(n)])
    return C + np.diag(1 - C.sum(axis=1))


def chain_of_pairs(S, alpha):
    k, n = S.shape
    C = np.zeros((k, n, k, n))
    for a in range(k):
        for t in range(n):
            for b in range(k):
                C[a, t, b, t] = 0 if a == b else fixation(alpha * (S[b, t] - S[a, t]))
            for q in range(n):
                C[a, t, a, q] = 0 if t == q else fixation(alpha * (S[a, t] - S[a, q]))
    C = C.reshape(k * n, k * n) / (k + n - 2)
    return C + np.diag(1 - C.sum(axis=1))


def direct(C):
    system = np.vstack([C.T - np.eye(len(C)), np.ones(len(C))])
    return np.linalg.lstsq(system, np.append(np.zeros(len(C)), 1.0), rcond=None)[0]


@pytest.mark.parametrize("u", [-3.0, -0.5, -1e-9, 0.0, 1e-15, 1e-9, 0.2, 8.0])
def test_fixation_agrees_with_its_sum(u):
    assert np.exp(log_fixation(np.array([u]))[0]) == pytest.approx(fixation(u), rel=1e-12)


@settings(deadline=None)
@given(games(max_agents=5))
def test_one_population_agrees_with_the_chain_solved_directly(M):
    if len(M) > 1:
        np.testing.assert_allclose(
            scores(rank(named(M), "alpha_rank", alpha=0.05)), direct(chain_of_agents(M, 0.05)), atol=1e-9
        )


@settings(deadline=None)
@given(tables())
def test_two_populations_agree_with_the_chain_solved_directly(A):
    spread = A[:, A.max(axis=0) > A.min(axis=0)]
    if spread.size:
        S = (spread - spread.min(axis=0)) / (spread.max(axis=0) - spread.min(axis=0))
        mass = direct(chain_of_pairs(S, 0.3)).reshape(S.shape)
        np.testing.assert_allclose(scores(rank(table(A), "alpha_rank", alpha=0.3)), mass.sum(axis=1), atol=1e-9)


@pytest.mark.parametrize("case", OPEN_SPIEL["alpha_rank_agents"], ids=lambda case: f"{len(case['mass'])} agents")
def test_one_population_agrees_with_open_spiel(case):
    ranking = rank(named(np.array(case["payoff"])), "alpha_rank", alpha=case["alpha"])
    np.testing.assert_allclose(scores(ranking), case["mass"], atol=1e-9)


@pytest.mark.parametrize("case", OPEN_SPIEL["alpha_rank_tasks"], ids=lambda case: f"{len(case['agents'])} agents")
def test_two_populations_agree_with_open_spiel(case):
    ranking = rank(table(case["table"]), "alpha_rank", alpha=case["alpha"])
    np.testing.assert_allclose(scores(ranking), case["agents"], atol=1e-9)
    np.testing.assert_allclose(list(ranking.details["task_mass"].values()), case["tasks"], atol=1e-9)


def test_the_atari_ranges_and_order_are_those_printed(shared):
    printed = VASE["atari"]["alpha_rank"]
    ranking = rank(beatpath.read(shared / "atari_tables" / "atari_rainbow_table6.csv"), "alpha_rank")
    assert [name for level in ranking.levels for name in level] == printed["order"]
    mass = scores(ranking)
    assert [round(mass.min(), 2), round(mass.max(), 2)] == printed["agents_between"]
    tasks = ranking.details["task_mass"].values()
    assert [round(min(tasks), 3), round(max(tasks), 3)] == printed["tasks_between"]
    assert ranking.details["recurrent_states"] == 8 * 54


@pytest.mark.parametrize("alpha", [None, 1e-3, 1.0, 1e8])
def test_rock_paper_scissors_is_uniform_at_every_alpha(alpha):
    ranking = rank(named([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), "alpha_rank", **({"alpha": alpha} if alpha else {}))
    np.testing.assert_allclose(scores(ranking), np.full(3, 1 / 3), atol=1e-12)


@settings(deadline=None)
@given(games())
def test_the_limit_lives_on_the_smith_set_and_is_what_large_alphas_approach(M):
    ranking = rank(named(M), "alpha_rank")
    smith = dominance_blocks(M)[0]
    assert np.flatnonzero(scores(ranking) > 0).tolist() == smith.tolist()
    assert ranking.details["recurrent_classes"] == 1
    near = rank(named(M), "alpha_rank", alpha=50.0)
    np.testing.assert_allclose(scores(near), scores(ranking), atol=1e-6)


@settings(deadline=None)
@given(tables())
def test_against_tasks_the_limit_has_one_recurrent_class(A):
    ranking = rank(table(A), "alpha_rank")
    if "recurrent_classes" in ranking.details:
        assert ranking.details["recurrent_classes"] == 1
        far = rank(table(A), "alpha_rank", alpha=1e7)
        np.testing.assert_allclose(scores(far), scores(ranking), atol=1e-6)


def test_the_settled_alpha_is_where_the_distribution_is_near_its_limit():
    cells = np.random.default_rng(4).random((4, 6))
    limit = rank(table(cells), "alpha_rank")
    settled = rank(table(cells), "alpha_rank", alpha=limit.details["settled_alpha"])
    assert np.abs(scores(settled) - scores(limit)).sum() / 2 < 1e-3


def test_several_recurrent_classes_are_counted_equally_and_reported():
    rates = csr_array(np.array([[0, 1.0, 1.0], [0, 0, 0], [0, 0, 0]]))
    distribution = stationary(rates)
    assert distribution.mass.tolist() == [0, 0.5, 0.5]
    assert len(distribution.classes) == 2
    assert "not unique: the chain has 2 recurrent classes" in module._chain_status(distribution, ())


def test_elimination_and_iteration_agree_with_the_linear_system(monkeypatch):
    rng = np.random.default_rng(0)
    rates = rng.random((40, 40)) * (rng.random((40, 40)) < 0.3)
    np.fill_diagonal(rates, 0)
    rates[np.arange(40), np.arange(1, 41) % 40] = 0.5
    solved = stationary(csr_array(rates)).mass
    np.testing.assert_allclose(markov._eliminated(rates), solved, rtol=1e-10)
    monkeypatch.setattr(markov, "DENSE", 10)
    iterated = stationary(csr_array(rates))
    assert iterated.converged
    np.testing.assert_allclose(iterated.mass, solved, atol=1e-11)
    assert not stationary(csr_array(rates), max_iter=2).converged


def test_tiny_rates_keep_their_digits():
    rates = np.array([[0, 1e-200, 0], [1.0, 0, 1e-100], [0, 1.0, 0]])
    np.testing.assert_allclose(stationary(csr_array(rates)).mass, [1.0, 1e-200, 1e-300], rtol=1e-12)


def test_flat_tables_and_single_agents_are_answered():
    assert "no task tells" in rank(table([[1, 1], [1, 1]]), "alpha_rank").status
    assert scores(rank(named([[0.0]]), "alpha_rank")).tolist() == [1.0]


def test_wrong_alphas_and_games_too_large_are_named(monkeypatch):
    for alpha in (0, -1.0, np.inf, np.nan):
        with pytest.raises(UsageError, match="`alpha` must be positive and finite"):
            rank(named(np.zeros((2, 2))), "alpha_rank", alpha=alpha)
    monkeypatch.setattr(module, "MOST_MOVES", 5)
    with pytest.raises(DataError, match="at most 5 moves"):
        rank(table([[1, 0], [0, 1]]), "alpha_rank")
