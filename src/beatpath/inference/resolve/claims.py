"""Claims in words, such as ``"aurora > basalt"`` or ``"aurora is first"``, taken apart for the agents at hand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from beatpath._errors import UsageError
from beatpath._text import listed, quoted, suggestion

FORMS = '"A > B", "A is first", "A is last" or "A is in the top 3"'
_PLACE = re.compile(
    r"^(?P<agent>.+?) is (?:(?P<first>first)|(?P<last>last)|(?:in the top|among the best) (?P<top>\d+))$"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """That an agent is above another, or among so many at one end of the board.

    Parameters
    ----------
    text : str
        As it was put.
    agent : str
    below : str, optional
        The agent it is said to be above.
    top : int, optional
        It is said to be among the best so many.
    last : bool
        It is said to be last.
    """

    text: str
    agent: str
    below: str | None = None
    top: int | None = None
    last: bool = False


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """A claim, whether the data support it, the sentence that says why, and under which conditions that holds."""

    claim: Claim
    supported: bool
    sentence: str
    cautions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "claim": self.claim.text,
            "supported": self.supported,
            "sentence": self.sentence,
            "cautions": list(self.cautions),
        }


def claim_of(text: str, agents: Sequence[str]) -> Claim:
    """Return what a claim says, or raise with the forms it may have and the agents there are.

    Names may hold anything, also a ``>``; a text that can be read in two ways is refused.

    >>> claim_of("a > b > c", ["a > b", "c"])
    Claim(text='a > b > c', agent='a > b', below='c', top=None, last=False)
    >>> claim_of("c is first", ["a > b", "c"]).top
    1
    """
    said = text.strip()
    known = set(agents)
    readings = _orders(text, said, known)
    place = _PLACE.match(said)
    if place and place["agent"].strip() in known:
        readings.append(_placed(text, place))
    if len(readings) == 1:
        return _possible(readings[0], len(known))
    if readings:
        raise UsageError(
            f"the claim {quoted(text)} can be read in {len(readings)} ways. Rename an agent to tell them apart."
        )
    raise UsageError(_unread(text, said, agents))


def _orders(text: str, said: str, known: set[str]) -> list[Claim]:
    """Every way to read the text as one agent above another."""
    found = []
    for at, sign in ((m.start(), m.group()) for m in re.finditer("[<>]", said)):
        left, right = said[:at].strip(), said[at + 1 :].strip()
        if left in known and right in known:
            above, below = (left, right) if sign == ">" else (right, left)
            found.append(Claim(text, above, below=below))
    return found


def _placed(text: str, place: re.Match[str]) -> Claim:
    agent = place["agent"].strip()
    if place["last"]:
        return Claim(text, agent, last=True)
    return Claim(text, agent, top=1 if place["first"] else int(place["top"]))


def _possible(claim: Claim, n: int) -> Claim:
    if claim.below == claim.agent:
        raise UsageError(f"the claim {quoted(claim.text)} must name two different agents.")
    if claim.top is not None and not 1 <= claim.top <= n:
        raise UsageError(f"the claim {quoted(claim.text)} must name a place from 1 to {n}, the number of agents.")
    return claim


def _unread(text: str, said: str, agents: Sequence[str]) -> str:
    """The sentence for a claim that names nobody."""
    place = _PLACE.match(said)
    parts = [place["agent"].strip()] if place else [part.strip() for part in re.split("[<>]", said)]
    wrong = [part for part in parts if part not in agents]
    if place is None and len(parts) == 1:
        return f"a claim must read {FORMS}; got {quoted(text)}."
    hint = suggestion(wrong[0], agents) if wrong else ""
    return (
        f"the claim {quoted(text)} must name agents; {listed(wrong or parts)} is none.{hint} The agents are "
        f"{listed(sorted(agents), 8)}."
    )
