"""The limits of every option that takes a number or one of several words, checked before anything is read."""

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from typer.models import OptionInfo

from beatpath._errors import UsageError
from beatpath._text import quoted


@dataclass(frozen=True, slots=True)
class Limit:
    """The least and the greatest number that an option takes, and whether it must be whole.

    >>> Limit(0, 65_535).number("--port", "99999")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `--port` must be a whole number from 0 to 65,535; got '99999'.
    """

    least: float
    most: float
    whole: bool = True

    def number(self, option: str, text: str) -> float:
        """Return the number that a text means, or say what it must be."""
        try:
            value = int(text) if self.whole else float(text)
        except ValueError:
            value = float("nan")
        if not self.least <= value <= self.most:
            kind = "a whole number" if self.whole else "a number"
            raise UsageError(f"`{option}` must be {kind} from {self.least:,} to {self.most:,}; got {quoted(text)}.")
        return value


SHARE = Limit(0.5, 0.999, whole=False)
TEMPERATURE = Limit(1e-6, 10**6, whole=False)
LIMITS = {
    "seed": Limit(0, 10**18),
    "level": SHARE,
    "min_battles": Limit(1, 10**9),
    "min_agent_battles": Limit(0, 10**9),
    "draws": Limit(100, 10**9),
    "workers": Limit(1, 10**4),
    "tau": TEMPERATURE,
    "gamma": TEMPERATURE,
    "max_length": Limit(1, 10**6),
    "port": Limit(0, 65_535),
    "max_upload": Limit(0.001, 10**6, whole=False),
    "time_limit": Limit(0, 10**6, whole=False),
}
WEIGHT = Limit(0, 1e100, whole=False)


def within_limits(verb: Callable[..., None]) -> Callable[..., None]:
    """Return the verb with every number held to its limit and every choice to its words, one sentence for all.

    `LIMITS` holds the numbers, by the name of the parameter; the words are those of its ``Literal``.
    """
    made = inspect.signature(verb)
    own = [p.replace(annotation=_held(p.name, p.annotation)) for p in made.parameters.values()]

    def run(**given: Any) -> None:
        verb(**given)

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    run.__signature__ = made.replace(parameters=own)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in own}
    return run


def _held(name: str, kind: Any) -> Any:
    """The annotation of a parameter, with a parser that knows its limits where it has some."""
    if get_origin(kind) is not Annotated or not isinstance(get_args(kind)[1], OptionInfo):
        return kind
    plain, info = get_args(kind)[:2]
    types = [part for part in (plain, *get_args(plain)) if part in (int, float) or get_origin(part) is Literal]
    if not types or get_origin(plain) is list:
        return kind
    held = copy(info)
    option = next(way for way in (info.default, *info.param_decls) if isinstance(way, str) and way.startswith("--"))
    if get_origin(types[0]) is Literal:
        words = [str(word) for word in get_args(types[0])]
        held.parser, held.autocompletion = _one_of(option, words), lambda: words
    elif name in LIMITS:
        held.parser = _within(option, LIMITS[name])
    return Annotated[plain, held]


def _one_of(option: str, words: Sequence[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        from beatpath._validate import require_choice

        require_choice(option, text, words)
        return text

    parse.__name__ = "|".join(words)
    return parse


def _within(option: str, limit: Limit) -> Callable[[str], float]:
    def parse(text: str) -> float:
        return limit.number(option, str(text))

    parse.__name__ = "number"
    return parse
