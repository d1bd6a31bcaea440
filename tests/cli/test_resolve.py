"""``beatpath resolve`` as a user meets it."""

import csv
import io
import json
import subprocess
import sys
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from beatpath._errors import BeatpathError
from beatpath.cli.main import app
from helpers.schemas import validated


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def run(*words):
    result = CliRunner().invoke(app, list(words))
    error = result.exception
    if isinstance(error, BeatpathError):
        return Done(error.exit_status, result.stdout, str(error))
    return Done(result.exit_code, result.stdout, result.stderr)


def test_the_verdict_comes_first_and_the_board_after():
    done = run("resolve", "--example")
    assert done.code == 0
    assert done.out.startswith("No single agent is best: ")
    assert done.out.index("3 of 30 may be first · 221 of 435 pairs certain · 1 of 13 cycles survives") < done.out.index(
        "rank 1"
    )
    assert "! For other tasks like these 4, 11 of 30 agents may be first" in done.out
    assert "unique rank" not in done.out
    assert "0 of 30 agents have a unique rank" in run("resolve", "--example", "-v").out


def test_json_carries_the_promised_keys():
    done = run("resolve", "--example", "--format", "json")
    data = validated(done.out)
    keys = {"schema_version", "ranks", "resolved_pairs", "unique_ranks", "cycles", "bradley_terry", "settings"}
    assert keys <= set(data)


@pytest.mark.parametrize(("claim", "code"), [("aurora > dune", 0), ("aurora is first", 3), ("nobody is first", 2)])
def test_a_claim_decides_the_exit_status(claim, code):
    assert run("resolve", "--example", "--claim", claim).code == code


def test_one_claim_of_several_that_fails_is_enough():
    done = run("resolve", "--example", "--claim", "aurora > dune", "--claim", "dune > aurora", "--format", "json")
    assert done.code == 3
    assert [one["supported"] for one in validated(done.out)["claims"]] == [True, False]


def test_csv_has_one_row_an_agent():
    rows = list(csv.DictReader(io.StringIO(run("resolve", "--example", "--format", "csv").out)))
    assert len(rows) == 30
    assert list(rows[0]) == [
        *("agent", "tier", "best_tier", "letters", "group", "part"),
        *("score", "low", "high", "best", "worst", "may_be_first", "battles", "placed"),
    ]


def test_markdown_has_a_headline_a_table_and_collapsed_details():
    out = run("resolve", "--example", "--format", "md").out
    assert out.startswith("### No single agent is best")
    assert out.index("| tier | agent | score |") < out.index("<details>") < out.index("unique rank")
    assert out.count("\n| ") == 32


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--level", "95"], 2, "a number from 0.5 to 0.999"),
        (["--cluster", "nobody"], 2, "must name a column"),
        (["--estimand", "mean_win_rte"], 2, "Did you mean 'mean_win_rate'"),
        (["--estimand", "aurora=x"], 2, "must be a number"),
        (["--min-battles", "0"], 2, "a whole number from 1 to"),
    ],
)
def test_wrong_usage_gets_a_sentence(options, code, words):
    done = run("resolve", "--example", *options)
    assert done.code == code
    assert words in done.err


@pytest.mark.parametrize(
    "options",
    [["--cluster", "none"], ["--cluster", "cluster,judge"], ["--marginal"], ["--estimand", "aurora=1,dune=2"]],
)
def test_options_are_taken(options):
    assert run("resolve", "--example", *options).code == 0


@pytest.fixture
def far(tmp_path):
    path = tmp_path / "far.csv"
    path.write_text("model_a,model_b,wins_a,wins_b,ties\nada,bob,800,200,0\nada,cyd,900,100,0\nbob,cyd,600,400,0\n")
    return str(path)


def test_at_every_look_the_answer_comes_in_every_format(far):
    table = run("resolve", far, "--anytime")
    assert table.code == 0
    printed = " ".join(table.out.split())
    assert printed.startswith("'ada' is certainly first of 3 agents by mean win rate at every look (95 %).")
    assert run("resolve", far, "--anytime", "--format", "md").out.startswith("### **ada** is certainly first")
    rows = list(csv.DictReader(io.StringIO(run("resolve", far, "--anytime", "--format", "csv").out)))
    assert (rows[0]["agent"], rows[0]["best"], rows[0]["worst"]) == ("ada", "1", "1")
    document = validated(run("resolve", far, "--anytime", "--format", "json", "--claim", "ada > bob").out)
    assert document["type"] == "resolution"
    assert document["claims"][0]["supported"]


def test_a_claim_that_does_not_hold_at_every_look_exits_three(far):
    assert run("resolve", far, "--anytime", "--claim", "cyd is first").code == 3


def test_a_badge_at_every_look_is_refused(far):
    done = run("resolve", far, "--anytime", "--format", "badge")
    assert done.code == 2
    assert "Leave --anytime out" in done.err


@pytest.mark.parametrize(
    ("step", "left"), [("simulate", "a simulation that narrows rank sets"), ("cycles", "majorities and cycles")]
)
def test_an_interrupt_prints_the_ranks_and_says_what_is_left_out(step, left):
    """The step interrupts itself, as a person would, in a process of its own."""
    where = {"simulate": "ranks.rank_sets", "cycles": "resolve.resolve"}[step]
    script = (
        f"import beatpath.inference.{where} as room\n"
        "def interrupted(*_, **__):\n    raise KeyboardInterrupt\n"
        f"room.{step} = interrupted\n"
        "from beatpath.__main__ import main\nmain()\n"
    )
    command = [sys.executable, "-c", script, "resolve", "--example", "--format"]
    done = subprocess.run([*command, "json"], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert f"Interrupted; left out: {left}" in done.stderr.replace("\n", " ")
    document = validated(done.stdout)
    assert document["settings"]["multiplicity"] == {"simulate": "bonferroni", "cycles": "step-down"}[step]
    table = subprocess.run([*command, "table"], capture_output=True, text=True, check=False)
    assert table.returncode == 130
    assert table.stdout.startswith(document["sentences"][0][:20])


@pytest.fixture
def atari(tmp_path):
    """Four agents with three seeds on three games, a random player and a human among them."""
    rows = ["agent,game,seed,score"]
    for name, share in (("random", 0.0), ("human", 1.0), ("dqn", 0.4), ("rainbow", 1.5)):
        for game, low, high in (("pong", -20, 15), ("breakout", 2, 30), ("boxing", 0, 12)):
            rows += [f"{name},{game},{seed},{low + (high - low) * share + 0.1 * (seed - 1)}" for seed in range(3)]
    path = tmp_path / "atari.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)


def test_runs_are_put_on_the_scale_of_a_random_player_and_a_human(atari):
    arguments = ("resolve", atari, "--zero", "random", "--one", "human", "--cluster", "replicate")
    done = run(*arguments, "--estimand", "iqm", "--format", "json", "--claim", "rainbow > dqn")
    assert done.code == 0
    score = {agent: row["score"] for agent, row in validated(done.out)["ranks"].items()}
    assert score == {"dqn": pytest.approx(0.4), "rainbow": pytest.approx(1.5)}
    assert "random at 0 to human at 1" in " ".join(run(*arguments, "--estimand", "optimality_gap", "-v").out.split())


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--zero", "random"], 2, "given together"),
        (["--zero", "random", "--one", "humna"], 2, "Did you mean 'human'"),
        (["--estimand", "optimality_gap"], 1, "target is 1"),
        (["--estimand", "iqm", "--cluster", "judge"], 2, "must be task"),
    ],
)
def test_references_and_clusters_that_will_not_do_get_a_sentence(atari, options, code, words):
    done = run("resolve", atari, *options)
    assert done.code == code
    assert words in done.err


def test_battles_have_no_references():
    done = run("resolve", "--example", "--zero", "0", "--one", "1")
    assert done.code == 1
    assert "need a table of scores" in done.err


@pytest.fixture
def by_task(tmp_path):
    """Battles of two tasks, in which ada wins the one and bob the other."""
    rows = [f"{'ada,bob' if i % 4 else 'bob,ada'},{task}" for task in ("code",) for i in range(80)]
    rows += [f"{'bob,ada' if i % 4 else 'ada,bob'},chat" for i in range(80)]
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(["winner,loser,task", *rows]) + "\n")
    return str(path)


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("ada is better at code than at chat", 0),
        ("ada is better at chat than at code", 3),
        ("ada is better at x than at y", 2),
    ],
)
def test_a_claim_about_two_contexts_decides_the_exit_status(by_task, claim, code):
    assert run("resolve", by_task, "--by", "task", "--claim", claim).code == code


def test_a_mixture_has_a_board_and_says_where_first_place_changes(by_task):
    done = run("resolve", by_task, "--mix", "code=0.7,chat=0.3", "-v")
    assert done.code == 0
    assert "in 70.0 % 'code' and 30.0 % 'chat'" in " ".join(done.out.split())
    assert (
        "From 'chat' alone to 'code' alone the highest score passes from 'bob' to 'ada' at 50.0 % 'code'"
        in " ".join(done.out.split())
    )


@pytest.mark.parametrize("format", ["json", "csv", "md"])
def test_boards_by_context_come_in_every_format(by_task, format):
    done = run("resolve", by_task, "--by", "task", "--format", format)
    assert done.code == 0
    if format == "json":
        assert [len(one["ranks"]) for one in validated(done.out)["contexts"].values()] == [2, 2]
    elif format == "csv":
        assert len(list(csv.DictReader(io.StringIO(done.out)))) == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mix", "code=-1"), "must be a number from 0"),
        (("--mix", "code=0"), "above 0"),
        (("--mix", "math=1"), "'math' occurs in none"),
        (("--by", "topic"), "'topic' is not among them"),
        (("--by", "task", "--format", "badge"), "one board"),
    ],
)
def test_a_mixture_that_is_none_ends_with_two_and_a_sentence(by_task, words, message):
    done = run("resolve", by_task, *words)
    assert done.code == 2
    assert message in done.err


def test_the_tasks_of_every_context_come_from_a_json_file(tmp_path):
    table, lists = tmp_path / "scores.csv", tmp_path / "areas.json"
    table.write_text("model,sql,rust,poem,ode\nada,90,80,20,30\nbob,20,32,90,81\ncyd,50,51,52,50\n", encoding="utf-8")
    lists.write_text('{"code": ["sql", "rust"], "prose": ["poem", "ode"]}', encoding="utf-8")
    done = run("resolve", str(table), "--by", str(lists), "--format", "json")
    data = validated(done.out)
    assert data["estimand"].startswith("mean score over tasks")
    assert set(data["mix"]) == {"code", "prose"}
    lists.write_text('["sql"]', encoding="utf-8")
    assert "must be a list of tasks for every context" in run("resolve", str(table), "--by", str(lists)).err
    lists.write_text("{", encoding="utf-8")
    assert "must be JSON" in run("resolve", str(table), "--by", str(lists)).err
    assert "a file that can be read" in run("resolve", str(table), "--by", str(tmp_path / "none.json")).err


def test_covariates_go_with_contexts_and_their_effects_are_reported(tmp_path):
    rows = [f"{a},{b},{w},{t},{x}" for t in "uv" for a, b, w, x in [("ada", "bob", "model_a", 2), ("ada", "bob", "model_b", 1), ("ada", "bob", "model_b", -1), ("bob", "ada", "model_a", 1), ("bob", "ada", "model_b", -1)] * 8]  # fmt: skip
    table = tmp_path / "battles.csv"
    table.write_text("\n".join(["model_a,model_b,winner,task,longer", *rows]), encoding="utf-8")
    done = run("resolve", str(table), "--by", "task", "--keep", "longer", "--covariates", "longer", "--format", "json")
    assert validated(done.out)["covariates"]["longer"]["estimate"] > 0


def test_conditions_choose_rows_of_the_example_too():
    done = CliRunner().invoke(app, ["resolve", "--example", "--where", "task=code", "--format", "json"])
    assert "left out by --where" in json.loads(done.stdout)["reading"]["dropped"]


def test_clusters_and_contexts_may_be_columns_of_the_file_without_a_role(tmp_path):
    battles, scores = tmp_path / "battles.csv", tmp_path / "scores.csv"
    rows = [f"{'ada' if i % 3 else 'cyd'},bob,{'model_a' if i % 5 else 'model_b'},d{i % 20}" for i in range(120)]
    battles.write_text("\n".join(["model_a,model_b,winner,document", *rows]) + "\n")
    rows = [
        f"{agent},t{i},{(7 * i + 3 * k) % 10},c{i % 6}" for k, agent in enumerate(("ada", "bob")) for i in range(30)
    ]
    scores.write_text("\n".join(["model,task,score,category", *rows]) + "\n")
    for path, column in ((battles, "document"), (scores, "category")):
        board = json.loads(run("resolve", str(path), "--cluster", column, "--format", "json").out)
        kept = json.loads(run("resolve", str(path), "--keep", column, "--cluster", column, "--format", "json").out)
        assert board["settings"]["cluster"] == [column]
        assert board == kept
    assert run("resolve", str(battles), "--by", "document").code == 0
    assert run("resolve", str(battles), "--cluster", "page").code == 2
