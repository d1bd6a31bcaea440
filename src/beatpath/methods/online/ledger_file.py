"""The file of a ledger: a zip of a JSON header, which says type and version, and of arrays. No pickle."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._atomic_write import alone, whole_file
from beatpath._errors import DataError, ReadError
from beatpath._result import SCHEMA_VERSION
from beatpath._schema import dumps
from beatpath._text import quoted, shown
from beatpath._version import __version__
from beatpath.evidence import Convention, Factor, Pairs, Reading
from beatpath.methods.online.ledger import RATINGS, Ledger

TYPE = "ledger"
HEADER = "ledger.json"
ARRAYS = ("a", "b", "counts", "battles", "squares", "soft")


def save_ledger(ledger: Ledger, path: str | PathLike[str]) -> str:
    """Write a ledger, and return the hash of its file; what was there before is replaced when all is written."""
    pairs = ledger.pairs
    arrays = {name: getattr(pairs, name) for name in ARRAYS if getattr(pairs, name) is not None}
    arrays |= {f"key{i}": factor.codes for i, factor in enumerate(pairs.keys.values())}
    with alone(path), whole_file(path) as target:
        _require_seen(ledger, Path(path))
        with zipfile.ZipFile(target, "w") as archive:
            _put(archive, HEADER, dumps(_ledger_header(ledger)).encode("ascii"))
            for name, array in arrays.items():
                stream = io.BytesIO()
                np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
                _put(archive, f"{name}.npy", stream.getvalue())
        return _hash(target.read_bytes())


def _require_seen(ledger: Ledger, path: Path) -> None:
    """Raise where another file stands in the place than the one this ledger knows."""
    if not path.is_file() or _hash(path.read_bytes()) == ledger.seen:
        return
    if ledger.seen:
        raise DataError(
            f"{shown(path)} must be as this ledger left it; it has changed since, perhaps by another process. Load it, add to "
            "that, and save again."
        )
    raise DataError(
        f"{shown(path)} must not be there, or be loaded before it is written over; this ledger was not loaded from it. Load it "
        "and add to that, or save under another name."
    )


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a member without a date, so that the same ledger is the same file."""
    archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def _ledger_header(ledger: Ledger) -> dict[str, Any]:
    pairs = ledger.pairs
    return {
        "schema_version": SCHEMA_VERSION,
        "type": TYPE,
        "written_by": f"beatpath {__version__}",
        "by": list(ledger.by),
        "batches": list(ledger.batches),
        "strengths": dict(ledger.strengths),
        "ratings": {name: one.to_dict() for name, one in ledger.ratings.items()},
        "agents": list(pairs.agents),
        "keys": [[name, list(factor.levels)] for name, factor in pairs.keys.items()],
        "conventions": [made.to_dict() for made in pairs.conventions],
        "reading": None if pairs.reading is None else pairs.reading.to_dict(),
    }


def load_ledger(path: str | PathLike[str]) -> Ledger:
    """Read a ledger that `Ledger.save` wrote, and carry on from it.

    Raises
    ------
    ReadError
        When the file is no ledger, is damaged, or is of a version that this beatpath does not know.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beatpath import Battles
    >>> path = Path(tempfile.mkdtemp()) / "arena.ledger"
    >>> Ledger().add(Battles.of([("ada", "bob", 1)])).save(path)
    >>> load_ledger(path).add(Battles.of([("bob", "ada", 1)])).pairs.counts
    array([[1., 1., 0., 0.]])
    """
    try:
        content = Path(path).read_bytes()
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            header = json.loads(archive.read(HEADER))
            _require_version(header, path)
            arrays = {name: _stored_array(archive, f"{name}.npy") for name in ARRAYS}
            codes = [_stored_array(archive, f"key{i}.npy") for i in range(len(header["keys"]))]
        return replace(_ledger(header, arrays, codes), seen=_hash(content))
    except _WrongVersion:
        raise
    except OSError as error:
        raise ReadError(f"{shown(path)} cannot be read: {error.strerror or error}.") from None
    except Exception as error:  # whatever damage makes of a zip, of JSON and of arrays
        raise ReadError(
            f"{shown(path)} must be a whole file that `Ledger.save` wrote; it is none, or damaged ({shown(error, 160)}). "
            "Take an older copy, or count anew."
        ) from error


class _WrongVersion(ReadError):
    """Of another version, not damaged."""


def _require_version(header: Mapping[str, Any], path: object) -> None:
    if header["type"] != TYPE:
        raise _WrongVersion(f"{shown(path)} must be a {TYPE}; it says it is {quoted(header['type'])}.")
    if header["schema_version"] != SCHEMA_VERSION:
        raise _WrongVersion(
            f"{shown(path)} must be of version {SCHEMA_VERSION}, the one that this beatpath ({__version__}) reads; it is of version "
            f"{quoted(header['schema_version'])}, by {quoted(header.get('written_by'))}. Read it with that, or count anew."
        )


def _stored_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any] | None:
    if name not in archive.namelist():
        return None
    return np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)


def _ledger(header: Mapping[str, Any], arrays: Mapping[str, Any], codes: list[Any]) -> Ledger:
    keys = {name: Factor(code, tuple(levels)) for (name, levels), code in zip(header["keys"], codes, strict=True)}
    reading, strengths = header["reading"], {str(n): float(x) for n, x in header["strengths"].items()}
    if set(header["by"]) != set(keys) or not all(map(isfinite, strengths.values())):
        raise ValueError("keys or strengths are amiss")
    pairs = Pairs(
        tuple(header["agents"]),
        **arrays,
        keys=keys,
        conventions=tuple(Convention(**made) for made in header["conventions"]),
        reading=None if reading is None else Reading(**{name: _frozen(value) for name, value in reading.items()}),
    )
    rated = {name: RATINGS[name].from_dict(state) for name, state in header["ratings"].items()}
    return Ledger(
        tuple(header["by"]),
        pairs=pairs,
        strengths=strengths,
        batches=tuple(header["batches"]),
        **rated,  # type: ignore[arg-type]
    )


def _frozen(value: Any) -> Any:
    """A list as the tuple it was before JSON."""
    return tuple(value) if isinstance(value, list) else value
