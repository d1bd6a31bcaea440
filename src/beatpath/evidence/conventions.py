"""Conventions: the choices that turn one kind of evidence into another, each with a name and a meaning.

Whatever is derived carries the conventions that made it, so that every result can say them.
"""

from dataclasses import dataclass

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion

MEANINGS: dict[str, dict[str, str]] = {
    "ties": {
        "half": "a tie counts as half a win for each side",
        "drop": "tied battles are left out",
        "keep": "ties stay ties, for models that have a place for them",
    },
    "both_bad": {
        "tie": "'both bad' counts as a tie",
        "drop": "battles where both were bad are left out",
        "keep": "'both bad' stays apart from ties",
    },
    "strength": {
        "count": "every battle is one vote, so that pairs that met often weigh more",
        "rate": "every pair that met is one vote, split as its battles were",
    },
    "unranked": {
        "ignore": "an agent that a ballot does not rank is compared with nobody on it",
        "last": "ranked agents beat the unranked ones, which tie with each other",
    },
    "missing": {
        "unranked": "an agent without a score on a task is not ranked by it",
        "last": "an agent without a score on a task shares its last place",
        "drop_task": "tasks on which any agent has no score are left out",
        "error": "every agent must have a score on every task",
    },
    "agents": {
        "named": "only what these agents did among themselves counts",
    },
    "per": {
        "task": "each task is one voter, ranking agents by their mean score on it",
        "item": "each item is one voter, ranking agents by their mean score on it",
    },
}


@dataclass(frozen=True, slots=True)
class Convention:
    """One choice: its name, its value, what it means, and how much evidence it touched.

    >>> print(convention("ties", "half", 12))
    ties=half: a tie counts as half a win for each side (12 affected)
    """

    name: str
    value: str
    meaning: str
    affected: float | None = None

    def __str__(self) -> str:
        tail = "" if self.affected is None else f" ({self.affected:,.6g} affected)"
        return f"{self.name}={self.value}: {self.meaning}{tail}"

    def to_dict(self) -> dict[str, object]:
        """Return the convention as plain data."""
        return {"name": self.name, "value": self.value, "meaning": self.meaning, "affected": self.affected}


def convention(name: str, value: str, affected: float | None = None) -> Convention:
    """Look a convention up, or raise with the values there are.

    >>> convention("ties", "halve")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `ties` must be one of half, drop, keep; got 'halve'. Did you mean 'half'?
    """
    meanings = MEANINGS[name]
    if value not in meanings:
        raise UsageError(
            f"`{name}` must be one of {', '.join(meanings)}; got {quoted(value)}.{suggestion(str(value), meanings)}"
        )
    return Convention(name, value, meanings[value], affected)
