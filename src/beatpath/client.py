"""A client of an arena that `beatpath serve` serves; it needs the standard library alone."""

import json
import secrets
import time
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, overload
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlencode, urlsplit

from beatpath._battle import Battle
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted

Outcome: TypeAlias = str | float | Mapping[str, str | float | None]  # as `Arena.tell` takes it
USAGE = (400, 401, 403)  # statuses of requests that are wrong whatever the arena holds
AGAIN = 503  # the status of a storage that is away for the moment
PAUSE = 0.1  # seconds before the second try; each later try waits twice as long as the one before, and this again


class ArenaClient:
    """An arena over HTTP, with the methods of `Arena`.

    What fails because the connection broke or the storage is away is tried again: asks, outcomes and added battles count
    once.

    Parameters
    ----------
    address : str
        The address that ``beatpath serve`` prints; it may include the token.
    token : str, optional
        The token, if it is not in the address.
    tries : int
        How often a request is tried.
    timeout : float
        Seconds after which a request has failed.

    Examples
    --------
    >>> client = ArenaClient("http://127.0.0.1:8000/?token=2mQ8hV4i0Yk5sWn3bTzL")
    >>> for battle in client.ask(10):  # doctest: +SKIP
    ...     client.tell(battle, judge(battle), judge="stub")
    """

    def __init__(self, address: str, *, token: str | None = None, tries: int = 5, timeout: float = 60.0) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(f"`address` must be that of a server, http://...; got {quoted(address)}.")
        self._base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/api/arena/"
        self._token = token or parse_qs(parts.query).get("token", [""])[0]
        self._tries, self._timeout = tries, timeout

    @overload
    def ask(self, count: None = None, *, key: str | None = None) -> Battle: ...
    @overload
    def ask(self, count: int, *, key: str | None = None) -> list[Battle]: ...
    def ask(self, count: int | None = None, *, key: str | None = None) -> Battle | list[Battle]:
        """Return the next battle to play, or a list of `count`."""
        rows = self._send("ask", {"count": 1 if count is None else count}, key or secrets.token_hex(16))["battles"]
        battles = [Battle(row["battle"], row["a"], row["b"], row["first"], row["prompt"]) for row in rows]
        return battles[0] if count is None else battles

    def tell(self, battle: Battle | str, outcome: Outcome, **how: Any) -> None:
        """Report the outcome of a battle; `judge`, `criteria`, `comment` and `style` as for `Arena.tell`."""
        self._send("tell", {"battle": _key(battle), "outcome": outcome, **how})

    def tell_many(self, outcomes: Iterable[tuple[Battle | str, Outcome]], *, judge: str | None = None) -> None:
        """Report many outcomes, all or none."""
        rows = [{"battle": _key(battle), "outcome": outcome} for battle, outcome in outcomes]
        self._send("tell", {"outcomes": rows, "judge": judge})

    def add(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add battles from elsewhere, with `a`, `b`, `outcome`, maybe `key` and `judge`; return how many are new."""
        battles = [{"key": secrets.token_hex(16), **row} for row in rows]
        return int(self._send("add", {"battles": battles})["added"])

    def join(self, agent: str) -> None:
        """Add an agent from now on."""
        self._send("join", {"agent": agent})

    def retire(self, agent: str) -> None:
        """Remove an agent from now on."""
        self._send("retire", {"agent": agent})

    def change(self, **settings: Any) -> tuple[str, ...]:
        """Change `goal`, `level`, `policy`, `prompts` or `patience`; return what that costs."""
        return tuple(self._send("change", settings)["costs"])

    def status(self) -> dict[str, Any]:
        """Return the state of the arena."""
        return dict(self._send("status"))

    def board(
        self,
        *,
        judges: Sequence[str] = (),
        prompts: Sequence[str] = (),
        category: str | None = None,
        without: Sequence[str] = (),
        style: Mapping[str, float] | None = None,
    ) -> dict[str, Any]:
        """Return the board, or one of some battles, as `Arena.board` does."""
        alike = [f"{name}:{most}" for name, most in (style or {}).items()]
        choice = {"judge": judges, "prompt": prompts, "category": category or (), "without": without, "style": alike}
        return dict(self._send(f"board?{urlencode(choice, doseq=True)}"))

    def voters(self, **how: int) -> dict[str, Any]:
        """Return who votes, who looks careless, and the price of first place; `per_person` as for `Arena.voters`."""
        return dict(self._send(f"voters?{urlencode(how)}"))

    def comments(self) -> list[dict[str, Any]]:
        """Return the comments on battles."""
        return list(self._send("comments")["comments"])

    def export(self, **how: str) -> str:
        """Return all answered battles as a table; `format` is jsonl or csv, `criterion` as for `Arena.evidence`."""
        return self._text(f"export?{urlencode(how)}", None, {})

    def _send(self, path: str, body: Mapping[str, Any] | None = None, key: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        return json.loads(self._text(path, None if body is None else json.dumps(body).encode(), headers) or "null")

    def _text(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> str:
        """The response to a request, tried again while the server or its storage is away."""
        if self._token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        request, failure = urllib.request.Request(self._base + path, body, dict(headers)), None
        for turn in range(self._tries):
            time.sleep(PAUSE * (2**turn - 1))
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as response:
                    return str(response.read().decode())
            except HTTPError as error:
                failure = _refusal(error)
                if error.code != AGAIN:
                    break
            except (URLError, ConnectionError, TimeoutError) as error:
                failure = DataError(f"an arena must answer at {quoted(self._base)}; it does not: {error}.")
        raise failure or UsageError(f"`tries` must be 1 or more; got {self._tries}.")


def _key(battle: Battle | str) -> str:
    return battle.key if isinstance(battle, Battle) else battle


def _refusal(error: HTTPError) -> UsageError | DataError:
    """The sentence of a refusal, as the arena would raise it here."""
    try:
        sentence = str(json.loads(error.read())["error"])
    except (ValueError, KeyError, TypeError):
        sentence = f"the server must be an arena's; it answers {error.code} {error.reason}."
    return UsageError(sentence) if error.code in USAGE else DataError(sentence)
