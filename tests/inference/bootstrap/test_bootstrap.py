"""The verb: one result however it is computed, and nothing hidden in it."""

import json
import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from dataclasses import replace

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Ballots, Battles, Factor, Margins, Pairs, Scores, WinRates, rank
from beatpath._errors import DataError, UsageError
from beatpath.inference.bootstrap.bootstrap import blocks, bootstrap
from beatpath.inference.bootstrap.bootstrap_result import FREQUENCIES
from beatpath.methods.registry import METHODS

HOSTILE = ("<b>ada</b>", "bob\x1b[31m\n", "\u202ecyd", "'; drop --", "x" * 300)


def some_battles(seed=0, n=300, agents=HOSTILE, timed=True):
    rng = np.random.default_rng(seed)
    k = len(agents)
    a = rng.integers(k, size=n)
    b = (a + rng.integers(1, k, size=n)) % k
    win = rng.random(n) < 1 / (1 + np.exp(0.5 * (a - b)))
    outcome = np.where(rng.random(n) < 0.1, 0.5, win)
    clusters = Factor.of(rng.integers(40, size=n))
    time = np.arange(n, dtype=float) if timed else None
    return Battles(tuple(agents), a, b, outcome, time=time, factors={"cluster": clusters})


def identical(one, other):
    np.testing.assert_array_equal(one.levels, other.levels)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.failures == other.failures
    assert one.to_dict() == other.to_dict()


def win_rate(evidence):
    pairs = evidence.pairs().by().settle()
    n = len(pairs.agents)
    won = np.bincount(pairs.a, pairs.counts[:, 0], n) + np.bincount(pairs.b, pairs.counts[:, 1], n)
    met = np.bincount(pairs.a, pairs.counts.sum(axis=1), n) + np.bincount(pairs.b, pairs.counts.sum(axis=1), n)
    return dict(zip(pairs.agents, (won / np.maximum(met, 1)).tolist(), strict=True))


@pytest.mark.parametrize("method", ["bradley_terry", "schulze", "core", "elo", win_rate])
def test_the_number_of_workers_and_their_backend_change_nothing(method):
    battles = some_battles()
    alone = bootstrap(battles, method, draws=150, seed=3)
    with joblib.parallel_config(backend="threading"):
        identical(alone, bootstrap(battles, method, draws=150, seed=3, workers=2))
        identical(alone, bootstrap(battles, method, draws=150, seed=3, workers=3))
    if method in ("bradley_terry", win_rate):
        identical(alone, bootstrap(battles, method, draws=150, seed=3, workers=2))


def test_a_worker_that_dies_changes_nothing(tmp_path):
    mark, home = tmp_path / "died", os.getpid()

    def deadly(evidence):
        if os.getpid() != home and not mark.exists():
            mark.touch()
            os._exit(1)
        return {name: float(i) for i, name in enumerate(evidence.agents)}

    battles = some_battles(n=50)
    found = bootstrap(battles, deadly, draws=130, workers=2)
    assert mark.exists()
    identical(found, bootstrap(battles, deadly, draws=130))


def test_workers_that_always_die_are_reported(monkeypatch):
    class Broken:
        def __init__(self, **_):
            pass

        def __call__(self, jobs):
            raise BrokenExecutor("out of memory")

    monkeypatch.setattr(joblib, "Parallel", Broken)
    with pytest.raises(DataError, match=r"died 4 times \(out of memory\)"):
        bootstrap(some_battles(n=50), "copeland", draws=10, workers=2)


def test_one_worker_needs_no_joblib():
    code = (
        "import sys; from beatpath import Pairs; from beatpath.inference.bootstrap.bootstrap import bootstrap;"
        "bootstrap(Pairs(('a', 'b'), [0], [1], [[3, 2, 0, 0]]), 'copeland', draws=5); assert 'joblib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_more_draws_begin_with_the_same_resamples():
    few, many = (bootstrap(some_battles(), "copeland", draws=draws) for draws in (blocks.BLOCK, 3 * blocks.BLOCK))
    np.testing.assert_array_equal(few.levels, many.levels[: blocks.BLOCK])
    other = bootstrap(some_battles(), "copeland", draws=blocks.BLOCK, seed=1)
    assert (few.levels != other.levels).any()


def test_holding_less_at_a_time_changes_nothing(monkeypatch):
    one = bootstrap(some_battles(), "schulze", draws=70)
    monkeypatch.setattr(blocks, "HELD", 100)
    identical(one, bootstrap(some_battles(), "schulze", draws=70))


@pytest.mark.parametrize("method", ["bradley_terry", "copeland", "core", "elo", win_rate])
@pytest.mark.parametrize("cluster", ["auto", None])
def test_the_order_of_rows_decides_nothing(method, cluster):
    battles = some_battles(n=120)
    mixed = battles.take(np.random.default_rng(1).permutation(120))
    one, other = (bootstrap(rows, method, draws=20, cluster=cluster) for rows in (battles, mixed))
    np.testing.assert_array_equal(one.levels, other.levels)
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)


@pytest.mark.parametrize("method", ["borda", "plurality", "schulze"])
def test_the_order_of_ballots_decides_nothing(method):
    votes = [[["x"], ["y"], ["z"]], [["z"], ["y"]], [["y"], ["x", "z"]], [["x"], ["z"]]]
    count = [3, 1, 2, 5]
    one = bootstrap(Ballots.of(votes, count=count), method, draws=30)
    other = bootstrap(Ballots.of(votes[::-1], count=count[::-1], agents=("x", "y", "z")), method, draws=30)
    np.testing.assert_array_equal(one.levels, other.levels)


def test_progress_counts_up_to_the_draws():
    seen = []
    bootstrap(some_battles(), "copeland", draws=150, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(64, 150), (128, 150), (150, 150)]


@pytest.mark.parametrize("method", [*METHODS, "core"])
def test_every_method_runs_or_says_why_not(method):
    given = (
        some_battles(),
        Scores.from_table(np.random.default_rng(0).random((5, 8)), HOSTILE, [f"t{i}" for i in range(8)]),
    )
    for evidence in given:
        kinds = METHODS[method].takes if method in METHODS else {"battles", "scores"}
        if evidence.kind in kinds:
            found = bootstrap(evidence, method, draws=3, level=0.5)
            assert found.answered + sum(found.failures.values()) == 3
            json.dumps(found.to_dict(), allow_nan=False)
        else:
            with pytest.raises(DataError, match="needs"):
                bootstrap(evidence, method, draws=3)


def test_what_holds_no_battles_cannot_be_resampled():
    for evidence in (Margins([[0, 1], [-1, 0]], ("x", "y")), WinRates([[0.5, 0.6], [0.4, 0.5]], ("x", "y"))):
        with pytest.raises(DataError, match="do not hold them"):
            bootstrap(evidence, "copeland")


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"level": 1.0}, "`level` must lie between 0 and 1"),
        ({"level": float("nan")}, "`level` must lie between 0 and 1"),
        ({"draws": 0}, "`draws` must be a whole number, 1 or more; got '0'"),
        ({"draws": 10.5}, "`draws` must be"),
        ({"seed": -1}, "`seed` must be"),
        ({"workers": 0}, "`workers` must be"),
        ({"cluster": "clutser"}, "Did you mean 'cluster'"),
        ({"cluster": ("cluster", "cluster")}, "two different ones"),
        ({"ties": "halve"}, "Did you mean 'half'"),
        ({"k": 3}, "copeland takes no settings"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_sentence(told, error):
    with pytest.raises(UsageError, match=error):
        bootstrap(some_battles(n=50), "copeland", **told)


def test_methods_that_do_not_exist_are_refused():
    battles = some_battles(n=50)
    with pytest.raises(UsageError, match="Did you mean 'copeland'"):
        bootstrap(battles, "copelund")
    with pytest.raises(UsageError, match="key or a function; got int"):
        bootstrap(battles, 3)
    with pytest.raises(UsageError, match="core takes no settings"):
        bootstrap(battles, "core", tau=0.1)
    with pytest.raises(UsageError, match="returned float"):
        bootstrap(battles, lambda evidence: 1.0)
    with pytest.raises(UsageError, match="settles its own conventions; got 'ties'"):
        bootstrap(battles, win_rate, ties="drop")
    with pytest.raises(DataError, match="gave none to"):
        bootstrap(battles, lambda evidence: {})


def test_one_cluster_is_not_enough():
    battles = replace(some_battles(n=50), factors={"cluster": Factor.of(["one"] * 50)})
    with pytest.raises(DataError, match="at least two clusters"):
        bootstrap(battles, "copeland", cluster="cluster")
    assert "50 battles" in bootstrap(battles, "copeland", draws=10).drawn


def test_a_function_may_return_a_ranking_and_take_settings():
    battles = some_battles()
    one = bootstrap(battles, lambda evidence, key: rank(evidence, key), draws=20, key="copeland")
    other = bootstrap(battles, "copeland", draws=20)
    assert one.score.tolist() == other.score.tolist()
    assert one.settings["key"] == "copeland"


def test_a_bug_in_a_function_is_not_counted_as_a_failure():
    def wrong(evidence):
        return {name: 1 / (len(evidence) - 50) for name in evidence.agents}

    with pytest.raises(ZeroDivisionError):
        bootstrap(some_battles(n=50), wrong, draws=5)


def thin():
    """Ada beat Bob nine times and lost once: one resample in three leaves her without a loss."""
    return Pairs(("ada", "bob"), [0], [1], [[9, 1, 0, 0]])


def test_resamples_without_an_answer_are_counted_with_their_reason():
    found = bootstrap(thin(), "bradley_terry", draws=600)
    assert list(found.failures) == [
        "Bradley-Terry needs a path of wins or ties from every agent to every other, else strengths are infinite"
    ]
    share = 1 - found.answered / 600
    assert abs(share - 0.9**10) < 4 * np.sqrt(0.35 * 0.65 / 600)
    bounds = found.intervals()
    assert (bounds.low == -np.inf).all()
    assert (bounds.high == np.inf).all()
    assert found.to_dict()["ranking"]["intervals"]["percentile"]["low"] == [None, None]
    assert "no answer" in str(found)
    assert "no bound" in str(found)
    assert found.ranks[0].tolist() == [1, 1]
    assert found.ranks[1].tolist() == [2, 2]
    assert not bootstrap(thin(), "bradley_terry", draws=100, prior=0.5).failures


def test_few_failures_widen_the_interval_by_as_many_places():
    found = bootstrap(Pairs(("ada", "bob"), [0], [1], [[23, 5, 0, 0]]), "bradley_terry", draws=1999)
    failed = found.draws - found.answered
    assert 0 < failed < 40
    ordered = np.sort(found.scores[:, 0])
    assert found.intervals().low[0] == pytest.approx(ordered[50 - failed - 1])
    assert found.intervals().high[0] == pytest.approx(ordered[len(ordered) - 50 + failed])


def test_no_answer_anywhere_is_an_error():
    calls = []

    def once(evidence):
        calls.append(evidence)
        if len(calls) > 1:
            raise DataError("there must be luck; there is none.")
        return win_rate(evidence)

    with pytest.raises(DataError, match="it has none on 70: there must be luck"):
        bootstrap(some_battles(n=50), once, draws=70)


def test_basic_intervals_are_percentile_ones_turned_round_the_estimate():
    found = bootstrap(some_battles().pairs(by=["cluster"]), win_rate, draws=200)
    percentile, basic = found.intervals(), found.intervals("basic")
    np.testing.assert_allclose(basic.low, 2 * found.score - percentile.high)
    np.testing.assert_allclose(basic.high, 2 * found.score - percentile.low)
    with pytest.raises(UsageError, match="`kind` must be one of percentile, basic"):
        found.intervals("bca")


def test_frequencies_are_those_of_the_resamples():
    found = bootstrap(some_battles(), "copeland", draws=100)
    n = len(HOSTILE)
    np.testing.assert_allclose(found.rank_frequency.sum(axis=0), 1)
    np.testing.assert_allclose(found.rank_frequency.sum(axis=1), 1)
    for i in range(n):
        firsts = [row[i] == 0 for row in found.levels]
        assert found.first[i] == pytest.approx(np.mean(firsts))
        assert found.first_alone[i] == pytest.approx(
            np.mean([row[i] == 0 and (row == 0).sum() == 1 for row in found.levels])
        )
        for j in range(n):
            assert found.above[i, j] == pytest.approx(np.mean([row[i] < row[j] for row in found.levels]))
    middle = [[(row < x).sum() + ((row == x).sum() + 1) / 2 for x in row] for row in found.levels]
    np.testing.assert_allclose(found.mean_rank, np.mean(middle, axis=0))
    half = found.error(np.array([0.5]))
    assert half[0] == pytest.approx(0.05)


def test_memberships_are_those_of_the_sets():
    found = bootstrap(some_battles(), "core", draws=50)
    assert set(found.membership) == {"top_cycle", "uncovered_set"}
    np.testing.assert_array_equal(found.membership["top_cycle"], found.first)
    assert (found.membership["uncovered_set"] <= found.membership["top_cycle"]).all()
    assert found.to_dict()["ranking"] is None
    assert "In the top cycle" in str(found)


def test_names_are_shown_safely_and_kept_exactly():
    for method in ("schulze", "core"):
        found = bootstrap(some_battles(), method, draws=20)
        assert found.agents == HOSTILE
        assert "\x1b" not in str(found)
        assert "<b>" not in found._repr_html_()
        assert "\u202e" not in found._repr_html_()
        assert json.loads(json.dumps(found.to_dict()))["agents"] == list(HOSTILE)
        assert FREQUENCIES in found.sentences


def test_methods_without_scores_have_no_intervals():
    found = bootstrap(some_battles(), "split_cycle", draws=20)
    assert np.isnan(found.intervals().low).all()
    assert found.to_dict()["ranking"]["intervals"]["basic"]["high"] == [None] * 5


def test_thin_designs_and_remarks_are_said():
    battles = some_battles(n=60, timed=False)
    found = bootstrap(replace(battles, factors={"cluster": Factor.of(i % 6 for i in range(60))}), "elo", draws=20)
    assert any("6 clusters" in note for note in found.notes)
    assert any("order of the rows" in note for note in found.notes)
    assert any("draw more" in note for note in found.notes)
    assert found.settings["resampled as"] == "rows repeated in place"


@settings(max_examples=25)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6))
def test_ranks_of_tied_agents_are_shared(rows):
    from beatpath.inference.bootstrap.bootstrap_result import rank_frequencies

    levels = np.array([[sorted(set(row)).index(x) for x in row] for row in rows])
    expected = np.zeros((4, 4))
    for row in levels:
        for i, x in enumerate(row):
            span = range((row < x).sum(), (row <= x).sum())
            expected[i, list(span)] += 1 / len(span)
    np.testing.assert_allclose(rank_frequencies(levels), expected / len(levels))
