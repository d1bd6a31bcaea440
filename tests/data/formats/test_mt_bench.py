import numpy as np
import pytest

from beatpath._errors import ReadError, UnknownLabel
from beatpath.data.formats.judgments import mt_bench_pair as pair
from beatpath.data.formats.judgments import mt_bench_single as single
from helpers.format_trial import assert_damage_ends_in_a_sentence, battle_list, claimed, column, read, scores_by, write

PAIR = {
    "question_id": 81,
    "model_1": "ada",
    "model_2": "bob",
    "g1_winner": "model_1",
    "g2_winner": "tie",
    "judge": ["gpt-4", "pair-v2"],
    "turn": 1,
    "tstamp": 1686287081.5,
}
GRADE = {"question_id": 81, "model": "ada", "judge": ["gpt-4", "single-v1"], "score": 7, "turn": 2, "tstamp": 1.5}


def test_each_reader_claims_its_own_files_only():
    assert [s.path.name for s in claimed(pair, "mt_bench")] == ["gpt-4_pair.jsonl", "gpt-4_pair_from_single.jsonl"]
    assert [s.path.name for s in claimed(single, "mt_bench")] == ["gpt-4_single.jsonl"]


def test_both_orders_of_a_pair_are_battles_with_a_position():
    battles = read(pair, "mt_bench/gpt-4_pair.jsonl")
    assert battle_list(battles)[:4] == [("claude-v1", "gpt-4", o) for o in (0, 0, 1, 0)]
    assert battles.position[:4].tolist() == [1, -1, 1, -1]
    assert column(battles, "task")[:4] == ["turn 1", "turn 1", "turn 2", "turn 2"]
    assert column(battles, "cluster")[:4] == ["81"] * 4
    assert set(column(battles, "judge")) == {"gpt-4"}
    assert battles.time[0] == 1686287081.5


def test_a_game_without_a_verdict_is_dropped_and_its_mirror_image_remains():
    battles = read(pair, "mt_bench/gpt-4_pair.jsonl")
    assert battles.reading.dropped == {"the judge gave no verdict": 1}
    assert [row for row in battle_list(battles) if row[0] == "llama-13b"] == [("llama-13b", "gpt-4", 0)]


def test_a_pair_made_of_single_grades_is_one_battle_without_position():
    battles = read(pair, "mt_bench/gpt-4_pair_from_single.jsonl")
    assert battle_list(battles) == [("claude-v1", "gpt-4", 0)]
    assert battles.position is None
    assert "task" not in battles.factors


def test_single_grades_give_the_means_of_the_official_table():
    scores = read(single, "mt_bench/gpt-4_single.jsonl")
    by = scores_by(scores, "task", "item")
    for agent, mean in (("gpt-4", 8.667), ("claude-v1", 6.667), ("llama-13b", 2.8)):  # printed by show_result.py
        assert np.mean([value for key, value in by.items() if key[0] == agent]) == pytest.approx(mean, abs=5e-4)
    assert scores.reading.dropped == {"the judge gave no grade": 1}
    assert ("llama-13b", "turn 2", "83") not in by


def test_an_unknown_winner_raises_with_every_label_and_its_count(tmp_path):
    path = write(tmp_path / "x_pair.jsonl", [{**PAIR, "g1_winner": "model_3"}, {**PAIR, "g2_winner": "model_3"}])
    with pytest.raises(UnknownLabel, match=r"'model_3' \(2\).*labels=.\"model_3\": \"drop\""):
        read(pair, path)


def test_labels_of_the_user_come_first(tmp_path):
    path = write(tmp_path / "x_pair.jsonl", [{**PAIR, "g1_winner": "model_3"}, {**PAIR, "g2_winner": "error"}])
    battles = read(pair, path, labels={"model_3": "drop", "error": "both_bad"})
    assert battles.reading.dropped == {"label to be dropped": 1}
    assert battles.both_bad.tolist() == [False, False, True]
    with pytest.raises(UnknownLabel, match="'nobody' is none of them"):
        read(pair, path, labels={"model_3": "nobody"})


def test_an_agent_that_meets_itself_raises_or_is_dropped(tmp_path):
    path = write(tmp_path / "x_pair.jsonl", [PAIR, {**PAIR, "model_2": "ada"}])
    with pytest.raises(ReadError, match="'ada' is in line 2 of"):
        read(pair, path, self_battles="error")
    assert read(pair, path).reading.dropped == {"agent against itself": 2}


def test_a_file_of_errors_only_says_why_nothing_is_left(tmp_path):
    path = write(tmp_path / "x_single.jsonl", [{**GRADE, "score": -1}])
    with pytest.raises(ReadError, match=r"all were dropped \(the judge gave no grade: 1\)"):
        read(single, path)


def test_damaged_files_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(pair, tmp_path / "x_pair.jsonl", [PAIR, PAIR])
    assert_damage_ends_in_a_sentence(single, tmp_path / "x_single.jsonl", [GRADE, {**GRADE, "question_id": 82}])
