import json
import math
import shutil
from types import SimpleNamespace

import pytest

from beatpath._errors import ReadError
from beatpath.data.formats.lm_eval import _model_of, reader
from beatpath.data.sources.source import Options, find
from helpers.format_trial import FILES, assert_damage_ends_in_a_sentence, column, read, scores_by, write

TIME = "2026-11-15T02-40-51.198128"
RESULTS = {
    "results": {"t": {"alias": "t", "acc,none": 0.5, "acc_stderr,none": "N/A"}},
    "group_subtasks": {},
    "configs": {},
    "versions": {"t": 1},
    "higher_is_better": {"t": {"acc": True}},
    "n-samples": {"t": {"original": 2, "effective": 2}},
    "config": {"model_args": "pretrained=ada"},
    "task_hashes": {"t": "3f48"},
    "model_name": "ada",
}
SAMPLE = {
    "doc_id": 0,
    "filtered_resps": ["x"],
    "filter": "none",
    "metrics": ["acc"],
    "doc_hash": "d0",
    "prompt_hash": "p0",
    "acc": 1.0,
}


def test_samples_give_scores_by_item_and_agree_with_the_aggregates():
    scores = read(reader, "lm_eval/v1")
    by = scores_by(scores.metric("acc"), "task", "item")
    assert by[("org/model-b", "tiny_mc", "0")] == 1
    for agent, mean in (("org/model-a", 0.25), ("org/model-b", 0.5)):  # acc,none of the two results files
        assert sum(value for key, value in by.items() if key[0] == agent) / 4 == mean
    assert "'tiny_mc'" in scores.reading.notes[0]


def test_tasks_without_samples_come_from_the_aggregates_with_their_errors():
    scores = read(reader, "lm_eval/v1").metric("exact_match,strict-match")
    assert scores_by(scores, "task") == {("org/model-a", "tiny_gen"): 0.2, ("org/model-b", "tiny_gen"): 0.2}
    assert scores.stderr == pytest.approx([0.2, 0.2])
    assert column(scores, "item") == [None, None]


def test_results_alone_are_read_as_aggregates():
    scores = read(reader, "lm_eval/v1/*/results_*.json")
    assert scores_by(scores, "task", "metric")[("org/model-a", "tiny_mc", "acc")] == 0.25
    assert "item" not in scores.factors
    assert len(scores) == 8


def test_samples_alone_take_the_model_from_the_results_beside_them():
    scores = read(reader, "lm_eval/v1/*/samples_*.jsonl")
    assert scores.agents == ("org/model-a", "org/model-b")
    assert len(scores) == 16


def test_filters_stay_apart_and_groups_are_left_out():
    scores = read(reader, "lm_eval/group")
    assert set(column(scores, "metric")) >= {"exact_match,strict-match", "exact_match,flexible-extract"}
    assert scores.reading.dropped == {"average over a group of tasks": 1}
    assert "tiny_suite" not in scores.tasks


def test_perplexities_come_from_the_aggregates_and_are_better_when_lower():
    scores = read(reader, "lm_eval/group")
    assert scores.metric("word_perplexity").value.tolist() == [pytest.approx(1.5529223374515257)]
    assert scores.higher_is_better["word_perplexity"] is False
    assert scores.higher_is_better["acc"] is True
    alone = read(reader, "lm_eval/group/*/samples_*.jsonl")
    assert alone.reading.dropped == {"a sample that is not one number": 10}


def test_samples_of_a_perplexity_are_log_likelihoods_and_better_when_higher(tmp_path):
    """`lambada_openai`: `process_results` of the harness returns the log-likelihood, and only its aggregation the perplexity."""
    for model, sure in (("ada", -1.5), ("bob", -3.5)):
        aggregate = {"lambada_openai": {"perplexity,none": math.exp(-sure), "acc,none": 1.0}}
        directions = {"lambada_openai": {"perplexity": False, "acc": True}}
        results = {**RESULTS, "results": aggregate, "higher_is_better": directions, "model_name": model}
        sample = {**SAMPLE, "metrics": ["perplexity", "acc"], "perplexity": sure}
        (tmp_path / model).mkdir()
        write(tmp_path / model / f"results_{TIME}.json", results)
        write(
            tmp_path / model / f"samples_lambada_openai_{TIME}.jsonl",
            [sample, {**sample, "doc_id": 1, "doc_hash": "d1"}],
        )
    scores = read(reader, tmp_path)
    assert set(column(scores, "metric")) == {"acc", "perplexity (log-likelihood)"}
    assert scores.higher_is_better == {"acc": True, "perplexity (log-likelihood)": True}
    assert next(iter(scores.metric("perplexity (log-likelihood)").ballots())) == [("ada",), ("bob",)]
    assert sum("samples hold log-likelihoods under 'perplexity'" in note for note in scores.reading.notes) == 2


def test_runs_with_other_prompts_are_refused_by_their_hashes():
    with pytest.raises(
        ReadError, match=r"'tiny_mc', item '0', has the hash 663a4ee792e7\+9355b04f8790 .*hashes.: .ignore"
    ):
        read(reader, "lm_eval/v1/org__model-b", "lm_eval/v2")
    with pytest.raises(ReadError, match=r"task 'tiny_mc' has the hash 3f4874d66825 in .*v1.* and acd926779e47 in .*v2"):
        read(reader, "lm_eval/v1/*/results_*", "lm_eval/v2/*/results_*")
    with pytest.raises(ReadError, match="task 'tiny_mc' has the hash 3f4874d66825"):
        read(reader, "lm_eval/v1/org__model-b", "lm_eval/v2/*/results_*")


def test_hashes_are_ignored_when_the_user_says_so():
    scores = read(reader, "lm_eval/v1/org__model-b", "lm_eval/v2", columns={"hashes": "ignore"})
    assert scores.agents == ("org/model-a", "org/model-b")


def test_two_runs_of_one_model_are_reported_as_replicates():
    scores = read(reader, "lm_eval/v1", "lm_eval/v2", columns={"hashes": "ignore"})
    assert {r for r, a in zip(column(scores, "replicate"), scores.agent, strict=True) if a == 0} == {"run 1", "run 2"}
    assert "org/model-a on tiny_mc" in scores.reading.notes[-1]


def test_a_limited_run_and_a_nameless_model_are_noted():
    notes = " ".join(read(reader, "lm_eval/limit").reading.notes)
    assert "'tiny_mc' was run on 2 of 4 documents" in notes
    assert "'hpbhprii' is a stand-in" in notes


def test_old_samples_without_names_of_metrics_are_read(tmp_path):
    write(tmp_path / f"results_{TIME}.json", RESULTS)
    old = {key: value for key, value in SAMPLE.items() if key not in ("metrics", "filter")}
    write(tmp_path / f"samples_my_task_{TIME}.jsonl", [old])
    assert scores_by(read(reader, tmp_path / f"samples_my_task_{TIME}.jsonl"), "task", "metric", "item") == {
        ("ada", "my_task", "acc", "0"): 1
    }


def test_samples_without_their_results_say_what_is_missing(tmp_path):
    path = write(tmp_path / f"samples_t_{TIME}.jsonl", [SAMPLE])
    with pytest.raises(ReadError, match=r"must lie beside the results file of its run.*there is none"):
        read(reader, path)
    for day in ("14", "15"):
        write(tmp_path / f"results_2026-10-{day}T00-00-00.json", RESULTS)
    with pytest.raises(ReadError, match="there are 2"):
        read(reader, path)


def test_a_document_scored_twice_is_refused(tmp_path):
    write(tmp_path / f"results_{TIME}.json", RESULTS)
    path = write(tmp_path / f"samples_t_{TIME}.jsonl", [SAMPLE, SAMPLE])
    with pytest.raises(ReadError, match="'0' has 'acc' twice, again in line 2"):
        read(reader, path)


def test_tasks_that_disagree_about_a_direction_are_refused_unless_settled(tmp_path):
    both = {"t": {"acc,none": 0.5}, "u": {"acc,none": 0.1}}
    results = {**RESULTS, "results": both, "higher_is_better": {"t": {"acc": True}, "u": {"acc": False}}}
    path = write(tmp_path / f"results_{TIME}.json", results)
    with pytest.raises(ReadError, match="'acc' on 'u'"):
        read(reader, path)
    assert read(reader, path, lower=["acc"]).higher_is_better == {"acc": False}


def test_damaged_results_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(reader, tmp_path / f"results_{TIME}.json", RESULTS)


def test_damaged_samples_end_in_a_sentence(tmp_path):
    write(tmp_path / f"results_{TIME}.json", RESULTS)
    assert_damage_ends_in_a_sentence(
        reader, tmp_path / f"samples_t_{TIME}.jsonl", [SAMPLE, {**SAMPLE, "doc_id": 1, "doc_hash": "d1"}]
    )


def test_a_file_cut_short_ends_in_a_sentence(tmp_path):
    shutil.copytree(FILES / "lm_eval/v1/org__model-a", tmp_path / "cut")
    path = next((tmp_path / "cut").glob("samples_*"))
    path.write_text(path.read_text()[:-200])
    with pytest.raises(ReadError, match="line 4 is not"):
        reader.read(find(tmp_path / "cut"), Options())
    results = next((tmp_path / "cut").glob("results_*"))
    results.write_text(json.dumps(RESULTS)[:-9])
    with pytest.raises(ReadError, match="must be JSON"):
        reader.read(find(results), Options())


@pytest.mark.parametrize(
    ("arguments", "model"),
    [
        ("pretrained=a/b,revision=r", "a/b@r"),
        ("model=x", "x"),
        ("dtype=auto", ""),
        (None, ""),
        ("model=x,pretrained=y", "y"),
    ],
)
def test_a_model_is_what_the_arguments_name(arguments, model):
    fields = SimpleNamespace(fields=lambda *_, **__: SimpleNamespace(optional=lambda _: arguments))
    assert _model_of(fields) == model
