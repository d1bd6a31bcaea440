"""A worker: a process that can be stopped, that dies alone, and that answers with plain data."""

import gzip
import os
import signal
import sys

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath._errors import DataError, UsageError
from beatpath.web.files import ReadableFiles, offered
from beatpath.web.requests import FileReading, Question
from beatpath.web.worker import Broken, Stopped, Worker
from helpers.serving import alive, battles_csv

EXAMPLE = ReadableFiles()["example"].place()


@pytest.fixture(scope="module")
def worker():
    one = Worker(4 << 30)
    yield one
    one.stop()


def previewed(worker, path, **reading):
    return worker.call(
        "previewed", offered(path).place(), FileReading(file="x", **reading).model_dump(), True, seconds=60
    )


def test_a_file_is_called_by_its_name_alone_wherever_it_lies(worker, tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(battles_csv())
    preview = previewed(worker, path)
    assert preview["evidence"]["account"].startswith("read 120 rows of games.csv as table")
    assert str(tmp_path) not in str(preview)
    assert preview["roles"] == {"agent_a": "left", "agent_b": "right", "outcome": "winner", "task": "language"}
    assert preview["evidence"]["agents"] == ["ada", "bob", "cyd", "dan"]
    assert preview["evidence"]["columns"]["task"] == {"count": 2, "levels": ["de", "en"]}


def test_what_cannot_be_read_still_shows_its_first_rows(worker, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes(b"p,q,said\nada,bob,L\n")
    preview = previewed(worker, path)
    assert preview["columns"] == ["p", "q", "said"]
    assert preview["rows"] == [["ada", "bob", "L"]]
    assert "must show what they mean" in preview["error"]
    mapped = previewed(worker, path, map={"agent_a": "p", "agent_b": "q", "outcome": "said"})
    assert mapped["layout"] == "battles"
    assert "'L' is not" in mapped["error"]
    done = previewed(worker, path, map={"agent_a": "p", "agent_b": "q", "outcome": "said"}, labels={"L": "a"})
    assert done["error"] is None
    assert done["evidence"]["size"] == "2 agents, 1 battle"


def test_what_is_wrong_comes_back_as_what_it_is(worker, tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(battles_csv())
    with pytest.raises(UsageError, match="must name a role"):
        previewed(worker, path, map={"agnet_a": "left"})
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    with pytest.raises(DataError, match="must be in a format that beatpath knows"):
        worker.call("recognized", offered(picture).place(), seconds=60)


@pytest.mark.posix
def test_work_that_nobody_wants_ends_with_its_process(worker):
    worker.start()
    process = worker.process_id
    with pytest.raises(Stopped):
        worker.call("answered", EXAMPLE, Question(file="example").model_dump(), seconds=60, wanted=lambda: False)
    assert not alive(process)


def test_work_that_takes_too_long_ends_with_a_sentence(worker):
    with pytest.raises(Broken, match=r"must be done within 0.1 seconds"):
        worker.call("answered", EXAMPLE, Question(file="example").model_dump(), seconds=0.1)
    assert worker.process_id is None


@pytest.mark.posix
def test_a_process_that_dies_takes_nobody_with_it(worker):
    def shoot(_):
        os.kill(worker.process_id, signal.SIGKILL)

    with pytest.raises(Broken, match="ended with -9"):
        worker.call("answered", EXAMPLE, Question(file="example").model_dump(), seconds=60, tell=shoot)
    preview = worker.call("previewed", EXAMPLE, FileReading(file="example").model_dump(), True, seconds=60)
    assert preview["evidence"]["size"] == "30 agents, 12,000 battles"


@pytest.mark.skipif(sys.platform != "linux", reason="memory cannot be bounded here")
def test_a_small_file_that_unpacks_to_a_gigabyte_is_a_sentence(tmp_path):
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b'{"a": "') + gzip.compress(b"x" * (8 << 20)) * 150)
    small = Worker(700 << 20)
    try:
        assert small.call("recognized", offered(path).place(), seconds=60) == {"format": "table"}
        reading = FileReading(file="x").model_dump()
        with pytest.raises(DataError, match=r"bomb\.json\.gz.* must .*memory"):
            small.call("previewed", offered(path).place(), reading, True, seconds=60)
    finally:
        small.stop()
