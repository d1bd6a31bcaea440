"""Writing whole files or none: beside the place first, then moved there."""

import os
import tempfile
from pathlib import Path

from beatpath._errors import UsageError
from beatpath._text import shown


def written(path: Path, text: str) -> None:
    """Write a text file so that its place holds the old file or the new one, never a part of either.

    Raises
    ------
    UsageError
        When the path cannot be written, with the reason; nothing is left behind then.
    """
    data = text.encode("utf-8")
    beside: str | None = None
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(beside, _usual_mode())
        os.replace(beside, path)
    except (OSError, ValueError) as error:
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"the report must go where a file can be written; {shown(path)} cannot be: {why}.") from None
    except BaseException:  # interrupted: leave nothing behind
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)
        raise


def _usual_mode() -> int:
    """The permissions that a new file would have, which a temporary one has not."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
