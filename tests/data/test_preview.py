"""The first rows of a file, before all of it is read."""

from beatpath.data.read import LONGEST, ROWS, Preview, format_of, preview


def test_the_first_rows_and_the_commonest_values_are_shown(write):
    rows = "".join(f"ada,bob,{'left' if i % 3 else 'tie'},\n" for i in range(30))
    summary = preview(str(write("left,right,winner,note\n" + rows)))
    assert (summary.format, summary.layout, len(summary.rows)) == ("table", "battles", ROWS)
    assert summary.rows[0] == ("ada", "bob", "tie", None)
    assert (summary.values["winner"], summary.values["note"]) == (("left", "tie"), ())
    assert set(summary.guessed) == {"agent_a", "agent_b", "outcome"}


def test_mapped_columns_are_not_guessed(write):
    path = str(write("u,v,w\nx,y,u\n"))
    assert preview(path).layout == ""
    summary = preview(path, map={"agent_a": "u", "agent_b": "v", "outcome": "w"})
    assert (summary.layout, summary.guessed, summary.roles["outcome"]) == ("battles", (), "w")


def test_a_long_cell_is_cut(write):
    summary = preview(str(write(f"left,right,winner\n{'x' * 1000},y,left\n")))
    assert summary.rows[0][0] == "x" * LONGEST


def test_what_is_no_table_has_its_format_alone(write):
    path = str(write('[White "x"]\n[Black "y"]\n[Result "1-0"]\n\n1-0\n', "game.pgn"))
    assert preview(path).to_dict() == Preview("pgn").to_dict()
    assert format_of(path) == "pgn"
