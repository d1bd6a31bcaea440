"""What reading may fill, and files that unpack to more; limits are small so that files may be."""

import gzip
import io
import json
import zipfile

import duckdb
import numpy as np
import pytest

import beatpath as bp
from beatpath._memory import ALLOWED
from beatpath.data.sources.memory import in_bytes, memory_limit, require_memory, require_parseable
from helpers.command_line import beatpath

MB = 1 << 20


@pytest.fixture
def small(monkeypatch):
    """Reading may fill 20 MB."""
    monkeypatch.setenv(ALLOWED, "20MiB")


def test_without_a_word_half_of_what_is_free_may_be_filled(monkeypatch):
    monkeypatch.delenv(ALLOWED, raising=False)
    assert MB <= memory_limit() < 1 << 50


def test_a_need_beyond_the_limit_names_both(small):
    require_memory(19 * MB, "this")
    with pytest.raises(
        bp.ReadError, match=rf"that must fit .* {in_bytes(20 * MB)}; it takes about 30 MB or more. Do less."
    ):
        require_memory(30 * MB, "that", "Do less.")


@pytest.mark.parametrize("kind", [str, str.encode], ids=["text", "bytes"])
def test_json_is_refused_by_what_it_would_become(small, kind):
    require_parseable(kind('"' + "x" * 5 * MB + '"'), "a long text")
    with pytest.raises(bp.ReadError, match="many objects, as JSON, must fit"):
        require_parseable(kind("[" + "{}," * (MB // 2) + "{}]"), "many objects")


def packed(path, head, piece, times, tail=b""):
    with gzip.open(path, "wb") as out:
        out.write(head)
        for _ in range(times):
            out.write(piece)
        out.write(tail)
    return path


def npz(path):
    data = io.BytesIO()
    np.save(data, np.zeros((1000, 1000)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("payoff.npy", data.getvalue())
    return path


def npy(path):
    data = io.BytesIO()
    np.lib.format.write_array_header_1_0(data, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)})
    path.write_bytes(data.getvalue())
    return path


def log(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(
            "header.json", json.dumps({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}})
        )
        out.writestr("summaries.json", "[" + "{}," * MB + "{}]")
    return path


def parquet(path):
    rows = "SELECT 'x' AS model_a, 'y' AS model_b, 'tie' AS winner FROM range(1000000)"
    duckdb.sql(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    return path


JUDGED = b'{"generator_1": "a", "generator_2": "b", "instruction": "i", "preference": 1}\n'
ORDERS = b"# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n"
GAME = b'[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
BOARD = b'[{"name": "ada", "per_instance_details": {"i": {"resolved": true}}}'
BOMBS = {
    "blanks as JSON": lambda f: packed(f / "x.json.gz", b'{"resolved": [', b" " * MB, 30),
    "empty objects": lambda f: packed(f / "x.json.gz", BOARD, b",{}" * 1000, 1000, b"]"),
    "records": lambda f: packed(f / "x.jsonl.gz", b"", JUDGED * 1000, 200),
    "orders": lambda f: packed(f / "x.soc.gz", ORDERS, b"1: 1,2\n" * 1000, 1000),
    "games": lambda f: packed(f / "x.pgn.gz", b"", GAME * 1000, 100),
    "rows": lambda f: packed(f / "x.csv.gz", b"model_a,model_b,winner\n", b"x,y,tie\n" * 1000, 1000),
    "zeros": lambda f: npz(f / "x.npz"),
    "a header that promises": lambda f: npy(f / "x.npy"),
    "a log": lambda f: log(f / "x.eval"),
    "runs of one value": lambda f: parquet(f / "x.parquet"),
}


@pytest.mark.parametrize("make", BOMBS.values(), ids=BOMBS)
def test_what_unpacks_to_more_than_may_be_filled_is_refused_with_a_sentence(small, tmp_path, make):
    path = make(tmp_path)
    assert path.stat().st_size < MB
    with pytest.raises(bp.ReadError, match="BEATPATH_MEMORY"):
        bp.read(path)


@pytest.mark.parametrize("line", ['",', '"",', 'a"b,"c"d,', '"', '"a,'])
def test_a_long_line_of_quotation_marks_and_commas_is_read_once(tmp_path, line):
    (tmp_path / "x.csv").write_text(line * (MB // len(line)))
    with pytest.raises(bp.ReadError):
        bp.read(tmp_path / "x.csv")


def test_a_header_cell_of_a_megabyte_is_refused_by_its_length(tmp_path):
    (tmp_path / "x.csv").write_text('"' + "x" * MB + '",b\n1,2\n')
    with pytest.raises(bp.ReadError, match="the name of column 1 has 1,048,576 signs"):
        bp.read(tmp_path / "x.csv")


def test_the_option_allows_what_the_variable_does_not(tmp_path):
    path = packed(tmp_path / "x.csv.gz", b"model_a,model_b,winner\n", b"x,y,tie\n" * 1000, 400)
    refused = beatpath("check", path, "--memory", "20MB")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "must fit into the memory that reading may fill" in refused.stderr
    assert beatpath("check", path, "--memory", "2GB").returncode == 0
