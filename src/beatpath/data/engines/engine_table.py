"""Files that an engine has opened, as a table that the engine itself groups."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from beatpath._text import quoted
from beatpath.data.engines.files import Files
from beatpath.data.engines.frames import FrameTable


@dataclass(frozen=True)
class EngineTable(FrameTable):
    """A frame over files; it knows of columns that only some of the files have, and refuses to look at them."""

    files: Files = field(default_factory=lambda: Files("parquet", ()))

    @property
    def names(self) -> tuple[str, ...]:
        """Column names of all files."""
        return self.files.columns or tuple(self.columns)

    def has(self, name: str) -> bool:
        """Whether a column is there, in some file at least."""
        return name in self.names

    def distinct(self, name: str, most: int = 1000) -> list[str]:
        """Return the first distinct texts of a column in sorted order, `most` at the most."""
        self.files.require([name])
        return super().distinct(name, most)

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Return the rows by what they say: an engine gives no row numbers."""
        said = ", ".join(f"{name}={quoted(value)}" for name, value in values.items())
        return f"the rows with {said}"


def inner_names(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the names that engines see.

    >>> inner_names(("home.team", "away.team"))
    {'home.team': 'c0', 'away.team': 'c1'}
    """
    return {name: f"c{i}" for i, name in enumerate(columns)}
