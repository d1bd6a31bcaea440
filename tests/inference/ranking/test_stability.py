"""How often rankings stay what they are over draws of the win rates."""

import numpy as np
import pytest
from scipy.stats import norm

import beatpath as bp
from beatpath.evidence.condorcet import Condorcet
from beatpath.inference.matrix.win_matrix import win_matrix
from beatpath.inference.ranking.stability import RuleStability, Stability, StableAgent
from beatpath.methods.result import Ranking
from helpers.schemas import validated

THREE = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[42, 38, 0, 0], [95, 5, 0, 0], [90, 10, 0, 0]])


def test_two_agents_are_first_as_often_as_the_normal_distribution_of_their_rate_says():
    two = bp.Pairs(("ada", "bob"), [0], [1], [[55, 45, 0, 0]])
    stability, made = bp.robustness.stability(two, "copeland", draws=2000), win_matrix(two)
    expected = norm.cdf((made.rate[0, 1] - 0.5) / made.stderr[0, 1])
    assert stability.of("copeland").winners_stay == pytest.approx(expected, abs=0.04)
    assert sum(one.first for one in stability.of("copeland").agents.values()) == pytest.approx(1.0)


def test_shares_are_those_of_ranking_each_draw_by_itself():
    shares = bp.robustness.stability(THREE, ["minimax"], draws=60, seed=5, budget=60.0).of("minimax")
    first, ranks = np.zeros(3), []
    for rate in win_matrix(THREE).draws(np.random.default_rng(5), 60):
        one = bp.rank(bp.WinRates(rate, THREE.agents), "minimax")
        ranks.append([one.rank(name) for name in THREE.agents])
        first += [name in one.winners for name in THREE.agents]
    agents = [shares.agents[name] for name in THREE.agents]
    np.testing.assert_allclose([one.first for one in agents], first / 60)
    own = [shares.ranking.rank(name) for name in THREE.agents]
    assert [one.rank for one in agents] == own
    np.testing.assert_allclose([one.stays for one in agents], (np.array(ranks) == own).mean(axis=0))
    np.testing.assert_array_equal([one.low for one in agents], np.sort(ranks, axis=0)[2])  # 3 of 60 draws, or 0.05
    np.testing.assert_array_equal([one.high for one in agents], np.sort(ranks, axis=0)[56])


def test_every_rule_that_compares_pairs_is_run_together():
    stability = bp.robustness.stability(THREE, draws=20)
    assert {"copeland", "schulze", "kemeny", "iml", "alpha_rank"} <= {one.ranking.method for one in stability.rules}
    assert all(
        one.agents[THREE.agents[2]].stays == 1.0
        for one in stability.rules
        if len(one.ranking.levels) == 3 and one.draws
    )
    assert len(stability.rows()) == 3 * len(stability.rules)
    validated(stability.to_dict())


def test_a_rule_without_time_says_so():
    stability = bp.robustness.stability(bp.example(), ["copeland", "kemeny"], draws=50, budget=0.001)
    assert stability.of("kemeny").draws < 50
    assert "no time" in stability.sentences[-1]
    validated(stability.to_dict())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "bradley_terry"}, "rules that compare pairs: copeland.*'bradley_terry' is none"),
        ({"matrix": "raw"}, "must be estimated here"),
        ({"draws": 0}, "`draws` must be a whole number, 1 or more"),
        ({"budget": 0}, "`budget` must be a number of seconds"),
    ],
)
def test_unsupported_options_get_a_sentence(options, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.robustness.stability(THREE, **options)


def test_rules_that_differ_by_more_than_the_draws_are_reported():
    """Two rules far apart on draws that never move: nothing but the rules can be the reason."""
    names = tuple("abcde")

    def rule(method, order):
        levels = tuple((name,) for name in order)
        made = Ranking(method, names, levels, dict.fromkeys(names, 0.0), Condorcet(None, ()))
        ranks = {name: made.rank(name) for name in names}
        agents = {name: StableAgent(k, float(k == 1), 1.0, float(k), float(k)) for name, k in ranks.items()}
        return RuleStability(made, 50, 1.0, agents)

    stability = Stability((rule("copeland", "abcde"), rule("minimax", "ebcda")), 50, {})
    assert stability.apart() == [("a", 1.0, 5.0, 0.0), ("e", 1.0, 5.0, 0.0)]
    assert "The rank of 2 agents varies more between the 2 ranking methods" in stability.sentences[-1]
    same = Stability((rule("copeland", "abcde"), rule("minimax", "abcde")), 50, {})
    assert same.sentences[-1] == "No agent's rank varies more between the 2 ranking methods than between draws."
