"""Counts by pair and cluster that are drawn like the battles they count."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import Ballots, Battles, Factor, Pairs, rank
from beatpath._errors import DataError
from beatpath.inference.bootstrap.bootstrap import bootstrap
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


def on_resamples(evidence, method, settings, cluster="auto", draws=4, seed=0, **conventions):
    """The strategy, how often each part was taken, and the answers."""
    strategy, drawn = strategy_of_method(
        profile_of(evidence, bp.Conventions(**conventions)), method, settings, cluster, draws
    )
    weights = drawn.weights(np.random.default_rng(seed), draws)
    return strategy, weights, list(strategy.answers(weights))


def same(answer, evidence, method, settings, **conventions):
    if isinstance(answer, str):
        with pytest.raises(DataError) as error:
            rank(evidence, method, matrix="raw", **conventions, **settings)
        assert str(error.value).startswith(answer)
        return
    found = rank(evidence, method, matrix="raw", **conventions, **settings)
    np.testing.assert_array_equal(answer.level, found.level_of(), err_msg=method)
    np.testing.assert_allclose(answer.score, list(found.scores.values()), atol=1e-6, err_msg=method)


def test_short_ballots_are_counted_as_a_list_and_long_ones_as_a_table():
    short = Ballots.of([[[f"a{i:02d}"], [f"a{(i * 7 + 3) % 40:02d}"]] for i in range(30)])
    for ballots in (short, some_ballots()):
        strategy, weights, answers = on_resamples(ballots, "copeland", {}, None)
        for taken, answer in zip(weights, answers, strict=True):
            cast = [vote for vote, times in zip(ballots, taken.tolist(), strict=True) for _ in range(times)]
            same(answer, Ballots.of(cast, agents=ballots.agents), "copeland", {})
    assert type(strategy.cells).__name__ == "BallotTable"


def test_counts_split_by_cluster_are_drawn_like_the_battles_they_count():
    battles = some_battles(5)
    for method in ("schulze", "bradley_terry"):
        one = bootstrap(battles, method, draws=70)
        other = bootstrap(battles.pairs(by=["cluster"]), method, draws=70)
        np.testing.assert_array_equal(one.levels, other.levels)
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)


def test_counts_that_do_not_tell_single_battles_are_refused():
    for counts in (some_battles(weighted=True).pairs(), Pairs(AGENTS, [0], [1], [[1.5, 1, 0, 0]])):
        with pytest.raises(DataError, match="themselves"):
            bootstrap(counts, "copeland")
