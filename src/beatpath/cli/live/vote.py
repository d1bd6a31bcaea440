"""``beatpath arena vote ANSWERS``: people compare two answers blind, and an arena keeps their votes."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from beatpath._errors import UsageError
from beatpath._text import counted, quoted
from beatpath.cli.frame.output import say
from beatpath.cli.live.serve import Host, Open, Port, Token, needing_extras, opening


def vote(
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS", show_default=False, help="JSON Lines of prompt, agent and answer.")
    ],
    arena: Annotated[
        str | None,
        typer.Option(
            "--arena", metavar="ARENA", show_default=False, help="Where votes go; beside the answers by default."
        ),
    ] = None,
    goal: Annotated[
        str | None, typer.Option("--goal", show_default=False, help='Of a new arena; "ranking" by default.')
    ] = None,
    level: Annotated[
        float | None, typer.Option("--level", show_default=False, help="Of a new arena; 0.95 by default.")
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8766,
    token: Token = None,
    open_: Open = False,
) -> None:
    """Serve a page where anyone with its address compares two answers blind; votes go into an arena.

    Every agent must have answered every prompt. Who wrote which is shown once the vote is in. `beatpath serve` shows the
    arena's board at the same time, to those who run it. The connection is not encrypted: for people elsewhere, put a proxy before it
    that is.

    beatpath arena vote answers.jsonl --goal first

    beatpath arena vote answers.jsonl --host 0.0.0.0
    """
    with needing_extras("`beatpath arena vote`"):
        from beatpath.web.serve import run
        from beatpath.web.vote.answers import read_answers
        from beatpath.web.vote.app import create_vote_app, vote_arena
    told = read_answers(answers)
    place = arena if arena is not None else str(answers.with_suffix(".db"))
    if Path(place) == answers:
        raise UsageError(
            f"votes must go elsewhere than the answers; {quoted(answers)} came for both. Name an `--arena`."
        )
    opened = vote_arena(place, told, goal=goal, level=level)
    out = [agent for agent in told.agents if agent not in opened.agents]
    say(f"{counted(len(told.prompts), 'prompt')}, {counted(len(opened.agents), 'agent')}; votes go to {place}.")
    if out:
        say(f"{counted(len(out), 'agent')} of the answers take no part in this arena, among them {quoted(out[0])}.")
    run(partial(create_vote_app, opened, told), host=host, port=port, token=token, ready=opening(open_))
