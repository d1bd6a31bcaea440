"""The JSON interface: files, uploads, previews, jobs. The page uses nothing else."""

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from beatpath._errors import DataError
from beatpath._schema import dumps
from beatpath._version import __version__
from beatpath.web.app import ConcurrencyLimit, Event, application, event_lines, service_of
from beatpath.web.errors import Refused
from beatpath.web.files import Limits, ReadableFile, ReadableFiles, Uploads
from beatpath.web.guard import LOOPBACK
from beatpath.web.jobs import FORMS, RUNNING, WAITING, Jobs
from beatpath.web.requests import FileReading, Question
from beatpath.web.worker import Worker

READERS_WAITING = 8  # previews that may wait for the reader


class Service:
    """Everything that lives as long as the server.

    Parameters
    ----------
    readable : ReadableFiles
        The files that may be read.
    limits : Limits
        Limits on requests.
    """

    def __init__(self, readable: ReadableFiles, limits: Limits) -> None:
        self.readable = readable
        self.limits = limits
        self.uploads = Uploads(readable, limits)
        self.jobs = Jobs(limits)
        self._reader = Worker(limits.share)
        self._one = threading.Lock()
        self._gate = ConcurrencyLimit(READERS_WAITING, 0.0, "too many files are looked at just now.")

    def start(self) -> None:
        """Start the workers."""
        self._reader.start()
        self.jobs.start()

    def close(self) -> None:
        """End every process and delete every upload."""
        self.jobs.close()
        with self._one:
            self._reader.stop()
        self.uploads.close()

    def recognise(self, offer: ReadableFile) -> dict[str, Any]:
        """Return the format of a file, or raise an error if no reader claims it."""
        return self._read("recognized", offer.place())

    def preview(self, reading: FileReading) -> dict[str, Any]:
        """Return the first rows of a file and the roles of its columns."""
        place = self.readable[reading.file].place()
        return self._read("previewed", place, reading.model_dump(), place["bytes"] <= self.limits.preview)

    def ask(self, question: Question) -> str:
        """Queue a question and return a ticket."""
        return self.jobs.ask("answered", self.readable[question.file].place(), question.model_dump())

    def _read(self, task: str, *arguments: Any) -> dict[str, Any]:
        """Have the reader run a task, one at a time."""
        with self._gate.inside(), self._one:
            answer: dict[str, Any] = self._reader.call(task, *arguments, seconds=self.limits.preview_seconds)
            return answer


BEAT = 0.1  # seconds between polls of a job
# the content security policy of a report
REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
# Media types that an upload may declare.
OCTETS = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

router = APIRouter(prefix="/api")


Serving = Annotated[Service, Depends(service_of)]


@router.get("/files", tags=["files"])
def files(service: Serving) -> dict[str, Any]:
    """List the files that can be read, and the limits."""
    limits = {"upload": service.limits.upload, "seconds": service.limits.seconds, "running": service.limits.running}
    return {"version": __version__, "files": [offer.to_dict() for offer in service.readable], "limits": limits}


@router.post("/uploads", status_code=201, tags=["files"], openapi_extra=OCTETS)
async def upload(
    service: Serving,
    request: Request,
    name: Annotated[str, Query(max_length=500, description="What the file is called.")],
) -> dict[str, Any]:
    """Upload one file: the body is the file itself. It is stored until the server ends."""
    length = request.headers.get("content-length", "")
    try:
        offer = await service.uploads.receive(name, int(length) if length.isdigit() else None, request.stream())
    except ClientDisconnect:
        raise Refused(
            400, "an upload must arrive whole; the connection ended before that. Nothing was stored."
        ) from None
    try:
        preview = await run_in_threadpool(service.recognise, offer)
        service.uploads.keep(offer)
    except DataError as error:
        raise Refused(415, str(error)) from None
    finally:
        service.uploads.release(offer)
    return {**offer.to_dict(), **preview}


@router.delete("/uploads/{file}", status_code=204, tags=["files"])
def forget(service: Serving, file: str) -> None:
    """Delete an upload."""
    service.uploads.drop(file)


@router.post("/preview", tags=["files"])
def preview_file(service: Serving, reading: FileReading) -> dict[str, Any]:
    """Return the first rows, the roles of the columns, and what the file holds.

    If the file cannot be read, `error` says why.
    """
    return service.preview(reading)


@router.get("/methods", tags=["jobs"])
def list_methods() -> dict[str, Any]:
    """List the methods: key, description, and the evidence that each takes."""
    from beatpath.methods.registry import METHODS

    rows = [{"key": key, "sentence": one.sentence, "takes": sorted(one.takes)} for key, one in METHODS.items()]
    return {"methods": rows}


@router.get("/formats", tags=["files"])
def list_formats() -> dict[str, Any]:
    """List the file formats, and the roles that columns of a table can have."""
    from beatpath.data.formats import readers
    from beatpath.data.layouts.roles import LAYOUTS

    return {"formats": {reader.name: reader.sentence for reader in readers()}, "layouts": LAYOUTS}


@router.post("/jobs", status_code=202, tags=["jobs"])
def ask(service: Serving, question: Question) -> dict[str, Any]:
    """Submit a question; the result is a job that can be watched, cancelled, and read when it is done."""
    return service.jobs.look(service.ask(question))


@router.get("/jobs/{job}", tags=["jobs"])
def look(service: Serving, job: str) -> dict[str, Any]:
    """Return the state of a job: waiting, running, done, failed or cancelled. A job that nobody polls is stopped."""
    return service.jobs.look(job)


@router.get("/jobs/{job}/events", tags=["jobs"], response_class=StreamingResponse)
async def events(service: Serving, job: str) -> StreamingResponse:
    """Follow a job: server-sent events, each as `/api/jobs/{job}` would return, until it has ended."""
    first = [service.jobs.look(job)]  # first, so that an unknown job is refused before the response begins

    async def looked_at() -> Event:
        now = first.pop() if first else service.jobs.look(job)
        return dumps({**now, "seconds": int(now["seconds"])}), dumps(now), now["state"] in (WAITING, RUNNING)

    return StreamingResponse(event_lines(looked_at, BEAT), media_type="text/event-stream")


@router.delete("/jobs/{job}", tags=["jobs"])
def cancel(service: Serving, job: str) -> dict[str, Any]:
    """Cancel a job; it is stopped unless somebody else submitted the same question."""
    service.jobs.cancel(job)
    return service.jobs.look(job)


@router.get("/jobs/{job}/report.{form}", tags=["jobs"], response_class=Response)
def fetch_report(service: Serving, job: str, form: Literal["html", "json", "md"]) -> Response:
    """Return the report of a finished job: a self-contained page, plain data, or Markdown."""
    text = service.jobs.report(job, form)
    more = {"content-security-policy": REPORT_POLICY} if form == "html" else {}
    return Response(text, media_type=FORMS[form], headers=more)


def create_app(
    paths: Iterable[str | os.PathLike[str]] = (),
    *,
    limits: Limits | None = None,
    token: str | Path | None = None,
    hosts: frozenset[str] | None = LOOPBACK,
) -> FastAPI:
    """Return the web service as an ASGI application.

    Parameters
    ----------
    paths : iterable of path
        Files, folders or globs that may be read, besides the built-in example and uploads. Nothing else can be.
    limits : Limits, optional
        Limits on requests.
    token : str, optional
        The token that every request must show.
    hosts : frozenset of str or None
        Names by which the service may be addressed; ``None`` for any, which requires a token.
    """
    readable = ReadableFiles(paths)

    def started() -> Service:
        service = Service(readable, limits or Limits())
        service.start()
        return service

    return application(started, "live", router, token=token, hosts=hosts)
