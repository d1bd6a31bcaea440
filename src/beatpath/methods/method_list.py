"""`methods`: all methods as a table."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, TypedDict

from beatpath._result import TableResult
from beatpath._text import counted
from beatpath.methods.registry import METHODS, PROPERTIES

YesOrEmpty: TypeAlias = Literal["yes", ""]
_Sentence = TypedDict("_Sentence", {"what it does": str})  # a name that no class can declare


class MethodRow(_Sentence):
    """A method.

    Attributes
    ----------
    method : str
        Its key.
    what it does : str
        In a sentence.
    answers : str
        The question it answers.
    takes : str
        The kinds of evidence.
    condorcet : {"yes", ""}
        Whether it elects a Condorcet winner.
    clone : {"yes", ""}
        Whether it is independent of clones.
    population : {"yes", ""}
        Whether it is population consistent.
    agenda : {"yes", ""}
        Whether it is agenda consistent.
    iia : {"yes", ""}
        Whether it is independent of irrelevant alternatives.
    cost : str
        How it grows.
    settings : str
        What it can be determined.
    """

    method: str
    answers: str
    takes: str
    condorcet: YesOrEmpty
    clone: YesOrEmpty
    population: YesOrEmpty
    agenda: YesOrEmpty
    iia: YesOrEmpty
    cost: str
    settings: str


@dataclass(frozen=True, slots=True, repr=False)
class MethodList(TableResult):
    """The methods there are.

    Attributes
    ----------
    methods : list of MethodRow
        One a method.
    """

    document_name: ClassVar[str] = "methods"

    methods: list[MethodRow]

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many there are."""
        return (f"There are {counted(len(self.methods), 'method')}.",)

    def rows(self) -> list[MethodRow]:
        """Return one row a method: sentence, what it takes, properties, cost."""
        return self.methods


def methods() -> MethodList:
    """Return all methods: what each does, takes and costs, and the properties that it has.

    >>> methods()["schulze"]["condorcet"], len(methods()) > 30
    ('yes', True)
    """
    rows: list[Any] = [
        {
            "method": m.key,
            "what it does": m.sentence,
            "answers": m.question,
            "takes": ", ".join(sorted(m.takes)) if len(m.takes) < 6 else "any evidence",
            **{name: "yes" if name in m.properties else "" for name in PROPERTIES},
            "cost": m.complexity,
            "settings": ", ".join(m.settings),
        }
        for m in METHODS.values()
    ]
    return MethodList(rows)
