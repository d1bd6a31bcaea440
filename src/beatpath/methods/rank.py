"""`rank`: one method on any evidence."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted, suggestion
from beatpath._typing import BothBad, Missing, PairWeight, Per, Ties, Unranked
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import Conventions
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS, Method, method_named
from beatpath.methods.result import Outcome, Ranking, levels_as_names


def rank(
    evidence: Evidence,
    method: str,
    *,
    ties: Ties = "half",
    both_bad: BothBad = "tie",
    pair_weight: PairWeight = "count",
    unranked: Unranked = "ignore",
    missing: Missing = "unranked",
    per: Per = "auto",
    tolerance: float = 0.0,
    weights: Mapping[str, float] | None = None,
    **settings: Any,
) -> Ranking:
    """Rank agents by one method; ties come back as ties.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
        What was read or built.
    method : str
        A key that ``beatpath methods`` lists.
    ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights
        By which evidence becomes a profile; see `Conventions`.
    **settings
        What the method itself takes, such as ``k`` for `approval` and `stv`.

    Examples
    --------
    >>> from beatpath import Ballots
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "copeland")
    copeland: C > A > B
    """
    chosen = method_named(method)
    _require_kind(evidence, chosen)
    conventions = Conventions(ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights)
    return ranking(profile_of(evidence, conventions), chosen, settings)


def require_evidence(evidence: object) -> None:
    """Refuse what is no evidence, with the way to get some."""
    if not isinstance(evidence, get_args(Evidence)):
        raise UsageError(
            f"`evidence` must be battles, ballots, scores, pairs, margins or win rates; got {type(evidence).__name__}. "
            "`bp.read` makes evidence from files and frames."
        )


def ranking(profile: Profile, method: Method, settings: Mapping[str, Any]) -> Ranking:
    """Run a method on a profile and put names to what it finds; without settings once a profile."""
    if not settings and method.key in profile.rankings:
        return profile.rankings[method.key]
    unknown = [name for name in settings if name not in method.settings]
    if unknown:
        takes = ", ".join(method.settings) or "no settings"
        near = suggestion(unknown[0], [*method.settings, *(one.name for one in fields(Conventions))])
        raise UsageError(f"{method.key} takes {takes}; got {quoted(unknown[0])}.{near}")
    outcome: Outcome = method.function()(profile, **settings)
    found = Ranking(
        method.key,
        profile.agents,
        levels_as_names(outcome.level, profile.agents),
        dict(zip(profile.agents, outcome.score.tolist(), strict=True)),
        profile.condorcet,
        outcome.status,
        dict(settings),
        dict(outcome.details),
        profile.conventions,
    )
    if not settings:
        profile.rankings[method.key] = found
    return found


def _require_kind(evidence: Evidence, method: Method) -> None:
    require_evidence(evidence)
    if evidence.kind not in method.takes:
        able = [key for key, made in METHODS.items() if evidence.kind in made.takes]
        raise DataError(
            f"{method.key} needs {' or '.join(sorted(method.takes))}; {evidence.kind} are neither. "
            f"These methods take {evidence.kind}: {', '.join(able)}."
        )
