"""The applications: routes, pages and guard put together."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from importlib.resources import files
from typing import Any, Protocol, TypeAlias

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from beatpath._errors import BeatpathError
from beatpath._version import __version__
from beatpath.web.errors import Busy, NotHere, sentence_of, status_of
from beatpath.web.guard import Guard
from beatpath.web.worker import Broken

SCRIPTS = (
    "live.js",
    "asking.js",
    "columns.js",
    "controls.js",
    "dom.js",
    "state.js",
    "docs.js",
    "arena.js",
    "vote.js",
    "safe.js",
)
STATIC = {
    "style.css": "beatpath.reports/page/style.css",  # what the report wears, the page wears too
    **{name: f"beatpath.web/static/{name}" for name in ("live.css", "arena.css", "vote.css", *SCRIPTS)},
}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

router = APIRouter(include_in_schema=False)  # what every application has beside its first page


@router.get("/docs")
def docs() -> Response:
    """The operations of the JSON interface."""
    return page("docs")


@router.get("/favicon.ico")
def icon() -> Response:
    """A picture for the tab."""
    return _file("beatpath.web/static/icon.svg")


@router.get("/static/{name}")
def static(name: str) -> Response:
    """One of the files that the pages are made of."""
    if name not in STATIC:
        raise NotHere("there is no such file.")
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


ABOUT = (
    'What the page does, for programs. Errors are `{"error": SENTENCE}`. Where the server has a token, send it as '
    "`Authorization: Bearer TOKEN`."
)


class Closing(Protocol):
    """What can be closed."""

    def close(self) -> None:
        """Let go of everything."""


def application(
    make: Callable[[], Closing], first_page: str, routes: APIRouter, *, token: str | None, hosts: frozenset[str] | None
) -> FastAPI:
    """Return routes and a first page as an application behind the guard, with one voice for whatever goes wrong.

    Parameters
    ----------
    make : function
        Called when the application begins; returns what routes find by `service_of`, closed when the application ends.
    first_page : str
        Its name.
    routes : APIRouter
    token, hosts
        `token` is what every request must show; `hosts` the names by which the application may be addressed, None for any.
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
        docs_url=None,  # they would load their scripts from elsewhere; there is one here that does not
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
    """Whatever went wrong, as a sentence with its status."""
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
    """Return what lives as long as the application."""
    return request.app.state.service


class Gate:
    """So many at once; others wait in line, and not for long.

    Parameters
    ----------
    most : int
    patience : float
        Seconds after which one that waits is refused.
    what : str
        What is too much, in a sentence.
    """

    def __init__(self, most: int, patience: float, what: str = "too many requests are answered just now.") -> None:
        self._places = threading.BoundedSemaphore(most)
        self._patience, self._what = patience, what

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Hold a place."""
        if not self._places.acquire(timeout=self._patience):
            raise Busy(f"{self._what} Try again in a moment.")
        try:
            yield
        finally:
            self._places.release()


QUIET = 10.0  # seconds after which a line is sent though nothing changed, so that a lost connection is noticed
Event: TypeAlias = tuple[str, str, bool]  # what shows whether it changed, the text to send, and whether more will come


async def event_lines(look: Callable[[], Awaitable[Event]], beat: float) -> AsyncIterator[str]:
    """Yield server-sent events: what `look` returns whenever it changed, and again after a while, until there is no more."""
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
