"""One thread for small matrices, and as many as before afterwards."""

import pytest

from beatpath import Pairs
from beatpath._threads import SMALL, blas_threads, threads_for
from beatpath.reports.report import report

shipped = pytest.mark.skipif(not blas_threads(), reason="numpy and scipy come without an OpenBLAS of their own")


@pytest.fixture
def two_threads():
    """Every library at two threads, and back."""
    before = [one.number() for one in blas_threads()]
    for one in blas_threads():
        one.to(2)
    yield
    for one, number in zip(blas_threads(), before, strict=True):
        one.to(number)


def numbers() -> set[int]:
    return {one.number() for one in blas_threads()}


@shipped
def test_small_matrices_have_one_thread_and_the_rest_is_as_it_was(two_threads):
    with threads_for(SMALL):
        assert numbers() == {1}
        with threads_for(2):
            assert numbers() == {1}
        assert numbers() == {1}
    assert numbers() == {2}


@shipped
def test_large_matrices_keep_their_threads(two_threads):
    with threads_for(SMALL + 1):
        assert numbers() == {2}


@shipped
def test_threads_come_back_after_an_error(two_threads):
    with pytest.raises(ZeroDivisionError), threads_for(2):
        _ = 1 / 0
    assert numbers() == {2}


@shipped
def test_a_report_on_few_agents_uses_one_thread(two_threads):
    seen: set[int] = set()
    report(Pairs(("ada", "bob"), [0], [1], [[70, 30, 0, 0]]), progress=lambda _: seen.update(numbers()))
    assert seen == {1}
    assert numbers() == {2}
