"""The applications: routes, pages and guard combined."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from beatpath._errors import BeatpathError
from beatpath._version import __version__
from beatpath.web.errors import Refused, sentence_of, status_of
from beatpath.web.guard import Guard
from beatpath.web.worker import Broken

# Static files by name: the style sheet of the report, and those of the pages.
STATIC = {
    "style.css": "beatpath.reports/page/style.css",
    **{one.name: f"beatpath.web/static/{one.name}" for one in files("beatpath.web").joinpath("static").iterdir()},
}
# media types by extension
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

router = APIRouter(include_in_schema=False)  # routes that every application has besides its first page


@router.get("/docs")
def docs() -> Response:
    """List the operations of the JSON interface."""
    return page("docs")


@router.get("/favicon.ico")
def icon() -> Response:
    """Return the favicon."""
    return _file("beatpath.reports/page/icon.svg")


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return one of the static files of the pages."""
    if name not in STATIC:
        raise Refused(404, "there is no such file.")
    return _file(STATIC[name])


def page(name: str) -> Response:
    """Return one of the pages."""
    return _file(f"beatpath.web/static/{name}.html")


def _file(place: str) -> Response:
    return Response(_bytes(place), media_type=KINDS[place.rpartition(".")[2]])


@cache
def _bytes(place: str) -> bytes:
    package, *path = place.split("/")
    return files(package).joinpath(*path).read_bytes()


# The description in the OpenAPI document.
ABOUT = (
    'What the page does, for programs. Errors are `{"error": SENTENCE}`. Where the server has a token, send it as '
    "`Authorization: Bearer TOKEN`."
)


class Closing(Protocol):
    """An object that can be closed."""

    def close(self) -> None:
        """Release all resources."""


def application(
    make: Callable[[], Closing],
    first_page: str,
    routes: APIRouter,
    *,
    token: str | Path | None,
    hosts: frozenset[str] | None,
) -> FastAPI:
    """Return routes and a first page as an application behind the guard, with uniform error responses.

    Parameters
    ----------
    make : function
        Called at startup; returns the service that routes get from `service_of`, closed at shutdown.
    first_page : str
        Name of the first page.
    routes : APIRouter
        The routes.
    token, hosts
        `token` is what every request must show; `hosts` are the names by which the application may be addressed, None
        for any.
    """

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = make()
        try:
            yield
        finally:
            await run_in_threadpool(app.state.service.close)

    first = APIRouter(include_in_schema=False)
    first.add_api_route("/", lambda: page(first_page), methods=["GET"])
    app = FastAPI(
        title="beatpath",
        version=__version__,
        description=ABOUT,
        docs_url=None,  # they would load scripts from elsewhere; we have our own
        redoc_url=None,
        lifespan=alive,
    )
    for one in (routes, first, router):
        app.include_router(one)
    for kind in (BeatpathError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _refusal)
    app.add_middleware(Guard, hosts=hosts, token=token)
    return app


def _refusal(_: Request, error: Exception) -> JSONResponse:
    """Convert an error to a sentence with its status."""
    if isinstance(error, BeatpathError):
        message, status = str(error), 500 if isinstance(error, Broken) else status_of(error)
    elif isinstance(error, RequestValidationError):
        message, status = sentence_of(error.errors()[0]), 400
    elif isinstance(error, HTTPException):
        message = f"there must be something at this address; there is not ({error.detail}). `/docs` lists what is."
        status = error.status_code
    else:
        message, status = f"beatpath itself failed here ({type(error).__name__}). The server's log has the rest.", 500
    return JSONResponse({"error": message}, status)


def service_of(request: Request) -> Any:
    """Return the object that lives as long as the application."""
    return request.app.state.service


class ConcurrencyLimit:
    """A limit on concurrent requests; further ones wait, but not for long.

    Parameters
    ----------
    most : int
        Maximum number of concurrent requests.
    patience : float
        Seconds after which a waiting request is refused.
    what : str
        What is overloaded, as a sentence.
    """

    def __init__(self, most: int, patience: float, what: str = "too many requests are answered just now.") -> None:
        self._places = threading.BoundedSemaphore(most)
        self._patience, self._what = patience, what

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Occupy a place for the duration of the context."""
        if not self._places.acquire(timeout=self._patience):
            raise Refused(503, f"{self._what} Try again in a moment.")
        try:
            yield
        finally:
            self._places.release()


QUIET = 10.0  # seconds after which a line is sent without a change, so that a lost connection is noticed
# A value that shows whether it changed, the text to send, and whether more will come.
Event: TypeAlias = tuple[str, str, bool]


async def event_lines(look: Callable[[], Awaitable[Event]], beat: float) -> AsyncIterator[str]:
    """Yield server-sent events: the result of `look` whenever it changes, and again after a while, until the last."""
    known, quiet = "", 0.0
    while True:
        mark, text, goes_on = await look()
        if mark != known or quiet > QUIET:
            known, quiet = mark, 0.0
            yield f"data: {text}\n\n"
        if not goes_on:
            return
        await asyncio.sleep(beat)
        quiet += beat
