"""``beatpath serve FILE``: an interactive report; ``beatpath serve ARENA``: a live arena."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from beatpath._errors import MissingExtra, UsageError
from beatpath._text import listed
from beatpath.cli import options as o
from beatpath.cli.output import say

# Options of the verbs that start a server.
HOST = partial(o.option, "--host", default="127.0.0.1", help="The address to listen on.")
PORT = partial(o.option, "--port", help="0 for any that is free.")
TOKEN = partial(
    o.option, "--token TEXT", envvar="BEATPATH_TOKEN", help="What every request must show; made up if not given."
)
OPEN = partial(o.option, "--open", default=False, help="Open the page in a browser.")


@dataclass(frozen=True)
class ServeOptions:
    """Options of ``beatpath serve``."""

    files: o.Texts = o.option(
        "FILE", "Files, folders or globs in quotes that the page may read; or one arena.", show_default=False
    )
    host: str = HOST()
    port: int = PORT(default=8765)
    token: str | None = TOKEN()
    max_upload: float = o.option("--max-upload MB", "Of one upload.", default=200)
    time_limit: float = o.option("--time-limit MINUTES", "After which a job is stopped.", default=10)
    open_: bool = OPEN()


def serve_verb(options: ServeOptions) -> None:
    """Show the report of a file as a page that answers: map columns, filter, choose methods, see what changes.

    The page reads the files named, the built-in example, and what is uploaded to it, nothing else; uploads are deleted when
    it ends. The address that is printed holds the token without which nothing is served. The connection is not encrypted: from elsewhere, come through ssh or a proxy that is.

    beatpath serve

    An arena (a file made by `beatpath arena create`, or postgresql://...) is shown alive: verdict and board renewed as battles
    arrive, and an interface by which runners ask and tell.

    beatpath serve battles.csv --open

    beatpath serve arena.db
    """
    paths = options.files or []
    arenas = [path for path in paths if is_arena(path)]
    if arenas and len(paths) > 1:
        raise UsageError(f"an arena must be served alone; {listed(paths)} came. Serve the others at another `--port`.")
    make: Callable[..., Any]
    with needing_extras("`beatpath serve`"):
        from beatpath.web.serve import run

        if arenas:
            from beatpath.web.live import create_arena_app

            make = partial(create_arena_app, arenas[0])
        else:
            from beatpath.web.api import create_app
            from beatpath.web.files import Limits

            limits = Limits(upload=int(options.max_upload * (1 << 20)), seconds=60 * options.time_limit)
            make = partial(create_app, paths, limits=limits)
    run(make, host=options.host, port=options.port, token=options.token, ready=opening(options.open_))


def is_arena(path: str) -> bool:
    """Whether a path is the address of a server or a SQLite file, which only an arena can be."""
    if "://" in path:
        return True
    if not Path(path).is_file():
        return False
    from beatpath.data.sources.source import SQLITE

    with Path(path).open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


@contextmanager
def needing_extras(purpose: str) -> Iterator[None]:
    """Raise an error that names the extra to install if a library is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("beatpath"):
            raise
        raise MissingExtra(str(error.name), "app", purpose) from None


def opening(in_browser: bool) -> Callable[[str], None]:
    """Return a callback for a running server: it prints the address, and opens it if requested."""

    def ready(address: str) -> None:
        print(address, flush=True)
        say("Open this address; Ctrl-C ends the page.")
        if in_browser:
            import webbrowser

            webbrowser.open(address)

    return ready
