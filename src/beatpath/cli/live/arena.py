"""``beatpath arena create | ask | tell | add | join | retire | status | export | vote``, for runners in any language.

JSON Lines come in and go out. ``status`` ends with 0 when the goal is settled and with 3 when not, so that a shell can stop.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted, shown
from beatpath.cli.frame.output import print_json, say
from beatpath.cli.live.vote import vote
from beatpath.data.sources.source import decode

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena
    from beatpath.arena.battle import Battle

arena_app = typer.Typer(
    name="arena",
    help="Run an evaluation: ask which battle to play, tell what came of it, stop when the goal is settled.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
Address = Annotated[str, typer.Argument(metavar="ARENA", show_default=False, help="A file, or postgresql://...")]
Agent = Annotated[str, typer.Argument(metavar="AGENT", show_default=False, help="Its name.")]
Lines = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", show_default=False, help="JSON Lines; standard input by default.")
]
STDIN = "standard input"


@arena_app.command("create")
def create(
    arena: Address,
    agent: Annotated[
        list[str], typer.Option("--agent", "-a", show_default=False, help="Who takes part; once for each.")
    ],
    goal: Annotated[str, typer.Option("--goal", help='"first", "top 3", "ranking" or "5 points apart".')] = "ranking",
    level: Annotated[
        float, typer.Option("--level", help="Confidence, from 0.5 to below 1, at every look at once.")
    ] = 0.95,
    policy: Annotated[str, typer.Option("--policy", help="adaptive, uniform, a_optimal or d_optimal.")] = "adaptive",
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", show_default=False, help="A text file with a prompt a line, dealt evenly."),
    ] = None,
    patience: Annotated[
        float, typer.Option("--patience", help="Seconds after which a battle that was not told is asked again.")
    ] = 3600.0,
) -> None:
    """Make an arena.

    beatpath arena create arena.db -a gpt -a claude -a llama --goal first
    """
    from beatpath.arena.arena import Arena

    lines = None if prompts is None else [line for line in _text(prompts).splitlines() if line.strip()]
    made = Arena(arena, agents=agent, goal=goal, level=level, policy=policy, prompts=lines, patience=patience)
    say(f"{counted(len(made.agents), 'agent')}; `beatpath arena ask {arena}` gives the first battle.")


@arena_app.command("ask")
def ask(
    arena: Address,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many battles.")] = 1,
    seed: Annotated[int | None, typer.Option("--seed", show_default=False, help="Of the draw.")] = None,
) -> None:
    """Print the next battles to play, a JSON object a line."""
    for battle in _opened(arena, seed).ask(count=count):
        _print_line(battle)


@arena_app.command("tell")
def tell(arena: Address, lines: Lines = None) -> None:
    """Record outcomes: objects with `battle` and `outcome` (a, b, tie, both_bad, failed, or a number from 0 to 1), maybe `judge`."""
    opened = _opened(arena)
    told = [(_field(row, "battle", at), _field(row, "outcome", at), row.get("judge")) for at, row in _objects(lines)]
    opened.tell_many(told)
    say(f"{counted(len(told), 'battle')} told.")


@arena_app.command("add")
def add(arena: Address, lines: Lines = None) -> None:
    """Record battles from elsewhere: objects with `a`, `b` and `outcome`; they inform who plays next, and no verdict.

    One with a key of its own in `battle` counts once, however often it is added.
    """
    opened = _opened(arena)
    rows = [
        (_field(row, "a", at), _field(row, "b", at), _field(row, "outcome", at), row.get("battle"), row.get("judge"))
        for at, row in _objects(lines)
    ]
    say(f"{counted(opened.add(rows), 'battle')} added.")


@arena_app.command("join")
def join(arena: Address, agent: Agent) -> None:
    """Let an agent take part from now on; a new board begins."""
    _opened(arena).join(agent)


@arena_app.command("retire")
def retire(arena: Address, agent: Agent) -> None:
    """Let an agent take part no longer; its battles are kept, and a new board begins."""
    _opened(arena).retire(agent)


@arena_app.command("status")
def status(arena: Address) -> None:
    """Print where the arena stands as JSON; ends with 0 when the goal is settled and with 3 when not."""
    found = _opened(arena).resolve()
    print_json(found.to_dict())
    say(found.reason)
    raise typer.Exit(0 if found.done else 3)


@arena_app.command("export")
def export(
    arena: Address,
    output: Annotated[
        Path | None,
        typer.Argument(
            metavar="[OUTPUT]",
            show_default=False,
            help="Ends in .jsonl, .csv, .tsv or .parquet; JSON Lines to standard output by default.",
        ),
    ] = None,
) -> None:
    """Write all battles that were told as a table that every verb reads; they read the file of an arena too."""
    from beatpath.data.write import write

    evidence = _opened(arena).evidence()
    if not len(evidence):
        raise DataError(f"an arena must have battles that were told to be exported; {quoted(arena)} has none yet.")
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        lines = Path(folder) / "battles.jsonl"
        for lost in write(evidence, lines if output is None else output):
            say(f"not held by the target: {shown(lost, 400)}")
        if output is None:
            with lines.open(encoding="utf-8") as stream:
                shutil.copyfileobj(stream, sys.stdout)


arena_app.command("vote")(vote)


def _opened(address: str, seed: int | None = None) -> "Arena":
    from beatpath.arena.arena import Arena

    return Arena(address, seed=seed)


def _print_line(battle: "Battle") -> None:
    sys.stdout.write(json.dumps(battle.to_dict(), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _objects(path: Path | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object with where it stands; nothing is done before all were read."""
    name = STDIN if path is None or str(path) == "-" else str(path)
    text = decode(sys.stdin.buffer.read(), STDIN) if name == STDIN else _text(Path(name))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        at = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise DataError(f"{at} must be a JSON object; got {quoted(line[:60])}.") from None
        if not isinstance(row, dict):
            raise DataError(f"{at} must be a JSON object; got {quoted(line[:60])}.")
        yield at, row


def _text(path: Path) -> str:
    """All of a text file."""
    try:
        return decode(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(
            f"{quoted(str(path))} must be a file to read; it cannot be: {error.strerror or error}."
        ) from None


def _field(row: dict[str, Any], name: str, at: str) -> Any:
    if name not in row:
        raise DataError(f"{at} must have `{name}`; it has {', '.join(map(str, row)) or 'nothing'}.")
    return row[name]
