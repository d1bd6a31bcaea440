"""Which files a reading names, and what cannot be read twice."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial

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
    with pytest.raises(
        bp.ReadError, match=r"pipe must end within 0.001 MB, half of the disk that is free or less; it does not"
    ):
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


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_what_is_spooled_is_gone_after_a_signal(tmp_path, number):
    """The pipe goes on after the signal, so that the program is never between a check for signals and a read that waits."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "beatpath", "check", "-"]
    code = getattr(signal, number)
    heeded = partial(signal.signal, code, signal.SIG_DFL)  # also where the tests run under nohup
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, preexec_fn=heeded) as running:  # noqa: PLW1509
        assert running.stdin is not None
        running.stdin.write(HEADER.encode() + b"a,b,left\n" * 1_000_000)
        assert any(tmp_path.rglob("standard input"))  # a pipe holds less than was written: the rest is in the file
        running.send_signal(code)
        with suppress(BrokenPipeError):
            while True:
                running.stdin.write(b"a,b,left\n" * 10_000)
        with suppress(BrokenPipeError):
            running.stdin.close()
        assert running.wait() == 128 + code
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")
def test_a_device_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(finding, "_LONGEST_PIPE", 3 << 20)
    with pytest.raises(bp.ReadError, match=r"/dev/zero must end within 3 MB"):
        bp.read("/dev/zero")
