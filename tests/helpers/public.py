"""The public names, those of namespaces with a dot."""

from operator import attrgetter

import beatpath
from beatpath._doors import namespaces

NAMESPACES = [name for name, module in beatpath._MODULES.items() if module == "beatpath"]
TOP = [name for name in beatpath.__all__ if name not in NAMESPACES]
PUBLIC = [*TOP, *(f"{space}.{name}" for space, names in namespaces().items() for name in names)]


def public(name):
    """What the package calls so; nothing where the extra that it needs is not installed."""
    try:
        return attrgetter(name)(beatpath)
    except beatpath.MissingExtra:
        return None
