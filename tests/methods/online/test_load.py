"""`load` reads whatever was saved."""

import json

import pytest

import beatpath as bp
from beatpath import Battles
from beatpath.online import Ledger, OnlineElo, OnlineGlicko2, OnlineSco, OnlineWengLin

DAY = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 0.5)])


@pytest.mark.parametrize("kind", [OnlineElo, OnlineGlicko2, OnlineWengLin, OnlineSco])
def test_online_ratings_come_back_as_they_were_saved(tmp_path, kind):
    state = kind().update(DAY)
    state.save(tmp_path / "state")
    back = bp.online.load(tmp_path / "state")
    assert type(back) is kind
    assert back == state
    assert back.update(DAY) == state.update(DAY)


def test_a_ledger_comes_back_with_its_ratings(tmp_path):
    ledger = Ledger(elo=OnlineElo(), sco=OnlineSco()).add(DAY)
    ledger.save(tmp_path / "ledger")
    back = bp.online.load(tmp_path / "ledger")
    assert isinstance(back, Ledger)
    assert (back.elo, back.sco) == (ledger.elo, ledger.sco)
    assert back.pairs.counts.tolist() == ledger.pairs.counts.tolist()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", "\xff", "[" * 100_000])
def test_a_file_that_is_nothing_we_saved_is_a_sentence(tmp_path, text):
    (tmp_path / "file").write_text(text, encoding="latin-1")
    with pytest.raises(bp.ReadError, match=r"must be a whole file that `save` wrote"):
        bp.online.load(tmp_path / "file")


def test_another_type_or_version_is_named(tmp_path):
    path = tmp_path / "file"
    path.write_text(json.dumps({"type": "online_eloo"}))
    with pytest.raises(bp.ReadError, match=r"it says it is 'online_eloo'\. Did you mean 'online_elo'\?"):
        bp.online.load(path)
    path.write_text(json.dumps({"type": "online_elo", "schema_version": "9"}))
    with pytest.raises(bp.ReadError, match="version '9'"):
        bp.online.load(path)
    with pytest.raises(bp.ReadError, match="cannot be read"):
        bp.online.load(tmp_path / "nowhere")


def test_saving_updates_leaves_the_old_value_alone(tmp_path):
    for state in (OnlineElo(), OnlineGlicko2(), OnlineWengLin(), OnlineSco()):
        state.update(DAY)
        assert state.ratings == {}
