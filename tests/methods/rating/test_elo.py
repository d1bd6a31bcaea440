"""Elo: against its definition, against evalica, in any order of the rows, in chunks, and compiled."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.methods.rating import elo as elo_module
from beatpath.methods.rating.elo import at_once, compiled_steps, in_turn
from beatpath.online import OnlineElo
from helpers.paths import GOLDEN
from helpers.strategies import battles

GOLDEN = json.loads((GOLDEN / "elo_evalica.json").read_text())


def expected(ra, rb):
    return 1 / (1 + 10 ** ((rb - ra) / 400))


def by_definition(rows, k, start=1000.0):
    """Battles (a, b, outcome, weight, time) grouped by time, each group rated from the ratings before it."""
    rating = {}
    for time in sorted({row[4] for row in rows}):
        before = dict(rating)
        for a, b, outcome, weight, when in rows:
            if when == time:
                gain = k * weight * (outcome - expected(before.get(a, start), before.get(b, start)))
                rating[a] = rating.get(a, start) + gain
                rating[b] = rating.get(b, start) - gain
    return rating


def rows_of(b, time):
    weight = np.ones(len(b)) if b.weight is None else b.weight
    return [
        (b.agents[i], b.agents[j], s, w, t) for i, j, s, w, t in zip(b.a, b.b, b.outcome, weight, time, strict=True)
    ]


def close(ratings, wanted, atol=1e-8):
    assert set(wanted) <= set(ratings)
    rated = [
        name for name in wanted if not np.isnan(ratings[name])
    ]  # agents that no chain connects with most have no rating
    assert rated or not wanted
    for name in rated:
        assert ratings[name] == pytest.approx(wanted[name], abs=atol)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: f"k={c['k']:g}")
def test_ratings_are_those_of_evalica(case):
    games = Battles.of([tuple(row) for row in GOLDEN["battles"]])
    ranking = bp.rank(games, "elo", k=case["k"], start=case["start"])
    close(ranking.scores, case["ratings"])
    assert ranking.status == "rated in the order of the rows: the battles have no times"
    assert ranking.details["order"] == "rows"


@given(b=battles(weighted=True), data=st.data())
def test_ratings_follow_the_definition_whatever_the_times(b, data):
    time = data.draw(st.lists(st.integers(0, 6), min_size=len(b), max_size=len(b)))
    ranking = bp.rank(replace(b, time=time), "elo", k=16)
    close(ranking.scores, by_definition(rows_of(b, time), 16.0))
    assert ranking.details["order"] == "time"


@given(b=battles(weighted=True))
def test_rows_without_times_are_rated_one_by_one(b):
    close(OnlineElo(k=24).update(b).ratings, by_definition(rows_of(b, range(len(b))), 24.0))


@given(b=battles(), data=st.data())
def test_the_order_of_the_rows_decides_nothing_where_times_are_known(b, data):
    time = data.draw(st.lists(st.integers(0, 4), min_size=len(b), max_size=len(b)))
    timed = replace(b, time=time)
    shuffled = timed.take(np.array(data.draw(st.permutations(range(len(b))))))
    one, other = bp.rank(timed, "elo"), bp.rank(shuffled, "elo")
    assert one.levels == other.levels
    close(one.scores, other.scores)


@given(b=battles(weighted=True))
def test_ratings_keep_their_sum_and_turn_with_the_battles(b):
    online = OnlineElo(k=10, start=1500).update(b)
    assert sum(online.ratings.values()) == pytest.approx(1500 * len(b.agents))
    turned = replace(b, a=b.b, b=b.a, outcome=1 - b.outcome)
    close(OnlineElo(k=10, start=1500).update(turned).ratings, online.ratings)
    reversed_ = replace(b, outcome=1 - b.outcome)
    close(OnlineElo(k=10, start=1500).update(reversed_).ratings, {n: 3000 - r for n, r in online.ratings.items()})


@given(b=battles(), data=st.data())
def test_renaming_agents_renames_the_ratings(b, data):
    names = data.draw(st.permutations(b.agents))
    to = dict(zip(b.agents, names, strict=True))
    renamed = Battles.of([(to[x], to[y], s) for x, y, s, _, _ in rows_of(b, range(len(b)))])
    one, other = OnlineElo().update(b).ratings, OnlineElo().update(renamed).ratings
    close({to[name]: rating for name, rating in one.items()}, other)


@given(b=battles(weighted=True), data=st.data())
def test_rating_in_chunks_is_rating_in_one_go(b, data):
    time = np.sort(data.draw(st.lists(st.integers(0, 9), min_size=len(b), max_size=len(b))))
    timed, cut = replace(b, time=time), data.draw(st.integers(-1, 10))
    state = OnlineElo(k=20).update(timed.take(time <= cut))
    state = OnlineElo.from_dict(json.loads(json.dumps(state.to_dict()))).update(timed.take(time > cut))
    whole = OnlineElo(k=20).update(timed)
    close(state.ratings, whole.ratings)
    assert (state.battles, state.time) == (whole.battles, whole.time) == (len(b), float(time[-1]))


def test_a_new_agent_joins_at_the_start_rating():
    state = OnlineElo(k=32).update(Battles.of([("ada", "bob", 1)]))
    assert state.update(Battles.of([("cyd", "dan", 1)])).ratings == {"ada": 1016, "bob": 984, "cyd": 1016, "dan": 984}


@pytest.mark.parametrize("time", [1.0, 2.0])
def test_battles_that_are_not_later_are_refused(time):
    state = OnlineElo().update(Battles.of([("ada", "bob", 1)], time=[2.0]))
    with pytest.raises(bp.DataError, match="must be later than those rated before, the last at 2; got one at"):
        state.update(Battles.of([("ada", "bob", 1)], time=[time]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": "2"}, "version 1; got 'online_elo', version '2'"),
        ({"type": "chess"}, "type 'online_elo', version 1; got 'chess'"),
        ({"ratings": {"ada": float("nan")}}, "`ratings` of 'ada' must be a finite number up to 1e.30; got 'nan'"),
    ],
)
def test_a_state_that_cannot_be_read_is_refused(change, message):
    saved = OnlineElo().update(Battles.of([("ada", "bob", 1)])).to_dict()
    with pytest.raises(bp.DataError, match=message):
        OnlineElo.from_dict({**saved, **change})
    with pytest.raises(bp.DataError, match="k is missing"):
        OnlineElo.from_dict({key: value for key, value in saved.items() if key != "k"})


def test_a_weight_is_that_many_battles_at_one_time():
    heavy = Battles.of([("x", "y", 1), ("y", "z", 0)], weight=[3.0, 1.0], time=[1, 2])
    many = Battles.of([("x", "y", 1)] * 3 + [("y", "z", 0)], time=[1, 1, 1, 2])
    close(OnlineElo().update(heavy).ratings, OnlineElo().update(many).ratings)


def test_ties_and_both_bad_follow_the_conventions():
    games = Battles.of([("x", "y", 1), ("x", "y", 0.5), ("y", "x", 0.5)], both_bad=[False, False, True])
    won = games.take(np.array([0]))
    assert bp.rank(games, "elo", ties="drop").scores == bp.rank(won, "elo").scores
    tied = games.take(np.array([0, 1]))
    assert bp.rank(games, "elo", both_bad="drop").scores == bp.rank(tied, "elo").scores
    assert bp.rank(games, "elo", both_bad="drop").details["left_out"] == 1
    close(
        bp.rank(games, "elo", k=32).scores,
        by_definition([("x", "y", s, 1, t) for t, s in enumerate((1, 0.5, 0.5))], 32.0),
    )


def test_caveats_are_reported():
    some = Battles.of([("x", "y", 1), ("x", "y", 0)], time=[1, np.nan])
    assert bp.rank(some, "elo").status == "rated in the order of the rows: 1 battle without a time"
    assert bp.rank(replace(some, time=[1, 2]), "elo").status == "exact"
    many = Battles.of([("x", "y", 1)] * 23, time=[0] * 23)
    assert "exceeds 700 for 'x', 'y'" in bp.rank(many, "elo", k=31).status
    assert bp.rank(many, "elo", k=30).status == "exact"
    assert bp.rank(many, "elo").details["at_one_time"] == 23
    idle = Battles(("x", "y", "z"), [0], [1], [1.0], time=[0])
    assert "no chain of battles connects it with the other 2: 'z'" in bp.rank(idle, "elo").status
    assert "pair_weight=rate not used" in bp.rank(idle, "elo", pair_weight="rate").status


def test_agents_rated_alike_are_tied():
    cycle = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)], time=[0, 0, 0])
    assert bp.rank(cycle, "elo").levels == (("x", "y", "z"),)


def test_evidence_without_an_order_is_refused():
    with pytest.raises(bp.DataError, match="elo needs battles; ballots"):
        bp.rank(Ballots.of([[["x"], ["y"]]]), "elo")


@pytest.mark.parametrize("settings", [{"k": 0}, {"k": "four"}, {"k": float("nan")}, {"start": float("inf")}])
def test_settings_that_are_no_numbers_are_refused(settings):
    with pytest.raises(bp.UsageError, match="must be a"):
        bp.rank(Battles.of([("x", "y", 1)]), "elo", **settings)


def test_huge_steps_neither_overflow_nor_pass_for_ratings():
    rows = [("x", "y", 1.0), ("x", "y", 0.0), ("x", "y", 1.0)]
    online = OnlineElo().update(Battles.of(rows, weight=[1e9, 1e9, 1.0]))
    assert np.isfinite(list(online.ratings.values())).all()
    with pytest.raises(bp.DataError, match="must stay finite"):
        OnlineElo(k=1e200).update(Battles.of(rows, weight=[1e119, 1.0, 1.0]))


@pytest.fixture
def numba_again():
    """Whatever was compiled before and after is forgotten."""
    pytest.importorskip("numba")
    compiled_steps.cache_clear()
    yield
    compiled_steps.cache_clear()


@pytest.mark.parametrize("n_times", [0, 40])
def test_compiled_and_plain_python_agree(numba_again, monkeypatch, n_times):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 20, 3000)
    time = rng.integers(0, n_times, 3000) if n_times else None
    names = tuple(f"{i:02d}" for i in range(20))
    games = Battles(names, a, (a + rng.integers(1, 20, 3000)) % 20, rng.choice([0, 0.5, 1], 3000), time=time)
    plain = OnlineElo(k=8).update(games)
    assert not compiled_steps.cache_info().currsize
    monkeypatch.setattr(elo_module, "COMPILE", 0)
    fast = OnlineElo(k=8).update(games)
    assert compiled_steps.cache_info().currsize == 1
    close(fast.ratings, plain.ratings, atol=1e-9)


def test_without_numba_many_battles_are_rated_all_the_same(monkeypatch):
    compiled_steps.cache_clear()
    monkeypatch.setattr(elo_module, "COMPILE", 0)
    monkeypatch.setattr(elo_module, "find_spec", lambda name: None)
    assert OnlineElo(k=32).update(Battles.of([("x", "y", 1)])).ratings == {"x": 1016, "y": 984}
    compiled_steps.cache_clear()


def test_one_by_one_is_at_once_when_every_battle_has_its_own_time():
    rng = np.random.default_rng(5)
    a = rng.integers(0, 4, 50)
    columns = [a.tolist(), ((a + rng.integers(1, 4, 50)) % 4).tolist(), rng.uniform(-1, 1, 50).tolist(), [2.0] * 50]
    one, other = [1000.0] * 4, [1000.0] * 4
    in_turn(*columns, one)
    at_once(*columns, list(range(50)), other, [0.0] * 4, [-1] * 4)
    assert one == other


def test_loading_elo_does_not_load_numba():
    code = (
        "import sys; from beatpath import Battles; from beatpath.online import OnlineElo; OnlineElo().update(Battles.of([('x', 'y', 1)])); "
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
