import json
import math
import struct
import sys
import zipfile
import zlib

import pytest

from beatpath._errors import BeatpathError, MissingExtra, ReadError, UnknownLabel
from beatpath.data.formats import inspect_log
from beatpath.data.formats.inspect_log import reader
from beatpath.data.formats.reader import Head
from beatpath.data.sources.source import Options, find
from helpers.format_trial import FILES, assert_damage_ends_in_a_sentence, column, read, scores_by, write

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "ada", "task_version": 0, "task_args": {}}}
SAMPLE = {"id": "q1", "epoch": 1, "scores": {"match": {"value": "C"}, "rubric": {"value": {"tone": 0.5, "form": "I"}}}}
LOG = {**HEADER, "samples": [SAMPLE]}
MEMBERS = {"header.json": HEADER, "summaries.json": [SAMPLE]}


def log(tmp_path, *values):
    """A log with one sample a value."""
    samples = [{"id": f"q{i}", "epoch": 1, "scores": {"s": {"value": value}}} for i, value in enumerate(values, 1)]
    return write(tmp_path / "log.json", {**HEADER, "samples": samples})


def zstd_archive(members):
    """A zip file with Zstandard members, which Python's zipfile cannot write; member sizes are as given."""
    zstandard = pytest.importorskip("zstandard")
    body = central = b""
    for name, text in members.items():
        packed = zstandard.ZstdCompressor().compress(text)
        common = struct.pack("<HHHHHIII", 63, 0, 93, 0, 33, zlib.crc32(text), len(packed), len(text))
        start = struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, len(body))
        central += b"PK\1\2" + struct.pack("<H", 63) + common + start + name.encode()
        body += b"PK\3\4" + common + struct.pack("<HH", len(name), 0) + name.encode() + packed
    n = len(members)
    return body + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n, n, len(central), len(body), 0)


def test_zstandard_archives_give_every_sample_and_epoch():
    scores = read(reader, "inspect/model.eval", "inspect/other.eval")
    by = scores_by(scores, "task", "item", "replicate", "metric")
    assert len(by) == 20
    assert by[("mockllm/model", "tiny_arith", "q2", "1", "match")] == 0
    assert by[("mockllm/model", "tiny_arith", "q2", "2", "match")] == 1
    assert scores.table()[0].tolist() == [[0.7], [0.4]]  # accuracy in the two headers


@pytest.mark.parametrize("name", ["multi.eval", "deflate.eval"])
def test_scorers_are_metrics_and_so_are_the_keys_of_their_values(name):
    table, voters = read(reader, f"inspect/{name}").table()
    # closeness -8.9, graded (C, P, I, N, true) 0.5, match 0.7, length 0.91, polite 1 stand in the header
    assert voters == tuple(
        f"tiny_multi / {m}" for m in ("closeness", "graded", "match", "rubric/length", "rubric/polite")
    )
    assert table[0] == pytest.approx([-8.9, 0.5, 0.7, 0.91, 1])


def test_json_logs_are_read_alike():
    table, _ = read(reader, "inspect/small.json").table()
    assert table[0] == pytest.approx([-35.5, 0.75, 0.5, 1.55, 0])


def test_a_score_of_nan_is_no_score():
    scores = read(reader, "inspect/odd.eval")
    assert scores.reading.dropped == {"sample has no score": 2}
    assert scores.metric("odd").value.mean() == 0.625  # as in the header
    assert set(column(scores, "item")) == {"3", "org/repo#1 é", "org/repo#2 é"}


def test_samples_with_an_error_are_dropped_and_the_status_is_noted():
    scores = read(reader, "inspect/error.eval")
    assert scores.reading.dropped == {"sample ended in an error": 2}
    assert "status is 'error'" in scores.reading.notes[0]
    assert len(scores) == 2


def test_a_log_that_was_cut_off_is_read_from_its_journal():
    scores = read(reader, "inspect/killed.eval")
    assert scores_by(scores, "item") == {
        ("mockllm/model", "q1"): 1,
        ("mockllm/model", "q2"): 0,
        ("mockllm/model", "q3"): 1,
    }
    assert "status is 'started'" in scores.reading.notes[0]


@pytest.mark.parametrize("name", ["nosamples.eval", "nosamples.json"])
def test_logs_without_samples_have_scores_reduced_over_epochs(name):
    scores = read(reader, f"inspect/{name}")
    assert scores_by(scores, "item")[("mockllm/model", "q2")] == 0.5
    assert "replicate" not in scores.factors
    assert "samples were not logged" in scores.reading.notes[0]


def test_archives_without_summaries_are_read_from_their_samples(tmp_path):
    path = write(tmp_path / "log.eval", {"header.json": HEADER, "samples/q1_epoch_1.json": SAMPLE})
    assert scores_by(read(reader, path), "metric") == {
        ("ada", "match"): 1,
        ("ada", "rubric/tone"): 0.5,
        ("ada", "rubric/form"): 0,
    }


def test_two_logs_of_one_model_and_task_are_runs_whose_difference_is_noted(tmp_path):
    write(tmp_path / "a.json", LOG)
    write(tmp_path / "b.json", {**LOG, "eval": {**HEADER["eval"], "task_args": {"hard": True}}})
    scores = read(reader, tmp_path)
    assert set(column(scores, "replicate")) == {"run 1 1", "run 2 1"}
    assert any("'t' differs in version, arguments or dataset" in note for note in scores.reading.notes)


def test_letters_words_numbers_and_truth_values_are_read_as_inspect_reads_them(tmp_path):
    path = log(tmp_path, "C", "I", "P", "N", "yes", "False", "0.25", True, 3, -0.5, None, math.nan)
    scores = read(reader, path)
    assert scores.value.tolist() == [1, 0, 0.5, 0, 1, 0, 0.25, 1, 3, -0.5]
    assert scores.reading.dropped == {"sample has no score": 2}


def test_unknown_letters_raise_with_their_counts_and_can_be_mapped(tmp_path):
    path = log(tmp_path, "C", "X", "X", "E")
    with pytest.raises(UnknownLabel, match=r"2 labels have none: 'X' \(2\), 'E' \(1\)"):
        read(reader, path)
    scores = read(reader, path, labels={"X": "0.75", "E": "drop"})
    assert scores.value.tolist() == [1, 0.75, 0.75]
    with pytest.raises(ReadError, match="must be a finite number; got 'tie' in sample 'q2'"):
        read(reader, path, labels={"X": "tie", "E": "drop"})


def test_lower_names_a_scorer(tmp_path):
    assert read(reader, log(tmp_path, 1, 2), lower=["s"]).sign().tolist() == [-1, -1]


def test_missing_zstandard_gets_an_install_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"model\.eval needs zstandard.*beatpath\[inspect\]"):
        read(reader, "inspect/model.eval")
    assert len(read(reader, "inspect/deflate.eval")) == 50


def test_archives_may_not_grow_without_bound(monkeypatch, tmp_path):
    monkeypatch.setattr(inspect_log, "MOST_BYTES", 100_000)
    members = {"header.json": json.dumps(HEADER).encode(), "summaries.json": b"[" + b" " * 200_000 + b"]"}
    (tmp_path / "zstd.eval").write_bytes(zstd_archive(members))
    with zipfile.ZipFile(tmp_path / "deflate.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    for path in tmp_path.iterdir():
        with pytest.raises(ReadError, match=r"at most 0.1 MB of summaries; 'summaries\.json' of"):
            read(reader, path)


def test_an_archive_that_is_not_a_log_says_what_it_lacks(tmp_path):
    path = write(tmp_path / "log.eval", {"other.json": {}})
    with pytest.raises(ReadError, match=r"must hold header\.json or a journal"):
        read(reader, path)


def test_only_logs_are_claimed(tmp_path):
    assert reader.takes(Head(find(write(tmp_path / "log.json", LOG))[0]))
    assert not reader.takes(Head(find(write(tmp_path / "other.json", {**LOG, "eval": "x"}))[0]))
    (tmp_path / "text.eval").write_text("not a zip file")
    assert not reader.takes(Head(find(tmp_path / "text.eval")[0]))


def test_damaged_logs_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(reader, tmp_path / "log.json", LOG)
    assert_damage_ends_in_a_sentence(reader, tmp_path / "log.eval", MEMBERS)
    reductions = [{"scorer": "s", "samples": [{"sample_id": "q1", "value": 1.0}]}]
    assert_damage_ends_in_a_sentence(reader, tmp_path / "log.json", {**HEADER, "reductions": reductions})


@pytest.mark.parametrize("name", ["model.eval", "deflate.eval"])
def test_archives_cut_short_or_with_a_wrong_byte_end_in_a_sentence(tmp_path, name):
    whole = (FILES / "inspect" / name).read_bytes()
    path = tmp_path / "log.eval"
    damaged = [whole[:n] for n in range(0, len(whole), 97)]
    damaged += [whole[:i] + bytes([whole[i] ^ 0xFF]) + whole[i + 1 :] for i in range(0, len(whole), 7)]
    n_raised = 0
    for data in damaged:
        path.write_bytes(data)
        try:
            reader.read(find(path), Options())
        except BeatpathError:
            n_raised += 1
    assert n_raised > len(damaged) / 2
