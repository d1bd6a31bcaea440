"""The interface for programs, served for real."""

import json
import shlex
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from helpers.schemas import validated

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from typer.testing import CliRunner

from beatpath.cli.main import app as command_line
from beatpath.web.files import Limits
from helpers.serving import alive, battles_csv, served


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("offered") / "games.csv"
    path.write_bytes(battles_csv())
    (path.parent / "secret.csv").write_bytes(b"left,right,winner\nsecret,bob,left\n")
    return path


@pytest.fixture(scope="module")
def client(games):
    with served([games], limits=Limits(upload=100_000, running=1, forsaken=2.0)) as one:
        yield one


@pytest.fixture(scope="module")
def file(client):
    files = client.ask("GET", "/api/files")[1]["files"]
    return next(one["id"] for one in files if one["name"] == "games.csv")


def test_files_are_the_example_and_what_was_offered(client):
    status, listing = client.ask("GET", "/api/files")
    assert status == 200
    assert [one["kind"] for one in listing["files"]][:2] == ["example", "offered"]
    assert "offered" not in json.dumps([one["name"] for one in listing["files"]])  # no folder is shown


def test_a_report_by_the_interface_is_the_report_by_the_command_line(client, file, games, monkeypatch):
    settings = {"level": 0.9, "ties": "drop", "methods": ["copeland", "bradley_terry"], "where": ["language=en"]}
    job = client.job(file=file, estimand={"ada": 1, "bob": 2}, **settings)
    assert client.ended(job)["state"] == "done"
    live = client.report(job)
    words = shlex.split(live["provenance"]["command"])
    assert words[:3] == ["beatpath", "report", "games.csv"]
    monkeypatch.chdir(games.parent)
    done = CliRunner().invoke(command_line, [*words[1:], "--format", "json", "-o", "-"])
    assert done.exit_code == 0, done.output
    document = validated(done.stdout)
    live["provenance"].pop("command"), document["provenance"].pop("command")
    assert live == document


def test_a_report_has_three_forms_and_its_page_is_shut_off(client, file):
    job = client.job(file=file, methods=["copeland"])
    client.ended(job)
    status, headers, page = client.send("GET", f"/api/jobs/{job}/report.html")
    assert status == 200
    assert page.startswith(b"<!doctype html>")
    assert "sandbox allow-scripts" in headers["content-security-policy"]
    assert "allow-same-origin" not in headers["content-security-policy"]
    assert client.send("GET", f"/api/jobs/{job}/report.md")[2].decode().startswith("#")
    assert client.send("GET", f"/api/jobs/{job}/report.exe")[0] == 400


def test_events_tell_of_a_job_until_it_has_ended(client, file):
    job = client.job(file=file, methods=["copeland"], seed=7)
    status, headers, body = client.send("GET", f"/api/jobs/{job}/events")
    events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]
    assert status == 200
    assert headers["content-type"].startswith("text/event-stream")
    assert events[-1]["state"] == "done"
    assert {one["state"] for one in events[:-1]} <= {"waiting", "running"}


def test_two_tabs_can_compute_at_once_and_a_job_can_be_canceled(client, file):
    slow = client.job(file="example", seed=11)
    waits = client.job(file=file, seed=12, methods=["copeland"])
    time.sleep(0.3)
    assert client.ask("GET", f"/api/jobs/{waits}")[1]["message"].startswith("waiting in line: 1 other job")
    assert client.ask("DELETE", f"/api/jobs/{slow}")[1]["state"] == "cancelled"
    assert client.ended(waits)["state"] == "done"
    assert client.send("GET", f"/api/jobs/{slow}/report.html")[0] == 409


def test_work_is_stopped_when_the_requesting_browser_has_gone(client, monkeypatch):
    jobs = client.service.jobs
    monkeypatch.setattr(jobs, "_limits", replace(jobs._limits, forsaken=0.3))  # long before the work is done
    job = client.job(file="example", seed=13)
    with socket.create_connection(("127.0.0.1", client.port)) as line:
        line.sendall(f"GET /api/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert line.recv(1000)
    ticket = jobs._tickets[job]
    for _ in range(300):
        if ticket.ended:
            break
        time.sleep(0.1)
    assert ticket.ended == "Stopped: no client is waiting for it."


def test_of_equal_files_sent_at_once_every_one_that_is_taken_can_be_read(client):
    for turn in range(3):
        content = battles_csv(rounds=5 + turn)
        with ThreadPoolExecutor(16) as senders:
            answers = list(senders.map(lambda _, sent=content: client.upload("same.csv", sent), range(16)))
        taken = {reply["id"] for status, reply in answers if status == 201}
        assert {status for status, _ in answers} <= {201, 503}  # more than can wait in line are refused
        assert len(taken) == 1
        assert client.ask("POST", "/api/preview", {"file": taken.pop()})[1]["error"] is None


def test_an_upload_is_read_previewed_and_deleted(client):
    status, offer = client.upload("my%20games.csv", battles_csv(columns=("p", "q", "said", "language")))
    assert (status, offer["format"], offer["name"]) == (201, "table", "my games.csv")
    status, preview = client.ask("POST", "/api/preview", {"file": offer["id"]})
    assert status == 200
    assert "must show what they mean" in preview["error"]
    assert preview["values"]["said"] == ["left", "right"]
    options = {"map": {"agent_a": "p", "agent_b": "q", "outcome": "said"}, "labels": {"left": "a", "right": "b"}}
    status, preview = client.ask("POST", "/api/preview", {"file": offer["id"], **options})
    assert preview["evidence"]["size"] == "4 agents, 120 battles"
    assert client.send("DELETE", f"/api/uploads/{offer['id']}")[0] == 204
    assert client.ask("POST", "/api/preview", {"file": offer["id"]})[0] == 404


def files_left(client):
    return [path for path in client.service.uploads.folder.rglob("*") if path.is_file()]


def test_nothing_is_executed_from_an_upload(client, tmp_path):
    mark = tmp_path / "executed"
    for name in ("jinja2.py", "scipy.py", "vl_convert.py", "sitecustomize.py"):
        status, offer = client.upload(name, f"a,b\n1,2\n\nopen({str(mark)!r}, 'w')\n".encode())
        if status == 201:
            client.ask("POST", "/api/preview", {"file": offer["id"]})
            client.ended(client.job(file=offer["id"], map={"agent": "a", "value": "b"}))
            client.send("DELETE", f"/api/uploads/{offer['id']}")
    assert not mark.exists()


def test_an_upload_too_large_or_of_no_known_kind_is_a_sentence_and_leaves_nothing(client):
    before = files_left(client)
    status, reply = client.upload("large.csv", b"x" * 100_001)
    assert status == 413
    assert reply["error"].startswith("an upload may have 0.09537 MB")
    status, reply = client.upload("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    assert status == 415
    assert "must be in a format that beatpath knows" in reply["error"]
    assert client.upload("empty.csv", b"")[0] == 415
    assert client.send("POST", "/api/uploads", b"a,b\n")[0] == 400
    assert files_left(client) == before


def test_an_upload_whose_sender_goes_away_leaves_nothing(client):
    before = files_left(client)
    with socket.create_connection(("127.0.0.1", client.port)) as line:
        line.sendall(
            b"POST /api/uploads?name=half.csv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\nleft,right\n"
        )
        time.sleep(0.3)
        assert len(files_left(client)) == len(before) + 1
    for _ in range(100):
        if files_left(client) == before:
            break
        time.sleep(0.05)
    assert files_left(client) == before


@pytest.mark.parametrize(
    ("question", "status", "message"),
    [
        ({"file": "nope"}, 404, "must be one that is offered here"),
        ({"file": "../secret.csv"}, 404, "must be one that is offered here"),
        ({}, 400, "`file` must be given"),
        ({"file": "example", "level": 95}, 400, "`level` must be less than 1; got '95'"),
        ({"file": "example", "level": "x"}, 400, "`level` must be a valid number"),
        ({"file": "example", "ties": "halve"}, 400, "`ties` must be 'half', 'drop' or 'keep'; got 'halve'"),
        ({"file": "example", "path": "/etc/passwd"}, 400, "`path` must be left out"),
        ({"file": "example", "where": ["x"] * 501}, 400, "`where`"),
    ],
)
def test_an_unsupported_question_is_a_sentence(client, question, status, message):
    got, answer = client.ask("POST", "/api/jobs", question)
    assert got == status
    assert message in answer["error"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"methods": ["schultze"]}, "Did you mean 'schulze'?"),
        ({"map": {"outcome": "wniner"}}, "Did you mean 'winner'?"),
        ({"map": {"agent_a": "none"}}, "must show what they mean"),
        ({"where": ["language=fr"]}, "leaves none of"),
        ({"contexts": "colour"}, "'colour'"),
        ({"weights": {"fr": 2}}, "“Weights of tasks” must name tasks"),
        ({"estimand": {"eve": 1}}, "'eve'"),
        ({"cluster": ["prompt"]}, "'prompt'"),
    ],
)
def test_what_the_data_cannot_answer_is_the_sentence_of_the_job(client, file, question, message):
    now = client.ended(client.job(file=file, **question))
    assert now["state"] == "failed", now
    assert message in now["error"]
    assert "Traceback" not in now["error"]


def test_paths_and_unknown_addresses_are_sentences(client):
    for path in (
        "/api/nothing",
        "/static/..%2f..%2fapp.py",
        "/static/../app.py",
        "/static/app.py",
        "/api/jobs/x",
        "/api/jobs/x/report.md",
    ):
        status, _, body = client.send("GET", path)
        assert status == 404, path
        assert json.loads(body)["error"]


def test_pages_and_their_files_load_nothing_from_elsewhere(client):
    names = ["/", "/docs", "/favicon.ico", "/static/live.css", "/static/style.css"]
    names += [f"/static/{name}.js" for name in ("live", "asking", "columns", "controls", "dom", "state", "docs")]
    for name in names:
        status, headers, body = client.send("GET", name)
        assert status == 200, name
        assert headers["x-content-type-options"] == "nosniff"
        assert b"http://" not in body.replace(b"http://www.w3.org", b"")
        assert b"https://" not in body


def test_the_description_of_the_interface_has_every_operation_and_its_words(client):
    described = client.ask("GET", "/openapi.json")[1]
    operations = {(path, method) for path, methods in described["paths"].items() for method in methods}
    assert operations == {
        ("/api/files", "get"),
        ("/api/uploads", "post"),
        ("/api/uploads/{file}", "delete"),
        ("/api/preview", "post"),
        ("/api/methods", "get"),
        ("/api/formats", "get"),
        ("/api/jobs", "post"),
        ("/api/jobs/{job}", "get"),
        ("/api/jobs/{job}", "delete"),
        ("/api/jobs/{job}/events", "get"),
        ("/api/jobs/{job}/report.{form}", "get"),
    }
    assert all(operation["description"] for methods in described["paths"].values() for operation in methods.values())
    assert set(described["components"]["schemas"]["Question"]["properties"]) >= {"level", "ties", "estimand", "weights"}


def test_methods_and_roles_are_listed(client):
    keys = [one["key"] for one in client.ask("GET", "/api/methods")[1]["methods"]]
    assert {"schulze", "bradley_terry"} <= set(keys)
    formats = client.ask("GET", "/api/formats")[1]
    assert formats["layouts"]["battles"]["required"] == ["agent_a", "agent_b", "outcome"]
    assert "pgn" in formats["formats"]


@pytest.mark.posix
def test_nothing_is_left_when_the_service_ends(games):
    with served([games]) as one:
        one.upload("games.csv", battles_csv())
        one.job(file="example", seed=99)
        time.sleep(0.5)
        folder = one.service.uploads.folder
        workers = [one.service._reader, *one.service.jobs.workers]
        processes = [worker.process_id for worker in workers if worker.process_id is not None]
        assert folder.exists()
        assert len(processes) >= 2
        assert all(map(alive, processes))
    assert not folder.exists()
    assert not any(map(alive, processes))
