"""Battles as tensors, and their parting into those to learn from and those held out."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from beatpath._errors import DataError
from beatpath._text import listed
from beatpath.evidence import Battles
from beatpath.inference.learned.contexts import ContextFeatures


@dataclass(frozen=True, slots=True, eq=False)
class BattleColumns:
    """The rows (a, b, x, y) of Soft Tournament Equilibrium, with a weight each.

    Parameters
    ----------
    a, b : (t,) int
    x : (t, d) float
        Contexts.
    y, weight : (t,) float
        The outcome for *a*, and how much it counts.

    Examples
    --------
    >>> rows = BattleColumns.of(Battles.of([("ada", "bob", 1), ("bob", "ada", 0.5)]), ContextFeatures())
    >>> rows.a.tolist(), rows.y.tolist(), tuple(rows.x.shape)
    ([0, 1], [1.0, 0.5], (2, 0))
    """

    a: Tensor
    b: Tensor
    x: Tensor
    y: Tensor
    weight: Tensor

    @classmethod
    def of(cls, battles: Battles, features: ContextFeatures) -> "BattleColumns":
        """Take the battles whose weight is not zero; every agent must be in one of them."""
        weight = np.ones(len(battles)) if battles.weight is None else battles.weight
        kept = np.flatnonzero(weight)
        a, b = battles.a[kept].astype(np.int64), battles.b[kept].astype(np.int64)
        unseen = np.flatnonzero(np.bincount(np.concatenate([a, b]), minlength=len(battles.agents)) == 0)
        if unseen.size:
            raise DataError(
                f"every agent must have at least one battle to learn from; {listed(battles.agents[i] for i in unseen)} "
                "have none. Leave them out with `only`."
            )
        if not kept.size:
            raise DataError("there must be at least one battle to learn from; there is none.")
        columns = (a, b, features.rows(battles)[kept], battles.outcome[kept], weight[kept])
        return cls(*(torch.from_numpy(np.array(values)) for values in columns))

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Tensor) -> "BattleColumns":
        """Return the chosen rows."""
        return BattleColumns(self.a[rows], self.b[rows], self.x[rows], self.y[rows], self.weight[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Rows to learn from, rows that say when to stop, and rows that neither has seen, for calibration; the two may be None."""

    learn: BattleColumns
    stop: BattleColumns | None
    calibrate: BattleColumns | None


def parted(rows: BattleColumns, held_out: float, generator: torch.Generator) -> Parts:
    """Part rows at random: a share is held out, half of it to stop by and half to calibrate by.

    >>> rows = BattleColumns.of(Battles.of([("ada", "bob", 1)] * 10), ContextFeatures())
    >>> parts = parted(rows, 0.4, torch.Generator().manual_seed(0))
    >>> len(parts.learn), len(parts.stop), len(parts.calibrate)
    (6, 2, 2)
    """
    half = round(held_out * len(rows) / 2)
    if half == 0:
        return Parts(rows, None, None)
    order = torch.randperm(len(rows), generator=generator)
    stop, calibrate, learn = order[:half], order[half : 2 * half], order[2 * half :].sort().values
    return Parts(rows.take(learn), rows.take(stop), rows.take(calibrate))
