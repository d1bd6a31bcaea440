"""Uploads: whole or not at all, within bounds, and never by a path that a name gives."""

import asyncio

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from hypothesis import given
from hypothesis import strategies as st

from beatpath._errors import UsageError
from beatpath.web.files import Limits, ReadableFiles, Uploads, offered, stored_name
from helpers.refusals import refused


@pytest.fixture
def uploads():
    made = Uploads(ReadableFiles(), Limits(upload=100, uploads=2))
    yield made
    made.close()


def receive(uploads, name="x.csv", *blocks, length=None, error=None):
    async def stream():
        for block in blocks:
            yield block
        if error is not None:
            raise error

    return asyncio.run(uploads.receive(name, length, stream()))


def left(uploads):
    return [path for path in uploads.folder.rglob("*") if path.is_file()]


def test_what_arrives_is_what_is_stored(uploads):
    offer = receive(uploads, "games.csv", b"a,b\n", b"1,2\n")
    assert [path.read_bytes() for path in left(uploads)] == [b"a,b\n1,2\n"]
    assert offer.name == "games.csv"


def test_the_limit_holds_while_the_file_arrives_and_nothing_is_left(uploads):
    with refused(413, match="an upload may have"):
        receive(uploads, "x.csv", *[b"x" * 60] * 2)
    assert left(uploads) == []


def test_an_announced_length_above_the_limit_is_refused_before_anything_is_read(uploads):
    with refused(413):
        receive(uploads, "x.csv", length=101, error=AssertionError("was read"))


@pytest.mark.parametrize("error", [OSError("gone"), asyncio.CancelledError(), KeyboardInterrupt()])
def test_an_upload_that_ends_half_way_leaves_nothing(uploads, error):
    with pytest.raises(type(error)):
        receive(uploads, "x.csv", b"half", error=error)
    assert left(uploads) == []


def test_the_same_file_has_the_same_identifier_and_is_stored_once(uploads):
    assert receive(uploads, "x.csv", b"12", b"34").id == receive(uploads, "x.csv", b"1", b"234").id
    assert len(left(uploads)) == 1
    assert receive(uploads, "x.csv", b"12345").id != receive(uploads, "x.csv", b"1234").id


def test_the_oldest_upload_makes_room(uploads):
    offers = [receive(uploads, "x.csv", bytes([65 + k])) for k in range(3)]
    for offer in offers:
        uploads.keep(offer)
        uploads.release(offer)
    assert {path.read_bytes() for path in left(uploads)} == {b"B", b"C"}
    with refused(404, match="upload the file again"):
        uploads._readable[offers[0].id]


def test_of_requests_that_bring_the_same_file_one_that_is_refused_takes_it_from_nobody(uploads):
    refused, stored, slow = (receive(uploads, "x.csv", b"same") for _ in range(3))
    uploads.release(refused)
    uploads.keep(stored)
    uploads.release(stored)
    uploads.drop(stored.id)
    assert len(left(uploads)) == 1
    uploads.keep(slow)
    uploads.release(slow)
    assert [path.read_bytes() for path in left(uploads)] == [b"same"]
    uploads.drop(slow.id)
    assert left(uploads) == []


def test_what_was_refused_by_all_is_deleted(uploads):
    for offer in [receive(uploads, "x.csv", b"same") for _ in range(2)]:
        assert len(left(uploads)) == 1
        uploads.release(offer)
    assert list(uploads.folder.iterdir()) == []


def test_closing_deletes_everything(uploads):
    receive(uploads, "x.csv", b"1")
    uploads.close()
    assert not uploads.folder.exists()


def test_only_uploads_can_be_deleted(uploads, tmp_path):
    (tmp_path / "mine.csv").write_text("a,b\n")
    uploads._readable.put(offered(tmp_path / "mine.csv"))
    for offer in list(uploads._readable):
        uploads.drop(offer.id)
    assert len(list(uploads._readable)) == 2
    assert (tmp_path / "mine.csv").exists()


@given(st.text(max_size=200))
def test_a_stored_name_is_one_plain_component_whatever_the_name(name):
    stored = stored_name(name)
    assert stored
    assert len(stored) < 120
    assert stored[0] not in ".-"
    assert set(stored) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._")


def test_an_offer_keeps_its_identifier_when_the_server_starts_again(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n")
    assert offered(path).id == offered(str(path)).id
    before = offered(path).place()
    path.write_text("a,b\n1,2\n")
    assert offered(path).place()["mark"] != before["mark"]


def test_standard_input_and_what_is_not_there_cannot_be_offered(tmp_path):
    with pytest.raises(UsageError, match="standard input is read once"):
        offered("-")
    with pytest.raises(UsageError, match="there is none"):
        offered(tmp_path / "none.csv")
