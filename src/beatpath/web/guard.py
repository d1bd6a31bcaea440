"""Access control: which requests are served, and the security headers of the responses.

* On a loopback address only requests that name one are served, so a page elsewhere cannot reach the service through a
  domain name that it points at this machine.
* Requests that change something must come from the service's own page, or from no page at all.
* If tokens are set, every request shows one: in a header, in a cookie, or once in the address, which sets the cookie.
  A token has a role, which limits what it may change. Whether the service is alive needs none.
* Only uploads, which are counted as they arrive, may be long.
"""

import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.web.errors import Refused

SHORTEST = 16  # shortest token, in characters
ROLES = ("read", "vote", "play", "manage")  # what a token allows, each also what those before it do
# The role that a change needs, by path; for others it is the last.
CHANGES = {"/api/vote": "vote", **dict.fromkeys(("/api/arena/ask", "/api/arena/tell", "/api/arena/fail"), "play")}
BOARD = "/api/arena/"  # not for voters with a link of their own, or they could see who leads
HEALTH = f"{BOARD}health"  # served without a token
BODY = 1 << 20  # maximum size of a request that is not an upload, in bytes
# Paths of uploads, and of the pages that take the token in their address; names of this machine; security headers of every response.
UPLOADS = "/api/uploads"
PAGES = ("/", "/docs")
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def roles_of(path: Path) -> dict[str, str]:
    """Read a file of tokens: a line for each, with its role, or without one for a token that may do everything."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"`--token-file` must be a text file to read; {quoted(str(path))} is not: {error}.") from None
    roles = {}
    for number, line in enumerate(lines, 1):
        token, *role = line.split()[:3] or [""]
        if not token or token.startswith("#"):
            continue
        name = role[0] if role else ROLES[-1]
        if len(token) < SHORTEST or len(role) > 1 or name not in ROLES:
            raise UsageError(
                f"a line of {quoted(str(path))} must be a token of {SHORTEST} or more characters and one of {', '.join(ROLES)}; line {number} "
                "is not."
            )
        roles[token] = name
    if not roles:
        raise UsageError(f"`--token-file` must hold a token; {quoted(str(path))} holds none.")
    return roles


class Guard:
    """ASGI middleware that refuses requests without permission, and adds security headers to every response.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    hosts : frozenset of str or None
        Names by which it may be addressed; None for any.
    token : str, path or None
        One token that may do everything; a file with a line ``TOKEN ROLE`` for each, read at every request, so that a
        token whose line is deleted is revoked; or None where no token is needed.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str] | None, token: str | Path | None) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        if isinstance(token, Path):
            roles_of(token)

    def roles(self) -> dict[str, str] | None:
        """Return the role of every token, None where no token is needed; none are valid while their file cannot be read."""
        if not isinstance(self._token, Path):
            return None if self._token is None else {self._token: ROLES[-1]}
        try:
            return roles_of(self._token)
        except UsageError:
            return {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = self._refusal(scope) or self._introduction(scope) or self._app
            await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The response to a request without permission, or None."""
        headers = Headers(scope=scope)
        try:
            self._require_host(headers)
            _require_own_page(scope["method"], headers)
            _require_short(scope["path"], headers)
            self._require_token(scope, headers)
        except Refused as error:
            if scope["path"].startswith("/api/"):
                return JSONResponse({"error": str(error)}, error.status)
            return PlainTextResponse(str(error), error.status)
        return None

    def _require_host(self, headers: Headers) -> None:
        named = headers.get("host", "")
        if self._hosts is not None and host_of(named) not in self._hosts:
            known = ", ".join(sorted(self._hosts))
            raise Refused(400, f"the address must name this machine as {known}; got {quoted(named)}.")

    def _require_token(self, scope: Scope, headers: Headers) -> None:
        roles = self.roles()
        if roles is None or scope["path"] == HEALTH:
            return
        shown = _tokens(scope, headers)
        held = [ROLES.index(role) for token, role in roles.items() if any(_same(one, token) for one in shown)]
        for one in shown:
            name = unquote(one.rpartition(".")[0])
            blind = not scope["path"].startswith(BOARD)
            if name and roles and blind and _same(one, signed(name, next(iter(roles)))):
                scope["voter"] = name
                held.append(ROLES.index("vote"))
        if not held:
            raise Refused(
                401,
                "this page needs its token; none came, or another. Open the whole address that was printed, or send the "
                "header `Authorization: Bearer TOKEN`.",
            )
        need = needed_role(scope["method"], scope["path"])
        if max(held) < ROLES.index(need):
            raise Refused(403, f"this needs a token that may {need}; yours may {ROLES[max(held)]}.")

    def _introduction(self, scope: Scope) -> Response | None:
        """If the token is in the address: a redirect to the address without it, and a cookie."""
        query = _query(scope)
        if self.roles() is None or scope["path"] not in PAGES or "token" not in dict(query):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        cookie = cookie_name(Headers(scope=scope).get("host", ""))
        # lax: otherwise a link in an email would not work
        answer.set_cookie(cookie, dict(query)["token"], httponly=True, samesite="lax", path="/")
        return answer


def signed(name: str, token: str) -> str:
    """Return a token of one voter: the name, and its signature by the first token of the server.

    >>> signed("eve", "0123456789abcdef")
    'eve.0e07880e3609e4f7371b3c0aacb0b343'
    """
    return f"{quote(name, safe='')}.{hmac.new(token.encode(), name.encode(), 'sha256').hexdigest()[:32]}"


def needed_role(method: str, path: str) -> str:
    """Return the role that a request needs.

    >>> needed_role("GET", "/api/arena/board"), needed_role("POST", "/api/arena/tell"), needed_role("POST", "/api/arena/retire")
    ('read', 'play', 'manage')
    """
    if method in ("GET", "HEAD"):
        return ROLES[0]
    return next((role for start, role in CHANGES.items() if path.startswith(start)), ROLES[-1])


def host_of(named: str) -> str:
    """Return the host name in a Host header.

    >>> host_of("localhost:8000"), host_of("[::1]:80"), host_of("evil.example")
    ('localhost', '::1', 'evil.example')
    """
    with suppress(ValueError):
        return urlsplit(f"//{named}").hostname or ""
    return ""


def cookie_name(named: str) -> str:
    """Return the cookie name for this Host header; it includes the port, since cookies do not distinguish ports.

    >>> cookie_name("localhost:8000")
    'beatpath_8000'
    """
    port = named.rpartition(":")[2]
    return f"beatpath_{port if port.isdigit() else 80}"


def _require_own_page(method: str, headers: Headers) -> None:
    """Raise an error for a request from another site that could change something."""
    if method in ("GET", "HEAD"):
        return
    origin, named = headers.get("origin"), headers.get("host", "")
    of_site = headers.get("sec-fetch-site", "none") in ("same-origin", "none")
    if not (of_site if origin is None else origin.partition("://")[2] == named):
        raise Refused(403, f"only this service's own page may ask for this; the request came from {quoted(origin)}.")


def _require_short(path: str, headers: Headers) -> None:
    """Raise an error for a long request, or one without a length, unless it is an upload."""
    length = headers.get("content-length", "0")
    if path != UPLOADS and ("transfer-encoding" in headers or not length.isdigit() or int(length) > BODY):
        raise Refused(
            413,
            f"a request that is no upload may have {BODY:,} bytes and must say how many; this has more or does not.",
        )


def _tokens(scope: Scope, headers: Headers) -> list[str]:
    """All tokens that a request shows."""
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    tokens = [bearer.strip()] if kind.lower() == "bearer" else []
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except ValueError:
        cookies.clear()
    name = cookie_name(headers.get("host", ""))
    tokens += [cookies[name].value] if name in cookies else []
    if scope["path"] in PAGES:
        tokens += [value for key, value in _query(scope) if key == "token"]
    return tokens


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _same(one: str, other: str) -> bool:
    """Whether two strings are equal, compared in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8"))


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
