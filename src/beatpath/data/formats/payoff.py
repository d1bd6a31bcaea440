r"""Payoff matrices of symmetric two-player games, in NumPy's ``.npz`` and ``.npy`` formats.

:math:`M_{ab}` is the payoff of *a* against *b*, so :math:`M = -M^\top`. A matrix of win rates, with :math:`P + P^\top
= 1`, is recognized as such.
"""

import contextlib
import io
import lzma
import math
import re
import struct
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, ReadError, UsageError
from beatpath._text import listed, quoted, shown
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.sources.memory import require_memory
from beatpath.data.sources.source import HEAD, Options, Source
from beatpath.evidence import Margins, Reading, WinRates
from beatpath.evidence.arrays import agent_names

# Arrays of an .npz file that may hold the agents' names.
NAMES = ("agents", "names")
_COPIES = 6  # copies of a matrix that are in memory at the same time
# First bytes of the files.
MAGIC = {".npy": b"\x93NUMPY", ".npz": b"PK"}


_FAILURES = (  # raised by numpy and zipfile for files that are damaged, encrypted, pickled or too large
    ValueError, TypeError, LookupError, ArithmeticError, OSError, EOFError, RuntimeError, MemoryError, SyntaxError,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError,
)  # fmt: skip


def read_payoff(sources: Sequence[Source], options: Options) -> Margins | WinRates:
    """Read one square matrix: margins if it is antisymmetric, win rates if the entries of each pair sum to one."""
    if len(sources) != 1:
        raise UsageError(
            f"one payoff matrix can be read at a time; got {len(sources)} files, {listed(s.name for s in sources)}. "
            "Name one of them."
        )
    source = sources[0]
    arrays = _arrays(source)
    payoff = _payoff_array(arrays, source)
    agents = _agents_of_arrays(arrays, len(payoff), source)
    matrix = payoff.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(matrix))
    if len(wrong):
        a, b = wrong[0]
        raise ReadError(
            f"payoffs must be finite; {shown(source.name)} has {matrix[a, b]:g} for {quoted(agents[a])} against "
            f"{quoted(agents[b])} ({len(wrong):,} such entries). Fill them in, or leave these agents out."
        )
    reading = Reading((source.name,), "payoff", len(agents), len(agents))
    tol = 1e-9 if payoff.dtype.kind != "f" else max(1e-9, 4 * float(np.finfo(payoff.dtype).eps))
    skew, diagonal = np.abs(matrix + matrix.T).max(), np.diag(matrix)
    if skew <= tol * np.abs(matrix).max():
        notes = [f"made exactly antisymmetric as (M - M^T) / 2; the largest |M + M^T| was {skew:.2g}"] if skew else []
        return Margins((matrix - matrix.T) / 2, agents, reading=replace(reading, notes=tuple(notes)))
    gap = np.abs(matrix + matrix.T - 1)[~np.eye(len(matrix), dtype=bool)].max(initial=0.0)
    plain = (np.abs(diagonal - 0.5) <= tol).all() or (diagonal == 0).all()
    if gap <= tol and -tol <= matrix.min() and plain:
        notes = ["entries from 0 to 1 that add up to 1 over each pair: read as win rates"]
        notes += [f"made exactly complementary; the largest |P + P^T - 1| was {gap:.2g}"] if gap else []
        notes += ["the diagonal was 0 and is now 1/2"] if (diagonal == 0).all() else []
        rates = np.clip((matrix + 1 - matrix.T) / 2, 0, 1)
        return WinRates(rates, agents, reading=replace(reading, notes=tuple(notes)))
    a, b = np.unravel_index(np.argmax(np.abs(matrix + matrix.T)), matrix.shape)
    raise ReadError(
        f"a payoff matrix must equal minus its transpose (or hold win rates that add up to 1 over each pair); "
        f"{shown(source.name)} has {matrix[a, b]:g} for {quoted(agents[a])} against {quoted(agents[b])} and "
        f"{matrix[b, a]:g} the other way. For a game that is not zero-sum or not symmetric, build `Margins` yourself."
    )


def _arrays(source: Source) -> dict[str, NDArray[Any]]:
    """Load every array without unpickling; any failure is reported as a damaged file."""
    data = source.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about old headers: the arrays are validated below
        _require_small(data, source)
        try:
            arrays = np.load(io.BytesIO(data), allow_pickle=False)
            if isinstance(arrays, np.ndarray):
                return {"payoff": arrays}
            with arrays:
                return {name: arrays[name] for name in arrays.files}
        except _FAILURES as error:
            raise ReadError(
                f"{shown(source.name)} must be a NumPy .npy or .npz file of plain numbers; it cannot be loaded: "
                f"{shown(error, 160)}. Write it again with `numpy.savez`, without object arrays."
            ) from None


def _require_small(data: bytes, source: Source) -> None:
    """Raise an error if the headers announce arrays that do not fit into memory."""
    with contextlib.suppress(*_FAILURES):  # damaged files raise an error on loading
        if data.startswith(MAGIC[".npy"]):
            sizes = [_npy_bytes(io.BytesIO(data))]
        else:
            with zipfile.ZipFile(io.BytesIO(data)) as members:
                sizes = []
                for info in members.infolist():
                    with members.open(info) as member:
                        sizes.append(max(info.file_size, _npy_bytes(io.BytesIO(member.read(HEAD)))))
        require_memory(_COPIES * sum(sizes), f"the arrays of {shown(source.name)}")


def _npy_bytes(stream: io.BytesIO) -> int:
    """Size in bytes of the array that a header announces."""
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    return math.prod(shape) * dtype.itemsize


def _payoff_array(arrays: Mapping[str, NDArray[Any]], source: Source) -> NDArray[Any]:
    """The array named ``payoff``, otherwise the only one that does not hold names."""
    others = [name for name in arrays if name not in NAMES]
    key = "payoff" if "payoff" in arrays else others[0] if len(others) == 1 else None
    if key is None:
        raise ReadError(
            f"{shown(source.name)} must hold one array, or one called 'payoff'; it holds {listed(arrays) or 'none'}. "
            "Write it again with `numpy.savez(file, payoff=matrix)`."
        )
    matrix = arrays[key]
    if not isinstance(matrix, np.ndarray) or matrix.dtype.kind not in "biuf":
        kind = getattr(matrix, "dtype", type(matrix).__name__)
        raise ReadError(
            f"{quoted(key)} in {shown(source.name)} must hold real numbers; it holds {shown(kind)}. Convert it first."
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ReadError(
            f"{quoted(key)} in {shown(source.name)} must be square, one row and one column an agent; "
            f"its shape is {matrix.shape}. Payoffs of games with more players cannot be read."
        )
    return matrix


def _agents_of_arrays(arrays: Mapping[str, NDArray[Any]], n_agents: int, source: Source) -> tuple[str, ...]:
    """The names in ``agents`` or ``names``, otherwise numbers padded with zeros so that they sort."""
    key = next((name for name in NAMES if name in arrays), None)
    if key is None:
        width = len(str(n_agents - 1))
        return tuple(f"{i:0{width}d}" for i in range(n_agents))
    array = arrays[key]
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "USiu" or array.shape != (n_agents,):
        raise ReadError(
            f"{quoted(key)} in {shown(source.name)} must hold {n_agents} names, one a row of the matrix; "
            f"it has the shape {getattr(array, 'shape', None)} and the type {getattr(array, 'dtype', None)}."
        )
    if array.dtype.kind == "U" and array.nbytes and array.view(f"{array.dtype.byteorder}u4").max() > sys.maxunicode:
        raise ReadError(
            f"{quoted(key)} in {shown(source.name)} must hold Unicode text; it holds numbers that no character has. "
            "Write it again with `numpy.savez`."
        )
    try:
        names = [name.decode() if isinstance(name, bytes) else str(name) for name in array.tolist()]
        return agent_names(names)
    except (ValueError, DataError) as error:
        raise ReadError(
            f"{quoted(key)} in {shown(source.name)} must hold distinct names; it does not: {shown(error, 200)}"
        ) from None


def claims_payoff(head: Head) -> bool:
    """Whether a file starts with NumPy's magic bytes, or is a zip file with extension .npz."""
    magic = MAGIC.get(head.source.suffix, MAGIC[".npy"])
    return not head.start or head.start.startswith((magic, MAGIC[".npy"]))


reader = Reader(
    "payoff",
    "payoff or win-rate matrix of a symmetric game (.npz, .npy)",
    claims_payoff,
    read_payoff,
    sign=re.compile(rb"\A\x93NUMPY"),
    endings=tuple(MAGIC),
)
