"""Putting data, scripts and pictures into a page so that nothing in them can act."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping
from math import ceil
from typing import Any

from beatpath._schema import dumps

_SIGNS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def json_block(data: Mapping[str, Any]) -> str:
    r"""Return JSON that can stand inside a script element: it holds no angle bracket, no ampersand, nothing but ASCII.

    >>> print(json_block({"name": "</script><b>&\u2028"}))
    {"name":"\u003c/script\u003e\u003cb\u003e\u0026\u2028"}
    """
    text = dumps(data, separators=(",", ":"))
    return re.sub("[<>&]", lambda sign: _SIGNS[sign.group()], text)


def script(source: str) -> str:
    r"""Return a script that nothing inside it can end early.

    >>> print(script('x = "</script>"'))
    x = "<\/script>"
    """
    return re.sub(r"<(?=/script)", r"<\\", source, flags=re.IGNORECASE).replace("<!--", "\\x3c!--")


def fingerprint(source: str) -> str:
    """Return the source expression by which a content policy lets one inline script run, and no other.

    >>> fingerprint("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def width_of(svg: str) -> int:
    """Return the width that a picture was drawn with, in pixels.

    >>> width_of('<svg role="img" width="12.5" height="9"></svg>')
    13
    """
    found = re.search(r'<svg [^>]*?\bwidth="([0-9.]+)"', svg)
    return ceil(float(found[1])) if found else 0
