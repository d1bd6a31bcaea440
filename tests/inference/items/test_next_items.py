"""`next_items`: what to run next, and a verdict that holds whenever one looks."""

from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.anytime.boundary import FRACTIONS, bounded_bets
from beatpath.inference.items.next_items import _replayed

ITEMS = [f"q{i:03d}" for i in range(60)]


def scores(table, agents):
    return bp.Scores.from_table(np.array(table, dtype=float), agents, ITEMS[: len(table[0])])


def asked(truth, pilot, claim="new > base", level=0.95):
    """Ask and tell until the claim is settled, and return the last answer."""
    new = np.full(len(truth[0]), np.nan)
    while True:
        answer = bp.planning.next_items(
            scores([truth[1], new, *pilot], ["base", "new", *"abcdef"[: len(pilot)]]), claim, level=level
        )
        if not answer.items:
            return answer
        new[ITEMS.index(answer.items[0])] = truth[0][ITEMS.index(answer.items[0])]


def test_bets_are_the_mean_of_products():
    rng = np.random.default_rng(0)
    gain, low, high = rng.uniform(-0.4, 0.5, 30), rng.uniform(-2, -0.5, 30), rng.uniform(0.5, 2, 30)
    up, down = bounded_bets(gain, low, high)
    wealth = [np.mean([np.prod(1 + f * gain[: t + 1] / -low[: t + 1]) for f in FRACTIONS]) for t in range(30)]
    against = [np.mean([np.prod(1 - f * gain[: t + 1] / high[: t + 1]) for f in FRACTIONS]) for t in range(30)]
    np.testing.assert_allclose(np.exp(up), wealth)
    np.testing.assert_allclose(np.exp(down), against)


def test_a_large_difference_settles_early_and_either_way_round():
    rng = np.random.default_rng(1)
    truth = np.array([rng.random(60) < 0.9, rng.random(60) < 0.3], dtype=float)
    answer = asked(truth, (rng.random((4, 60)) < 0.6).astype(float))
    assert answer.verdict == "supported"
    assert answer.run < 40
    assert answer.e_value > 40
    turned = asked(truth, (rng.random((4, 60)) < 0.6).astype(float), "base > new")
    assert turned.verdict == "shown to be false"
    assert turned.difference < 0


def test_with_all_items_the_verdict_is_the_sign_of_the_difference():
    table = [[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    answer = asked(table, [[0.0, 1.0, 0.0, 1.0]])
    assert (answer.verdict, answer.total) == ("supported", 4)
    assert asked([table[1], table[1]], [table[0]]).verdict == "not shown"


def test_other_orders_and_claims_are_refused():
    new = [np.nan] * 60
    some = scores([[0.0, 1.0] * 30, new], ["base", "new"])
    first = bp.planning.next_items(some, "new > base", batch=2).items
    assert len(first) == 2
    new[ITEMS.index(first[1])] = 1.0
    with pytest.raises(bp.DataError, match="must be run in the order that is named"):
        bp.planning.next_items(scores([[0.0, 1.0] * 30, new], ["base", "new"]), "new > base")
    with pytest.raises(bp.UsageError, match='must be "A > B"'):
        bp.planning.next_items(some, "new is first")


def test_without_a_difference_few_claims_ever_settle():
    """Difference zero exactly, easy and hard items, predictions far off: at most 5 % settle at any of sixty looks."""
    rng, settled, tables = np.random.default_rng(2), 0, 400
    for _ in range(tables):
        chance = rng.choice([0.05, 0.5, 0.95], 30)
        x, base = (rng.random((2, 30)) < chance).astype(float)
        order = rng.permutation(60)
        new, old = np.concatenate([x, base])[order], np.concatenate([base, x])[order]
        easy = rng.normal(3.0, 2.0, 60)
        settled += max(max(_replayed(new[:run], old, easy)[0]) for run in (20, 40, 59)) > np.log(2 / 0.05)
    assert settled <= tables * 0.05 + 3 * np.sqrt(tables * 0.05 * 0.95)


def test_the_increments_average_the_difference_whatever_the_predictions(monkeypatch):
    """Over all first items, the increment that is bet on averages the mean difference of all items."""
    rng = np.random.default_rng(3)
    x, base, easy = rng.random(7), rng.random(7), rng.normal(size=7)
    gains = []
    monkeypatch.setattr(
        "beatpath.inference.items.next_items.bounded_bets",
        lambda gain, low, high: gains.append((gain[-1], low[-1], high[-1])) or (gain, gain),
    )
    for first in range(7):
        order = [first, *(i for i in range(7) if i != first)]
        _replayed(x[order][:1], base[order], easy[order])
    values = np.array(gains)
    assert np.isclose(values[:, 0].mean(), (x - base).mean())
    assert (values[:, 1] <= values[:, 0]).all()
    assert (values[:, 0] <= values[:, 2]).all()


@pytest.mark.parametrize("higher", [True, False])
def test_the_range_that_scores_must_stay_in_is_a_condition(higher):
    known = scores([[0.5, 4.0, 1.0, 2.0], [np.nan] * 4], ["base", "new"])
    known = replace(known, higher_is_better=dict.fromkeys(ITEMS[:4], higher))
    plan = bp.planning.next_items(known, "new > base")
    assert plan.sentences[1].endswith("if they are run in this order and scores stay from 0.5 to 4.")
