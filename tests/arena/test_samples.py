"""The samples for a team: what they start is there, and takes the options given."""

import re
import shlex

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `live` is not installed")
pytest.importorskip("fastapi", reason="the extra `app` is not installed")
yaml = pytest.importorskip("yaml")

from typer.testing import CliRunner

from beatpath.cli.main import app
from helpers.paths import ROOT

FOLDER = ROOT / "examples/arena"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


def accepted(words):
    """Whether the command line takes these words, as far as it goes without the arena that they name."""
    answer = CliRunner().invoke(app, words)
    assert "No such option" not in answer.output
    return answer


def test_every_folder_service_and_port_of_the_composition_is_declared():
    services = COMPOSE["services"]
    assert set(services) == {"database", "arena"}
    for service in services.values():
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or source == "./secrets"
        assert service["healthcheck"]["test"]
        assert service["restart"] == "unless-stopped"
    assert services["arena"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    (port,) = services["arena"]["ports"]
    assert port.startswith("127.0.0.1:")  # nobody elsewhere, but by a proxy
    assert f":{services['arena']['command'][4 + 1]}" in port


def test_the_composition_serves_the_database_that_it_starts(tmp_path):
    database, arena = (COMPOSE["services"][name] for name in ("database", "arena"))
    address = arena["command"][1]
    user, name = (database["environment"][key] for key in ("POSTGRES_USER", "POSTGRES_DB"))
    assert address == f"postgresql://{user}@database/{name}"
    shell = [text.replace("$$", "$") for text in arena["entrypoint"]]
    assert shell[:2] == ["sh", "-c"]
    assert "PGPASSWORD=$(cat /run/beatpath/password)" in shell[2]
    assert database["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/beatpath/password"
    tokens = tmp_path / "tokens"
    tokens.write_text("abcdefghijklmnopqrst manage\n", encoding="utf-8")
    words = [word if word != "/run/beatpath/tokens" else str(tokens) for word in arena["command"]]
    answer = accepted([*words[:1], str(tmp_path / "none.db"), *words[2:]])
    assert "there is none" in str(answer.exception)  # there is no such arena, which is all that is wrong


def test_the_commands_in_the_comments_are_those_of_the_command_line(tmp_path):
    comment = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    made = re.search(r"docker compose run --rm arena (arena create .*)", comment)[1]
    words = [word.replace("postgresql://beatpath@database/arena", str(tmp_path / "a.db")) for word in shlex.split(made)]
    assert accepted(words).exit_code == 0
    unit = (FOLDER / "beatpath-arena.service").read_text(encoding="utf-8")
    start = shlex.split(re.search(r"ExecStart=(.*)", unit)[1])[1:]
    tokens = tmp_path / "tokens"
    tokens.write_text("abcdefghijklmnopqrst manage\n", encoding="utf-8")
    words = [
        start[0],
        str(tmp_path / "none.db"),
        *(str(tokens) if word.endswith("tokens") else word for word in start[2:]),
    ]
    assert "there is none" in str(accepted(words).exception)
