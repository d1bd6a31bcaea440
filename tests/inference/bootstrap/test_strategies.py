"""Whatever strategy a method takes, a resample says what the method says of its rows, built one by one."""

from collections import Counter

import numpy as np
import pytest

from beatpath import Ballots, Battles, Factor, Scores
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.inference.bootstrap.pair_cells import cluster_pair_cells
from beatpath.inference.bootstrap.strategies import strategy_of_method
from beatpath.inference.core.core import core
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import METHODS
from helpers.resampled import AGENTS, on_resamples, same, some_ballots, some_battles, some_scores

QUICK = {"plackett_luce": {"prior": 0.5}}


OTHER = [
    ("bradley_terry", {"tie_model": "davidson"}),
    ("bradley_terry", {"prior": 0.5, "scale": "elo", "anchor": "bob", "anchor_rating": 1000.0}),
    ("bradley_terry", {"position": True, "prior": 0.5}),
    ("sco", {"solver": "sgd", "iterations": 50}),
    ("stv", {"k": 2}),
]


def rows_by_cluster(battles, weights):
    """Battles of a resample, cluster by cluster, in a loop."""
    names, column = sorted(set(battles.factors["cluster"].levels)), battles.factors["cluster"].names()
    times = dict(zip(names, weights.tolist(), strict=True))
    return battles.take(np.array([row for row in range(len(battles)) for _ in range(times[column[row]])], dtype=int))


def rows_by_row(battles, weights):
    return battles.take(np.array([row for row, times in enumerate(weights.tolist()) for _ in range(times)], dtype=int))


TAKE_BATTLES = [(key, QUICK.get(key, {})) for key, method in METHODS.items() if "battles" in method.takes]


@pytest.mark.parametrize(("method", "settings"), [*TAKE_BATTLES, *(c for c in OTHER if c[0] != "stv")], ids=str)
@pytest.mark.parametrize("kind", ["plain", "weighted", "soft"])
def test_clusters_of_battles_are_resampled_whole(method, settings, kind):
    battles = some_battles(weighted=kind == "weighted", soft=kind == "soft")
    strategy, weights, answers = on_resamples(battles, method, settings)
    built = rows_by_row if strategy.resample_text == "rows repeated in place" else rows_by_cluster
    for taken, answer in zip(weights, answers, strict=True):
        same(answer, built(battles, taken), method, settings)


@pytest.mark.parametrize("conventions", [{"ties": "drop"}, {"both_bad": "drop"}, {"pair_weight": "rate"}])
@pytest.mark.parametrize("method", ["schulze", "bradley_terry", "copeland", "elo"])
def test_conventions_hold_in_every_resample(method, conventions):
    battles = some_battles(1, n=150)
    strategy, weights, answers = on_resamples(battles, method, {}, **conventions)
    built = rows_by_row if strategy.resample_text == "rows repeated in place" else rows_by_cluster
    for taken, answer in zip(weights, answers, strict=True):
        same(answer, built(battles, taken), method, {}, **conventions)


@pytest.mark.parametrize("soft", [False, True])
def test_independent_battles_are_resampled_by_outcome(soft):
    battles = some_battles(2, soft=soft, weighted=soft)
    strategy, weights, answers = on_resamples(battles, "schulze", {}, None)
    assert strategy.resample_text == "pair counts"
    kinds = Counter(outcomes_of(battles))
    cells = {key: [] for key in kinds}
    for row, key in enumerate(outcomes_of(battles)):
        cells[key].append(row)
    assert len(kinds) == weights.shape[1]
    for taken, answer in zip(weights, answers, strict=True):
        assert taken.sum() == len(battles)
        rows = [
            cells[key][0]
            for key, times in zip(sorted(kinds, key=place), taken.tolist(), strict=True)
            for _ in range(times)
        ]
        same(answer, battles.take(np.array(rows)), "schulze", {})


def outcomes_of(battles):
    """What each battle says, its pair in order."""
    weight = np.ones(len(battles)) if battles.weight is None else battles.weight
    for a, b, s, bad, w in zip(battles.a, battles.b, battles.outcome, battles.both_bad, weight, strict=True):
        s = s if a < b else 1 - s
        tied = w if s == 0.5 else 0.0
        counts = (0.0, 0.0, 0.0 if bad else tied, tied if bad else 0.0) if tied else (w * s, w * (1 - s), 0.0, 0.0)
        yield min(a, b) * 5 + max(a, b), *counts


def place(key):
    """The order in which battles without a cluster are stored: by pair, then by what they add, the last column first."""
    code, *counts = key
    return code, *counts[::-1]


def test_a_battle_without_a_cluster_is_resampled_by_itself():
    names = ["x", "x", None, None, "y"]
    rows = [("ada", "bob", 1), ("ada", "bob", 1), ("ada", "bob", 0), ("ada", "bob", 0.5), ("bob", "ada", 1)]
    battles = Battles.of(rows, factors={"cluster": Factor.of(names)})
    cells, resampler = cluster_pair_cells(battles, "auto")
    weights = resampler.weights(np.random.default_rng(0), 400)
    counts = cells.counts(weights)[:, 0]
    assert (weights.sum(axis=1) == 4).all()
    assert set(counts[:, 0]) <= {0, 2, 4, 6, 8}
    assert {1, 2, 3} <= set(counts[:, 2])


@pytest.mark.parametrize("cluster", ["auto", None])
@pytest.mark.parametrize(
    ("method", "settings"),
    [*((k, QUICK.get(k, {})) for k, m in METHODS.items() if "ballots" in m.takes), OTHER[-1]],
    ids=str,
)
def test_ballots_are_resampled_by_voter_or_one_by_one(method, settings, cluster):
    ballots = some_ballots()
    strategy, resampler = strategy_of_method(profile_of(ballots), method, settings, cluster, 5)
    weights = resampler.weights(np.random.default_rng(0), 5)
    assert strategy.resample_text in ("pair counts", "ballots with other counts")
    for taken, answer in zip(weights, strategy.answers(weights), strict=True):
        cast = [vote for vote, times in zip(ballots, taken.tolist(), strict=True) for _ in range(times)]
        same(answer, Ballots.of(cast, agents=AGENTS), method, settings)
        if cluster is None:
            assert taken.sum() == ballots.count.sum()
        else:
            for code in range(len(ballots.factors["voter"].levels)):
                here = ballots.factors["voter"].codes == code
                assert len(set((taken[here] / ballots.count[here]).tolist())) == 1


TAKE_SCORES = [
    (key, QUICK.get(key, {}), "unranked")
    for key, method in METHODS.items()
    if "scores" in method.takes and key != "bradley_terry_judged"  # which needs judges
]


EMPTY_CELLS = [
    (key, {}, missing) for key in ("borda", "schulze", "nash_averaging") for missing in ("last", "drop_task")
]


@pytest.mark.parametrize(("method", "settings", "missing"), [*TAKE_SCORES, *EMPTY_CELLS], ids=str)
def test_tasks_are_resampled_with_all_their_scores(method, settings, missing):
    scores = some_scores()
    _, weights, answers = on_resamples(scores, method, settings, missing=missing)
    table, names = scores.table()
    sign = np.array([-1.0 if name == "t1" else 1.0 for name in names])
    tasks = [t for t in range(9) if missing != "drop_task" or not np.isnan(table[:, t]).any()]
    assert weights.shape[1] == len(tasks)
    for taken, answer in zip(weights, answers, strict=True):
        columns = [(t, k) for t, times in zip(tasks, taken.tolist(), strict=True) for k in range(times)]
        built = Scores.from_table((table * sign)[:, [t for t, _ in columns]], AGENTS, [f"{t} {k}" for t, k in columns])
        same(answer, built, method, settings, missing=missing)


def test_items_are_resampled_where_items_vote_and_tasks_can_hold_them_together():
    rng = np.random.default_rng(0)
    rows = [(a, t, i) for a in range(2) for t in "xyz" for i in range(4)]
    scores = Scores(
        ("ada", "bob"),
        np.array([a for a, _, _ in rows]),
        rng.random(len(rows)),
        {"task": Factor.of(t for _, t, _ in rows), "item": Factor.of(f"{t}{i}" for _, t, i in rows)},
    )
    assert bootstrap(scores, "copeland", draws=10, per="item").resampled == "3 tasks"
    assert bootstrap(scores, "copeland", draws=10, per="item", cluster="task").resampled == "3 tasks"
    assert bootstrap(scores, "copeland", draws=10, per="item", cluster="item").resampled == "12 items"
    _, weights, _ = on_resamples(scores, "copeland", {}, "task", per="item")
    assert (weights.reshape(4, 3, 4) == weights.reshape(4, 3, 4)[:, :, :1]).all()


def test_two_columns_are_resampled_independently_and_multiplied():
    battles = some_battles(3)
    crossed = Battles(
        battles.agents,
        battles.a,
        battles.b,
        battles.outcome,
        factors={**battles.factors, "judge": Factor.of("pqr"[i % 3] for i in range(80))},
    )
    strategy, resampler = strategy_of_method(profile_of(crossed), "schulze", {}, ("cluster", "judge"), 1)
    rng = np.random.default_rng(5)
    weights = resampler.weights(rng, 1)
    rng = np.random.default_rng(5)
    times = [way.drawn(rng) for way in resampler.ways]
    rows = [
        row
        for row in range(80)
        for _ in range(times[0][crossed.factors["cluster"].codes[row]] * times[1][crossed.factors["judge"].codes[row]])
    ]
    (answer,) = strategy.answers(weights)
    same(answer, crossed.take(np.array(rows)), "schulze", {})


def test_cores_are_those_of_the_resampled_rows():
    battles = some_battles(4)
    _, weights, answers = on_resamples(battles, "core", {})
    for taken, answer in zip(weights, answers, strict=True):
        core_result = core(rows_by_cluster(battles, taken), matrix="raw")
        assert {AGENTS[i] for i in np.flatnonzero(answer.sets["top_cycle"])} == set(core_result.top_cycle.members)
        assert {AGENTS[i] for i in np.flatnonzero(answer.sets["uncovered_set"])} == set(
            core_result.uncovered_set.members
        )
