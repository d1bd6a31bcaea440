"""What the settings of SCO must be."""

import pytest

from beatpath import UsageError
from beatpath._validate import require_positive, require_whole
from beatpath.methods.rating.sco.descent import require_box


def test_settings_that_cannot_work_are_refused():
    for call in (
        lambda: require_box(1, 1),
        lambda: require_positive("tau", float("nan")),
        lambda: require_whole("batch", 1.5),
    ):
        with pytest.raises(UsageError, match="must be"):
            call()
    require_box(0, 1)
    require_positive("tau", 1e-9)
    require_whole("batch", 1)
