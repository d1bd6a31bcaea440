"""pass@k, pass^k and majority@k against all subsets of the samples."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath import DataError, Factor, Scores, UsageError
from beatpath.analysis.compare_runs import compare
from beatpath.inference.runs.pass_at_k import pass_at_k, pass_at_k_named
from beatpath.inference.runs.pass_curves import pass_curves

VOTES = {
    "any": any,
    "all": all,
    "majority": lambda some: (sum(some) > len(some) / 2) + (sum(some) == len(some) / 2) / 2,
}


def table(*items):
    """One agent; the outcomes of every item."""
    item = Factor.of(f"q{i}" for i, one in enumerate(items) for _ in one)
    run = Factor.of(str(k) for one in items for k in range(len(one)))
    return Scores(
        ("ada",), np.zeros(len(item.codes), int), np.concatenate(items).astype(float), {"item": item, "replicate": run}
    )


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data(), st.sampled_from(sorted(VOTES)))
def test_the_estimate_is_the_mean_over_all_choices_of_k_samples(outcomes, data, samples):
    k = data.draw(st.integers(1, len(outcomes)))
    expected = np.mean([float(VOTES[samples](some)) for some in combinations(outcomes, k)])
    assert pass_at_k(table(outcomes), k, samples).value == pytest.approx([expected])


def test_the_formula_of_human_eval():
    """1 - prod(1 - k / arange(n - c + 1, n + 1)), as its authors compute it."""
    n, c, k = 200, 13, 10
    expected = 1 - np.prod(1 - k / np.arange(n - c + 1, n + 1))
    assert pass_at_k(table([1] * c + [0] * (n - c)), k).value == pytest.approx([expected])


@given(st.lists(st.integers(-3, 9), min_size=1, max_size=7), st.data())
def test_the_best_of_k_is_the_mean_over_all_choices(graded, data):
    k = data.draw(st.integers(1, len(graded)))
    more = data.draw(st.lists(st.integers(-3, 9), min_size=k, max_size=7))
    expected = [np.mean([max(some) for some in combinations(one, k)]) for one in (graded, more)]
    assert pass_at_k(table(graded, more), k, "best").value == pytest.approx(expected)


def test_pass_hat_k_of_tau_bench():
    """comb(c, k) / comb(n, k) averaged over tasks, as its authors compute it."""
    right, n, k = (8, 3, 5, 0), 8, 4
    expected = np.mean([comb(c, k) / comb(n, k) for c in right])
    value = pass_at_k(table(*([1] * c + [0] * (n - c) for c in right)), k, "all").value
    assert value.mean() == pytest.approx(expected)


def sampled(seed, n, k, spread=1.0, agents=("ada",), center=0.0):
    """Items that are tried k times, the ease of which has this spread."""
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-center - spread * rng.normal(size=(len(agents), n, 1))))
    value = (rng.random((len(agents), n, k)) < chance).astype(float)
    agent, item, run = (x.ravel() for x in np.meshgrid(range(len(agents)), range(n), range(k), indexing="ij"))
    factors = {"item": Factor.of(f"q{i:03d}" for i in item), "replicate": Factor.of(map(str, run))}
    return Scores(agents, agent, value.ravel(), factors)


def test_curves_have_the_estimates_of_every_k_and_bands_wider_than_single_intervals():
    scores = sampled(1, 50, 5, agents=("ada", "bob"))
    curves = pass_curves(scores)
    for k in range(1, 6):
        for curve, how in ((curves.once, "any"), (curves.always, "all")):
            own = pass_at_k(scores, k, how)
            assert curve[1, k - 1] == pytest.approx(own.value[own.agent == 1].mean())
    value = pass_at_k(scores, 3, "any")
    value = value.value[value.agent == 0]
    reach = 2.01 * value.std(ddof=1) / np.sqrt(50)  # Student's t with 49 degrees of freedom
    assert curves.once_high[0, 2] - curves.once_low[0, 2] > 2 * reach
    assert (np.diff(curves.once) >= 0).all()
    assert (np.diff(curves.always) <= 0).all()
    share = [f"{100 * one[1, -1]:.1f} %" for one in (curves.once, curves.always)]
    assert all(one in curves.sentences[1] for one in ("'bob' solves", "at least once in 5", *share))
    rows = [(row["agent"], row["k"], row["once"], row["always"]) for row in curves.rows()]
    wanted = [
        (a, k, curves.once[i, k - 1], curves.always[i, k - 1])
        for i, a in enumerate(("ada", "bob"))
        for k in range(1, 6)
    ]
    assert rows == wanted
    assert "pass@k" in str(bp.plot(curves).spec)


def test_bands_of_clusters_are_wider_and_bad_k_gets_a_sentence():
    scores = sampled(2, 60, 4)
    documents = Factor.of(f"d{int(one[1:]) // 10}" for one in scores.factors["item"].names())
    alike = Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "document": documents})
    assert pass_curves(alike, cluster="document").items == 6
    with pytest.raises(DataError, match=r"from 1 to 4, the fewest samples of an item; got 5"):
        pass_curves(scores, 5)
    with pytest.raises(UsageError, match="must be a column"):
        pass_curves(scores, cluster="dokument")


def test_items_agents_and_tasks_stay_apart_and_every_verb_takes_the_result():
    rng = np.random.default_rng(0)
    agent, item, run = (x.ravel() for x in np.meshgrid(range(3), range(60), range(5), indexing="ij"))
    value = (rng.random(len(agent)) < 0.2 + 0.2 * agent).astype(float)
    factors = {"item": Factor.of(map(str, item)), "replicate": Factor.of(map(str, run))}
    scores = pass_at_k(Scores(("a", "b", "c"), agent, value, factors), 3)
    assert len(scores.value) == 180
    assert bp.resolve(scores).ranks.rows()[0]["agent"] == "c"
    assert scores.conventions[-1].value == "pass@3"


def test_two_runs_are_compared_by_a_name():
    runs = {"base": table(*[[0, 0, 1]] * 20), "new": table(*[[0, 1, 1]] * 20)}
    result = compare(runs, samples="pass^2").comparisons[0]
    assert (result.base_score, result.new_score) == pytest.approx((0.0, 1 / 3))


def test_bad_samples_get_a_sentence():
    with pytest.raises(DataError, match=r"'ada' has 1 on 'q1' .1 item with too few."):
        pass_at_k(table([1, 0], [1]), 2)
    with pytest.raises(DataError, match=r"right .1. or wrong .0.; got 0.5"):
        pass_at_k(Scores.from_table([[0.5]], ["ada"], ["t"]), 1)
    with pytest.raises(UsageError, match="such as pass@5; got 'pass5'"):
        pass_at_k_named(table([1, 0]), "pass5")


def test_a_band_holds_where_one_of_many_easy_items_failed():
    """At a failure rate of 0.0013 one table of ten has a failed item: one failure does not exclude it, as Wilson's interval would."""
    item, sample = Factor.of(f"q{i // 4:02d}" for i in range(320)), Factor.of("0123" * 80)
    curves = pass_curves(Scores(("ada",), [0] * 320, [0] * 4 + [1] * 316, {"item": item, "replicate": sample}))
    assert 1 - (1 - 0.0013) ** 80 == pytest.approx(0.1, abs=0.002)
    assert (curves.once_high[0] > 1 - 0.0013).all()
    assert curves.once_high[0, 0] < 1


@pytest.mark.slow
def test_bands_of_very_easy_items_cover_together():
    """120 items of mean log odds 3, each tried four times: 0.898 of the bands held in 500 runs with Wilson's interval alone."""
    p = 1 / (1 + np.exp(-3.0 - np.random.default_rng(0).normal(size=200_000)))
    true = np.array([[np.mean(1 - (1 - p) ** k) for k in range(1, 5)], [np.mean(p**k) for k in range(1, 5)]])
    bands = [pass_curves(sampled(seed, 120, 4, center=3.0)) for seed in range(200)]
    held = [
        (np.stack([one.once_low[0], one.always_low[0]]) <= true).all()
        and (true <= np.stack([one.once_high[0], one.always_high[0]])).all()
        for one in bands
    ]
    assert np.mean(held) >= 0.95
