"""Columns without telling names: the likeliest readings can be pasted, and work."""

import ast
import random
import re
from itertools import product
from types import SimpleNamespace

import pytest

import beatpath as bp
from beatpath.data.layouts.hints import _chosen_rows, alike
from helpers.command_line import beatpath

NAMES = [f"team {i}" for i in range(12)]


def meetings(n, header, cells):
    rng = random.Random(0)
    rows = [",".join([*rng.sample(NAMES, 2), *map(str, cells(rng))]) for _ in range(n)]
    return header + "\n" + "\n".join(rows) + "\n"


def offered(path):
    """The options that the sentence gives, as `read` takes them."""
    with pytest.raises(bp.ReadError, match="must show what they mean") as error:
        bp.read(path)
    return [ast.literal_eval(mapping) for mapping in re.findall("`map=(.*?)`", str(error.value))]


def test_two_columns_of_the_same_names_are_agents_and_two_numbers_scores(write):
    path = write(meetings(200, "lhs,rhs,p,q", lambda rng: (rng.randint(0, 4), rng.randint(0, 4))))
    (first,) = offered(path)
    assert first == {"agent_a": "lhs", "agent_b": "rhs", "score_a": "p", "score_b": "q"}
    assert len(bp.read(path, map=first)) == 200


@pytest.mark.parametrize(
    "header", ["id,prompt,gpt-4o,llama,latency_ms", "question_id,reason,base_correct,new_correct,latency_ms"]
)
def test_columns_of_scores_beside_one_of_items_are_agents(write, header):
    path = write(header + "\n" + "".join(f"{i},why {i}?,{i % 2},{(i + 1) % 3 // 2},{i + 7}\n" for i in range(9)))
    (first,) = offered(path)
    item, _, *agents, _ = header.split(",")
    assert first == {"agent": "columns", "task": item, "value": "+".join(agents)}
    assert bp.read(path, map=first).agents == tuple(agents)


@pytest.mark.parametrize("header", ["item,cluster,base,new", "cluster,question,base,new"])
def test_clusters_of_items_stay_with_scores_of_one_column_an_agent(write, header):
    """In the order of the rows, which is not that of names: item q10 comes before q2 where these are sorted."""
    columns = header.split(",")[:2]
    names = [",".join(f"{i // 4}" if name == "cluster" else f"q{i}" for name in columns) for i in range(20)]
    path = write("\n".join([header, *(f"{both},0.{i + 10},0.{90 - i}" for i, both in enumerate(names))]) + "\n")
    scores = bp.read(path)
    assert scores.agents == ("base", "new")
    names = zip(scores.factors["task"].names(), scores.factors["cluster"].names(), strict=True)
    assert all(cluster == str(int(item[1:]) // 4) for item, cluster in names)
    assert scores.reading.guessed["cluster"] == "cluster"
    kept = bp.read(path, map={"agent": "columns", "task": scores.reading.guessed["task"]}, keep=["cluster"])
    assert kept.factors["cluster"].names() == scores.factors["cluster"].names()


def test_columns_of_several_measures_beside_one_of_items_are_of_one_agent(write):
    (first,) = offered(write("id,accuracy,f1\n1,0.5,0.4\n2,0.25,0.5\n3,0.75,0.6\n"))
    assert first == {"agent": "file", "item": "id", "value": "accuracy"}


def test_a_column_of_few_labels_is_the_outcome(write):
    path = write(meetings(100, "lhs,rhs,said", lambda rng: (rng.choice(["a", "b", "tie"]),)))
    (only,) = offered(path)
    assert len(bp.read(path, map=only)) == 100


@pytest.mark.parametrize("name", ["wer", "val_loss", "latency", "word error rate", "RMSE", "perplexity"])
def test_a_value_that_is_better_when_lower_is_offered_with_its_direction(write, name):
    path = write(f"model,task,{name}\nx,law,1\ny,law,2\nx,maths,1\ny,maths,3\n")
    with pytest.raises(bp.ReadError, match="must show what they mean") as error:
        bp.read(path)
    offer = ast.parse(f"read({re.search('`(map=.*?)`', str(error.value))[1]})", mode="eval").body
    scores = bp.read(path, **{one.arg: ast.literal_eval(one.value) for one in offer.keywords})
    assert list(scores.ballots()) == [[("x",), ("y",)], [("x",), ("y",)]]


def test_names_that_come_again_in_games_are_places(write):
    rows = "".join(
        f"{game},{agent},{(3 * game + 5 * i) % 11},9\n" for game in range(40) for i, agent in enumerate("abcd")
    )
    path = write("game_id,who,coins,tokens\n" + rows)
    (first,) = offered(path)
    assert first == {"ballot": "game_id", "agent": "who", "score": "coins"}
    assert len(bp.read(path, map=first)) == 40
    (first,) = offered(write("date,who,coins,tokens\n" + rows))  # a day is no game by itself
    assert first == {"agent": "who", "value": "coins"}


def test_identifiers_of_answers_are_no_scores(write):
    rows = "".join(f"q{i % 9},{1000 + i},{2000 + i},{i % 3}\n" for i in range(60))
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read(write("question_id,answer1_id,answer2_id,turn\n" + rows))


def test_a_table_that_offers_nothing_gets_examples(write):
    done = beatpath("check", write("u,v\nx,y\n"))
    assert "--map agent_a=COLUMN,agent_b=COLUMN,outcome=COLUMN" in done.stderr


def test_many_rows_are_described_as_quickly_as_few(write):
    path = write(meetings(60_000, "lhs,rhs,p,q", lambda rng: (rng.randint(0, 4), rng.randint(0, 4))))
    assert offered(path)[0]["score_a"] == "p"


@pytest.mark.parametrize("beside", ['"prompts": ["how", "why"]', '"costs": [4, 5]'])
def test_of_lists_in_cells_only_those_of_scores_are_to_be_parted(write, beside):
    rows = "".join(f'{{"thing": "{name}", "zeal": [1, 2], {beside}}}\n' for name in "ab")
    with pytest.raises(bp.ReadError, match=r"do not\. 'zeal' holds a list in every cell"):
        bp.read(write(rows, "games.jsonl"))


@pytest.mark.parametrize(("folders", "agent"), [(["runs"], "file"), (["ada", "bob"], "folder")])
def test_files_are_agents_in_one_folder_and_folders_are_where_there_are_several(tmp_path, folders, agent):
    for folder, name in product(folders, ("one.csv", "two.csv")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text("prompt,zeal\nwhat is it,0.5\nhow so,0.25\n")
    with pytest.raises(bp.ReadError, match=f'"agent": "{agent}"'):
        bp.read([tmp_path / folder for folder in folders])


def test_columns_are_alike_from_three_of_ten_common_values_on():
    names = [f"team {i}" for i in range(11)]
    cells = {
        "a": names[:6],
        "b": names[3:10],
        "few": names[4:11],
        "same": names[:6],
        "one": names[:1] * 6,
        "three": names[:3],
    }
    table = SimpleNamespace(first_texts=cells.get)
    assert alike(table, ["a", "b"]) == ("a", "b")
    assert alike(table, ["a", "few"]) is None  # two of eleven
    assert alike(table, ["a", "same"]) is None  # one column written twice
    assert alike(table, ["one", "three"]) is None  # one value is no list of names
    assert alike(table, ["a", "same", "b"]) == ("a", "b")


def test_what_stands_beside_run_times_says_that_lower_is_better(write):
    rows = "".join(f"tool{k},{1 + k / 7:.4f},{k / 90:.4f},{k / 8:.3f},{k / 9:.3f}\n" for k in range(1, 6))
    for names in ("thing,p,q,user", "command,mean,stddev,user"):  # an average of what no other column holds
        for last, timings in (("system", True), ("kernel", False)):
            options = offered_options(write(f"{names},{last}\n{rows}"))
            assert all('"value": "' in one and '"value": ""' not in one for one in options)
            assert all("lower" in one for one in options) == timings


def offered_options(path):
    with pytest.raises(bp.ReadError, match="must show what they mean") as error:
        bp.read(path)
    return re.findall("`(map=.*?)`", str(error.value))


def test_the_last_step_is_the_highest_and_a_number_of_steps_is_none():
    cells = {"step": ["9", "10", "2"], "number_of_step": ["4", "50", "6"], "reward": ["1", "2", "3"]}
    assert _chosen_rows(cells, list(cells), ["step"]) == ("step", " --where step=10")
    assert _chosen_rows({**cells, "step": ["9"] * 3}, list(cells), ["step"]) == ("", "")  # the same in all rows
    assert _chosen_rows({**cells, "step": ["9", "10"]}, list(cells), ["step"]) == ("", "")  # not in all rows
