"""The beginning of a file, as readers see it."""

import json

import duckdb
import pytest

from beatpath.data.formats.reader import Head
from beatpath.data.sources.source import HEAD, find


def head_of(path):
    return Head(find(path)[0])


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "b": 2}\n{"a": 3}', '[{"a": 1, "b": 2}, {"a": 3}]', '\ufeff{\n  "a": 1, "b": 2}'],
)
def test_the_first_record_is_read_from_every_form_of_json(write, text):
    head = head_of(write(text, "x.json"))
    assert head.record == {"a": 1, "b": 2}
    assert head.columns == ("a", "b")


def test_a_record_longer_than_the_head_is_read_whole(write):
    record = {"long": "x" * (2 * HEAD), "b": 1}
    assert head_of(write(json.dumps([record]), "x.json")).record == record


@pytest.mark.parametrize("text", ["", "[]", "[1]", "{", '"x"', "\x00"])
def test_what_is_no_record_is_none(write, text):
    assert head_of(write(text, "x.json")).record == {}


def test_columns_of_text_and_parquet(write, tmp_path):
    assert head_of(write("u;v\n1;2\n")).columns == ("u", "v")
    duckdb.sql("SELECT 1 AS u, 2 AS v").write_parquet(str(tmp_path / "x.parquet"))
    assert head_of(tmp_path / "x.parquet").columns == ("u", "v")


def test_looking_never_raises(write):
    assert head_of(write(b"PAR1 and nothing more", "x.parquet")).columns == ()
    assert head_of(write(b"caf\xe9,x\n", "x.csv")).columns == ()


def test_a_document_longer_than_its_head_is_read_to_its_end(write):
    text = json.dumps(
        {"eval": {"task": "t"}, "samples": [{"id": i, "text": 'a "quoted", [bracket] {brace}'} for i in range(9000)]}
    )
    head = Head(find(write(text, "x.json"))[0])
    assert len(text) > HEAD
    assert head.record["eval"] == {"task": "t"}
    assert head.record["samples"][0]["id"] == 0
