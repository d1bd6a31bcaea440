"""Claims as text: ``"aurora > basalt"``, ``"new at most 1 point below base"``, ``"aurora is first in code"``, joined by ``and``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from beatpath._errors import UsageError
from beatpath._result import Record, sentences_html
from beatpath._text import listed, quoted, suggestion

Verdict = Literal["supported", "not shown", "shown to be false"]
FORMS = (  # the forms of a claim, for errors
    '"A > B", "A > B by 3 points", "A within 2 points of B", "A at most 1 point below B", "A is first", "A is last" or '
    '"A is in the top 3", joined by and'
)
# A claim about a place: first, last, or in the top k.
_PLACE = re.compile(
    r"^(?P<agent>.+?)(?: is)? (?:(?P<first>first)|(?P<last>last)|(?:in the top|in top|among the best) (?P<top>\d+))$"
)
_MARGIN = r"(?P<margin>\d+(?:\.\d+)?)(?P<points> points?)?"
_BY = re.compile(rf"^(?P<name>.+) by {_MARGIN}$")
# What stands between two agents, and the range of their difference that it claims, in multiples of the margin.
_BETWEEN = (
    (re.compile(r"\s*[<>]\s*| is better than "), (1.0, float("inf"))),
    (re.compile(rf"(?: is)? within {_MARGIN} of "), (-1.0, 1.0)),
    (re.compile(rf"(?: is)? at most {_MARGIN} (?:below|worse than) "), (-1.0, float("inf"))),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about an agent: its difference from another, its place on the board, or better in one context than in another.

    Parameters
    ----------
    text : str
        The claim as written.
    agent : str
        The agent it is about.
    below : str, optional
        The agent it is compared with, claimed to be below it unless `over` is negative.
    top : int, optional
        It is claimed to be among this many best agents, or worst ones if `last`.
    last : bool, default False
        It is claimed to be last.
    context : str, optional
        The context that the claim is about; by default all data, or the mixture.
    other : str, optional
        The agent is claimed to be better at `context` than at this one.
    over, under : float
        Its score minus that of `below` is claimed to lie between these.
    points : bool
        Whether these are in points, hundredths where scores are shares.
    """

    text: str
    agent: str
    below: str | None = None
    top: int | None = None
    last: bool = False
    context: str | None = None
    other: str | None = None
    over: float = 0.0
    under: float = float("inf")
    points: bool = False

    @property
    def has_margin(self) -> bool:
        """Whether the claim is about the size of a difference, and not only about its sign."""
        return bool(self.over) or self.is_equivalence

    @property
    def is_equivalence(self) -> bool:
        """Whether the difference is claimed to be bounded on both sides: two one-sided tests."""
        return self.under < float("inf")

    def unit(self, is_share: bool) -> float:
        """Return what one unit of the margin is on the scale of the scores, or raise where that is ambiguous."""
        if is_share and self.has_margin and not self.points:
            raise UsageError(
                f"the margin in {quoted(self.text)} must be in points, because scores are shares. Write `2 points` for a difference of 0.02."
            )
        return 0.01 if is_share and self.points else 1.0

    def holds(self, low: float, high: float, unit: float = 1.0) -> bool:
        """Return whether every difference of an interval is as claimed."""
        return self.over * unit < low and high < self.under * unit

    def opposites(self, n: int) -> "tuple[Claim, ...]":
        """Return claims about a board of *n* agents, any of which refutes this one."""
        if self.below is None:
            return (replace(self, last=not self.last, top=n - (1 if self.top is None else self.top)),)
        back = replace(self, agent=self.below, below=self.agent, over=-self.over, under=float("inf"))
        return (back, replace(self, over=self.under, under=float("inf"))) if self.is_equivalence else (back,)


@dataclass(frozen=True, slots=True, repr=False)
class ClaimTest(Record):
    """Whether the data support a claim; true in a condition exactly where they do.

    Attributes
    ----------
    claim : str
        The claim as written.
    verdict : {"supported", "not shown", "shown to be false"}
        Absence of evidence is kept apart from evidence of absence.
    sentence : str
        The verdict, and why.
    condition : str
        The confidence, and what it is for.
    interval : two floats, optional
        The confidence interval of the difference behind it; null for claims about places and for several claims.
    cautions : tuple of str
        Conditions of the test, and results that disagree.
    """

    document: ClassVar = ("claim", "supported", "verdict", "sentence", "condition", "interval", "cautions")

    claim: str
    verdict: Verdict
    sentence: str
    condition: str = ""
    interval: tuple[float, float] | None = None
    cautions: tuple[str, ...] = ()

    @property
    def supported(self) -> bool:
        """Whether the data support it."""
        return self.verdict == "supported"

    def __bool__(self) -> bool:
        return self.supported

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<ClaimTest: {self.sentence}>"

    def _repr_html_(self) -> str:
        return sentences_html([self.sentence, self.condition, *self.cautions])


def joined(text: str, tests: Sequence[ClaimTest]) -> ClaimTest:
    """Return the test of claims joined by ``and``: supported where each is, and false where one is."""
    if len(tests) == 1:
        return replace(tests[0], claim=text)
    verdicts = {one.verdict for one in tests}
    verdict: Verdict = "supported" if verdicts == {"supported"} else "not shown"
    verdict = "shown to be false" if "shown to be false" in verdicts else verdict
    sentence, condition = (
        " ".join(dict.fromkeys(texts)) for texts in zip(*((t.sentence, t.condition) for t in tests), strict=True)
    )
    cautions = tuple(dict.fromkeys(x for t in tests for x in t.cautions))
    return ClaimTest(text, verdict, sentence, condition, None, cautions)


def claims_of(text: str, agents: Sequence[str], contexts: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Parse claims joined by ``and``, or raise with the valid forms and the known agents.

    Names may contain anything, including ``>`` and ``and``; a text with two readings is refused.

    >>> [one.agent for one in claims_of("a > b > c and b and c is last", ["a > b", "c", "b and c"])]
    ['a > b', 'b and c']
    >>> claims_of("c at most 1.5 points below a > b", ["a > b", "c"])[0].over
    -1.5
    >>> claims_of("c is first in code", ["a > b", "c"], ["chat", "code"])[0].context
    'code'
    >>> claims_of("c is better at code than at chat", ["a > b", "c"], ["chat", "code"])[0].other
    'chat'
    """
    known = set(agents)
    readings = list(_conjunctions(text, known, contexts))
    if len(readings) == 1:
        return tuple(_possible(one, len(known)) for one in readings[0])
    if readings:
        rename = "Rename an agent or a context" if contexts else "Rename an agent"
        raise UsageError(f"the claim {quoted(text)} can be read in {len(readings)} ways. {rename} to tell them apart.")
    parts = [part for part in re.split(r"\s+and\s+", text) if not list(_readings(part, known, contexts))]
    raise UsageError(_unreadable(parts[0] if parts else text, agents, contexts))


def _conjunctions(text: str, known: set[str], contexts: Sequence[str]) -> Iterator[tuple[Claim, ...]]:
    """Yield every reading of the text as claims joined by ``and``."""
    yield from ((one,) for one in _readings(text, known, contexts))
    for split in re.finditer(r"\s+and\s+", text):
        for first in _readings(text[: split.start()], known, contexts):
            yield from ((first, *rest) for rest in _conjunctions(text[split.end() :], known, contexts))


def _readings(text: str, known: set[str], contexts: Sequence[str]) -> list[Claim]:
    """Return every reading of the text as one claim."""
    return [
        *_better(text, known, contexts),
        *(
            replace(one, text=text, context=context)
            for part, context in _inside(text, contexts)
            for one in _read(part, known)
        ),
        *_read(text, known),
    ]


def _read(text: str, known: set[str]) -> list[Claim]:
    """Return every reading of the text as a claim about one board."""
    stripped = text.strip()
    place = _PLACE.match(stripped)
    claims = _orders(text, stripped, known)
    if place and (agent := place["agent"].strip()) in known:
        top = None if place["last"] else int(place["top"] or 1)
        claims.append(Claim(text, agent, top=top, last=bool(place["last"])))
    return claims


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
    """Return every reading of the text as a difference of two agents."""
    claims = []
    for form, (over, under) in _BETWEEN:
        for match in form.finditer(clause):
            left, right = clause[: match.start()].strip(), clause[match.end() :].strip()
            by = _BY.match(right) if form is _BETWEEN[0][0] else None
            for name, size in ((right, match), *([(by["name"].strip(), by)] if by else [])):
                if left in known and name in known:
                    parts = size.groupdict()
                    margin = float(parts.get("margin") or 0.0)
                    ends = over * margin, under if under == float("inf") else under * margin
                    above, below = (name, left) if "<" in match[0] else (left, name)
                    claims.append(Claim(text, above, below, None, False, None, None, *ends, bool(parts.get("points"))))
    return claims


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
    )
    more = more if contexts else ""
    place = _PLACE.match(text.strip())
    pairs = (form.split(text.strip(), maxsplit=1) for form, _ in _BETWEEN if form.search(text))
    parts = [place["agent"]] if place else [pair[k] for pair in pairs for k in (0, -1)]
    parts = [_BY.sub(r"\g<name>", part).strip() for part in parts]
    if not parts:
        return f"a claim must read {FORMS}; got {quoted(text)}.{more}"
    wrong = [part for part in parts if part not in agents]
    hint = suggestion(wrong[0], agents) if wrong else ""
    return (
        f"the claim {quoted(text)} must name agents; got {listed(wrong or parts)}.{hint} The agents are "
        f"{listed(sorted(agents), 8)}.{more}"
    )
