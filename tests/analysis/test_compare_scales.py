"""What a point is, which way is better and which items are missing: compare says so, or refuses to guess."""

import pytest

import beatpath as bp


def run(folder, name, values, column="score"):
    path = folder / f"{name}.csv"
    path.write_text("\n".join([f"id,{column}", *(f"{i},{v}" for i, v in enumerate(values) if v is not None)]))
    return path


def test_a_point_that_may_be_a_hundredth_or_one_is_refused(tmp_path):
    old = run(tmp_path, "old", [0.85 + 0.001 * k for k in range(39)] + [1.05])
    new = run(tmp_path, "new", [0.55 + 0.001 * k for k in range(39)] + [1.05])
    with pytest.raises(
        bp.DataError, match=r"a point in 'new at most 1 point below base' must be clear.*0\.55 and 1\.05"
    ):
        bp.compare(base=old, new=new, claims=["new at most 1 point below base"])
    assert bp.compare(base=old, new=new, claims=["base > new"]).claims[0].supported


def test_points_of_scores_up_to_a_hundred_are_units(tmp_path):
    old, new = (run(tmp_path, name, [low + k % 7 for k in range(30)]) for name, low in (("old", 80), ("new", 79.5)))
    assert bp.compare(base=old, new=new, claims=["new at most 1 point below base"]).claims[0].supported


def test_the_name_of_a_mapped_column_says_that_lower_is_better(tmp_path):
    old, new = (
        run(tmp_path, name, [x + 0.01 * k for k in range(20)], "wer") for name, x in (("old", 0.6), ("new", 0.4))
    )
    options = {"map": {"item": "id", "value": "wer"}}
    assert any(
        "whose name suggests the reverse: `--lower wer`" in note
        for note in bp.compare(base=old, new=new, **options).notes
    )
    assert bp.compare(base=old, new=new, lower=["wer"], **options).answer.startswith("'new' is better than 'base'")


def test_items_that_one_run_lacks_stand_beside_the_answer(tmp_path):
    old = run(tmp_path, "old", [k % 2 for k in range(40)])
    new = run(tmp_path, "new", [None if k % 4 == 0 else 1 for k in range(40)])
    result = bp.compare(base=old, new=new, claims=["new > base"])
    assert "30 items, paired, 10 left out" in result.answer
    assert "30 items, paired, 10 left out" in result.claims[0].sentence
    assert any(note.startswith("Left out: 10 items that 'new' lacks.") for note in result.notes)


def test_scores_on_different_scales_are_noted(tmp_path):
    old = run(tmp_path, "old", [0.5, 0.6, 0.7] * 5)
    for name, median, noted in (
        ("percent", 66, True),
        ("above", 2.1, True),
        ("two", 2, False),
    ):  # 2 may be one of few levels
        new = run(tmp_path, name, [median - 1, median, median + 1] * 5)
        assert any(note.startswith("Scales differ") for note in bp.compare(base=old, new=new).notes) == noted
