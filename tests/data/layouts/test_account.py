"""The account of a reading."""

import pytest

import beatpath as bp


def test_columns_carried_along_are_not_called_unused(write):
    path = write("left,right,winner,note,tokens\nada,bob,left,x,3\n")
    assert bp.read(path, keep=["note", "tokens"]).reading.unused == ()


def test_filters_choose_rows_and_say_how_many_were_left_out(write):
    path = write("model_a,model_b,winner,anony,turn\nx,y,tie,True,1\nx,y,tie,false,1\nx,y,model_a,true,3\n")
    battles = bp.read(path, where=["anony=true", "turn<=2"])
    assert len(battles) == 1
    assert battles.reading.dropped == {"left out by --where": 2}
    assert len(bp.read(path, where=["anony!=true"])) == 1
    with pytest.raises(bp.UsageError, match="Did you mean 'anony'"):
        bp.read(path, where=["anonny=true"])


def test_every_row_is_read_used_or_dropped_for_a_reason(write):
    text = "left,right,winner,note\nada,bob,left,x\n,bob,tie,y\nada,bob,,z\n"
    account = bp.read(write(text), map={"agent_a": "left", "agent_b": "right"}).reading
    assert (account.rows_read, account.rows_used) == (3, 1)
    assert account.dropped == {"no agent": 1, "no outcome": 1}
    assert account.given == {"agent_a": "left", "agent_b": "right"}
    assert account.guessed == {"outcome": "winner"}
    assert account.unused == ("note",)
