"""Pictures as Vega draws them, where vl-convert, the extra `png`, is installed; elsewhere the tests that ask are skipped."""

import pytest


def _vl_convert():
    return pytest.importorskip("vl_convert", reason="the extra `png` is not installed")


def vega_svg(spec, **options):
    """Return the SVG that Vega draws of a specification."""
    return _vl_convert().vegalite_to_svg(spec, **options)


def png(text):
    """Return an SVG as PNG."""
    return _vl_convert().svg_to_png(text)
