"""`beatpath rank`: methods side by side."""

import csv
import io

from helpers.command_line import beatpath
from helpers.schemas import validated


def test_rank_puts_methods_side_by_side_with_the_condorcet_winner_first(games):
    done = beatpath("rank", games)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("All 15 methods rank 'cyd' first.\nBy majorities, 'cyd' beats every other agent")
    assert "Kendall distance" not in done.stdout
    assert "Kendall distance" in beatpath("rank", "--example", "-v").stdout
    assert "read 4 rows" in done.stderr
    data = validated(beatpath("rank", games, "-m", "schulze", "-m", "iml", "--format", "json").stdout)
    assert [r["method"] for r in data["results"]] == ["schulze", "iml"]
    assert set(data["condorcet"]) == {"strong", "weak"}
    rows = list(csv.DictReader(io.StringIO(beatpath("rank", games, "-m", "copeland", "--format", "csv").stdout)))
    assert {row["agent"] for row in rows} == {"ada", "bob", "cyd"}
    assert "| rank | agent | score |" in beatpath("rank", games, "-m", "copeland", "--format", "md").stdout


def test_rank_takes_settings_and_task_weights(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("model,code,math,safety\nbold,1,1,0\nsafe,0,0,1\n")
    plain = validated(beatpath("rank", path, "-m", "approval", "--set", "approval.k=1", "--format", "json").stdout)
    assert plain["results"][0]["settings"] == {"k": 1}
    assert plain["results"][0]["levels"][0] == ["bold"]
    weighted = validated(beatpath("rank", path, "-m", "borda", "--weights", "safety=5", "--format", "json").stdout)
    assert weighted["results"][0]["levels"][0] == ["safe"]
    done = beatpath("rank", path, "-m", "bordo")
    assert done.returncode == 2
    assert "Did you mean 'borda'" in done.stderr


def test_rank_refuses_rules_that_need_rankings_on_battles(games):
    done = beatpath("rank", games, "-m", "borda")
    assert done.returncode == 2
    assert "These do: copeland" in done.stderr


def test_rank_takes_counts_or_estimates_and_says_how_stable_they_are(games):
    for matrix in ("raw", "estimated"):
        data = validated(beatpath("rank", games, "-m", "copeland", "--matrix", matrix, "--format", "json").stdout)
        assert ("matrix", matrix) in {(made["name"], made["value"]) for made in data["results"][0]["conventions"]}
    data = validated(beatpath("rank", games, "-m", "copeland", "--stability", "--format", "json").stdout)
    assert [rule["method"] for rule in data["stability"]["rules"]] == ["copeland"]
    assert "draws." in beatpath("rank", games, "-m", "copeland", "--stability").stdout
    assert "needs a pairwise method" in beatpath("rank", games, "-m", "bradley_terry", "--stability").stderr


def test_rank_takes_a_limit_of_time_for_methods_that_search(games):
    arguments = ("rank", games, "-m", "kemeny", "--format", "json")
    assert validated(beatpath(*arguments).stdout)["results"][0]["settings"] == {}
    limited = validated(beatpath(*arguments, "--time-limit", "3").stdout)["results"][0]
    assert limited["settings"] == {"time_limit": 3.0}
    assert limited["status"] == "exact"
    assert validated(beatpath(*arguments, "--exact").stdout)["results"][0]["settings"] == {"time_limit": None}
    both = beatpath(*arguments, "--exact", "--time-limit", "3")
    assert both.returncode == 2
    assert "use one of the two" in both.stderr


def test_rank_takes_no_more_memory_than_allowed(games):
    assert beatpath("rank", games, "-m", "schulze", "--memory", "1MB").returncode == 0
    many = games.with_name("many.csv")
    head, *rows = games.read_text().splitlines(keepends=True)
    many.write_text(head + "".join(rows) * 100_000)
    done = beatpath("rank", many, "-m", "schulze", "--memory", "1MB")
    assert done.returncode == 1
    assert "memory that reading may fill" in done.stderr
    assert "Traceback" not in done.stderr
    assert beatpath("rank", games, "--memory", "much").returncode == 2


def test_tiers_come_with_the_ranking_in_every_format(games):
    data = validated(beatpath("rank", games, "-m", "copeland", "--tiers", "letters", "--format", "json").stdout)
    assert data["tiers"]["scheme"] == "letters"
    assert "tier 1: " in beatpath("rank", games, "-m", "copeland", "--tiers", "top").stdout
    assert "- tier 1: " in beatpath("rank", games, "-m", "copeland", "--tiers", "top", "--format", "md").stdout
    heads = beatpath("rank", games, "-m", "copeland", "--tiers", "cuts", "--format", "csv").stdout.splitlines()[0]
    assert heads.endswith(",group")
    assert beatpath("rank", games, "--tiers", "best").returncode == 2


def test_rank_explains_strengths_by_a_table_of_agents(tmp_path):
    games, agents = tmp_path / "games.csv", tmp_path / "agents.csv"
    lines = ["c,b,model_a"] * 3 + ["b,a,model_a"] * 3 + ["b,c,model_a", "a,b,model_a"]
    games.write_text("model_a,model_b,winner\n" + "\n".join(lines) + "\n")
    agents.write_text("model,size,license\na,1,open\nb,2,closed\nc,3,open\nnew,4,open\n")
    done = beatpath("rank", games, "--agent-table", agents, "--columns", "size")
    assert done.returncode == 0, done.stderr
    assert "'size' adds 1.1 to the log odds per unit" in done.stdout
    assert "'new', in no battle, has a predicted strength of +2.2" in done.stdout
    data = validated(beatpath("rank", games, "--agent-table", agents, "--columns", "size", "--format", "json").stdout)
    assert data["results"][0]["details"]["effects"]["size"]["estimate"] > 1
    for wrong in (("--columns", "size"), ("--agent-table", agents, "-m", "schulze")):
        done = beatpath("rank", games, *wrong)
        assert done.returncode == 2
        assert "--agent-table" in done.stderr
