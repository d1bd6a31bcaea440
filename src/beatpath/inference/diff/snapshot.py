"""A snapshot: what a board said at one time, read from a resolution or from the JSON that was kept of it.

Who is certainly above whom is not written out in that JSON, and need not be: agents of one part that share no letter
certainly differ, and the one with the better score is above.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._errors import DataError, ReadError
from beatpath._result import SCHEMA_VERSION
from beatpath._text import quoted
from beatpath.inference.ranks.differences import Array, Mask
from beatpath.inference.ranks.tie_groups import Int
from beatpath.inference.resolve.claims import Claim

LETTER = re.compile(r"[a-zA-Z]\d*")
AGAIN = "Write it again with `beatpath resolve FILE --format json`"


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A board at one time.

    Parameters
    ----------
    agents : tuple of str
        Best first, those without a score last.
    score : (n,) float
        NaN for an agent without one.
    best, worst : (n,) int
        The ranks that an agent may have.
    tier : (n,) int
        From the top; 0 without a score.
    above : (n, n) bool
        Whether the row's agent is certainly above the column's.
    level : float
    simultaneous : bool
    estimand : str
        What a score is, in words.
    asked : object
        What was asked for as a score: a key, or weights by agent.
    """

    agents: tuple[str, ...]
    score: Array
    best: Int
    worst: Int
    tier: Int
    above: Mask
    level: float
    simultaneous: bool
    estimand: str
    asked: Any

    @property
    def place(self) -> dict[str, int]:
        """The row of every agent."""
        return {name: i for i, name in enumerate(self.agents)}

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """The agents that may be first."""
        return tuple(name for name, best in zip(self.agents, self.best.tolist(), strict=True) if best == 1)

    def among(self, agents: tuple[str, ...]) -> tuple[Int, Int]:
        """Return the best and the worst rank that each of some agents may have among them."""
        rows = [self.place[name] for name in agents]
        above = self.above[np.ix_(rows, rows)]
        return 1 + above.sum(axis=0), len(rows) - above.sum(axis=1)

    def supports(self, claim: Claim) -> bool:
        """Return whether the board carries a claim; one about an agent that it does not have it does not."""
        if not {claim.agent, claim.below or claim.agent} <= set(self.agents):
            return False
        i = self.place[claim.agent]
        if claim.below is not None:
            return bool(self.above[i, self.place[claim.below]])
        return bool(self.best[i] == len(self.agents) if claim.last else self.worst[i] <= (claim.top or 1))


def snapshot_of(data: Mapping[str, Any], name: str) -> Snapshot:
    """Return the board that a document holds, or raise with what the document must be.

    Parameters
    ----------
    data : mapping
        What `to_dict` of a resolution or a report gives.
    name : str
        What to call the document in an error.
    """
    found = _resolution_in(data, name)
    try:
        ranks: Mapping[str, Mapping[str, Any]] = found["ranks"]
        agents = tuple(
            sorted(ranks, key=lambda agent: (ranks[agent]["score"] is None, -(ranks[agent]["score"] or 0.0)))
        )
        score = np.array([np.nan if ranks[a]["score"] is None else ranks[a]["score"] for a in agents], dtype=np.float64)
        best, worst, part = (
            np.array([ranks[a][key] for a in agents], dtype=np.int64) for key in ("best", "worst", "part")
        )
        tier = np.array([ranks[a]["tier"] or 0 for a in agents], dtype=np.int64)
        letters = [frozenset(LETTER.findall(ranks[a]["letters"])) for a in agents]
        settings = found["settings"]
        told = float(settings["level"]), bool(settings["simultaneous"]), str(found["estimand"]), settings["estimand"]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ReadError(
            f"{name} must say of every agent its score, ranks, tier, letters and part, and how they were found; it does not "
            f"({quoted(error)}). It was written by an older version, or by hand. {AGAIN}."
        ) from None
    if len(agents) < 2:
        raise DataError(
            f"{name} must have two agents at least; it has {len(agents)}, and one agent stands above nobody."
        )
    return Snapshot(agents, score, best, worst, tier, _certain(score, letters, part), *told)


def _resolution_in(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    kind = data.get("type") if isinstance(data, Mapping) else None
    if kind not in ("resolution", "report"):
        what = f"its type is {quoted(kind)}" if kind else "it names no type"
        raise ReadError(f"{name} must be what `resolve` or `report` writes as JSON; {what}. {AGAIN}.")
    if data.get("schema_version") != SCHEMA_VERSION:
        raise ReadError(
            f"{name} must have schema version {quoted(SCHEMA_VERSION)}; it has {quoted(data.get('schema_version'))}, of "
            f"another version of beatpath. {AGAIN}."
        )
    found = data if kind == "resolution" else data.get("resolution")
    if not isinstance(found, Mapping):
        why = data.get("not_run")
        reason = f": {why['resolution']}" if isinstance(why, Mapping) and "resolution" in why else "."
        raise DataError(f"{name} must say what the data resolve; this report does not{reason}")
    return found


def _certain(score: Array, letters: list[frozenset[str]], part: Int) -> Mask:
    """Whether the row is certainly above the column: no letter in common, one part, and the better score.

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
