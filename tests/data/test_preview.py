"""The first rows of a file, before all of it is read."""

from beatpath.data.read import LONGEST, ROWS, Preview, format_of, preview


def test_the_first_rows_and_the_commonest_values_are_shown(write):
    rows = "".join(f"ada,bob,{'left' if i % 3 else 'tie'},\n" for i in range(30))
    found = preview(str(write("left,right,winner,note\n" + rows)))
    assert (found.format, found.layout, len(found.rows)) == ("table", "battles", ROWS)
    assert found.rows[0] == ("ada", "bob", "tie", None)
    assert (found.values["winner"], found.values["note"]) == (("left", "tie"), ())
    assert set(found.guessed) == {"agent_a", "agent_b", "outcome"}


def test_what_is_said_of_columns_is_no_guess(write):
    path = str(write("u,v,w\nx,y,u\n"))
    assert preview(path).layout == ""
    found = preview(path, map={"agent_a": "u", "agent_b": "v", "outcome": "w"})
    assert (found.layout, found.guessed, found.roles["outcome"]) == ("battles", (), "w")


def test_a_long_cell_is_cut(write):
    found = preview(str(write(f"left,right,winner\n{'x' * 1000},y,left\n")))
    assert found.rows[0][0] == "x" * LONGEST


def test_what_is_no_table_has_its_format_alone(write):
    path = str(write('[White "x"]\n[Black "y"]\n[Result "1-0"]\n\n1-0\n', "game.pgn"))
    assert preview(path).to_dict() == Preview("pgn").to_dict()
    assert format_of(path) == "pgn"
