"""A battle to be played, and what can come of it."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

from beatpath._errors import DataError, UnknownLabel
from beatpath._text import listed, quoted

FAILED = "failed"
OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle to be played.

    Parameters
    ----------
    key : str
        By which it is told.
    a, b : str
        The two agents.
    first : str
        Who is to be shown, or to move, first.
    prompt : str or None
        What to ask them, where prompts were given.
    """

    key: str
    a: str
    b: str
    first: str
    prompt: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"battle": self.key, "a": self.a, "b": self.b, "first": self.first, "prompt": self.prompt}


Told: TypeAlias = tuple[Battle | str, str | float] | tuple[Battle | str, str | float, str | None]


@dataclass(frozen=True, slots=True)
class Telling:
    """What somebody said of a battle.

    Parameters
    ----------
    key : str
    outcome : float or None
        For *a*, from 0 to 1; None where the battle failed.
    both_bad : bool
    judge : str or None
    """

    key: str
    outcome: float | None
    both_bad: bool
    judge: str | None

    @classmethod
    def of(
        cls, battle: Battle | str, came: str | float, own: str | None = None, *, judge: str | None = None
    ) -> "Telling":
        """Read what was told; `own` is the judge of this battle, `judge` that of all that have none."""
        key = battle.key if isinstance(battle, Battle) else battle
        if not isinstance(key, str):
            raise DataError(f"a battle must be named by its key, a text; got {quoted(key)}.")
        by = text_or_none("a judge", judge if own is None else own)
        return cls(key, None, False, by) if came == FAILED else cls(key, *outcome_of(came), by)


def text_or_none(what: str, value: object) -> str | None:
    """Return a text that every database holds, or None.

    >>> text_or_none("a judge", 7)
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: a judge must be a text; got '7'.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise DataError(f"{what} must be a text; got {quoted(value)}.")
    if "\0" in value or value.encode(errors="ignore").decode() != value:
        raise DataError(f"{what} must be whole characters, none of them zero; got {quoted(value)}.")
    return value


def outcome_of(came: str | float) -> tuple[float, bool]:
    """Return the outcome for *a*, and whether both were bad.

    >>> outcome_of("a"), outcome_of("both_bad"), outcome_of(0.75)
    ((1.0, False), (0.5, True), (0.75, False))
    """
    if isinstance(came, str) and came in OUTCOMES:
        return OUTCOMES[came], came == "both_bad"
    if isinstance(came, Real) and not isinstance(came, bool) and 0 <= float(came) <= 1:
        return float(came), False
    raise UnknownLabel(
        f"an outcome must be one of {listed([*OUTCOMES, FAILED])} or a number from 0 to 1; got {quoted(came)}."
    )
