"""The tree of errors: everything raised on purpose is caught by one name, and has its exit status."""

import pytest

import beatpath as bp


@pytest.mark.parametrize(
    ("error", "status"), [(bp.DataError, 1), (bp.ReadError, 1), (bp.UnknownLabel, 1), (bp.UsageError, 2)]
)
def test_every_error_is_one_of_ours_with_its_status(error, status):
    assert issubclass(error, bp.BeatpathError)
    assert error("x").exit_status == status


def test_a_missing_library_says_what_to_install():
    error = bp.MissingExtra("torch", "learn", "`learn`")
    assert str(error) == "`learn` needs torch, which is not installed: pip install 'beatpath[learn]'."
    assert isinstance(error, bp.UsageError)
