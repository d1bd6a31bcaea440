"""What shifts a battle besides the two agents: who was first, and differences of numeric columns ("style control").

Rows of battles become distinct rows of (pair, position, values), turned so that the pair is in the order of its codes;
whatever favours one agent then counts against it from the other side.
"""

from collections.abc import Sequence

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.evidence import Battles, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN

POSITION = "position"
BETWEEN = " - "


def covariate_names(covariates: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of covariates given as a list, or as one text with commas between them.

    >>> covariate_names("len_a - len_b, tone")
    ('len_a - len_b', 'tone')
    """
    if isinstance(covariates, str):
        covariates = [part.strip() for part in covariates.split(",") if part.strip()]
    names = tuple(covariates)
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"`covariates` must be names of columns; got {listed(names)}.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"`covariates` must name each difference once; {quoted(twice)} stands twice.")
    return names


def shifts(battles: Battles | None, position: bool, covariates: Sequence[str]) -> Floats:
    """Return what shifts the lead of *a* in each battle, one column for the position and one a covariate.

    A covariate is a column that holds a difference already, *a* minus *b*, or ``left - right`` for two columns of which the
    first belongs to *a*.

    >>> battles = Battles.of([("x", "y", 1), ("y", "x", 0)], position=[1, -1], covariates={"la": [5.0, 3], "lb": [2.0, 3]})
    >>> shifts(battles, True, ["la - lb"])
    array([[ 1.,  3.],
           [-1.,  0.]])
    """
    what = "`position`" if position else "`covariates`"
    if battles is None:
        raise DataError(
            f"{what} need battles, one row each; counts, ballots and tables do not say how each battle was set up."
        )
    columns = [_difference(battles, name) for name in covariates]
    if position:
        columns.insert(0, _position_shift(battles))
    return np.column_stack(columns)


def distinct_rows(battles: Battles, x: Floats) -> tuple[Pairs, Floats]:
    """Return the battles added up over equal (pair, x), sorted by pair, and the x of each row.

    >>> battles = Battles.of([("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)])
    >>> rows, x = distinct_rows(battles, np.array([[1.0], [-1.0], [2.0]]))
    >>> rows.counts, x
    (array([[2., 0., 0., 0.],
           [0., 0., 1., 0.]]), array([[1.],
           [2.]]))
    """
    turned = battles.a > battles.b
    low, high = np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b)
    x = np.where(turned[:, None], -x, x) + 0.0  # no negative zeros
    code = low.astype(np.int64) * len(battles.agents) + high
    for column in x.T:
        level, at = np.unique(column, return_inverse=True)
        code = np.unique(code, return_inverse=True)[1] * len(level) + at
    _, first, row = np.unique(code, return_index=True, return_inverse=True)
    counts = _outcomes_by_row(battles, turned, row, len(first))
    return Pairs(battles.agents, low[first], high[first], counts), x[first]


def require_shifts(rows: Pairs, x: Floats, names: Sequence[str]) -> None:
    """Refuse a column that does not vary over the battles that weigh anything."""
    weighs = rows.counts.sum(axis=1) > 0
    for name, column in zip(names, x.T, strict=True):
        if not column[weighs].any():
            raise DataError(f"{_shift_name(name)} must vary between battles; it is 0 in all of them. Leave it out.")


def _difference(battles: Battles, name: str) -> Floats:
    """The difference that a covariate names, known and not the same everywhere."""
    left, between, right = name.partition(BETWEEN)
    if name in battles.covariates or not between:
        values = _covariate_column(battles, name)
    else:
        values = _covariate_column(battles, left.strip()) - _covariate_column(battles, right.strip())
    if len(values) and (values == values[0]).all():
        raise DataError(
            f"covariate {quoted(name)} must vary between battles; it is {values[0]:g} in all of them. Leave it out, or use "
            "`position` for the effect of being first."
        )
    return values


def _covariate_column(battles: Battles, name: str) -> Floats:
    if name not in battles.covariates:
        known = list(battles.covariates)
        raise UsageError(
            f"`covariates` must name numeric columns of the battles ({listed(known) or 'they have none'}); "
            f"{quoted(name)} is not among them.{suggestion(name, known)} Keep columns with `--keep` or `keep=`."
        )
    values = battles.covariates[name]
    missing = int((~np.isfinite(values)).sum())
    if missing:
        raise DataError(
            f"covariate {quoted(name)} must be a number in every battle; it is missing in {counted(missing, 'battle')} of "
            f"{len(values):,}. Leave these battles out, or fill them in."
        )
    return values


def _position_shift(battles: Battles) -> Floats:
    if battles.position is None or not battles.position.any():
        raise DataError(
            "`position` needs to know who was first; these battles do not say. Map a column with `--map position=COLUMN`."
        )
    return battles.position.astype(np.float64)


def _outcomes_by_row(battles: Battles, turned: Bools, row: Ints, n_rows: int) -> Floats:
    """Wins, losses, ties and both-bad by row; soft preferences are split."""
    weight = np.ones(len(battles)) if battles.weight is None else battles.weight
    outcome = np.where(turned, 1 - battles.outcome, battles.outcome)
    bad = np.zeros(len(battles), dtype=bool) if battles.both_bad is None else battles.both_bad
    tied = (outcome == 0.5) & ~bad
    sided = weight * ~(tied | bad)
    parts = {WIN: sided * outcome, LOSS: sided * (1 - outcome), TIE: weight * tied, BOTH_BAD: weight * bad}
    return np.column_stack([np.bincount(row, parts[k], n_rows) for k in sorted(parts)])


def _shift_name(name: str) -> str:
    return "the position" if name == POSITION else f"covariate {quoted(name)}"
