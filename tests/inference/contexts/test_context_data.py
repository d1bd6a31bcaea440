"""Messages about contexts that are too few, too many or unknown."""

import pytest

import beatpath as bp
from beatpath.inference.contexts.context_data import require_contexts


@pytest.mark.parametrize(
    ("contexts", "n", "message"),
    [((), 3, "need scores with a name"), (("x",), 3, "names one, 'x'"), (tuple("ab"), 3000, "at most 4,000 contexts")],
)
def test_contexts_must_be_two_or_more_and_not_too_many(contexts, n, message):
    with pytest.raises(bp.BeatpathError, match=message):
        require_contexts(contexts, "area", n, "scores")
