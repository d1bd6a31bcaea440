"""What a check hands back: findings, each a sentence with its consequence and its figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from beatpath._errors import UsageError
from beatpath._text import counted, quoted
from beatpath.evidence import Convention, Reading

STATUSES = ("failed", "warning", "passed", "not run")
SCHEMA_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Finding:
    """One question put to the evidence, and the answer.

    Parameters
    ----------
    name : str
        What was looked at, in a word or two; the same in every check.
    status : str
        ``failed``: a method downstream cannot work or would mislead. ``warning``: the reading of results is affected.
        ``passed``. ``not run``: the evidence lacks what this needs, and `sentence` says what.
    sentence : str
        The answer in plain words, with numbers and names.
    consequence : str
        What it means for the methods downstream; empty where it means nothing.
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
        if self.status not in STATUSES:
            raise UsageError(f"`status` must be one of {', '.join(STATUSES)}; got {quoted(self.status)}.")
        object.__setattr__(self, "figures", plain(self.figures))

    def __str__(self) -> str:
        return f"{self.status:8} {self.name}: {self.text}"

    @property
    def text(self) -> str:
        """The sentence, and the consequence after it where there is one."""
        return f"{self.sentence} {self.consequence}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return {
            "name": self.name,
            "status": self.status,
            "sentence": self.sentence,
            "consequence": self.consequence,
            "figures": dict(self.figures),
        }


def not_run(name: str, reason: str) -> Finding:
    """Return a finding that could not be made, and why."""
    return Finding(name, "not run", reason)


@dataclass(frozen=True, slots=True)
class Check:
    """All findings about one body of evidence: failures first, then warnings, passes, and what was not run."""

    agents: tuple[str, ...]
    kind: str
    findings: tuple[Finding, ...]
    summary: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None

    def __post_init__(self) -> None:
        ordered = sorted(self.findings, key=lambda finding: STATUSES.index(finding.status))
        object.__setattr__(self, "findings", tuple(ordered))
        object.__setattr__(self, "summary", plain(self.summary))
        object.__setattr__(self, "settings", plain(self.settings))

    def __getitem__(self, name: str) -> Finding:
        """Return a finding by name, or raise with the names there are."""
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise UsageError(f"{quoted(name)} must be one of {', '.join(f.name for f in self.findings)}.")

    def having(self, status: str) -> tuple[Finding, ...]:
        """Return the findings of one status, in order."""
        return tuple(finding for finding in self.findings if finding.status == status)

    @property
    def title(self) -> str:
        """One line: what was checked, and how many findings of each status there are."""
        n_failed, n_warning, n_passed, n_not = (len(self.having(status)) for status in STATUSES)
        kind = self.kind.replace("_", " ")
        return (
            f"Check of {kind} between {counted(len(self.agents), 'agent')}: {n_failed} failed, "
            f"{counted(n_warning, 'warning')}, {n_passed} passed, {n_not} not run"
        )

    def __str__(self) -> str:
        return "\n".join([self.title, *map(str, self.findings)])

    def _repr_html_(self) -> str:
        """The same list for a notebook, every text escaped."""
        rows = "".join(
            f"<li><b>{escape(f.status)}</b> <i>{escape(f.name)}</i>: {escape(f.text)}</li>" for f in self.findings
        )
        return f'<div class="beatpath-check"><p><b>{escape(self.title)}</b></p><ul>{rows}</ul></div>'

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "check",
            "kind": self.kind,
            "agents": list(self.agents),
            "summary": dict(self.summary),
            "findings": [finding.to_dict() for finding in self.findings],
            "settings": dict(self.settings),
            "conventions": [plain(made.to_dict()) for made in self.conventions],
            "reading": None if self.reading is None else plain(self.reading.to_dict()),
        }


def plain(value: Any) -> Any:
    """Return plain Python data: no arrays, no NumPy scalars, ``None`` for numbers that are not finite.

    Floats keep twelve significant digits, so that the order in which rows were added up leaves no trace.

    >>> plain({"share": np.float64(1) / 3, "sizes": np.array([1, 2]), "none": float("nan")})
    {'share': 0.333333333333, 'sizes': [1, 2], 'none': None}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.12g}") if np.isfinite(value) else None
    return value
