"""Files listed, opened, decompressed and watched."""

import gzip
import io
import os

import pytest

import beatpath as bp
from beatpath.data.sources.source import HEAD, decode, find, find_paths, source, unchanged
from helpers.format_trial import battle_list

HEADER = "left,right,winner\n"
BATTLES = HEADER + "ada,bob,left\nbob,cyd,tie\nada,cyd,right\n"
EXPECTED = [("ada", "bob", 1.0), ("bob", "cyd", 0.5), ("ada", "cyd", 0.0)]


def test_standard_input_is_a_source(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(BATTLES.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    assert battle_list(bp.read("-")) == EXPECTED


def test_a_path_that_is_not_there_suggests_its_neighbor(tmp_path):
    (tmp_path / "battles.csv").write_text(HEADER)
    with pytest.raises(bp.UsageError, match=r"there is none\. Did you mean 'battles\.csv'"):
        bp.read(tmp_path / "batles.csv")
    with pytest.raises(bp.UsageError, match="matches none"):
        bp.read(str(tmp_path / "*.parquet"))


def test_latin_1_reads_when_it_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes((HEADER + "caf\xe9,y,left\n").encode("latin-1"))
    assert bp.read(path, encoding="latin-1").agents == ("café", "y")


def test_a_folder_is_its_files_in_order_without_hidden_ones(tmp_path):
    for name in ("b.csv", "a.csv", ".hidden", "deep/c.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    names = [os.path.relpath(path, tmp_path) for path in find_paths(tmp_path)]
    assert names == ["a.csv", "b.csv", os.path.join("deep", "c.csv")]
    assert [src.name for src in find(tmp_path)] == find_paths(tmp_path)


def test_the_first_bytes_are_read_once_and_the_whole_of_a_small_file_with_them(tmp_path):
    path = tmp_path / "x.txt"
    path.write_bytes(b"small")
    src = find(path)[0]
    path.unlink()
    assert (src.first(2), src.first(HEAD), src.read(), src.read(3)) == (b"sm", b"small", b"small", b"sma")


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_more_bytes_than_are_held_are_fetched(tmp_path, pack):
    data = bytes(range(256)) * 4096
    path = tmp_path / "x.bin"
    path.write_bytes(pack(data))
    src = source(path, look=100)
    assert (src.first(50), src.first(100), src.first(5000)) == (data[:50], data[:100], data[:5000])
    assert src.read() == data


def test_a_file_that_changes_after_listing_is_named(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(BATTLES)
    sources = find(path)
    with unchanged(sources):
        pass
    path.write_text(BATTLES * 2)
    with pytest.raises(bp.ReadError, match=r"x\.csv' changed meanwhile"), unchanged(sources):
        pass
    with pytest.raises(bp.ReadError, match="changed meanwhile"), unchanged(sources):
        raise bp.ReadError("something else, of which the change is the likeliest reason.")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_shows_the_encoding(encoding):
    assert decode("né".encode(encoding), "x") == "né"


@pytest.mark.parametrize(
    "name", ["utf-7.5", "punycode", "idna", "undefined", "unicode_escape", "rot13", "zlib", "hex", "a\0b"]
)
def test_an_encoding_in_which_no_text_is_written_is_refused(tmp_path, name):
    path = tmp_path / "x.csv"
    path.write_text(BATTLES)
    with pytest.raises(bp.UsageError, match="`encoding` must be one of texts that Python knows"):
        bp.read(path, encoding=name)


@pytest.mark.parametrize("name", ["utf-8", "latin-1", "cp1252", "utf-16", "utf-32", "shift_jis", "gb18030", "utf-7"])
def test_every_usual_encoding_is_read(tmp_path, name):
    path = tmp_path / "x.csv"
    path.write_bytes(BATTLES.encode(name))
    assert battle_list(bp.read(path, encoding=name)) == EXPECTED
