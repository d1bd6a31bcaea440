"""Blind human votes: two answers to one prompt side by side, with the agents hidden until the vote.

Nobody votes on an answer whose author they know: once a session has seen who wrote two answers, neither is shown to it
again, except after an undo, and then the vote is marked. What a session has seen is in the arena, and outlasts a restart.
"""

import hashlib
import os
import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, FastAPI, Request
from pydantic import Field

from beatpath._battle import Battle
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath.arena.arena import Arena, NoArena
from beatpath.arena.battles import battles_of, reserve, withdraw
from beatpath.arena.storage import Answered
from beatpath.web.answers import Answers, as_html
from beatpath.web.app import application, service_of
from beatpath.web.errors import Refused
from beatpath.web.guard import LOOPBACK, signed
from beatpath.web.live import LONGEST, ArenaPoller, RateLimit, SharedArena
from beatpath.web.requests import Strict

Choice = Literal["left", "right", "tie", "both_bad"]  # the choices of a voter
SESSIONS = 10_000  # stored sessions; the least recently used is dropped first
NEW_A_SECOND, NEW_AT_ONCE = 5.0, 100  # limits on new sessions, per second and at once
TRIES = 30  # most battles requested to find one that can be shown


@dataclass(slots=True)
class SessionState:
    """The current pair of one session, its latest vote, and the answers that it voted on, by prompt and agent."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    before: Battle | None = None
    latest: tuple[Battle, Choice] | None = None
    votes: int = 0
    known: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class VoteRules:
    """Who may vote, how often, and on what.

    Parameters
    ----------
    reveal : bool
        Whether a voter learns who wrote the answers, after the vote.
    per_person : int or None
        Most votes of one voter.
    criteria : tuple of str
        Criteria on which voters may vote besides.
    voters : path or None
        A file with a name in each line: they alone may vote, each by a link of their own. It is read at every vote.
    """

    reveal: bool = True
    per_person: int | None = None
    criteria: tuple[str, ...] = ()
    voters: Path | None = None

    def judge(self, account: str | None, session: str) -> str:
        """Return the name of a voter as a judge: that of the account, or a code of the session, which does not reveal it."""
        if self.voters is not None and account not in names_of(self.voters):
            raise Refused(
                403,
                "voting here takes a link of your own; this is none, or it was revoked. Ask whoever runs this page for one.",
            )
        return account or judge_of(session)


def names_of(path: Path) -> list[str]:
    """Read a file of names, one in each line."""
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"`--voters` must be a text file to read; {quoted(str(path))} is not: {error}.") from None
    return [name for name in names if name]


def links(address: str, rules: VoteRules) -> Iterator[tuple[str, str]]:
    """Yield every voter with a link of their own, given the address of the page with its token."""
    page, _, token = address.partition("?token=")
    for name in [] if rules.voters is None else names_of(rules.voters):
        yield name, f"{page}?{urlencode({'token': signed(name, token)})}"


class VoteService(SharedArena):
    """The service that shows pairs and records votes.

    Parameters
    ----------
    arena : Arena
        An arena with the prompts of the answers.
    answers : Answers
        The answers.
    rules : VoteRules
        Who may vote, how often, and on what.
    """

    def __init__(self, arena: Arena, answers: Answers, rules: "VoteRules | None" = None) -> None:
        super().__init__(arena)
        self.answers, self.rules = answers, rules or VoteRules()
        self._standing = ArenaPoller(arena.status)
        self._seats: OrderedDict[str, SessionState] = OrderedDict()
        self._lock = threading.Lock()
        self._pace = RateLimit(NEW_A_SECOND, NEW_AT_ONCE)

    def pair(self, judge: str) -> dict[str, Any]:
        """Return the current pair of a session; a new one if the last was voted on."""
        seat = self._seat(judge)
        with seat.lock:
            if seat.before is None:
                with self.using() as arena:
                    seat.before = self._next_battle(arena, seat, judge)
            return self._shown(seat, seat.before)

    def cast(
        self,
        judge: str,
        battle: str,
        choice: Choice,
        criteria: Mapping[str, Choice] | None = None,
        comment: str | None = None,
    ) -> dict[str, Any]:
        """Record a vote, maybe with one by each criterion and a comment, and return the agents; again, it counts once."""
        unknown = [name for name in criteria or {} if name not in self.rules.criteria]
        if unknown:
            raise Refused(400, f"`criteria` must be of {listed(self.rules.criteria)}; got {quoted(unknown[0])}.")
        seat = self._seat(judge)
        with seat.lock:
            if seat.latest is not None and (seat.latest[0].key, seat.latest[1]) == (battle, choice):
                return self._revealed(seat, *seat.latest)
            voted = seat.before
            if voted is None or voted.key != battle:
                raise Refused(409, "a vote must be on the pair that is shown; this one is no longer. Take the next.")
            with self.using() as arena:
                try:
                    parts = {name: outcome_of(voted, one) for name, one in (criteria or {}).items()}
                    outcome = outcome_of(voted, choice)
                    style = {"length": self._longer(voted)} if "length" not in parts else None
                    arena.tell(voted, outcome, judge=judge, criteria=parts, comment=comment or None, style=style)
                except Answered:
                    seat.before = None
                    raise Refused(
                        409, "this pair lay here for long, and somebody else has judged it. Take the next."
                    ) from None
            seat.before, seat.latest, seat.votes = None, (voted, choice), seat.votes + 1
            seat.known.update((voted.prompt or "", agent) for agent in sides(voted))
            return self._revealed(seat, voted, choice)

    def undo(self, judge: str, battle: str) -> dict[str, Any]:
        """Withdraw the latest vote of a session, and return its pair; a repeated request has no further effect."""
        seat = self._seat(judge)
        with seat.lock:
            if seat.latest is None or seat.latest[0].key != battle:
                if seat.before is not None and seat.before.key == battle:
                    return self._shown(seat, seat.before)
                raise Refused(409, "only the latest vote of a session can be taken back; this is another.")
            voted, _ = seat.latest
            with self.using() as arena:
                withdraw(arena, voted.key, judge=judge)
                if seat.before is not None:
                    with suppress(Answered):
                        arena.tell(seat.before, "failed")
            seat.before, seat.latest, seat.votes = voted, None, seat.votes - 1
            return self._shown(seat, voted)

    def skip(self, judge: str, battle: str) -> dict[str, Any]:
        """Return another pair; the skipped one counts as failed, and others may see it."""
        seat = self._seat(judge)
        with seat.lock:
            skipped = seat.before
            if skipped is not None and skipped.key == battle:
                seat.known.update((skipped.prompt or "", agent) for agent in sides(skipped))
                with self.using() as arena, suppress(Answered):
                    seat.before = self._next_battle(arena, seat, judge)  # before the skipped one can come again
                    arena.tell(skipped, "failed")
        return self.pair(judge)

    def _seat(self, judge: str) -> SessionState:
        with self._lock:
            if judge not in self._seats:
                self._pace.step()
                self._seats[judge] = self._stored(judge)
                if len(self._seats) > SESSIONS:
                    self._seats.popitem(last=False)
            self._seats.move_to_end(judge)
            return self._seats[judge]

    def _stored(self, judge: str) -> SessionState:
        """What the arena knows of a session: its pair, its latest vote, and what it has voted on."""
        seat = SessionState()
        with self.using() as arena:
            for battle, outcome, both_bad in battles_of(arena, judge):
                if outcome is None:
                    seat.before = battle
                    continue
                winner = {1.0: battle.a, 0.0: battle.b}.get(outcome)
                tied: Choice = "both_bad" if both_bad else "tie"
                seat.latest = battle, tied if winner is None else "left" if winner == sides(battle)[0] else "right"
                seat.votes += 1
                seat.known.update((battle.prompt or "", agent) for agent in sides(battle))
        return seat

    def _next_battle(self, arena: Arena, seat: SessionState, judge: str) -> Battle:
        """A battle on a prompt of which the voter has seen least; battles that cannot be shown are returned."""
        # a battle that stays unplayed keeps later ones from counting
        _require_answers("the arena", arena, self.answers)
        if self.rules.per_person is not None and seat.votes >= self.rules.per_person:
            raise Refused(
                409,
                f"one person has {counted(self.rules.per_person, 'vote')} here, and you have given yours. Thank you.",
            )
        passed: list[Battle] = []
        try:
            for _ in range(TRIES):
                battle = arena.ask()
                prompts = self._prompts(seat, battle)
                if prompts:
                    return reserve(arena, battle, secrets.choice(prompts), judge=judge)
                passed.append(battle)
        finally:
            arena.tell_many((one, "failed") for one in passed)
        raise Refused(409, "that was the last pair for you: you have seen who wrote the others. Thank you.")

    def _prompts(self, seat: SessionState, battle: Battle) -> list[str]:
        """The prompts of which the voter has seen fewest answers, without answers whose author the voter knows."""
        pair = (battle.a, battle.b)
        hidden = [
            one
            for one in self.answers.prompts
            if not self.rules.reveal or not any((one, x) in seat.known for x in pair)
        ]
        seen = Counter(prompt for prompt, _ in seat.known.elements())
        fewest = min((seen[one] for one in hidden), default=0)
        return [one for one in hidden if seen[one] == fewest]

    def _longer(self, battle: Battle) -> float:
        """By how much the answer of *a* is longer than that of *b*, as a share of both: from -1 to 1."""
        a, b = (len(self.answers.texts[battle.prompt or "", one]) for one in (battle.a, battle.b))
        return (a - b) / max(a + b, 1)

    def _shown(self, seat: SessionState, battle: Battle) -> dict[str, Any]:
        left, right = sides(battle)
        prompt = battle.prompt or ""
        texts, standing = self.answers.texts, self._standing.now()
        return {
            "battle": battle.key,
            "prompt": as_html(prompt),
            "left": as_html(texts[prompt, left]),
            "right": as_html(texts[prompt, right]),
            "votes": seat.votes,
            "settled": bool(standing.get("done")),
            **{name: standing.get(name) for name in ("goal", "battles", "battles_left")},
            "reveal": self.rules.reveal,
            "criteria": list(self.rules.criteria),
        }

    def _revealed(self, seat: SessionState, battle: Battle, choice: Choice) -> dict[str, Any]:
        left, right = sides(battle) if self.rules.reveal else (None, None)
        return {"battle": battle.key, "choice": choice, "left": left, "right": right, "votes": seat.votes}


def sides(battle: Battle) -> tuple[str, str]:
    """Return the agents on the left and on the right; the one to be shown first is on the left.

    >>> sides(Battle("k", "ada", "bob", "bob"))
    ('bob', 'ada')
    """
    return (battle.a, battle.b) if battle.first == battle.a else (battle.b, battle.a)


def outcome_of(battle: Battle, choice: Choice) -> str:
    """Return a choice as the outcome of a battle.

    >>> outcome_of(Battle("k", "ada", "bob", "bob"), "left"), outcome_of(Battle("k", "ada", "bob", "bob"), "tie")
    ('b', 'tie')
    """
    if choice in ("tie", "both_bad"):
        return choice
    chosen = sides(battle)[0 if choice == "left" else 1]
    return "a" if chosen == battle.a else "b"


def judge_of(session: str) -> str:
    """Return the name of a session's judge, which does not reveal the session."""
    return f"voter {hashlib.sha256(session.encode()).hexdigest()[:12]}"


router = APIRouter(prefix="/api/vote", tags=["vote"])
Serving = Annotated[VoteService, Depends(service_of)]
Session = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{16,64}$", description="A secret of one tab, which it makes up by chance.")
]
Key = Annotated[str, Field(max_length=200, description="The key of the pair.")]


class SessionRequest(Strict):
    """The session of a request."""

    session: Session


class UndoRequest(SessionRequest):
    """A vote to withdraw, or a pair to skip."""

    battle: Key


class Vote(UndoRequest):
    """A vote."""

    choice: Choice = Field(description="Which answer is better, if one is.")
    criteria: Annotated[dict[str, Choice], Field(max_length=100)] = Field(
        {}, description="Which is, by each criterion."
    )
    comment: str | None = Field(None, max_length=LONGEST)


def judge_in(booth: Serving, request: Request, sitting: SessionRequest) -> str:
    """Return the judge of a request: its account, or its session."""
    return booth.rules.judge(request.scope.get("voter"), sitting.session)


@router.post("/pair")
def pair(booth: Serving, request: Request, sitting: SessionRequest) -> dict[str, Any]:
    """Return the current pair of a session without its agents; a new one if the last was voted on."""
    return booth.pair(judge_in(booth, request, sitting))


@router.post("/cast")
def cast(booth: Serving, request: Request, vote: Vote) -> dict[str, Any]:
    """Vote, and get the names of the agents. The same vote again counts once."""
    return booth.cast(judge_in(booth, request, vote), vote.battle, vote.choice, vote.criteria, vote.comment)


@router.post("/undo")
def undo(booth: Serving, request: Request, undoing: UndoRequest) -> dict[str, Any]:
    """Withdraw the latest vote of a session; its pair is shown again."""
    return booth.undo(judge_in(booth, request, undoing), undoing.battle)


@router.post("/skip")
def skip(booth: Serving, request: Request, skipping: UndoRequest) -> dict[str, Any]:
    """Skip the current pair of a session; another is returned. A repeated request skips nothing more."""
    return booth.skip(judge_in(booth, request, skipping), skipping.battle)


UNVOTED = 900.0  # seconds after which a pair without a vote goes to somebody else


def vote_arena(
    address: str | os.PathLike[str], answers: Answers, *, goal: str | None = None, level: float | None = None
) -> Arena:
    """Create an arena of answers, or open an existing one with the same answers.

    Parameters
    ----------
    address : path or str
        A file or a server.
    answers : Answers
        The answers.
    goal, level
        As for `Arena`; an existing arena keeps its own.
    """
    prompts = answers.pool
    try:
        arena = Arena(address, goal=goal, level=level)
    except NoArena:
        return Arena(address, agents=answers.agents, goal=goal, level=level, prompts=prompts, patience=UNVOTED)
    try:
        Arena(address, prompts=prompts).close()
    except UsageError:
        raise DataError(
            f"the arena {quoted(address)} must be of the prompts of the answers; it was made of others. Name another with "
            "`--arena`."
        ) from None
    _require_answers(f"the arena {quoted(address)}", arena, answers)
    return arena


def _require_answers(name: str, arena: Arena, answers: Answers) -> None:
    """Raise an error that names the agents of the arena without answers."""
    unanswered = [agent for agent in arena.agents if agent not in answers.agents]
    if unanswered:
        raise DataError(
            f"every agent of {name} must have answers; {listed(unanswered)} {'has' if len(unanswered) == 1 else 'have'} none. "
            "Retire them, or start the page with their answers."
        )


def create_vote_app(
    arena: Arena,
    answers: Answers,
    *,
    rules: VoteRules | None = None,
    token: str | Path | None = None,
    hosts: frozenset[str] | None = LOOPBACK,
) -> FastAPI:
    """Return the voting page as an ASGI application; it never reveals agents before a vote.

    Parameters
    ----------
    arena : Arena
        An arena of these answers.
    answers : Answers
        The answers.
    rules : VoteRules
        Who may vote, how often, and on what.
    token, hosts
        As for `beatpath.web.api.create_app`.
    """
    return application(lambda: VoteService(arena, answers, rules), "vote", router, token=token, hosts=hosts)
