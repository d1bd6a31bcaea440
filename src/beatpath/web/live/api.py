"""Ask and tell over HTTP, and the board as battles arrive."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from beatpath.arena.arena import Arena
from beatpath.arena.refused import AgentRetired, NeverAsked, StorageAway, ToldAlready
from beatpath.web.errors import Busy, Conflict, Gone, NotHere, Refused
from beatpath.web.live.gate import Gate
from beatpath.web.live.once import Once
from beatpath.web.live.requests import Asking, Failing, Telling
from beatpath.web.live.view import view_of
from beatpath.web.live.watch import BEAT, Watch
from beatpath.web.pages import page

AT_ONCE, PATIENCE = 12, 10.0  # requests that reach the storage at once, and seconds that others wait
FOLLOWERS = 200  # that are told of every change
REMEMBERED = 10_000  # asks that named themselves
QUIET = 10.0  # seconds after which a line is sent though nothing changed, so that a lost connection is noticed
REFUSED: dict[type[Exception], type[Refused]] = {
    NeverAsked: NotHere,
    ToldAlready: Conflict,
    AgentRetired: Gone,
    StorageAway: Busy,
}

router = APIRouter(prefix="/api/arena", tags=["arena"])
pages = APIRouter(include_in_schema=False)


class Live:
    """An open arena, and what is remembered of those who use it."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.watch = Watch(lambda: view_of(arena))
        self.asked = Once(REMEMBERED)
        self.followers = 0
        self._gate = Gate(AT_ONCE, PATIENCE)

    @contextmanager
    def using(self) -> Iterator[Arena]:
        """The arena, for one request; what it refuses becomes an answer with its status."""
        with self._gate.inside():
            try:
                yield self.arena
            except tuple(REFUSED) as error:
                raise REFUSED[type(error)](str(error)) from None


def _live(request: Request) -> Live:
    live: Live = request.app.state.live
    return live


@pages.get("/")
def arena_page() -> Response:
    """The arena."""
    return page("arena")


@router.post("/ask")
def ask(
    request: Request,
    asking: Asking | None = None,
    idempotency_key: Annotated[
        str | None,
        Header(max_length=200, description="A name of this request: sent again with it, the same battles come back."),
    ] = None,
) -> dict[str, Any]:
    """Ask which battles to play. One that is not told in time is asked again; `first` is to be shown first."""
    live, count = _live(request), 1 if asking is None else asking.count

    def drawn() -> list[dict[str, Any]]:
        with live.using() as arena:
            return [battle.to_dict() for battle in arena.ask(count)]

    return {"battles": live.asked.answer(idempotency_key, count, drawn)}


@router.post("/tell")
def tell(request: Request, telling: Telling) -> dict[str, Any]:
    """Tell what came of a battle, or of many at once. The same told again counts once; another outcome is refused with 409."""
    rows = telling.rows()
    with _live(request).using() as arena:
        arena.tell_many(rows, judge=telling.judge)
    return {"told": len(rows)}


@router.post("/fail", status_code=204)
def fail(request: Request, failing: Failing) -> None:
    """Give a battle back unplayed; it is asked again at once."""
    with _live(request).using() as arena:
        arena.tell(failing.battle, "failed")


@router.get("/board")
def board(request: Request) -> dict[str, Any]:
    """Return the board: `beatpath schema anytime_board` describes it."""
    with _live(request).using() as arena:
        return arena.board().to_dict()


@router.get("/status")
def status(request: Request) -> dict[str, Any]:
    """Return where the arena stands: `beatpath schema arena_status` describes it."""
    with _live(request).using() as arena:
        return arena.status()


@router.get("/events", response_class=StreamingResponse)
async def events(request: Request) -> StreamingResponse:
    """Follow the arena: server-sent events with verdict, board, progress and who plays next, whenever they change."""
    live = _live(request)
    if live.followers >= FOLLOWERS:
        raise Busy(f"{FOLLOWERS} follow this arena already. Ask for `/api/arena/status` now and then instead.")

    async def lines() -> AsyncIterator[str]:
        said, beats = "", 0.0
        live.followers += 1
        try:
            while True:
                text = await run_in_threadpool(live.watch.text)
                if text != said or beats > QUIET:
                    said, beats = text, 0.0
                    yield f"data: {text}\n\n"
                await asyncio.sleep(BEAT / 2)
                beats += BEAT / 2
        finally:
            live.followers -= 1

    return StreamingResponse(lines(), media_type="text/event-stream")
