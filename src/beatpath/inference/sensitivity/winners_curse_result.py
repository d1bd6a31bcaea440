"""What picking the best of several variants explains of its lead, as a result and in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from beatpath._text import quoted
from beatpath.methods.result import SCHEMA_VERSION


@dataclass(frozen=True, slots=True, eq=False)
class WinnersCurse:
    """The best of a family of variants, its lead, and what picking it explains.

    Attributes
    ----------
    selected : str
        The best of the family.
    family : tuple of str
        Its members on the board.
    tested : int
        How many variants there were to pick from, shown or not.
    rival : str or None
        Whom it is held against; None where nobody is outside the family, and `lead` is then the score itself.
    lead : float
        Its score less the rival's.
    explained : float
        What picking the best of so many equal variants would give.
    luck : float
        What picking is estimated to have given, the variants being as unequal as they look.
    low, high : float
        Interval of the true lead at `level`, whichever variant was picked.
    """

    selected: str
    family: tuple[str, ...]
    tested: int
    rival: str | None
    lead: float
    explained: float
    luck: float
    low: float
    high: float
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def corrected(self) -> float:
        """The lead less what picking is estimated to have given."""
        return self.lead - self.luck

    @property
    def resolved(self) -> bool:
        """Whether the interval of the lead leaves no doubt of its sign."""
        return self.rival is not None and not self.low <= 0 <= self.high

    @property
    def sentence(self) -> str:
        """The finding, in words."""
        of = f"what picking the best of {self.tested:,} equal variants would give"
        span = f"at {100 * self.level:.3g} % it lies between {self.low:.3g} and {self.high:.3g}"
        if self.rival is None:
            return (
                f"{quoted(self.selected)} has the best score of its family, {self.lead:.3g}; about {self.explained:.2g} "
                f"of it is {of}. With the luck of picking taken off, it is {self.corrected:.3g}; {span}."
            )
        if self.lead <= 0:
            return f"{quoted(self.selected)}, the best of its family, is not ahead of {quoted(self.rival)}."
        end = "so it is ahead whichever was picked" if self.resolved else "so who is ahead is unresolved"
        lead = f"lead of {self.lead:.3g} of {quoted(self.selected)} over {quoted(self.rival)}"
        told = f"Of the {lead}, about {self.explained:.2g} is {of}."
        if self.explained >= self.lead:
            told = f"The {lead} is no more than {of}, about {self.explained:.2g}."
        return f"{told} With the luck of picking taken off, the lead is {self.corrected:.3g}; {span}, {end}."

    def __str__(self) -> str:
        return self.sentence

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A paragraph for a notebook, every name escaped."""
        return f'<p class="beatpath-best-of">{escape(self.sentence)}</p>'

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        plain = (
            "selected",
            "tested",
            "rival",
            "lead",
            "explained",
            "luck",
            "corrected",
            "low",
            "high",
            "level",
            "resolved",
        )
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "winners_curse",
            **{name: getattr(self, name) for name in plain},
            "family": list(self.family),
            "sentence": self.sentence,
            "settings": dict(self.settings),
        }
