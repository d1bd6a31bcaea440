"""Settings of a learner, refused in sentences."""

import pytest

from beatpath import UsageError
from beatpath.inference.learned.training import Annealing, Settings


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"network": "btll"}, "`network` must be one of pair, btl; got 'btll'"),
        ({"held_out": 1.0}, "`held_out` must be a share"),
        ({"sharpness": -1.0}, "`sharpness` must be a number, 0 or more"),
        ({"rate": 0.0}, "`rate` must be a positive number"),
        ({"max_length": 0}, "`max_length` must be a whole number"),
        ({"score": "core"}, "`score` must be one of top cycle, uncovered set"),
    ],
)
def test_settings_are_refused_in_sentences(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        Settings(**options)
    with pytest.raises(UsageError, match="temperatures fall"):
        Annealing(0.1, 1.0)
