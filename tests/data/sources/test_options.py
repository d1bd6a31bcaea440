"""What the user said of the files."""

import pytest

from beatpath._errors import UsageError
from beatpath.data.sources.source import Options


@pytest.mark.parametrize("given", [{"self_battles": "keep"}, {"repeats": "all"}, {"to": "ballots"}])
def test_a_choice_that_there_is_not_is_refused_by_its_name(given):
    with pytest.raises(UsageError, match=f"`{next(iter(given))}` must be one of"):
        Options(**given)


def test_nothing_said_leaves_battles_against_oneself_out_and_is_strict_otherwise():
    said = Options()
    assert (said.self_battles, said.repeats, said.to) == ("drop", "error", None)
    assert not any([said.columns, said.labels, said.where, said.keep, said.lower, said.by])
