"""`beatpath serve`: prints an address, answers there, and ends with everything it started."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath._errors import UsageError
from beatpath.web import serve as serving
from beatpath.web.api import create_app
from beatpath.web.serve import run, token_to_open
from helpers.serving import battles_csv, served


@pytest.fixture
def start(tmp_path):
    begun = []

    def begin(*words):
        pipes = {"stdout": subprocess.PIPE, "text": True, "env": {**os.environ, "TMPDIR": str(tmp_path)}}
        one = subprocess.Popen([sys.executable, "-m", "beatpath", "serve", "--port", "0", *words], **pipes)
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
    """What is there; a token in the address goes with the request, as the page sends it."""
    place, _, token = address.partition("?token=")
    address = urllib.request.Request(place, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read().decode()


def test_it_prints_its_address_serves_there_and_ends_on_interrupt(start, tmp_path):
    (tmp_path / "games.csv").write_bytes(battles_csv())
    process, address = start(str(tmp_path / "games.csv"))
    assert address.startswith("http://127.0.0.1:")
    assert "<title>beatpath</title>" in page(address)
    assert '"name":"games.csv"' in page(address.replace("?", "api/files?"))
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


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_nobody_is_served_without_the_token_that_is_printed(start, host):
    _, address = start("--host", host)
    port = address.split(":")[2].split("/")[0]
    token = address.partition("?token=")[2]
    assert len(token) >= 32
    for path in ("", "api/files", "static/live.js"):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            page(f"http://127.0.0.1:{port}/{path}")
    assert "example" in page(f"http://127.0.0.1:{port}/api/files?token={token}")


def closes(port, sent, seconds):
    """Whether a connection that sends this and no more is closed within so many seconds."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        line.sendall(sent)
        try:
            while line.recv(65536):
                pass
        except TimeoutError:
            return False
        return True


def emptied(folder, seconds=10):
    """Whether nothing is in a folder within so many seconds: a line is closed before its request has tidied up."""
    end = time.monotonic() + seconds
    while list(folder.iterdir()):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


HEAD = b"POST /api/uploads?name=x.csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
WHOLE = b"GET /favicon.ico HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEAD, HEAD + b"\r\n", HEAD + b"\r\na,b\n", WHOLE + b"GET / HT"])
def test_a_request_that_is_sent_by_half_is_closed_and_nothing_is_left(sent, monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE", 0.5)
    with served() as client:
        assert closes(client.port, sent, 10)
        assert emptied(client.service.uploads.folder)


def test_a_body_may_take_long_while_it_goes_on_and_a_head_may_not(monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE", 0.6)
    body = battles_csv()
    with served() as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=20) as line:
            line.sendall(HEAD.replace(b"1000", str(len(body)).encode()) + b"\r\n")
            for k in range(6):
                time.sleep(0.3)
                line.sendall(body[k * len(body) // 6 : (k + 1) * len(body) // 6])
            assert b" 201 " in line.recv(65536)
        with socket.create_connection(("127.0.0.1", client.port), timeout=20) as line:
            line.settimeout(0.1)
            begun = time.monotonic()
            while time.monotonic() - begun < 10:
                try:
                    line.sendall(b"X")
                    if line.recv(1) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            assert time.monotonic() - begun < 5


def test_what_cannot_be_served_is_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="a token must have at least 16 characters"):
        run(create_app, token="short")
    with pytest.raises(UsageError, match="must be free on this machine"):
        run(create_app, host="203.0.113.7")
    with pytest.raises(UsageError, match="there is none"):
        run(partial(create_app, [tmp_path / "none.csv"]))
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


def test_the_address_that_is_handed_out_has_the_token_of_its_role(tmp_path):
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("who-runs-the-arena manage\nwho-votes-on-answers vote\n")
    assert token_to_open(tokens, "vote") == "who-votes-on-answers"
    assert token_to_open(tokens, None) == token_to_open(tokens, "read") == "who-runs-the-arena"
    assert token_to_open("0123456789abcdef", "vote") == "0123456789abcdef"
