"""The library that draws pictures in a browser, as vl-convert holds it; kept on disk, for putting it together takes a second.

What was kept is put into a page only if its hash is the one that vl-convert's own script is known to have: whoever else can
write to the folder could otherwise put anything into every report. A version that is not known here is put together each time.
"""

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

from beatpath._atomic_write import write_whole
from beatpath._errors import UsageError

SNIPPET = "window.vegaEmbed = vegaEmbed;"
KNOWN = {
    "1.7.0": "b632ae0b65aa27fc22d8045458c2c0fe06694dc252b134fa415b52ef8a7a7220",
    "1.8.0": "b66996bb5822b536e6808945330c26223bf890967feb4a7e681b432d3563ea8a",
    "1.9.0": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
    "1.9.0.post1": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7",
}


def vega_script() -> str:
    """Return one script that defines ``vegaEmbed``."""
    known = KNOWN.get(version("vl-convert-python"))
    kept = _kept()
    if kept is not None and _digest(kept) == known:
        return kept.decode()
    import vl_convert

    made: str = vl_convert.javascript_bundle(SNIPPET)
    if _digest(made.encode()) == known:
        _keep(made)
    return made


def _digest(script: bytes) -> str:
    return hashlib.sha256(script).hexdigest()


def _kept() -> bytes | None:
    try:
        return _place().read_bytes()
    except (OSError, RuntimeError):  # not there yet, or no home to keep it in
        return None


def _keep(text: str) -> None:
    """Write the script for the next time, if that can be done."""
    try:
        place = _place()
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, text)
    except (OSError, RuntimeError, UsageError):
        return


def _place() -> Path:
    """Where programs keep what they can make again."""
    if sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home())
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "beatpath" / f"vega-{version('vl-convert-python')}.js"
