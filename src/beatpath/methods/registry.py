"""The registry of methods: key, description, accepted evidence, properties and cost of each.

The properties are those of VasE Table 4: ``condorcet``, ``clone``, ``population``, ``agenda`` and ``iia``, each
stated as a law about winners (``iia``: about the order of two agents). If VasE grants a property to lotteries or to
fixed grades only, the theory pages say so.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from inspect import signature
from typing import Any

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion

# kinds of evidence that have a majority relation
PAIRWISE = frozenset({"ballots", "scores", "battles", "pairs", "margins", "win_rates"})
# Sets of evidence kinds, by the names that `registry.json` uses; "counted" has wins and losses apart.
TAKES = {"rankings": frozenset({"ballots", "scores"}), "pairwise": PAIRWISE, "counted": PAIRWISE - {"margins"}}
# The axioms of VasE Table 4.
PROPERTIES = ("condorcet", "clone", "population", "agenda", "iia")
# What a method can answer: the values of `Method.asks`.
QUESTIONS = {
    "strength": "how well an agent does against all others",
    "order": "which order the head-to-head wins support",
    "mixture": "which agents an unbeaten mixture needs",
    "places": "which agent stands highest on most votes",
}
FLAGS = ("compares", "scales", "passes", "by_name")  # in the order of the fields of `Method`


@dataclass(frozen=True)
class Method:
    """A registered method: its function, description, accepted evidence, cost and properties.

    Parameters
    ----------
    key : str
        The name of the method.
    home : str
        Module and function, such as ``"voting.pairwise:schulze"``. The function takes a `Profile` and settings as keyword
        arguments, and returns an `Outcome`.
    takes : frozenset of str
        Kinds of evidence that it accepts.
    complexity : str
        Its computational cost.
    sentence : str
        What the method does, as a predicate that follows its name.
    properties : frozenset of str
        The `PROPERTIES` that it has.
    asks : str
        The key of `QUESTIONS` that it answers.
    compares : bool
        Whether it uses only the margin of each pair, so that it can also run on estimated win rates.
    scales : bool
        Whether its cost grows with the ballots or the compared pairs only, so that it handles tens of thousands of
        agents.
    passes : bool
        Whether it makes one pass over the ballots or battles, so that it handles millions.
    by_name : bool
        Whether it runs only if named explicitly.
    """

    key: str
    home: str
    takes: frozenset[str]
    complexity: str
    sentence: str
    properties: frozenset[str]
    asks: str = "order"
    compares: bool = False
    scales: bool = False
    passes: bool = False
    by_name: bool = False

    @classmethod
    def of(cls, row: Mapping[str, str]) -> "Method":
        """Build a method from its row in the registry; `takes` and `traits` are words separated by spaces.

        >>> row = {"key": "k", "home": "m:k", "takes": "scores", "complexity": "O(1)", "sentence": "does it"}
        >>> Method.of(row | {"traits": "places iia scales"}).asks
        'places'
        """
        words = set(row["traits"].split())
        asks = words & set(QUESTIONS) or {"order"}
        if words - {*PROPERTIES, *QUESTIONS, *FLAGS} or len(asks) > 1:
            raise ValueError(f"traits must be properties, flags and at most one question; got {row['traits']!r}.")
        takes = TAKES.get(row["takes"]) or frozenset(row["takes"].split())
        text = row["complexity"], row["sentence"]
        flags = (flag in words for flag in FLAGS)
        return cls(row["key"], row["home"], takes, *text, frozenset(words & set(PROPERTIES)), min(asks), *flags)

    @property
    def question(self) -> str:
        """The question that the method answers, in words.

        >>> METHODS["bradley_terry"].question
        'how well an agent does against all others'
        """
        return QUESTIONS[self.asks]

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of the keyword arguments of its function.

        >>> METHODS["nash_averaging"].settings
        ('against', 'iterated')
        """
        return tuple(signature(self.function()).parameters)[1:]

    def function(self) -> Callable[..., Any]:
        """Import the module of the method and return its function."""
        module, _, name = self.home.partition(":")
        return getattr(import_module(f"beatpath.methods.{module}"), name)


# All methods in the order of the registry, by key.
_ROWS = json.loads((files("beatpath.methods") / "registry.json").read_text(encoding="utf-8"))
METHODS = {row["key"]: Method.of(row) for row in _ROWS}
# Other names of the same method, in the literature and in other packages.
ALIASES = {alias: row["key"] for row in _ROWS for alias in row.get("aliases", "").split()}


def method_named(key: str) -> Method:
    """Return the method with this key or another name of it, or raise an error that suggests the nearest key.

    Capitals, hyphens and blanks make no difference.

    >>> method_named("Bradley-Terry").key, method_named("bt").key
    ('bradley_terry', 'bradley_terry')
    >>> method_named("schulz")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: a method must be one of those `beatpath methods` lists; 'schulz' is not. Did you mean \
'schulze'?
    """
    plain = str(key).lower().replace("-", "_").replace(" ", "_")
    plain = ALIASES.get(plain, plain)
    if plain not in METHODS:
        raise UsageError(
            f"a method must be one of those `beatpath methods` lists; {quoted(key)} is not.{suggestion(key, METHODS)}"
        )
    return METHODS[plain]
