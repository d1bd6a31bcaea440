"""Options that describe the files."""

import pytest

from beatpath._errors import UsageError
from beatpath.data.sources.source import Options


@pytest.mark.parametrize("given", [{"self_battles": "keep"}, {"repeats": "all"}, {"to": "ballots"}])
def test_a_choice_that_there_is_not_is_refused_by_its_name(given):
    with pytest.raises(UsageError, match=f"`{next(iter(given))}` must be one of"):
        Options(**given)


def test_by_default_self_battles_are_dropped_and_reading_is_strict_otherwise():
    options = Options()
    assert (options.self_battles, options.repeats, options.to) == ("drop", "error", None)
    assert not any([options.columns, options.labels, options.where, options.keep, options.lower, options.by])
