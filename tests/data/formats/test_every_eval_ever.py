import pytest

from beatpath._errors import ReadError
from beatpath.data.formats.every_eval_ever import reader
from helpers.format_trial import assert_damage_ends_in_a_sentence, column, read, scores_by, write

AGGREGATE = {
    "schema_version": "0.3.0",
    "evaluation_id": "e",
    "model_info": {"id": "ada", "name": "Ada"},
    "evaluation_results": [
        {
            "evaluation_result_id": "r",
            "evaluation_name": "t",
            "metric_config": {"metric_name": "acc", "lower_is_better": False, "additional_details": {}},
            "score_details": {"score": 0.5, "uncertainty": {"standard_error": {"value": 0.1}, "num_samples": 4}},
        }
    ],
}
INSTANCE = {
    "schema_version": "0.3.0",
    "evaluation_id": "e",
    "model_id": "ada",
    "evaluation_name": "t",
    "evaluation_result_id": "r",
    "sample_id": "q1",
    "sample_hash": "h1",
    "evaluation": {"score": 1.0, "is_correct": True},
    "error": None,
    "metadata": {"epoch": "1"},
}


def changed(**details):
    """The aggregate with other details in its only result."""
    (result,) = AGGREGATE["evaluation_results"]
    return {**AGGREGATE, "evaluation_results": [{**result, **details}]}


def test_instances_are_read_and_agree_with_their_aggregates():
    by = scores_by(read(reader, "every_eval_ever/data/tiny_mc").metric("acc_norm"), "task", "item")
    assert by[("org/model-b", "tiny_mc", "1")] == 1
    for agent, mean in (("org/model-a", 0.5), ("org/model-b", 0.25)):  # score_details of the two aggregates
        assert sum(value for key, value in by.items() if key[0] == agent) / 4 == mean


def test_aggregates_alone_have_their_standard_errors():
    scores = read(reader, "every_eval_ever/data/tiny_mc/org/*/*.json").metric("acc_norm")
    assert scores_by(scores, "task") == {("org/model-a", "tiny_mc"): 0.5, ("org/model-b", "tiny_mc"): 0.25}
    assert scores.stderr == pytest.approx([0.28867513459481287, 0.25])


def test_instances_alone_take_their_metrics_from_the_aggregate_beside_them():
    scores = read(reader, "every_eval_ever/data/tiny_mc/org/*/*.jsonl")
    assert set(column(scores, "metric")) == {"acc", "acc_norm"}
    assert len(scores) == 16


def test_metrics_of_one_name_are_distinguished_by_their_results():
    scores = read(reader, "every_eval_ever/data/tiny_arith")
    assert set(column(scores, "metric")) == {
        *("accuracy", "match:accuracy", "graded:accuracy", "closeness:mean", "length:mean", "polite:accuracy")
    }
    table, voters = scores.table()
    assert dict(zip(voters, table[0].round(3).tolist(), strict=True)) == {
        "tiny_arith / accuracy": 0.7,
        "tiny_multi / closeness:mean": -8.9,
        "tiny_multi / graded:accuracy": 0.5,
        "tiny_multi / length:mean": 0.91,
        "tiny_multi / match:accuracy": 0.7,
        "tiny_multi / polite:accuracy": 1.0,
    }
    assert "'closeness:mean', 'length:mean'" in scores.reading.notes[0]


def test_epochs_that_only_repeat_the_mean_are_dropped():
    scores = read(reader, "every_eval_ever/data/tiny_arith/openai/tiny-model/21427b9c*")
    assert scores.reading.dropped == {"epoch that repeats the score of the first": 5}
    assert scores_by(scores, "item")[("openai/tiny-model", "q2")] == 0.5


def test_epochs_with_scores_of_their_own_are_replicates(tmp_path):
    write(tmp_path / "u.json", AGGREGATE)
    second = {**INSTANCE, "evaluation": {"score": 0.0}, "metadata": {"epoch": "2"}}
    write(tmp_path / "u_samples.jsonl", [INSTANCE, second])
    assert scores_by(read(reader, tmp_path), "item", "replicate") == {("ada", "q1", "1"): 1, ("ada", "q1", "2"): 0}


def test_instances_that_name_no_metric_give_way_to_lower_is_better_aggregates():
    scores = read(reader, "every_eval_ever/data/tiny_ppl")
    assert scores.reading.dropped == {"instance that does not say which metric it has": 5}
    assert scores.metric("word_perplexity").value.tolist() == [1.5529223374515257]
    assert scores.higher_is_better == {"word_perplexity": False, "bits_per_byte": False}


def test_instances_without_an_aggregate_say_what_is_missing(tmp_path):
    path = write(tmp_path / "u_samples.jsonl", [INSTANCE])
    with pytest.raises(ReadError, match=r"must come with their aggregate.*'e', which was not found"):
        read(reader, path)


def test_instances_that_ended_in_an_error_are_dropped(tmp_path):
    write(tmp_path / "u.json", AGGREGATE)
    write(tmp_path / "u_samples.jsonl", [INSTANCE, {**INSTANCE, "sample_id": "q2", "error": "timeout"}])
    assert read(reader, tmp_path).reading.dropped == {"instance ended in an error": 1}


def test_samples_that_differ_between_models_are_refused(tmp_path):
    write(tmp_path / "u.json", AGGREGATE)
    write(tmp_path / "u_samples.jsonl", [INSTANCE])
    write(tmp_path / "v.json", {**AGGREGATE, "evaluation_id": "f", "model_info": {"id": "bob"}})
    write(tmp_path / "v_samples.jsonl", [{**INSTANCE, "evaluation_id": "f", "sample_hash": "h2"}])
    with pytest.raises(ReadError, match=r"task 't', item 'q1', has the hash h1 in .*u_samples.* and h2 in .*v_samples"):
        read(reader, tmp_path)
    assert read(reader, tmp_path, columns={"hashes": "ignore"}).agents == ("ada", "bob")


def test_a_standard_deviation_with_a_number_of_samples_gives_an_error(tmp_path):
    details = {"score": 0.5, "uncertainty": {"standard_deviation": 0.4, "num_samples": 16}}
    path = write(tmp_path / "u.json", changed(score_details=details))
    assert read(reader, path).stderr.tolist() == [pytest.approx(0.1)]


def test_an_unknown_level_is_no_score(tmp_path):
    metric = {"metric_name": "acc", "lower_is_better": False, "has_unknown_level": True}
    path = write(tmp_path / "u.json", changed(metric_config=metric, score_details={"score": -1}))
    with pytest.raises(ReadError, match="score -1 for an unknown level: 1"):
        read(reader, path)


def test_files_that_disagree_about_a_direction_are_refused_unless_settled(tmp_path):
    write(tmp_path / "u.json", AGGREGATE)
    lower = changed(metric_config={"metric_name": "acc", "lower_is_better": True})
    write(tmp_path / "v.json", {**lower, "evaluation_id": "f", "model_info": {"id": "bob"}})
    with pytest.raises(ReadError, match=r"v\.json says otherwise of 'acc' on 't'"):
        read(reader, tmp_path)
    assert read(reader, tmp_path, lower=["acc"]).higher_is_better == {"acc": False}


def test_one_evaluation_in_two_files_is_refused(tmp_path):
    for name in ("u.json", "v.json"):
        write(tmp_path / name, AGGREGATE)
    with pytest.raises(ReadError, match="must stand in one file; 'e' is in"):
        read(reader, tmp_path)


def test_damaged_aggregates_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(reader, tmp_path / "u.json", AGGREGATE)


def test_damaged_instances_end_in_a_sentence(tmp_path):
    write(tmp_path / "u.json", AGGREGATE)
    assert_damage_ends_in_a_sentence(reader, tmp_path / "u_samples.jsonl", [INSTANCE, {**INSTANCE, "sample_id": "q2"}])
