"""Run one method on a profile: check that it accepts the evidence, and attach names to its result."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from beatpath._errors import DataError, UsageError
from beatpath._text import option_hint, quoted
from beatpath.evidence import Battles, Evidence, Pairs
from beatpath.evidence.conventions import Conventions, convention
from beatpath.methods.profile import Profile
from beatpath.methods.registry import METHODS, Method
from beatpath.methods.result import Outcome, Ranking, levels_as_names


def ranking(profile: Profile, method: Method, settings: Mapping[str, Any]) -> Ranking:
    """Run a method on a profile and return its ranking with names; results without settings are cached.

    Parameters
    ----------
    profile : Profile
        The evidence with its conventions.
    method : Method
        The method to run.
    settings : mapping of str to any
        Keyword arguments of the method's function.

    Returns
    -------
    Ranking

    Raises
    ------
    UsageError
        If the method has no such setting.
    """
    if not settings and method.key in profile.rankings:
        return profile.rankings[method.key]
    unknown = [name for name in settings if name not in method.settings]
    if unknown:
        takes = ", ".join(method.settings) or "no settings"
        hint = option_hint(unknown[0], [*method.settings, *(one.name for one in fields(Conventions))])
        raise UsageError(f"{method.key} takes {takes}; got {quoted(unknown[0])}.{hint}")
    result = named(method.key, profile, method.function()(profile, **settings), settings)
    if method.compares and isinstance(profile.source, Battles | Pairs):  # it could have used estimated win rates
        result = replace(result, conventions=(*result.conventions, convention("matrix", "raw")))
    if not settings:
        profile.rankings[method.key] = result
    return result


def named(key: str, profile: Profile, outcome: Outcome, settings: Mapping[str, Any]) -> Ranking:
    """Attach names to the outcome of a method."""
    return Ranking(
        key,
        profile.agents,
        levels_as_names(outcome.level, profile.agents),
        dict(zip(profile.agents, outcome.score.tolist(), strict=True)),
        profile.condorcet,
        outcome.status,
        dict(settings),
        dict(outcome.details),
        profile.conventions,
    )


def require_kind(evidence: Evidence, method: Method) -> None:
    """Raise an error if the method does not accept this kind of evidence, and list the methods that do."""
    if evidence.kind not in method.takes:
        able = [key for key, one in METHODS.items() if evidence.kind in one.takes]
        raise DataError(
            f"{method.key} needs {' or '.join(sorted(method.takes))}; {evidence.kind} are neither. "
            f"These methods take {evidence.kind}: {', '.join(able)}."
        )
