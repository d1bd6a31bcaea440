"""What can go wrong, and the exit status each kind ends a command with.

::

    BeatpathError
    ├── DataError          the data will not do                            exit 1
    │   ├── ReadError      a file, frame or row cannot be read as requested
    │   └── UnknownLabel   an outcome or rank label that nobody has mapped
    └── UsageError         a name, option or path that does not exist      exit 2
        └── MissingExtra   an optional library is not installed

Every message has one voice: what must hold; what came, by name and value; what to do.
"""


class BeatpathError(Exception):
    """Any error that beatpath raises on purpose."""

    exit_status = 1


class DataError(BeatpathError):
    """The data cannot carry what was asked of them."""


class ReadError(DataError):
    """A file, frame or row cannot be read as requested."""


class UnknownLabel(DataError):
    """An outcome or rank label that nobody has mapped."""


class UsageError(BeatpathError):
    """A name, option or path that does not exist."""

    exit_status = 2


class MissingExtra(UsageError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}, which is not installed: pip install 'beatpath[{extra}]'.")
