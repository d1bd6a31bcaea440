"""Serving: a socket, an address to print, and the application behind it."""

import ipaddress
import os
import secrets
import socket
from collections.abc import Callable, Iterable

import uvicorn

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.web.app import create_app
from beatpath.web.guard import LOOPBACK
from beatpath.web.limits import Limits

SHORTEST = 16  # signs of a token


def serve(
    paths: Iterable[str | os.PathLike[str]] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    limits: Limits | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted.

    Parameters
    ----------
    paths : iterable of path
        What may be read, beside the built-in example and uploads.
    host : str
        An address of this machine. One that others can reach gets a token, made up if none is given.
    port : int
        0 for any that is free.
    token : str, optional
        What every request must show.
    limits : Limits, optional
    ready : function of str
        Told the address to open, with its token.
    """
    if token is not None and len(token) < SHORTEST:
        raise UsageError(f"`--token` must have at least {SHORTEST} signs, or anyone could guess it; got {len(token)}.")
    own = is_loopback(host)
    token = token if own or token is not None else secrets.token_urlsafe(24)
    app = create_app(paths, limits=limits, token=token, hosts=LOOPBACK | {host} if own else None)
    with listening(host, port) as line:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        ready(address(host, line.getsockname()[1], token))
        uvicorn.Server(config).run(sockets=[line])


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address(host: str, port: int, token: str | None) -> str:
    """Return what to open.

    >>> address("127.0.0.1", 8000, None), address("::1", 80, "secret")
    ('http://127.0.0.1:8000/', 'http://[::1]:80/?token=secret')
    """
    named = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    place = f"[{named}]" if ":" in named else named
    return f"http://{place}:{port}/" + (f"?token={token}" if token is not None else "")


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, or raise with the reason why none can."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"`--host` and `--port` must be free on this machine; {quoted(f'{host}:{port}')} is not: {why}. `--port 0` takes any "
            "that is free."
        ) from None
