"""Agreement: how many methods put whom first, and about whom those that order all agents differ.

A method that ties everybody has no answer to who is first, and is no disagreement. One that ties most agents chooses a few
and orders nobody else: the rank that it gives the others says nothing of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from beatpath._sentence import Name, named
from beatpath._text import counted
from beatpath.methods.result import Ranking

MOST_GROUPS = 4  # answers to who is first that are told, each with its methods
MOST_METHODS = 3  # of an answer that are named
MOST_TOP = 10  # agents at the top of which it is said that all methods name the same


@dataclass(frozen=True, slots=True)
class First:
    """Agents that share the first place, and the methods that put them there."""

    agents: tuple[str, ...]
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far methods agree.

    Attributes
    ----------
    first : tuple of First
        Who is first by which methods, most methods first.
    silent : tuple of str
        Methods that tie everybody.
    """

    first: tuple[First, ...]
    silent: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """How many methods put whom first, as the parts of a sentence, which a full stop ends."""
        k = sum(len(one.methods) for one in self.first)
        if not k:
            many = f"{spaced(self.silent[0])} ties" if len(self.silent) == 1 else f"all {len(self.silent)} methods tie"
            return (f"No method tells agents apart: {many} everybody",)
        most = self.first[0]
        said = (*_so_many(most.methods, k), *_first_by(most))
        for one in self.first[1:MOST_GROUPS]:
            said += ("; ", _methods_named(one.methods), *_first_by(one, short=True))
        left = sum(len(one.methods) for one in self.first[MOST_GROUPS:])
        said += (f"; {counted(left, 'method puts', 'methods put')} others",) if left else ()
        if self.silent:
            verb = "ties all agents and has" if len(self.silent) == 1 else "tie all agents and have"
            said += (f"; {_methods_named(self.silent)} {verb} no say",)
        return said


def agreement(rankings: Sequence[Ranking]) -> Agreement:
    """Return who is first by which methods.

    >>> from beatpath import Ballots, compare
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> both = compare(Ballots.of(votes, count=[1, 1, 2, 1]), ["copeland", "borda"])
    >>> [(one.agents, one.methods) for one in agreement(both.rankings).first]
    [(('C',), ('copeland',)), (('A', 'C'), ('borda',))]
    """
    found: dict[frozenset[str], list[Ranking]] = {}
    for ranking in rankings:
        if len(ranking.levels) > 1:
            found.setdefault(frozenset(ranking.winners), []).append(ranking)
    groups = [First(tuple(sorted(key)), tuple(one.method for one in made)) for key, made in found.items()]
    silent = tuple(ranking.method for ranking in rankings if len(ranking.levels) < 2)
    return Agreement(tuple(sorted(groups, key=lambda one: (-len(one.methods), len(one.agents), one.agents))), silent)


def ordering(rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """Return the rankings that order agents: those none of whose levels holds more than half of them, nor all of two."""
    return tuple(
        ranking
        for ranking in rankings
        if len(ranking.levels) > 1 and 2 * max(map(len, ranking.levels)) <= max(len(ranking.agents), 4)
    )


def agreed_top(rankings: Sequence[Ranking]) -> int:
    """Return the largest number of first agents, ten and half of all at most, that every method names as a set; 0 where none."""
    tops = []
    for ranking in rankings:
        seen: frozenset[str] = frozenset()
        mine = []
        for level in ranking.levels:
            seen |= set(level)
            mine.append(seen)
        tops.append(set(mine))
    if not tops:
        return 0
    most = min(MOST_TOP, max(1, len(rankings[0].agents) // 2))
    return max((len(top) for top in set.intersection(*tops) if len(top) <= most), default=0)


def _so_many(methods: Sequence[str], k: int) -> tuple[str, ...]:
    if len(methods) == 1:
        return (spaced(methods[0]),)
    if len(methods) == k:
        return ("Both methods" if k == 2 else f"All {k} methods",)
    return (f"{len(methods)} of {k} methods",)


def _first_by(one: First, *, short: bool = False) -> tuple[str, ...]:
    put = " puts " if len(one.methods) == 1 else " put "
    level = " level" if len(one.agents) > 1 else ""
    return (put, *named(one.agents), f"{level}" if short else f" first{',' if level else ''}{level}")


def _methods_named(methods: Sequence[str]) -> str:
    """Methods in words, those after a few counted.

    >>> _methods_named(["elo", "ranked_pairs"]), _methods_named(list("abcde"))
    ('elo and ranked pairs', 'a, b, c and 2 more')
    """
    words = [spaced(method) for method in methods]
    if len(words) > MOST_METHODS:
        return f"{', '.join(words[:MOST_METHODS])} and {len(words) - MOST_METHODS} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def spaced(method: str) -> str:
    """Return the key of a method in words."""
    return method.replace("_", " ")


def moved_said(moved: Sequence[tuple[str, int, int]], rankings: Sequence[Ranking], most: int) -> tuple[str, ...]:
    """Return the agents that methods differ most about, with the two that lie farthest apart, as the parts of a sentence."""
    parts: tuple[str, ...] = ()
    for name, best, worst in moved[:most]:
        by = {ranking.rank(name): ranking.method for ranking in reversed(rankings)}
        where = f" (rank {best} by {spaced(by[best])}, {worst} by {spaced(by[worst])})"
        parts += (*(("; ",) if parts else ()), Name(name), where)
    return parts
