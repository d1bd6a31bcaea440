"""Conventions: choices with a name, a meaning and a reach."""

import pytest

from beatpath import UsageError
from beatpath.evidence.conventions import Conventions, task_weights


def test_a_word_nobody_knows_is_refused_with_its_neighbor():
    with pytest.raises(UsageError, match="Did you mean 'half'"):
        Conventions(ties="halff")
    with pytest.raises(UsageError, match="Did you mean 'ties'"):
        Conventions.of(tiez="half")


def test_task_weights_are_checked_and_reported():
    weight, made = task_weights(["code", "math"], {"math": 3})
    assert weight.tolist() == [1, 3]
    assert "math=3" in str(made)
    for bad in ({"maths": 1}, {"code": -1}, {"code": 0, "math": 0}, {"code": float("nan")}):
        with pytest.raises(UsageError, match="`weights` must"):
            task_weights(["code", "math"], bad)
