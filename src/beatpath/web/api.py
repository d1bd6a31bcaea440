"""The JSON interface: files, uploads, previews, jobs. The page does nothing that it cannot."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from beatpath._errors import DataError
from beatpath._schema import dumps
from beatpath._version import __version__
from beatpath.web.asked import FileReading, Question
from beatpath.web.errors import Refused, UnknownKind
from beatpath.web.jobs import FORMS, RUNNING, WAITING
from beatpath.web.service import Service

BEAT = 0.1  # seconds between looks at a job that is watched
QUIET = 10.0  # seconds after which a line is sent though nothing changed, so that a lost connection is noticed
REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
OCTETS = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

router = APIRouter(prefix="/api")


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


@router.get("/files", tags=["files"])
def files(request: Request) -> dict[str, Any]:
    """List what can be read, and the limits."""
    service = _service(request)
    limits = {"upload": service.limits.upload, "seconds": service.limits.seconds, "running": service.limits.running}
    return {"version": __version__, "files": [offer.to_dict() for offer in service.shelf], "limits": limits}


@router.post("/uploads", status_code=201, tags=["files"], openapi_extra=OCTETS)
async def upload(
    request: Request, name: Annotated[str, Query(max_length=500, description="What the file is called.")]
) -> dict[str, Any]:
    """Upload one file: the body is the file itself. It is kept until the server ends."""
    service = _service(request)
    length = request.headers.get("content-length", "")
    try:
        offer = await service.uploads.receive(name, int(length) if length.isdigit() else None, request.stream())
    except ClientDisconnect:
        raise Refused("an upload must arrive whole; the connection ended before that. Nothing was kept.") from None
    try:
        found = await run_in_threadpool(service.recognise, offer)
        service.uploads.keep(offer)
    except DataError as error:
        raise UnknownKind(str(error)) from None
    finally:
        service.uploads.let_go(offer)
    return {**offer.to_dict(), **found}


@router.delete("/uploads/{file}", status_code=204, tags=["files"])
def forget(request: Request, file: str) -> None:
    """Delete an upload."""
    _service(request).uploads.drop(file)


@router.post("/preview", tags=["files"])
def preview_file(request: Request, reading: FileReading) -> dict[str, Any]:
    """Show the first rows, what each column means, and what the file holds; or, in `error`, why it cannot be read so."""
    return _service(request).preview(reading)


@router.get("/methods", tags=["jobs"])
def list_methods() -> dict[str, Any]:
    """List the methods: key, what each does, what evidence it takes."""
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
def ask(request: Request, question: Question) -> dict[str, Any]:
    """Ask a question; the answer is a job that can be watched, cancelled, and read when it is done."""
    service = _service(request)
    return service.jobs.look(service.ask(question))


@router.get("/jobs/{job}", tags=["jobs"])
def look(request: Request, job: str) -> dict[str, Any]:
    """Say how a job stands: waiting, running, done, failed or cancelled. One that nobody asks about is stopped."""
    return _service(request).jobs.look(job)


@router.get("/jobs/{job}/events", tags=["jobs"], response_class=StreamingResponse)
async def events(request: Request, job: str) -> StreamingResponse:
    """Follow a job: server-sent events, each as `/api/jobs/{job}` would answer, until it has ended."""
    jobs = _service(request).jobs
    first = jobs.look(job)

    async def lines() -> AsyncIterator[str]:
        now, said, beats = first, "", 0.0
        while True:
            text = dumps({**now, "seconds": int(now["seconds"])})
            if text != said or beats > QUIET:
                said, beats = text, 0.0
                yield f"data: {dumps(now)}\n\n"
            if now["state"] not in (WAITING, RUNNING):
                return
            await asyncio.sleep(BEAT)
            beats += BEAT
            now = jobs.look(job)

    return StreamingResponse(lines(), media_type="text/event-stream")


@router.delete("/jobs/{job}", tags=["jobs"])
def cancel(request: Request, job: str) -> dict[str, Any]:
    """Cancel a job; it is stopped unless somebody else asked the same."""
    jobs = _service(request).jobs
    jobs.cancel(job)
    return jobs.look(job)


@router.get("/jobs/{job}/report.{form}", tags=["jobs"], response_class=Response)
def fetch_report(request: Request, job: str, form: Literal["html", "json", "md"]) -> Response:
    """Return the report of a job that is done: a page that stands by itself, plain data, or Markdown."""
    text = _service(request).jobs.report(job, form)
    more = {"content-security-policy": REPORT_POLICY} if form == "html" else {}
    return Response(text, media_type=FORMS[form], headers=more)
