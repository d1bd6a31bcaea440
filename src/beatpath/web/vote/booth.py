"""The booth: who sits before which pair, what they chose, and what may be taken back.

A session is one browser tab. It has one pair before it at a time, also after a reload, and can take back its latest vote until the next
is in. What it is told of a pair are the two answers; the agents come with the vote.
"""

import hashlib
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from beatpath._errors import DataError
from beatpath.arena.arena import Arena
from beatpath.arena.battle import Battle
from beatpath.arena.refused import AgentRetired, StorageAway, ToldAlready
from beatpath.arena.served.withdraw import withdraw
from beatpath.web.errors import Busy, Conflict
from beatpath.web.live.gate import Gate, Pace
from beatpath.web.live.watch import Watch
from beatpath.web.vote.answers import Answers
from beatpath.web.vote.markdown import as_html

Choice = Literal["left", "right", "tie", "both_bad"]
SESSIONS = 10_000  # that are remembered; the one longest unused makes room
NEW_A_SECOND, NEW_AT_ONCE = 5.0, 100  # sessions that may begin
TRIES = 30  # battles asked for, at most, to find one that can be shown
AT_ONCE, PATIENCE = 12, 10.0  # requests that reach the storage at once, and seconds that others wait


@dataclass(slots=True)
class Seat:
    """What one session has before it, and its latest vote."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    before: Battle | None = None
    latest: tuple[Battle, Choice] | None = None
    votes: int = 0


class Booth:
    """Where votes are given.

    Parameters
    ----------
    arena : Arena
        Whose prompts are those of the answers.
    answers : Answers
    """

    def __init__(self, arena: Arena, answers: Answers) -> None:
        self.arena, self.answers = arena, answers
        self._settled = Watch(lambda: {"settled": arena.done})
        self._seats: OrderedDict[str, Seat] = OrderedDict()
        self._lock = threading.Lock()
        self._gate, self._pace = Gate(AT_ONCE, PATIENCE), Pace(NEW_A_SECOND, NEW_AT_ONCE)

    def pair(self, session: str) -> dict[str, Any]:
        """Return the pair before a session; a new one where its last was voted on."""
        seat = self._seat(session)
        with seat.lock:
            if seat.before is None:
                with self._gate.inside():
                    seat.before = self._asked()
            return self._shown(seat, seat.before)

    def cast(self, session: str, battle: str, choice: Choice) -> dict[str, Any]:
        """Record a vote and return who was who; the same vote sent again counts once."""
        seat = self._seat(session)
        with seat.lock:
            if seat.latest is not None and (seat.latest[0].key, seat.latest[1]) == (battle, choice):
                return self._revealed(seat, *seat.latest)
            voted = seat.before
            if voted is None or voted.key != battle:
                raise Conflict("a vote must be on the pair that is shown; this one is no longer. Take the next.")
            with self._gate.inside():
                try:
                    self.arena.tell(voted, outcome_of(voted, choice), judge=judge_of(session))
                except (ToldAlready, AgentRetired):
                    seat.before = None
                    raise Conflict(
                        "this pair lay here for long: somebody else has judged it, or one of the two has retired. Take the next."
                    ) from None
                except StorageAway as error:
                    raise Busy(str(error)) from None
            seat.before, seat.latest, seat.votes = None, (voted, choice), seat.votes + 1
            return self._revealed(seat, voted, choice)

    def undo(self, session: str, battle: str) -> dict[str, Any]:
        """Take the latest vote of a session back, and return its pair; doing it twice does it once."""
        seat = self._seat(session)
        with seat.lock:
            if seat.latest is None or seat.latest[0].key != battle:
                if seat.before is not None and seat.before.key == battle:
                    return self._shown(seat, seat.before)
                raise Conflict("only the latest vote of a session can be taken back; this is another.")
            voted, _ = seat.latest
            with self._gate.inside():
                try:
                    withdraw(self.arena, voted.key, judge=judge_of(session))
                    if seat.before is not None:
                        with suppress(ToldAlready, AgentRetired):
                            self.arena.tell(seat.before, "failed")
                except StorageAway as error:
                    raise Busy(str(error)) from None
            seat.before, seat.latest, seat.votes = voted, None, seat.votes - 1
            return self._shown(seat, voted)

    def _seat(self, session: str) -> Seat:
        with self._lock:
            if session not in self._seats:
                self._pace.step()
                self._seats[session] = Seat()
                if len(self._seats) > SESSIONS:
                    self._seats.popitem(last=False)
            self._seats.move_to_end(session)
            return self._seats[session]

    def _asked(self) -> Battle:
        """A battle whose answers are here; those of an agent that joined without any are left to time out."""
        for _ in range(TRIES):
            try:
                battle = self.arena.ask()
            except StorageAway as error:
                raise Busy(str(error)) from None
            if all((battle.prompt or "", agent) in self.answers.texts for agent in (battle.a, battle.b)):
                return battle
        raise DataError(
            "agents must have answers to be compared; those that play now, who joined later, have none here."
        )

    def _shown(self, seat: Seat, battle: Battle) -> dict[str, Any]:
        left, right = sides(battle)
        prompt = battle.prompt or ""
        texts = self.answers.texts
        return {
            "battle": battle.key,
            "prompt": as_html(prompt),
            "left": as_html(texts[prompt, left]),
            "right": as_html(texts[prompt, right]),
            "votes": seat.votes,
            "settled": bool(self._settled.now().get("settled")),
        }

    @staticmethod
    def _revealed(seat: Seat, battle: Battle, choice: Choice) -> dict[str, Any]:
        left, right = sides(battle)
        return {"battle": battle.key, "choice": choice, "left": left, "right": right, "votes": seat.votes}


def sides(battle: Battle) -> tuple[str, str]:
    """Return who is on the left and who on the right: the one to be shown first is on the left.

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
    """Return the name of a session's judge, from which the session cannot be told."""
    return f"voter {hashlib.sha256(session.encode()).hexdigest()[:12]}"
