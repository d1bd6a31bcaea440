"""Claims about contexts, such as ``"aurora > basalt in code"`` or ``"aurora is better at code than at chat"``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from beatpath._errors import UsageError
from beatpath._text import listed, quoted
from beatpath.inference.resolve.claims import Claim, claim_of

WORDS = ("at", "in")


@dataclass(frozen=True, slots=True)
class ContextClaim:
    """A claim about a context, about two of them, or about the mixture.

    Parameters
    ----------
    claim : Claim
    context : str, optional
        The context it is about; the mixture where there is none.
    other : str, optional
        The agent is said to be better at `context` than at this.
    """

    claim: Claim
    context: str | None = None
    other: str | None = None


def context_claim_of(text: str, agents: Sequence[str], contexts: Sequence[str]) -> ContextClaim:
    """Return what a claim says; a text that can be read in two ways is refused, as names may hold anything.

    >>> said = context_claim_of("ada is better at code than at chat", ["ada", "bob"], ["chat", "code"])
    >>> said.claim.agent, said.context, said.other
    ('ada', 'code', 'chat')
    >>> context_claim_of("ada > bob in code", ["ada", "bob"], ["chat", "code"]).context
    'code'
    """
    readings = [*_better(text, agents, contexts), *_inside(text, agents, contexts)]
    whole = _read(text, text, agents)
    if whole is not None:
        readings.append(ContextClaim(whole))
    if len(readings) == 1:
        return readings[0]
    if readings:
        raise UsageError(
            f"the claim {quoted(text)} can be read in {len(readings)} ways. Rename an agent or a context to tell them apart."
        )
    if " is better " in text:
        raise UsageError(
            f'the claim {quoted(text)} must read "A is better at X than at Y" with an agent and two contexts. The contexts are '
            f"{listed(contexts, 8)}, the agents {listed(sorted(agents), 8)}."
        )
    try:
        return ContextClaim(claim_of(text, agents))
    except UsageError as error:
        raise UsageError(
            f'{error} Each may end in "in X", and "A is better at X than at Y" is one too; the contexts are {listed(contexts, 8)}.'
        ) from None


def _better(text: str, agents: Sequence[str], contexts: Sequence[str]) -> list[ContextClaim]:
    """Every way to read the text as one agent being better at one context than at another."""
    found = []
    for middle in re.finditer(r" is better (?:at|in) ", text):
        agent, rest = text[: middle.start()].strip(), text[middle.end() :].strip()
        for than in re.finditer(r" than (?:at |in )?", rest):
            x, y = rest[: than.start()].strip(), rest[than.end() :].strip()
            if agent in agents and x in contexts and y in contexts:
                if x == y:
                    raise UsageError(f"the claim {quoted(text)} must name two different contexts.")
                found.append(ContextClaim(Claim(text, agent), x, y))
    return found


def _inside(text: str, agents: Sequence[str], contexts: Sequence[str]) -> list[ContextClaim]:
    """Every way to read the text as a claim that ends in a context."""
    found = []
    for context in contexts:
        for word in WORDS:
            tail = f" {word} {context}"
            if text.strip().endswith(tail):
                claim = _read(text.strip().removesuffix(tail), text, agents)
                found += [] if claim is None else [ContextClaim(claim, context)]
    return found


def _read(part: str, text: str, agents: Sequence[str]) -> Claim | None:
    """The claim that a part of the text makes, under the whole text; nothing where it makes none."""
    try:
        made = claim_of(part, agents)
    except UsageError:
        return None
    return Claim(text, made.agent, made.below, made.top, made.last)
