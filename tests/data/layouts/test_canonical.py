"""Evidence as a table of its own, and what such a table cannot hold."""

import pytest

import beatpath as bp
from beatpath import Battles, Factor, Margins, Scores
from beatpath.data.write import sheet_of


def test_columns_that_would_be_taken_for_something_else_are_named(tmp_path):
    row = [("x", "y", 1)]
    losses = bp.write(Battles.of(row, factors={"language": Factor.of(["en"])}), tmp_path / "x.csv")
    assert losses == ("that 'language' is no task: read the file with `--map task=none`",)
    assert "task" not in bp.read(tmp_path / "x.csv", map={"task": "none"}, keep=["language"]).factors
    losses = bp.write(Battles.of(row, factors={"round": Factor.of(["1"])}), tmp_path / "x.csv")
    assert losses == ("that 'round' holds names: they look like numbers, and are read as such",)
    losses = bp.write(Battles.of(row, factors={"outcome": Factor.of(["o"])}), tmp_path / "x.csv")
    assert losses == ("the name of the column 'outcome': it is called 'outcome_' now",)
    both = {"winner": Factor.of(["x"]), "loser": Factor.of(["y"])}
    losses = bp.write(Battles.of(row, factors=both), tmp_path / "x.csv")
    assert losses == ("what kind of table it is: its columns look like winner and loser, so map them when reading",)
    losses = bp.write(Scores(("x",), [0], [1.0], {"value": Factor.of(["v"])}), tmp_path / "x.csv")
    assert losses == ("the name of the column 'value': it is called 'value_' now",)


def test_squared_weights_and_softness_are_named_when_pairs_are_written(tmp_path):
    soft = Battles.of([("x", "y", 0.25), ("x", "y", 1)], weight=[2.0, 1.0])
    losses = bp.write(soft, tmp_path / "x.csv", to="pairs")
    assert [sentence.split()[0:2] for sentence in losses] == [["the", "squared"], ["how", "soft"]]


def test_battles_as_rankings_name_what_they_lose(write, tmp_path):
    path = write("model_a,model_b,winner,time\nx,y,both_bad,1\ny,x,tie,2\n")
    lost = bp.write(bp.read(path), tmp_path / "votes.toc")
    assert any("'both bad' (1 battle)" in what for what in lost)
    assert {"the column 'position'", "the column 'time'"} <= set(lost)


def test_a_battle_is_a_row_by_the_names_of_its_agents():
    sheet = sheet_of(Battles.of([("x", "y", 1), ("y", "x", 0.5)], factors={"task": Factor.of(["t", None])}))
    assert sheet.layout == "battles"
    assert sheet.columns["agent_a"].tolist() == ["x", "y"]
    assert sheet.columns["task"].tolist() == ["t", None]
    assert sheet.lost == []


def test_agents_whose_names_differ_in_case_alone_cannot_head_columns():
    with pytest.raises(bp.DataError, match="must differ in more than case"):
        sheet_of(Margins([[0, 1], [-1, 0]], ["x", "X"]))
