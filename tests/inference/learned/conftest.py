"""One core learned of battles in contexts that go round, for all tests that look at one."""

import pytest

pytest.importorskip("torch")

from helpers.contextual import CONTEXTUAL, QUICK


@pytest.fixture(scope="session")
def learned():
    from beatpath.inference.learned.learner import learn, one_thread

    with one_thread():
        return learn(CONTEXTUAL, context=["task"], settings=QUICK)
