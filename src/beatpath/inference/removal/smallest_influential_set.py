"""The smallest influential set: the fewest battles whose removal changes the winner, or the order of two agents."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Unpack

import numpy as np

from beatpath._arrays import Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, UsageError
from beatpath._result import TableResult
from beatpath._text import counted, joined, quoted, suggestion
from beatpath._validate import require_agents, require_known
from beatpath.evidence import Ballots, Convention, Evidence, Margins, WinRates
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.ranking.rank import as_profile
from beatpath.inference.removal.search import RULES, Removals, Target, levels_by, search
from beatpath.inference.removal.units import Counts, Removed, Source, Units, units_of
from beatpath.methods.profile import Profile
from beatpath.methods.result import levels_as_names

NOUNS = ("battle", "ballot", "judge", "task", "cluster", "voter")  # units that sentences can name
SHOWN = 6  # most kinds of battles named in a sentence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InfluentialSet(TableResult):
    """What it takes to change the answer.

    Attributes
    ----------
    method, unit : str
        The method, and what is removed: "battle", "ballot", or a column whose levels are removed as a whole.
    total : int
        Number of these units.
    needed : int or None
        The fewest found; None where no removal suffices.
    at_least : int or None
        A lower bound; None where none is known.
    exact : bool
        Whether `needed` is proven minimal, or, where it is None, that no removal suffices.
    verified : bool
        Whether the method, run again without these units, gives the new order.
    above, below : str or None
        Who passes whom.
    before, after : tuple of str
        The winners with all the evidence, and after the removal.
    removed : tuple of Removed
        What is removed, most first.
    named : bool
        Whether the two agents were given, rather than any change of the winner.
    within : tuple of str, or None
        The column and level that removals were confined to.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How evidence was counted.
    """

    derived: ClassVar = ("share",)

    method: str
    unit: str
    total: int
    needed: int | None
    at_least: int | None
    exact: bool
    verified: bool
    above: str | None
    below: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    removed: tuple[Removed, ...]
    named: bool = False
    within: tuple[str, str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()

    @property
    def share(self) -> float | None:
        """Share of all units that is removed."""
        return None if self.needed is None else self.needed / self.total

    def _finding(self) -> str:
        """The result, as a sentence."""
        ranks, of = RULES[self.method], f"{self.unit}s" if self.unit in NOUNS else f"levels of {quoted(self.unit)}"
        held = "" if self.within is None else f" of {self.within[0]} {quoted(self.within[1])}"
        if self.share is None:
            what = f"puts {quoted(self.above)} above {quoted(self.below)}" if self.named else "changes who is first"
            return f"No removal of {of}{held} {'' if self.exact else 'was found that '}{what} by {ranks}."
        change = f"puts {quoted(self.above)} above {quoted(self.below)}"
        if self.after == (self.above,) and not self.named:
            change = f"makes {quoted(self.above)} first, ahead of {quoted(self.below)},"
        which = joined(map(str, _together(self.removed)), SHOWN)
        number = f"{self.needed:,} of {self.total:,} {of} ({100 * self.share:.2g} %){f', all{held},' if held else ''}"
        return f"Removing {number} {change} by {ranks}: {which}. {self._bound()}"

    def _bound(self) -> str:
        """State whether fewer might suffice."""
        if self.exact:
            return "No smaller set does."
        least = f", but not fewer than {self.at_least:,}" if self.at_least and self.at_least > 1 else ""
        return f"This many are enough; fewer may be enough{least}."

    def rows(self) -> list[dict[str, Any]]:
        """Return what is removed, one row per kind, most first."""
        return [one.to_dict() for one in self.removed]


def smallest_influential_set(
    evidence: EvidenceLike | Profile,
    method: str = "bradley_terry",
    *,
    above: str | None = None,
    below: str | None = None,
    unit: str | None = None,
    within: str | tuple[str, str] | None = None,
    prior: float = 0.0,
    **conventions: Unpack[ConventionOptions],
) -> InfluentialSet:
    """Find the fewest battles whose removal changes the winner, or puts one agent above another.

    Use it to see how robust a ranking is: a handful of battles out of thousands means that the order is fragile. The
    winner has changed when a current winner is strictly below another agent. The result is verified by running the
    method again.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data.
    method : {"bradley_terry", "win_rate", "copeland", "borda"}
        `win_rate` is the share of its battles that an agent won; `borda` on battles is wins minus losses.
    above, below : str, optional
        Put the first strictly above the second. By default any change of the winner.
    unit : str, optional
        What is removed: "battle", "ballot", or a column (``judge``, ``task``, ``cluster``) whose levels are removed as
        a whole. By default single battles, single ballots, or the tasks of a score table (items, where these vote).
    within : str or two of them, optional
        Remove only battles or ballots of this column and level; with a column alone, of the level that needs the
        fewest.
    prior : float, default 0
        As for `bradley_terry`.
    **conventions
        As for `rank`.

    Returns
    -------
    InfluentialSet
        Exact for `borda`, for `copeland`, and for `win_rate` on single battles of equal weight; otherwise an upper
        bound, for Bradley-Terry with a lower one.

    See Also
    --------
    leave_one_out : The ranking without each task, judge or agent.
    judges : What a single judge could change.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[4, 2, 0, 0], [5, 0, 0, 0], [3, 0, 0, 0]])
    >>> print(smallest_influential_set(pairs, "copeland"))
    Removing 3 of 14 battles (21 %) makes 'bob' first, ahead of 'ada', by Copeland score: 3 that 'ada' won against 'bob'. \
No smaller set does.

    Notes
    -----
    Battles are first counted by kind, so the cost does not grow with their number. Win rate and Copeland: see
    `beatpath.inference.removal.exact`; the others follow influences with refits: `beatpath.inference.removal.search`,
    where `at_least` derives the lower bound for Bradley-Terry.
    """
    profile = as_profile(evidence, conventions)
    _require_removable(profile.evidence, method, profile.chosen)
    source = profile.source
    assert not isinstance(source, Margins | WinRates)
    unit = "task" if unit is None and profile.scores is not None else _unit(source, unit, within)
    level = levels_by(profile, method, prior)
    targets = _who_should_pass(source.agents, level, above, below)
    column = within if within is None or isinstance(within, str) else within[0]
    units = units_of(source, unit, column, ties=profile.ties, both_bad=profile.both_bad)
    fitted = profile.rankings["bradley_terry"] if method == "bradley_terry" and not prior else None
    look = partial(
        search, rule=method, targets=targets, ballots=isinstance(source, Ballots), prior=prior, fitted=fitted
    )
    removal, confined = _confined(units, look, targets, within)
    after, verified = level, False
    if removal.x is not None:
        left = Profile(source.agents, units.left(removal.x))
        after = levels_by(left, method, prior, ballots=isinstance(source, Ballots))
        verified = bool(after[removal.up] < after[removal.down])
    named = above is not None
    known = named or removal.x is not None
    return InfluentialSet(
        method,
        unit,
        units.total,
        None if removal.x is None else int(removal.x.sum()),
        removal.at_least,
        removal.exact,
        verified,
        source.agents[removal.up] if known else None,
        source.agents[removal.down] if known else None,
        levels_as_names(level, source.agents)[0],
        levels_as_names(after, source.agents)[0],
        () if removal.x is None else _removed_kinds(units, removal.x),
        named,
        confined,
        {"prior": prior} if method == "bradley_terry" else {},
        profile.conventions,
    )


def _require_removable(evidence: Evidence, method: str, chosen: Conventions) -> None:
    """Raise unless there is something to remove and the method can be searched."""
    require_known(method, RULES, f"the fewest removals can be searched for {', '.join(RULES)}; got {quoted(method)}.")
    if isinstance(evidence, Margins | WinRates):
        raise DataError(
            f"removing battles needs battles; {evidence.kind.replace('_', ' ')} hold none. Give battles, ballots, scores or "
            "pair counts."
        )
    if chosen.pair_weight != "count":
        raise UsageError("`pair_weight` must be count where battles are removed one by one; got 'rate'.")


def _unit(source: Source, unit: str | None, within: str | tuple[str, str] | None) -> str:
    """Return what is removed."""
    single = "ballot" if isinstance(source, Ballots) else "battle"
    if within is not None and unit not in (None, single):
        raise UsageError(f"`within` confines the removal of single {single}s; got the unit {quoted(unit)} too.")
    return unit or single


def _who_should_pass(agents: tuple[str, ...], level: Ints, above: str | None, below: str | None) -> list[Target]:
    """Return who should pass whom: the two named, or anybody one of the winners, best first."""
    if (above is None) != (below is None):
        raise UsageError("`above` and `below` must both be named, or neither; got one of them.")
    if above is None or below is None:
        if len(agents) < 2:
            raise DataError(
                f"a winner can change only among two agents or more; there is {counted(len(agents), 'agent')}."
            )
        order = sorted(range(len(agents)), key=lambda i: (level[i], agents[i]))
        return [(up, down) for down in order if not level[down] for up in order if up != down]
    require_agents((above, below), agents)
    up, down = agents.index(above), agents.index(below)
    if up == down or level[up] < level[down]:
        twice = f"`above` and `below` must be two agents; got {quoted(above)} twice."
        yet = f"`above` must name an agent that is not above `below` yet; {quoted(above)} is. Exchange the two."
        raise UsageError(twice if up == down else yet)
    return [(up, down)]


def _confined(
    units: Units, look: Callable[[Units], Removals], targets: Sequence[Target], within: str | tuple[str, str] | None
) -> tuple[Removals, tuple[str, str] | None]:
    """Search all units, those of one level, or each sufficiently large level of a column."""
    if within is None:
        return look(units), None
    column, level = (within, None) if isinstance(within, str) else within
    if level is not None and level not in units.levels:
        near = suggestion(level, units.levels)
        raise UsageError(f"{quoted(level)} must be a level of {quoted(column)} that some {units.noun} has.{near}")
    free = look(units) if level is None else None
    if free is not None and free.x is None:
        return free, None
    least = 1 if free is None else free.at_least or 1
    size = np.bincount(units.level[units.level >= 0], units.many[units.level >= 0], len(units.levels))
    names = [name for name, k in zip(units.levels, size, strict=True) if k >= least and level in (None, name)]
    tried = [look(units.within(units.levels.index(one))) for one in names]
    if not tried:
        return Removals(None, *targets[0], exact=True), None
    best = min(range(len(tried)), key=lambda i: tried[i].number)
    best_removal, possible = tried[best], [one.at_least for one in tried if not (one.exact and one.x is None)]
    bound = None if None in possible else min((k for k in possible if k is not None), default=None)
    where = (column, names[best]) if best_removal.x is not None or level is not None else None
    return Removals(best_removal.x, best_removal.up, best_removal.down, all(one.exact for one in tried), bound), where


def _together(removed: tuple[Removed, ...]) -> list[Removed]:
    """Soft preferences between the same two agents as one kind, whatever their shares."""
    number: Counter[Removed] = Counter()
    for one in removed:
        soft = one.outcome is not None and one.outcome.startswith("split")
        number[replace(one, count=0, outcome="split" if soft else one.outcome)] += one.count
    return [replace(one, count=count) for one, count in number.most_common()]


def _removed_kinds(units: Units, x: Counts) -> tuple[Removed, ...]:
    """Return what is removed, the most frequent first."""
    kinds = np.flatnonzero(x)
    names = [units.named(int(kind), int(x[kind])) for kind in kinds]
    return tuple(sorted(names, key=lambda one: (-one.count, one.agent or "", one.rival or "", one.level or "")))
