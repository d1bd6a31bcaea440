"""Rows that repeat another row in every column."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Ints
from beatpath._text import counted, percent
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Battles, Scores
from beatpath.stats.codes import dense, joint

_COARSE = 0.5  # fewer distinct rows than this share, with outcomes that differ: the columns do not identify a row
_DIFFER = 0.05


def battle_duplicates(battles: Battles, limits: CheckLimits) -> Finding:
    """Count the battles that agree in every stored column. Without a column beyond the pair nobody can say."""
    told: list[NDArray[Any]] = [factor.codes for factor in battles.factors.values()] + [*battles.covariates.values()]
    told += [battles.time] if battles.time is not None else []
    known = np.any([_known(column) for column in told], axis=0) if told else np.zeros(len(battles), dtype=bool)
    if not known.any():
        return not_run("duplicates", "The battles have no column besides the pair that tells one from another.")
    others = [column for column in (battles.position, battles.weight) if column is not None]
    key = [column[known] for column in (battles.a, battles.b, *told, *others)]
    value = [column[known] for column in (battles.outcome, battles.both_bad) if column is not None]
    return duplicates(key, value, limits, "battle")


def _known(column: NDArray[Any]) -> Bools:
    """Where a column says something: a code of zero or more, a number."""
    return column >= 0 if column.dtype.kind == "i" else ~np.isnan(column)


def score_duplicates(scores: Scores, limits: CheckLimits) -> Finding:
    """Count the scores that agree in every stored column. Without items or replicates equal rows may be honest repeats."""
    if not {"item", "replicate"} & set(scores.factors):
        return not_run("duplicates", "The scores have no item or replicate column that tells one repeat from another.")
    key = [scores.agent, *(factor.codes for factor in scores.factors.values())]
    value = [scores.value] + ([scores.stderr] if scores.stderr is not None else [])
    return duplicates(key, value, limits, "score")


def duplicates(
    key: Sequence[NDArray[Any]],
    value: Sequence[NDArray[Any]],
    limits: CheckLimits,
    unit: str,
) -> Finding:
    """Count the rows that repeat an earlier one in `key` and `value`.

    Where most keys are shared and the values under one key often differ, the columns are too coarse to tell a copy
    from a second observation, and nothing is claimed.
    """
    n = len(key[0])
    if not n:
        return not_run("duplicates", f"There are no {unit}s.")
    code, n_keys = joint(key)
    both, n_rows = dense(joint([code, *value])[0])
    if n_keys < _COARSE * n and _differing(code, both, n_keys, n_rows) > _DIFFER:
        reason = f"The columns are too coarse to tell a copy from a second {unit}: {n:,} rows share {n_keys:,} keys."
        return not_run("duplicates", reason)
    copies = n - n_rows
    figures = {"count": copies, "rows": n, "share": copies / n}
    sentence = f"{copies:,} of {counted(n, unit)} ({percent(copies / n)}) repeat another in every column."
    if copies / n < limits.duplicates:
        return Finding("duplicates", "passed", sentence, "", figures)
    consequence = (
        "Copies count as new evidence and make intervals too narrow: drop them unless they are honest repeats."
    )
    return Finding("duplicates", "warning", sentence, consequence, figures)


def _differing(key: Ints, row: Ints, n_keys: int, n_rows: int) -> float:
    """Share of the keys with several rows whose rows differ."""
    shared = np.bincount(key, minlength=n_keys) > 1
    first = np.zeros(n_rows, dtype=np.int64)
    first[row] = key
    return float((np.bincount(first, minlength=n_keys)[shared] > 1).mean()) if shared.any() else 0.0
