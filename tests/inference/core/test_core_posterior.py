"""The core posterior against its definition summed in full, and against simulated truth."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Pairs
from beatpath._errors import DataError, UsageError
from beatpath.inference.core import core_sets
from beatpath.inference.core.core_edges import core_edges
from beatpath.inference.core.core_posterior import core_posterior


def pairs_of(wins):
    n = len(wins)
    a, b = np.triu_indices(n, 1)
    won, lost = wins[a, b], wins[b, a]
    met = won + lost > 0
    counts = np.column_stack([won, lost, 0 * won, 0 * won])[met]
    return Pairs(tuple(f"agent {k}" for k in range(n)), a[met], b[met], counts)


def drawn(win_probability, battles, rng, missing=0.0):
    n = len(win_probability)
    a, b = np.triu_indices(n, 1)
    met = rng.random(len(a)) >= missing
    won = rng.binomial(battles, win_probability[a, b]) * met
    wins = np.zeros((n, n))
    wins[a, b], wins[b, a] = won, battles * met - won
    return wins


def planted(n, k, rng, inside, across, outside):
    """A rotational core on top, everyone else in order; labels shuffled."""
    p = np.full((n, n), 0.5)
    for i, step in itertools.product(range(k), range(1, k // 2 + 1)):
        p[i, (i + step) % k], p[(i + step) % k, i] = inside, 1 - inside
    p[:k, k:], p[k:, :k] = across, 1 - across
    a, b = (index + k for index in np.triu_indices(n - k, 1))
    p[a, b], p[b, a] = outside, 1 - outside
    shuffled = rng.permutation(n)
    return p[np.ix_(shuffled, shuffled)], shuffled < k


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 9))
def test_renaming_agents_renames_the_answer(seed, n):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 6, (n, n)).astype(float) * ~np.eye(n, dtype=bool)
    shuffled = rng.permutation(n)
    one, other = core_posterior(pairs_of(wins)), core_posterior(pairs_of(wins[np.ix_(shuffled, shuffled)]))
    np.testing.assert_allclose(one.probability[shuffled], other.probability, atol=1e-7)
    np.testing.assert_allclose(one.size, other.size, atol=1e-7)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(1, 20))
def test_memberships_and_sizes_belong_together(seed, n):
    rng = np.random.default_rng(seed)
    found = core_posterior(pairs_of(rng.poisson(rng.uniform(0, 3), (n, n)) * ~np.eye(n, dtype=bool)))
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    assert found.size.sum() == pytest.approx(1)
    assert found.probability.sum() == pytest.approx(found.size @ np.arange(n + 1))
    assert 0 < found.most_probable_probability <= found.size[len(found.most_probable)] + 1e-9


def test_the_same_counts_give_the_same_answer():
    rng = np.random.default_rng(5)
    wins = drawn(planted(25, 5, rng, 0.68, 0.77, 0.81)[0], 5, rng, missing=0.3)
    one, other = core_posterior(pairs_of(wins)), core_posterior(pairs_of(wins))
    assert (one.probability == other.probability).all()
    assert one.most_probable == other.most_probable


def test_one_agent_is_the_core_and_of_two_the_better_is():
    alone = core_posterior(Pairs(("ada",), [], [], np.zeros((0, 4))))
    assert (alone.probability.tolist(), alone.most_probable, alone.status) == ([1.0], ("ada",), "exact")
    two = core_posterior(Pairs(("ada", "bob"), [0], [1], [[9, 1, 0, 0]]))
    assert two.most_probable == ("ada",)
    assert two.probability.sum() == pytest.approx(1)
    assert two.probability[0] == pytest.approx(two.most_probable_probability)
    assert two.probability[0] > 0.95


def test_sets_that_are_equally_probable_are_said_to_be():
    even = core_posterior(Pairs(("ada", "bob"), [0], [1], [[2, 2, 0, 0]]))
    assert even.probability.tolist() == pytest.approx([0.5, 0.5])
    assert even.status.startswith("2 sets are equally probable")


def test_without_comparisons_nobody_is_ahead_and_the_status_says_so():
    found = core_posterior(Pairs(tuple("abcdefghijklmnopqrst"), [], [], np.zeros((0, 4))))
    assert np.ptp(found.probability) == 0
    assert found.probability.sum() == pytest.approx(found.size @ np.arange(21))
    assert found.status.startswith("no comparisons")
    empty = core_posterior(Pairs(("a", "b", "c"), [0], [1], np.zeros((1, 4))))
    assert np.ptp(empty.probability) == 0


def test_no_agents_at_all_are_refused():
    with pytest.raises(DataError, match="at least one agent"):
        core_posterior(Pairs((), [], [], np.zeros((0, 4))))


def test_ties_that_are_not_settled_are_refused():
    tied = Pairs(("ada", "bob"), [0], [1], [[3, 1, 2, 0]])
    with pytest.raises(UsageError, match="settle"):
        core_posterior(tied)
    assert core_posterior(tied.settle()).most_probable == ("ada",)


def test_a_clear_winner_is_alone_in_the_core():
    rng = np.random.default_rng(0)
    p, truth = planted(40, 1, rng, 0.5, 0.8, 0.8)
    found = core_posterior(pairs_of(drawn(p, 100, rng)))
    assert found.most_probable == (f"agent {int(np.flatnonzero(truth)[0])}",)
    assert found.most_probable_probability > 0.99


@pytest.mark.parametrize("n", [9, 25, 40])
def test_a_circle_of_all_agents_is_a_core_of_all(n):
    rng = np.random.default_rng(n)
    found = core_posterior(pairs_of(drawn(planted(n, n - 1 + n % 2, rng, 0.75, 0.75, 0.75)[0], 50, rng)))
    assert len(found.most_probable) == n - 1 + n % 2
    assert found.probability.max() > 0.99


def test_symmetric_agents_share_one_membership():
    wins = np.zeros((5, 5))
    for i, step in itertools.product(range(5), (1, 2)):
        wins[i, (i + step) % 5], wins[(i + step) % 5, i] = 7, 3
    assert np.ptp(core_posterior(pairs_of(wins)).probability) < 1e-9


def test_a_wider_window_changes_little_when_the_first_is_said_to_do(monkeypatch):
    rng = np.random.default_rng(2)
    wins = drawn(planted(40, 5, rng, 0.68, 0.77, 0.81)[0], 10, rng, missing=0.3)
    edges = core_edges(pairs_of(wins))
    narrow = core_sets.core_sets(edges)
    assert narrow.edge < core_sets.EDGE
    monkeypatch.setattr(core_sets, "NARROW", narrow.window + 2)
    wide = core_sets.core_sets(edges)
    assert wide.window == narrow.window + 2
    np.testing.assert_allclose(narrow.probability, wide.probability, atol=0.01)


def test_a_thin_record_is_recovered_far_better_than_by_win_rate():
    hits, by_rate = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        p, truth = planted(60, 5, rng, 0.68, 0.77, 0.81)
        wins = drawn(p, 5, rng, missing=0.3)
        found = core_posterior(pairs_of(wins))
        rate = wins.sum(axis=1) / (wins + wins.T).sum(axis=1)
        hits.append(truth[np.argsort(-found.probability)[:5]].mean())
        by_rate.append(truth[np.argsort(-rate)[:5]].mean())
    assert np.mean(hits) > 0.8
    assert np.mean(hits) > np.mean(by_rate) + 0.2


def test_stated_memberships_come_true_as_often_as_stated():
    """Cores of 1 to 9 agents, strengths and amounts at random: the mean of bins, within four binomial errors and 0.06."""
    stated, truth = [], []
    for seed in range(40):
        rng = np.random.default_rng([seed, 11])
        n, k, m = (int(rng.choice(options)) for options in ([20, 30], [1, 1, 1, 3, 4, 5, 7, 9], [3, 5, 10, 20]))
        p, core = planted(n, k, rng, *rng.uniform(0.62, 0.88, 3))
        stated.append(core_posterior(pairs_of(drawn(p, m, rng, missing=rng.choice([0, 0.3])))).probability)
        truth.append(core)
    stated, truth = np.concatenate(stated), np.concatenate(truth)
    for low, high in [(0.0, 0.05), (0.05, 0.3), (0.3, 0.7), (0.7, 0.95), (0.95, 1.01)]:
        chosen = (stated >= low) & (stated < high)
        mean = stated[chosen].mean()
        allowed = 0.06 + 4 * np.sqrt(mean * (1 - mean) / chosen.sum())
        assert abs(truth[chosen].mean() - mean) < allowed, (low, high)


def test_the_answer_is_plain_data():
    found = core_posterior(
        Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[9, 1, 0, 0], [2, 8, 0, 0], [7, 3, 0, 0]])
    )
    data = json.loads(json.dumps(found.to_dict()))
    assert data["top_cycle"]["ada"] == found.probability[0]
    assert data["most_probable"]["members"] == list(found.most_probable)
    assert sum(data["size"].values()) == pytest.approx(1)


def test_cells_split_by_a_key_are_added_up():
    from beatpath.evidence.factor import Factor

    whole = Pairs(("ada", "bob"), [0], [1], [[4, 2, 0, 0]])
    split = Pairs(
        ("ada", "bob"), [0, 0], [1, 1], [[3, 0, 0, 0], [1, 2, 0, 0]], keys={"task": Factor.coded([0, 1], ["x", "y"])}
    )
    np.testing.assert_allclose(core_posterior(whole).probability, core_posterior(split).probability)
