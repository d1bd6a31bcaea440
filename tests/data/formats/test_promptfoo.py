import pytest

from beatpath._errors import DataError, ReadError
from beatpath.data.formats.promptfoo import reader
from helpers.format_trial import assert_damage_ends_in_a_sentence, claimed, column, read, scores_by, write

ROW = {
    "promptIdx": 0,
    "promptId": "p",
    "testIdx": 0,
    "provider": {"id": "echo", "label": ""},
    "prompt": {"raw": "Say 1", "label": "Say {{x}}"},
    "vars": {"x": 1},
    "testCase": {"description": "one", "assert": [{"type": "contains", "value": "1"}]},
    "score": 0.5,
    "namedScores": {"short": 1},
    "failureReason": 0,
}
DOCUMENT = {"evalId": "e", "results": {"version": 3, "results": [ROW]}, "config": {"description": "tiny"}}


def test_both_forms_of_output_are_claimed():
    assert [s.path.name for s in claimed(reader, "promptfoo")] == ["repeat.jsonl", "results.json"]


def test_agents_are_labels_or_identifiers_with_the_prompt_where_there_are_several():
    scores = read(reader, "promptfoo/results.json")
    prompts = ("What is {{expr}}?", "terse")
    assert scores.agents == tuple(f"{p} [{q}]" for p in ("echo", "model-bad", "model-good") for q in prompts)
    assert set(column(scores, "task")) == {"tiny arithmetic"}


def test_scores_and_named_scores_are_metrics():
    by = scores_by(read(reader, "promptfoo/results.json"), "item", "metric")
    assert by[("model-bad [terse]", "1", "score")] == 0.225
    assert by[("model-bad [terse]", "1", "graded")] == 0.45
    assert by[("model-bad [terse]", "2", "score")] == 0.5
    assert by[("model-bad [terse]", "2", "correct")] == 0
    assert ("model-bad [terse]", "2", "graded") not in by


def test_a_failed_assertion_is_a_score_and_an_error_is_dropped():
    scores = read(reader, "promptfoo/repeat.jsonl")
    assert scores.reading.dropped == {"test ended in an error": 2}
    assert len(scores) == 10


def test_repeated_tests_are_replicates_of_one_item():
    by = scores_by(read(reader, "promptfoo/repeat.jsonl"), "item", "replicate")
    assert {key[1:] for key in by if key[0] == "echo"} == {(i, r) for i in "023" for r in "12"}
    assert {key[1:] for key in by if key[0] != "echo"} == {(i, r) for i in "23" for r in "12"}


def test_long_or_equal_prompt_labels_become_numbers(tmp_path):
    other = {**ROW, "promptIdx": 1, "promptId": "q", "prompt": {"raw": "x", "label": "y" * 50}}
    path = write(tmp_path / "results.jsonl", [other, ROW])
    assert read(reader, path).agents == ("echo [prompt 1]", "echo [prompt 2]")


def test_two_files_with_the_same_agent_are_two_runs(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        write(tmp_path / name, [ROW])
    scores = read(reader, tmp_path)
    assert column(scores, "replicate") == ["run 1", "run 1", "run 2", "run 2"]
    assert scores.reading.notes == ("read more than one run of 'echo': kept as replicates",)


def test_lower_names_a_metric(tmp_path):
    path = write(tmp_path / "results.json", DOCUMENT)
    assert read(reader, path, lower=["short"]).higher_is_better == {"short": False}
    with pytest.raises(DataError, match="must name metrics or tasks; 'shot'"):
        read(reader, path, lower=["shot"])


def test_a_score_that_is_not_a_number_raises_with_its_place(tmp_path):
    path = write(tmp_path / "results.json", {**DOCUMENT, "results": {"results": [ROW, {**ROW, "score": "0.5"}]}})
    with pytest.raises(ReadError, match=r"`score` must be a finite number; got '0\.5' in result 2 of the document of"):
        read(reader, path)


def test_damaged_files_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(reader, tmp_path / "results.json", DOCUMENT)
    assert_damage_ends_in_a_sentence(reader, tmp_path / "results.jsonl", [ROW, {**ROW, "testIdx": 1}])
