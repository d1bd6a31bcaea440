"""Claims as text: ``"aurora > basalt"``, ``"aurora is first in code"``, ``"aurora is better at code than at chat"``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from beatpath._errors import UsageError
from beatpath._result import Record
from beatpath._text import listed, quoted, suggestion

FORMS = '"A > B", "A is first", "A is last" or "A is in the top 3"'  # the forms of a claim, for errors
# A claim about a place: first, last, or in the top k.
_PLACE = re.compile(
    r"^(?P<agent>.+?) is (?:(?P<first>first)|(?P<last>last)|(?:in the top|among the best) (?P<top>\d+))$"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about an agent: above another, at one end of the board, or better in one context than in another.

    Parameters
    ----------
    text : str
        The claim as written.
    agent : str
        The agent it is about.
    below : str, optional
        The agent it is claimed to be above.
    top : int, optional
        It is claimed to be among this many best agents.
    last : bool, default False
        It is claimed to be last.
    context : str, optional
        The context that the claim is about; by default all data, or the mixture.
    other : str, optional
        The agent is claimed to be better at `context` than at this one.
    """

    text: str
    agent: str
    below: str | None = None
    top: int | None = None
    last: bool = False
    context: str | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimTest(Record):
    """Whether the data support a claim.

    Attributes
    ----------
    claim : Claim
        The claim.
    supported : bool
        Whether the data support it.
    sentence : str
        The reason.
    cautions : tuple of str
        Conditions of the test, and results that disagree.
    """

    document: ClassVar = ("claim=text", "supported", "sentence", "cautions")

    claim: Claim
    supported: bool
    sentence: str
    cautions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The claim as written."""
        return self.claim.text


def claim_of(text: str, agents: Sequence[str], contexts: Sequence[str] = ()) -> Claim:
    """Parse a claim, or raise with the valid forms and the known agents.

    Names may contain anything, including ``>``; a text with two readings is refused.

    >>> claim_of("a > b > c", ["a > b", "c"]).agent
    'a > b'
    >>> claim_of("c is first in code", ["a > b", "c"], ["chat", "code"]).context
    'code'
    >>> claim_of("c is better at code than at chat", ["a > b", "c"], ["chat", "code"]).other
    'chat'
    """
    known = set(agents)
    readings = [
        *_better(text, known, contexts),
        *(
            replace(one, text=text, context=context)
            for part, context in _inside(text, contexts)
            for one in _read(part, known)
        ),
        *_read(text, known),
    ]
    if len(readings) == 1:
        return _possible(readings[0], len(known))
    if readings:
        rename = "Rename an agent or a context" if contexts else "Rename an agent"
        raise UsageError(f"the claim {quoted(text)} can be read in {len(readings)} ways. {rename} to tell them apart.")
    raise UsageError(_unreadable(text, agents, contexts))


def _read(text: str, known: set[str]) -> list[Claim]:
    """Return every reading of the text as a claim about one board."""
    stripped = text.strip()
    place = _PLACE.match(stripped)
    placed = [_placed(text, place)] if place and place["agent"].strip() in known else []
    return [*_orders(text, stripped, known), *placed]


def _better(text: str, known: set[str], contexts: Sequence[str]) -> Iterator[Claim]:
    """Yield every reading of the text as one agent being better in one context than in another."""
    for middle in re.finditer(r" is better (?:at|in) ", text):
        agent, rest = text[: middle.start()].strip(), text[middle.end() :].strip()
        for than in re.finditer(r" than (?:at |in )?", rest):
            context, other = rest[: than.start()].strip(), rest[than.end() :].strip()
            if agent in known and context in contexts and other in contexts:
                yield Claim(text, agent, context=context, other=other)


def _inside(text: str, contexts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every reading of the text as ending in a context: the text before it, and the context."""
    for context in contexts:
        for tail in (f" at {context}", f" in {context}"):
            if text.strip().endswith(tail):
                yield text.strip().removesuffix(tail), context


def _orders(text: str, clause: str, known: set[str]) -> list[Claim]:
    """Return every reading of the text as one agent above another."""
    claims = []
    for at, sign in ((m.start(), m.group()) for m in re.finditer("[<>]", clause)):
        left, right = clause[:at].strip(), clause[at + 1 :].strip()
        if left in known and right in known:
            above, below = (left, right) if sign == ">" else (right, left)
            claims.append(Claim(text, above, below=below))
    return claims


def _placed(text: str, place: re.Match[str]) -> Claim:
    """Build a claim about a place from its match."""
    agent = place["agent"].strip()
    if place["last"]:
        return Claim(text, agent, last=True)
    return Claim(text, agent, top=1 if place["first"] else int(place["top"]))


def _possible(claim: Claim, n: int) -> Claim:
    """Raise if the place does not exist on a board of n agents."""
    if claim.below == claim.agent:
        raise UsageError(f"the claim {quoted(claim.text)} must name two different agents.")
    if claim.other is not None and claim.other == claim.context:
        raise UsageError(f"the claim {quoted(claim.text)} must name two different contexts.")
    if claim.top is not None and not 1 <= claim.top <= n:
        raise UsageError(f"the claim {quoted(claim.text)} must name a place from 1 to {n}, the number of agents.")
    return claim


def _unreadable(text: str, agents: Sequence[str], contexts: Sequence[str]) -> str:
    """Return the error for a text that is no claim about these agents and contexts."""
    if contexts and " is better " in text:
        return (
            f'the claim {quoted(text)} must read "A is better at X than at Y" with an agent and two contexts. The contexts are '
            f"{listed(contexts, 8)}, the agents {listed(sorted(agents), 8)}."
        )
    more = (
        f' Each may end in "in X", and "A is better at X than at Y" is one too; the contexts are {listed(contexts, 8)}.'
        if contexts
        else ""
    )
    place = _PLACE.match(text.strip())
    parts = [place["agent"].strip()] if place else [part.strip() for part in re.split("[<>]", text.strip())]
    if place is None and len(parts) == 1:
        return f"a claim must read {FORMS}; got {quoted(text)}.{more}"
    wrong = [part for part in parts if part not in agents]
    hint = suggestion(wrong[0], agents) if wrong else ""
    return (
        f"the claim {quoted(text)} must name agents; {listed(wrong or parts)} is none.{hint} The agents are "
        f"{listed(sorted(agents), 8)}.{more}"
    )
