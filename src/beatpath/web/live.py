"""An arena over HTTP: ask for battles, tell outcomes, and follow the board."""

import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from pydantic import Field, StrictFloat, StrictInt, StrictStr, model_validator
from starlette.concurrency import run_in_threadpool

from beatpath._errors import BeatpathError
from beatpath._schema import dumps
from beatpath._text import quoted, suggestion
from beatpath.arena.arena import Arena
from beatpath.arena.battles import withdrawn
from beatpath.arena.standing import outlook
from beatpath.data.write import write
from beatpath.inference.ranks.grouping import by_score, from_the_top
from beatpath.web.app import ConcurrencyLimit, Event, application, event_lines, service_of
from beatpath.web.errors import UNREADABLE, Refused
from beatpath.web.guard import LOOPBACK
from beatpath.web.requests import Strict


class RateLimit:
    """A rate limit with bursts.

    Parameters
    ----------
    rate : float
        Requests per second.
    burst : int
        Requests allowed at once after a pause.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._then = float(burst), time.monotonic()
        self._lock = threading.Lock()

    def step(self) -> None:
        """Take one token, or raise an error."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + self._rate * (now - self._then))
            self._then = now
            if self._left < 1:
                raise Refused(429, "more requests came than there is time for. Try again in a moment.")
            self._left -= 1


BEAT = 1.0  # seconds between polls
REST = 4.0  # a poll that took long is followed by a pause of so many times its duration


class ArenaPoller:
    """The state of an arena, at most one beat old.

    Parameters
    ----------
    look : function
        Returns plain data; may be slow.
    """

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._until = 0.0
        self._seen: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """Return the last state, or poll; if the arena cannot be read, its `error` says why."""
        with self._lock:
            begun = time.monotonic()
            if begun >= self._until:
                try:
                    self._seen = self._look()
                except BeatpathError as error:
                    self._seen = {"error": str(error)}
                ended = time.monotonic()
                self._until = ended + max(BEAT, REST * (ended - begun))
            return self._seen


MOST_REQUESTED, MOST_REPORTED = 1000, 10_000  # limits on battles per request
LONGEST = 5000  # characters of a comment
# Types of the fields of requests.
Name = Annotated[str, Field(max_length=200)]
Outcome = Annotated[
    StrictStr | StrictFloat | StrictInt,
    Field(description='"a", "b", "tie", "both_bad", "failed", or a number from 0 to 1 for a.', examples=["a", 0.75]),
]
Parts = Annotated[dict[Name, Outcome | None], Field(max_length=100)]


class BattleRequest(Strict):
    """How many battles are requested."""

    count: int = Field(1, ge=1, le=MOST_REQUESTED, description="How many battles.")


class FailedBattle(Strict):
    """A battle that is returned unplayed."""

    battle: Name = Field(description="The key by which it was requested.")


class Verdict(Strict):
    """What may come with an outcome."""

    judge: Name | None = Field(None, description="Who says so; in `outcomes`, if not the one of all.")
    criteria: Parts | None = Field(None, description="Outcomes by further criteria.")
    comment: Annotated[str, Field(max_length=LONGEST)] | None = None
    style: Annotated[dict[Name, float], Field(max_length=100)] | None = Field(
        None, description="By how much the answer of a exceeds that of b in length, or another style."
    )


class BattleOutcome(Verdict):
    """The outcome of one battle."""

    battle: Name = Field(description="The key by which it was requested.")
    outcome: Outcome | Parts


class Outcomes(Verdict):
    """The outcome of a battle, or of many."""

    battle: Name | None = Field(None, description="The key by which it was requested.")
    outcome: Outcome | Parts | None = Field(
        None, description="Also those of several judges by name: their mean counts."
    )
    outcomes: list[BattleOutcome] = Field(
        [], max_length=MOST_REPORTED, description="Many, of which all are stored or none."
    )

    @model_validator(mode="after")
    def _one_or_many(self) -> "Outcomes":
        alone = self.battle is not None and self.outcome is not None and not self.outcomes
        many = self.battle is None and self.outcome is None and bool(self.outcomes)
        if not alone and not many:
            raise ValueError("have `battle` and `outcome`, or a list `outcomes` of such, and not both")
        return self

    def rows(self) -> list[tuple[Any, ...]]:
        """Return every battle with its outcome, judge, criteria, comment and style."""
        how = attrgetter("battle", "outcome", "judge", "criteria", "comment", "style")
        return [how(one) for one in self.outcomes or (self,)]


class Participant(Strict):
    """An agent by name."""

    agent: Name


class AddedBattle(Strict):
    """A battle that was not requested here."""

    a: Name
    b: Name
    outcome: Outcome
    key: Name | None = Field(None, description="With a key, a battle counts once, however often it is added.")
    judge: Name | None = None


class AddedBattles(Strict):
    """Battles that were not requested here."""

    battles: list[AddedBattle] = Field(max_length=MOST_REPORTED)


class Change(Strict):
    """Settings to change; others stay."""

    goal: Name | None = None
    level: float | None = None
    policy: Name | None = None
    prompts: list[str] | dict[Name, list[str]] | None = None
    patience: float | None = None


# Fields of the status that the page shows.
SHOWN = ("level", "battles", "goal", "done", "reason", "battles_left", "pending", "sentences")


def view_of(arena: Arena) -> dict[str, Any]:
    """Return everything that the page shows."""
    status = arena.status()
    return {
        **{name: status[name] for name in SHOWN},
        "rows": tiered(status),
        "next": outlook(arena).to_dict(),
        "withdrawn": withdrawn(arena),
    }


def tiered(status: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a board, best first, each with its tier.

    >>> row = {"rank_low": 1, "rank_high": 2}
    >>> ranks = [{"agent": "ada", "win_rate": 0.7, **row}, {"agent": "bob", "win_rate": 0.3, **row}]
    >>> [one["tier"] for one in tiered({"ranks": ranks, "above": [["ada", "bob"]]})]
    [1, 2]
    """
    rows = status["ranks"]
    at = {row["agent"]: k for k, row in enumerate(rows)}
    above = np.zeros((len(rows), len(rows)), dtype=bool)
    for upper, lower in status["above"]:
        above[at[upper], at[lower]] = True
    score = np.array([row["win_rate"] for row in rows])
    rank = 1 + (score[None, :] > score[:, None]).sum(axis=1)
    tier = by_score(from_the_top(above, rank, np.arange(len(rows))), rank)
    return [{**row, "tier": int(one)} for row, one in zip(rows, tier, strict=True)]


AT_ONCE, PATIENCE = 12, 10.0  # concurrent requests to the storage, and seconds that others wait
FOLLOWERS = 200  # clients that follow the arena


class SharedArena:
    """An open arena with a limit on concurrent requests."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self._gate = ConcurrencyLimit(AT_ONCE, PATIENCE)

    @contextmanager
    def using(self) -> Iterator[Arena]:
        """Yield the arena for one request."""
        with self._gate.inside():
            yield self.arena

    def close(self) -> None:
        """Close the storage."""
        self.arena.close()


class Live(SharedArena):
    """An arena with its latest state for those who follow it."""

    def __init__(self, arena: Arena) -> None:
        super().__init__(arena)
        self.watch = ArenaPoller(lambda: view_of(arena))
        self.followers = 0


def require_known_query(request: Request) -> None:
    """Raise an error for a parameter in the address that the operation does not have."""
    known = [one.alias for one in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            raise Refused(400, f"`{name}` must be left out; there is no such parameter.{suggestion(name, known)}")


router = APIRouter(prefix="/api/arena", tags=["arena"], dependencies=[Depends(require_known_query)])
Serving = Annotated[Live, Depends(service_of)]


def arena_of(live: Serving) -> Iterator[Arena]:
    """Yield the arena for one request, when there is room for it."""
    with live.using() as arena:
        yield arena


InArena = Annotated[Arena, Depends(arena_of)]
Several = Annotated[list[str] | None, Query(max_length=1000)]


@router.post("/ask")
def ask(
    arena: InArena,
    request: BattleRequest | None = None,
    idempotency_key: Annotated[
        str | None,
        Header(max_length=200, description="A name of this request: sent again with it, the same battles come back."),
    ] = None,
) -> dict[str, Any]:
    """Request battles to play. One that is not answered in time is requested again; `first` is to be shown first."""
    count = 1 if request is None else request.count
    return {"battles": [battle.to_dict() for battle in arena.ask(count, key=idempotency_key)]}


@router.post("/tell")
def tell(arena: InArena, answer_given: Outcomes) -> dict[str, Any]:
    """Report the outcome of a battle, or of many. A repeated report counts once.

    A different outcome is refused with 409.
    """
    rows = answer_given.rows()
    arena.tell_many(rows, judge=answer_given.judge)
    return {"recorded": len(rows)}


@router.post("/fail", status_code=204)
def fail(arena: InArena, failing: FailedBattle) -> None:
    """Return a battle unplayed; it is requested again at once."""
    arena.tell(failing.battle, "failed")


@router.post("/join")
def join(arena: InArena, who: Participant) -> dict[str, Any]:
    """Add an agent from now on; the answer lists all who take part."""
    arena.join(who.agent)
    return {"agents": arena.agents}


@router.post("/retire")
def retire(arena: InArena, who: Participant) -> dict[str, Any]:
    """Remove an agent from now on; the answer lists all who take part."""
    arena.retire(who.agent)
    return {"agents": arena.agents}


@router.post("/change")
def change(arena: InArena, settings: Change) -> dict[str, Any]:
    """Change goal, level, policy, prompts or patience from now on; the answer says what that costs."""
    return {"costs": arena.change(**settings.model_dump())}


@router.post("/add")
def add(arena: InArena, added: AddedBattles) -> dict[str, Any]:
    """Add battles that were not requested here: they inform which pairs are requested, and no confidence statement."""
    return {"added": arena.add((one.a, one.b, one.outcome, one.key, one.judge) for one in added.battles)}


@router.get("/export", response_class=Response)
def export(arena: InArena, format: Literal["jsonl", "csv"] = "jsonl", criterion: Name | None = None) -> Response:
    """Return all answered battles, or the outcomes by a criterion, as a table, JSON Lines or CSV, that `bp.read` reads."""
    evidence = arena.evidence(criterion=criterion)
    if not len(evidence):
        raise Refused(UNREADABLE, f"a battle must be answered{' by this criterion' * bool(criterion)} first; none is.")
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        path = Path(folder) / f"battles.{format}"
        write(evidence, path)
        return Response(path.read_bytes(), media_type="text/csv" if format == "csv" else "application/jsonl")


@router.get("/health")
def health(arena: InArena) -> dict[str, Any]:
    """Return whether the storage can be read; needs no token."""
    return {"status": "ok", "agents": len(arena.agents)}


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(live: Serving) -> PlainTextResponse:
    """Return figures in the text format of Prometheus."""
    now = live.watch.now()
    if "error" in now:
        raise Refused(503, now["error"])
    figures = {"battles": now["battles"], "pending": now["pending"], "agents": len(now["rows"])}
    figures |= {"done": int(now["done"]), "followers": live.followers}
    lines = (f"# TYPE beatpath_{name} gauge\nbeatpath_{name} {value}\n" for name, value in figures.items())
    return PlainTextResponse("".join(lines))


@router.get("/board")
def board(
    arena: InArena,
    judge: Several = None,
    prompt: Several = None,
    category: Name | None = None,
    without: Several = None,
    style: Annotated[list[str] | None, Query(max_length=100, description="NAME:MOST, as in length:0.2")] = None,
) -> dict[str, Any]:
    """Return the board, or that of some judges, prompts, a category or alike styles alone, or without judges: `beatpath schema anytime_board`."""
    alike = _alike(style or ())
    return arena.board(judges=judge, prompts=prompt, category=category, without=without or (), style=alike).to_dict()


def _alike(styles: Sequence[str]) -> dict[str, float]:
    """Return the largest difference in each style."""
    try:
        return {name: float(most) for name, _, most in (one.rpartition(":") for one in styles)}
    except ValueError:
        raise Refused(
            400, f"`style` must be a name, a colon and a number, as in length:0.2; got {quoted(styles[0])}."
        ) from None


@router.get("/voters")
def voters(arena: InArena, per_person: Annotated[int, Query(ge=1)] | None = None) -> dict[str, Any]:
    """Return who votes, who looks careless, what changes without them, and how many forged votes first place would take."""
    return arena.voters(per_person=per_person).to_dict()


@router.get("/comments")
def comments(arena: InArena) -> dict[str, Any]:
    """Return the comments on battles."""
    return {"comments": arena.comments()}


@router.get("/status")
def status(arena: InArena) -> dict[str, Any]:
    """Return the state of the arena: `beatpath schema arena_status` describes it."""
    return arena.status()


@router.get("/events", response_class=StreamingResponse)
async def events(live: Serving) -> StreamingResponse:
    """Follow the arena: server-sent events with verdict, board, progress and next pairs, whenever they change."""
    if live.followers >= FOLLOWERS:
        raise Refused(503, f"{FOLLOWERS} follow this arena already. Ask for `/api/arena/status` now and then instead.")

    async def looked_at() -> Event:
        text = dumps(await run_in_threadpool(live.watch.now))
        return text, text, True

    async def lines() -> AsyncIterator[str]:
        live.followers += 1
        try:
            async for line in event_lines(looked_at, BEAT / 2):
                yield line
        finally:
            live.followers -= 1

    return StreamingResponse(lines(), media_type="text/event-stream")


def create_arena_app(
    address: str | os.PathLike[str], *, token: str | Path | None = None, hosts: frozenset[str] | None = LOOPBACK
) -> FastAPI:
    """Return the page and the interface of an arena as an ASGI application.

    Parameters
    ----------
    address : path or str
        The address of an existing arena.
    token, hosts
        As for `beatpath.web.api.create_app`.
    """
    arena = Arena(address)
    return application(lambda: Live(arena), "arena", router, token=token, hosts=hosts)
