"""Tables of scores, long and wide."""

import numpy as np
import pytest

import beatpath as bp


def test_tasks_may_have_directions_where_metrics_have_both(write):
    path = write("model,task,metric,value,higher_is_better\nx,t,m,1,true\nx,u,m,1,false\n")
    assert bp.read(path).sign().tolist() == [1, -1]


def test_long_and_wide_scores_say_the_same(write):
    long = bp.read(write("model,task,score\nx,math,1\nx,code,2\ny,math,3\n"))
    wide = bp.read(write("model,code,math\nx,2,1\ny,,3\n"))
    turned = bp.read(write("task,x,y\ncode,2,\nmath,1,3\n"))
    for scores in (wide, turned):
        np.testing.assert_array_equal(scores.table()[0], long.table()[0])
        assert scores.agents == long.agents
        assert scores.table()[1] == long.table()[1]


def test_lower_is_better_where_declared(write):
    path = write("model,task,metric,value\nx,t,loss,1\ny,t,loss,2\n")
    assert list(bp.read(path, lower=["loss"]).ballots()) == [[("x",), ("y",)]]
    with pytest.raises(bp.UsageError, match="Did you mean 'loss'"):
        bp.read(path, lower=["los"])


def test_a_direction_by_name_must_not_turn_a_metric_that_bears_the_name_of_a_task(write):
    path = write("model,task,metric,value,higher_is_better\nx,,speed,1,true\nx,speed,,1,false\nx,,,1,true\n")
    with pytest.raises(bp.ReadError, match="must have one direction; 'higher_is_better' says"):
        bp.read(path)


def test_a_summary_is_no_task_and_no_agent_and_the_account_says_so(write):
    column = bp.read(write("model,Average,law,maths\nx,0.5,0.4,0.6\ny,0.3,0.2,0.4\n"))
    assert column.tasks == ("law", "maths")
    assert column.reading.unused == ("Average",)
    named = bp.read(write("model,Average,law,maths\nx,0.5,0.4,0.6\ny,0.3,0.2,0.4\n"), lower=["Average"])
    assert named.tasks == ("Average", "law", "maths")
    row = bp.read(write("model,law,maths\nx,0.4,0.6\ny,0.2,0.4\nMean,0.3,0.5\n"))
    assert row.agents == ("x", "y")
    assert row.reading.dropped == {"summary of the other rows": 1}
    long = bp.read(write("model,task,score\nx,law,0.4\nmean,law,0.6\ny,law,0.5\n"))
    assert long.agents == ("mean", "x", "y")  # an agent of that name, scored on a task like the others


@pytest.mark.parametrize(
    ("rows", "role"),
    [
        ([("ada", "p1", "u1", 3), ("bob", "p2", "u1", 4), ("ada", "p3", "u2", 5), ("bob", "p4", "u2", 2)], "task"),
        ([("ada", "p1", "u1", 3), ("bob", "p1", "u1", 4), ("ada", "p1", "u2", 5), ("bob", "p1", "u2", 2)], "replicate"),
    ],
)
def test_users_who_rate_agents_are_what_these_share_where_no_prompt_is_shared(write, rows, role):
    path = write("\n".join(",".join(map(str, row)) for row in [("model", "prompt", "user", "rating"), *rows]))
    scores = bp.read(path)
    assert scores.reading.guessed[role] == "user"
    assert scores.factors[role].levels == ("u1", "u2")
    without_prompts = write(
        "\n".join(",".join(map(str, row[:1] + row[2:])) for row in [("model", "", "user", "rating"), *rows])
    )
    assert bp.read(without_prompts).tasks == ("u1", "u2")
