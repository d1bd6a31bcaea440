"""Messages about contexts that are too few, too many or unknown."""

import pytest

import beatpath as bp
from beatpath.evidence.conventions import Conventions
from beatpath.inference.contexts.context_data import _undecided, require_contexts


@pytest.mark.parametrize(
    ("contexts", "n", "message"),
    [((), 3, "need scores with a name"), (("x",), 3, "names one, 'x'"), (tuple("ab"), 3000, "at most 4,000 contexts")],
)
def test_contexts_must_be_two_or_more_and_not_too_many(contexts, n, message):
    with pytest.raises(bp.BeatpathError, match=message):
        require_contexts(contexts, "area", n, "scores")


def test_battles_that_all_have_a_winner_are_decided():
    pairs = bp.Pairs(("ada", "bob"), [0], [1], [[7, 3, 0, 0]])
    assert _undecided(pairs, Conventions()) == 0
    ties = bp.Pairs(("ada", "bob"), [0], [1], [[7, 3, 5, 1]])  # six outcomes of one half: 6 / 4
    assert _undecided(ties, Conventions()) == 1.5
    assert _undecided(ties, Conventions(ties="drop")) == 0
