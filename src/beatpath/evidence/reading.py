"""How evidence was read: the source, what was guessed, and what became of every row."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from beatpath._text import counted, listed, shown


@dataclass(frozen=True, slots=True)
class Reading:
    """An account of one reading in which every row is either used or dropped for a reason.

    >>> reading = Reading(("games.csv",), "table", 10, 8, dropped={"no outcome": 2}, guessed={"agent_a": "left"})
    >>> print(reading)
    read 10 rows of games.csv as table; used 8, dropped 2 (no outcome: 2); guessed agent_a=left
    """

    sources: tuple[str, ...]
    format: str
    rows_read: int
    rows_used: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = f" and {len(self.sources) - 3} more" if len(self.sources) > 3 else ""
        text = (
            f"read {counted(self.rows_read, 'row')} of {', '.join(map(shown, self.sources[:3]))}{more} as {self.format}"
        )
        text += f"; used {self.rows_used:,}"
        if self.dropped:
            reasons = ", ".join(f"{shown(why)}: {n:,}" for why, n in self.dropped.items())
            text += f", dropped {sum(self.dropped.values()):,} ({reasons})"
        for name, roles in (("guessed", self.guessed), ("given", self.given)):
            if roles:
                text += f"; {name} " + ", ".join(f"{role}={shown(column)}" for role, column in roles.items())
        if self.unused:
            text += f"; not used: {listed(self.unused, 8)}"
        return "; ".join([text, *self.notes])

    def to_dict(self) -> dict[str, object]:
        """Return the account as plain data."""
        return {
            "sources": list(self.sources),
            "format": self.format,
            "rows_read": self.rows_read,
            "rows_used": self.rows_used,
            "dropped": dict(self.dropped),
            "guessed": dict(self.guessed),
            "given": dict(self.given),
            "unused": list(self.unused),
            "notes": list(self.notes),
        }
