"""Sets of ranks as a result: who may be first, differences with intervals, plain data."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from beatpath.inference.options import PROCEDURES
from beatpath.inference.ranks.rank_sets import rank_sets
from helpers.boards import ANY, board_of
from helpers.paths import GOLDEN

PISA = json.loads((GOLDEN / "rank_sets_pisa.json").read_text())


DRAWS = 1_000


@pytest.fixture(scope="module")
def pisa():
    names, score, stderr = zip(*PISA["countries"], strict=True)
    return board_of(score, np.diag(np.square(stderr)), names=names)


def test_the_interval_of_a_difference_is_simultaneous_or_marginal():
    board = board_of([1.0, 0.0, 0.0], np.eye(3), 8.0)
    one = rank_sets(board, simultaneous=False).difference("agent000", "agent001")
    assert one.estimate == 1
    assert one.stderr == pytest.approx(np.sqrt(2))
    assert one.high - one.estimate == pytest.approx(stats.t.ppf(0.975, 8) * np.sqrt(2))
    every = rank_sets(board, multiplicity="bonferroni").difference("agent001", "agent000")
    assert every.low == pytest.approx(-1 - stats.t.ppf(1 - 0.025 / 3, 8) * np.sqrt(2))


def test_an_agent_without_a_score_may_hold_any_rank_and_leaves_nobody_certainly_first():
    ranks = rank_sets(board_of([9.0, np.nan, 0.0], 0.01 * np.eye(3)))
    assert (ranks.best.tolist(), ranks.worst.tolist()) == ([1, 1, 2], [2, 3, 3])
    assert ranks.group.tolist() == [1, 0, 2]
    assert ranks.top(1) == ("agent000", "agent001")
    assert "1 agent has no score and may hold any rank." in ranks.sentences
    assert ranks.skipped == 2


def test_sentences_say_who_may_be_first():
    assert rank_sets(board_of([9.0, 1.0], 0.1 * np.eye(2))).sentences[0] == "'agent000' is certainly first."
    assert rank_sets(board_of([0.0, 0.0], np.eye(2))).sentences[0] == "Either of the two agents may be first."
    assert rank_sets(board_of([0.0], np.eye(1))).sentences == ("'agent000' is the only agent.",)
    assert "by itself" in rank_sets(board_of([0.0, 0.0], np.eye(2)), simultaneous=False).sentences[-1]


def test_the_best_tau_grow_with_tau_and_hold_the_certain_ones(pisa):
    ranks = rank_sets(pisa)
    for tau in range(1, 37):
        assert set(ranks.certainly_top(tau)) <= set(ranks.top(tau)) <= set(ranks.top(tau + 1))
    assert len(ranks.top(37)) == len(ranks.certainly_top(37)) == 37
    assert ranks.unique_ranks == ("Colombia",)


@given(ANY, st.sampled_from(PROCEDURES), st.booleans())
@settings(max_examples=30)
def test_plain_data_are_json_without_nan(board, method, simultaneous):
    ranks = rank_sets(board, multiplicity=method, simultaneous=simultaneous, draws=DRAWS)
    data = json.loads(json.dumps(ranks.to_dict(), allow_nan=False))
    assert data["resolved_pairs"] == sum(len(row) for row in data["above"])
    assert data["settings"]["multiplicity"] == method
    assert data["settings"]["estimand"] == "mean_win_rate"


def test_hostile_names_are_escaped():
    ranks = rank_sets(board_of([1.0, 0.0], 0.001 * np.eye(2), names=("<b>\x1b[31m", "b")))
    assert "<b>" not in ranks._repr_html_()
    assert "\x1b" not in str(ranks) + ranks._repr_html_()
