"""What the data resolve, as a whole: shape, claims, bad input, hostile names."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.data.example import CYCLE, truth
from beatpath.inference.resolve.resolve import resolve


@pytest.fixture(scope="module")
def resolution():
    return resolve(bp.example())


def test_the_planted_cycle_survives_and_a_bradley_terry_model_is_not_defensible(resolution):
    assert resolution.cycles.significant == 1
    assert set(resolution.cycles.strongest.agents) == set(CYCLE)
    assert resolution.one_scale.defensible is False


def test_every_certain_order_of_the_example_is_true(resolution):
    rates = truth().matrix
    score = (rates.sum(axis=1) - np.diag(rates)) / (len(rates) - 1)
    above, below = np.nonzero(resolution.ranks.above)
    assert (score[above] > score[below] - 0.02).all()  # one judge in five is biased, so that the truth is not quite it


def test_same_seed_same_answer(resolution):
    again = resolve(bp.example())
    assert json.dumps(again.to_dict()) == json.dumps(resolution.to_dict())


def test_the_order_of_rows_does_not_matter(resolution):
    battles = bp.example()
    mixed = battles.take(np.random.default_rng(1).permutation(len(battles)))
    for name, row in resolve(mixed).to_dict()["ranks"].items():
        assert row == pytest.approx(resolution.to_dict()["ranks"][name])


@pytest.mark.parametrize("estimand", ["mean_win_rate", "as_sampled", "bradley_terry", {"aurora": 1.0, "dune": 2.0}])
def test_every_estimand_resolves(estimand):
    assert resolve(bp.example(), estimand=estimand).ranks.resolved_pairs > 0


def test_tables_of_scores_resolve_by_tasks():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(4, 40)) + np.array([[2.0], [1.9], [0.0], [-3.0]])
    scores = bp.Scores.from_table(table, list("abcd"), [f"t{i:02d}" for i in range(40)])
    for estimand in ("auto", "mean_win_rate", "mean_score"):
        resolution = resolve(scores, estimand=estimand)
        assert resolution.test("a > c").supported
        assert not resolution.test("a > b").supported
        assert resolution.test("d is last").supported


def test_sentences_about_tables_and_ballots_are_in_their_own_unit():
    rng = np.random.default_rng(0)
    table = bp.Scores.from_table(rng.random((4, 8)), list("abcd"), list("stuvwxyz"))
    ballots = bp.Ballots.of([[[name] for name in rng.permutation(list("abcd")).tolist()] for _ in range(12)])
    for evidence, unit in ((table, "task"), (ballots, "ballot")):
        for estimand in ("auto", "mean_win_rate"):
            text = " ".join(bp.resolve(evidence, estimand=estimand).sentences)
            assert "battle" not in text.replace("--min-battles", "")
            assert "cluster" not in text
            assert f"20 {unit}s" in text
            assert f"if {unit}s are independent and other {unit}s would be like them" in text


def test_ballots_resolve_by_voter():
    ballots = bp.Ballots.of([[["a"], ["b"], ["c"]], [["b"], ["a"], ["c"]]], count=[30, 28])
    resolution = resolve(ballots)
    assert resolution.test("a > c").supported
    assert not resolution.test("a > b").supported


@pytest.mark.parametrize("level", [0.0, 1.0, -1, 95, float("nan")])
def test_a_level_must_lie_between_zero_and_one(level):
    with pytest.raises(bp.UsageError, match="between 0 and 1"):
        resolve(bp.example(), level=level)


def test_an_agent_with_one_battle_is_reported_as_wide_open():
    rows = [("a", "b", 1.0), *[("b", "c", float(i % 2)) for i in range(40)]]
    resolution = resolve(bp.Battles.of(rows), field="all")
    i = resolution.agents.index("a")
    assert (resolution.ranks.best[i], resolution.ranks.worst[i]) == (1, 3)
    assert any("fewer than 10 battles: 'a'" in note for note in resolution.notes)


@pytest.mark.parametrize(
    "scores", [bp.Scores(("a", "b"), [0, 1], [0.8, 0.7]), bp.Scores.from_table([[0.8], [0.7]], ["a", "b"], ["x"])]
)
def test_one_score_of_every_agent_does_not_show_how_much_is_chance(scores):
    with pytest.raises(bp.DataError, match="needs several scores of every agent; these agents have one each"):
        resolve(scores)
    assert bp.rank(scores, "borda").winners == ("a",)


def test_scores_that_nothing_tells_apart_are_means_of_runs():
    with pytest.raises(bp.DataError, match="agents here have up to 2, and no column says so"):
        resolve(bp.Scores(("a", "b"), [0, 0, 1, 1], [0.8, 0.7, 0.6, 0.5]))


@pytest.mark.parametrize(
    ("column", "noun"), [("prompt", "prompt"), ("question_id", "question"), ("cluster", "cluster")]
)
def test_few_clusters_are_called_as_their_column_in_the_file(column, noun):
    rng, rows = np.random.default_rng(0), {"model_a": [], "model_b": [], "winner": [], column: []}
    for prompt in range(12):
        strength = rng.normal(size=4)
        for _ in range(60):
            a, b = rng.choice(4, 2, replace=False)
            wins = rng.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
            for name, value in zip(
                rows, ("abcd"[a], "abcd"[b], "model_a" if wins else "model_b", f"p{prompt}"), strict=True
            ):
                rows[name].append(value)
    resolution = resolve(rows)
    assert dict(resolution.panel.levels) == {noun: 12}
    assert f"for {noun}s like these 12" in resolution.answer.text
