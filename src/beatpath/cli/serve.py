"""``beatpath serve FILE``: the report as a page that answers."""

from typing import Annotated

import typer

from beatpath._errors import MissingExtra
from beatpath.cli.output import say


def serve_verb(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", show_default=False, help="Files, folders or globs in quotes that the page may read."
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="0 for any that is free.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="BEATPATH_TOKEN",
            metavar="TEXT",
            help="What every request must show; made up if not given.",
        ),
    ] = None,
    max_upload: Annotated[float, typer.Option("--max-upload", metavar="MB", help="Of one upload.")] = 200,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="MINUTES", help="After which a job is stopped.")
    ] = 10,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the report of a file as a page that answers: map columns, filter, choose methods, see what changes.

    The page reads the files named, the built-in example, and what is uploaded to it, nothing else; uploads are deleted when
    it ends. The address that is printed holds the token without which nothing is served. The connection is not encrypted: from elsewhere, come through ssh or a proxy that is.

    beatpath serve

    beatpath serve battles.csv --open
    """
    try:
        from beatpath.web.limits import Limits
        from beatpath.web.serve import serve as serving
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("beatpath"):
            raise
        raise MissingExtra(str(error.name), "app", "`beatpath serve`") from None

    def ready(address: str) -> None:
        print(address, flush=True)
        say("Open this address; Ctrl-C ends the page.")
        if open_:
            import webbrowser

            webbrowser.open(address)

    limits = Limits(upload=int(max_upload * (1 << 20)), seconds=60 * time_limit)
    serving(files or (), host=host, port=port, token=token, limits=limits, ready=ready)
