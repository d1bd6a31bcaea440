"""The application: service, routes, page and guard put together."""

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from beatpath._errors import BeatpathError
from beatpath._version import __version__
from beatpath.web.api import router
from beatpath.web.errors import sentence_of, status_of
from beatpath.web.guard import LOOPBACK, Guard
from beatpath.web.limits import Limits
from beatpath.web.pages import report
from beatpath.web.pages import router as pages
from beatpath.web.service import Service
from beatpath.web.shelf import Shelf
from beatpath.web.worker import Broken

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

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = Service(shelf, limits or Limits())
        service.start()
        try:
            yield
        finally:
            await run_in_threadpool(service.close)

    return guarded([router, report, pages], alive, token=token, hosts=hosts)


def guarded(
    routers: Iterable[APIRouter],
    alive: Callable[[FastAPI], AbstractAsyncContextManager[None]],
    *,
    token: str | None,
    hosts: frozenset[str] | None,
) -> FastAPI:
    """Return routes as an application behind the guard, with one voice for whatever goes wrong."""
    app = FastAPI(
        title="beatpath",
        version=__version__,
        description=ABOUT,
        docs_url=None,  # they would load their scripts from elsewhere; pages.py has one that does not
        redoc_url=None,
        lifespan=alive,
    )
    for one in routers:
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
