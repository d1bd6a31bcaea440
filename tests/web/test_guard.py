"""The guard: who may ask, from where, and what a browser may do with the answers."""

import asyncio

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from starlette.responses import PlainTextResponse

import beatpath as bp
from beatpath.web.guard import LOOPBACK, Guard, roles_of

TOKEN = "a-token-of-twenty-signs"


def respond(path="/", method="GET", *, hosts=LOOPBACK, token=None, **headers):
    """Status, headers and body of one request through a guard."""
    path, _, query = path.partition("?")
    named = {"host": "localhost:8000", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in named.items()],
    }
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    asyncio.run(Guard(PlainTextResponse("inside"), hosts=hosts, token=token)(scope, receive, send))
    fields = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], fields, b"".join(message.get("body", b"") for message in sent[1:]).decode()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8765", "[::1]:1", "LOCALHOST:9"])
def test_a_loopback_name_passes(host):
    assert respond(host=host)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "[", "", "localhost@evil.example"]
)
def test_a_name_that_somebody_points_at_this_machine_does_not(host):
    status, _, body = respond(host=host)
    assert status == 400
    assert "inside" not in body
    assert "must name this machine" in body


def test_any_name_passes_where_any_is_allowed():
    assert respond(host="arena.example", hosts=None)[0] == 200


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT"])
def test_another_site_cannot_change_anything(method):
    assert respond(method=method, origin="http://evil.example")[0] == 403
    assert respond(method=method, origin="null")[0] == 403
    assert respond(method=method, origin="http://localhost:9999")[0] == 403
    assert respond(method=method, sec_fetch_site="cross-site")[0] == 403
    assert respond(method=method, sec_fetch_site="same-site")[0] == 403


def test_the_own_page_and_programs_can():
    assert respond(method="POST", origin="http://localhost:8000")[0] == 200
    assert respond(method="POST", sec_fetch_site="same-origin")[0] == 200
    assert respond(method="POST")[0] == 200


def test_without_the_token_nothing_is_served():
    for path in ("/", "/api/files", "/static/live.js", "/openapi.json", "/favicon.ico"):
        assert respond(path, token=TOKEN)[0] == 401
    for wrong in ("Bearer wrong", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xe9"):
        assert respond(token=TOKEN, authorization=wrong)[0] == 401


def test_the_token_comes_in_a_header_or_a_cookie():
    assert respond(token=TOKEN, authorization=f"Bearer {TOKEN}")[0] == 200
    assert respond(token=TOKEN, cookie=f"x=1; beatpath_8000={TOKEN}")[0] == 200
    assert respond(token=TOKEN, cookie=f"beatpath_9000={TOKEN}")[0] == 401
    assert respond(token=TOKEN, cookie='beatpath_8000="')[0] == 401


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address():
    status, headers, _ = respond(f"/?file=example&token={TOKEN}&level=0.9", token=TOKEN)
    assert (status, headers["location"]) == (303, "/?file=example&level=0.9")
    assert headers["set-cookie"].startswith(f"beatpath_8000={TOKEN};")
    assert {"HttpOnly", "SameSite=lax"} <= {part.strip() for part in headers["set-cookie"].split(";")}
    assert respond(f"/docs?token={TOKEN}", token=TOKEN)[1]["location"] == "/docs"
    status, headers, _ = respond("/?token=wrong", token=TOKEN)
    assert status == 401
    assert "set-cookie" not in headers


def test_a_token_in_the_address_opens_the_page_and_nothing_else():
    assert respond(f"/api/jobs?token={TOKEN}", "POST", token=TOKEN)[0] == 401
    assert respond(f"//evil.example?token={TOKEN}", token=TOKEN)[0] == 401


def test_only_an_upload_may_be_long():
    for long in ({"content_length": "1048577"}, {"transfer_encoding": "chunked"}, {"content_length": "-1"}):
        assert respond("/api/jobs", "POST", **long)[0] == 413
        assert respond("/api/uploads", "POST", **long)[0] == 200
    assert respond("/api/jobs", "POST", content_length="1048576")[0] == 200


@pytest.mark.parametrize("how", [{}, {"host": "evil.example"}])
def test_every_answer_says_what_a_browser_may_do_with_it(how):
    headers = respond(**how)[1]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["referrer-policy"] == "no-referrer"


def test_refusals_of_the_interface_are_data():
    assert respond("/api/files", host="evil.example")[2].startswith('{"error":')


ROLES = {
    "read": "a-token-that-reads-1",
    "vote": "a-token-that-votes-1",
    "play": "a-token-that-plays-1",
    "manage": TOKEN,
}


@pytest.fixture
def tokens(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# who may what\n\n" + "".join(f"{token} {role}\n" for role, token in ROLES.items()))
    return path


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/arena/board", "read vote play manage"),
        ("POST", "/api/vote/cast", "vote play manage"),
        ("POST", "/api/arena/ask", "play manage"),
        ("POST", "/api/arena/tell", "play manage"),
        ("POST", "/api/arena/retire", "manage"),
        ("POST", "/api/jobs", "manage"),
    ],
)
def test_a_token_may_do_what_its_role_allows(tokens, method, path, allowed):
    for role, token in ROLES.items():
        status, _, body = respond(path, method, token=tokens, authorization=f"Bearer {token}")
        assert status == (200 if role in allowed.split() else 403)
        assert status == 200 or f"yours may {role}" in body
    assert respond(path, method, token=tokens)[0] == 401


def test_the_health_of_the_service_needs_no_token(tokens):
    assert respond("/api/arena/health", token=tokens)[0] == 200
    assert respond("/api/arena/health", "POST", token=tokens, origin="http://evil.example")[0] == 403


def test_a_token_whose_line_is_deleted_is_revoked_at_once(tokens):
    guard = Guard(PlainTextResponse("inside"), hosts=LOOPBACK, token=tokens)
    assert set(guard.roles().values()) == set(ROLES)
    tokens.write_text(f"{TOKEN}\n")
    assert guard.roles() == {TOKEN: "manage"}
    tokens.write_text("broken\n")
    assert guard.roles() == {}
    tokens.unlink()
    assert guard.roles() == {}


@pytest.mark.parametrize("line", ["short read", f"{TOKEN} own", f"{TOKEN} read play", ""])
def test_a_file_of_tokens_that_is_not_one_gets_a_sentence(tmp_path, line):
    (tmp_path / "tokens").write_text(line)
    with pytest.raises(
        bp.UsageError, match=r"must be a token of 16 or more characters and one of read, vote, play, manage|holds none"
    ):
        roles_of(tmp_path / "tokens")


def test_the_token_in_the_address_becomes_the_cookie(tokens):
    status, headers, _ = respond(f"/?token={ROLES['read']}", token=tokens)
    assert status == 303
    assert ROLES["read"] in headers["set-cookie"]
