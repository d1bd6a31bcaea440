"""Jobs: equal questions are computed once, each can be let go of, and nothing is computed for nobody."""

import threading
import time
from typing import ClassVar

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath._errors import DataError
from beatpath.web import jobs as room
from beatpath.web.files import Limits
from beatpath.web.jobs import Jobs
from beatpath.web.worker import TICK, Stopped
from helpers.refusals import refused


class Hand:
    """A worker whose work ends when the test says so."""

    calls: ClassVar[list] = []

    def __init__(self, memory):
        self.stopped = 0

    def start(self):
        pass

    def stop(self):
        self.stopped += 1

    def call(self, task, *arguments, seconds, tell, wanted):
        self.calls.append(arguments)
        tell(f"at {arguments[0]}")
        if arguments[0] == "slow":
            tell({"html": "first parts"})
        while not (self.go.is_set() and arguments[0] in self.may):
            if not wanted():
                raise Stopped("cancelled.")
            time.sleep(TICK / 5)
        if arguments[0] == "bad":
            raise DataError("there must be rows; there are none.")
        return {"html": "page", "json": "{}", "md": "#"}


@pytest.fixture
def line(monkeypatch):
    """A line of work with one worker that waits until `release` is called."""
    monkeypatch.setattr(room, "Worker", Hand)
    Hand.calls, Hand.go, Hand.may = [], threading.Event(), set()
    made = []

    def begin(**limits):
        made.append(Jobs(Limits(**{"running": 1, "forsaken": 60.0, **limits})))
        made[-1].start()
        return made[-1]

    yield begin
    for one in made:
        one.close()


def release(*names):
    Hand.may |= set(names)
    Hand.go.set()


def until(jobs, ticket, state):
    for _ in range(400):
        now = jobs.look(ticket)
        if now["state"] == state:
            return now
        time.sleep(0.01)
    raise AssertionError(f"{now} is not {state}")


def test_a_job_runs_says_what_it_does_and_is_done(line):
    jobs = line()
    ticket = jobs.ask("answered", "x")
    assert until(jobs, ticket, "running")["message"] in ("starting", "at x")
    with refused(409, match="must be done to be read"):
        jobs.report(ticket, "html")
    release("x")
    assert until(jobs, ticket, "done")["reports"]["md"] == f"/api/jobs/{ticket}/report.md"
    assert jobs.report(ticket, "html") == "page"


def test_the_first_parts_of_a_page_can_be_read_before_the_rest_is_there(line):
    jobs = line()
    ticket = jobs.ask("answered", "slow")
    for _ in range(400):
        if jobs.look(ticket)["reports"]:
            break
        time.sleep(0.01)
    assert jobs.look(ticket)["state"] == "running"
    assert jobs.look(ticket)["reports"] == {"html": f"/api/jobs/{ticket}/report.html"}
    assert jobs.report(ticket, "html") == "first parts"
    with refused(409, match="must be done to be read"):
        jobs.report(ticket, "json")
    release("slow")
    assert set(until(jobs, ticket, "done")["reports"]) == {"html", "json", "md"}
    assert jobs.report(ticket, "html") == "page"


def test_two_tabs_that_ask_the_same_share_the_work_and_either_may_leave(line):
    jobs = line()
    one, other = jobs.ask("answered", "x"), jobs.ask("answered", "x")
    assert one != other
    until(jobs, one, "running")
    jobs.cancel(one)
    assert jobs.look(one)["state"] == "cancelled"
    assert jobs.look(other)["state"] == "running"
    release("x")
    until(jobs, other, "done")
    assert Hand.calls == [("x",)]


def test_the_last_to_leave_stops_the_work(line):
    jobs = line()
    ticket = jobs.ask("answered", "x")
    until(jobs, ticket, "running")
    jobs.cancel(ticket)
    again = jobs.ask("answered", "x")
    release("x")
    until(jobs, again, "done")
    assert Hand.calls == [("x",), ("x",)]
    assert jobs.look(ticket)["state"] == "cancelled"


def test_an_answer_is_not_computed_twice(line):
    jobs = line()
    release("x")
    until(jobs, jobs.ask("answered", "x"), "done")
    assert jobs.look(jobs.ask("answered", "x"))["state"] == "done"
    assert len(Hand.calls) == 1


def test_a_failure_is_its_sentence_and_may_be_tried_again(line):
    jobs = line()
    release("bad")
    now = until(jobs, jobs.ask("answered", "bad"), "failed")
    assert now["error"] == "there must be rows; there are none."
    until(jobs, jobs.ask("answered", "bad"), "failed")
    assert len(Hand.calls) == 2


def test_others_wait_in_line_and_are_informed(line):
    jobs = line(waiting=2)
    first = jobs.ask("answered", "x")
    until(jobs, first, "running")
    second, third = jobs.ask("answered", "y"), jobs.ask("answered", "z")
    assert jobs.look(second)["message"] == "waiting in line: 1 other job comes first"
    assert jobs.look(third)["message"] == "waiting in line: 2 other jobs come first"
    with refused(503, match="2 jobs wait in line already"):
        jobs.ask("answered", "w")
    jobs.cancel(second)
    assert jobs.look(third)["message"] == "waiting in line: 1 other job comes first"
    release("x", "y", "z")
    until(jobs, third, "done")
    assert ("y",) not in Hand.calls


def test_what_nobody_asks_about_any_more_is_stopped(line):
    jobs = line(forsaken=0.2)
    ticket = jobs.ask("answered", "x")
    time.sleep(0.6)
    assert jobs.look(ticket)["message"] == "Stopped: no client is waiting for it."
    release("x")
    until(jobs, jobs.ask("answered", "x"), "done")


def test_old_answers_make_room(line):
    jobs = line(results=2)
    names = ["a", "b", "c", "d"]
    release(*names)
    tickets = []
    for name in names:
        tickets.append(jobs.ask("answered", name))
        until(jobs, tickets[-1], "done")
    jobs.ask("answered", "d")
    with refused(404, match="ask the question again"):
        jobs.look(tickets[0])
    assert jobs.look(tickets[-1])["state"] == "done"


def test_closing_stops_what_runs(line):
    jobs = line()
    ticket = jobs.ask("answered", "x")
    until(jobs, ticket, "running")
    jobs.close()
    assert jobs.look(ticket)["state"] == "cancelled"
