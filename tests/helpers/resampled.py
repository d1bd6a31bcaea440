"""Small evidence of every kind, its resamples, and what the method says of their rows."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import Ballots, Battles, Factor, Scores, rank
from beatpath._errors import DataError
from beatpath.inference.bootstrap.strategies import strategy_of_method
from beatpath.methods.profile import profile_of

AGENTS = ("ada", "bob", "cyd", "dan", "eve")


def some_battles(seed=0, n=80, clusters=7, weighted=False, soft=False):
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=n)
    outcome = rng.choice([0.0, 0.5, 1.0, 0.3] if soft else [0.0, 0.5, 1.0], size=n)
    return Battles(
        AGENTS,
        a,
        (a + rng.integers(1, 5, size=n)) % 5,
        outcome,
        both_bad=(outcome == 0.5) & (rng.random(n) < 0.3),
        weight=rng.choice([0.5, 1.0, 2.0], size=n) if weighted else None,
        position=rng.choice([-1, 1], size=n),
        time=rng.permutation(n).astype(float),
        factors={"cluster": Factor.of(f"c{i}" for i in rng.integers(clusters, size=n))},
    )


def some_ballots(seed=0, n=12):
    rng = np.random.default_rng(seed)
    votes = []
    for _ in range(n):
        order = [AGENTS[i] for i in rng.permutation(5)[: rng.integers(2, 6)]]
        votes.append([order[:1], order[1:3], *[[name] for name in order[3:]]])
        votes[-1] = [group for group in votes[-1] if group]
    voter = Factor.of(f"v{i}" for i in rng.integers(8, size=n))
    return Ballots.of(votes, agents=AGENTS, count=rng.integers(1, 4, size=n), factors={"voter": voter})


def some_scores(seed=0):
    rng = np.random.default_rng(seed)
    table = rng.integers(6, size=(5, 9)).astype(float)
    table[2, 3] = np.nan
    return Scores.from_table(table, AGENTS, [f"t{i}" for i in range(9)], higher_is_better={"t1": False})


def on_resamples(evidence, method, settings, cluster="auto", draws=4, seed=0, **conventions):
    """The strategy, how often each part was taken, and the answers."""
    strategy, resampler = strategy_of_method(
        profile_of(evidence, bp.Conventions(**conventions)), method, settings, cluster, draws
    )
    weights = resampler.weights(np.random.default_rng(seed), draws)
    return strategy, weights, list(strategy.answers(weights))


def same(answer, evidence, method, settings, **conventions):
    if isinstance(answer, str):
        with pytest.raises(DataError) as error:
            rank(evidence, method, matrix="raw", **conventions, **settings)
        assert str(error.value).startswith(answer)
        return
    ranking = rank(evidence, method, matrix="raw", **conventions, **settings)
    np.testing.assert_array_equal(answer.level, ranking.level_of(), err_msg=method)
    np.testing.assert_allclose(answer.score, list(ranking.scores.values()), atol=1e-6, err_msg=method)
