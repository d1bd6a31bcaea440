"""`bp.items`: planted items are flagged, repeated runs and missing cells are read right, and what cannot be answered is refused."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.items.items import _flags
from beatpath.inference.items.items_result import COPY, EVERYBODY, NOBODY, REVERSED, SAME, SUSPECT
from beatpath.stats.item_answers import Answers

AGENTS = [f"a{k:02d}" for k in range(60)]


def planted(seed=0):
    """60 agents, 80 items: i0 nobody, i1 everybody, i2 mis-keyed, i4 a copy of i3, and the middle agent at random."""
    rng = np.random.default_rng(seed)
    lead = np.linspace(3, -3, 60)[:, None] - np.append(np.zeros(5), 2 * rng.normal(size=75))
    x = (rng.random((60, 80)) < 1 / (1 + np.exp(-lead))).astype(float)
    x[:, 0], x[:, 1], x[:, 2], x[:, 4] = 0.0, 1.0, 1 - x[:, 2], x[:, 3]
    x[30, 5:] = rng.permutation(x[30, 5:])
    return x


@pytest.fixture(scope="module")
def result():
    return bp.items(bp.Scores.from_table(planted(), AGENTS, [f"i{j}" for j in range(80)]))


def test_planted_items_and_the_odd_agent_are_flagged(result):
    assert result.flagged(NOBODY) == ("i0",)
    assert result.flagged(EVERYBODY) == ("i1",)
    assert result.flagged(REVERSED) == ("i2",)
    assert result.flagged(COPY) == ("i4",)
    assert result["i4"]["copy_of"] == "i3"
    assert result.odd == ("a30",)


def test_the_effective_number_is_that_of_the_variance_of_a_mean(result):
    spread = planted().std(axis=0)
    spread[3] += spread[4]  # copies move together
    spread[4] = 0.0
    assert result.effective == pytest.approx(spread.sum() ** 2 / (spread**2).sum())


def test_the_headline_and_the_facts_come_first_and_the_rest_is_details(result):
    view = result.view()
    assert view.headline == result.sentences[0]
    assert "2 tell no agents apart, 1 may be scored the wrong way round, 1 copied from another" in view.headline
    assert len(view.facts) == 5
    assert "Better agents score lower on 1 task of 78 (5.0 % chance of any false alarm): 'i2'." in view.facts
    assert view.tables[0].rows[0]["flag"] == REVERSED
    assert "Rasch" in " ".join(view.made_details().facts)
    assert "<table" in result._repr_html_()


def test_items_of_the_best_agents_are_counted(result):
    table = planted()
    best = np.argsort(-table.mean(axis=1), kind="stable")[:5]
    assert sum(one.same_at_top for one in result.items) == (~Answers(table[best]).live).sum()


def test_repeated_runs_are_counted_as_tries_and_lower_may_be_better():
    x = planted(1)
    agent, item = (one.ravel() for one in np.indices(x.shape))
    columns = {
        "item": bp.Factor.of([f"i{j}" for j in np.tile(item, 3)]),
        "replicate": bp.Factor.of([f"r{k // x.size}" for k in range(3 * x.size)]),
    }
    thrice = bp.Scores(tuple(AGENTS), np.tile(agent, 3), np.tile(x.ravel(), 3), columns)
    once = bp.items(bp.Scores.from_table(x, AGENTS, [f"i{j}" for j in range(80)]))
    result = bp.items(thrice)
    assert result.flagged(REVERSED, NOBODY, EVERYBODY) == once.flagged(REVERSED, NOBODY, EVERYBODY)
    assert {one.item: one.mean for one in result.items} == {one.item: one.mean for one in once.items}
    turned = bp.Scores(
        tuple(AGENTS), agent, 1 - x.ravel(), {"item": bp.Factor.of([f"i{j}" for j in item]), "metric": bp.Factor.of(["errors"] * x.size)},
        higher_is_better={"errors": False},
    )  # fmt: skip
    errors = bp.items(turned)
    assert errors.flagged(NOBODY) == once.flagged(NOBODY)
    assert errors.flagged(REVERSED) == once.flagged(REVERSED)


def test_graded_scores_and_missing_cells_are_taken_as_they_are():
    rng = np.random.default_rng(2)
    x = np.linspace(4, -4, 40)[:, None] + rng.normal(size=(40, 30))
    x[:, 0] *= -1
    x[:, 1] = 7.0
    x[rng.random(x.shape) < 0.1] = np.nan
    result = bp.items(bp.Scores.from_table(x, AGENTS[:40], [f"i{j}" for j in range(30)]))
    assert result.flagged(REVERSED) == ("i0",)
    assert result.flagged(SAME) == ("i1",)
    assert result["i2"]["agents"] == np.isfinite(x[:, 2]).sum()


def test_few_agents_show_nothing_and_get_a_note():
    result = bp.items(bp.Scores.from_table(planted()[::15], AGENTS[::15], [f"i{j}" for j in range(80)]))
    assert result.smallest_p == 1.0
    assert "4 agents are too few" in result.sentences[2]
    assert result.model.endswith(" Slopes by item (2PL) are not identified by fewer than 250 agents.")
    assert result.odd == ()


def test_steps_are_not_identified_and_get_a_note():
    result = bp.items(bp.Scores.from_table(np.triu(np.ones((6, 6))), AGENTS[:6], list("uvwxyz")))
    assert "A Rasch model is not identified, nor is one with slopes by item (2PL)" in result.model
    assert result["u"]["difficulty"] is None


def test_what_has_no_items_is_refused_with_what_to_do():
    with pytest.raises(bp.DataError, match="items must have scores, agent by item; got battles"):
        bp.items(bp.example())
    with pytest.raises(bp.DataError, match=r"2 agents and 1 item\. Name their column: `map=.*COLUMN"):
        bp.items(bp.Scores.from_table([[1.0], [0.0]], ["ada", "bob"], ["x"]))
    two = bp.Scores(("ada", "bob"), [0, 1], [1.0, 0.0], {"metric": bp.Factor.of(["f1", "acc"])})
    with pytest.raises(bp.DataError, match="one metric; these have 'acc', 'f1'"):
        bp.items(two)
    with pytest.raises(bp.UsageError, match="`top` must be a whole number, 2 or more"):
        bp.items(two, top=1)


def test_the_same_seed_gives_the_same_answer(result):
    again = bp.items(bp.Scores.from_table(planted(), AGENTS, [f"i{j}" for j in range(80)]))
    assert again.to_dict() == result.to_dict()


@pytest.mark.parametrize(
    ("agents", "slopes"), [(249, "not identified by fewer than 250 agents"), (250, "not estimated")]
)
def test_why_there_are_no_slopes_depends_on_the_number_of_agents(agents, slopes):
    table = np.random.default_rng(0).integers(0, 2, (agents, 4))
    result = bp.items(bp.Scores.from_table(table, [f"a{k:03d}" for k in range(agents)], list("wxyz")))
    assert f"Slopes by item (2PL) are {slopes}." in " ".join(result.sentences)


def test_a_p_value_that_is_the_error_exactly_is_flagged():
    """P-values are shares of sets of agents, so that one of four may be met."""
    answers = Answers(np.eye(3))
    p, adjusted = np.array([0.25, 0.25, 0.2500001]), np.array([0.25, 0.5, 0.5])
    flags = _flags(answers, np.eye(3), np.ones((3, 3)), [False] * 3, p, adjusted, 0.25)
    assert flags == [REVERSED, SUSPECT, ""]
