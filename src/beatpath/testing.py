"""Checks that a voting rule, a rating or a file reader must pass, for your own and for ours.

`check_method` tests a method against the laws in `LAWS` on random small profiles, and searches small profiles for
counterexamples to the properties it claims. `check_reader` damages a file in many ways and tests how the reader
responds. Both need only the package, are reproducible by seed, and raise `Broken`, an `AssertionError`, with a
sentence.
"""

import copy
import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sized
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from pathlib import Path
from typing import Any

import numpy as np

from beatpath._errors import BeatpathError, DataError
from beatpath._text import quoted
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.sources.source import Options, find
from beatpath.evidence import Ballots, Battles, Evidence, Margins
from beatpath.evidence.conventions import Conventions
from beatpath.methods.profile import Profile, profile_of
from beatpath.methods.registry import METHODS
from beatpath.methods.result import Outcome, Ranking
from beatpath.methods.run import named, ranking

__all__ = ["LAWS", "PROPERTIES", "Broken", "check_method", "check_reader", "example_ballots"]


def __dir__() -> list[str]:
    return __all__


# Types: a method as a function of evidence, and a law.
Rule = Callable[[Evidence], Ranking]
Law = Callable[[Rule, Ballots, np.random.Generator], None]
Votes = tuple[str, ...]  # strict orders such as "bac", best first, sorted

# Agent names, including some that break careless code.
NAMES = ("ada", "Ada", "bob", "cyd d", "é", "10", "9", "<b>", "名", " ", "a,b", '"')
SCALES = (1e-10, 3.0, 1e10)  # factors by which weights are multiplied
CLOSE = 1e-6  # tolerance for scores of the same votes; solvers stop at tolerances below this
UNFINISHED = "not converged"  # part of a status that marks scores as unusable
# Values that replace parts of JSON files.
JUNK: tuple[Any, ...] = (None, True, -1, 7.5, math.nan, 10**400, "", "x", [], [None], ["x"], [[1]], {}, {"x": None})
FOREIGN = {  # beginnings of files that belong to other readers
    "battles.csv": b"model_a,model_b,winner\nada,bob,model_a\nbob,ada,tie\n",
    "games.pgn": b'[White "Ada"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 1-0\n',
    "votes.soi": b"# DATA TYPE: soi\n# ALTERNATIVE NAME 1: soup\n# ALTERNATIVE NAME 2: rice\n2: 1,2\n",
    "records.jsonl": b'{"x": 1}\n{"x": 2}\n',
    "document.json": b'{"results": []}',
    "bytes.bin": bytes(range(256)),
    "text.txt": b"Nothing to read here.\n",
}


class Broken(AssertionError):
    """A law does not hold; the message has the evidence or the file that shows it."""


def check_method(
    method: str | Callable[[Profile], Outcome],
    *,
    properties: Collection[str] = (),
    without: Collection[str] = (),
    may_refuse: bool = False,
    examples: int = 25,
    seed: int = 0,
) -> None:
    """Test a voting rule or a rating against the laws of `LAWS`, and against the properties it claims.

    Parameters
    ----------
    method : str or function of a Profile that returns an Outcome
        A key of the registry, whose properties are taken from there, or a function that takes rankings.
    properties : collection of str
        The properties it claims, of ``condorcet``, ``clone``, ``population``, ``agenda`` and ``iia``: all profiles of
        few votes on three agents are searched for counterexamples.
    without : collection of str
        Laws of `LAWS` that it does not claim, such as ``anonymous`` for ratings that depend on the order of games.
    may_refuse : bool
        Whether it may raise a `DataError`, as a model without a finite estimate does. It must answer at least half.
    examples : int
        Number of random profiles for every law; default 25.
    seed : int
        Seed of the random profiles; default 0.

    Raises
    ------
    Broken
        With the law and the votes that violate it.

    Examples
    --------
    >>> from beatpath.methods.result import by_score
    >>> def first_places(profile):
    ...     votes = profile.require_ballots("first_places")
    ...     total = np.zeros(len(profile.agents))
    ...     for vote, weight in zip(votes, votes.total, strict=True):
    ...         for name in vote[0]:
    ...             total[profile.agents.index(name)] += weight / len(vote[0])
    ...     return by_score(total)
    >>> check_method(first_places)
    >>> check_method(first_places, properties=["condorcet"])
    Traceback (most recent call last):
    beatpath.testing.Broken: first_places claims 'condorcet', which these votes break: 1 abc, 1 bac, 1 cab.
    """
    rule, name = _rule(method), method if isinstance(method, str) else method.__name__
    claimed = METHODS[method].properties if isinstance(method, str) else properties
    unknown = (set(without) - LAWS.keys()) | (set(claimed) - PROPERTIES.keys())
    if unknown:
        raise ValueError(
            f"laws are {', '.join(LAWS)} and properties {', '.join(PROPERTIES)}; got {quoted(min(unknown))}."
        )
    for law in (one for key, one in LAWS.items() if key not in without):
        rng, refused = np.random.default_rng(seed), 0
        for _ in range(examples):
            try:
                law(rule, example_ballots(rng), rng)
            except DataError:
                refused += 1
                if not may_refuse or 2 * refused > examples:
                    raise
    for wanted in claimed:
        for case in PROPERTIES[wanted](rule):
            raise Broken(f"{name} claims {quoted(wanted)}, which these votes break: {_case_text(case)}.")


def _rule(method: str | Callable[[Profile], Outcome]) -> Rule:
    """A method as a function of evidence, with raw pair counts."""

    def ranked(evidence: Evidence) -> Ranking:
        profile = profile_of(evidence, Conventions(matrix="raw"))
        if isinstance(method, str):
            return ranking(profile, METHODS[method], {})
        result = method(profile)
        _require(isinstance(result, Outcome), "a method returns an Outcome", evidence, result)
        return named(method.__name__, profile, result, {})

    return ranked


# Random evidence


def example_ballots(rng: np.random.Generator) -> Ballots:
    """Return up to six ballots, some with counts, on two to six agents; agents may tie or be unranked."""
    agents = sorted(rng.choice(NAMES, rng.integers(2, 7), replace=False).tolist())
    votes = []
    for _ in range(rng.integers(1, 7)):
        order = rng.permutation(agents)[: rng.integers(1, len(agents) + 1)].tolist()
        groups: list[list[str]] = [[order[0]]]
        for name in order[1:]:
            if rng.random() < 0.4:
                groups[-1].append(name)
            else:
                groups.append([name])
        votes.append(groups)
    return Ballots.of(votes, agents=agents, count=rng.integers(1, 5, len(votes)))


# Laws, each a function of a rule, ballots and a random generator


def neutral(rule: Rule, votes: Ballots, rng: np.random.Generator) -> None:
    """Renaming agents renames the answer."""
    to = dict(zip(votes.agents, rng.permutation(votes.agents).tolist(), strict=True))
    renamed = [[[to[name] for name in group] for group in vote] for vote in votes]
    one, other = rule(votes), rule(Ballots.of(renamed, agents=votes.agents, count=votes.count))
    levels = tuple(tuple(sorted(to[name] for name in level)) for level in one.levels)
    _same(replace(one, levels=levels, scores={to[name]: x for name, x in one.scores.items()}), other, "neutral", votes)


def anonymous(rule: Rule, votes: Ballots, _rng: np.random.Generator) -> None:
    """The order of votes changes nothing."""
    turned = Ballots.of(list(votes)[::-1], agents=votes.agents, count=votes.count[::-1])
    _same(rule(votes), rule(turned), "anonymous", votes)


def counts(rule: Rule, votes: Ballots, _rng: np.random.Generator) -> None:
    """A ballot with a count is that many ballots."""
    repeated = [vote for vote, many in zip(votes, votes.count.tolist(), strict=True) for _ in range(many)]
    _same(rule(votes), rule(Ballots.of(repeated, agents=votes.agents)), "counts", votes)


def scaling(rule: Rule, votes: Ballots, rng: np.random.Generator) -> None:
    """Weights multiplied by one number change no level."""
    weight = rng.choice((1.0, rng.uniform(0.1, 10.0)), len(votes)) if votes.weight is None else votes.weight
    levels = rule(replace(votes, weight=weight)).levels
    for scale in SCALES:
        scaled = rule(replace(votes, weight=scale * weight)).levels
        _require(scaled == levels, f"weights times {scale:g} change no level", votes, levels, scaled)


def ties(rule: Rule, votes: Ballots, _rng: np.random.Generator) -> None:
    """Where all are tied everyone wins, and one agent alone wins."""
    for agents in (votes.agents, votes.agents[:1]):
        levels = rule(Ballots.of([[agents]], agents=agents)).levels
        _require(levels == (tuple(sorted(agents)),), "agents that all tie share one level", votes, levels)


def whole(rule: Rule, votes: Ballots, _rng: np.random.Generator) -> None:
    """Every agent stands on one level, the status is words, scores are numbers, and JSON carries all of it."""
    result = rule(votes)
    placed = sorted(name for level in result.levels for name in level)
    _require(
        placed == sorted(votes.agents) and all(result.levels), "every agent stands on one level", votes, result.levels
    )
    _require(bool(result.status) and isinstance(result.status, str), "a status is words", votes, result.status)
    json.dumps(result.to_dict(), allow_nan=False)


def repeatable(rule: Rule, votes: Ballots, _rng: np.random.Generator) -> None:
    """Evidence and answer stay as they are, a second run says the same, and no global generator is touched."""
    columns = [getattr(votes, one.name) for one in fields(votes)]
    before, state = copy.deepcopy(columns), _global_state()
    one, other = rule(votes).to_dict(), rule(replace(votes)).to_dict()
    _require(json.dumps(one) == json.dumps(other), "a second run says the same", votes, one, other)
    unchanged = all(np.array_equal(a, b) for a, b in zip(before, columns, strict=True) if isinstance(a, np.ndarray))
    _require(unchanged, "evidence is left alone", votes)
    _require(state == _global_state(), "numpy's generator is left alone", votes)
    try:
        rule(votes).status = ""  # type: ignore[misc]
    except FrozenInstanceError:
        return
    raise Broken("an answer must be frozen; its status could be set.")


def _global_state() -> str:
    return str(np.random.get_state())  # noqa: NPY002


# The laws by name.
LAWS: Mapping[str, Law] = {one.__name__: one for one in (neutral, anonymous, counts, scaling, ties, whole, repeatable)}


def counted_alike(rule: Rule, battles: Battles) -> None:
    """Check that a method that takes battles gives the same result for their pair counts."""
    _same(rule(battles), rule(battles.pairs()), "battles and their counts say the same", battles)


def rounding(rule: Rule, scale: float = 1.0) -> None:
    """Check that a method that takes margins treats a margin of mere rounding as a tie."""
    tie = 0.1 + 0.2 - 0.3
    margins = Margins(scale * np.array([[0, tie, 1], [-tie, 0, 1], [-1, -1, 0]]), ("a", "b", "c"))
    levels = rule(margins).levels
    _require(levels == (("a", "b"), ("c",)), "a margin of rounding is a tie", margins, levels)


def _same(one: Ranking, other: Ranking, law: str, evidence: Evidence) -> None:
    if UNFINISHED in one.status and UNFINISHED in other.status:
        return  # both report that these are not estimates
    _require(one.levels == other.levels, law, evidence, one.levels, other.levels)
    first, second = ([one_ranking.scores[name] for name in one.agents] for one_ranking in (one, other))
    near = np.allclose(first, second, atol=CLOSE, rtol=CLOSE, equal_nan=True)
    _require(near, law, evidence, one.scores, other.scores)


def _require(holds: object, law: str, evidence: Evidence, *answers: object) -> None:
    if not holds:
        ballots = list(evidence) if isinstance(evidence, Ballots) else evidence
        raise Broken(f"the law that {LAWS[law].__doc__ if law in LAWS else law} is broken by {ballots}: {answers}.")


# Properties of VasE's Table 4, tested on all small profiles: each yields counterexamples


def _profiles(agents: str, most: int) -> list[Votes]:
    """Every profile of 1 to `most` strict votes on all agents, ignoring the order of votes."""
    orders = ["".join(vote) for vote in permutations(agents)]
    return [profile for size in range(1, most + 1) for profile in combinations_with_replacement(orders, size)]


def _ballots(profile: Votes) -> Ballots:
    cast = Counter(profile)
    return Ballots.of(list(cast), agents=sorted(profile[0]), count=list(cast.values()))


def _cached(rule: Rule) -> Callable[[Votes], Ranking]:
    return cache(lambda profile: rule(_ballots(profile)))


def _only(profile: Votes, agents: Collection[str]) -> Votes:
    return tuple(sorted("".join(name for name in vote if name in agents) for vote in profile))


def condorcet(rule: Rule) -> Iterator[dict[str, Any]]:
    """Whoever beats all others head to head wins alone."""
    for profile in _profiles("abc", 5) + _profiles("abcd", 2):
        result = rule(_ballots(profile))
        if result.condorcet.strong is not None and result.winners != (result.condorcet.strong,):
            yield _case(profile)


def clone(rule: Rule) -> Iterator[dict[str, Any]]:
    """A clone changes nothing for the others, where margins tie only between the clones (VasE Definition 4)."""
    ranked = _cached(rule)
    for profile in _profiles("abc", 5):
        sizes = np.abs(_ballots(profile).pairs().margins().matrix[np.triu_indices(3, 1)])
        if len(set(sizes.tolist())) < 3 or not sizes.all():
            continue
        for agent, above in product("abc", product((False, True), repeat=len(profile))):
            both = (
                vote.replace(agent, f"z{agent}" if up else f"{agent}z") for vote, up in zip(profile, above, strict=True)
            )
            cloned = tuple(sorted(both))
            before, after = set(ranked(profile).winners), set(ranked(cloned).winners)
            if (agent in before) != bool({agent, "z"} & after) or before - {agent} != after - {agent, "z"}:
                yield _case(profile, cloned, agent=agent, clone="z")


def population(rule: Rule) -> Iterator[dict[str, Any]]:
    """What two electorates both choose, and nothing else, their union chooses."""
    ranked = _cached(rule)
    for one, other in combinations_with_replacement(_profiles("abc", 3), 2):
        both = set(ranked(one).winners) & set(ranked(other).winners)
        if both and set(ranked(tuple(sorted(one + other))).winners) != both:
            yield _case(one, other)


def agenda(rule: Rule) -> Iterator[dict[str, Any]]:
    """When losers leave, the winners stay the winners (VasE Definition 5)."""
    ranked = _cached(rule)
    for profile in _profiles("abc", 5) + _profiles("abcd", 2):
        chosen = set(ranked(profile).winners)
        losers = sorted(set(profile[0]) - chosen)
        for gone in (some for size in range(1, len(losers) + 1) for some in combinations(losers, size)):
            stay = set(profile[0]) - set(gone)
            if len(stay) > 1 and set(ranked(_only(profile, stay)).winners) != chosen:
                yield _case(profile, agenda=sorted(stay))


def iia(rule: Rule) -> Iterator[dict[str, Any]]:
    """The order of two agents follows from the votes between these two alone (Arrow)."""
    ranked = _cached(rule)
    for pair in ("ab", "ac", "bc"):
        cases: dict[Votes, tuple[Votes, int]] = {}
        for profile in _profiles("abc", 4):
            result = ranked(profile)
            sign = int(np.sign(result.rank(pair[1]) - result.rank(pair[0])))
            before, old = cases.setdefault(_only(profile, pair), (profile, sign))
            if old != sign:
                first, second, above = (before, profile, old) if old else (profile, before, sign)
                yield _case(first, second, pair=list(pair if above > 0 else pair[::-1]))


def _case(profile: Votes, then: Votes | None = None, **about: Any) -> dict[str, Any]:
    """A profile, and a second one if the law needs two, as votes with counts."""
    first, second = Counter(profile), Counter(then or ())
    case = {"votes": [list(vote) for vote in first], "count": list(first.values())}
    more = {"then": [list(vote) for vote in second], "then_count": list(second.values())} if then is not None else {}
    return {**case, **more, **about}


def _case_text(case: Mapping[str, Any]) -> str:
    """A case as text: the count of each order, then further details."""
    votes = [
        ", ".join(f"{many} {''.join(vote)}" for vote, many in zip(case[key], case[number], strict=True))
        for key, number in (("votes", "count"), ("then", "then_count"))
        if key in case
    ]
    rest = [f"{key} {value}" for key, value in case.items() if key not in ("votes", "count", "then", "then_count")]
    return "; ".join(["; then ".join(votes), *rest])


# The properties by name.
PROPERTIES: Mapping[str, Callable[[Rule], Iterator[dict[str, Any]]]] = {
    one.__name__: one for one in (condorcet, clone, population, agenda, iia)
}


# Readers


def check_reader(
    reader: Reader,
    sample: str | os.PathLike[str],
    *,
    options: Options | None = None,
    foreign: Mapping[str, bytes] = FOREIGN,
    damages: int = 200,
    seed: int = 0,
) -> None:
    """Test a file reader: it claims its own files only, accounts for every row, and reports damage as a sentence.

    Parameters
    ----------
    reader : Reader
        The reader to test.
    sample : path
        A small file as the tool wrote it.
    options : Options, optional
        Options for reading the sample.
    foreign : mapping of file name to bytes
        Files that it must not claim.
    damages : int
        Number of damaged copies of the sample: truncated, with bytes and lines changed, lost and repeated, and for
        JSON with values of other types.
    seed : int
        Seed of the damage; default 0.

    Raises
    ------
    Broken
        With what the reader did, and the damaged file if there was one.
    """
    chosen, data = options or Options(), Path(sample).read_bytes()
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        path = Path(folder) / Path(sample).name
        path.write_bytes(data)
        if not _claims(reader, path):
            raise Broken(f"{reader.name} must claim {quoted(path.name)}; it does not.")
        one, other = (require_account(reader.read(find(path), chosen), reader) for _ in range(2))
        if not _equal(one, other):
            raise Broken(f"{reader.name} must read {quoted(path.name)} the same every time; it does not.")
        rng = np.random.default_rng(seed)
        for broken in damaged(data, rng, damages):
            path.write_bytes(broken)
            require_sentence(reader, path, chosen)
        for name, content in foreign.items():
            (Path(folder) / name).write_bytes(content)
            if _claims(reader, Path(folder) / name):
                raise Broken(
                    f"{reader.name} must leave files of others alone; it claims {quoted(name)}: {content[:80]!r}."
                )


def require_sentence(reader: Reader, path: Path, options: Options) -> str:
    """Read a damaged file: it must give an accounted result, or one of our errors ending in a period.

    Returns the message.
    """
    try:
        _claims(reader, path)
        require_account(reader.read(find(path), options), reader)
    except BeatpathError as error:
        if not str(error).endswith((".", "?")):
            raise Broken(f"{reader.name} must end in a sentence; it says {quoted(str(error))}.") from error
        return str(error)
    except Broken:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise Broken(
            f"{reader.name} must end in a sentence; {quoted(message)} on {path.read_bytes()[:500]!r}."
        ) from error
    return ""


def require_account(evidence: Evidence, reader: Reader) -> Evidence:
    """Check the account of a read: every row was used, or dropped for a stated reason."""
    account = evidence.reading
    if account is None or account.format != reader.name:
        raise Broken(f"{reader.name} must say in `reading` what it read; it says {account}.")
    held = len(evidence) if isinstance(evidence, Sized) else account.rows_used
    if account.rows_used != held or account.rows_read != account.rows_used + sum(account.dropped.values()):
        raise Broken(
            f"{reader.name} must account for every row; {account.rows_read} were read, {account.rows_used} used, "
            f"{held} are there and {dict(account.dropped)} dropped."
        )
    return evidence


def damaged(data: bytes, rng: np.random.Generator, number: int) -> Iterator[bytes]:
    """Yield `number` damaged copies of a file."""
    (content, by_line), lines = _parsed(data), data.splitlines(keepends=True)
    places = list(json_places(content)) if content is not None else []
    for k in range(number):
        at, line = int(rng.integers(len(data))), int(rng.integers(len(lines)))
        if places and k % 2:
            changed = spoiled(content, places[rng.integers(len(places))], JUNK[rng.integers(len(JUNK))])
            records = changed if by_line and isinstance(changed, list) else [changed]
            yield "\n".join(map(json.dumps, records)).encode()
        elif k % 3 == 0:
            yield data[:at]
        elif k % 3 == 1:
            yield data[:at] + rng.bytes(int(rng.integers(3))) + data[at + 1 :]
        else:
            yield b"".join([*lines[:line], *(lines[line : line + 1] * int(rng.integers(2) * 2)), *lines[line + 1 :]])


def json_places(content: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield every path inside a JSON value, outermost first."""
    yield path
    parts = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, part in parts:
        yield from json_places(part, (*path, key))


def spoiled(content: object, path: tuple[Any, ...], junk: object) -> object:
    """Return a copy of a JSON value with junk at one path."""
    if not path:
        return junk
    content = part = copy.deepcopy(content)
    for key in path[:-1]:
        part = part[key]  # type: ignore[index]
    part[path[-1]] = junk  # type: ignore[index]
    return content


def _parsed(data: bytes) -> tuple[Any, bool]:
    """The content of a JSON document, or the records of JSON Lines, and whether it is lines; None for other files."""
    try:
        return json.loads(data), False
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in data.splitlines() if line.strip()], True
    except ValueError:
        return None, False


def _claims(reader: Reader, path: Path) -> bool:
    claimed = reader.takes(Head(find(path)[0]))
    if not isinstance(claimed, bool):
        raise Broken(f"`claims` of {reader.name} must be true or false; it is {claimed!r}.")
    return claimed


def _equal(one: object, other: object) -> bool:
    """Whether two evidence objects are equal, with arrays compared by value."""
    if is_dataclass(one) and type(one) is type(other):
        return all(_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return bool(one == other)
