"""Which columns say what battles belong together."""

from collections.abc import Mapping, Sequence

import numpy as np

from beatpath._errors import UsageError
from beatpath._text import listed, quoted, suggestion
from beatpath.evidence import Factor

AUTO = "auto"
Names = tuple[str, ...]


def cluster_names(cluster: str | Sequence[str] | None, there: Mapping[str, Factor], auto: Sequence[str]) -> Names:
    """Return the columns to cluster by: those asked for, or the first of `auto` that is there and has two names or more.

    >>> two = Factor.of(["x", "y"])
    >>> cluster_names("auto", {"judge": two, "cluster": two}, ["cluster"]), cluster_names(None, {}, ["cluster"])
    (('cluster',), ())
    """
    if cluster == AUTO:
        return tuple(name for name in auto if name in there and len(there[name].levels) > 1)[:1]
    names = () if cluster is None else (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if len(names) > 2 or len(set(names)) != len(names):
        raise UsageError(f"`cluster` must name one column or two different ones; got {listed(names)}.")
    for name in names:
        if name not in there:
            known = ", ".join(there) or "there are none"
            raise UsageError(
                f"`cluster` must name a column of the evidence ({known}); got {quoted(name)}.{suggestion(str(name), there)}"
            )
    return names


def repeats(factor: Factor) -> bool:
    """Whether any name stands in two rows."""
    return bool(np.bincount(factor.codes[factor.codes >= 0]).max(initial=0) > 1)
