"""Weng and Lin's ratings as a state: against openskill, in chunks, in any order of the rows."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.online import OnlineWengLin
from helpers.paths import GOLDEN
from helpers.strategies import battles

GOLDEN = json.loads((GOLDEN / "weng_lin_openskill.json").read_text())


def close(ratings, wanted):
    assert set(ratings) == set(wanted)
    for name, value in wanted.items():
        assert ratings[name] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: f"tau={c['tau']:.2g}")
def test_ratings_are_those_of_openskill(case):
    online = OnlineWengLin(tau=case["tau"]).update(Battles.of([tuple(row) for row in GOLDEN["battles"]]))
    close(online.ratings, case["ratings"])
    close(online.deviations, case["deviations"])


@pytest.mark.parametrize("case", GOLDEN["games_cases"], ids=lambda c: f"tau={c['tau']:.2g}")
def test_ratings_after_games_of_several_are_those_of_openskill(case):
    online = OnlineWengLin(tau=case["tau"]).update(Ballots.of(GOLDEN["games"]))
    close(online.ratings, case["ratings"])
    close(online.deviations, case["deviations"])
    assert online.battles == len(GOLDEN["games"])


def test_games_of_two_are_battles():
    rows = [(a, b, s) for a, b, s in GOLDEN["battles"]]
    games = [[[a], [b]] if s == 1 else [[b], [a]] if s == 0 else [[a, b]] for a, b, s in rows]
    close(OnlineWengLin().update(Ballots.of(games)).ratings, OnlineWengLin().update(Battles.of(rows)).ratings)
    tieless = [row for row in rows if row[2] != 0.5]
    dropped = OnlineWengLin(tau=0.0).update(Ballots.of(games), ties="drop")
    close(dropped.deviations, OnlineWengLin(tau=0.0).update(Battles.of(tieless)).deviations)


def test_a_count_is_that_many_games_in_a_row_and_games_can_be_rated_in_chunks():
    game = [["x"], ["y", "z"]]
    whole = OnlineWengLin().update(Ballots.of([game], count=[3]))
    parts = OnlineWengLin().update(Ballots.of([game])).update(Ballots.of([game, game]))
    close(whole.ratings, parts.ratings)
    close(whole.deviations, parts.deviations)
    assert whole.battles == parts.battles == 3


def test_more_games_than_can_be_rated_one_by_one_are_refused():
    with pytest.raises(bp.DataError, match=r"at most 1,000,000 of them; there are 1,000,001"):
        OnlineWengLin().update(Ballots.of([[["x"], ["y"]]], count=[1_000_001]))


@given(b=battles(weighted=True), data=st.data())
def test_rating_in_chunks_is_rating_in_one_go(b, data):
    time = np.sort(data.draw(st.lists(st.integers(0, 9), min_size=len(b), max_size=len(b))))
    timed, cut = replace(b, time=time), data.draw(st.integers(-1, 10))
    state = OnlineWengLin().update(timed.take(time <= cut))
    state = OnlineWengLin.from_dict(json.loads(json.dumps(state.to_dict()))).update(timed.take(time > cut))
    whole = OnlineWengLin().update(timed)
    close(state.ratings, whole.ratings)
    close(state.deviations, whole.deviations)
    assert (state.battles, state.time) == (whole.battles, whole.time) == (len(b), float(time[-1]))


@given(b=battles(), data=st.data())
def test_the_order_of_the_rows_decides_nothing_where_times_are_known(b, data):
    timed = replace(b, time=data.draw(st.lists(st.integers(0, 4), min_size=len(b), max_size=len(b))))
    shuffled = timed.take(np.array(data.draw(st.permutations(range(len(b))))))
    close(OnlineWengLin().update(shuffled).ratings, OnlineWengLin().update(timed).ratings)


def test_a_weight_is_that_many_battles_at_one_time():
    heavy = Battles.of([("x", "y", 1)], weight=[3.0], time=[1])
    many = Battles.of([("x", "y", 1)] * 3, time=[1, 1, 1])
    close(OnlineWengLin().update(heavy).deviations, OnlineWengLin().update(many).deviations)


def test_predictions_turn_with_the_agents_and_need_no_history():
    state = OnlineWengLin().update(Battles.of([("x", "y", 1)]))
    assert state.predict("x", "y") == pytest.approx(1 - state.predict("y", "x"))
    assert 0.5 < state.predict("x", "new") < state.predict("x", "y")


@pytest.mark.parametrize(("setting", "value"), [("tau", -1), ("deviation", 0), ("beta", "x"), ("start", None)])
def test_settings_that_are_no_numbers_are_refused(setting, value):
    with pytest.raises(bp.UsageError, match=f"`{setting}` must be a"):
        OnlineWengLin(**{setting: value})
