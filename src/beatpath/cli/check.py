"""``beatpath check FILE``: what is in the file, and whether it can carry a conclusion."""

from beatpath.cli import options as o
from beatpath.cli.output import print_csv, print_json, print_table


def check(
    file: o.File = None,
    map: o.Map = None,
    labels: o.Labels = None,
    where: o.Where = None,
    keep: o.Keep = None,
    lower: o.Lower = None,
    format_in: o.FormatIn = None,
    encoding: o.Encoding = None,
    delimiter: o.Delimiter = None,
    self_battles: o.Self = "drop",
    repeats: o.Repeats = "error",
    example: o.Example = False,
    format: o.Output = "table",
    seed: o.Seed = 0,
) -> None:
    """Look at the data before any method does: who met whom, how often, how evenly, judged by whom.

    Warnings come first, in words, each with what it means for the methods.

        beatpath check --example

        beatpath check battles.csv --map agent_a=left,agent_b=right,outcome=label

        beatpath check 'logs/*.eval' --format json
    """
    evidence = o.evidence_of(
        file,
        example,
        seed,
        map=map,
        labels=labels,
        where=where,
        keep=keep,
        lower=lower,
        format_in=format_in,
        encoding=encoding,
        delimiter=delimiter,
        self_battles=self_battles,
        repeats=repeats,
    )
    from beatpath.checks import check as look
    from beatpath.reports.check import check_markdown, check_rows, check_table

    found = look(evidence)
    if format == "json":
        print_json(found.to_dict())
    elif format == "csv":
        print_csv(check_rows(found))
    elif format == "md":
        print(check_markdown(found), end="")
    else:
        print_table(check_table(found))
