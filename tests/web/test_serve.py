"""`beatpath serve`: prints an address, answers there, and ends with everything it started."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath._errors import UsageError
from beatpath.web.serve import serve
from helpers.serving import battles_csv


@pytest.fixture
def start(tmp_path):
    begun = []

    def begin(*words):
        told = {"stdout": subprocess.PIPE, "text": True, "env": {**os.environ, "TMPDIR": str(tmp_path)}}
        one = subprocess.Popen([sys.executable, "-m", "beatpath", "serve", "--port", "0", *words], **told)
        begun.append(one)
        return one, one.stdout.readline().strip()

    yield begin
    for one in begun:
        one.terminate()
        one.communicate(timeout=30)


def children(process):
    """The processes that one has started."""
    listed = Path(f"/proc/{process}/task")
    if not listed.is_dir():
        pytest.skip("this system does not list processes under /proc")
    return {int(word) for task in listed.iterdir() for word in (task / "children").read_text().split()}


def gone(processes, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(Path(f"/proc/{one}").exists() for one in processes):
        time.sleep(0.05)
    return not any(Path(f"/proc/{one}").exists() for one in processes)


def page(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read().decode()


def test_it_prints_its_address_serves_there_and_ends_on_interrupt(start, tmp_path):
    (tmp_path / "games.csv").write_bytes(battles_csv())
    process, address = start(str(tmp_path / "games.csv"))
    assert address.startswith("http://127.0.0.1:")
    assert "<title>beatpath</title>" in page(address)
    assert '"name":"games.csv"' in page(f"{address}api/files")
    workers = children(process.pid)
    assert len(workers) == 2
    process.send_signal(signal.SIGINT)
    process.wait(20)
    assert gone(workers)
    assert list(tmp_path.glob("beatpath-*")) == []


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_its_workers_end_even_when_it_is_killed(start):
    process, address = start()
    page(address)
    workers = children(process.pid)
    process.kill()
    process.wait(20)
    assert gone(workers)


def test_an_address_that_others_can_reach_has_a_token(start):
    _, address = start("--host", "0.0.0.0")
    port = address.split(":")[2].split("/")[0]
    token = address.partition("?token=")[2]
    assert len(token) >= 32
    with pytest.raises(urllib.error.HTTPError, match="401"):
        page(f"http://127.0.0.1:{port}/")
    told = urllib.request.Request(f"http://127.0.0.1:{port}/api/files", headers={"Authorization": f"Bearer {token}"})
    assert "example" in page(told)


def test_what_cannot_be_served_is_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="`--token` must have at least 16 signs"):
        serve(token="short")
    with pytest.raises(UsageError, match="must be free on this machine"):
        serve(host="203.0.113.7")
    with pytest.raises(UsageError, match="there is none"):
        serve([tmp_path / "none.csv"])
    process = subprocess.run(
        [sys.executable, "-m", "beatpath", "serve", "-"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert "standard input is read once" in process.stderr


def test_without_the_extra_it_says_what_to_install():
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from beatpath.cli.main import main\n"
        "sys.argv = ['beatpath', 'serve']\n"
        "main()"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert "needs uvicorn, which is not installed: pip install 'beatpath[app]'." in process.stderr
