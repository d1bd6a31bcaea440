"""`report`: an analysis as an HTML page, as Markdown and as JSON."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Unpack

from beatpath._atomic_write import write_whole
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import UsageError
from beatpath._schema import dumps
from beatpath._text import shown
from beatpath._threads import threads_for
from beatpath._typing import TierScheme
from beatpath.analysis.analyse import analyse
from beatpath.analysis.analysis import Analysis
from beatpath.analysis.questions import nobody
from beatpath.evidence import Evidence
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.inference.options import ReportOptions
from beatpath.reports.figures.common import Spec

FORMS = ("html", "md", "json")  # the forms of a report


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report(Analysis):
    """The full analysis of a data set, which can be rendered and saved; its attributes are those of `Analysis`."""

    def figures(self) -> dict[str, Spec]:
        """Return the figures as Vega-Lite specifications, by name."""
        from beatpath.reports.figures.pictures import pictures

        return pictures(self)

    def html(self) -> str:
        """Return the report as one self-contained HTML page."""
        from beatpath.reports.render import page

        return page(self, self.figures())

    def to_markdown(self) -> str:
        """Return verdict, failed checks and leaderboard as Markdown, for a pull request."""
        from beatpath.reports.words import report_markdown

        return report_markdown(self)

    def save(self, path: str | os.PathLike[str], form: str | None = None) -> Path:
        """Write the report in the format of the path's extension (html, md, json), or in `form`, and return the path.

        The file is written to a temporary path and then moved, so a partial file is never left behind.
        """
        target = Path(path)
        form = form or target.suffix.lstrip(".").lower()
        if form not in FORMS:
            raise UsageError(f"a report ends in .{', .'.join(FORMS)}; got {shown(target)}. Name one of them.")
        write_whole(target, self.text(form))
        return target

    def open(self) -> Path:
        """Write the report as a page into the folder of temporary files, open it in the browser, and return its path."""
        path = self.save(Path(mkdtemp(prefix="beatpath-")) / "report.html")
        webbrowser.open(path.as_uri())
        return path

    def text(self, form: str) -> str:
        """Return the report in one of its forms: "html", "md" or "json"."""
        if form == "json":
            return dumps(self.to_dict(), indent=1) + "\n"
        return self.to_markdown() if form == "md" else self.html()

    def __str__(self) -> str:
        return "\n".join(
            [self.title, self.answer.text, *(f"{sentence} ({sentence.mark})" for sentence in self.verdict)]
        )

    def _repr_html_(self) -> str:
        """The answer, the main figures and the leaderboard for a notebook, with names escaped."""
        from beatpath.reports.first_screen import report_view
        from beatpath.reports.view import html

        return html(report_view(self))


def report(
    evidence: EvidenceLike,
    *,
    title: str | None = None,
    methods: Sequence[str] | None = None,
    level: float = 0.95,
    estimand: str | Mapping[str, float] = "auto",
    cluster: str | Sequence[str] | None = "auto",
    by: str | None = None,
    covariates: str | Sequence[str] = (),
    tiers: TierScheme = "top",
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[str], None] | None = None,
    command: str = "bp.report(evidence)",
    **conventions: Unpack[ConventionOptions],
) -> Report:
    """Run the full analysis of evidence and return it as one report.

    Use it for a complete picture: checks, verdict, leaderboard with confidence intervals and rank sets, cycles, core,
    methods side by side, and figures. Use `resolve`, `check`, `core` or `rank` for a single answer.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates, or what `read` takes
        The data to analyze.
    title : str, optional
        The heading; by default the name of the file that was read.
    methods : sequence of str, optional
        Methods to compare. By default the usual ones that the evidence allows and that are fast at its size.
    level : float
        Confidence level of intervals, of rank sets, and of everything that is called certain; default 0.95.
    estimand, cluster
        What the score is, and which battles are correlated; as for `resolve`.
    by : str, optional
        A column: the analysis is repeated for each of its levels. By default tasks, if there are a few.
    covariates : str or sequence of str
        For battles with contexts: numeric columns to adjust for when contexts are shrunk toward each other; as for
        `resolve`.
    tiers : {"top", "letters", "cuts"}
        The scheme of the column of tiers; see `tiers`.
    seed : int
        Seed of all simulations; default 0.
    workers : int
        Number of joblib processes for the contexts; default 1. It does not affect the result.
    progress : callable, optional
        Called with a description of each step.
    command : str
        The command to print in the provenance.
    **conventions
        As for `rank`: ties, both_bad, pair_weight, unranked, missing, per, tolerance, weights, matrix.

    Returns
    -------
    Report
        A question that the data cannot answer is in `not_run` with the reason.

    See Also
    --------
    resolve : The leaderboard with confidence statements.
    check : The data checks.

    Examples
    --------
    >>> from beatpath import Pairs
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 25, 0, 0]])
    >>> result = report(pairs, title="Three agents")
    >>> print(result.answer)
    'ada' is certainly first of 3 agents by mean win rate (95 %).
    >>> [(row.agent, row.best, row.worst) for row in result.board]
    [('ada', 1, 1), ('bob', 2, 2), ('cyd', 3, 3)]
    """
    options = ReportOptions(
        title=title,
        methods=methods,
        level=level,
        estimand=estimand,
        cluster=cluster,
        by=by,
        covariates=covariates,
        tiers=tiers,
        seed=seed,
        workers=workers,
        command=command,
        conventions=Conventions.of(**conventions),
    )
    return report_with(as_evidence(evidence), options, progress)


def report_with(
    evidence: Evidence,
    options: ReportOptions,
    progress: Callable[[str], None] | None = None,
    early: Callable[[Report], None] = nobody,
) -> Report:
    """Return the report with these options, and call `early` with its first parts; see `report` and `analyse`."""
    with threads_for(len(evidence.agents)):
        return analyse(evidence, options, progress, early, Report)
