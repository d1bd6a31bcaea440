"""`beatpath methods`: what each takes and has."""

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


def test_methods_lists_what_each_takes_and_its_properties():
    rows = json.loads(beatpath("methods", "--format", "json").stdout)["methods"]
    schulze = next(row for row in rows if row["method"] == "schulze")
    assert (schulze["condorcet"], schulze["clone"], schulze["population"]) == ("yes", "yes", "")
    assert all(row["what it does"] for row in rows)
