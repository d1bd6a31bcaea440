"""`load`: whatever was saved, told apart by what it says of itself."""

import json
import zipfile
from os import PathLike, fspath
from pathlib import Path

from beatpath._errors import ReadError
from beatpath._text import quoted, shown, suggestion
from beatpath.methods.online.ledger import RATINGS, Ledger, Online
from beatpath.methods.online.ledger_file import load_ledger

STATES: dict[str, type[Online]] = {f"online_{name}": kind for name, kind in RATINGS.items()}


def load(path: str | PathLike[str]) -> Ledger | Online:
    """Read what `save` of a `Ledger` or of online ratings wrote, and carry on from it.

    Raises
    ------
    ReadError
        When the file is none of these, is damaged, or is of a version that this beatpath does not know.

    Examples
    --------
    >>> import tempfile
    >>> from beatpath import Battles, OnlineElo
    >>> path = Path(tempfile.mkdtemp()) / "arena"
    >>> Ledger().add(Battles.of([("ada", "bob", 1)])).save(path)
    >>> load(path).add(Battles.of([("bob", "ada", 1)])).pairs.counts
    array([[1., 1., 0., 0.]])
    >>> OnlineElo(k=32).update(Battles.of([("ada", "bob", 1)])).save(path)
    >>> load(path).ratings
    {'ada': 1016.0, 'bob': 984.0}
    """
    try:
        if zipfile.is_zipfile(fspath(path)):
            return load_ledger(path)
        data = Path(fspath(path)).read_bytes()
    except OSError as error:
        raise ReadError(f"{shown(path)} cannot be read: {error.strerror or error}.") from None
    try:
        state = json.loads(data)
        kind = state["type"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ReadError(
            f"{shown(path)} must be a whole file that `save` wrote, a ledger or a state with its `type`; it is none, or "
            "damaged. Take an older copy, or count anew."
        ) from None
    if kind not in STATES:
        known = ("ledger", *STATES)
        raise ReadError(
            f"{shown(path)} must be one of {', '.join(known)}; it says it is {quoted(kind)}.{suggestion(str(kind), known)}"
        )
    return STATES[kind].from_dict(state)
