"""The application of one arena."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from beatpath.arena.arena import Arena
from beatpath.web.app import guarded
from beatpath.web.guard import LOOPBACK
from beatpath.web.live.api import Live, pages, router
from beatpath.web.pages import router as parts


def create_arena_app(
    address: str | os.PathLike[str], *, token: str | None = None, hosts: frozenset[str] | None = LOOPBACK
) -> FastAPI:
    """Return the page and the interface of an arena as an ASGI application.

    Parameters
    ----------
    address : path or str
        Of an arena that is there.
    token, hosts
        As for `beatpath.web.app.create_app`.
    """
    arena = Arena(address)

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        app.state.live = Live(arena)
        try:
            yield
        finally:
            await run_in_threadpool(arena.close)

    return guarded([router, pages, parts], alive, token=token, hosts=hosts)
