r"""A ledger of battles that keep arriving: counts, online ratings, and the last fit, in one file.

The file is a zip archive of a JSON header with type and version, and of arrays; no pickle. `load` reads any saved
state by its header.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from beatpath._atomic_write import alone, whole_file
from beatpath._errors import DataError, ReadError, UsageError
from beatpath._memory import require_memory
from beatpath._result import SCHEMA_VERSION
from beatpath._saved import restored
from beatpath._schema import dumps
from beatpath._text import counted, quoted, shown, suggestion
from beatpath._validate import require_kind
from beatpath._version import __version__
from beatpath.evidence import Battles, Convention, Evidence, Factor, Pairs, Reading
from beatpath.evidence.conventions import Conventions
from beatpath.evidence.select import added
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.elo import OnlineElo
from beatpath.methods.rating.glicko2 import OnlineGlicko2
from beatpath.methods.rating.sco.online_sco import OnlineSco
from beatpath.methods.rating.weng_lin import OnlineWengLin
from beatpath.methods.registry import method_named
from beatpath.methods.run import ranking

Online = OnlineElo | OnlineGlicko2 | OnlineWengLin | OnlineSco  # any online rating
# ratings that a ledger can hold, by the name of its field
RATINGS: dict[str, type[Online]] = {
    "elo": OnlineElo,
    "glicko2": OnlineGlicko2,
    "weng_lin": OnlineWengLin,
    "sco": OnlineSco,
}


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Running counts and ratings of battles that arrive in batches.

    Use it to update a leaderboard without keeping all battles in memory.

    Parameters
    ----------
    by : sequence of str
        Columns that split the counts, besides the pair: ``["cluster"]`` keeps what cluster-robust standard errors
        need.
    elo : OnlineElo, optional
        Elo ratings to update, which take battles in the order of their times.
    glicko2 : OnlineGlicko2, optional
        Glicko-2 ratings; each batch is at least one rating period.
    weng_lin : OnlineWengLin, optional
        Ratings of Weng and Lin, one step per battle.
    sco : OnlineSco, optional
        SCO ratings, one step per battle.
    pairs : Pairs
        The counts; empty by default.
    strengths : mapping of agent to float
        Bradley-Terry strengths in log odds of the last `fit`, from which the next starts.
    batches : tuple of str
        Names of the batches added, all distinct.
    seen : str
        Hash of the file that it was last loaded from or saved to, the only one that `save` overwrites.

    Examples
    --------
    >>> monday = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("ada", "bob", 1)])
    >>> ledger = Ledger(elo=OnlineElo(k=32)).add(monday, batch="monday").fit()
    >>> ledger.pairs.counts, {name: round(x, 4) for name, x in ledger.strengths.items()}
    (array([[2., 1., 0., 0.]]), {'ada': 0.3466, 'bob': -0.3466})
    >>> ledger = ledger.add(Battles.of([("cyd", "ada", 1), ("ada", "cyd", 1)]), batch="tuesday")
    >>> ledger
    Ledger(3 agents, 2 cells, 5 battles, 2 batches)

    Notes
    -----
    A ledger is immutable; `add` and `fit` return a new one. Counts added in batches equal those of all battles
    together, so every method that takes counts gives the same result on `pairs`. Online ratings depend on the order,
    and give the result of a single pass if each batch is later than the one before.
    """

    by: tuple[str, ...] = ()
    elo: OnlineElo | None = None
    glicko2: OnlineGlicko2 | None = None
    weng_lin: OnlineWengLin | None = None
    sco: OnlineSco | None = None
    pairs: Pairs = None  # type: ignore[assignment]
    strengths: Mapping[str, float] = field(default_factory=dict)
    batches: tuple[str, ...] = ()
    seen: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", (self.by,) if isinstance(self.by, str) else tuple(self.by))
        if self.pairs is None:
            keys = {name: Factor.of([]) for name in self.by}
            object.__setattr__(self, "pairs", Pairs((), np.empty(0), np.empty(0), np.empty((0, 4)), keys=keys))

    def __repr__(self) -> str:
        inside = repr(self.pairs).removeprefix("Pairs(").removesuffix(")")
        return f"Ledger({inside}, {counted(len(self.batches), 'batch', 'batches')})"

    @property
    def ratings(self) -> dict[str, Online]:
        """The online ratings of the ledger, by name."""
        return {name: one for name in RATINGS if (one := getattr(self, name)) is not None}

    def add(self, evidence: Evidence, *, batch: str | None = None) -> "Ledger":
        """Return the ledger with these battles added; an error leaves it unchanged.

        Parameters
        ----------
        evidence : Battles or Pairs
            Evidence with the columns that split the ledger. Online ratings need battles.
        batch : str, optional
            A name, such as a date or a file. A repeated name raises an error, so work repeated after a crash counts
            nothing twice.
        """
        if batch is not None and batch in self.batches:
            raise DataError(
                f"a batch is added once; {quoted(batch)} is there already. Load the ledger, and go on after it."
            )
        if not isinstance(evidence, Battles | Pairs):
            raise UsageError(
                f"a ledger takes battles or pairs; got {getattr(evidence, 'kind', type(evidence).__name__)}."
            )
        if isinstance(evidence, Pairs) and self.ratings:
            raise UsageError("online ratings follow battles one by one; pairs are counts. Add the battles themselves.")
        counts = evidence.pairs(self.by) if isinstance(evidence, Battles) else evidence.by(*self.by)
        rated = {name: one.update(evidence) for name, one in self.ratings.items() if isinstance(evidence, Battles)}
        return replace(
            self,
            pairs=added([self.pairs, counts]),
            batches=self.batches if batch is None else (*self.batches, str(batch)),
            **rated,  # type: ignore[arg-type]
        )

    def fit(self, **settings: Any) -> "Ledger":
        """Return the ledger with Bradley-Terry strengths of all counts so far, starting from the last fit.

        Parameters
        ----------
        **settings
            Conventions and settings, as for ``rank(pairs, "bradley_terry")``, except `scale` and `start`.
        """
        fixed = [name for name in ("scale", "start", "anchor", "anchor_rating") if name in settings]
        if fixed:
            raise UsageError(f"a ledger keeps strengths in log odds of mean zero; {quoted(fixed[0])} is not for it.")
        named = {one.name for one in fields(Conventions)}
        chosen = Conventions(**{name: value for name, value in settings.items() if name in named})
        own = {name: value for name, value in settings.items() if name not in named}
        profile = profile_of(self.pairs.by(), chosen)
        result = ranking(profile, method_named("bradley_terry"), {"start": self.strengths, **own})
        return replace(self, strengths=dict(result.scores))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the ledger to a file that `beatpath.online.load` reads; an existing file is replaced atomically.

        Raises
        ------
        DataError
            If the file is not the one that this ledger was last loaded from or saved to, since another process may
            have added to it.
        """
        object.__setattr__(self, "seen", save_ledger(self, path))


# Type in the header, name of the header, and names of the arrays of a file.
TYPE = "ledger"
HEADER = "ledger.json"
COPIES = 3  # of the arrays of an archive that are in memory at a time while it is loaded
ARRAYS = ("a", "b", "counts", "battles", "squares", "soft")


def save_ledger(ledger: Ledger, path: str | PathLike[str]) -> str:
    """Write a ledger atomically, and return the hash of its file."""
    pairs = ledger.pairs
    arrays = {name: getattr(pairs, name) for name in ARRAYS if getattr(pairs, name) is not None}
    arrays |= {f"key{i}": factor.codes for i, factor in enumerate(pairs.keys.values())}
    header = {
        "schema_version": SCHEMA_VERSION,
        "type": TYPE,
        "written_by": f"beatpath {__version__}",
        "by": ledger.by,
        "batches": ledger.batches,
        "strengths": ledger.strengths,
        "ratings": ledger.ratings,
        "agents": pairs.agents,
        "keys": [(name, factor.levels) for name, factor in pairs.keys.items()],
        "conventions": pairs.conventions,
        "reading": pairs.reading,
    }
    with alone(path), whole_file(path) as target:
        _require_ledger(ledger, Path(path))
        with target.open("wb") as stream:
            np.savez_compressed(stream, **arrays)
        with zipfile.ZipFile(target, "a") as archive:  # a member without a date, so that equal ledgers are equal files
            archive.writestr(zipfile.ZipInfo(HEADER), dumps(header), zipfile.ZIP_DEFLATED)
        return _hash(target.read_bytes())


def _require_ledger(ledger: Ledger, path: Path) -> None:
    """Raise an error if the file is not the one that this ledger knows."""
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


@dataclass(frozen=True, slots=True)
class _Header:
    """What a file says of a ledger besides its arrays, its type and its version."""

    by: tuple[str, ...]
    batches: tuple[str, ...]
    strengths: Mapping[str, float]
    ratings: Mapping[str, Any]  # states, each by the schema of its class
    agents: tuple[str, ...]
    keys: tuple[tuple[str, tuple[str, ...]], ...]
    conventions: tuple[Convention, ...]
    reading: Reading | None


def _ledger(header: _Header, stored: Mapping[str, Any]) -> Ledger:
    arrays: dict[str, Any] = {name: stored.get(name) for name in ARRAYS}
    keys = {name: Factor(stored[f"key{i}"], levels) for i, (name, levels) in enumerate(header.keys)}
    if set(header.by) != set(keys):
        raise ValueError("keys are amiss")
    pairs = Pairs(header.agents, **arrays, keys=keys, conventions=header.conventions, reading=header.reading)
    rated = {name: RATINGS[name].from_dict(state) for name, state in header.ratings.items()}
    ledger = Ledger(header.by, pairs=pairs, strengths=header.strengths, batches=header.batches)
    return replace(ledger, **rated)  # type: ignore[arg-type]


# online ratings by the type in their files
STATES: dict[str, type[Online]] = {f"online_{name}": kind for name, kind in RATINGS.items()}


def load(path: str | PathLike[str]) -> Ledger | Online:
    """Read what `save` of a `Ledger` or of online ratings wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Ledger, OnlineElo, OnlineGlicko2, OnlineWengLin or OnlineSco

    Raises
    ------
    ReadError
        If the file is none of these, is damaged, or has an unknown version.

    See Also
    --------
    Ledger : Counts and ratings of battles that arrive in batches.

    Examples
    --------
    >>> import tempfile
    >>> from beatpath import Battles
    >>> from beatpath.online import OnlineElo
    >>> path = Path(tempfile.mkdtemp()) / "arena"
    >>> Ledger().add(Battles.of([("ada", "bob", 1)])).save(path)
    >>> load(path).add(Battles.of([("bob", "ada", 1)])).pairs.counts
    array([[1., 1., 0., 0.]])
    >>> OnlineElo(k=32).update(Battles.of([("ada", "bob", 1)])).save(path)
    >>> load(path).ratings
    {'ada': 1016.0, 'bob': 984.0}
    """
    require_kind("path", path, "the path of a file that `save` wrote", str, PathLike)
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # a name that no file can have is a ValueError
        raise ReadError(f"{shown(path)} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    try:
        stored = _stored(content)
        header = json.loads(stored[HEADER])
        if header["type"] == TYPE and header["schema_version"] == SCHEMA_VERSION:
            return replace(_ledger(restored(_Header, header, "the header"), stored), seen=_hash(content))
        kind, version, writer = (header.get(name) for name in ("type", "schema_version", "written_by"))
    except Exception as error:  # damage can raise anything in zip, JSON and arrays
        raise ReadError(
            f"{shown(path)} must be a whole file that `save` wrote, a ledger or a state with its `type`; it is none, or damaged "
            f"({shown(error, 160)}). Take an older copy, or count anew."
        ) from error
    if kind == TYPE:
        raise ReadError(
            f"{shown(path)} must be of version {SCHEMA_VERSION}, the one that this beatpath ({__version__}) reads; it is of version "
            f"{quoted(version)}, by {quoted(writer)}. Read it with that, or count anew."
        )
    if not isinstance(kind, str) or kind not in STATES:
        known = (TYPE, *STATES)
        raise ReadError(
            f"{shown(path)} must be one of {', '.join(known)}; it says it is {quoted(kind)}.{suggestion(str(kind), known)}"
        )
    return STATES[kind].from_dict(header)


def _stored(content: bytes) -> dict[str, Any]:
    """The members of a file by name: of an archive, or the text of a state as its only header."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return {HEADER: content}
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        size = sum(member.file_size for member in packed.infolist())
    require_memory(COPIES * size, "its arrays", "A ledger is as large as its cells.")
    with np.load(io.BytesIO(content)) as archive:
        return dict(archive)
