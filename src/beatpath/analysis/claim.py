"""`claim`: do runs or evidence support a claim? For a test or a build that may fail."""

import logging
from collections.abc import Mapping
from typing import Any

from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import UsageError
from beatpath._validate import require_share
from beatpath.analysis.compare_runs import compare
from beatpath.analysis.run_comparison import RunComparison
from beatpath.analysis.run_items import runs_in
from beatpath.evidence import Scores
from beatpath.evidence.select import only
from beatpath.inference.ranks.claims import ClaimTest, claims_of
from beatpath.inference.resolve.resolution import Resolution

LOG = logging.getLogger("beatpath.claims")  # what the pytest plugin listens to


def claim(
    source: RunComparison | Resolution | Mapping[str, EvidenceLike] | EvidenceLike,
    text: str,
    /,
    *,
    level: float = 0.95,
    **options: Any,
) -> ClaimTest:
    """Say whether runs or evidence support a claim; true in a condition exactly where they do.

    Parameters
    ----------
    source : mapping of name to run, folder, RunComparison, Resolution, or what `read` takes
        Runs by name as `compare` takes them, or a folder with one subfolder or file for each run that the claim names: these are
        compared item by item. So are the agents of a table of scores. Battles, rankings and pair counts go to `resolve`.
    text : str
        ``"new > base"``, ``"new > base by 3 points"``, ``"new within 2 points of base"`` (equivalence),
        ``"new at most 1 point below base"`` (non-inferiority), ``"new is first"``, ``"new in top 3"``, joined by ``and``.
    level : float
        Confidence.
    **options
        Of `compare` or `resolve`: metric, cluster, samples, read and others.

    Returns
    -------
    ClaimTest
        With the verdict (supported, not shown, shown to be false), a sentence, the interval and its condition.

    See Also
    --------
    compare : All differences of runs.
    resolve : All that evidence shows.

    Examples
    --------
    >>> items = [f"q{i}" for i in range(60)]
    >>> old = Scores.from_table([[i % 3 > 0 for i in range(60)]], ["m"], items)
    >>> new = Scores.from_table([[i % 3 > 0 or i < 30 for i in range(60)]], ["m"], items)
    >>> bool(claim({"base": old, "new": new}, "new at most 1 point below base"))
    True
    >>> print(claim({"base": old, "new": new}, "new > base by 10 points"))
    'new > base by 10 points' is not shown: 'new' minus 'base' is +16.7 points (+6.6 to +26.9), 60 items, paired (95 %).
    """
    require_share("level", level)
    if isinstance(source, RunComparison | Resolution):
        if options:
            raise UsageError(
                f"options must go to `compare` or `resolve`, which made the result; got {', '.join(options)}."
            )
        test = source.test(text)
    else:
        test = _tested(source, text, level, options)
    LOG.info("%s", test.sentence)
    return test


def _tested(source: Any, text: str, level: float, options: Mapping[str, Any]) -> ClaimTest:
    runs = source if isinstance(source, Mapping) else runs_in(source)
    if runs and (isinstance(source, Mapping) or _is_about(text, tuple(runs))):
        parts = claims_of(text, tuple(runs))
        named = {name for one in parts for name in (one.agent, one.below)}
        some = {name: run for name, run in runs.items() if name in named or any(one.below is None for one in parts)}
        return compare(some, level=level, **options).test(text)
    evidence = as_evidence(source)
    if isinstance(evidence, Scores) and "estimand" not in options:
        return _tested({agent: only(evidence, [agent]) for agent in evidence.agents}, text, level, options)
    from beatpath.inference.resolve.resolve import resolve

    return resolve(evidence, level=level, **options).test(text)


def _is_about(text: str, names: tuple[str, ...]) -> bool:
    try:
        return bool(claims_of(text, names))
    except UsageError:
        return False
