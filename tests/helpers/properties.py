"""The properties of VasE's Table 4 as laws about winners, and what breaks each, looked for in all small profiles.

A profile is a sorted tuple of votes; a vote is a string of agents, best first. What breaks a law is told as a case of
tests/golden/vase_table4.json: ``votes`` with their ``count``, and what the law is about besides.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

import numpy as np

import beatpath as bp
from beatpath import Ballots

SETTINGS = {"approval": {"k": 2}, "stv": {"k": 1}}  # what a rule is told here
Profile = tuple[str, ...]


def profiles(agents: str, most: int) -> list[Profile]:
    """Every profile of 1 to `most` strict votes on all agents, the order of votes set aside."""
    orders = ["".join(vote) for vote in permutations(agents)]
    return [profile for size in range(1, most + 1) for profile in combinations_with_replacement(orders, size)]


@cache
def ranking(method: str, profile: Profile) -> bp.Ranking:
    agents = sorted(profile[0])
    settings = SETTINGS.get(method, {})
    if "k" in settings:
        settings = {"k": min(settings["k"], len(agents))}
    count = Counter(profile)
    return bp.rank(Ballots.of(list(count), agents=agents, count=list(count.values())), method, **settings)


def winners(method: str, profile: Profile) -> set[str]:
    return set(ranking(method, profile).winners)


def kept(profile: Profile, agents: set[str] | str) -> Profile:
    return tuple(sorted("".join(name for name in vote if name in agents) for vote in profile))


def case(profile: Profile, then: Profile | None = None, **about: Any) -> dict[str, Any]:
    """A profile, and a second one where the law has two, as votes with counts."""

    def told(one: Profile) -> tuple[list[list[list[str]]], list[int]]:
        count = Counter(one)
        return [[[name] for name in vote] for vote in count], list(count.values())

    votes, count = told(profile)
    second = dict(zip(("then", "then_count"), told(then), strict=True)) if then is not None else {}
    return {"votes": votes, "count": count, **second, **about}


def condorcet(method: str) -> Iterator[dict[str, Any]]:
    """Whoever beats all others head to head wins alone."""
    for profile in profiles("abc", 5) + profiles("abcd", 2):
        strong = ranking(method, profile).condorcet.strong
        if strong is not None and winners(method, profile) != {strong}:
            yield case(profile)


def clone(method: str) -> Iterator[dict[str, Any]]:
    """VasE Definition 4, where margins tie only between the clones: a clone changes nothing for the others."""
    for profile in profiles("abc", 5):
        count = Counter(profile)
        margins = Ballots.of(list(count), count=list(count.values())).pairs().margins().matrix
        sizes = np.abs(margins[np.triu_indices(3, 1)])
        if len(set(sizes.tolist())) < 3 or not sizes.all():
            continue
        for agent, above in product("abc", product((False, True), repeat=len(profile))):
            with_clone = tuple(
                sorted(
                    v.replace(agent, f"z{agent}" if up else f"{agent}z") for v, up in zip(profile, above, strict=True)
                )
            )
            before, after = winners(method, profile), winners(method, with_clone)
            if (agent in before) != bool({agent, "z"} & after) or before - {agent} != after - {agent, "z"}:
                yield case(profile, with_clone, agent=agent, clone="z")


def population(method: str) -> Iterator[dict[str, Any]]:
    """What two electorates both choose, and nothing else, their union chooses."""
    small = profiles("abc", 3)
    for one, other in combinations_with_replacement(small, 2):
        both = winners(method, one) & winners(method, other)
        if both and winners(method, tuple(sorted(one + other))) != both:
            yield case(one, other)


def agenda(method: str) -> Iterator[dict[str, Any]]:
    """VasE Definition 5: when losers leave, the winners stay the winners."""
    for profile in profiles("abc", 5) + profiles("abcd", 2):
        chosen = winners(method, profile)
        losers = sorted(set(profile[0]) - chosen)
        for size in range(1, len(losers) + 1):
            for gone in combinations(losers, size):
                stay = set(profile[0]) - set(gone)
                if len(stay) > 1 and winners(method, kept(profile, stay)) != chosen:
                    yield case(profile, agenda=sorted(stay))


def iia(method: str) -> Iterator[dict[str, Any]]:
    """Arrow: the order of two agents follows from the votes between these two alone."""
    for pair in ("ab", "ac", "bc"):
        seen: dict[Profile, Profile] = {}
        order: dict[Profile, int] = defaultdict(int)
        for profile in profiles("abc", 4):
            between = kept(profile, pair)
            found = ranking(method, profile)
            sign = int(np.sign(found.rank(pair[1]) - found.rank(pair[0])))
            if between not in seen:
                seen[between], order[between] = profile, sign
            elif order[between] != sign:
                first, second = (seen[between], profile) if order[between] != 0 else (profile, seen[between])
                above = order[between] if order[between] != 0 else sign
                yield case(first, second, pair=list(pair if above > 0 else pair[::-1]))


LAWS = {"condorcet": condorcet, "clone": clone, "population": population, "agenda": agenda, "iia": iia}
