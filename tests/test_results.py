"""What every result offers, over all of them at once: a short name, sentences, plain data, rows, frames, safe tables."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath._result import TableResult
from helpers.schemas import validated

NAMES = ("<img src=x onerror=alert(1)>", "bob & sons", "cyd\x1b[31m", "=dan")
PICTURED = {
    "resolution",
    "rank sets",
    "tiers",
    "win rates",
    "comparison",
    "core",
    "performance profile",
    "resolution of runs",
    "strength curves",
    "resolution by context",
    "judges",
}


def _battles():
    rng = np.random.default_rng(3)
    pairs = [rng.choice(4, 2, replace=False) for _ in range(400)]
    rows = [(NAMES[i], NAMES[j], float(rng.random() < 0.5 + (j - i) / 10)) for i, j in pairs]
    task, judge = (bp.Factor.of(rng.choice(list(names), 400).tolist()) for names in ("xy", "jkl"))
    return bp.Battles.of(rows, factors={"task": task, "judge": judge})


def _runs():
    agent, task, _ = np.indices((4, 5, 3)).reshape(3, -1)
    value = np.random.default_rng(4).random(60)
    return bp.Scores(NAMES, agent, value, {"task": bp.Factor.of([f"t{t}" for t in task])})


@pytest.fixture(scope="module")
def evidence():
    return _battles()


MADE = {
    "ranking": lambda evidence: bp.rank(evidence, "bradley_terry"),
    "ranking without scores": lambda evidence: bp.rank(evidence, "split_cycle"),
    "comparison": lambda evidence: bp.compare_methods(evidence, ["copeland", "schulze"]),
    "stability": lambda evidence: bp.robustness.stability(evidence, ["copeland", "schulze"], draws=20),
    "check": bp.check,
    "core": bp.core,
    "core posterior": lambda evidence: bp.core(evidence).posterior,
    "cores": lambda evidence: bp.core_by(evidence, "task"),
    "win rates": bp.metrics.win_rate_inference,
    "leaderboard": bp.leaderboard,
    "rank sets": lambda evidence: bp.rank_sets(bp.leaderboard(evidence)),
    "tiers": lambda evidence: bp.tiers(bp.resolve(evidence)),
    "resolution": bp.resolve,
    "resolution by context": lambda evidence: bp.resolve(evidence, by="task"),
    "diff": lambda evidence: bp.diff(evidence, evidence),
    "cycles": lambda evidence: bp.cycles(bp.metrics.win_rate_inference(evidence)),
    "transitivity": lambda evidence: bp.robustness.transitivity(bp.metrics.win_rate_inference(evidence)),
    "projection": lambda evidence: bp.robustness.bradley_terry_projection(bp.metrics.win_rate_inference(evidence)),
    "bootstrap": lambda evidence: bp.bootstrap(evidence, "copeland", draws=30),
    "bootstrapped core": lambda evidence: bp.bootstrap(evidence, "core", draws=30),
    "smallest influential set": bp.robustness.smallest_influential_set,
    "leave one out": lambda evidence: bp.robustness.leave_one_out(evidence, "copeland", "judge"),
    "judges": bp.judges,
    "items": lambda evidence: bp.items(_runs()),
    "clones": lambda evidence: bp.robustness.clone(evidence, NAMES[0], ["copeland", "schulze"]),
    "A/A test": lambda evidence: bp.robustness.aa_test(evidence, NAMES[0], rounds=10),
    "minimum detectable effect": lambda evidence: bp.planning.minimum_detectable_effect(bp.leaderboard(evidence)),
    "run scores": lambda evidence: bp.metrics.run_scores(_runs(), draws=100),
    "performance profile": lambda evidence: bp.metrics.performance_profile(_runs(), draws=100),
    "critical differences": lambda evidence: bp.metrics.critical_differences(_runs()),
    "resolution of runs": lambda evidence: bp.resolve(_runs(), estimand="iqm", cluster="replicate"),
    "strength curves": lambda evidence: bp.online.strength_curves(
        replace(evidence, time=range(len(evidence))), drift=0.1
    ),
    "report": bp.report,
    "standing": lambda evidence: bp.Arena(":memory:", agents=evidence.agents).resolve(),
}


@pytest.fixture(scope="module", params=MADE)
def result(request, evidence):
    """Every result, under its name."""
    return request.param, MADE[request.param](evidence)


def test_its_name_for_itself_is_short(result):
    text = repr(result[1])
    assert len(text) < 300
    assert "\x1b" not in text


def test_a_result_has_sentences(result):
    sentences = result[1].sentences
    assert isinstance(sentences, tuple)
    assert all(isinstance(sentence, str) and sentence.strip() for sentence in sentences)
    assert "\x1b" not in "".join(sentences)
    assert "\x1b" not in str(result[1])


def test_its_plain_data_are_what_their_schema_says(result):
    data = validated(result[1].to_dict())
    assert data["schema_version"]


def test_its_rows_have_the_same_columns_and_are_plain(result):
    rows = list(result[1].rows()) if isinstance(result[1], TableResult) else []
    assert all(list(row) == list(rows[0]) for row in rows)
    plain = (str, int, float, bool, type(None))
    assert all(isinstance(value, plain) for row in rows for value in row.values())


def test_a_frame_has_its_rows(result):
    if not isinstance(result[1], TableResult):
        with pytest.raises(AttributeError, match="not a table"):
            result[1].to_frame()
        return
    rows = list(result[1])
    pytest.importorskip("pandas")
    frame = result[1].to_frame("pandas")
    assert list(frame.columns) == list(rows[0] if rows else ())
    assert len(frame) == len(rows)


def test_it_is_summed_up_and_saved(result, tmp_path):
    assert result[1].summary().strip()
    assert "\x1b" not in result[1].summary()
    assert result[1].save(tmp_path / "result.md").read_text(encoding="utf-8").strip()


def test_a_notebook_shows_it_and_no_name_can_act(result):
    shown = result[1]._repr_html_()
    assert "<img" not in shown
    assert "\x1b" not in shown
    assert "bob & sons" not in shown  # an ampersand stands escaped


def test_a_result_is_plotted_where_it_has_a_figure(result):
    name, value = result
    if name in PICTURED:
        spec = value.plot().to_dict()
        assert spec["$schema"]
        assert json.dumps(spec, allow_nan=False)
    else:
        with pytest.raises(AttributeError, match="no figure"):
            value.plot()


def test_no_result_holds_a_number_that_is_none_in_its_json(evidence):
    data = bp.rank(evidence, "split_cycle")
    assert all(math.isnan(score) for score in data.scores.values())
    assert set(validated(data.to_dict())["scores"].values()) == {None}
