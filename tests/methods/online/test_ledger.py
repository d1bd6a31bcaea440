"""A ledger is what counting and rating all battles at once would give, whatever the batches, stops and crashes between."""

import json
import os
import signal
import subprocess
import sys
import zipfile
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from beatpath import Ballots, Battles, DataError, Factor, Pairs, ReadError, UsageError, rank
from beatpath.methods.online.ledger import Ledger, load
from beatpath.online import OnlineElo, OnlineGlicko2, OnlineSco, OnlineWengLin
from helpers.strategies import battles


def arena(n=4000, agents=40, seed=0, hostile=False):
    rng = np.random.default_rng(seed)
    a = rng.integers(agents, size=n)
    b = (a + rng.integers(1, agents, size=n)) % agents
    strength = np.linspace(1, -1, agents)
    names = tuple(f"\u202eagent \x1b {i:03d}\ud800" if hostile else f"agent {i:03d}" for i in range(agents))
    won = rng.random(n) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return Battles(
        names,
        a,
        b,
        np.where(rng.random(n) < 0.1, 0.5, won),
        time=np.arange(n, dtype=float),
        factors={"cluster": Factor.of(rng.integers(30, size=n))},
    )


def same(one, other):
    assert one.pairs.agents == other.pairs.agents
    for name in ("a", "b", "counts", "battles", "squares", "soft"):
        np.testing.assert_array_equal(getattr(one.pairs, name), getattr(other.pairs, name))
    assert {name: key.names() for name, key in one.pairs.keys.items()} == {
        name: key.names() for name, key in other.pairs.keys.items()
    }
    assert (one.by, one.batches, one.strengths) == (other.by, other.batches, other.strengths)
    assert (one.pairs.conventions, one.pairs.reading) == (other.pairs.conventions, other.pairs.reading)
    assert {name: rating.to_dict() for name, rating in one.ratings.items()} == {
        name: rating.to_dict() for name, rating in other.ratings.items()
    }


@settings(max_examples=50)
@given(battles(soft=False), st.lists(st.integers(0, 25), max_size=3))
def test_batches_are_as_good_as_all_at_once(whole, cuts):
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    empty = Ledger(by=("cluster",), elo=OnlineElo(), sco=OnlineSco())
    ledger = empty
    for low, high in pairwise(edges):
        ledger = ledger.add(whole.take(np.arange(low, high)))
    same(ledger, empty.add(whole))


@settings(max_examples=25)
@given(battles(weighted=True))
def test_the_counts_serve_every_method_that_takes_counts(whole):
    assume(whole.weight is None or whole.weight.sum() > 0)
    ledger = (
        Ledger().add(whole.take(np.arange(len(whole) // 2))).add(whole.take(np.arange(len(whole) // 2, len(whole))))
    )
    for method in ("copeland", "schulze"):
        assert rank(ledger.pairs, method, matrix="raw").levels == rank(whole, method, matrix="raw").levels


def test_a_fit_begun_from_the_last_one_is_the_fit_and_takes_no_more_steps():
    whole = arena()
    most = whole.take(np.arange(3900))
    ledger = Ledger().add(most).fit()
    later = ledger.add(whole.take(np.arange(3900, 4000)))
    cold = rank(later.pairs, "bradley_terry")
    warm = rank(later.pairs, "bradley_terry", start=ledger.strengths)
    assert warm.levels == cold.levels
    np.testing.assert_allclose(list(warm.scores.values()), list(cold.scores.values()), atol=1e-9)
    assert warm.details["iterations"] <= cold.details["iterations"]
    np.testing.assert_allclose(list(later.fit().strengths.values()), list(cold.scores.values()), atol=1e-9)


@pytest.mark.parametrize("tie_model", ["half", "davidson", "rao_kupper"])
@settings(max_examples=20)
@given(seed=st.integers(0, 1000), spread=st.sampled_from([0.0, 1.0, 30.0]))
def test_where_a_fit_begins_does_not_matter(tie_model, seed, spread):
    pairs = arena(300, 6).pairs()
    start = dict(zip(pairs.agents, np.random.default_rng(seed).normal(0, spread, 6).tolist(), strict=True))
    cold = rank(pairs, "bradley_terry", tie_model=tie_model)
    warm = rank(pairs, "bradley_terry", tie_model=tie_model, start=start)
    np.testing.assert_allclose(list(warm.scores.values()), list(cold.scores.values()), atol=1e-8)


def test_a_ledger_is_the_same_after_it_was_saved(tmp_path):
    whole = arena(300, 8, hostile=True)
    ledger = Ledger(by="cluster", elo=OnlineElo(k=8), sco=OnlineSco()).add(whole, batch="one \ud800").fit(prior=1.0)
    ledger.save(tmp_path / "arena.ledger")
    same(load(tmp_path / "arena.ledger"), ledger)
    again = tmp_path / "again.ledger"
    load(tmp_path / "arena.ledger").save(again)
    assert again.read_bytes() == (tmp_path / "arena.ledger").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["again.ledger", "arena.ledger"]
    later = whole.take(np.arange(5))
    later = Battles(later.agents, later.a, later.b, later.outcome, time=np.arange(300, 305.0), factors=later.factors)
    same(load(again).add(later), ledger.add(later))


def test_weights_soft_outcomes_and_nothing_at_all_are_saved_too(tmp_path):
    soft = Battles.of([("x", "y", 0.8), ("y", "x", 1)], weight=[2.0, 0.5])
    for k, ledger in enumerate((Ledger().add(soft), Ledger(), Ledger(by=("task",)))):
        ledger.save(tmp_path / f"{k}")
        same(load(tmp_path / f"{k}"), ledger)


def test_no_byte_may_change(tmp_path):
    """Any single byte of the file turned over is noticed, or makes no difference."""
    path = tmp_path / "l"
    ledger = Ledger(by="cluster", elo=OnlineElo()).add(arena(12, 3), batch="b")
    ledger.save(path)
    whole, noticed = path.read_bytes(), 0
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            loaded = load(path)
        except ReadError:
            noticed += 1
        else:
            same(loaded, ledger)
    assert noticed > 0.5 * len(whole)
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(ReadError, match="must be a whole file"):
            load(path)


def rewritten(path, **changes):
    """The file with some of its header exchanged."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["ledger.json"] = json.dumps(json.loads(parts["ledger.json"]) | changes).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema_version": "2", "written_by": "beatpath 9.0"}, r"it is of version '2', by 'beatpath 9\.0'"),
        ({"type": "other"}, "it says it is 'other'"),
        ({"agents": ["x"]}, "none, or damaged"),
        ({"strengths": {"x": "high"}}, "none, or damaged"),
        ({"strengths": {"x": float("inf")}}, "none, or damaged"),
        ({"ratings": {"elo": {"type": "online_elo", "schema_version": "99"}}}, "none, or damaged"),
        ({"ratings": {"chess": {}}}, "none, or damaged"),
        ({"by": ["judge"]}, "none, or damaged"),
    ],
)
def test_other_versions_and_headers_are_a_sentence(tmp_path, changes, message):
    path = tmp_path / "l"
    Ledger(elo=OnlineElo()).add(Battles.of([("x", "y", 1)])).save(path)
    rewritten(path, **changes)
    with pytest.raises(ReadError, match=message):
        load(path)


def test_what_is_no_ledger_is_a_sentence(tmp_path):
    with pytest.raises(ReadError, match="cannot be read: No such file"):
        load(tmp_path / "nowhere")
    (tmp_path / "text").write_text("model_a,model_b\n")
    with pytest.raises(ReadError, match="must be a whole file"):
        load(tmp_path / "text")
    with pytest.raises(UsageError, match="folder of the output must exist"):
        Ledger().save(tmp_path / "nowhere" / "l")


def test_a_pickle_in_the_file_is_not_run(tmp_path):
    path = tmp_path / "l"
    Ledger().add(Battles.of([("x", "y", 1)])).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    np.save(tmp_path / "evil.npy", np.array([{"x": 1}], dtype=object), allow_pickle=True)
    parts["counts.npy"] = (tmp_path / "evil.npy").read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(ReadError, match="none, or damaged"):
        load(path)


@pytest.mark.posix
def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path):
    path = tmp_path / "l"
    Ledger().add(Battles.of([("x", "y", 1)]), batch="first").save(path)
    script = (
        "import os, sys, zipfile; from beatpath.online import load; import beatpath.methods.online.ledger as f\n"
        "from beatpath import Battles\n"
        "f.dumps = lambda *_: os.kill(os.getpid(), 9)\n"
        "ledger = load(sys.argv[1]); ledger.add(Battles.of([('x', 'y', 1)]), batch='second').save(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    ledger = load(path)
    assert ledger.batches == ("first",)
    assert ledger.add(Battles.of([("x", "y", 1)]), batch="second").pairs.battles.sum() == 2


def test_a_file_that_another_has_changed_is_not_written_over(tmp_path):
    path, battles = tmp_path / "l", Battles.of([("x", "y", 1)])
    Ledger().add(battles, batch="first").save(path)
    mine, theirs = load(path), load(path)
    theirs.add(battles, batch="theirs").save(path)
    with pytest.raises(DataError, match=r"has changed since, perhaps by another process\. Load it, add to that"):
        mine.add(battles, batch="mine").save(path)
    with pytest.raises(DataError, match="this ledger was not loaded from it"):
        Ledger().add(battles, batch="mine").save(path)
    load(path).add(battles, batch="mine").save(path)
    assert load(path).batches == ("first", "theirs", "mine")
    assert os.listdir(tmp_path) == ["l"]


def test_who_saved_a_file_may_go_on_without_loading_it(tmp_path):
    path, battles = tmp_path / "l", Battles.of([("x", "y", 1)])
    ledger = Ledger()
    for batch in ("one", "two", "three"):
        ledger = ledger.add(battles, batch=batch)
        ledger.save(path)
        ledger.save(path)
    assert load(path).batches == ("one", "two", "three")


ADDING = """
import sys
from beatpath import Battles, DataError
from beatpath.online import Ledger, load
path, name = sys.argv[1:]
for k in range(10):
    while True:
        try:
            ledger = load(path)
        except DataError:
            ledger = Ledger()
        try:
            ledger.add(Battles.of([("x", "y", 1)]), batch=f"{name}{k}").save(path)
            break
        except DataError:
            continue
"""


@pytest.mark.posix
def test_three_processes_that_add_to_one_file_lose_nothing(tmp_path):
    path = tmp_path / "l"
    running = [subprocess.Popen([sys.executable, "-c", ADDING, str(path), name]) for name in "abc"]
    assert [one.wait() for one in running] == [0, 0, 0]
    ledger = load(path)
    assert sorted(ledger.batches) == [f"{name}{k}" for name in "abc" for k in range(10)]
    assert ledger.pairs.counts.sum() == 30


def test_a_batch_is_added_once():
    battles = Battles.of([("x", "y", 1)])
    ledger = Ledger().add(battles, batch="monday")
    with pytest.raises(DataError, match="'monday' is there already"):
        ledger.add(battles, batch="monday")
    assert ledger.add(battles, batch="tuesday").batches == ("monday", "tuesday")


def test_what_does_not_fit_is_refused_and_changes_nothing():
    early = Battles.of([("x", "y", 1)], time=[1.0])
    ledger = Ledger(elo=OnlineElo()).add(early)
    with pytest.raises(DataError, match="must be later than those rated before"):
        ledger.add(early)
    assert ledger.pairs.battles.sum() == ledger.elo.battles == 1
    with pytest.raises(UsageError, match="'cluster' must be a column these battles have"):
        Ledger(by=["cluster"]).add(early)
    with pytest.raises(UsageError, match="`by` must name a key"):
        Ledger(by=["cluster"]).add(early.pairs())
    with pytest.raises(UsageError, match="follow battles one by one"):
        ledger.add(early.pairs())
    with pytest.raises(UsageError, match="takes battles or pairs; got ballots"):
        Ledger().add(Ballots.of([[["x"], ["y"]]]))
    with pytest.raises(DataError, match="whatever its weight"):
        Ledger(sco=OnlineSco()).add(Battles.of([("x", "y", 1)], weight=[2.0]))
    with pytest.raises(UsageError, match="'scale' is not for it"):
        ledger.fit(scale="elo")
    with pytest.raises(DataError, match=r"never|lost|won|finite"):
        ledger.fit()


@pytest.mark.parametrize(
    ("start", "message"), [("ada=1", "strengths by agent"), ({"x": float("nan")}, "finite numbers")]
)
def test_a_start_is_strengths_by_agent(start, message):
    with pytest.raises(UsageError, match=message):
        rank(Pairs(("x", "y"), [0], [1], [[2, 1, 0, 0]]), "bradley_terry", start=start)


def test_sco_follows_the_battles_in_time():
    late_first = Battles.of([("x", "y", 1), ("y", "x", 1), ("x", "y", 0.5)], time=[3.0, 1.0, 2.0])
    online = OnlineSco()
    for result in ([["y"], ["x"]], [["x", "y"]], [["x"], ["y"]]):
        online = online.update(result)
    assert Ledger(sco=OnlineSco()).add(late_first).sco.to_dict() == online.to_dict()


def test_a_ledger_rates_by_every_online_rating_as_each_does_alone_and_carries_on_from_its_file(tmp_path):
    whole = arena(600, agents=6)
    parts = [whole.take(np.arange(300)), whole.take(np.arange(300, 600))]
    empty = Ledger(elo=OnlineElo(), glicko2=OnlineGlicko2(period=100.0), weng_lin=OnlineWengLin(), sco=OnlineSco())
    empty.add(parts[0]).save(tmp_path / "arena")
    ledger = load(tmp_path / "arena").add(parts[1])
    alone = {name: one.update(parts[0]).update(parts[1]) for name, one in empty.ratings.items()}
    assert {name: one.to_dict() for name, one in ledger.ratings.items()} == {
        name: one.to_dict() for name, one in alone.items()
    }
    assert set(ledger.ratings) == {"elo", "glicko2", "weng_lin", "sco"}
    assert ledger.glicko2.predict("agent 000", "agent 005") > 0.5
    with pytest.raises(UsageError, match="one by one"):
        ledger.add(whole.pairs())


def test_an_archive_that_unpacks_to_more_than_memory_allows_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed, packed.open("counts.npy", "w") as member:
        for _ in range(100):
            member.write(bytes(1 << 20))
    monkeypatch.setenv("BEATPATH_MEMORY", "200MB")
    with pytest.raises(ReadError, match=r"need about 315 MB of memory"):
        load(path)
