"""The application where votes are given, and the arena that keeps them."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted
from beatpath.arena.arena import Arena
from beatpath.web.app import guarded
from beatpath.web.guard import LOOPBACK
from beatpath.web.pages import router as parts
from beatpath.web.vote.answers import Answers
from beatpath.web.vote.api import pages, router
from beatpath.web.vote.booth import Booth

PATIENCE = 900.0  # seconds after which a pair that was not voted on goes to somebody else


def vote_arena(
    address: str | os.PathLike[str], answers: Answers, *, goal: str | None = None, level: float | None = None
) -> Arena:
    """Make an arena of answers, or open the one that is there, if it is of these.

    Parameters
    ----------
    address : path or str
    answers : Answers
    goal, level
        As for `Arena`; of an arena that is there, what it was made with.
    """
    prompts = list(answers.prompts)
    if not _is_there(address):
        return Arena(address, agents=answers.agents, goal=goal, level=level, prompts=prompts, patience=PATIENCE)
    arena = Arena(address, goal=goal, level=level)
    try:
        Arena(address, prompts=prompts).close()
    except UsageError:
        raise DataError(
            f"the arena {quoted(address)} must be of the prompts of the answers; it was made of others. Name another with "
            "`--arena`."
        ) from None
    unanswered = [agent for agent in arena.agents if agent not in answers.agents]
    if unanswered:
        raise DataError(
            f"every agent of the arena {quoted(address)} must have answers; {listed(unanswered)} {'has' if len(unanswered) == 1 else 'have'} none. "
            "Retire them, or name another arena with `--arena`."
        )
    return arena


def _is_there(address: str | os.PathLike[str]) -> bool:
    """Whether a file is there, or a server that holds an arena."""
    if "://" not in os.fspath(address):
        return os.path.exists(address)
    try:
        Arena(address).close()
    except UsageError:
        return False
    return True


def create_vote_app(
    arena: Arena, answers: Answers, *, token: str | None = None, hosts: frozenset[str] | None = LOOPBACK
) -> FastAPI:
    """Return the page where votes are given as an ASGI application; it serves nothing that tells agents before a vote.

    Parameters
    ----------
    arena : Arena
        Of these answers.
    answers : Answers
    token, hosts
        As for `beatpath.web.app.create_app`.
    """

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        app.state.booth = Booth(arena, answers)
        try:
            yield
        finally:
            await run_in_threadpool(arena.close)

    return guarded([router, pages, parts], alive, token=token, hosts=hosts)
