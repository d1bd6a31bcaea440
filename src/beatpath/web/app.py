"""The applications: routes, pages and guard put together."""

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Protocol

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from beatpath._errors import BeatpathError
from beatpath._version import __version__
from beatpath.web import api
from beatpath.web.api import Service
from beatpath.web.errors import NotHere, sentence_of, status_of
from beatpath.web.files import Limits, Shelf
from beatpath.web.guard import LOOPBACK, Guard
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


def create_app(
    paths: Iterable[str | os.PathLike[str]] = (),
    *,
    limits: Limits | None = None,
    token: str | None = None,
    hosts: frozenset[str] | None = LOOPBACK,
) -> FastAPI:
    """Return the live service as an ASGI application.

    Parameters
    ----------
    paths : iterable of path
        Files, folders or globs that may be read, beside the built-in example and uploads. Nothing else can be.
    limits : Limits, optional
    token : str, optional
        What every request must show.
    hosts : frozenset of str or None
        The names by which the service may be addressed; ``None`` for any, which wants a token.
    """
    shelf = Shelf(paths)

    def started() -> Service:
        service = Service(shelf, limits or Limits())
        service.start()
        return service

    return application(started, "live", api.router, token=token, hosts=hosts)


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
        As for `create_app`.
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
    app.add_exception_handler(BeatpathError, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(Guard, hosts=hosts, token=token)
    return app


def _error(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, BeatpathError)
    return _error(str(error), 500 if isinstance(error, Broken) else status_of(error))


def _misunderstood(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _error(sentence_of(error.errors()[0]), 400)


def _unknown(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _error(
        f"there must be something at this address; there is not ({error.detail}). `/docs` lists what is.",
        error.status_code,
    )


def _unexpected(_: Request, error: Exception) -> JSONResponse:
    return _error(f"beatpath itself failed here ({type(error).__name__}). The server's log has the rest.", 500)
