"""A ledger of battles that keep arriving: counts, and ratings beside them, to save and to carry on from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import Any

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath.evidence import Battles, Evidence, Factor, Pairs
from beatpath.evidence.conventions import Conventions
from beatpath.evidence.select import added
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.elo.online_elo import OnlineElo
from beatpath.methods.rating.glicko2.online_glicko2 import OnlineGlicko2
from beatpath.methods.rating.sco.online_sco import OnlineSco
from beatpath.methods.rating.weng_lin.online_weng_lin import OnlineWengLin
from beatpath.methods.registry import method_named
from beatpath.methods.run import ranking

Online = OnlineElo | OnlineGlicko2 | OnlineWengLin | OnlineSco
RATINGS: dict[str, type[Online]] = {
    "elo": OnlineElo,
    "glicko2": OnlineGlicko2,
    "weng_lin": OnlineWengLin,
    "sco": OnlineSco,
}  # that a ledger can carry along, by the name of its field


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Everything that battles have left behind so far, ready for more.

    Parameters
    ----------
    by : sequence of str
        Columns that the counts are split by, besides the pair: ``["cluster"]`` keeps what robust errors need.
    elo : OnlineElo, optional
        Elo ratings to carry along, which take battles in the order of their times.
    glicko2 : OnlineGlicko2, optional
        Glicko-2 ratings; each batch is a rating period or more of its own.
    weng_lin : OnlineWengLin, optional
        Ratings of Weng and Lin, one step a battle.
    sco : OnlineSco, optional
        SCO ratings to carry along, one step a battle.
    pairs : Pairs
        The counts; none to begin with.
    strengths : mapping of agent to float
        Bradley-Terry strengths in log odds of the last `fit`, from which the next begins.
    batches : tuple of str
        Names of the batches added, none twice.
    seen : str
        The hash of the file that it was loaded from or saved to last, the only one that `save` writes over.

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
    A ledger does not change; `add` and `fit` return another. Counts added in parts are those counted at once, so every method
    that takes counts gives the same answer on `pairs`. Online ratings depend on the order, and give what rating in one go gives
    when each batch is later than the one before.
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
        """The online ratings that are carried along, by name."""
        return {name: one for name in RATINGS if (one := getattr(self, name)) is not None}

    def add(self, evidence: Evidence, *, batch: str | None = None) -> "Ledger":
        """Return the ledger with these battles too; where they do not fit, nothing has changed.

        Parameters
        ----------
        evidence : Battles or Pairs
            With the columns that the ledger is split by. Online ratings need battles.
        batch : str, optional
            A name, such as a date or a file. A name that is there already is refused, so that work repeated after a crash
            counts nothing twice.
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
        """Return the ledger with Bradley-Terry strengths of all counts so far, begun from those of the last fit.

        Parameters
        ----------
        **settings
            Conventions and settings, as for ``rank(pairs, "bradley_terry")``, all but `scale` and `start`.
        """
        fixed = [name for name in ("scale", "start", "anchor", "anchor_rating") if name in settings]
        if fixed:
            raise UsageError(f"a ledger keeps strengths in log odds of mean zero; {quoted(fixed[0])} is not for it.")
        named = {one.name for one in fields(Conventions)}
        chosen = Conventions(**{name: value for name, value in settings.items() if name in named})
        own = {name: value for name, value in settings.items() if name not in named}
        profile = profile_of(self.pairs.by(), chosen)
        found = ranking(profile, method_named("bradley_terry"), {"start": self.strengths, **own})
        return replace(self, strengths=dict(found.scores))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the ledger to a file that `beatpath.load` reads; a file of that name is replaced at once or not at all.

        Raises
        ------
        DataError
            When there is a file of that name that is not the one this ledger was loaded from or saved to last: another
            process may have added to it.
        """
        from beatpath.methods.online.ledger_file import save_ledger

        object.__setattr__(self, "seen", save_ledger(self, path))
