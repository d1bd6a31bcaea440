"""`beatpath formats`: what can be read."""

import json
import subprocess
import sys


def beatpath(*arguments, stdin=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "beatpath", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        text=True,
        **options,
    )


def test_formats_lists_every_reader():
    done = json.loads(beatpath("formats", "--format", "json").stdout)
    assert {"preflib", "table", "inspect", "lm-eval", "pgn"} <= {row["format"] for row in done["formats"]}
    assert "battles" in {row["layout"] for row in done["layouts"]}
