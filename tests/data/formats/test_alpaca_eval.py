import pytest

from beatpath._errors import ReadError
from beatpath.data.formats.judgments import alpaca_eval as reader
from beatpath.data.sources.source import Options, find
from helpers.format_trial import assert_damage_ends_in_a_sentence, battle_list, column, read, write

RECORD = {
    "instruction": "Name three primes.",
    "generator_1": "ada",
    "generator_2": "bob",
    "annotator": "judge",
    "dataset": "koala",
    "preference": 1.25,
}


def test_soft_preferences_are_outcomes_for_the_first_generator():
    battles = read(reader, "alpaca_eval/weighted.json")
    assert [o for _, _, o in battle_list(battles)] == pytest.approx([1, 0, 0.07, 0.5, 0.93])
    assert battle_list(battles)[0][:2] == ("gpt4_1106_preview", "my-model")
    assert battles.reading.dropped == {"the judge gave no preference": 1}
    assert battles.position is None
    assert set(column(battles, "judge")) == {"weighted_alpaca_eval_gpt4_turbo"}
    assert set(column(battles, "task")) == {"helpful_base"}


def test_the_zero_of_early_files_is_a_tie():
    assert [o for _, _, o in battle_list(read(reader, "alpaca_eval/legacy.json"))] == [1, 0, 0.5]


def test_files_are_read_together():
    battles = read(reader, "alpaca_eval")
    assert battles.agents == ("gpt4_1106_preview", "my-model", "old-model", "text_davinci_003")
    assert len(battles) == 8


def test_a_long_instruction_becomes_a_short_stable_name(tmp_path):
    path = write(tmp_path / "annotations.json", [RECORD, {**RECORD, "instruction": "x" * 100}])
    assert column(read(reader, path), "cluster") == ["Name three primes.", "09ecb6ebc8bc"]


def test_a_preference_outside_its_range_raises_with_its_place(tmp_path):
    path = write(tmp_path / "annotations.json", [RECORD, {**RECORD, "preference": 2.5}])
    with pytest.raises(ReadError, match=r"from 1 to 2.*got 2\.5 in record 2 of .*annotations\.json"):
        read(reader, path)


def test_a_generator_compared_with_itself_raises_or_is_dropped(tmp_path):
    path = write(tmp_path / "annotations.json", [RECORD, {**RECORD, "generator_2": "ada"}])
    with pytest.raises(ReadError, match="cannot be compared with itself; 'ada' is in record 2"):
        read(reader, path, self_battles="error")
    assert len(read(reader, path)) == 1


def test_damaged_files_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(reader, tmp_path / "annotations.json", [RECORD, RECORD])
    (tmp_path / "annotations.json").write_text('[{"instruction": "x", "gener')
    with pytest.raises(ReadError, match="cut short"):
        reader.read(find(tmp_path / "annotations.json"), Options())
