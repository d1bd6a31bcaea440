"""Online ratings: the order in which they process battles, their state, and its JSON files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from beatpath._arrays import Bools, Ints
from beatpath._atomic_write import write_whole
from beatpath._errors import DataError, ReadError
from beatpath._result import SCHEMA_VERSION, Record
from beatpath._saved import DAMAGED, HUGE, restored
from beatpath._schema import dumps
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_kind, require_number, require_whole
from beatpath.evidence import Battles
from beatpath.evidence.conventions import convention
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, levels_by_score

TINY = 1e-9  # smallest setting that must be positive: a step of that size still changes a number
SLOWEST = 1e-100  # smallest volatility of an agent: its square is not zero
Rated = TypeVar("Rated", bound="OnlineRatings")  # any kind of online ratings


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Battles in the order in which they are rated.

    Attributes
    ----------
    rows : (t,) int
        The rated battles, in order.
    group : (t,) int or None
        Group number of battles at the same time; None if all times differ.
    untimed : int
        Number of battles without a time; if there are any, the order is that of the rows.
    """

    rows: Ints
    group: Ints | None
    untimed: int


def schedule(battles: Battles, *, ties: str = "half", both_bad: str = "tie") -> Schedule:
    """Sort battles by time, or by row if any time is unknown; leave out what the policies drop.

    Examples
    --------
    >>> battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("x", "z", 1)], time=[2, 1, 2])
    >>> result = schedule(battles)
    >>> result.rows, result.group
    (array([1, 0, 2]), array([0, 1, 1]))
    """
    rows = np.flatnonzero(_used(battles, ties, both_bad))
    time = None if battles.time is None else battles.time[rows]
    untimed = len(rows) if time is None else int(np.isnan(time).sum())
    if time is None or untimed:
        return Schedule(rows, None, untimed)
    if (np.diff(time) < 0).any():
        order = np.argsort(time, kind="stable")
        rows, time = rows[order], time[order]
    later = np.diff(time) > 0
    group = None if later.all() else np.concatenate([[0], np.cumsum(later)])
    return Schedule(rows, group, 0)


def _used(battles: Battles, ties: str, both_bad: str) -> Bools:
    """Flag battles that are rated: all but those that a policy drops."""
    convention("ties", ties)
    convention("both_bad", both_bad)
    bad = np.zeros(len(battles), dtype=bool) if battles.both_bad is None else battles.both_bad
    used = np.ones(len(battles), dtype=bool)
    if both_bad != "tie":
        used &= ~bad
    if ties == "drop":
        used &= battles.outcome != 0.5
    return used


def last_time(before: float | None, battles: Battles, order: Schedule) -> float | None:
    """Return the time of the last of these battles; raise an error unless all are later than those rated before.

    >>> battles = Battles.of([("x", "y", 1)], time=[2])
    >>> last_time(1.0, battles, schedule(battles))
    2.0
    """
    if order.untimed or not len(order.rows) or battles.time is None:
        return before
    first, last = (float(battles.time[order.rows[i]]) for i in (0, -1))
    if before is not None and first <= before:
        raise DataError(
            f"battles must be later than those rated before, the last at {before:g}; got one at "
            f"{first:g}. Rate all battles of one time together, or begin anew with all of them."
        )
    return last


def order_notes(order: Schedule) -> list[str]:
    """A note if the order is that of the rows, and why."""
    if not order.untimed:
        return []
    if order.untimed == len(order.rows):
        return ["rated in the order of the rows: the battles have no times"]
    return [f"rated in the order of the rows: {counted(order.untimed, 'battle')} without a time"]


def idle_notes(battles: Battles, order: Schedule) -> list[str]:
    """A note on agents that were never rated."""
    met = np.zeros(len(battles.agents), dtype=bool)
    met[battles.a[order.rows]] = met[battles.b[order.rows]] = True
    idle = [battles.agents[i] for i in np.flatnonzero(~met)]
    return [f"no battle moved {listed(idle, 3)}: start rating kept"] if idle else []


class OnlineState(Record):
    """The state of online ratings: a frozen dataclass with conversion to and from a JSON file."""

    __slots__ = ()
    TYPE: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data that JSON can represent."""
        return {"schema_version": SCHEMA_VERSION, "type": self.TYPE} | Record.to_dict(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a JSON file that `beatpath.online.load` reads; an existing file is replaced atomically."""
        write_whole(path, dumps(self.to_dict()))

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Return the state from the data of `to_dict`, or raise an error that says what is wrong with them."""
        require_state(saved, cls.TYPE)
        state: Self = restored(cls, saved, "a saved state")
        state.require_sound()
        return state

    def require_sound(self) -> None:
        """Raise an error unless the parts of a saved state are consistent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineRatings(OnlineState):
    """Base class of online ratings: progress, and values of every agent.

    A subclass adds its settings, among them `start`, the rating of a new agent, and its own `rate`.
    """

    ratings: Mapping[str, float] = field(default_factory=dict)
    battles: int = 0
    time: float | None = None

    def update(self, battles: Battles, *, ties: str = "half", both_bad: str = "tie") -> Self:
        """Return the ratings after these battles too.

        Parameters
        ----------
        battles : Battles
            Battles later than those rated before, if both have times; with rating periods, in a later one. New agents
            begin at `start`.
        ties : {"half", "drop"}
            Whether a tie is half a win or not rated.
        both_bad : {"tie", "drop"}
            Whether "both bad" is a tie or not rated.
        """
        require_kind("battles", battles, "battles, as `bp.read` returns them", Battles)
        return self.rate(battles, schedule(battles, ties=ties, both_bad=both_bad))

    def rate(self, battles: Battles, order: Schedule) -> Self:
        """Return the ratings after these battles, in the given order."""
        raise NotImplementedError  # every subclass defines its own

    def rating(self, agent: str) -> float:
        """Return the rating of an agent; a new one has `start`."""
        return self.ratings.get(agent, self.start)  # type: ignore[attr-defined]

    def after(self, agents: Sequence[str], state: Mapping[str, Iterable[Any]], rated: int, last: float | None) -> Self:
        """Return the state with new values of these agents, by field, and `rated` more battles."""
        new = {name: {**getattr(self, name), **dict(zip(agents, state[name], strict=True))} for name in state}
        if not all(abs(rating) <= HUGE for rating in new["ratings"].values()):
            raise DataError(
                f"the weights of battles must leave ratings up to {HUGE:g}; they do not. Give smaller weights."
            )
        return replace(self, **new, battles=self.battles + rated, time=last)

    def require_settings(self, usual: str, *positive: str) -> None:
        """Raise an error unless the start is finite, and these settings are positive."""
        require_number("start", getattr(self, "start"), "a finite number", hint=usual)  # noqa: B009
        for name in positive:
            require_number(
                name, getattr(self, name), f"a number from {TINY:g} to below {HUGE:g}", least=TINY, below=HUGE
            )

    def require_sound(self) -> None:
        """Raise an error unless every agent has all its values, none of them below the least that it may have."""
        require_whole("battles", self.battles, 0)
        for name, least in (("deviations", 0.0), ("volatilities", SLOWEST)):
            values: Mapping[str, float] = getattr(self, name, dict.fromkeys(self.ratings, 1.0))
            wrong = sorted(values.keys() ^ self.ratings.keys()) or [one for one in values if values[one] < least]
            if wrong:
                raise ReadError(
                    f"`{name}` must have a number, {least:g} or more, for every rated agent; {quoted(wrong[0])} has none. {DAMAGED}"
                )


def rated_in_order(profile: Profile, state: Rated, method: str) -> tuple[Rated, Schedule, Battles]:
    """Return the ratings after all battles of a profile, their order, and the battles.

    Raises an error if there are no battles.
    """
    battles = profile.require_battles(method)
    order = schedule(battles, ties=profile.ties, both_bad=profile.both_bad)
    return state.rate(battles, order), order, battles


def online_outcome(
    profile: Profile, state: OnlineRatings, order: Schedule | None, details: Mapping[str, Any], *remarks: str
) -> Outcome:
    """Return the levels of ratings after the last battle, with remarks as the status.

    Without an order, games with several agents were rated in the order of the rows.
    """
    if order is None or profile.battles is None:
        notes = ["rated in the order of the rows: finishing orders have no times"]
    else:
        notes = [*order_notes(order), *remarks, *idle_notes(profile.battles, order)]
    weight = getattr(profile.source, "weight", None)
    if weight is not None and (weight != 1).any():
        notes.append("a battle of weight w moves ratings and deviations as w battles at once")
    if profile.pair_weight == "rate":
        notes.append("pair_weight=rate not used: every battle is rated")
    score = np.array([state.ratings[name] for name in profile.agents])
    timed = order is not None and not order.untimed
    whole = {"order": "time" if timed else "rows", "rated": state.battles, **details}
    return Outcome(levels_by_score(score), score, "; ".join(notes) or EXACT, whole)


def require_state(saved: object, kind: str) -> None:
    """Raise an error unless a saved state has this type and a known version.

    >>> require_state({"type": "chess"}, "online_elo")
    Traceback (most recent call last):
    ...
    beatpath._errors.ReadError: a saved state must be of type 'online_elo', version 1; got 'chess', version 'None'. Rate anew.
    """
    if not isinstance(saved, Mapping):
        raise ReadError(f"a saved state must be a mapping with its `type`; got {type(saved).__name__}.")
    if saved.get("type") != kind or saved.get("schema_version") != SCHEMA_VERSION:
        raise ReadError(
            f"a saved state must be of type {quoted(kind)}, version {SCHEMA_VERSION}; got {quoted(saved.get('type'))}, "
            f"version {quoted(saved.get('schema_version'))}. Rate anew."
        )
