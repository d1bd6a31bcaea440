"""LightEval's details: one Parquet file per task, its folders naming the model."""

import pytest

import beatpath as bp
from beatpath.data.formats.harness import details as reader
from beatpath.testing import check_reader
from helpers.shapes import S, parquet


@pytest.fixture
def folder(tmp_path):
    for name, data in S["lighteval_details"].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path


def test_the_contract_of_readers_holds(folder):
    check_reader(reader, min(folder.rglob("*.parquet")))


def test_samples_are_items_and_models_of_one_name_stay_apart(folder):
    scores = bp.read(folder)
    assert scores.agents == ("org/a", "other/a")
    assert scores.factor("item").levels == ("0", "1", "2")
    assert scores.factor("metric").levels == ("em",)
    assert (scores.reading.format, scores.reading.rows_read, scores.reading.rows_used) == ("lighteval-details", 10, 10)


def test_averages_beside_the_details_are_passed_over(folder):
    for name, text in S["lighteval"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    reading = bp.read(folder).reading
    assert reading.rows_used == 10
    assert "passed over 2 other files" in reading.notes[-1]


@pytest.mark.parametrize("renamed", ["doc", "metric"])
def test_other_columns_are_not_taken_for_details(tmp_path, renamed):
    row = {"doc": {"id": "0", "query": "q", "task_name": "t"}, "metric": {"em": 1.0}, "model_response": {"text": ["x"]}}
    path = tmp_path / "details_t.parquet"
    path.write_bytes(parquet([{"zz" if key == renamed else key: value for key, value in row.items()}] * 2))
    with pytest.raises(bp.ReadError, match="must show what they mean"):
        bp.read(path)


def test_rows_without_a_number_are_counted(tmp_path):
    rows = [
        {"doc": {"id": str(i), "task_name": "t"}, "metric": {"em": v}, "model_response": 1}
        for i, v in enumerate((1.0, None))
    ]
    path = tmp_path / "model" / "details_t.parquet"
    path.parent.mkdir()
    path.write_bytes(parquet(rows))
    scores = bp.read(path)
    assert scores.agents == ("model",)
    assert scores.reading.dropped == {"no score": 1}
