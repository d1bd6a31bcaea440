"""`beatpath methods`: what each takes and has."""

from helpers.command_line import beatpath
from helpers.schemas import validated


def test_methods_lists_what_each_takes_and_its_properties():
    rows = validated(beatpath("methods", "--format", "json").stdout)["methods"]
    schulze = next(row for row in rows if row["method"] == "schulze")
    assert (schulze["condorcet"], schulze["clone"], schulze["population"]) == ("yes", "yes", "")
    assert all(row["what it does"] for row in rows)
