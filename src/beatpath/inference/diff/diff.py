r"""`diff`: who rose or fell between two boards, who came and went, and which certain orders and claims hold no more.

An agent's rank is compared among the agents that both boards have. It certainly rose if the ranks that the new board
leaves open all lie above those that the old one does. The two boards may share data, all of it or none: each is wrong
somewhere with a chance of at most :math:`1 - \text{level}`, so that either is with at most twice that, whatever the
dependence, and everything said of both holds at once with a confidence of at least

.. math::  1 - 2\,(1 - \text{level}) .

An order that was certain and is not any more is no longer supported; that is no evidence of the opposite. Where the old
board called one agent certainly above another and the new one the reverse, the order has certainly turned, in the sense
of each board's own data and agents.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from beatpath._errors import DataError
from beatpath._result import SCHEMA_VERSION, Result, json_number
from beatpath._text import confidence, counted, listed, quoted
from beatpath.evidence import Evidence
from beatpath.inference.diff.snapshot import Snapshot, snapshot_of
from beatpath.inference.resolve.claims import claim_of

if TYPE_CHECKING:
    from beatpath.inference.resolve.resolution import Resolution

Pair = tuple[str, str]
Change = Literal["rose", "fell", "open", "entered", "left"]
Status = Literal["kept", "lost", "gained", "not supported"]
NAMED = 5  # agents or pairs that a sentence names


@dataclass(frozen=True, slots=True)
class Move:
    """What became of one agent: its ranks among the agents of both boards, nothing where it is on one alone."""

    agent: str
    change: Change
    before: tuple[int, int] | None
    after: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A claim, whether each board carries it, and the sentence that says so."""

    claim: str
    before: bool
    after: bool
    sentence: str

    @property
    def status(self) -> Status:
        """Whether it was kept, lost, gained, or supported by neither board."""
        if self.before:
            return "kept" if self.after else "lost"
        return "gained" if self.after else "not supported"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        both = {"before": self.before, "after": self.after}
        return {"claim": self.claim, "status": self.status, **both, "sentence": self.sentence}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Diff(Result):
    """What changed between two boards.

    Attributes
    ----------
    old, new : Snapshot
    moves : tuple of Move
        One an agent of either board: as on the new board, those that left last.
    kept : int
        Pairs of agents of both boards whose order both call certain.
    lost, gained, turned : tuple of (str, str)
        Pairs of which the first was certainly above the second and is not any more; is now and was not; and is now,
        where it was certainly below.
    claims : tuple of ClaimChange
    """

    old: Snapshot
    new: Snapshot
    moves: tuple[Move, ...]
    kept: int
    lost: tuple[Pair, ...]
    gained: tuple[Pair, ...]
    turned: tuple[Pair, ...]
    claims: tuple[ClaimChange, ...] = ()

    def agents(self, change: Change) -> tuple[str, ...]:
        """Return the agents that rose, fell, entered or left, or of whom it is open."""
        return tuple(move.agent for move in self.moves if move.change == change)

    @property
    def joint_level(self) -> float:
        """The confidence with which everything said of both boards holds at once, at least."""
        return max(0.0, 1 - 2 * (1 - self.old.level))

    @property
    def lost_claims(self) -> tuple[ClaimChange, ...]:
        """The claims asked about that the old board carries and the new one does not."""
        return tuple(one for one in self.claims if one.status == "lost")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Claims first, then who moved, who is first, what came and went, and how surely."""
        return (*(one.sentence for one in self.claims), *_said(self))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent: what became of it, its tiers, ranks and scores before and after."""
        return [
            {
                "agent": move.agent,
                "change": move.change,
                **_columns(self.old, move.agent, move.before, "old"),
                **_columns(self.new, move.agent, move.after, "new"),
            }
            for move in self.moves
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "diff",
            "sentences": list(self.sentences),
            "estimand": self.new.estimand,
            "level": self.old.level,
            "joint_level": self.joint_level,
            "simultaneous": self.old.simultaneous,
            "rose": list(self.agents("rose")),
            "fell": list(self.agents("fell")),
            "entered": list(self.agents("entered")),
            "left": list(self.agents("left")),
            "may_be_first": {"before": list(self.old.may_be_first), "after": list(self.new.may_be_first)},
            "agents": self.rows(),
            "kept_pairs": self.kept,
            "lost_pairs": [list(pair) for pair in self.lost],
            "gained_pairs": [list(pair) for pair in self.gained],
            "turned_pairs": [list(pair) for pair in self.turned],
            "claims": [one.to_dict() for one in self.claims],
        }


def diff(
    old: "Resolution | Mapping[str, Any] | Evidence",
    new: "Resolution | Mapping[str, Any] | Evidence",
    *,
    claims: Sequence[str] = (),
) -> Diff:
    """Say what changed between two boards, as far as both carry it.

    Parameters
    ----------
    old, new : Resolution, Report, their `to_dict`, or evidence
        Evidence is resolved by default conventions. The two boards need not be independent of each other.
    claims : sequence of str
        ``"A > B"``, ``"A is first"``, ``"A is last"`` or ``"A is in the top 3"``.

    Returns
    -------
    Diff

    Raises
    ------
    ReadError
        When a mapping is no document of `resolve` or `report`, or one of another version.
    DataError
        When the boards have other estimands or levels, or fewer than two agents in common.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> old = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[80, 20, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    >>> new = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[20, 80, 0, 0], [90, 10, 0, 0], [95, 5, 0, 0]])
    >>> found = diff(old, new, claims=["ada is first"])
    >>> found.agents("rose"), found.turned, found.lost_claims[0].claim
    (('bob',), (('bob', 'ada'),), 'ada is first')
    """
    before, after = _snapshot(old, "the old board"), _snapshot(new, "the new board")
    return diff_of(before, after, claims=claims)


def diff_of(before: Snapshot, after: Snapshot, *, claims: Sequence[str] = ()) -> Diff:
    """Return what changed between two snapshots; see `diff`."""
    both = _in_common(before, after)
    rows, columns = ([snap.place[name] for name in both] for snap in (before, after))
    was, is_ = before.above[np.ix_(rows, rows)], after.above[np.ix_(columns, columns)]
    return Diff(
        before,
        after,
        _moves(before, after, both),
        int((was & is_).sum()),
        _pairs(was & ~is_ & ~is_.T, both),
        _pairs(is_ & ~was & ~was.T, both),
        _pairs(is_ & was.T, both),
        tuple(_claim_change(text, before, after) for text in claims),
    )


def _snapshot(asked: Any, name: str) -> Snapshot:
    if isinstance(asked, Mapping):
        return snapshot_of(asked, name)
    if hasattr(asked, "to_dict") and hasattr(asked, "sentences"):
        return snapshot_of(asked.to_dict(), name)
    from beatpath.inference.resolve.resolve import resolve

    return snapshot_of(resolve(asked).to_dict(), name)


def _in_common(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """The agents of both boards, as on the new one; raise where the boards cannot be held against each other."""
    if before.asked != after.asked:
        raise DataError(
            f"both boards must have the same estimand; the old one is of {quoted(before.asked)} ({before.estimand}), the new "
            f"one of {quoted(after.asked)} ({after.estimand}). Make both with one `--estimand`."
        )
    if before.level != after.level or before.simultaneous != after.simultaneous:
        raise DataError(
            f"both boards must have the same level, and both hold all at once or both one by one; the old one holds with "
            f"{_surety(before)}, the new one with {_surety(after)}. Make both with one `--level`."
        )
    old = set(before.agents)
    both = tuple(name for name in after.agents if name in old)
    if len(both) < 2:
        raise DataError(
            f"the boards must have two agents in common; they have {len(both)}. The old one has {listed(before.agents, 3)}, the "
            f"new one {listed(after.agents, 3)}: were agents renamed?"
        )
    return both


def _surety(board: Snapshot) -> str:
    return f"{confidence(board.level)} {'all at once' if board.simultaneous else 'one by one'}"


def _moves(before: Snapshot, after: Snapshot, both: tuple[str, ...]) -> tuple[Move, ...]:
    ranges = [
        dict(zip(both, zip(*(ends.tolist() for ends in snap.among(both)), strict=True), strict=True))
        for snap in (before, after)
    ]
    moves = []
    for name in after.agents:
        was, is_ = ranges[0].get(name), ranges[1].get(name)
        if was is None or is_ is None:
            moves.append(Move(name, "entered", None, None))
            continue
        change: Change = "rose" if is_[1] < was[0] else "fell" if is_[0] > was[1] else "open"
        moves.append(Move(name, change, was, is_))
    gone = set(before.agents) - set(both)
    return (*moves, *(Move(name, "left", None, None) for name in before.agents if name in gone))


def _pairs(mask: Any, agents: tuple[str, ...]) -> tuple[Pair, ...]:
    return tuple((agents[i], agents[j]) for i, j in np.argwhere(mask).tolist())


def _claim_change(text: str, before: Snapshot, after: Snapshot) -> ClaimChange:
    claim = claim_of(text, tuple(dict.fromkeys((*after.agents, *before.agents))))
    was, is_ = before.supports(claim), after.supports(claim)
    said = {
        (True, True): "holds on both boards",
        (True, False): "is lost: it held on the old board and does not on the new one",
        (False, True): "is new: it did not hold on the old board and does on the new one",
        (False, False): "holds on neither board",
    }[was, is_]
    missing = [name for name in (claim.agent, claim.below) if name is not None and name not in after.agents]
    why = f"; {listed(missing)} left" if missing else ""
    return ClaimChange(claim.text, was, is_, f"{quoted(text)} {said}{why}.")


def _columns(board: Snapshot, agent: str, among: tuple[int, int] | None, when: str) -> dict[str, Any]:
    """What a board says of an agent: tier, ranks, ranks among the agents of both boards, score."""
    i = board.place.get(agent)
    best, worst = among or (None, None)
    return {
        f"{when}_tier": None if i is None else int(board.tier[i]) or None,
        f"{when}_best": None if i is None else int(board.best[i]),
        f"{when}_worst": None if i is None else int(board.worst[i]),
        f"{when}_best_of_both": best,
        f"{when}_worst_of_both": worst,
        f"{when}_score": None if i is None else json_number(board.score[i]),
    }


def _said(found: Diff) -> Iterable[str]:
    old, new = found.old, found.new
    common = sum(move.before is not None for move in found.moves)
    if not found.agents("rose") and not found.agents("fell"):
        yield f"Nobody certainly rose or fell among the {common:,} agents of both boards."
    for change in ("rose", "fell"):
        moved = [move for move in found.moves if move.change == change]
        if not moved:
            continue
        named = "; ".join(f"{quoted(m.agent)} (rank {_span(m.before)}, now {_span(m.after)})" for m in moved[:NAMED])
        more = f" and {len(moved) - NAMED:,} more" if len(moved) > NAMED else ""
        yield f"{counted(len(moved), 'agent')} certainly {change} among the {common:,} of both boards: {named}{more}."
    if set(old.may_be_first) == set(new.may_be_first):
        yield f"Who may be first is the same: {listed(new.may_be_first, NAMED)}."
    else:
        yield f"Who may be first: before {listed(old.may_be_first, NAMED)}; now {listed(new.may_be_first, NAMED)}."
    for change in ("entered", "left"):
        names = found.agents(change)  # type: ignore[arg-type]
        if names:
            yield f"{counted(len(names), 'agent')} {change}: {listed(names, NAMED)}."
    yield (
        f"Of the certain orders of the old board {counted(found.kept, 'holds still', 'hold still')}, "
        f"{counted(len(found.lost), 'holds no more', 'hold no more')} and {counted(len(found.turned), 'has', 'have')} turned; "
        f"{counted(len(found.gained), 'is new', 'are new')}. One that holds no more is not thereby reversed."
    )
    kept = "all at once" if old.simultaneous else "each agent by itself"
    yield (
        f"Each board holds with {confidence(old.level)} confidence, {kept}, so what is said of both holds with at least "
        f"{confidence(found.joint_level)}, whether or not they share data."
    )
    if found.agents("entered") or found.agents("left"):
        yield "Scores are those of each board among its own agents: who came or went may move them."


def _span(ends: tuple[int, int] | None) -> str:
    best, worst = ends or (0, 0)
    return f"{best}" if best == worst else f"{best}-{worst}"
