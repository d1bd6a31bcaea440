"""The exceptions that beatpath raises, and the exit status of each on the command line.

::

    BeatpathError
    ├── DataError          the data do not support the request             exit 1
    │   ├── ReadError      a file, frame or row cannot be read as requested
    │   └── UnknownLabel   an outcome or rank label without a known meaning
    └── UsageError         a name, option or path that does not exist      exit 2
        └── MissingExtra   an optional library is not installed

Every message has the same form: what must hold; what was given, by name and value; what to do.
"""


class BeatpathError(Exception):
    """Base class of all errors that beatpath raises on purpose."""

    exit_status = 1


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
