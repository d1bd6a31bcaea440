"""What is printed cannot act on a terminal, a spreadsheet or a page."""

import csv
import io
import json

from helpers.command_line import beatpath


def test_hostile_names_cannot_act_on_a_terminal_a_spreadsheet_or_a_page(tmp_path):
    path = tmp_path / "hostile.jsonl"
    names = ["\x1b[31mred\x1b[0m", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "[bold]x[/bold]", "\u202egnp"]
    path.write_text("\n".join(json.dumps({"left": n, "right": "other", "winner": "left"}) for n in names))
    for form in ("table", "md", "csv"):
        out = beatpath("check", path, "--format", form).stdout
        assert "\x1b" not in out
        assert "\u202e" not in out
    table = beatpath("check", path).stdout
    assert "[bold]x[/bold]" in table
    assert "<script>" not in beatpath("check", path, "--format", "md").stdout.replace("\\<script\\>", "")
    rows = csv.reader(io.StringIO(beatpath("check", path, "--format", "csv").stdout))
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
