"""The methods there are: key, sentence, what each takes, its properties and cost.

Properties are those of VasE Table 4, ``condorcet``, ``clone``, ``population``, ``agenda``, ``iia``, each as a law about
winners (``iia``: about the order of two agents). Where VasE grants one to lotteries, or to fixed marks, theory pages say so.
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

PAIRWISE = frozenset({"ballots", "scores", "battles", "pairs", "margins", "win_rates"})
# Kinds of evidence by the names that `registry.json` gives to sets of them; "counted": wins and losses apart.
TAKES = {"rankings": frozenset({"ballots", "scores"}), "pairwise": PAIRWISE, "counted": PAIRWISE - {"margins"}}
PROPERTIES = ("condorcet", "clone", "population", "agenda", "iia")
QUESTIONS = {
    "strength": "how well an agent does against all others",
    "order": "which order the head-to-head wins support",
    "mixture": "which agents an unbeaten mixture needs",
    "places": "which agent stands highest on most votes",
}
FLAGS = ("compares", "scales", "passes", "by_name")  # in the order of the fields of `Method`


@dataclass(frozen=True)
class Method:
    """One method: where it lives, one sentence, what it takes, its cost and its traits.

    Parameters
    ----------
    key : str
        Its name.
    home : str
        Module and function, such as ``"voting.pairwise:schulze"``. The function takes a `Profile` and settings as keyword
        arguments, and returns an `Outcome`.
    takes : frozenset of str
        Kinds of evidence.
    complexity : str
        What it costs.
    sentence : str
        What the method does, after its name.
    properties : frozenset of str
        The `PROPERTIES` that it has.
    asks : str
        The key of `QUESTIONS` that it answers.
    compares : bool
        Whether it reads nothing but who is above whom in each pair and by how much, so that it can be run on estimated win rates too.
    scales : bool
        Whether it looks at ballots or at pairs that met alone, so that tens of thousands of agents are not too many.
    passes : bool
        Whether it looks once at each ballot or battle, so that a million are not too many.
    by_name : bool
        Whether it runs only when it is named.
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
        """Return a method from its row: kinds of evidence, or a key of `TAKES`, and traits, are words parted by spaces.

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
        """What the method answers, in words.

        >>> METHODS["bradley_terry"].question
        'how well an agent does against all others'
        """
        return QUESTIONS[self.asks]

    @property
    def settings(self) -> tuple[str, ...]:
        """The keyword arguments of its function.

        >>> METHODS["nash_averaging"].settings
        ('against',)
        """
        return tuple(signature(self.function()).parameters)[1:]

    def function(self) -> Callable[..., Any]:
        """Load the method's own module and return its function."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"beatpath.methods.{module}"), name)
        return function


_ROWS = json.loads((files("beatpath.methods") / "registry.json").read_text(encoding="utf-8"))
METHODS = {row["key"]: Method.of(row) for row in _ROWS}


def method_named(key: str) -> Method:
    """Return a method by its key, or raise with the keys there are.

    >>> method_named("schulz")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: a method must be one of those `beatpath methods` lists; 'schulz' is not. Did you mean \
'schulze'?
    """
    if key not in METHODS:
        raise UsageError(
            f"a method must be one of those `beatpath methods` lists; {quoted(key)} is not.{suggestion(key, METHODS)}"
        )
    return METHODS[key]
