"""Features of contexts and battles, the distribution Q of contexts, and train/validation splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted
from beatpath._validate import mixture_shares, require_known
from beatpath.evidence import Battles

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ContextFeatures:
    """Encoding of named columns of battles as numeric features of a context.

    Parameters
    ----------
    covariates : tuple of (name, mean, scale)
        Numbers are standardized; unknown ones become 0, the mean.
    factors : tuple of (name, levels)
        One-hot encoding; a missing level is 0 in all.

    Examples
    --------
    >>> from beatpath import Factor
    >>> rows = [("ada", "bob", 1), ("ada", "bob", 0)]
    >>> battles = Battles.of(rows, factors={"task": Factor.of(["code", "math"])}, covariates={"size": [1.0, 3.0]})
    >>> features = ContextFeatures.of(battles, ["task", "size"])
    >>> features.rows(battles)
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    """

    covariates: tuple[tuple[str, float, float], ...] = ()
    factors: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, battles: Battles, names: Sequence[str]) -> "ContextFeatures":
        """Learn means, scales and levels from the battles' columns."""
        for name in names:
            _require_column(battles, name)
        numbers = [name for name in names if name in battles.covariates]
        words = [name for name in names if name not in battles.covariates]
        return cls(
            tuple((name, *_mean_and_scale(battles.covariates[name])) for name in numbers),
            tuple((name, battles.factors[name].levels) for name in words),
        )

    def __len__(self) -> int:
        return len(self.covariates) + sum(len(levels) for _, levels in self.factors)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, covariates first."""
        return (*(name for name, _, _ in self.covariates), *(name for name, _ in self.factors))

    def rows(self, battles: Battles) -> Matrix:
        """Return the context of every battle, shape (t, d)."""
        for name in self.names:
            _require_column(battles, name)
        numbers = [
            np.nan_to_num((battles.covariates[name] - mean) / scale)[:, None] for name, mean, scale in self.covariates
        ]
        return np.concatenate(
            [np.zeros((len(battles), 0)), *numbers, *(self._columns(battles, *f) for f in self.factors)], 1
        )

    def _columns(self, battles: Battles, name: str, levels: tuple[str, ...]) -> Matrix:
        factor = battles.factors[name]
        unknown = sorted(set(factor.levels) - set(levels))
        if unknown:
            raise UsageError(
                f"a context must be one that {quoted(name)} had in learning ({listed(levels)}); got {listed(unknown)}."
            )
        own = np.array([levels.index(level) for level in factor.levels] or [0])
        return (own[factor.codes][:, None] == np.arange(len(levels))) & (factor.codes >= 0)[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class ContextDistribution:
    """Distinct contexts with their probabilities: Q.

    Parameters
    ----------
    contexts : (k, d) tensor
        Features of each context.
    share : (k,) tensor
        Probabilities, summing to one.
    """

    contexts: Tensor
    share: Tensor

    @classmethod
    def of(
        cls, features: ContextFeatures, battles: Battles, by: str | None, mixture: Mapping[str, float] | None
    ) -> "ContextDistribution":
        """Return the contexts of the battles as they occur, or with the levels of column `by` weighted by `mix`."""
        weight = np.ones(len(battles)) if battles.weight is None else battles.weight
        if by is not None or mixture is not None:
            weight = weight * _mixture_weights(features, battles, by, mixture, weight)
        rows, place = np.unique(features.rows(battles), axis=0, return_inverse=True)
        share = np.bincount(place.ravel(), weight)
        present = share > 0
        return cls(torch.from_numpy(rows[present]), torch.from_numpy(share[present] / share.sum()))

    def draw(self, most: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return all contexts with probabilities if at most `most`, else that many equally weighted draws."""
        if len(self.share) <= most:
            return self.contexts, self.share
        sample = torch.multinomial(self.share, most, replacement=True, generator=generator)
        return self.contexts[sample], torch.full((most,), 1 / most, dtype=self.share.dtype)


def _mean_and_scale(values: Matrix) -> tuple[float, float]:
    """Return the mean and standard deviation of the known values; 0 and 1 where undefined."""
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    return float(known.mean()), float(known.std()) or 1.0


def _mixture_weights(
    features: ContextFeatures, battles: Battles, by: str | None, mixture: Mapping[str, float] | None, weight: Matrix
) -> Matrix:
    """Return factors of each battle's weight that give the levels the weights of the mixture."""
    levels = dict(features.factors).get(by or "", ())
    if by is None or mixture is None or not levels:
        raise UsageError(
            f"`by` and `mix` go together, and `by` must be a column of names in `context` "
            f"({listed(name for name, _ in features.factors) or 'it has none'}); got {quoted(by)}."
        )
    share = mixture_shares(mixture, levels, by)
    factor = battles.factors[by]
    mass = np.bincount(factor.codes + 1, weight, len(factor.levels) + 1)[1:]
    shares = np.array([share.get(level, 0.0) for level in factor.levels])
    empty = [level for level, want, there in zip(factor.levels, shares, mass, strict=True) if want and not there]
    if empty:
        raise UsageError(f"a context of `mix` must have battles that weigh something; {listed(empty)} have none.")
    scale = np.divide(shares, mass, out=np.zeros_like(mass), where=mass > 0)
    return np.append(scale, 0.0)[factor.codes]


def _require_column(battles: Battles, name: str) -> None:
    known = [*battles.covariates, *battles.factors]
    must = f"a context must be a column that the battles have ({listed(known) or 'they have none'})"
    require_known(name, known, f"{must}; got {quoted(name)}.")


@dataclass(frozen=True, slots=True, eq=False)
class BattleColumns:
    """The rows (a, b, x, y) of Soft Tournament Equilibrium, with weights.

    Parameters
    ----------
    a, b : (t,) int
        The agents.
    x : (t, d) float
        Features of the contexts.
    y, weight : (t,) float
        The outcome for *a*, and its weight.

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
        """Take the battles with nonzero weight; every agent must be in one of them."""
        weight = np.ones(len(battles)) if battles.weight is None else battles.weight
        rows = np.flatnonzero(weight)
        a, b = battles.a[rows].astype(np.int64), battles.b[rows].astype(np.int64)
        unseen = np.flatnonzero(np.bincount(np.concatenate([a, b]), minlength=len(battles.agents)) == 0)
        if unseen.size:
            raise DataError(
                f"every agent must have at least one battle to learn from; {listed(battles.agents[i] for i in unseen)} "
                "have none. Leave them out with `--only`."
            )
        if not rows.size:
            raise DataError("there must be at least one battle to learn from; there is none.")
        columns = (a, b, features.rows(battles)[rows], battles.outcome[rows], weight[rows])
        return cls(*(torch.from_numpy(np.array(values)) for values in columns))

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Tensor) -> "BattleColumns":
        """Return the chosen rows."""
        return BattleColumns(self.a[rows], self.b[rows], self.x[rows], self.y[rows], self.weight[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Rows for training, for early stopping, and for calibration; the latter two may be None."""

    learn: BattleColumns
    stop: BattleColumns | None
    calibrate: BattleColumns | None


def parted(rows: BattleColumns, held_out: float, generator: torch.Generator) -> Parts:
    """Split rows at random: a share is held out, half of it for early stopping and half for calibration.

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
