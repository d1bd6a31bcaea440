"""Requests that a service must refuse."""

from contextlib import contextmanager

import pytest

from beatpath.web.errors import Refused


@contextmanager
def refused(status, match=None):
    """Expect a refusal with this status."""
    with pytest.raises(Refused, match=match) as raised:
        yield
    assert raised.value.status == status
