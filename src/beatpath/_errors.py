"""The exceptions that beatpath raises, and the exit status of each on the command line.

::

    BeatpathError
    ├── DataError          the data do not support the request             exit 1
    │   ├── ReadError      a file, frame or row cannot be read as requested
    │   └── UnknownLabel   an outcome or rank label without a known meaning
    └── UsageError         a name, option or path that does not exist      exit 2
        └── MissingExtra   an optional library is not installed

Every message has the same form: what must hold; what was given, by name and value; what to do. It is written with options of the
command line, such as ``--repeats best``; raised from Python it names parameters, ``repeats="best"``.
"""

import json
import re
from typing import ClassVar

_OPTIONS = re.compile(r"`((?:[a-z]+ )?--[^`]+)`")  # an option, or several, after the name of a verb or by themselves
# What stands in Python for options that have another name there.
PARAMETERS = {
    "self": "self_battles",
    "format-in": "format",
    "method": "methods",
    "only": "bp.only",
    "without": "bp.without",
    "min-agent-battles": "bp.only(evidence, min_battles=...)",
    "memory": 'os.environ["BEATPATH_MEMORY"]',
}
LISTS = ("where", "keep", "lower")  # parameters that take several names


def python_words(message: str) -> str:
    """Return a message with options of the command line written as parameters in Python.

    >>> python_words("Keep the best place with `--repeats best`, or say `--map agent=who,value=x --where 'step=9'`.")
    'Keep the best place with `repeats="best"`, or say `map={"agent": "who", "value": "x"}, where=["step=9"]`.'
    >>> python_words("Leave two out: `--where 'metric!=f1' --where 'metric!=em'`.")
    'Leave two out: `where=["metric!=f1", "metric!=em"]`.'
    >>> python_words("`resolve --anytime` holds for any schedule; `rank --set elo.k=4` and `--draws 4000` are numbers.")
    '`resolve(anytime=True)` holds for any schedule; `rank(k=4)` and `draws=4000` are numbers.'
    """
    return _OPTIONS.sub(lambda match: f"`{_call(match[1])}`", message)


def _call(text: str) -> str:
    """A verb with options as a call, or options as arguments."""
    verb, *options = re.split("(?:^| )--", text)
    parts = [option.partition(" ") for option in options]
    if verb:
        return f"{verb}({', '.join(_argument(name, value or 'True') for name, _, value in parts)})"
    arguments = (_argument(name, value.strip("'").replace("'\"'\"'", "'")) for name, _, value in parts)
    return ", ".join(arguments).replace("], where=[", ", ")


def _argument(option: str, text: str) -> str:
    """One option with its value as an argument of a function."""
    if option == "set":
        return text.partition(".")[2]
    name, value = PARAMETERS.get(option, option.replace("-", "_")), json.dumps(text, ensure_ascii=False)
    if text == "True" or text.startswith("{") or text.replace(".", "").isdigit():
        value = text
    elif option in ("map", "labels"):
        pairs = [part.partition("=") if option == "map" else part.rpartition("=") for part in text.split(",")]
        value = json.dumps({role: column for role, _, column in pairs}, ensure_ascii=False)
    elif option in LISTS:
        value = json.dumps(text.split(","), ensure_ascii=False)
    return f"{name}={value}" if text else name


def spoken(message: str) -> str:
    """Return a text with its options as the command line writes them, or as parameters in Python."""
    return message if BeatpathError.on_command_line else python_words(message)


class BeatpathError(Exception):
    """Base class of all errors that beatpath raises on purpose."""

    exit_status = 1
    on_command_line: ClassVar[bool] = False  # whether messages name options, as the process runs a verb or a page

    def __init__(self, message: str) -> None:
        super().__init__(spoken(message))


class DataError(BeatpathError):
    """The data do not support the request."""


class ReadError(DataError):
    """A file, frame or row cannot be read as requested."""


class UnknownLabel(DataError):
    """An outcome or rank label without a known meaning."""


class UsageError(BeatpathError):
    """A name, option or path that does not exist."""

    exit_status = 2


class MissingExtra(UsageError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}, which is not installed: pip install 'beatpath[{extra}]'.")
