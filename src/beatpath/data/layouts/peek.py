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

    def repeats(self, name: str) -> bool:
        """Whether the texts among the first cells of a column stand more than twice there, on average."""
        cells = self.first(name)
        return 2 * len(set(cells)) < len(cells)
