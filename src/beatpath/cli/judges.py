"""``beatpath judges FILE``: whether those who judged can carry a conclusion."""

from typing import TYPE_CHECKING, Annotated

import typer

from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


@o.reads
def judges_verb(
    evidence: "Evidence",
    family: Annotated[
        list[str] | None,
        typer.Option(
            "--family",
            metavar="NAME=FAMILY,...",
            help="The family, such as the maker, of judges and agents. By default a judge is kin of the agent of its name.",
        ),
    ] = None,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            "--covariate",
            metavar="COLUMN",
            help="A numeric column carried along with --keep, or 'len_a - len_b', that a judge may reward; may be repeated.",
        ),
    ] = None,
    level: o.Level = 0.95,
    seed: o.Seed = 0,
    format: o.Output = "table",
) -> None:
    """Hold every judge against the others: who answers at random or always the same, who favours whom, who could turn it.

    beatpath judges battles.csv --map judge=annotator

    beatpath judges battles.csv --family gpt-4=openai,gpt-4-judge=openai

    beatpath judges battles.csv --keep len_a,len_b --covariate "len_a - len_b" --format json
    """
    from beatpath.inference.judges.judges import judges
    from beatpath.reports.terminal.judges import judges_markdown, judges_table

    families = o.named_values(family, "--family") or None
    found = judges(evidence, families=families, covariates=tuple(covariate or ()), level=level, seed=seed)
    show(
        format,
        evidence,
        table=lambda: judges_table(found),
        json=found.to_dict,
        csv=lambda: found.rows(None),
        md=lambda: judges_markdown(found),
    )
