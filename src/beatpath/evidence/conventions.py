"""Conventions, the recorded choices that turn one kind of evidence into another, and the account of a read.

All derived evidence carries the conventions that were applied, so every result can state them. A `Reading` states
the source, which columns were guessed, and whether each row was used or dropped.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict, Unpack

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._result import Record
from beatpath._text import counted, listed, option_hint, quoted, shown, suggestion
from beatpath._typing import BothBad, Matrix, Missing, PairWeight, Per, Ties, Unranked
from beatpath._validate import require_choice, require_number

# The options of each convention, and the sentence that results print for it.
MEANINGS: dict[str, dict[str, str]] = {
    "ties": {
        "half": "a tie counts as half a win for each side",
        "drop": "tied battles are left out",
        "keep": "ties stay ties, for models of ties",
    },
    "both_bad": {
        "tie": "'both bad' counts as a tie",
        "drop": "battles where both were bad are left out",
        "keep": "'both bad' stays apart from ties",
    },
    "pair_weight": {
        "count": "every battle is one vote, so pairs with more battles weigh more",
        "rate": "every compared pair is one vote, split as its battles are",
    },
    "unranked": {
        "ignore": "an agent that a ballot does not rank is not compared on it",
        "last": "ranked agents beat the unranked ones, which tie with each other",
    },
    "missing": {
        "unranked": "an agent without a score on a task is not ranked by it",
        "last": "an agent without a score on a task shares its last place",
        "drop_task": "tasks on which any agent has no score are left out",
        "error": "every agent must have a score on every task",
    },
    "agents": {
        "named": "only comparisons among these agents count",
        "often": "only agents with enough battles among themselves count",
    },
    "per": {
        "auto": "each task is one voter; with one task, each of its items, or else each of its runs",
        "task": "each task is one voter, ranking agents by their mean score on it",
        "item": "each item is one voter, ranking agents by their mean score on it",
    },
    "judges": {
        "alike": "the votes of all judges weigh the same",
        "reliability": "every battle is weighted by the reliability of its judge, 1 on average",
    },
    "matrix": {
        "auto": "pairwise methods use estimated win rates for battles and counts, and votes as they are",
        "estimated": "pairwise methods use the estimated win rate of every pair, compared directly or not, each pair one vote",
        "raw": "pairwise methods use counts",
    },
}


# Kinds of evidence that an option is about, where it is not about all.
CONCERNS = {
    "pair_weight": ("battles", "pairs", "win_rates"),
    "unranked": ("ballots", "scores"),
    "missing": ("scores",),
    "per": ("scores",),
    "tolerance": ("scores",),
}


@dataclass(frozen=True, slots=True)
class Convention(Record):
    """A recorded choice by which evidence was turned into comparisons.

    Attributes
    ----------
    name : str
        Name of the convention, such as "ties".
    value : str
        The option that was applied.
    meaning : str
        What the option means, as a sentence.
    affected : float
        How many battles or cells it affected; ``None`` if that was not counted.

    Examples
    --------
    >>> print(convention("ties", "half", 12))
    ties=half: a tie counts as half a win for each side (12 affected)
    """

    name: str
    value: str
    meaning: str
    affected: float | None = None

    def __str__(self) -> str:
        tail = "" if self.affected is None else f" ({self.affected:,.6g} affected)"
        return f"{self.name}={self.value}: {self.meaning}{tail}"


def convention(name: str, value: str, affected: float | None = None) -> Convention:
    """Return the convention with this name and value, or raise an error that lists the valid values.

    >>> convention("ties", "halve")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `ties` must be one of half, drop, keep; got 'halve'. Did you mean 'half'?
    """
    meanings = MEANINGS[name]
    require_choice(name, value, meanings)
    return Convention(name, value, meanings[value], affected)


class ConventionOptions(TypedDict, total=False):
    """The fields of `Conventions`, as the type of keyword arguments."""

    ties: Ties
    both_bad: BothBad
    pair_weight: PairWeight
    unranked: Unranked
    missing: Missing
    per: Per
    tolerance: float
    weights: Mapping[str, float] | None
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Conventions:
    """All options that control how evidence becomes comparisons, shared by Python, the command line and the web page.

    Parameters
    ----------
    ties : {"half", "drop", "keep"}
        How a tied battle counts: as half a win for each side (default), not at all, or as a tie for models of ties.
    both_bad : {"tie", "drop", "keep"}
        How a "both bad" battle counts: as a tie (default), not at all, or as a category of its own.
    pair_weight : {"count", "rate"}
        Weight of a pair: one vote per battle (default), or one vote per pair, split by its win rate.
    unranked : {"ignore", "last"}
        How an agent that a ballot does not rank counts: not compared on that ballot (default), or below all others.
    missing : {"unranked", "last", "drop_task", "error"}
        How a missing score counts: the agent is unranked on that task (default), is last, the task is dropped, or an
        error.
    per : {"auto", "task", "item"}
        What casts a ballot in a score table: each task or each item. "auto" (default) uses items if there is one
        task.
    tolerance : float
        Largest difference between two scores that still tie; default 0.
    weights : mapping of task or voter to float, optional
        Weights of tasks or voters by name; default one for each.
    matrix : {"auto", "estimated", "raw"}
        Input of rules that compare pairs: the estimated win rate of every pair, or the raw counts. "auto" (default)
        is "estimated" for battles and pair counts, unless `pair_weight` is "rate" or there are too many agents, and
        "raw" for all other evidence.

    Examples
    --------
    >>> Conventions(ties="drop").options()
    {'ties': 'drop'}
    >>> Conventions.of(tiez="drop")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: an option must be one of ties, both_bad, pair_weight, unranked, missing, per, tolerance, \
weights, matrix; got 'tiez'. Did you mean 'ties'?
    """

    ties: Ties = "half"
    both_bad: BothBad = "tie"
    pair_weight: PairWeight = "count"
    unranked: Unranked = "ignore"
    missing: Missing = "unranked"
    per: Per = "auto"
    tolerance: float = 0.0
    weights: Mapping[str, float] | None = None
    matrix: Matrix = "auto"

    def __post_init__(self) -> None:
        for name in ("ties", "both_bad", "pair_weight", "unranked", "missing", "per", "matrix"):
            convention(name, getattr(self, name))
        require_number("tolerance", self.tolerance, "a finite number, 0 or more", least=0)

    @classmethod
    def of(cls, **options: Unpack[ConventionOptions]) -> "Conventions":
        """Return the conventions given as keyword arguments, or raise an error that lists the valid names."""
        require_options(options, [one.name for one in fields(cls)])
        return cls(**options)

    def options(self) -> ConventionOptions:
        """Return the options that differ from the defaults, as keyword arguments."""
        out: Any = {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
        return out

    def refuse(self, unused: Collection[str], where: str) -> None:
        """Raise an error if one of these options is set, since it would change nothing."""
        for name in self.options():
            if name in unused:
                raise UsageError(f"`{name}` must be left out: it changes nothing in {where}.")

    def require_concern(self, kind: str) -> None:
        """Raise an error if an option is set that is about other kinds of evidence than this."""
        self.refuse([name for name, kinds in CONCERNS.items() if kind not in kinds], f"what is made of {kind}")


DEFAULT = Conventions()  # the conventions that functions use when none are passed


def require_options(values: Mapping[str, Any], known: Any) -> None:
    """Raise an error if an option has an unknown name, and suggest the nearest valid one."""
    for name in values:
        if name not in known:
            raise UsageError(
                f"an option must be one of {', '.join(known)}; got {quoted(name)}.{option_hint(name, known)}"
            )


def task_weights(names: Sequence[str], weights: Mapping[str, float]) -> tuple[Floats, Convention]:
    """Return one weight per name, and the convention that records them; raise if a name or weight is invalid.

    >>> weight, result = task_weights(["code", "math"], {"math": 3})
    >>> weight
    array([1., 3.])
    >>> print(result)
    weights=math=3: weights of these tasks; all others weigh 1
    """
    unknown = [name for name in weights if name not in names]
    if unknown:
        raise UsageError(
            f"`weights` must name tasks; {listed(unknown)} name none of {listed(names)}.{suggestion(unknown[0], names)}"
        )
    weight = np.array([float(weights.get(name, 1.0)) for name in names])
    if not (np.isfinite(weight) & (weight >= 0)).all() or not weight.sum() > 0:
        raise UsageError(f"`weights` must be finite, not negative and not all zero; got {quoted(dict(weights))}.")
    text = ", ".join(f"{name}={value:g}" for name, value in weights.items())
    return weight, Convention("weights", text, "weights of these tasks; all others weigh 1")


@dataclass(frozen=True, slots=True)
class Reading(Record):
    """The account of a read: how many rows there were, and how many were used or dropped, with the reasons.

    Attributes
    ----------
    sources : tuple of str
        Files, frames or queries.
    format : str
        The format they were read as.
    rows_read : int
        Number of rows in the sources.
    rows_used : int
        Number of rows that became evidence.
    dropped : mapping of str to int
        Number of dropped rows, by reason.
    guessed : mapping of str to str
        Columns whose role was guessed from their names, by role.
    given : mapping of str to str
        Columns whose role the caller named, by role.
    unused : tuple of str
        Columns with no role.
    notes : tuple of str
        Further remarks on how the data were read.

    Examples
    --------
    >>> reading = Reading(("games.csv",), "table", 10, 8, dropped={"no outcome": 2}, guessed={"agent_a": "left"})
    >>> print(reading)
    read 10 rows of games.csv as table; used 8, dropped 2 (no outcome: 2); guessed agent_a=left
    """

    sources: tuple[str, ...]
    format: str
    rows_read: int
    rows_used: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    guessed: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def noun(self, role: str, otherwise: str) -> str:
        """What one level of a role's column is called: the name of the column in the file, if it is a word.

        >>> Reading(("scores.csv",), "table", 9, 9, guessed={"replicate": "Judge_ID"}).noun("replicate", "run")
        'judge'
        """
        word = re.sub(r"_(id|name|model)$", "", {**self.guessed, **self.given}.get(role, "").lower())
        return word if word.isalpha() and word != role and not word.endswith("s") else otherwise

    def __str__(self) -> str:
        more = f" and {len(self.sources) - 3} more" if len(self.sources) > 3 else ""
        text = f"read {counted(self.rows_read, 'row')} of {', '.join(map(shown, self.sources[:3]))}{more}"
        text += "" if self.format == "example" else f" as {self.format}"
        text += f"; used {self.rows_used:,}" if self.dropped or self.rows_used != self.rows_read else ""
        if self.dropped:
            reasons = ", ".join(f"{shown(why)}: {n:,}" for why, n in self.dropped.items())
            text += f", dropped {sum(self.dropped.values()):,} ({reasons})"
        for name, roles in (("guessed", self.guessed), ("given", self.given)):
            if roles:
                each = (role if role == of else f"{role}={_columns(of)}" for role, of in roles.items())
                text += f"; {name} {', '.join(each)}"
        if self.unused:
            text += f"; not used: {listed(self.unused, 8)}"
        return "; ".join([text, *self.notes])


NAMES_WIDTH = 60  # of a list of columns that is shown whole


def _columns(names: str) -> str:
    """The columns of a role; of many the first two, the last and their number."""
    every = names.split("+")
    if len(names) <= NAMES_WIDTH or len(every) < 4:
        return shown(names)
    return f"{shown('+'.join(every[:2]))}+…+{shown(every[-1])} ({len(every):,} columns)"
