"""`beatpath formats`: what can be read."""

from helpers.command_line import beatpath
from helpers.schemas import validated


def test_formats_lists_every_reader():
    done = validated(beatpath("formats", "--format", "json").stdout)
    assert {"preflib", "table", "inspect", "lm-eval", "pgn"} <= {row["format"] for row in done["formats"]}
    assert "battles" in {row["layout"] for row in done["layouts"]}
