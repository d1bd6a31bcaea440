"""pass@k, pass^k and majority@k against all subsets of the samples."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath import DataError, Factor, Scores, UsageError
from beatpath.analysis.compare_runs import compare
from beatpath.inference.runs.pass_at_k import pass_at_k, pass_at_k_named

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
