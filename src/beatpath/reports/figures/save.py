"""Specifications into SVG and PNG, by vl-convert: no browser and no network."""

from html import escape
from pathlib import Path

from beatpath._atomic_write import write_whole
from beatpath.reports.figures.common import Spec


def svg(spec: Spec) -> str:
    """Return a specification as SVG text that can stand in a page: named by its description, without identifiers."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(spec.get("description", ""))}" ', 1)


def save(spec: Spec, path: Path) -> None:
    """Render a specification to an SVG or PNG file."""
    import vl_convert

    if path.suffix == ".svg":
        write_whole(path, svg(spec))
    else:
        write_whole(path, vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[]))
