"""Jobs: questions that take a while. Equal ones are computed once; each can be watched and cancelled by its clients.

A *ticket* is what a request gets; *work* is what is computed. Two tabs with the same question hold two tickets to one
piece of work, which is stopped when neither needs it.
"""

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from beatpath._errors import BeatpathError
from beatpath._text import counted, quoted
from beatpath.web.errors import Refused
from beatpath.web.files import Limits
from beatpath.web.worker import Stopped, Worker

# States of a job.
WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
FORMS = {"html": "text/html", "json": "application/json", "md": "text/markdown"}  # media types of the forms of a report
# Messages of jobs that were stopped.
CANCEL, FORSAKEN = "Cancelled.", "Stopped: no client is waiting for it."


@dataclass(slots=True, eq=False)
class Work:
    """A computation, shared by equal questions."""

    key: str
    task: tuple[Any, ...]
    state: str = WAITING
    message: str = ""
    answer: Mapping[str, str] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    holders: int = 0


@dataclass(slots=True, eq=False)
class Ticket:
    """One request's hold on a piece of work."""

    work: Work
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    seen: float = field(default_factory=time.monotonic)
    ended: str = ""  # why it was released before the work was done


class Jobs:
    """The queue of work, and the workers that process it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._turn = threading.Condition()
        self._tickets: dict[str, Ticket] = {}
        self._line: list[Work] = []
        self._known: dict[str, Work] = {}
        self._open = True
        self.workers = [Worker(limits.share) for _ in range(limits.running)]
        self._threads = [threading.Thread(target=self._work, args=(worker,), daemon=True) for worker in self.workers]

    def start(self) -> None:
        """Start the threads, and the first process, so that the first question need not wait for it."""
        self.workers[0].start()
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop everything, and return when every process has ended."""
        with self._turn:
            self._open = False
            self._turn.notify_all()
        for thread in self._threads:
            thread.join()

    def ask(self, task: str, *arguments: Any) -> str:
        """Queue a question, or join an equal one, and return a ticket."""
        key = hashlib.sha256(json.dumps([task, arguments], sort_keys=True).encode()).hexdigest()
        with self._turn:
            self._release_abandoned()
            work = self._known.get(key)
            if work is None or (work.state != DONE and not work.holders):
                if len(self._line) >= self._limits.waiting:
                    raise Refused(
                        503, f"{counted(len(self._line), 'job')} wait in line already. Try again when some are done."
                    )
                work = self._known[key] = Work(key, (task, *arguments))
                self._line.append(work)
            ticket = Ticket(work)
            work.holders += 1
            self._tickets[ticket.id] = ticket
            self._forget()
            self._turn.notify()
            return ticket.id

    def look(self, identifier: str) -> dict[str, Any]:
        """Return the state of a job."""
        with self._turn:
            ticket = self._ticket(identifier)
            ticket.seen = time.monotonic()
            work = ticket.work
            state, message = (CANCELLED, ticket.ended) if ticket.ended else (work.state, work.message)
            if state == WAITING:
                first = self._line.index(work) + sum(one.state == RUNNING for one in self._known.values())
                message = f"waiting in line: {counted(first, 'other job comes', 'other jobs come')} first"
            ran = time.monotonic() - work.since if work.state == RUNNING else work.seconds
            return {
                "id": identifier,
                "state": state,
                "message": "" if state == FAILED else message,
                "error": message if state == FAILED else None,
                "seconds": round(ran, 1),
                "reports": {
                    form: f"/api/jobs/{identifier}/report.{form}"
                    for form in (work.answer if state in (RUNNING, DONE) else ())
                },
            }

    def cancel(self, identifier: str) -> None:
        """Release a job; it is stopped if nobody else holds it."""
        with self._turn:
            self._release(self._ticket(identifier), CANCEL)

    def report(self, identifier: str, form: str) -> str:
        """Return the report of a job: of a finished one in every form, of a running one its first parts once there."""
        with self._turn:
            work = self._ticket(identifier).work
            if form not in work.answer:
                raise Refused(
                    409, f"the report must be done to be read; its job is {work.state}. {work.message}".rstrip()
                )
            return work.answer[form]

    def _ticket(self, identifier: str) -> Ticket:
        if identifier not in self._tickets:
            raise Refused(404, f"there is no job {quoted(identifier)}, or no longer: ask the question again.")
        return self._tickets[identifier]

    def _release(self, ticket: Ticket, why: str) -> None:
        work = ticket.work
        if ticket.ended or work.state not in (WAITING, RUNNING):
            return
        ticket.ended = why
        work.holders -= 1
        if not work.holders and work.state == WAITING:
            self._line.remove(work)
            work.state, work.message = CANCELLED, why

    def _release_abandoned(self) -> None:
        """Release tickets that nobody polls, since their browsers are gone."""
        latest = time.monotonic() - self._limits.forsaken
        for ticket in self._tickets.values():
            if ticket.seen < latest:
                self._release(ticket, FORSAKEN)

    def _forget(self) -> None:
        """Delete the oldest finished work and its tickets."""
        finished = [work for work in self._known.values() if work.state not in (WAITING, RUNNING)]
        for work in sorted(finished, key=lambda one: one.since)[: -self._limits.results]:
            del self._known[work.key]
        running = {id(work) for work in self._known.values()}
        for identifier, ticket in list(self._tickets.items()):
            if id(ticket.work) not in running and ticket.work.state not in (WAITING, RUNNING):
                del self._tickets[identifier]

    def _work(self, worker: Worker) -> None:
        """Process one piece of work after the other."""
        try:
            while (work := self._next()) is not None:
                self._finish(work, *self._outcome(worker, work))
        finally:
            worker.stop()

    def _next(self) -> Work | None:
        """Wait for work and take it; None if the service closes."""
        with self._turn:
            while self._open and not self._line:
                self._turn.wait(1.0)
                self._release_abandoned()
            if not self._open:
                return None
            work = self._line.pop(0)
            work.state, work.message, work.since = RUNNING, "starting", time.monotonic()
            return work

    def _outcome(self, worker: Worker, work: Work) -> tuple[str, str, Mapping[str, str]]:
        """Run the work: its final state, the message, and the answer."""

        def tell(value: str | Mapping[str, str]) -> None:
            if isinstance(value, str):
                work.message = value
            else:
                work.answer = value

        def wanted() -> bool:
            with self._turn:
                self._release_abandoned()
                return self._open and work.holders > 0

        task, *arguments = work.task
        try:
            answer = worker.call(task, *arguments, seconds=self._limits.seconds, tell=tell, wanted=wanted)
            return DONE, "", answer
        except Stopped:
            return CANCELLED, CANCEL, {}
        except BeatpathError as error:
            return FAILED, str(error), {}

    def _finish(self, work: Work, state: str, message: str, answer: Mapping[str, str]) -> None:
        with self._turn:
            work.seconds = time.monotonic() - work.since
            work.state, work.message, work.answer = state, message, answer
            work.holders = 0 if state in (FAILED, CANCELLED) else work.holders
