r"""`diff`: what certainly changed between two leaderboards: ranks, entries and exits, orders and claims.

An agent's rank is compared among the agents that both boards have. It certainly rose if every rank that the new board
allows is better than every rank that the old board allows. The two boards may share all of their data, some, or none:
each is wrong with probability at most :math:`1 - \text{level}`, so by the union bound, whatever the dependence, all
statements about both hold simultaneously with a confidence of at least

.. math::  1 - 2\,(1 - \text{level}) .

An order that was certain and no longer is has lost its support; that is no evidence for the opposite. Where the old
board puts one agent certainly above another and the new board the reverse, the order has certainly turned, each board
for its own data and agents.

A board comes from a resolution or from its stored JSON. The JSON does not list who is certainly above whom, and need
not: agents of one component that share no letter certainly differ, and the one with the higher score is above.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, ReadError, UsageError
from beatpath._result import SCHEMA_VERSION, Delegate, Record, Result, TableResult, json_number
from beatpath._text import confidence, counted, listed, quoted
from beatpath._validate import is_number
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.ranks.grouping import best_first, point_ranks
from beatpath.inference.ranks.ranks import Ranks, span

if TYPE_CHECKING:
    from beatpath.inference.resolve.resolution import Resolution

LETTER = re.compile(r"[a-zA-Z]\d*")  # letters as `letter` writes them: one letter, then a number beyond 52 groups
LETTERS = re.compile(rf"({LETTER.pattern})*")
# the fix that every error about a stored document ends with
WRITE_AGAIN = "Write it again with `beatpath resolve FILE --format json`"
Pair = tuple[str, str]
Change = Literal["rose", "fell", "open", "entered", "left"]
Status = Literal["kept", "lost", "gained", "not supported"]
# what fields of a document must be, in words and as a test
Requirements = Mapping[str, tuple[str, Callable[[Any], object]]]
_MAPPING = ("a mapping by name", lambda x: isinstance(x, Mapping))
_YES_OR_NO = ("true or false", lambda x: isinstance(x, bool))
_OF_BOARD: Requirements = {
    "ranks": _MAPPING,
    "settings": _MAPPING,
    "estimand": ("a text", lambda x: isinstance(x, str)),
}
_OF_SETTINGS: Requirements = {
    "estimand": ("a name, or weights by agent", lambda x: isinstance(x, str | Mapping)),
    "level": ("a number between 0 and 1", lambda x: is_number(x) and 0 < x < 1),
    "simultaneous": _YES_OR_NO,
}
NAMED = 5  # most agents or pairs named in a sentence


@dataclass(frozen=True, slots=True)
class Move:
    """How one agent moved: its rank set among the agents of both boards, None on a board without it."""

    agent: str
    change: Change
    before: tuple[int, int] | None
    after: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ClaimChange(Record):
    """A claim tested on two boards.

    Attributes
    ----------
    claim : str
        The claim as written.
    before, after : bool
        Whether the old board supports it, and whether the new one does.
    sentence : str
        The same as a sentence.
    """

    document: ClassVar[tuple[str, ...]] = ("claim", "status", "before", "after", "sentence")

    claim: str
    before: bool
    after: bool
    sentence: str

    @property
    def status(self) -> Status:
        """Whether the claim was kept, lost or gained, or is supported by neither board."""
        if self.before:
            return "kept" if self.after else "lost"
        return "gained" if self.after else "not supported"


class FirstOfBoth(TypedDict):
    """Who may be first on each of two boards.

    Attributes
    ----------
    before, after : tuple of str
        On the old board, and on the new board.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]


class DiffRow(TypedDict):
    """What changed for one agent.

    Attributes
    ----------
    agent : str
        The agent.
    change : {"rose", "fell", "open", "entered", "left"}
        Certainly up, certainly down, not certain, new, or gone.
    old_tier, new_tier : int or None
        Tier from the top.
    old_best, old_worst, new_best, new_worst : int or None
        Rank set on each board.
    old_best_of_both, old_worst_of_both, new_best_of_both, new_worst_of_both : int or None
        Rank set among the agents of both boards.
    old_score, new_score : float or None
        Score on each board.
    """

    agent: str
    change: Change
    old_tier: int | None
    old_best: int | None
    old_worst: int | None
    old_best_of_both: int | None
    old_worst_of_both: int | None
    old_score: float | None
    new_tier: int | None
    new_best: int | None
    new_worst: int | None
    new_best_of_both: int | None
    new_worst_of_both: int | None
    new_score: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Diff(TableResult):
    """What changed between two boards.

    Attributes
    ----------
    old, new : Ranks
        The two boards.
    moves : tuple of Move
        One per agent of either board: in the order of the new board, agents that left last.
    unchanged : int
        Pairs of agents whose order is certain on both boards.
    lost, gained, reversed : tuple of (str, str)
        Pairs whose first agent was certainly above the second and no longer is; now is and was not; and now is,
        although it was certainly below.
    claims : tuple of ClaimChange
        What happened to each claim.
    """

    document: ClassVar[tuple[str, ...]] = (
        "estimand",
        "level",
        "joint_level",
        "simultaneous",
        "rose",
        "fell",
        "entered",
        "left",
        "may_be_first",
        "agents=rows",
        "unchanged_pairs=unchanged",
        "lost_pairs=lost",
        "gained_pairs=gained",
        "reversed_pairs=reversed",
        "claims",
    )

    old: Ranks
    new: Ranks
    moves: tuple[Move, ...]
    unchanged: int
    lost: tuple[Pair, ...]
    gained: tuple[Pair, ...]
    reversed: tuple[Pair, ...]
    claims: tuple[ClaimChange, ...] = ()

    def agents(self, change: Change) -> tuple[str, ...]:
        """Return the agents that rose, fell, entered or left, or whose change is open."""
        return tuple(move.agent for move in self.moves if move.change == change)

    estimand = Delegate[str]("new.estimand", "What a score estimates.")
    level = Delegate[float]("old.level", "Confidence level of each board.")
    simultaneous = Delegate[bool]("old.simultaneous", "Whether the rank sets of each board hold simultaneously.")

    @property
    def rose(self) -> tuple[str, ...]:
        """Agents whose possible ranks are all better than before."""
        return self.agents("rose")

    @property
    def fell(self) -> tuple[str, ...]:
        """Agents whose possible ranks are all worse than before."""
        return self.agents("fell")

    @property
    def entered(self) -> tuple[str, ...]:
        """Agents on the new board only."""
        return self.agents("entered")

    @property
    def left(self) -> tuple[str, ...]:
        """Agents on the old board only."""
        return self.agents("left")

    @property
    def may_be_first(self) -> FirstOfBoth:
        """Who may be first on each board."""
        return {"before": self.old.top(1), "after": self.new.top(1)}

    @property
    def joint_level(self) -> float:
        """Lower bound on the confidence of all statements about both boards together."""
        return max(0.0, 1 - 2 * (1 - self.old.level))

    @property
    def lost_claims(self) -> tuple[ClaimChange, ...]:
        """The claims that the old board supports and the new one does not."""
        return tuple(one for one in self.claims if one.status == "lost")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Claims first, then who moved, who is first, who entered and left, and the confidence."""
        return (*(one.sentence for one in self.claims), *_sentences(self))

    def rows(self) -> list[DiffRow]:
        """Return one row per agent: its change, and tiers, ranks and scores on both boards."""
        return [self._row(move) for move in self.moves]

    def _row(self, move: Move) -> Any:
        old, new = _columns(self.old, move.agent, move.before), _columns(self.new, move.agent, move.after)
        both = {f"old_{name}": x for name, x in old.items()} | {f"new_{name}": x for name, x in new.items()}
        return {"agent": move.agent, "change": move.change, **both}


def diff(
    old: "Resolution | Mapping[str, Any] | EvidenceLike",
    new: "Resolution | Mapping[str, Any] | EvidenceLike",
    *,
    claims: Sequence[str] = (),
) -> Diff:
    """Find what certainly changed between two leaderboards.

    Use it to check whether new data move anyone, and whether published claims still hold. Differences that are not
    certain on both boards are reported as open.

    Parameters
    ----------
    old, new : Resolution, Report, their `to_dict`, or evidence
        Evidence is resolved with default conventions. The boards may share data.
    claims : sequence of str, default ()
        ``"A > B"``, ``"A is first"``, ``"A is last"`` or ``"A is in the top 3"``.

    Returns
    -------
    Diff

    Raises
    ------
    ReadError
        When a mapping is not a document of `resolve` or `report`, or of another version.
    DataError
        When the boards have different estimands or levels, or fewer than two agents in common.

    See Also
    --------
    resolve : One board.
    tiers : A board in tiers.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> old = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[80, 20, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    >>> new = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[20, 80, 0, 0], [90, 10, 0, 0], [95, 5, 0, 0]])
    >>> result = diff(old, new, claims=["ada is first"])
    >>> result.agents("rose"), result.reversed, result.lost_claims[0].claim
    (('bob',), (('bob', 'ada'),), 'ada is first')
    """
    return diff_of(ranks_of(old, "the old board"), ranks_of(new, "the new board"), claims=claims)


def diff_of(before: Ranks, after: Ranks, *, claims: Sequence[str] = ()) -> Diff:
    """Compare two boards; see `diff`."""
    both = _in_common(before, after)
    was, is_ = (_above_among(ranks, both) for ranks in (before, after))
    return Diff(
        before,
        after,
        _moves(before, after, both, was, is_),
        int((was & is_).sum()),
        _pairs(was & ~is_ & ~is_.T, both),
        _pairs(is_ & ~was & ~was.T, both),
        _pairs(is_ & was.T, both),
        tuple(_claim_change(text, before, after) for text in claims),
    )


def ranks_of(source: "Resolution | Mapping[str, Any] | EvidenceLike", name: str) -> Ranks:
    """Return the ranks of a resolution, a document or evidence; `name` stands for it in errors."""
    if isinstance(source, Mapping):
        return ranks_of_document(source, name)
    ranks = getattr(source, "ranks", None)
    if isinstance(ranks, Ranks) and ranks.above.size:
        require_two(len(ranks.agents), name)
        return ranks
    if isinstance(source, Result):
        return ranks_of_document(source.to_dict(), name)
    from beatpath.inference.resolve.resolve import resolve

    return ranks_of(resolve(source), name)


def require_two(agents: int, name: str) -> None:
    """Raise unless a board has at least two agents."""
    if agents < 2:
        raise DataError(f"{name} must have two agents at least; it has {agents}.")


def _in_common(before: Ranks, after: Ranks) -> tuple[str, ...]:
    """Return the agents of both boards in the order of the new one; raise if the boards are not comparable."""
    estimands = [ranks.settings["estimand"] for ranks in (before, after)]
    if estimands[0] != estimands[1]:
        raise DataError(
            f"both boards must have the same estimand; the old one is of {quoted(estimands[0])} ({before.estimand}), the new "
            f"one of {quoted(estimands[1])} ({after.estimand}). Make both with one `--estimand`."
        )
    if before.level != after.level or before.simultaneous != after.simultaneous:
        raise DataError(
            f"both boards must have the same level, and both simultaneous or both per-agent confidence; the old one has "
            f"{_confidence_text(before)}, the new one {_confidence_text(after)}. Make both with one `--level`."
        )
    both = tuple(name for name in after.names if name in before.agents)
    if len(both) < 2:
        raise DataError(
            f"the boards must have two agents in common; they have {len(both)}. The old one has {listed(before.names, 3)}, the "
            f"new one {listed(after.names, 3)}: were agents renamed?"
        )
    return both


def _confidence_text(board: Ranks) -> str:
    """Describe the confidence of a board."""
    return f"{'simultaneous' if board.simultaneous else 'per-agent'} {confidence(board.level)} confidence"


def _above_among(ranks: Ranks, names: Sequence[str]) -> Bools:
    """Return who is certainly above whom among some agents."""
    place = {name: i for i, name in enumerate(ranks.agents)}
    rows = [place[name] for name in names]
    return np.asarray(ranks.above[np.ix_(rows, rows)])


def ranks_among(above: Bools) -> list[tuple[int, int]]:
    """Return the best and worst possible rank of each agent among the agents given."""
    best, worst = 1 + above.sum(axis=0), len(above) - above.sum(axis=1)
    return list(zip(best.tolist(), worst.tolist(), strict=True))


def _moves(before: Ranks, after: Ranks, both: tuple[str, ...], was: Bools, is_: Bools) -> tuple[Move, ...]:
    moved = {
        name: Move(name, "rose" if new[1] < old[0] else "fell" if new[0] > old[1] else "open", old, new)
        for name, old, new in zip(both, ranks_among(was), ranks_among(is_), strict=True)
    }
    here = (moved.get(name) or Move(name, "entered", None, None) for name in after.names)
    return (*here, *(Move(name, "left", None, None) for name in before.names if name not in moved))


def _pairs(mask: Bools, agents: tuple[str, ...]) -> tuple[Pair, ...]:
    return tuple((agents[i], agents[j]) for i, j in np.argwhere(mask).tolist())


def _claim_change(text: str, before: Ranks, after: Ranks) -> ClaimChange:
    claims = claims_of(text, tuple(dict.fromkeys((*after.agents, *before.agents))))
    if sized := [claim.text for claim in claims if claim.has_margin]:
        raise UsageError(
            f"boards hold orders and no differences, so a claim about two of them must have no margin; got {quoted(sized[0])}. "
            "`resolve` and `compare` test it on the data."
        )
    was, is_ = (all(board.supports(claim) for claim in claims) for board in (before, after))
    words = {
        (True, True): "holds on both boards",
        (True, False): "is lost: it held on the old board and does not on the new one",
        (False, True): "is new: it did not hold on the old board and does on the new one",
        (False, False): "holds on neither board",
    }[was, is_]
    named = dict.fromkeys(name for claim in claims for name in (claim.agent, claim.below) if name is not None)
    missing = [name for name in named if name not in after.agents]
    why = f"; {listed(missing)} left" if missing else ""
    return ClaimChange(text, was, is_, f"{quoted(text)} {words}{why}.")


def _columns(board: Ranks, agent: str, among: tuple[int, int] | None) -> dict[str, Any]:
    """Return tier, ranks, ranks among the agents of both boards, and score of an agent."""
    best, worst = among or (None, None)
    if agent not in board.agents:
        return dict.fromkeys(("tier", "best", "worst", "best_of_both", "worst_of_both", "score"))
    i = board.agents.index(agent)
    return {
        "tier": int(board.tier[i]) or None,
        "best": int(board.best[i]),
        "worst": int(board.worst[i]),
        "best_of_both": best,
        "worst_of_both": worst,
        "score": json_number(board.score[i]),
    }


def _sentences(result: Diff) -> Iterable[str]:
    old, new = result.old, result.new
    common = sum(move.before is not None for move in result.moves)
    if not result.agents("rose") and not result.agents("fell"):
        yield f"No agent certainly rose or fell among the {common:,} agents of both boards."
    for change in ("rose", "fell"):
        moved = [move for move in result.moves if move.change == change]
        if not moved:
            continue
        named = "; ".join(
            f"{quoted(m.agent)} (rank {span(*(m.before or (0, 0)))}, now {span(*(m.after or (0, 0)))})"
            for m in moved[:NAMED]
        )
        more = f" and {len(moved) - NAMED:,} more" if len(moved) > NAMED else ""
        yield f"{counted(len(moved), 'agent')} certainly {change} among the {common:,} of both boards: {named}{more}."
    if set(old.top(1)) == set(new.top(1)):
        yield f"Who may be first is the same: {listed(new.top(1), NAMED)}."
    else:
        yield f"Who may be first: before {listed(old.top(1), NAMED)}; now {listed(new.top(1), NAMED)}."
    for change in ("entered", "left"):
        names = result.agents(change)  # type: ignore[arg-type]
        if names:
            yield f"{counted(len(names), 'agent')} {change}: {listed(names, NAMED)}."
    if not (result.lost or result.reversed or result.gained):
        yield f"The same {counted(result.unchanged, 'order is', 'orders are')} certain on both boards."
    else:
        yield (
            f"Of the certain orders on the old board, {counted(result.unchanged, 'still holds', 'still hold')}, "
            f"{counted(len(result.lost), 'is', 'are')} no longer certain and {counted(len(result.reversed), 'is', 'are')} reversed; "
            f"{counted(len(result.gained), 'is new', 'are new')}. An order that is no longer certain is not thereby reversed."
        )
    family = "with simultaneous" if old.simultaneous else "for each agent by itself with"
    yield (
        f"Each board holds {family} {confidence(old.level)} confidence, so statements about both hold with at least "
        f"{confidence(result.joint_level)}, whether or not the boards share data."
    )
    if result.agents("entered") or result.agents("left"):
        yield "Scores are relative to the agents of each board: agents that came or went may move them."


def ranks_of_document(data: Mapping[str, Any], name: str) -> Ranks:
    """Return the board in a document, without agents that have too little data, or raise with what the document must be.

    Parameters
    ----------
    data : mapping
        The `to_dict` of a resolution or a report.
    name : str
        What errors call the document.
    """
    document = _resolution_in(data, name)
    _require(document, _OF_BOARD, f"of {name}")
    _require(document["ranks"], dict.fromkeys(document["ranks"], _MAPPING), f"among the ranks of {name}")
    _require(document["settings"], _OF_SETTINGS, f"of {name}")
    rows = {agent: row for agent, row in document["ranks"].items() if row.get("placed") is not False}
    require_two(len(rows), name)
    for agent, row in rows.items():
        _require(row, _of_agent(row, len(rows)), f"of {quoted(agent)} in {name}")
    return _read_back(document, rows)


def _of_agent(row: Mapping[str, Any], n: int) -> Requirements:
    """Return what the row of an agent must say on a board of *n* agents."""

    def is_place(x: object) -> bool:
        return type(x) is int and 1 <= x <= n

    place = f"a whole number from 1 to {n:,}, the number of agents"
    return {
        **dict.fromkeys(("score", "low", "high"), ("a finite number or null", lambda x: x is None or is_number(x))),
        **dict.fromkeys(("best", "part"), (place, is_place)),
        "worst": (f"{place}, and not below `best`", lambda x: is_place(x) and x >= row["best"]),
        "tier": (f"{place}, or null", lambda x: x is None or is_place(x)),
        "letters": (
            "letters, such as 'ab', which boards of more than 2,000 agents lack",
            lambda x: isinstance(x, str) and LETTERS.fullmatch(x) and (x or row["tier"] is None),
        ),
        **({"may_be_first": _YES_OR_NO} if "may_be_first" in row else {}),
    }


def _require(fields: Mapping[str, Any], must: Requirements, place: str) -> None:
    """Raise unless a part of a document has these fields as they must be."""
    for key, (words, holds) in must.items():
        if key not in fields or not holds(fields[key]):
            what = f"it is {quoted(fields[key])}" if key in fields else "it is missing"
            raise ReadError(
                f"{quoted(key)} {place} must be {words}; {what}. It was written by an older version, or by hand. {WRITE_AGAIN}."
            )


def _read_back(document: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Ranks:
    """Rebuild the ranks from the document of a resolution, whose agents these are."""
    agents, settings = tuple(rows), document["settings"]

    def column(key: str, dtype: type = np.int64) -> Any:
        return np.array([row[key] for row in rows.values()], dtype=dtype)

    score, low, high = (column(key, np.float64) for key in ("score", "low", "high"))  # null is NaN
    best, worst, part = (column(key) for key in ("best", "worst", "part"))
    letters = [frozenset(LETTER.findall(row["letters"])) for row in rows.values()]
    rank = point_ranks(score, part)
    return Ranks(
        agents=agents,
        score=score,
        low=low,
        high=high,
        rank=rank,
        best=best,
        worst=worst,
        above=_certain(score, letters, part),
        part=part - 1,
        order=best_first(rank, best, worst, agents, part),
        level=float(settings["level"]),
        simultaneous=settings["simultaneous"],
        estimand=document["estimand"],
        settings=settings,
        first=np.array([row.get("may_be_first", row["best"] == 1) for row in rows.values()], dtype=bool),
    )


def _resolution_in(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    kind = data.get("type") if isinstance(data, Mapping) else None
    if kind not in ("resolution", "report"):
        what = f"its type is {quoted(kind)}" if kind else "it names no type"
        raise ReadError(f"{name} must be what `resolve` or `report` writes as JSON; {what}. {WRITE_AGAIN}.")
    if data.get("schema_version") != SCHEMA_VERSION:
        raise ReadError(
            f"{name} must have schema version {quoted(SCHEMA_VERSION)}; it has {quoted(data.get('schema_version'))}, of "
            f"another version of beatpath. {WRITE_AGAIN}."
        )
    document = data if kind == "resolution" else data.get("resolution")
    if not isinstance(document, Mapping):
        why = data.get("not_run")
        reason = f": {why['resolution']}" if isinstance(why, Mapping) and "resolution" in why else "."
        raise DataError(f"{name} must say what the data resolve; this report does not{reason}")
    return document


def _certain(score: Floats, letters: list[frozenset[str]], part: Ints) -> Bools:
    """Return whether the row is certainly above the column: no shared letter, same component, higher score.

    >>> ab = [frozenset("a"), frozenset("ab"), frozenset("b")]
    >>> _certain(np.array([3.0, 2.0, 1.0]), ab, np.ones(3, dtype=np.int64)).astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    names = sorted(frozenset().union(*letters))
    has = np.array([[name in own for name in names] for own in letters], dtype=np.float32).reshape(len(letters), -1)
    known = ~np.isnan(score)
    apart = (has @ has.T == 0) & known[:, None] & known[None, :] & (part[:, None] == part[None, :])
    return np.asarray(apart & (score[:, None] > score[None, :]))
