"""``beatpath core FILE``: who forms the undominated core, and how surely."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._errors import UsageError
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence

By = Annotated[
    str | None, typer.Option("--by", metavar="COLUMN", help="A core for every task, category or other context.")
]
Mixture = Annotated[
    list[str] | None,
    typer.Option("--mixture", metavar="CONTEXT=WEIGHT,...", help="With --by: also the core of contexts so mixed."),
]
Witness = Annotated[
    str | None, typer.Option("--witness", metavar="AGENT", help="Say why this agent is in the core, or is not.")
]
Edges = Annotated[
    Literal["auto", "estimated", "posterior", "empirical", "weighted"],
    typer.Option(
        "--edges",
        help="What soft edges are made of; auto: estimated win rates for battles and counts, else posterior.",
    ),
]
MissingPairs = Annotated[
    Literal["neutral", "absent", "imputed"],
    typer.Option("--missing-pairs", help="What a pair that never met gets where edges are not estimated."),
]
Tau = Annotated[float, typer.Option("--tau", help="Temperature of soft edges.")]
Gamma = Annotated[float, typer.Option("--gamma", help="Temperature of soft minima and maxima.")]
Reach = Annotated[
    Literal["max-min", "smooth", "noisy-or"], typer.Option("--reach", help="How chains of wins are joined.")
]
MaxLength = Annotated[
    int | None, typer.Option("--max-length", metavar="K", help="The most steps of a chain; by default any number.")
]


@o.reads
def core_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    by: By = None,
    mixture: Mixture = None,
    witness: Witness = None,
    cluster: o.Cluster = None,
    edges: Edges = "auto",
    missing_pairs: MissingPairs = "neutral",
    tau: Tau = 0.05,
    gamma: Gamma = 0.05,
    reach: Reach = "max-min",
    max_length: MaxLength = None,
    format: o.Output = "table",
) -> None:
    """Find the agents that nobody stands above when preferences run in circles, and how surely each is one.

    beatpath core --example

    beatpath core battles.csv --cluster prompt --witness gpt-4

    beatpath core battles.csv --keep category --by category --mixture code=2,chat=1
    """
    told: dict[str, Any] = {"edges": edges, "missing_pairs": missing_pairs, "tau": tau, "gamma": gamma}
    told |= {"reach": reach, "max_length": max_length, "cluster": o.cluster_of(cluster), **conventions}
    if by is None and mixture:
        raise UsageError("`--mixture` mixes contexts; name their column with `--by`.")
    if by is None:
        _show_core(evidence, witness, told, format)
    elif witness is None:
        _show_cores(evidence, by, o.numbers_of(mixture, "--mixture") or None, told, format)
    else:
        raise UsageError("`--witness` explains one core; with `--by` there are several. Use `--where` for one context.")


def _show_core(evidence: "Evidence", witness: str | None, told: dict[str, Any], format: str) -> None:
    """Find the core, and print it."""
    from beatpath.inference.core.core import core
    from beatpath.reports.terminal.core import core_markdown, core_table

    found = core(evidence, **told)

    def plain() -> dict[str, Any]:
        why = {} if witness is None else {"witness": [one.to_dict() for one in found.witness(witness)]}
        return {**found.to_dict(), **why}

    show(
        format,
        evidence,
        table=lambda: core_table(found, witness),
        json=plain,
        csv=found.rows,
        md=lambda: core_markdown(found, witness),
    )


def _show_cores(
    evidence: "Evidence", by: str, mixture: dict[str, float] | None, told: dict[str, Any], format: str
) -> None:
    """Find the cores of all contexts, and print them."""
    from beatpath.inference.core.core_by import core_by
    from beatpath.reports.terminal.core import cores_markdown, cores_table

    found = core_by(evidence, by, mixture=mixture, **told)
    show(
        format,
        evidence,
        table=lambda: cores_table(found),
        json=found.to_dict,
        csv=found.rows,
        md=lambda: cores_markdown(found),
    )
