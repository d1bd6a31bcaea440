"""The registry of methods."""

import pytest

from beatpath import UsageError
from beatpath.methods.registry import METHODS, method_named


def test_every_method_has_a_function_a_sentence_and_evidence_it_takes():
    for key, method in METHODS.items():
        assert method.key == key
        assert callable(method.function())
        assert method.sentence
        assert method.takes


def test_a_method_nobody_knows_is_refused_with_its_neighbor():
    with pytest.raises(UsageError, match="Did you mean 'copeland'"):
        method_named("copland")
