"""Position bias and verdicts that turn with the order."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from beatpath.checks import check
from beatpath.checks.finding import CheckLimits
from beatpath.checks.judges import decided, first_share
from beatpath.evidence import Battles
from beatpath.stats.balanced_share import balanced_share
from beatpath.stats.intervals import wilson
from helpers.worlds import factor, shown_battles

LIMITS = CheckLimits()


def within(hits, level=0.95):
    """Bounds that a count of covered truths leaves once in ten thousand."""
    return binom.ppf(5e-5, len(hits), level) <= sum(hits) <= binom.ppf(1 - 5e-5, len(hits), level)


def shown(battles):
    return decided(battles, LIMITS)


def test_the_share_of_the_side_shown_first_by_hand():
    # first side wins, wins, loses; a tie and an unknown order are left out
    battles = Battles.of(
        [("x", "y", 1), ("x", "y", 0), ("y", "x", 1), ("x", "y", 0.5), ("x", "y", 1)], position=[1, -1, -1, 1, 0]
    )
    assert first_share(shown(battles), 0.95) == wilson(2 / 3, 3)


def test_the_balanced_share_by_hand():
    # x first: x wins 3 of 4; y first: y wins 1 of 2; the pair x-z was seen in one order only
    rows = [("x", "y", 1)] * 3 + [("x", "y", 0)] + [("y", "x", 1), ("y", "x", 0)] + [("x", "z", 1)] * 5
    battles = Battles.of(rows, position=[1] * 11)
    assert balanced_share(shown(battles), 0.95).estimate == pytest.approx((3 / 4 + 1 / 2) / 2)


@pytest.mark.parametrize("clustered", [True, False])
def test_leaving_out_in_closed_form_agrees_with_leaving_out(clustered):
    battles = shown_battles(np.random.default_rng(0), 9, [5, 8], position=0.5, n_agents=3)
    groups = battles.factors["cluster"].codes if clustered else np.arange(len(battles))
    battles = battles if clustered else replace(battles, factors={})
    share = balanced_share(shown(battles), 0.95)
    left = [balanced_share(shown(battles.take(groups != g)), 0.95).estimate for g in np.unique(groups)]
    sizes = np.bincount(groups).astype(float)
    n = len(left)
    error = np.sqrt((n - 1) / n * ((left - np.mean(left)) ** 2).sum())
    from scipy.stats import t

    df = sizes.sum() ** 2 / (sizes**2).sum() - 1
    assert share.high - share.estimate == pytest.approx(t.ppf(0.975, df) * error, rel=1e-6)


def test_strong_agents_shown_first_do_not_look_like_position_bias():
    battles = shown_battles(np.random.default_rng(1), 400, [20], favour=0.3)
    finding = check(battles)["position bias"]
    assert finding.figures["share"]["low"] > 0.55
    assert finding.status == "passed"


def test_a_true_bias_is_detected():
    finding = check(shown_battles(np.random.default_rng(2), 400, [20], position=0.4))["position bias"]
    assert finding.status == "warning"
    assert finding.figures["grouped by"] == "cluster"


def test_pairs_shown_in_one_order_only_cannot_tell_position_from_strength():
    finding = check(Battles.of([("x", "y", 1)] * 40, position=[1] * 40))["position bias"]
    assert finding.status == "warning"
    assert "cannot be distinguished" in finding.consequence


def test_one_judge_is_no_cluster():
    rng = np.random.default_rng(3)
    battles = replace(shown_battles(rng, 300, [4]), factors={"judge": factor([0] * 1200)})
    assert check(battles)["position bias"].figures["grouped by"] is None


TRUTHS = {  # (spread between clusters, favour): the shares of a million battles
    (0.0, 0.0): {"position": 0.3},
    (0.8, 0.0): {"position": 0.3, "spread": 0.8},
    (0.8, 0.3): {"position": 0.3, "spread": 0.8, "favour": 0.3},
}


@pytest.mark.parametrize("world", TRUTHS.values(), ids=["iid", "clustered", "clustered and confounded"])
@pytest.mark.parametrize("sizes", [[10], [2, 3, 40]], ids=["equal", "unequal"])
def test_both_intervals_cover(world, sizes):
    rng = np.random.default_rng(4)
    large = shown(shown_battles(rng, 60_000, sizes, **world))
    truth = [first_share(large, 0.95).estimate, balanced_share(large, 0.95).estimate]
    hits = []
    for _ in range(300):
        battles = shown_battles(rng, 50, sizes, **world)
        rows = shown(battles if "spread" in world else replace(battles, factors={}))
        intervals = [first_share(rows, 0.95), balanced_share(rows, 0.95)]
        hits.append([i.low <= t <= i.high for i, t in zip(intervals, truth, strict=True)])
    plain, balanced = zip(*hits, strict=True)
    assert within(plain)
    assert within(balanced)


def both_ways(verdicts):
    """Units judged in both orders: outcomes for x when x, then when y, was shown first."""
    rows = [("x", "y", s) for pair in verdicts for s in pair]
    tasks = factor([t for t, pair in enumerate(verdicts) for _ in pair])
    return Battles.of(rows, position=[1, -1] * len(verdicts), factors={"task": tasks})


def test_flips_by_hand():
    # 10 agree, 6 go to the first side, 2 to the second, 2 turn into a tie
    verdicts = [(1, 1)] * 5 + [(0, 0)] * 5 + [(1, 0)] * 6 + [(0, 1)] * 2 + [(1, 0.5)] * 2
    finding = check(both_ways(verdicts))["order flips"]
    assert finding.figures["units"] == 20
    assert finding.figures["changed"]["estimate"] == 0.5
    assert (finding.figures["to first"], finding.figures["to second"]) == (0.3, 0.1)
    assert finding.status == "warning"


def test_verdicts_that_stand_pass_and_few_say_nothing():
    assert check(both_ways([(1, 1)] * 30))["order flips"].status == "passed"
    assert check(both_ways([(1, 0)] * 3))["order flips"].status == "not run"


def test_a_bias_that_is_certain_but_small_passes():
    """50.6 % with 100,000 battles, both orders alike: less than the limit, and certainly not one half."""
    rows, won = [("x", "y"), ("y", "x")], [25_300, 24_700]
    battles = Battles.of(
        [(*pair, outcome) for pair in rows for outcome, n in zip((1, 0), won, strict=True) for _ in range(n)],
        position=np.ones(100_000, dtype=np.int8),
    )
    finding = check(battles)["position bias"]
    assert finding.figures["balanced"]["low"] > 0.5
    assert finding.status == "passed"
