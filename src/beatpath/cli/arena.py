"""``beatpath arena create | ask | tell | add | join | retire | change | status | voters | export | vote``, for runners in any language.

Input and output are JSON Lines. ``status`` exits with 0 if the goal is reached and with 3 if not, so that a shell can
stop.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted, shown
from beatpath.cli import options as o
from beatpath.cli.output import print_json, say
from beatpath.cli.serve import HOST, OPEN, PORT, TOKEN, needing_extras, opening, token_of
from beatpath.cli.verb import Group, VerbCommand, command

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena

arena_app = typer.Typer(
    name="arena",
    cls=Group,
    help="Run an evaluation: ask which battle to play, tell its outcome, stop when the goal is settled.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
# The argument that names an arena; the name of standard input in messages.
ADDRESS = partial(o.option, "ARENA", default=..., help="A file, or postgresql://...")
STDIN = "standard input"


def _of_arena(function: Callable[..., None]) -> Callable[..., None]:
    """Register a function of options as a command of the arena, under its own name."""
    arena_app.command(function.__name__, cls=VerbCommand)(command(function))
    return function


@dataclass(frozen=True)
class CreateOptions:
    """Options of ``beatpath arena create``."""

    arena: str = ADDRESS()
    agent: list[str] = o.option("--agent -a", "Who takes part; once for each.", default=...)
    goal: str = o.option("--goal", '"first", "top 3", "ranking", "core" or "5 points apart".', default="ranking")
    level: float = o.option("--level", "Confidence, from 0.5 to below 1, simultaneous over all looks.", default=0.95)
    policy: str = o.option("--policy", "adaptive, uniform, a_optimal or d_optimal.", default="adaptive")
    prompts: Path | None = o.option(
        "--prompts",
        "A text file with one prompt per line, used equally often; or .json, by category.",
    )
    patience: float = o.option(
        "--patience", "Seconds after which a battle that was not answered is requested again.", default=3600.0
    )


@_of_arena
def create(options: CreateOptions) -> None:
    """Make an arena.

    beatpath arena create arena.db -a gpt -a claude -a llama --goal first
    """
    from beatpath.arena.arena import Arena

    prompts = _prompts(options.prompts)
    settings: dict[str, Any] = {name: getattr(options, name) for name in ("goal", "level", "policy", "patience")}
    arena = Arena(options.arena, agents=options.agent, prompts=prompts, **settings)
    say(f"{counted(len(arena.agents), 'agent')}; `beatpath arena ask {options.arena}` gives the first battle.")


@dataclass(frozen=True)
class AskOptions:
    """Options of ``beatpath arena ask``."""

    arena: str = ADDRESS()
    count: int = o.option("--count -n", "How many battles.", default=1, min=1)
    seed: int | None = o.option("--seed", "Of the draw.")


@_of_arena
def ask(options: AskOptions) -> None:
    """Print the next battles to play, one JSON object per line."""
    for battle in _opened(options.arena, options.seed).ask(count=options.count):
        sys.stdout.write(json.dumps(battle.to_dict(), ensure_ascii=False) + "\n")
        sys.stdout.flush()


@dataclass(frozen=True)
class LinesOptions:
    """Options of ``beatpath arena tell`` and ``add``."""

    arena: str = ADDRESS()
    lines: Path | None = o.option("[FILE]", "JSON Lines; standard input by default.")


@_of_arena
def tell(options: LinesOptions) -> None:
    """Record outcomes: objects with `battle` and `outcome` (a, b, tie, both_bad, failed, or 0 to 1), maybe `judge`, `criteria`, `comment`, `style`."""
    arena, rows, rest = _opened(options.arena), _objects(options.lines), ("judge", "criteria", "comment", "style")
    outcomes = [(_field(row, "battle", at), _field(row, "outcome", at), *map(row.get, rest)) for at, row in rows]
    arena.tell_many(outcomes)
    say(f"{counted(len(outcomes), 'battle')} recorded.")


@_of_arena
def add(options: LinesOptions) -> None:
    """Record battles from elsewhere: objects with `a`, `b` and `outcome`; they inform which pairs play next, but no verdict.

    One with a key of its own in `battle` counts once, however often it is added.
    """
    arena = _opened(options.arena)
    rows = [
        (*(_field(row, name, at) for name in ("a", "b", "outcome")), row.get("battle"), row.get("judge"))
        for at, row in _objects(options.lines)
    ]
    say(f"{counted(arena.add(rows), 'battle')} added.")


@dataclass(frozen=True)
class AgentOptions:
    """Options of ``beatpath arena join`` and ``retire``."""

    arena: str = ADDRESS()
    agent: str = o.option("AGENT", "Its name.", default=...)


@_of_arena
def join(options: AgentOptions) -> None:
    """Let an agent take part from now on; what is certain among the others stays certain."""
    _opened(options.arena).join(options.agent)


@_of_arena
def retire(options: AgentOptions) -> None:
    """Let an agent take part no longer; what is certain among the others stays certain."""
    _opened(options.arena).retire(options.agent)


@dataclass(frozen=True)
class ChangeOptions:
    """Options of ``beatpath arena change``."""

    arena: str = ADDRESS()
    goal: str | None = o.option("--goal", "The new goal.")
    level: float | None = o.option("--level", "The new confidence.")
    policy: str | None = o.option("--policy", "The new policy.")
    prompts: Path | None = o.option("--prompts", "New prompts, as for `create`.")
    patience: float | None = o.option("--patience", "The new patience in seconds.")


@_of_arena
def change(options: ChangeOptions) -> None:
    """Change settings of a running arena, for all who use it; prints what that costs."""
    names = ("goal", "level", "policy", "patience")
    settings: dict[str, Any] = {name: getattr(options, name) for name in names}
    for sentence in _opened(options.arena).change(prompts=_prompts(options.prompts), **settings):
        say(sentence)


@dataclass(frozen=True)
class VotersOptions:
    """Options of ``beatpath arena voters``."""

    arena: str = ADDRESS()
    per_person: int | None = o.option("--per-person", "Most votes of one voter.", min=1)


@_of_arena
def voters(options: VotersOptions) -> None:
    """Print as JSON who votes, who looks careless, what changes without them, and how many forged votes first place would take."""
    seen = _opened(options.arena).voters(per_person=options.per_person)
    print_json(seen.to_dict())
    for sentence in seen.sentences:
        say(sentence)


@dataclass(frozen=True)
class StatusOptions:
    """Options of ``beatpath arena status``."""

    arena: str = ADDRESS()
    output: Path | None = o.option("--output -o", "Also write the board: .md, .html, .csv or .json.")


@_of_arena
def status(options: StatusOptions) -> None:
    """Print where the arena stands as JSON; ends with 0 when the goal is settled and with 3 when not."""
    standing = _opened(options.arena).resolve()
    print_json(standing.to_dict())
    if options.output is not None:
        standing.save(options.output)
    say(standing.reason)
    raise typer.Exit(0 if standing.done else 3)


@dataclass(frozen=True)
class ExportOptions:
    """Options of ``beatpath arena export``."""

    arena: str = ADDRESS()
    output: Path | None = o.option(
        "[OUTPUT]",
        "Ends in .jsonl, .csv, .tsv or .parquet; JSON Lines to standard output by default.",
    )


@_of_arena
def export(options: ExportOptions) -> None:
    """Write all battles that were answered as a table that every verb reads; they read the file of an arena too."""
    from beatpath.data.write import write

    arena, output = options.arena, options.output
    evidence = _opened(arena).evidence()
    if not len(evidence):
        raise DataError(f"an arena must have battles that were answered to be exported; {quoted(arena)} has none yet.")
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        lines = Path(folder) / "battles.jsonl"
        for lost in write(evidence, lines if output is None else output):
            say(f"not held by the target: {shown(lost, 400)}")
        if output is None:
            with lines.open(encoding="utf-8") as stream:
                shutil.copyfileobj(stream, sys.stdout)


@dataclass(frozen=True)
class VoteOptions:
    """Options of ``beatpath arena vote``."""

    answers: Path = o.option("ANSWERS", "JSON Lines of prompt, agent and answer.", default=...)
    arena: str | None = o.option("--arena ARENA", "Where votes go; beside the answers by default.")
    goal: str | None = o.option("--goal", 'Of a new arena; "ranking" by default.')
    level: float | None = o.option("--level", "Of a new arena; 0.95 by default.")
    no_reveal: bool = o.option("--no-reveal", "Do not show who wrote which, even after the vote.", default=False)
    voters: Path | None = o.option(
        "--voters FILE", "A name per line: they alone may vote, each by a link that is printed."
    )
    per_person: int | None = o.option("--per-person", "Most votes of one voter.", min=1)
    criterion: o.Texts = o.option("--criterion", "A criterion to vote on besides; may be repeated.")
    host: str = HOST()
    port: int = PORT(default=8766)
    token_file: Path | None = TOKEN()
    open_: bool = OPEN()


@_of_arena
def vote(options: VoteOptions) -> None:
    """Serve a page where anyone with its address compares two answers blind; votes go into an arena.

    Every agent must have answered every prompt. Who wrote which is shown once the vote is in, and the same voter does not see
    these answers again; with `--no-reveal` they are not shown, and voters may see them again. `beatpath serve` shows the arena's board at the same time, to those who run it. The connection is not encrypted: for people elsewhere, put a proxy before it
    that is.

    beatpath arena vote answers.jsonl --goal first

    beatpath arena vote answers.jsonl --host 0.0.0.0
    """
    with needing_extras("`beatpath arena vote`"):
        from beatpath.web.answers import read_answers
        from beatpath.web.serve import run
        from beatpath.web.vote import VoteRules, create_vote_app, links, vote_arena
    answers = read_answers(options.answers)
    place = options.arena or str(options.answers.with_suffix(".db"))
    if Path(place) == options.answers:
        raise UsageError(
            f"votes must go elsewhere than the answers; {quoted(options.answers)} came for both. Name an `--arena`."
        )
    opened = vote_arena(place, answers, goal=options.goal, level=options.level)
    out = [agent for agent in answers.agents if agent not in opened.agents]
    say(f"{counted(len(answers.prompts), 'prompt')}, {counted(len(opened.agents), 'agent')}; votes go to {place}.")
    if out:
        say(f"{counted(len(out), 'agent')} of the answers take no part in this arena, among them {quoted(out[0])}.")
    criteria = tuple(options.criterion or ())
    rules = VoteRules(not options.no_reveal, options.per_person, criteria, options.voters)

    def ready(address: str) -> None:
        if options.voters is None:
            return opening(options.open_)(address)
        say("Everyone votes by the link beside their name; Ctrl-C ends the page.")
        for name, link in links(address, rules):
            print(f"{shown(name)}: {link}", flush=True)
        return None

    app = partial(create_vote_app, opened, answers, rules=rules)
    token, role = token_of(options.token_file), None if options.voters else "vote"
    run(app, host=options.host, port=options.port, token=token, role=role, ready=ready)


def _opened(address: str, seed: int | None = None) -> "Arena":
    from beatpath.arena.arena import Arena

    return Arena(address, seed=seed)


def _prompts(path: Path | None) -> Any:
    """The prompts in a text file, one per line; or in a JSON file, of each category."""
    if path is None or path.suffix != ".json":
        return None if path is None else [line for line in _text(path).splitlines() if line.strip()]
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise UsageError(f"{quoted(str(path))} must be JSON; it is not: {error}.") from None


def _objects(path: Path | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object with its location; nothing is recorded before all are read."""
    name = STDIN if path is None or str(path) == "-" else str(path)
    from beatpath.data.formats.records import json_objects

    text = _text(None if name == STDIN else Path(name))
    return ((f"{name}, line {number}", row) for number, row in json_objects(text.split("\n"), name))


def _text(path: Path | None) -> str:
    """The content of a text file, or of standard input."""
    from beatpath.data.sources.source import decode

    if path is None:
        return decode(sys.stdin.buffer.read(), STDIN)
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
