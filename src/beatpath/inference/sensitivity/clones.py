"""Clones: a copy of an agent that changes nothing of substance, and the methods whose answer it changes all the same.

Somebody who submits an agent twice should gain nothing by it, and neither should anybody else. Methods that are
independent of clones promise it (Tideman [1]_); others may still hold on the data at hand, and that can be tried.

References
----------
.. [1] T. N. Tideman, "Independence of clones as a criterion for voting rules", *Social Choice and Welfare* 4 (1987),
       185-206.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from beatpath._result import SCHEMA_VERSION, Result
from beatpath._text import listed, quoted
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.ranking.compare import compare_profile
from beatpath.inference.sensitivity.with_clone import with_clone
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS
from beatpath.methods.result import Ranking, levels_as_names, levels_by_score
from beatpath.methods.run import require_evidence

SHARES = ("maximal_lottery",)  # methods whose scores are shares of one, which a copy divides


@dataclass(frozen=True, slots=True, eq=False)
class Cloned:
    """One method without and with the copy.

    Attributes
    ----------
    method : str
    before, after : tuple of str
        The winners; the copy, where it wins, stands under the name of the agent it copies.
    distance : float
        Kendall distance between the two orders of the agents that were there before.
    promised : bool
        Whether the method is known to be independent of clones.
    """

    method: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    distance: float
    promised: bool

    @property
    def winner_changes(self) -> bool:
        """Whether others win."""
        return self.before != self.after

    @property
    def order_changes(self) -> bool:
        """Whether the order of any two agents changes."""
        return self.distance > 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "method": self.method,
            "before": list(self.before),
            "after": list(self.after),
            "winner_changes": self.winner_changes,
            "distance": self.distance,
            "promised": self.promised,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clones(Result):
    """What a copy of an agent does to each method.

    Attributes
    ----------
    agent, copy : str
    methods : tuple of Cloned
    not_run : mapping of method to sentence
        Methods that do not take this evidence, or had no answer with or without the copy, and why.
    """

    agent: str
    copy: str
    methods: tuple[Cloned, ...]
    not_run: Mapping[str, str] = field(default_factory=dict)
    conventions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it comes to, in words."""
        said = [
            f"A copy of {quoted(self.agent)} changes who is first by {one.method}, from {listed(one.before)} to "
            f"{listed(one.after)}."
            for one in self.methods
            if one.winner_changes
        ]
        moved = [one.method for one in self.methods if one.order_changes and not one.winner_changes]
        if moved:
            said.append(
                f"A copy of {quoted(self.agent)} changes the order of others, not the winner, by {', '.join(moved)}."
            )
        same = [one.method for one in self.methods if not one.order_changes and not one.winner_changes]
        if same:
            said.append(f"A copy of {quoted(self.agent)} changes nothing by {', '.join(same)}.")
        return tuple(said)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a method: who is first without and with the copy."""
        return [
            {"method": one.method, "before": listed(one.before), "after": listed(one.after), "distance": one.distance}
            for one in self.methods
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "clones",
            "agent": self.agent,
            "copy": self.copy,
            "methods": [one.to_dict() for one in self.methods],
            "not_run": dict(self.not_run),
            "sentences": list(self.sentences),
        }


def clone(
    evidence: Evidence,
    agent: str,
    methods: Sequence[str] | str = "all",
    *,
    copy: str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    **conventions: Unpack[ConventionOptions],
) -> Clones:
    """Add a copy of an agent and say by which methods that changes who is first, or the order of the others.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates
    agent : str
        The agent to copy; see `with_clone`.
    methods : sequence of str, or "all"
        As for `compare`.
    copy : str, optional
        The copy's name.
    settings, **conventions
        As for `compare`.

    Returns
    -------
    Clones

    Examples
    --------
    Five of seven put ada first. A second cyd costs ada nothing with them, but one more place with the other two.

    >>> from beatpath import Ballots
    >>> ballots = Ballots.of([[["ada"], ["bob"], ["cyd"]], [["bob"], ["cyd"], ["ada"]]], count=[5, 2])
    >>> print(clone(ballots, "cyd", ["borda", "schulze"]))
    A copy of 'cyd' changes who is first by borda, from 'ada' to 'bob'.
    A copy of 'cyd' changes nothing by schulze.
    """
    require_evidence(evidence)
    return clone_in_profile(
        profile_of(evidence, Conventions.of(**conventions)), agent, methods, copy=copy, settings=settings
    )


def clone_in_profile(
    profile: Profile,
    agent: str,
    methods: Sequence[str] | str = "all",
    *,
    copy: str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Clones:
    """Add a copy of an agent to what a profile was made of; see `clone`."""
    added = with_clone(profile.evidence, agent, copy)
    name = next(one for one in added.agents if one not in profile.agents)
    before, after = (
        compare_profile(one, methods, settings=settings, matrix="raw")
        for one in (profile, profile_of(added, profile.chosen))
    )
    found = {one.method: one for one in after.rankings}
    both = [one for one in before.rankings if one.method in found]
    return Clones(
        agent,
        name,
        tuple(_cloned(one, found[one.method], agent, name) for one in both),
        {**before.not_run, **after.not_run},
        dict(profile.chosen.options()),
    )


def _cloned(before: Ranking, after: Ranking, agent: str, copy: str) -> Cloned:
    """One method's two rankings, the copy left out of the second or, where scores are shares, added to its original."""
    if before.method in SHARES:
        pooled = {**after.scores, agent: after.scores[agent] + after.scores[copy]}
        level = levels_by_score(np.array([pooled[name] for name in before.agents]), 1e-8)
        winners = set(levels_as_names(level, before.agents)[0])
    else:
        level = after.level_of()[[after.agents.index(name) for name in before.agents]]
        winners = {agent if name == copy else name for name in after.winners}
    distance = kendall_distance(before.level_of(), level)
    promised = "clone" in METHODS[before.method].properties
    return Cloned(before.method, before.winners, tuple(sorted(winners)), distance, promised)
