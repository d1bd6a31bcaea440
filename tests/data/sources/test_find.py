"""Which files a reading names, and what cannot be read twice."""

import os
import threading

import pytest

import beatpath as bp
from beatpath.data.sources import source as finding
from beatpath.data.sources.source import find_paths, open_sources

HEADER = "left,right,winner\n"
GAME = '[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 {{{}}} 1-0\n\n'


def fed(path, text):
    """Write into a pipe from a thread of its own, as another program would."""
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_text, args=(text,), daemon=True)
    thread.start()
    return thread


def test_a_pipe_is_read_whole_whatever_its_format(tmp_path):
    games = "".join(GAME.format(f"p{i % 7}", f"q{i % 5}", "x" * 80) for i in range(3000))
    thread = fed(tmp_path / "games.pgn", games)
    assert len(bp.read(tmp_path / "games.pgn")) == 3000
    thread.join()


def test_a_pipe_of_a_table_is_read_like_the_file(tmp_path):
    rows = "".join(f"a{i % 9},b{i % 8},left\n" for i in range(20_000))
    (tmp_path / "file.csv").write_text(HEADER + rows)
    thread = fed(tmp_path / "pipe", HEADER + rows)
    piped, plain = bp.read(tmp_path / "pipe"), bp.read(tmp_path / "file.csv")
    thread.join()
    assert (len(piped), piped.agents) == (20_000, plain.agents)
    assert piped.reading.sources == (str(tmp_path / "pipe"),)


def test_what_is_spooled_is_gone_afterwards(tmp_path):
    fed(tmp_path / "pipe", HEADER)
    with open_sources([tmp_path / "pipe"]) as (src,):
        assert src.path.read_text() == HEADER
    assert not src.path.exists()


def test_a_stream_without_end_is_refused_before_the_disk_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(finding.shutil, "disk_usage", lambda folder: os.terminal_size((0, 0)) and _Free())
    thread = fed(tmp_path / "pipe", HEADER + "a,b,left\n" * 1000)
    with pytest.raises(bp.ReadError, match=r"pipe must end before it fills half of the disk"):
        bp.read(tmp_path / "pipe")
    thread.join()


class _Free:
    free = 2000


def test_an_engine_is_given_no_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(bp.UsageError, match="it is a pipe or a device"):
        find_paths(tmp_path / "pipe")


def test_a_file_named_twice_is_read_once(tmp_path):
    (tmp_path / "a.csv").write_text(HEADER + "x,y,left\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    assert len(bp.read([tmp_path / "a.csv", tmp_path, str(tmp_path / "*.csv")])) == 1
