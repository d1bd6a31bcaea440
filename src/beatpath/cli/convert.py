"""``beatpath convert IN OUT``: from any format we read to our own tables, PrefLib or pair counts."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from beatpath._atomic_write import require_writable
from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION
from beatpath._text import shown
from beatpath.cli import options as o
from beatpath.cli.output import reading_of, say, say_reading, show, spare_the_input

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


@dataclass(frozen=True)
class ConvertOptions:
    """Of ``beatpath convert``."""

    out: str | None = o.option(
        "OUT", "Ends in .parquet, .csv, .tsv, .jsonl, .soc, .soi, .toc or .toi.", show_default=False
    )
    to: Literal["pairs", "ballots"] | None = o.option("--to", "Convert to this kind of evidence first.")
    format: o.Format = o.OUTPUT()

    def before_reading(self) -> None:
        """Raise unless the file to write is named, has an ending that is known, and can be written."""
        from beatpath.data.write import ending

        if self.out is None:
            raise UsageError("name the file to write after the files to read: beatpath convert IN... OUT.")
        ending(Path(self.out))
        require_writable(self.out)


def convert_verb(evidence: "Evidence", options: ConvertOptions) -> None:
    """Write what was read as a canonical table, as PrefLib, or as pair counts, and name what the target cannot hold.

    beatpath convert arena.json battles.parquet

    beatpath convert battles.parquet counts.csv --to pairs

    beatpath convert scores.csv profile.toc

    beatpath convert --example arena.csv
    """
    from beatpath.data.write import converted, write
    from beatpath.evidence import Ballots, Battles, Scores
    from beatpath.inference.scores.design_effects import pairs_with_design_effects
    from beatpath.reports.view import View

    out = str(options.out)
    spare_the_input(Path(out), evidence)
    written, before = evidence, tuple[str, ...]()
    if options.to == "pairs" and isinstance(evidence, Battles | Ballots | Scores):
        written, before = pairs_with_design_effects(evidence)
    else:
        written = converted(evidence, options.to)
    lost = (*before, *write(written, out))
    data: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "type": "convert",
        "out": out,
        "kind": written.kind,
        "agents": len(written.agents),
        "lost": list(lost),
        "conventions": [made.to_dict() for made in written.conventions],
        "reading": reading_of(evidence),
    }
    if options.format != "json":
        say_reading(evidence)
        for made in written.conventions:
            say(str(made))
    sentences = [f"wrote {shown(out)}: {written!r}", *(f"not held by the target: {shown(what, 400)}" for what in lost)]
    show(options.format, lambda: View(facts=sentences), lambda: data, lambda: [{"sentence": one} for one in sentences])
