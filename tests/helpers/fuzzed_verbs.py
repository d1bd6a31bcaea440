"""Verbs on damaged files, with random options: each ends in an answer that holds to its schema, or in a sentence."""

import contextlib
import csv
import io
import json
import random
import sys
import traceback
from pathlib import Path

from beatpath.cli.main import main
from beatpath.methods.registry import METHODS
from helpers.schemas import validated

VERBS = (
    "check", "rank", "rank", "core", "resolve", "resolve", "report", "convert", "items", "runs", "judges", "compare", "compare",
    "diff",
)  # fmt: skip
STATUS = {0, 1, 2, 3}
NO_NUMBER = {"nan", "inf", "-inf", "-0.0", "-0"}
LARGEST = 200_000  # bytes of a file that a verb is tried on
OPTIONS = {
    "--level": ["0.95", "0.5", "0.999999", "1e-12", "1", "0", "nan", "-1"],
    "--seed": ["0", "1", "-1", "99999999999999999999999", "x"],
    "--ties": ["half", "drop", "keep", "whatever"],
    "--estimand": ["auto", "mean_win_rate", "as_sampled", "bradley_terry", "mean_score", "iqm", "x"],
    "--matrix": ["raw", "estimated", "x"],
    "--min-battles": ["1", "20", "99999999999999999999", "-3"],
    "--cluster": ["auto", "task", "judge", "no such column"],
    "--where": ["weight>0", "task=x", "agent=ada"],
    "--gamma": ["0.05", "1e-320", "-1", "1e300"],
    "--tau": ["0.05", "0", "1e300"],
    "--draws": ["50", "0", "-1"],
    "--claim": ["ada > bob", "ada is first", "x > y", ">"],
    "--encoding": ["utf-8", "punycode", "rot13", "idna"],
    "--samples": ["pass@1", "pass@2", "pass^2", "maj@3", "best@1", "pass@0", "pass@99999999999", "x"],
    "--cost": ["weight", "score", "value", "no such column"],
    "--metric": ["acc", "x"],
    "--top": ["1", "0", "99999999999999999999"],
    "--batch": ["1", "3", "-1"],
    "--family": ["ada=x", "j1=x,ada=x", "x"],
    "--covariate": ["weight", "weight - weight", "no such column", "-"],
    "--gold": ["j1", "nobody"],
    "--zero": ["ada", "nobody"],
    "--one": ["bob", "ada"],
}

OWN = {  # options of the newer verbs, which would be met too seldom among all
    "compare": ("--samples", "--cost", "--metric", "--claim", "--cluster", "--level"),
    "diff": ("--claim", "--estimand", "--cluster", "--level"),
    "items": ("--claim", "--batch", "--top", "--level"),
    "runs": ("--zero", "--one", "--level"),
    "judges": ("--family", "--covariate", "--gold", "--level"),
}


def arguments(rng: random.Random, path: Path, folder: Path) -> list[str]:
    """A verb, a format and a few options, of which many do not belong to the verb or make no sense."""
    verb = rng.choice(VERBS)
    made = [verb, str(path)]
    if verb == "compare":
        made = [verb, f"base={path}", rng.choice([f"new={path}", str(path.parent)])]
    if verb == "diff":
        made = [verb, str(path), str(path)]
    if verb == "convert":
        return [*made, str(folder / rng.choice(["out.csv", "out.parquet", "out.jsonl", "out.soc"]))]
    made += ["--format", rng.choice(["json", "json", "json", "csv", "md", "table"])]
    if verb == "rank":
        made += ["-m", ",".join(rng.sample(list(METHODS), rng.choice([1, 2, 4])))]
    own = OWN.get(verb, ())
    for option in dict.fromkeys(rng.choices([*OPTIONS, *own * 6], k=rng.choice([0, 0, 0, 1, 2, 2 * len(own)]))):
        made += [option, rng.choice(OPTIONS[option])]
    return made


def verb_fault(number: int, path: Path, folder: Path) -> str | None:
    """Run a verb on a file; return what is wrong with how that ended, or nothing."""
    rng = random.Random(f"verb {number}")
    if path.is_file() and path.stat().st_size > LARGEST:
        return None
    command = arguments(rng, path, folder)
    out, err, status = io.StringIO(), io.StringIO(), 0
    before, sys.argv = sys.argv, ["beatpath", *command]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
    except Exception:  # noqa: BLE001  whatever it is, it is the finding
        return f"{_shown(command)}\n{traceback.format_exc(limit=-8)}"
    finally:
        sys.argv = before
    wrong = _what_is_wrong(command, status, out.getvalue(), err.getvalue())
    return wrong and f"{_shown(command)}: {wrong}"


def _shown(command: list[str]) -> list[str]:
    """A command without its paths, which lie in a folder that is gone by then."""
    return [command[0], *command[command.index("--format") if "--format" in command else 2 :]]


def _what_is_wrong(command: list[str], status: int, out: str, err: str) -> str | None:
    if status not in STATUS:
        return f"exit status {status}"
    if "Traceback" in err or "Warning:" in err:
        return err[-1500:]
    if status in (1, 2):
        return None if err.strip() else f"exit status {status} without a word"
    form = command[command.index("--format") + 1] if "--format" in command else ""
    if form == "json":
        try:
            validated(out)
        except (AssertionError, json.JSONDecodeError, KeyError) as error:
            return f"no valid document: {str(error)[:800]}"
    if form == "csv" and NO_NUMBER & {cell for row in csv.reader(io.StringIO(out)) for cell in row}:
        return f"a cell that is no number: {out[:800]}"
    return None
