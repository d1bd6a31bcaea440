import pytest

from beatpath._errors import ReadError, UnknownLabel
from beatpath.data.formats.judgments import arena_hard as reader
from helpers.format_trial import assert_damage_ends_in_a_sentence, battle_list, column, read, write

RECORD = {
    "uid": "u1",
    "category": "hard_prompt",
    "judge": "gpt-4.1",
    "model": "ada",
    "baseline": "base",
    "games": [{"score": "A>>B"}, {"score": "A=B"}],
}


def test_the_first_game_shows_the_baseline_as_a_and_the_second_the_model():
    battles = read(reader, "arena_hard/v2/deepseek-r1.jsonl")
    # u1 A>>B, B>A: lost twice, the first strongly; u2 B>A, A>B: won twice; u3 ties; u4 A<<B, A>>B: won strongly twice
    assert [o for _, _, o in battle_list(battles)] == [0, 0, 1, 1, 0.5, 0.5, 1, 1, 1, 1]
    assert battles.weight.tolist() == [3, 1, 1, 1, 1, 1, 3, 3, 1, 1]
    assert battles.position.tolist() == [-1, 1] * 4 + [1, 1]
    assert battle_list(battles)[0][:2] == ("deepseek-r1", "o3-mini-2025-01-31")
    assert battle_list(battles)[6][:2] == ("deepseek-r1", "gemini-2.0-flash-001")
    assert column(battles, "cluster")[:3] == ["u1", "u1", "u2"]
    assert column(battles, "task")[6] == "creative_writing"


def test_games_without_a_verdict_are_dropped():
    assert read(reader, "arena_hard/v2/deepseek-r1.jsonl").reading.dropped == {"the judge gave no verdict": 2}


def test_the_weight_of_strong_verdicts_is_a_convention():
    (convention,) = read(reader, "arena_hard/v2").conventions
    assert (convention.name, convention.value, convention.affected) == ("strong", "3", 6)


@pytest.mark.parametrize(
    ("verdict", "outcome", "weight"),
    [
        *[("A>>B", 1, 3), ("A>B", 1, 1), ("A=B", 0.5, 1), ("B=A", 0.5, 1), ("A<B", 0, 1), ("A<<B", 0, 3)],
        *[("B>A", 0, 1), ("B>>A", 0, 3), ("B<A", 1, 1), ("B<<A", 1, 3)],
    ],
)
def test_every_verdict_has_its_outcome_for_the_model_shown_as_a(tmp_path, verdict, outcome, weight):
    path = write(tmp_path / "m.jsonl", [{**RECORD, "games": [None, {"score": verdict}]}])
    battles = read(reader, path)
    assert (battles.outcome.tolist(), battles.weight.tolist()) == ([outcome], [weight])


def test_an_old_file_needs_the_name_of_its_baseline():
    with pytest.raises(ReadError, match=r"must name its `baseline`.*'old-model'.*map=.\"baseline\": \"NAME\""):
        read(reader, "arena_hard/v0.1")
    battles = read(reader, "arena_hard/v0.1", columns={"baseline": "gpt-4-0314"})
    assert battle_list(battles) == [("old-model", "gpt-4-0314", 0)] * 2
    assert column(battles, "cluster") == ["328c149ed45a41c0b9d6f14659e63599"] * 2


def test_labels_speak_of_a_and_b_as_the_judge_saw_them(tmp_path):
    path = write(tmp_path / "m.jsonl", [{**RECORD, "games": [{"score": "first"}, {"score": "first"}]}])
    with pytest.raises(UnknownLabel, match=r"'first' \(2\)"):
        read(reader, path)
    assert read(reader, path, labels={"first": "a"}).outcome.tolist() == [0, 1]


def test_the_baseline_judged_against_itself_raises_or_is_dropped(tmp_path):
    path = write(tmp_path / "m.jsonl", [RECORD, {**RECORD, "model": "base"}])
    with pytest.raises(ReadError, match="'base' is in line 2"):
        read(reader, path, self_battles="error")
    assert read(reader, path).reading.dropped == {"agent against itself": 2}


def test_damaged_files_end_in_a_sentence(tmp_path):
    assert_damage_ends_in_a_sentence(reader, tmp_path / "m.jsonl", [RECORD, RECORD])
