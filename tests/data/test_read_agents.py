"""Tables of agents from files."""

import pytest

import beatpath as bp


def test_numbers_words_and_empty_cells(tmp_path):
    path = tmp_path / "agents.csv"
    path.write_text("size,model,license\n7,007,open\n70,bob,\n,cyd,closed\n")
    assert bp.read_agents(path) == {
        "007": {"size": 7.0, "license": "open"},
        "bob": {"size": 70.0, "license": None},
        "cyd": {"size": None, "license": "closed"},
    }


def test_the_column_of_names_is_the_first_unless_one_is_called_so(tmp_path):
    path = tmp_path / "agents.csv"
    path.write_text("who,size\nada,7\nbob,8\n")
    assert set(bp.read_agents(path)) == {"ada", "bob"}
    assert set(bp.read_agents(path, agent="size")) == {"7", "8"}
    with pytest.raises(bp.UsageError, match="Did you mean 'size'"):
        bp.read_agents(path, agent="sise")


def test_an_agent_with_two_rows_or_a_row_without_a_name_is_refused_with_its_place(tmp_path):
    path = tmp_path / "agents.csv"
    path.write_text("model,size\nada,7\nada,8\n")
    with pytest.raises(bp.ReadError, match="'ada' has another in row 2"):
        bp.read_agents(path)
    path.write_text("model,size\nada,7\n,8\n")
    with pytest.raises(bp.ReadError, match=r"row 2 of .* names none"):
        bp.read_agents(path)
