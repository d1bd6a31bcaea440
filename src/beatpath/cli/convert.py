"""``beatpath convert IN OUT``: from any format we read to our own tables, PrefLib or pair counts."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._atomic_write import require_writable
from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION
from beatpath._text import shown
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import say, say_reading, show, spare_the_input

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


def _place(given: dict[str, Any]) -> None:
    """Raise unless the file to write is named, has an ending that is known, and can be written."""
    from beatpath.data.write import ending

    if given["out"] is None:
        raise UsageError("name the file to write after the files to read: beatpath convert IN... OUT.")
    ending(Path(given["out"]))
    require_writable(given["out"])


@partial(o.reads, first=_place)
def convert(
    evidence: "Evidence",
    out: Annotated[
        str | None,
        typer.Argument(
            metavar="OUT", show_default=False, help="Ends in .parquet, .csv, .tsv, .jsonl, .soc, .soi, .toc or .toi."
        ),
    ] = None,
    to: Annotated[
        Literal["pairs", "ballots"] | None, typer.Option("--to", help="Convert to this kind of evidence first.")
    ] = None,
    format: o.Output = "table",
) -> None:
    """Write what was read as a canonical table, as PrefLib, or as pair counts, and name what the target cannot hold.

    beatpath convert arena.json battles.parquet

    beatpath convert battles.parquet counts.csv --to pairs

    beatpath convert scores.csv profile.toc

    beatpath convert --example arena.csv
    """
    from beatpath.data.write import converted, write

    assert out is not None
    spare_the_input(Path(out), evidence)
    written = converted(evidence, to)
    lost = write(written, out)
    result = {
        "schema_version": SCHEMA_VERSION,
        "type": "convert",
        "out": out,
        "kind": written.kind,
        "agents": len(written.agents),
        "lost": list(lost),
        "conventions": [made.to_dict() for made in written.conventions],
        "reading": None if evidence.reading is None else evidence.reading.to_dict(),
    }
    if format != "json":
        say_reading(evidence)
        for made in written.conventions:
            say(str(made))
    sentences = [f"wrote {shown(out)}: {written!r}", *(f"not held by the target: {shown(what, 400)}" for what in lost)]
    show(
        format,
        table=lambda: "\n".join(sentences),
        json=lambda: result,
        csv=lambda: [{"sentence": sentence} for sentence in sentences],
        md=lambda: "".join(f"- {sentence}\n" for sentence in sentences),
    )
