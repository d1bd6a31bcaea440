"""The library that draws pictures in a browser, as vl-convert holds it; kept on disk, for putting it together takes a second."""

import os
import sys
from importlib.metadata import version
from pathlib import Path

from beatpath._atomic_write import write_whole
from beatpath._errors import UsageError

SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_script() -> str:
    """Return one script that defines ``vegaEmbed``."""
    import vl_convert

    try:
        kept = _folder() / f"vega-{version('vl-convert-python')}.js"
        return kept.read_text(encoding="utf-8")
    except (OSError, RuntimeError):  # not there yet, or no home to keep it in
        made: str = vl_convert.javascript_bundle(SNIPPET)
    _keep(made)
    return made


def _keep(text: str) -> None:
    """Write the script for the next time, if that can be done."""
    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"vega-{version('vl-convert-python')}.js", text)
    except (OSError, RuntimeError, UsageError):
        return


def _folder() -> Path:
    """Where programs keep what they can make again."""
    if sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home())
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "beatpath"
