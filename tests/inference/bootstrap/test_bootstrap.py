"""The verb: one result however it is computed, and nothing hidden in it."""

import json
import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext
from dataclasses import replace

import joblib
import numpy as np
import pytest

from beatpath import Factor, Margins, Pairs, Scores, WinRates
from beatpath._errors import DataError, UsageError
from beatpath.inference.bootstrap import bootstrap as blocks
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.methods.registry import METHODS
from helpers.hostile_resamples import HOSTILE, some_battles
from helpers.judged import judged_battles
from helpers.user_method import win_rate


def identical(one, other):
    np.testing.assert_array_equal(one.levels, other.levels)
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.failures == other.failures
    assert one.to_dict() == other.to_dict()


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
    bootstrapped = bootstrap(battles, deadly, draws=130, workers=2)
    assert mark.exists()
    identical(bootstrapped, bootstrap(battles, deadly, draws=130))


def test_workers_that_always_die_are_reported(monkeypatch):
    class Broken(nullcontext):
        def __init__(self, **_):
            super().__init__(self)

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
    monkeypatch.setattr(blocks, "MOST_WEIGHTS", 100)
    identical(one, bootstrap(some_battles(), "schulze", draws=70))


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
        if evidence.kind in kinds and method in ("bradley_terry_judged", "payoff_ratings"):
            with pytest.raises(DataError, match=r"need a column that names them|tasks are agents"):
                bootstrap(evidence, method, draws=3)
        elif evidence.kind in kinds:
            bootstrapped = bootstrap(evidence, method, draws=3, level=0.5)
            assert bootstrapped.answered + sum(bootstrapped.failures.values()) == 3
            json.dumps(bootstrapped.to_dict(), allow_nan=False)
        else:
            with pytest.raises(DataError, match="needs"):
                bootstrap(evidence, method, draws=3)


def test_judges_stay_with_resampled_battles():
    rng = np.random.default_rng(3)
    battles = judged_battles(rng, judges=4, each=60)
    bootstrapped = bootstrap(battles, "bradley_terry_judged", draws=6)
    assert bootstrapped.answered == 6
    assert len({tuple(draw) for draw in np.asarray(bootstrapped.scores).round(9).tolist()}) == 6


def test_what_holds_no_battles_cannot_be_resampled():
    for evidence in (Margins([[0, 1], [-1, 0]], ("x", "y")), WinRates([[0.5, 0.6], [0.4, 0.5]], ("x", "y"))):
        with pytest.raises(DataError, match="do not hold them"):
            bootstrap(evidence, "copeland")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"level": 1.0}, "`level` must lie between 0 and 1"),
        ({"level": float("nan")}, "`level` must lie between 0 and 1"),
        ({"draws": 0}, "`draws` must be a whole number, 1 or more; got 0"),
        ({"draws": 10.5}, "`draws` must be"),
        ({"seed": -1}, "`seed` must be"),
        ({"workers": 0}, "`workers` must be"),
        ({"cluster": "clutser"}, "Did you mean 'cluster'"),
        ({"cluster": ("cluster", "cluster")}, "two different ones"),
        ({"ties": "halve"}, "Did you mean 'half'"),
        ({"k": 3}, "copeland takes no settings"),
    ],
)
def test_unsupported_options_are_refused_with_a_sentence(options, error):
    with pytest.raises(UsageError, match=error):
        bootstrap(some_battles(n=50), "copeland", **options)


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


def few_battles_each():
    """Ada beat Bob nine times and lost once: one resample in three leaves her without a loss."""
    return Pairs(("ada", "bob"), [0], [1], [[9, 1, 0, 0]])


def test_resamples_without_an_answer_are_counted_with_their_reason():
    bootstrapped = bootstrap(few_battles_each(), "bradley_terry", draws=600)
    assert list(bootstrapped.failures) == [
        "Bradley-Terry needs a path of wins or ties from every agent to every other, else strengths are infinite"
    ]
    share = 1 - bootstrapped.answered / 600
    assert abs(share - 0.9**10) < 4 * np.sqrt(0.35 * 0.65 / 600)
    bounds = bootstrapped.intervals()
    assert (bounds.low == -np.inf).all()
    assert (bounds.high == np.inf).all()
    assert bootstrapped.to_dict()["ranking"]["intervals"]["percentile"]["low"] == [None, None]
    assert "no answer" in str(bootstrapped)
    assert "no bound" in str(bootstrapped)
    assert bootstrapped.ranks[0].tolist() == [1, 1]
    assert bootstrapped.ranks[1].tolist() == [2, 2]
    assert not bootstrap(few_battles_each(), "bradley_terry", draws=100, prior=0.5).failures


def test_no_answer_anywhere_is_an_error():
    calls = []

    def once(evidence):
        calls.append(evidence)
        if len(calls) > 1:
            raise DataError("there must be luck; there is none.")
        return win_rate(evidence)

    with pytest.raises(DataError, match="it has none on 70: there must be luck"):
        bootstrap(some_battles(n=50), once, draws=70)


def test_sparse_designs_and_remarks_are_reported():
    battles = some_battles(n=60, timed=False)
    bootstrapped = bootstrap(
        replace(battles, factors={"cluster": Factor.of(i % 6 for i in range(60))}), "elo", draws=20
    )
    assert any("6 clusters" in note for note in bootstrapped.notes)
    assert any("order of the rows" in note for note in bootstrapped.notes)
    assert any("use more draws" in note for note in bootstrapped.notes)
    assert bootstrapped.settings["resampled as"] == "rows repeated in place"
