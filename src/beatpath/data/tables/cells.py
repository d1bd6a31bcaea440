"""Cells of tables: their conversion to numbers and factors, the first cells that guesses use, and conditions on rows.

Columns are as DuckDB returns them, and one rule decides which strings are numbers. Conditions are written as users
type them: ``anony=true``, ``turn<=2``.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.evidence import Battles, Evidence, Factor, Scores

# What the cells of a column are if they neither name an agent nor measure one.
_KINDS = {
    "lists": re.compile(r"\s*\[.*\]\s*", re.DOTALL),
    "objects": re.compile(r"\s*\{.*\}\s*", re.DOTALL),
    "times": re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d?:\d\d.*)?|\d\d?[./]\d\d?[./]\d{4}|1\d{9}(\d{3})?(\.\d+)?"),
    "identifiers": re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,64}", re.IGNORECASE),
}
# A number with a decimal comma; one with three decimals could as well be a whole number with a thousands separator.
DECIMAL_COMMA = r"[-+]?(?:0?,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))"
SPREAD = r"\s*(?:±|\+/-|\+-)\s*[0-9.,]+\s*%?$"  # how far a number varies, written after it
PARTS = re.compile(r"\s*[,;|]\s*|\s+vs\.?\s+")  # what separates several values in one cell
WRAPPING = " []\"'"  # what may stand around each of them
# Cells that say that there is no number, in lower case; NaN is none of them: it may be the result of a run that diverged.
EMPTY = ("", "-", "\N{EN DASH}", "\N{EM DASH}", "n/a", "#n/a", "na", "null", "none")
_ENOUGH = 50  # cells by which a kind is decided
_CONDITION = re.compile(r"^\s*(.+?)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$", re.DOTALL)  # column, operator and value


def number_of(text: str) -> float:
    """Return the number that a string represents, NaN if it is not a number.

    Booleans are 1 and 0; percent signs, and a spread after the number, are left out.

    >>> number_of("2.5"), number_of(" True "), number_of("many"), number_of("0,75"), number_of("1,234"), number_of("76.4 %")
    (2.5, 1.0, nan, 0.75, nan, 76.4)
    >>> number_of("71.2 ± 0.4"), number_of("71.2% +/- 0.4%")
    (71.2, 71.2)
    """
    try:
        return float(text)
    except ValueError:
        word = re.sub(SPREAD, "", text.strip().lower()).rstrip(" %")
    if "," in word and re.fullmatch(DECIMAL_COMMA, word):
        word = word.replace(",", ".")
    if word in ("true", "false"):
        return float(word == "true")
    try:
        return float(word)
    except ValueError:
        return math.nan


def cell_parts(cell: str) -> list[str]:
    """Return the values in one cell that holds several.

    >>> cell_parts("gpt, claude"), cell_parts('["gpt","claude"]'), cell_parts("Reds vs Blues")
    (['gpt', 'claude'], ['gpt', 'claude'], ['Reds', 'Blues'])
    """
    return [part.strip(WRAPPING) for part in PARTS.split(cell)]


def name_part(file: str, column: str) -> str:
    """Return a file's name without its ending, the name of its folder or of one above, or a part of one of them.

    >>> name_part("dqn/Pong_1.csv.gz", "file"), name_part("dqn/Pong_1.csv", "file.2"), name_part("dqn_s1/x.csv", "folder.1")
    ('Pong_1', '1', 'dqn')
    >>> name_part("dqn/Pong/1.csv", "folder"), name_part("dqn/Pong/1.csv", "folder2")
    ('Pong', 'dqn')
    """
    path, (base, _, at_text) = Path(file).absolute(), column.partition(".")
    stem = path.name.removesuffix(path.suffix).removesuffix(".csv").removesuffix(".json")
    if base != "file":
        above = [parent.name for parent in path.parents]
        stem = "".join(above[int(base.removeprefix("folder") or 1) - 1 :][:1])
    parts = [part for part in re.split(r"[_\-.\s]+", stem) if part]
    at = int(at_text or 0)
    return stem if not at else parts[at - 1] if at <= len(parts) else ""


def differing_folders(files: Sequence[str]) -> list[str]:
    """Return the columns of folders in which the names of files differ, the outermost first.

    >>> differing_folders(["dqn/Pong/out/1.csv", "dqn/Qbert/out/1.csv", "ppo/Pong/out/1.csv"]), differing_folders(["a.csv", "b.csv"])
    (['folder3', 'folder2'], [])
    """
    levels = ("folder", *(f"folder{level}" for level in range(2, 10)))
    return [level for level in reversed(levels) if len({name_part(file, level) for file in files}) > 1]


def recur(cells: Sequence[object]) -> bool:
    """Return whether the values of three cells or more occur twice or more on average."""
    return 2 * len({*cells}) <= len(cells) > 2


def is_blank(text: str) -> bool:
    """Whether a cell that should hold a number is empty or says that there is none.

    >>> is_blank("  "), is_blank("-"), is_blank("N/A"), is_blank("0"), is_blank("NaN")
    (True, True, True, False, False)
    """
    return text.strip().lower() in EMPTY


@dataclass(frozen=True)
class Groups:
    """Distinct rows of some text columns, the number of rows of each, and their weights.

    Attributes
    ----------
    texts : mapping of column to Factor
        Values by column; the two agents' columns share their levels.
    n : (g,) int
        Number of rows of each group.
    weight, square : (g,) float, optional
        Sum and sum of squares of the weights.
    lowest : float
        The smallest weight, NaN if one is empty.
    """

    texts: Mapping[str, Factor]
    n: Ints
    weight: Floats | None = None
    square: Floats | None = None
    lowest: float = 0.0

    @classmethod
    def of(
        cls, cells: Mapping[str, NDArray[Any]], sets: Sequence[Sequence[str]], factors: Iterable[Factor] | None = None
    ) -> "Groups":
        """Build groups from fetched columns: keys ``g0``, ``g1``, ...

        (or their factors), counts ``n`` and sums of weights.

        `sets` are the columns behind the keys; those of one set share their levels.
        """
        keys = (cells[f"g{i}"] for i in range(sum(map(len, sets))))
        if factors is None:
            factors = [factor for names in sets for factor in factors_of_texts([next(keys) for _ in names])]
        texts = dict(zip([name for names in sets for name in names], factors, strict=True))
        n = array_of_column(cells["n"], 0, np.int64)
        if "total" not in cells:
            return cls(texts, n)
        total, square, low, holes = (
            array_of_column(cells[k], np.nan, np.float64) for k in ("total", "square", "low", "holes")
        )
        return cls(texts, n, total, square, np.nan if holes.any() else float(np.min(low, initial=0.0)))


def factors_of_codes(columns: Sequence[NDArray[Any]], names: Mapping[int, str | None]) -> list[Factor]:
    """Return integer columns as factors over the common, sorted names that the integers stand for."""
    known = sorted(names)
    codes = np.searchsorted(np.array(known, dtype=np.uint64), np.concatenate(columns))
    missing = np.array([names[code] is None for code in known])
    return parted(Factor.coded(np.where(missing[codes], -1, codes), [names[code] or "" for code in known]), columns)


def factors_of_texts(columns: Sequence[Any]) -> list[Factor]:
    """Return fetched text columns as factors over their common, sorted levels."""
    missing = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    values = np.concatenate([np.asarray(np.ma.getdata(column), dtype=object) for column in columns])
    code: dict[str, int] = {}
    texts = (None if none or value is None else str(value) for value, none in zip(values, missing, strict=True))
    each = (-1 if text is None else code.setdefault(text, len(code)) for text in texts)
    codes = np.fromiter(each, np.int64, len(values))
    return parted(Factor.coded(codes, list(code)), columns)


def parted(factor: Factor, columns: Sequence[Any]) -> list[Factor]:
    """Split a factor over concatenated columns into one factor per column."""
    parts = np.split(factor.codes, np.cumsum([len(column) for column in columns])[:-1])
    return [Factor(part, factor.levels) for part in parts]


def array_of_column(values: Any, missing: float, dtype: type) -> NDArray[Any]:
    """Return a fetched column as a plain array, with `missing` for NULL."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(dtype), missing)
    elif values.dtype == object:
        values = [missing if value is None else value for value in values]
    return np.asarray(values, dtype=dtype)


def finite_numbers(column: Any) -> Floats | None:
    """Return a fetched column as finite numbers, NaN if empty; ``None`` if a cell is something else."""
    missing = np.ma.getmaskarray(column)
    values = np.full(len(column), np.nan)
    try:
        values[~missing] = np.ma.getdata(column)[~missing].astype(np.float64)
    except (ValueError, TypeError):
        return None
    return values if np.isfinite(values[~missing]).all() else None


def known_texts(column: Any) -> list[str]:
    """Return the cells of a fetched column that are not missing, as strings."""
    known = zip(np.ma.getdata(column), np.ma.getmaskarray(column), strict=True)
    return [str(value) for value, missing in known if not missing and value is not None]


def number_share(column: Any) -> float:
    """Return the share of booleans or finite numbers among the nonempty cells, 0 if all are empty."""
    if are_numbers(column):
        return 1.0
    texts = [text for text in known_texts(column) if not is_blank(text)]
    good = sum(bool(np.isfinite(number_of(text))) for text in texts)
    return min(good / len(texts), 0.99) if texts else 0.0  # 1 is reserved for columns without exception


def are_numbers(column: Any) -> bool:
    """Return whether a fetched column holds only booleans or finite numbers, and at least one."""
    if np.ma.getdata(column).dtype == object:
        texts = known_texts(column)
        if texts and {text.lower() for text in texts} <= {"true", "false"}:
            return True
    numbers = finite_numbers(column)
    return numbers is not None and bool(np.isfinite(numbers).any())


class FirstCells:
    """Base class of tables of files and of frames: the first cells of each column, which guesses of roles use."""

    def first_texts(self, name: str) -> list[str]:
        """Return the first nonempty cells of a column as strings, in the order of the rows."""
        raise NotImplementedError  # implemented by tables of files and of frames

    def number_share(self, name: str) -> float:
        """Return the share of numbers among the first nonempty cells; 1 only without exception."""
        raise NotImplementedError  # implemented by tables of files and of frames

    def is_number(self, name: str) -> bool:
        """Whether the first cells of a column are finite numbers: a guess that reading verifies."""
        return self.number_share(name) == 1

    def mostly_numbers(self, name: str) -> bool:
        """Whether more than half of the first nonempty cells are finite numbers."""
        return self.number_share(name) > 0.5

    def kind(self, name: str) -> str:
        """Return "lists", "objects", "times" or "identifiers" if the first cells are nothing else, otherwise ""."""
        cells = [cell for cell in self.first_texts(name) if not is_blank(cell)][:_ENOUGH]
        return next((kind for kind, form in _KINDS.items() if cells and all(map(form.fullmatch, cells))), "")

    def repeats(self, name: str) -> bool:
        """Whether the values among the first cells of a column occur twice or more on average."""
        return recur(self.first_texts(name))


@dataclass(frozen=True, slots=True)
class Condition:
    """A column, an operator and a value; ``=`` and ``!=`` compare strings ignoring case, the others numbers."""

    column: str
    operator: str
    value: str

    @property
    def of_texts(self) -> bool:
        """Whether strings are compared."""
        return self.operator in ("=", "!=")

    @property
    def number(self) -> float:
        """The value of a numeric comparison."""
        try:
            return float(self.value)
        except ValueError:
            raise UsageError(f"`--where` needs a number after {self.operator}; got {quoted(self.value)}.") from None


def condition(text: str) -> Condition:
    """Parse a condition.

    >>> condition("turn <= 2")
    Condition(column='turn', operator='<=', value='2')
    """
    match = _CONDITION.match(text)
    if not match:
        raise UsageError(f"`--where` must read COLUMN=VALUE (or != < <= > >=); got {quoted(text)}.")
    return Condition(*match.groups())


def chosen(evidence: Evidence, conditions: Sequence[str]) -> Evidence:
    """Return the battles or scores that satisfy all conditions on their named columns, and account for the others."""
    if not isinstance(evidence, Battles | Scores):
        raise UsageError(f"`--where` chooses rows of tables, battles or scores; {evidence.kind} have none to choose.")
    keep = np.ones(len(evidence), dtype=bool)
    for one in map(condition, conditions):
        keep &= _meets(evidence.factor(one.column), one)
    reading, left = evidence.reading, int((~keep).sum())
    if reading is not None and left:
        dropped = {**reading.dropped, "left out by --where": left}
        reading = replace(reading, rows_used=reading.rows_used - left, dropped=dropped)
    return replace(evidence.take(keep), reading=reading)


def _meets(factor: Factor, one: Condition) -> Bools:
    """Flag rows that satisfy a condition; a missing name equals nothing."""
    if one.of_texts:
        same = factor.each(lambda level: level.lower() == one.value.lower(), False)
        return same if one.operator == "=" else ~same
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[one.operator]
    return np.asarray(compare(factor.each(number_of, np.nan), one.number))
