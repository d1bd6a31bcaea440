"""`distinguish`: a small profile on which two methods elect different agents."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations
from typing import TypedDict

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._result import TableResult
from beatpath._text import counted, quoted
from beatpath._validate import generator
from beatpath.evidence import Ballots
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import method_named
from beatpath.methods.result import Ranking
from beatpath.methods.run import ranking, require_kind

Votes = tuple[str, ...]  # strict orders such as "bac", best first

MOST_VOTES = 7  # all profiles of so many votes on three agents are tried, up to the names of agents: about a second
DRAWS = 1000  # random profiles on four agents and on five: at most about ten seconds


class VoteRow(TypedDict):
    """Equal votes of a profile.

    Attributes
    ----------
    order : str
        Agents, best first.
    votes : int
        How many.
    """

    order: str
    votes: int


@dataclass(frozen=True, slots=True, repr=False)
class Distinction(TableResult):
    """A profile on which two methods elect different agents.

    Attributes
    ----------
    votes : list of VoteRow
        The profile.
    rankings : tuple of Ranking
        What the two methods make of it.
    majorities : list of str
        The majority of every pair of agents.
    smallest : bool
        Whether no profile of fewer votes on three agents separates them; otherwise it comes from random search, with
        no vote that can be left out.
    """

    votes: list[VoteRow]
    rankings: tuple[Ranking, Ranking]
    majorities: list[str]
    smallest: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is elected, by how many votes, both rankings, and the majorities."""
        one, other = self.rankings
        size = f"{counted(sum(row['votes'] for row in self.votes), 'vote')} on {counted(len(one.agents), 'agent')}"
        how = "no smaller profile does" if self.smallest else "by random search, without a vote that can be left out"
        return (
            f"{one.method} elects {' and '.join(one.winners)}, {other.method} {' and '.join(other.winners)}, by {size} ({how}).",
            *(sentence for each in self.rankings for sentence in each.sentences),
            f"Majorities: {', '.join(self.majorities)}.",
        )

    def rows(self) -> list[VoteRow]:
        """Return one row per kind of vote."""
        return self.votes


def distinguish(one: str, other: str, *, seed: int = 0) -> Distinction:
    """Find a small profile of strict votes on which two methods elect different agents.

    All profiles of up to seven votes on three agents are tried first, smallest first. If both methods elect a common
    agent on all of them, random profiles on four and five agents are tried, and votes left out as long as the methods
    still differ.

    Parameters
    ----------
    one, other : str
        Methods that take rankings.
    seed : int
        For the random profiles; default 0.

    Returns
    -------
    Distinction

    Raises
    ------
    UsageError
        If no profile that was tried separates them.

    See Also
    --------
    beatpath.testing.check_method : Counterexamples to a property of one method.

    Examples
    --------
    The Condorcet winner has fewer points.

    >>> print(distinguish("borda", "schulze"))
    borda elects b, schulze a, by 5 votes on 3 agents (no smaller profile does).
    borda: b > a > c
    schulze: a > b > c
    Majorities: a over b by 1, a over c by 1, b over c by 5.
    """
    rules = method_named(one), method_named(other)
    orders = ["".join(order) for order in permutations("abc")]
    for rule in rules:
        require_kind(_ballots((orders[0],)), rule)

    def rankings(profile: Votes) -> tuple[Ranking, Ranking] | None:
        """Both rankings if they have no winner in common."""
        shared = profile_of(_ballots(profile))
        try:
            first, second = (ranking(shared, rule, {}) for rule in rules)
        except DataError:  # a rating without a finite estimate
            return None
        return None if set(first.winners) & set(second.winners) else (first, second)

    for size in range(1, MOST_VOTES + 1):  # one vote is "abc": names do not matter
        for rest in combinations_with_replacement(orders, size - 1):
            both = rankings((orders[0], *rest))
            if both:
                return _distinction((orders[0], *rest), both, smallest=True)
    for profile in _random_profiles(generator(seed)):
        both = rankings(profile)
        while both:
            fewer = [profile[:k] + profile[k + 1 :] for k in range(len(profile)) if len(profile) > 1]
            less = next((one for one in fewer if rankings(one)), None)
            if less is None:
                return _distinction(profile, both, smallest=False)
            profile, both = less, rankings(less)
    raise UsageError(
        f"two methods must elect different agents on some small profile; none of {2 * DRAWS:,} random ones, nor any of up to "
        f"{MOST_VOTES} votes on three agents, separates {quoted(rules[0].key)} and {quoted(rules[1].key)}."
    )


def _ballots(profile: Votes) -> Ballots:
    cast = Counter(profile)
    return Ballots.of(list(cast), agents=sorted(profile[0]), count=list(cast.values()))


def _random_profiles(rng: np.random.Generator) -> Iterator[Votes]:
    """Three to eight kinds of votes, each cast one to six times, on four agents and then on five."""
    for agents in ("abcd", "abcde"):
        orders = ["".join(order) for order in permutations(agents)]
        for _ in range(DRAWS):
            kinds = rng.choice(len(orders), int(rng.integers(3, 9)), replace=False)
            yield tuple(orders[k] for k in kinds for _ in range(int(rng.integers(1, 7))))


def _distinction(profile: Votes, both: tuple[Ranking, Ranking], *, smallest: bool) -> Distinction:
    ballots = _ballots(profile)
    margins, agents = ballots.pairs().margins().matrix, ballots.agents
    majorities = []
    for i, j in combinations(range(len(agents)), 2):
        a, b = (i, j) if margins[i, j] >= 0 else (j, i)
        majorities.append(
            f"{agents[a]} over {agents[b]} by {margins[a, b]:g}" if margins[i, j] else f"{agents[i]} ties {agents[j]}"
        )
    votes: list[VoteRow] = [{"order": " > ".join(vote), "votes": n} for vote, n in Counter(profile).most_common()]
    return Distinction(votes, both, majorities, smallest)
