"""``beatpath convert IN OUT``: from any supported format to our tables, PrefLib or pair counts."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from beatpath._atomic_write import require_writable
from beatpath._errors import UsageError
from beatpath._result import TableResult
from beatpath._text import shown
from beatpath.cli import options as o
from beatpath.cli.output import refuse_overwriting_input, say, show
from beatpath.reports.view import View

if TYPE_CHECKING:
    from beatpath.evidence import Convention, Evidence


@dataclass(frozen=True)
class ConvertOptions:
    """Options of ``beatpath convert``."""

    out: str | None = o.option("OUT", "Ends in .parquet, .csv, .tsv, .jsonl, .soc, .soi, .toc or .toi.")
    to: Literal["pairs", "ballots"] | None = o.option("--to", "Convert to this kind of evidence first.")
    format: o.Format = o.OUTPUT()

    def before_reading(self) -> None:
        """Raise an error unless the output is named, has a known extension, and can be written."""
        from beatpath.data.write import ending

        if self.out is None:
            raise UsageError("name the file to write after the files to read: beatpath convert IN... OUT.")
        ending(Path(self.out))
        require_writable(self.out)


@dataclass(frozen=True, slots=True, repr=False)
class Conversion(TableResult):
    """The summary of a file that was written.

    Attributes
    ----------
    out : str
        The file.
    kind : str
        Kind of evidence.
    agents : int
        Number of agents in it.
    lost : tuple of str
        What the file cannot hold, as sentences.
    conventions : tuple of Convention
        How the evidence was converted to this kind.
    """

    document_name: ClassVar[str] = "convert"
    hidden: ClassVar[tuple[str, ...]] = ("written",)

    out: str
    written: "Evidence"
    kind: str
    agents: int
    lost: tuple[str, ...]
    conventions: "tuple[Convention, ...]"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was written, and what the target does not hold."""
        lost = (f"not held by the target: {shown(what, 400)}" for what in self.lost)
        return (f"wrote {shown(self.out)}: {self.written!r}", *lost)

    def view(self) -> View:
        """Return the sentences only."""
        return View(facts=self.sentences)

    def rows(self) -> list[dict[str, str]]:
        """Return one row per sentence."""
        return [{"sentence": one} for one in self.sentences]


def convert_verb(evidence: "Evidence", options: ConvertOptions) -> None:
    """Write what was read as a canonical table, as PrefLib, or as pair counts, and name what the target cannot hold.

    beatpath convert arena.json battles.parquet

    beatpath convert battles.parquet counts.csv --to pairs

    beatpath convert scores.csv profile.toc

    beatpath convert --example arena.csv
    """
    from beatpath.data.write import converted, write
    from beatpath.evidence import Ballots, Battles, Scores
    from beatpath.inference.resolve.design_effects import pairs_with_design_effects

    out = str(options.out)
    refuse_overwriting_input(Path(out), evidence)
    written, before = evidence, tuple[str, ...]()
    if options.to == "pairs" and isinstance(evidence, Battles | Ballots | Scores):
        written, before = pairs_with_design_effects(evidence)
    else:
        written = converted(evidence, options.to)
    lost = (*before, *write(written, out))
    conventions = written.conventions
    conversion = Conversion(out, written, written.kind, len(written.agents), lost, conventions)
    if options.format != "json":
        for one in conventions:
            say(str(one))
    show(options.format, conversion, evidence=evidence)
