"""Glicko-2 as a state: in chunks, in periods, and refused where it cannot go on."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Battles
from beatpath.online import OnlineGlicko2
from helpers.strategies import battles


def close(ratings, wanted):
    assert set(ratings) == set(wanted)
    for name, value in wanted.items():
        assert ratings[name] == pytest.approx(value, abs=1e-7)


def test_glickmans_example_ends_where_he_says():
    state = OnlineGlicko2(
        ratings={"x": 1500.0, "a": 1400.0, "b": 1550.0, "c": 1700.0},
        deviations={"x": 200.0, "a": 30.0, "b": 100.0, "c": 300.0},
        volatilities=dict.fromkeys("xabc", 0.06),
    )
    after = state.update(Battles.of([("x", "a", 1), ("x", "b", 0), ("x", "c", 0)], time=[1, 1, 1]))
    assert after.ratings["x"] == pytest.approx(1464.06, abs=0.015)
    assert after.deviations["x"] == pytest.approx(151.52, abs=0.005)
    assert after.volatilities["x"] == pytest.approx(0.05999, abs=1e-5)


@pytest.mark.parametrize("period", [None, 3.0])
@given(b=battles(weighted=True), data=st.data())
def test_rating_in_chunks_is_rating_in_one_go(period, b, data):
    time = np.sort(data.draw(st.lists(st.integers(0, 9), min_size=len(b), max_size=len(b))))
    timed, cut = replace(b, time=time), data.draw(st.sampled_from([-1, 2, 5, 8]))  # where periods of 3 end
    state = OnlineGlicko2(period=period).update(timed.take(time <= cut))
    state = OnlineGlicko2.from_dict(json.loads(json.dumps(state.to_dict()))).update(timed.take(time > cut))
    whole = OnlineGlicko2(period=period).update(timed)
    for name in ("ratings", "deviations", "volatilities", "periods"):
        close(getattr(state, name), getattr(whole, name))
    assert (state.battles, state.time) == (whole.battles, whole.time) == (len(b), float(time[-1]))


@given(b=battles(), data=st.data())
def test_the_order_of_the_rows_decides_nothing_where_times_are_known(b, data):
    timed = replace(b, time=data.draw(st.lists(st.integers(0, 4), min_size=len(b), max_size=len(b))))
    shuffled = timed.take(np.array(data.draw(st.permutations(range(len(b))))))
    close(OnlineGlicko2().update(shuffled).ratings, OnlineGlicko2().update(timed).ratings)


def test_a_weight_is_that_many_battles_at_one_time():
    heavy = Battles.of([("x", "y", 1)], weight=[3.0], time=[1])
    many = Battles.of([("x", "y", 1)] * 3, time=[1, 1, 1])
    close(OnlineGlicko2().update(heavy).ratings, OnlineGlicko2().update(many).ratings)


def test_whoever_sits_periods_out_grows_less_certain_by_the_volatility():
    early = OnlineGlicko2(period=1.0).update(Battles.of([("x", "y", 1)], time=[0.5]))
    late = early.update(Battles.of([("y", "z", 1)], time=[10.5]))
    grown = (late.deviation_now("x") ** 2 - early.deviations["x"] ** 2) ** 0.5
    assert grown == pytest.approx(10**0.5 * early.volatilities["x"] * 173.7178)
    assert late.deviation_now("y") == late.deviations["y"]
    again = late.update(Battles.of([("x", "nobody", 0.5)], time=[11.5]))
    assert again.deviations["x"] < late.deviation_now("x")


def test_predictions_turn_with_the_agents_and_need_no_history():
    state = OnlineGlicko2().update(Battles.of([("x", "y", 1)]))
    assert state.predict("x", "y") == pytest.approx(1 - state.predict("y", "x"))
    assert 0.5 < state.predict("x", "new") < state.predict("x", "y")


@pytest.mark.parametrize(
    ("setting", "value"), [("tau", 0), ("deviation", -1), ("volatility", "x"), ("period", 0), ("start", None)]
)
def test_settings_that_are_no_numbers_are_refused(setting, value):
    with pytest.raises(bp.UsageError, match=f"`{setting}` must be a"):
        OnlineGlicko2(**{setting: value})


def test_battles_that_do_not_fit_the_periods_are_refused():
    state = OnlineGlicko2(period=2.0).update(Battles.of([("x", "y", 1)], time=[2.0]))
    with pytest.raises(
        bp.DataError, match="must be of a later period than those rated before, the last at 2; got one at 3"
    ):
        state.update(Battles.of([("x", "y", 1)], time=[3.0]))
    with pytest.raises(bp.DataError, match="`period` needs the time of every battle"):
        state.update(Battles.of([("x", "y", 1)]))
    with pytest.raises(bp.ReadError, match="tau is missing"):
        OnlineGlicko2.from_dict({name: value for name, value in state.to_dict().items() if name != "tau"})
