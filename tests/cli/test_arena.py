"""The arena from a shell, as any runner would drive it."""

import json

from helpers.command_line import beatpath


def test_a_shell_asks_tells_and_stops(tmp_path):
    file = tmp_path / "arena.db"
    made = beatpath("arena", "create", file, "-a", "ada", "-a", "bob", "--goal", "first")
    assert made.returncode == 0, made.stderr
    asked = beatpath("arena", "ask", file, "--count", 300)
    battles = [json.loads(line) for line in asked.stdout.splitlines()]
    assert {frozenset((one["a"], one["b"])) for one in battles} == {frozenset(("ada", "bob"))}
    before = beatpath("arena", "status", file)
    assert before.returncode == 3
    told = "\n".join(json.dumps({"battle": one["battle"], "outcome": "a"}) for one in battles)
    assert beatpath("arena", "tell", file, stdin=told).returncode == 0
    after = beatpath("arena", "status", file)
    assert after.returncode == 0
    assert json.loads(after.stdout)["reason"] == "Settled at 95 %, whenever one looks: first is 'ada'."
    assert beatpath("arena", "export", file, tmp_path / "battles.csv").returncode == 0
    assert (tmp_path / "battles.csv").read_text().count("\n") == 301


def test_what_cannot_be_told_is_named_with_its_line_and_nothing_is_told(tmp_path):
    file = tmp_path / "arena.db"
    beatpath("arena", "create", file, "-a", "ada", "-a", "bob")
    battle = json.loads(beatpath("arena", "ask", file).stdout)["battle"]
    wrong = beatpath("arena", "tell", file, stdin=f'{{"battle": "{battle}", "outcome": "a"}}\n{{"battle": "x"}}\n')
    assert wrong.returncode == 1
    assert "standard input, line 2 must have `outcome`" in wrong.stderr
    assert json.loads(beatpath("arena", "status", file).stdout)["battles"] == 0
    assert beatpath("arena", "create", file, "-a", "ada", "-a", "bob").returncode == 2
