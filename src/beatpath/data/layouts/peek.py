"""What whoever guesses the meaning of columns may look at."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Peek:
    """What the guesser may look at: column names, which of them hold numbers, their values, and the first cells in order."""

    names: tuple[str, ...]
    is_number: Callable[[str], bool]
    mostly_numbers: Callable[[str], bool]
    values: Callable[[str], list[str]]
    first: Callable[[str], list[str]] = lambda name: []

    def is_unique(self, name: str) -> bool:
        """Whether no text stands twice among the first cells of a column."""
        cells = self.first(name)
        return len(set(cells)) == len(cells)
