"""Membership of the core: who is in by majority."""

from beatpath.reports.figures import membership
from helpers.every_picture import data


def test_members_by_majority_stand_in_full_ink():
    rows = [
        {"agent": name, "probability": None, "top_cycle": 0.5, "uncovered_set": 0.25, "member": name == "ada"}
        for name in ("ada", "bob")
    ]
    spec = membership(rows)
    assert [label["label"] for label in data(spec, "text", "label")] == ["ada"]
    assert [label["label"] for label in data(spec, "text", "label-quiet")] == ["bob"]
    assert data(spec, "rule", "mark-pale") == []
    assert spec["title"]["subtitle"][0] == "diamond: soft top cycle score; triangle: soft uncovered set score"
    assert [point["value"] for point in data(spec, "point", "mark-contrast")] == [0.5, 0.5]
    assert [point["value"] for point in data(spec, "point", "point")] == [0.25, 0.25]
