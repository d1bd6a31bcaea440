"""The result of a check: findings with a sentence, a consequence and figures; and the limits that trigger warnings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, ClassVar, TypeAlias

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError, spoken
from beatpath._result import Record, Rows, TableResult, plain
from beatpath._text import counted, quoted
from beatpath._validate import require_choice
from beatpath.evidence import Convention, Reading
from beatpath.evidence_design.design import Design

DIGITS = 12  # digits of figures, so that the order of summation leaves no trace
# What follows from a warning or a failure, by the name of the finding.
CONSEQUENCES = json.loads((files("beatpath.checks") / "consequences.json").read_text(encoding="utf-8"))
STATUSES = ("failed", "warning", "passed", "not run")  # from the most to the least severe


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Record):
    """The answer of one check.

    Attributes
    ----------
    name : str
        What was checked, in a word or two; the same in every check.
    status : str
        ``failed``: a method cannot work or would mislead. ``warning``: the interpretation of results is affected.
        ``passed``. ``not run``: the evidence lacks what this check needs, and `sentence` says what.
    sentence : str
        The answer, with numbers and names.
    consequence : str
        What it means for the methods; empty if it has no effect.
    figures : mapping
        The numbers behind the sentence, as plain data.

    >>> print(Finding("connected", "passed", "All 3 agents are connected by battles."))
    passed   connected: All 3 agents are connected by battles.
    """

    name: str
    status: str
    sentence: str
    consequence: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_choice("status", self.status, STATUSES)
        object.__setattr__(self, "figures", plain(self.figures, DIGITS))

    def __str__(self) -> str:
        return f"{self.status:8} {self.name}: {self.text}"

    @property
    def text(self) -> str:
        """The sentence, followed by the consequence if there is one."""
        return f"{self.sentence} {self.consequence}".strip()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer, and what it means for the methods."""
        return (self.sentence, self.consequence) if self.consequence else (self.sentence,)


# Numbers behind a sentence, by name.
Figures: TypeAlias = Mapping[str, Any]
NO_FIGURES: Figures = {}  # of a finding that has none


def not_run(reason: str, figures: Figures = NO_FIGURES) -> Finding:
    """Return a finding that could not be computed, and why; the caller adds the name."""
    return Finding("", "not run", reason, "", figures)


def passed(sentence: str, figures: Figures, consequence: str = "") -> Finding:
    """Return a finding that passed."""
    return Finding("", "passed", sentence, consequence, figures)


def warning(sentence: str, figures: Figures, consequence: str = "") -> Finding:
    """Return a finding that affects the interpretation of results."""
    return Finding("", "warning", sentence, consequence, figures)


def failed(sentence: str, figures: Figures, consequence: str = "") -> Finding:
    """Return a finding because of which a method cannot work or would mislead."""
    return Finding("", "failed", sentence, consequence, figures)


def judged(fine: bool, sentence: str, figures: Figures, otherwise: str = "") -> Finding:
    """Return a finding that passed, with another sentence if there is one, or a warning."""
    return passed(otherwise or sentence, figures) if fine else warning(sentence, figures)


def with_most(values: Floats | Ints, names: Sequence[str]) -> list[str]:
    """Return the names with the largest value; values that differ by rounding are equal, and NaN is none.

    >>> with_most(np.array([0.1 + 0.2, 0.3, np.nan, 0.0]), "abcd")
    ['a', 'b']
    """
    most = np.isclose(values, np.nanmax(values), rtol=1e-9, atol=1e-12)
    return [names[i] for i in np.flatnonzero(most).tolist()]


def add_name(finding: Finding, name: str) -> None:
    """Give a new finding its name and, if it failed or warns and has none of its own, the consequence of that name.

    It is changed in place: nobody else has it yet, and a copy takes seconds for a million agents.
    """
    object.__setattr__(finding, "name", name)
    if finding.status in STATUSES[:2] and not finding.consequence:
        object.__setattr__(finding, "consequence", spoken(CONSEQUENCES[name]))


@dataclass(frozen=True, slots=True, repr=False)
class Check(TableResult):
    """All findings about one body of evidence: failures first, then warnings, passes, and those not run.

    Attributes
    ----------
    agents : tuple of str
        Agent names, sorted.
    kind : str
        Kind of evidence.
    findings : tuple of Finding
        The findings.
    size : mapping
        How much evidence there is.
    settings : mapping
        The limits that were applied.
    conventions : tuple of Convention
        What the checks themselves assume.
    reading : Reading
        How the rows were read.
    design : Design
        How the evidence was collected, and what every verb does about it.

    Examples
    --------
    >>> from beatpath import Battles, check
    >>> result = check(Battles.of([("ada", "bob", 1), ("bob", "ada", 1)]))
    >>> result["connected"].status, len(result.having("failed"))
    ('passed', 0)
    """

    document: ClassVar = ("agents", "kind", "findings", "summary=size", "settings", "conventions", "reading", "design")

    agents: tuple[str, ...]
    kind: str
    findings: tuple[Finding, ...]
    size: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None
    design: Design | None = None

    def __post_init__(self) -> None:
        ordered = sorted(self.findings, key=lambda finding: STATUSES.index(finding.status))
        object.__setattr__(self, "findings", tuple(ordered))
        object.__setattr__(self, "size", plain(self.size, DIGITS))
        object.__setattr__(self, "settings", plain(self.settings, DIGITS))

    def __getitem__(self, name: str) -> Finding:
        """Return a finding by name, or raise an error that lists the names."""
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise UsageError(f"{quoted(name)} must be one of {', '.join(f.name for f in self.findings)}.")

    def having(self, status: str) -> tuple[Finding, ...]:
        """Return the findings of one status, in order."""
        return tuple(finding for finding in self.findings if finding.status == status)

    @property
    def title(self) -> str:
        """One line: how many checks failed or warn, and what was checked."""
        n_failed, n_warning, n_passed, _ = (len(self.having(status)) for status in STATUSES)
        n, warn = n_failed + n_warning + n_passed, "warns" if n_warning == 1 else "warn"
        verdict = f"{n_failed:,} of {counted(n, 'check')} failed, {n_warning:,} {warn}"
        if not n_failed:
            verdict = f"No check failed, {n_warning:,} of {n:,} {warn}" if n_warning else f"All {n:,} checks passed"
        return f"{verdict} ({self.kind.replace('_', ' ')} of {counted(len(self.agents), 'agent')})"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The number of findings of each status, then failures and warnings."""
        return (f"{self.title}.", *(f.text for status in STATUSES[:2] for f in self.having(status)))

    def rows(self) -> Rows:
        """Return one row per finding."""
        return [
            {"status": f.status, "finding": f.name, "sentence": f.sentence, "consequence": f.consequence}
            for f in self.findings
        ]

    def __str__(self) -> str:
        return "\n".join([self.title, *map(str, self.findings)])


@dataclass(frozen=True, slots=True)
class CheckLimits(Record):
    """The confidence level of intervals, and the limits that turn a figure into a warning.

    Parameters
    ----------
    level : float
        Confidence level of every interval.
    ties : float
        Share of ties and both-bad battles above which the tie policy alone can move win rates: at one in five,
        counting ties as half and dropping them can differ by 10 points.
    dropped : float
        Share of rows that could not be used.
    duplicates : float
        Share of rows that repeat another in every column.
    few_battles : int
        Battles an agent needs: with fewer than 30 the 95 % confidence interval of a win rate is wider than 18 points
        either way.
    effective : float
        Effective number over number, of agents, pairs or weights: at one half, half of the evidence has no effect.
    opponents : float
        Spread of the strength of opponents: at 0.1, win rates of equal agents may differ by about 10 points.
    design_effect : float
        Variance over that of independent rows: 1.1 makes intervals 5 % too narrow.
    clusters : int
        Clusters, or units judged twice, below which nothing is concluded: with 12 the intervals covered 88 to 96 % in
        simulation, with 20 or more 92 to 97 %.
    alpha : float
        Krippendorff's lowest limit for tentative conclusions.
    judge_gap : float
        How far a judge's agreement must fall below that of the others, beyond chance.
    position : float
        Distance from one half, beyond chance, of the share won by the side shown first.
    flips : float
        Share of verdicts that change with the order of presentation, at the lower end of its interval.
    missing : float
        Share of empty cells in a score table: with any, means are over different tasks.
    runs : float
        Share of runs in the variance of single runs on a task: above one half, differences between runs are mostly
        noise.
    """

    level: float = 0.95
    ties: float = 0.2
    dropped: float = 0.05
    duplicates: float = 0.01
    few_battles: int = 30
    effective: float = 0.5
    opponents: float = 0.1
    design_effect: float = 1.1
    clusters: int = 20
    alpha: float = 0.667
    judge_gap: float = 0.1
    position: float = 0.01
    flips: float = 0.1
    missing: float = 0.0
    runs: float = 0.5
