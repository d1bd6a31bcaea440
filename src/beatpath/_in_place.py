"""Files that appear whole or not at all."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from beatpath._errors import UsageError
from beatpath._text import quoted, shown


@contextmanager
def in_place(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its place when all went well, and vanishes when not."""
    if not target.parent.is_dir():
        raise UsageError(f"the folder of the output must exist; {quoted(target.parent)} does not.")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".beatpath-") as folder:
            path = Path(folder) / target.name
            yield path
            path.replace(target)
    except OSError as error:
        raise UsageError(f"{shown(target)} cannot be written: {error.strerror or error}.") from None
