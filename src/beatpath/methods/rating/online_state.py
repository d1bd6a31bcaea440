"""Online ratings and their files: JSON that says by its `type` what it is, for `beatpath.load` to read."""

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from os import PathLike
from typing import Any, ClassVar, Self

from beatpath._atomic_write import write_whole
from beatpath._errors import ReadError
from beatpath._result import SCHEMA_VERSION
from beatpath._schema import dumps
from beatpath._text import counted, quoted
from beatpath.evidence import Battles
from beatpath.methods.rating.schedule import Schedule, schedule


class OnlineRatings:
    """Ratings after some battles, ready for more: settings, how far they came, and what they hold of every agent.

    A kind of ratings is a frozen dataclass with the fields that `SETTINGS` and `STATE` name, `battles` and `time`, and its own
    way to `rate`.
    """

    __slots__ = ()
    TYPE: ClassVar[str]
    SETTINGS: ClassVar[tuple[str, ...]]
    STATE: ClassVar[tuple[str, ...]]

    def update(self, battles: Battles, *, ties: str = "half", both_bad: str = "tie") -> Self:
        """Return the ratings after these battles too.

        Parameters
        ----------
        battles : Battles
            Later than those rated before, where both have times; with rating periods, of a later one. Agents not seen before
            begin at `start`.
        ties : {"half", "drop"}
            Whether a tie is half a win or not rated.
        both_bad : {"tie", "drop"}
            Whether "both bad" is a tie or not rated.
        """
        return self.rate(battles, schedule(battles, ties=ties, both_bad=both_bad))

    def rate(self, battles: Battles, order: Schedule) -> Self:
        """Return the ratings after these battles, in an order already made."""
        raise NotImplementedError  # every kind of ratings has its own

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": self.TYPE,
            **{name: getattr(self, name) for name in (*self.SETTINGS, "battles", "time")},
            **{name: dict(getattr(self, name)) for name in self.STATE},
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a JSON file that `beatpath.load` reads."""
        write_state(path, self.to_dict())

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Return the state that `to_dict` gave; what it holds of agents must be finite numbers."""
        fields = (*cls.SETTINGS, *cls.STATE, "battles", "time")
        known = require_state(saved, cls.TYPE, fields)
        for name in cls.STATE:
            require_finite_ratings(known[name])
        return cls(**{name: dict(known[name]) if name in cls.STATE else known[name] for name in fields})


def write_state(path: str | PathLike[str], state: Mapping[str, Any]) -> None:
    """Write a state to a JSON file; one of that name is replaced at once or not at all."""
    write_whole(path, dumps(state))


def require_state(saved: object, kind: str, fields: Sequence[str]) -> Mapping[str, Any]:
    """Return a saved state that is of this kind, of the version known here, and has all its fields.

    >>> require_state({"type": "chess"}, "online_elo", ())
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
    missing = [name for name in fields if name not in saved]
    if missing:
        raise ReadError(f"a saved state must hold {', '.join(fields)}; {missing[0]} is missing.")
    return saved


def require_finite_ratings(ratings: Mapping[str, object]) -> None:
    """Raise where a saved rating is no finite number."""
    wrong = [name for name, rating in ratings.items() if not is_finite(rating)]
    if wrong:
        raise ReadError(
            f"saved ratings must be finite numbers; that of {quoted(wrong[0])} is {quoted(ratings[wrong[0]])} "
            f"({counted(len(wrong), 'such rating')})."
        )


def is_finite(value: object) -> bool:
    """Whether a value is a finite number.

    >>> is_finite(1.5), is_finite(True), is_finite("1")
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
