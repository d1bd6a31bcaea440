"""Serve an application: open a socket, print the address, and run until interrupted."""

import asyncio
import ipaddress
import secrets
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.web.guard import LOOPBACK, SHORTEST, roles_of

PATIENCE = 20.0  # seconds within which the head of a request must arrive, and a body must continue


def run(
    make: Callable[..., FastAPI],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | Path | None = None,
    role: str | None = None,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve an application until interrupted.

    Parameters
    ----------
    make : function of token and hosts
        Returns the application.
    host : str
        An address of this machine.
    port : int
        0 for any free port.
    token : str or path, optional
        The token that every request must show, since other users of this machine can reach the page, or a file of
        tokens with their roles; random by default.
    role : str, optional
        The role of those who open the address, for a file of tokens.
    ready : callable
        Called with the address to open, including the token.
    """
    if isinstance(token, str) and len(token) < SHORTEST:
        raise UsageError(
            f"a token must have at least {SHORTEST} characters, or anyone could guess it; got {len(token)}."
        )
    own = is_loopback(host)
    token = secrets.token_urlsafe(24) if token is None else token
    shown = token_to_open(token, role)
    app = make(token=token, hosts=LOOPBACK | {host} if own else None)
    with listening(host, port) as line:
        config = uvicorn.Config(
            app,
            http=TimeoutProtocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        ready(address(host, line.getsockname()[1], shown))
        uvicorn.Server(config).run(sockets=[line])


def token_to_open(token: str | Path, role: str | None) -> str:
    """Return the token in the address to open: from a file, the first of this role, or the first of all."""
    if isinstance(token, str):
        return token
    roles = roles_of(token)
    return next((one for one, own in roles.items() if own == role), next(iter(roles)))


class TimeoutProtocol(H11Protocol):
    """A connection that is closed if a request starts to arrive and stalls."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the head of a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Process received data, and wait for the rest if the request is incomplete."""
        super().data_received(data)
        if self._answering() or self._in_body():  # a body may take as long as it makes progress, a head may not
            self._forget()
        if not self._answering():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._forget()
        super().connection_lost(exc)

    def _in_body(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete and self.cycle.more_body

    def _answering(self) -> bool:
        """Whether a complete request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(PATIENCE, self._give_up)

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self._answering():
            self.transport.close()


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
    """Return the address to open.

    >>> address("127.0.0.1", 8000, None), address("::1", 80, "secret")
    ('http://127.0.0.1:8000/', 'http://[::1]:80/?token=secret')
    """
    named = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    place = f"[{named}]" if ":" in named else named
    return f"http://{place}:{port}/" + (f"?token={token}" if token is not None else "")


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, or raise an error with the reason."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"`--host` and `--port` must be free on this machine; {quoted(f'{host}:{port}')} is not: {why}. `--port 0` takes any "
            "that is free."
        ) from None
