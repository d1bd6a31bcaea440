"""A service that really serves, for tests: on a port of its own, with a client of the standard library."""

import contextlib
import csv
import http.client
import io
import json
import os
import threading
import time

import uvicorn

from beatpath.web.api import create_app
from beatpath.web.serve import TimeoutProtocol, listening
from helpers.schemas import validated

AGENTS = ("ada", "bob", "cyd", "dan")


def battles_csv(agents=AGENTS, rounds=20, columns=("left", "right", "winner", "language")):
    """Battles of everyone with everyone, earlier agents winning four of five, half of them in each of two languages."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(columns)
    for i, a in enumerate(agents):
        for b in agents[i + 1 :]:
            for k in range(rounds):
                write.writerow([a, b, "right" if k % 5 == 0 else "left", "en" if k % 2 else "de"])
    return out.getvalue().encode("utf-8", "surrogatepass")


class Client:
    """Requests to a served application."""

    def __init__(self, port, app):
        self.port, self.app = port, app

    @property
    def service(self):
        return self.app.state.service

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def send(self, method, path, body=None, headers=None):
        """Return status, headers and body of one request."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(line):
            line.request(method, path, body, headers or {})
            answer = line.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def ask(self, method, path, data=None, **headers):
        """Return status and data of a JSON request."""
        body = None if data is None else json.dumps(data)
        status, _, text = self.send(method, path, body, {"Content-Type": "application/json", **headers})
        return status, json.loads(text) if text else None

    def upload(self, name, content):
        return self._json(self.send("POST", f"/api/uploads?name={name}", content))

    def job(self, **question):
        status, now = self.ask("POST", "/api/jobs", question)
        assert status == 202, now
        return now["id"]

    def ended(self, job, seconds=60):
        """Return how a job ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            now = self.ask("GET", f"/api/jobs/{job}")[1]
            if now["state"] not in ("waiting", "running"):
                return now
            time.sleep(0.05)
        raise AssertionError(f"still {now}")

    def report(self, job):
        return validated(self.send("GET", f"/api/jobs/{job}/report.json")[2])

    @staticmethod
    def _json(answer):
        return answer[0], json.loads(answer[2])


def served(paths=(), **how):
    """Serve files."""
    return serving(create_app(paths, **how))


@contextlib.contextmanager
def serving(app):
    """Serve an application in a thread, and end it with everything it started."""
    with listening("127.0.0.1", 0) as line:
        server = uvicorn.Server(
            uvicorn.Config(app, http=TimeoutProtocol, log_level="error", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [line]})
        thread.start()
        try:
            yield Client(line.getsockname()[1], app)
        finally:
            server.should_exit = True
            thread.join()


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
