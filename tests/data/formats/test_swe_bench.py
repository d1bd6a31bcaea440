import pytest

from beatpath._errors import ReadError
from beatpath.data.formats.swe_bench import reader
from helpers.format_trial import assert_damage_ends_in_a_sentence, claimed, read, scores_by, write

LISTS = {"no_generation": ["i1"], "no_logs": [], "resolved": ["i2", "i3"]}
REPORT = {
    "total_instances": 3,
    "submitted_ids": ["i1", "i2"],
    "completed_ids": ["i1", "i2"],
    "incomplete_ids": ["i3"],
    "resolved_ids": ["i2"],
    "unresolved_ids": ["i1"],
}
DETAILS = {"i1": {"cost": 0.1, "resolved": True}, "i2": {"cost": 0.1, "resolved": False}}


def submission(tmp_path, split, folder, lists):
    return write(tmp_path / "evaluation" / split / folder / "results" / "results.json", lists)


def test_all_forms_are_claimed_and_metadata_is_not():
    assert sorted(s.path.name for s in claimed(reader, "swe_bench")) == [
        *("org__model-a.run1.json", "per_instance_details.json", "results.json", "results.json")
    ]


def test_a_submission_is_named_by_its_metadata_and_its_split_is_the_task():
    scores = read(reader, "swe_bench/experiments/evaluation/verified")
    assert scores.agents == ("Agent X + Model A",)
    assert scores.tasks == ("verified",)
    assert scores.value.sum() == 3
    assert len(scores) == 5


def test_an_old_submission_without_metadata_is_named_by_its_folder():
    by = scores_by(read(reader, "swe_bench/experiments/evaluation/test"), "task", "item")
    assert len(by) == 6
    assert by[("20240402_legacy", "test", "astropy__astropy-13033")] == 1
    assert by[("20240402_legacy", "test", "astropy__astropy-13236")] == 0


def test_details_by_instance_are_read():
    by = scores_by(read(reader, "swe_bench/experiments/evaluation/bash-only"), "item")
    assert [by[key] for key in sorted(by)] == [1, 0, 1, 0, 1, 0]


def test_a_report_of_the_harness_is_named_by_its_file():
    scores = read(reader, "swe_bench/org__model-a.run1.json")
    by = scores_by(scores, "item")
    assert len(by) == 6
    assert by == {(agent, item): float(item == "astropy__astropy-12907") for agent, item in by}
    assert scores.agents == ("org/model-a",)
    assert scores.conventions[0].affected == 1  # the one instance that was never submitted


def test_the_instances_of_a_split_are_those_that_any_file_names(tmp_path):
    submission(tmp_path, "verified", "one", {"resolved": ["i1"]})
    submission(tmp_path, "verified", "two", {"resolved": ["i2", "i3"], "no_logs": ["i1"]})
    submission(tmp_path, "lite", "one", {"resolved": ["i9"]})
    scores = read(reader, tmp_path)
    assert scores_by(scores, "task", "item") == {
        ("one", "verified", "i1"): 1,
        ("one", "verified", "i2"): 0,
        ("one", "verified", "i3"): 0,
        ("two", "verified", "i1"): 0,
        ("two", "verified", "i2"): 1,
        ("two", "verified", "i3"): 1,
        ("one", "lite", "i9"): 1,
    }
    (convention,) = scores.conventions
    assert (convention.name, convention.affected) == ("unnamed", 2)
    assert "lite 1, verified 3" in convention.meaning


def test_submissions_that_share_a_name_keep_their_folders(tmp_path):
    for folder in ("2024_x", "2025_x"):
        path = submission(tmp_path, "lite", folder, LISTS)
        (path.parents[1] / "metadata.yaml").write_text('name: "Agent X"\noss: true\n')
    assert read(reader, tmp_path).agents == ("Agent X (2024_x)", "Agent X (2025_x)")


def test_leaderboards_give_every_entry_that_has_details(tmp_path):
    entries = [{"name": "ada", "per_instance_details": DETAILS}, {"name": "bob", "per_instance_details": None}]
    scores = read(reader, write(tmp_path / "board.json", entries))
    assert scores_by(scores, "item") == {("ada", "i1"): 1, ("ada", "i2"): 0}
    assert scores.reading.dropped == {"agent without results by instance": 1}
    boards = {"leaderboards": [{"name": "Verified", "results": entries}, {"name": "Lite", "results": entries[:1]}]}
    assert read(reader, write(tmp_path / "boards.json", boards), lower=[]).tasks == ("Lite", "Verified")


def test_an_instance_named_twice_in_a_list_is_refused(tmp_path):
    with pytest.raises(ReadError, match="`resolved` must name an instance once; 'i1' stands twice in"):
        read(reader, write(tmp_path / "results.json", {"resolved": ["i1", "i1"], "no_logs": []}))


def test_two_runs_of_one_model_are_replicates(tmp_path):
    for run in ("run1", "run2"):
        write(tmp_path / f"org__m.{run}.json", REPORT)
    scores = read(reader, tmp_path)
    assert scores.agents == ("org/m",)
    assert scores.factors["replicate"].levels == ("run 1", "run 2")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("results.json", LISTS),
        ("org__m.run1.json", REPORT),
        ("per_instance_details.json", DETAILS),
        ("board.json", [{"name": "ada", "folder": "f", "per_instance_details": DETAILS}]),
        ("boards.json", {"leaderboards": [{"name": "Lite", "results": [{"name": "a", "per_instance_details": {}}]}]}),
    ],
)
def test_damaged_files_end_in_a_sentence(tmp_path, name, content):
    assert_damage_ends_in_a_sentence(reader, tmp_path / name, content)
