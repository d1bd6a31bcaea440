"""``beatpath runs FILE``: what the runs of a table say, as reinforcement learning and benchmark papers sum them up."""

from typing import TYPE_CHECKING, Any

from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


@o.reads
def runs_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    level: o.Level = 0.95,
    seed: o.Seed = 0,
    format: o.Output = "table",
) -> None:
    """Sum up the runs of a table: interquartile means and other measures, performance profiles, critical differences.

    beatpath runs scores.csv

    beatpath runs atari.csv --zero random --one human

    beatpath runs scores.csv --format json
    """
    from beatpath.analysis.run_findings import summed_up
    from beatpath.evidence.conventions import Conventions
    from beatpath.reports.terminal.runs import runs_markdown, runs_table

    found = summed_up(evidence, level, seed, Conventions.of(**conventions))
    show(
        format,
        evidence,
        table=lambda: runs_table(found),
        json=found.to_dict,
        csv=found.scores.rows,
        md=lambda: runs_markdown(found),
    )
