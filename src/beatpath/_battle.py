"""A battle to be played, as an arena and its client over HTTP hand it out."""

from dataclasses import dataclass
from typing import ClassVar

from beatpath._result import Record


@dataclass(frozen=True, slots=True)
class Battle(Record):
    """A battle to be played.

    Parameters
    ----------
    key : str
        The key under which to report the outcome.
    a, b : str
        The two agents.
    first : str
        The agent to be shown, or to move, first.
    prompt : str or None
        The prompt, if there are prompts.
    """

    document: ClassVar[tuple[str, ...]] = ("battle=key", "a", "b", "first", "prompt")

    key: str
    a: str
    b: str
    first: str
    prompt: str | None = None
