"""``beatpath core FILE``: who forms the undominated core, and how surely."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._errors import UsageError
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import print_csv, print_json, print_table, say_reading, with_reading

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


@o.reads
def core_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    by: Annotated[
        str | None, typer.Option("--by", metavar="COLUMN", help="A core for every task, category or other context.")
    ] = None,
    mixture: Annotated[
        list[str] | None,
        typer.Option("--mixture", metavar="CONTEXT=WEIGHT,...", help="With --by: also the core of contexts so mixed."),
    ] = None,
    witness: Annotated[
        str | None, typer.Option("--witness", metavar="AGENT", help="Say why this agent is in the core, or is not.")
    ] = None,
    cluster: o.Cluster = None,
    edges: Annotated[
        Literal["auto", "estimated", "posterior", "empirical", "weighted"],
        typer.Option(
            "--edges",
            help="What soft edges are made of; auto: estimated win rates for battles and counts, else posterior.",
        ),
    ] = "auto",
    missing_pairs: Annotated[
        Literal["neutral", "absent", "imputed"],
        typer.Option("--missing-pairs", help="What a pair that never met gets where edges are not estimated."),
    ] = "neutral",
    tau: Annotated[float, typer.Option("--tau", help="Temperature of soft edges.")] = 0.05,
    gamma: Annotated[float, typer.Option("--gamma", help="Temperature of soft minima and maxima.")] = 0.05,
    reach: Annotated[
        Literal["max-min", "smooth", "noisy-or"], typer.Option("--reach", help="How chains of wins are joined.")
    ] = "max-min",
    max_length: Annotated[
        int | None, typer.Option("--max-length", metavar="K", help="The most steps of a chain; by default any number.")
    ] = None,
    format: o.Output = "table",
) -> None:
    """Find the agents that nobody stands above when preferences run in circles, and how surely each is one.

    beatpath core --example

    beatpath core battles.csv --cluster prompt --witness gpt-4

    beatpath core battles.csv --keep category --by category --mixture code=2,chat=1
    """
    told: dict[str, Any] = {"edges": edges, "missing_pairs": missing_pairs, "tau": tau, "gamma": gamma}
    told |= {"reach": reach, "max_length": max_length, "cluster": o.cluster_of(cluster), **conventions}
    if by is not None:
        if witness is not None:
            raise UsageError(
                "`--witness` explains one core; with `--by` there are several. Use `--where` for one context."
            )
        _cores(evidence, by, o.numbers_of(mixture, "--mixture") or None, told, format)
        return
    if mixture:
        raise UsageError("`--mixture` mixes contexts; name their column with `--by`.")
    from beatpath.inference.core.core import core as core_of
    from beatpath.reports.terminal.core import core_markdown, core_table

    found = core_of(evidence, **told)
    if format == "json":
        data = found.to_dict()
        if witness is not None:
            data["witness"] = [one.to_dict() for one in found.witness(witness)]
        print_json(with_reading(data, evidence))
        return
    say_reading(evidence)
    if format == "csv":
        print_csv(found.rows())
    elif format == "md":
        print(core_markdown(found, witness), end="")
    else:
        print_table(core_table(found, witness))


def _cores(evidence: "Evidence", by: str, mixture: dict[str, float] | None, told: dict[str, Any], format: str) -> None:
    """Print the cores of all contexts."""
    from beatpath.inference.core.core_by import core_by
    from beatpath.reports.terminal.core import cores_markdown, cores_table

    found = core_by(evidence, by, mixture=mixture, **told)
    if format == "json":
        print_json(with_reading(found.to_dict(), evidence))
        return
    say_reading(evidence)
    if format == "csv":
        print_csv(found.rows())
    elif format == "md":
        print(cores_markdown(found), end="")
    else:
        print_table(cores_table(found))
