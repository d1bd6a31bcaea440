"""Laws over every rule: add a rule to the registry and it is held to them.

The laws themselves are those of `beatpath.testing`, which holds methods of others to them; here Hypothesis looks for what breaks
them. Where the registry grants a property of VasE's Table 4, all small profiles, and random ones, are searched for what breaks it;
where it denies one to a voting rule, a stored counterexample shows it (tests/golden/vase_table4.json).
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots
from beatpath.methods.registry import METHODS, PROPERTIES
from beatpath.methods.tournament.solutions import top_cycle
from beatpath.testing import PROPERTIES as SEARCHED
from beatpath.testing import anonymous, counted_alike, counts, neutral, repeatable, rounding, scaling, ties, whole
from helpers.paths import GOLDEN
from helpers.strategies import ballots, battles

KEYS = sorted(key for key, method in METHODS.items() if "ballots" in method.takes)
IN_ORDER = {"weng_lin"}  # rate games one after another
PAIRWISE = sorted(key for key, method in METHODS.items() if {"battles", "pairs"} <= method.takes)
VOTING = sorted(
    key
    for key, method in METHODS.items()
    if method.home.startswith(("voting.", "kemeny.", "runoff.", "median.", "refinement.")) and "ballots" in method.takes
)
CONNECTED = {  # refuse agents that no battles join
    *("bradley_terry", "bradley_terry_firth", "thurstone", "plackett_luce"),
    *("rank_centrality", "eigenvector_centrality", "hodge_rank"),
}
few = settings(max_examples=25, deadline=None)


def rule(key):
    """A method as a function of evidence; an example that it refuses for want of a finite estimate is no example."""

    def ranked(evidence):
        try:
            return bp.rank(evidence, key, matrix="raw")
        except bp.DataError:
            if key in CONNECTED:
                reject()
            raise

    return ranked


def having(name):
    return sorted(key for key, method in METHODS.items() if name in method.properties)


CHANCE = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@st.composite
def strict(draw, max_agents=5, max_votes=6):
    """Strict complete ballots with real weights, so that margins tie only where they must."""
    agents = draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=max_agents, unique=True))
    votes = draw(st.lists(st.permutations(sorted(agents)), min_size=1, max_size=max_votes))
    weight = draw(st.lists(st.integers(1, 10**6), min_size=len(votes), max_size=len(votes)))
    return Ballots.of([[[name] for name in vote] for vote in votes], weight=[w / 1e5 for w in weight])


@pytest.mark.parametrize("key", KEYS)
@few
@given(b=ballots(), chance=CHANCE)
def test_neutral_renaming_agents_renames_the_answer(key, b, chance):
    neutral(rule(key), b, chance)


@pytest.mark.parametrize("key", [key for key in KEYS if key not in IN_ORDER])
@few
@given(b=ballots(), chance=CHANCE)
def test_anonymous_the_order_of_the_votes_changes_nothing(key, b, chance):
    anonymous(rule(key), b, chance)


@pytest.mark.parametrize("key", KEYS)
@few
@given(b=ballots(), chance=CHANCE)
def test_a_count_is_that_many_votes(key, b, chance):
    counts(rule(key), b, chance)


@pytest.mark.parametrize("key", PAIRWISE)
@few
@given(b=battles())
def test_pairwise_rules_take_battles_and_their_counts_alike(key, b):
    counted_alike(rule(key), b)


SCALED = sorted({*KEYS, *PAIRWISE} - {"elo", *IN_ORDER})  # steps have a unit
FITTED = {"bradley_terry", "bradley_terry_firth", "bradley_terry_posterior", "plackett_luce", "thurstone"}
SOLVED = {"nash_averaging", "deviation_ratings", "sco", "wsco", "pagerank"}  # distinguished as far as their solver goes


@pytest.mark.parametrize("key", [key for key in SCALED if key in KEYS])
@settings(max_examples=8, deadline=None)
@given(b=ballots(), chance=CHANCE)
def test_homogeneous_weights_multiplied_by_one_number_change_no_answer(key, b, chance):
    scaling(rule(key), replace(b, weight=np.ones(len(b))), chance)


@pytest.mark.parametrize("key", [key for key in SCALED if key in KEYS])
@settings(max_examples=8, deadline=None)
@given(b=strict(), chance=CHANCE)
def test_homogeneous_real_weights_multiplied_by_one_number_change_no_answer(key, b, chance):
    scaling(rule(key), b, chance)


@pytest.mark.parametrize("key", sorted(key for key, method in METHODS.items() if "margins" in method.takes))
@pytest.mark.parametrize("scale", [1e-10, 1.0, 3.0, 1e10])
def test_every_rule_takes_a_rounding_margin_for_the_tie_it_is(key, scale):
    rounding(rule(key), scale)


@pytest.mark.parametrize("key", sorted({*SCALED} & {*KEYS} - SOLVED - FITTED - {"approval", "eigenvector_centrality"}))
@pytest.mark.parametrize("count", [[10**9 + 1, 10**9], [10**15 + 1, 10**15]])
def test_one_vote_of_two_milliards_decides(key, count):
    if key in ("hodge_rank", "rank_centrality") and count[1] > 10**9:
        pytest.skip("a share of battles cannot tell them apart")
    assert bp.rank(Ballots.of([["a", "b", "c"], ["b", "a", "c"]], count=count), key).winners == ("a",)


@pytest.mark.parametrize("count", [[10**9 + 1, 10**9], [10**15 + 1, 10**15]])
def test_the_core_and_the_condorcet_winner_see_the_one_vote_too(count):
    votes = Ballots.of([["a", "b", "c"], ["b", "a", "c"]], count=count)
    assert bp.rank(votes, "copeland").condorcet.strong == "a"
    assert top_cycle(votes.pairs().margins()).tolist() == [True, False, False]
    assert bp.core(votes).top_cycle.members == ("a",)


@pytest.mark.parametrize("weight", [[3, 3, 2, 2], [0.3, 0.3, 0.2, 0.2], [3e-10, 3e-10, 2e-10, 2e-10]])
def test_the_quota_of_stv_scales(weight):
    votes = Ballots.of(["ABCD", "ABDC", "CDAB", "CDBA"], weight=weight)
    assert bp.rank(votes, "stv", k=2).details["elected"] == ["A", "C"]


@pytest.mark.parametrize("key", KEYS)
def test_the_evidence_is_left_alone_and_the_answer_repeats(key):
    b = Ballots.of([[["x"], ["y", "z"]], [["z"], ["x"]], [["y"]]], weight=[1.5, 2.0, 0.25])
    repeatable(rule(key), b, None)


@pytest.mark.parametrize("key", [key for key in KEYS if key != "plackett_luce"])  # ties alone have no estimate there
@few
@given(b=ballots(), chance=CHANCE)
def test_when_all_are_tied_everyone_wins(key, b, chance):
    ties(rule(key), b, chance)


@pytest.mark.parametrize("key", KEYS)
def test_one_agent_is_the_winner(key):
    assert bp.rank(Ballots.of([[["only"]]]), key).winners == ("only",)


@pytest.mark.parametrize("key", KEYS)
@few
@given(b=strict(), chance=CHANCE)
def test_answers_are_whole(key, b, chance):
    """Every agent stands on exactly one level, and the answer survives JSON and HTML."""
    whole(rule(key), b, chance)
    ranking = rule(key)(b)
    assert ranking.to_dict()["method"] == key
    assert ranking._repr_html_().count("<tr>") == len(b.agents) + 1
    assert [row["rank"] for row in ranking.rows()] == sorted(row["rank"] for row in ranking.rows())


@pytest.mark.parametrize("key", having("condorcet"))
@few
@given(b=ballots())
def test_condorcet_consistent_the_strong_winner_wins_alone(key, b):
    ranking = bp.rank(b, key)
    assume(ranking.condorcet.strong is not None)
    assert ranking.winners == (ranking.condorcet.strong,)


def with_clone(b, agent, clone, above):
    """Every vote that ranks the agent ranks its clone beside it, above or below."""
    votes = []
    for vote, up in zip(b, above, strict=True):
        flat = [group[0] for group in vote]
        at = flat.index(agent)
        flat[at : at + 1] = [clone, agent] if up else [agent, clone]
        votes.append([[name] for name in flat])
    return Ballots.of(votes, weight=b.weight)


@pytest.mark.parametrize("key", having("clone"))
@few
@given(b=strict(max_agents=4), data=st.data())
def test_clone_consistent_a_clone_changes_nothing_for_the_others(key, b, data):
    """VasE Definition 4, on profiles whose margins tie only between clones."""
    margins = np.abs(b.pairs().margins().matrix[np.triu_indices(len(b.agents), 1)])
    assume(len(margins) == len(np.unique(margins.round(9))) and (margins > 1e-6).all())
    agent = data.draw(st.sampled_from(b.agents))
    above = data.draw(st.lists(st.booleans(), min_size=len(b), max_size=len(b)))
    before = set(bp.rank(b, key).winners)
    after = set(bp.rank(with_clone(b, agent, "zz", above), key).winners)
    assert (agent in before) == bool({agent, "zz"} & after)
    assert before - {agent} == after - {agent, "zz"}


def maximal(matrix, p):
    """Whether a lottery is maximal: no agent is preferred to it on average."""
    return bool((p @ matrix >= -1e-7 * max(1.0, np.abs(matrix).max())).all())


@few
@given(b=strict(), data=st.data())
def test_agenda_consistent_a_maximal_lottery_stays_one_when_losers_leave(b, data):
    """VasE Definition 5: contraction to any agenda that holds the support, and expansion back."""
    ranking = bp.rank(b, "maximal_lottery")
    p = np.array([ranking.scores[name] for name in b.agents])
    losers = [i for i in range(len(p)) if p[i] < 1e-9]
    gone = data.draw(st.sets(st.sampled_from(losers))) if losers else set()
    remaining = [i for i in range(len(p)) if i not in gone]
    matrix = b.pairs().margins().matrix
    assert maximal(matrix, p)
    assert maximal(matrix[np.ix_(remaining, remaining)], p[remaining])


@few
@given(b=strict(max_agents=4), data=st.data())
def test_population_consistent_a_lottery_maximal_for_both_is_maximal_for_their_union(b, data):
    weight = data.draw(st.lists(st.integers(1, 10**6), min_size=len(b), max_size=len(b)))
    c = replace(b, weight=np.array(weight) / 1e5)
    p, q = (np.array([bp.rank(x, "maximal_lottery").scores[n] for n in b.agents]) for x in (b, c))
    for lottery, other in ((p, c), (q, b)):
        if maximal(other.pairs().margins().matrix, lottery):
            assert maximal(b.pairs().margins().matrix + c.pairs().margins().matrix, lottery)


COUNTEREXAMPLES = json.loads((GOLDEN / "vase_table4.json").read_text())["cases"]


@pytest.mark.parametrize("case", COUNTEREXAMPLES, ids=lambda c: f"{c['method']}-{c['property']}")
def test_what_table_4_denies_a_stored_profile_shows(case):
    method, prop = case["method"], case["property"]
    first = Ballots.of(case["votes"], count=case["count"])
    before = set(bp.rank(first, method, **case.get("settings", {})).winners)
    if prop == "condorcet":
        strong = bp.rank(first, method, **case.get("settings", {})).condorcet.strong
        assert strong is not None
        assert before != {strong}
        return
    if prop == "agenda":
        winners = bp.rank(bp.only(first, case["agenda"]), method, **case.get("settings", {})).winners
        assert before <= set(case["agenda"])
        assert set(winners) != before
        return
    second = Ballots.of(case["then"], count=case["then_count"])
    after = set(bp.rank(second, method, **case.get("settings", {})).winners)
    if prop == "clone":
        clones = {*case["agent"], case["clone"]}  # a set of clones that grows by one
        assert not (bool(clones & before) == bool(clones & after) and before - clones == after - clones)
    elif prop == "population":
        union = Ballots.of(case["votes"] + case["then"], count=case["count"] + case["then_count"])
        assert before & after
        assert not set(bp.rank(union, method, **case.get("settings", {})).winners) <= before & after
    elif prop == "iia":
        a, b = case["pair"]
        assert bp.only(first, [a, b]).pairs().counts.tolist() == bp.only(second, [a, b]).pairs().counts.tolist()
        one, other = (bp.rank(votes, method, **case.get("settings", {})) for votes in (first, second))
        assert one.rank(a) < one.rank(b)
        assert other.rank(a) >= other.rank(b)
    else:
        raise AssertionError(prop)


def test_every_denial_has_its_counterexample():
    denied = {(key, prop) for key in VOTING for prop in PROPERTIES if prop not in METHODS[key].properties}
    assert denied == {(case["method"], case["property"]) for case in COUNTEREXAMPLES}


GRANTS = [(key, prop) for key in VOTING for prop in PROPERTIES if prop in METHODS[key].properties]


@pytest.mark.parametrize(("key", "prop"), GRANTS)
def test_what_is_granted_no_small_profile_breaks(key, prop):
    few_agents = {"approval": {"k": 2}, "stv": {"k": 1}}  # settings of a rule here
    settings = few_agents.get(key, {})

    def ranked(votes):
        fewer = {name: min(k, len(votes.agents)) for name, k in settings.items()}
        return bp.rank(votes, key, **fewer)

    assert next(SEARCHED[prop](ranked), None) is None


def test_weights_and_replaced_evidence_agree():
    b = Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], weight=[2.0, 1.0])
    assert bp.rank(b, "borda").winners == ("x",)
    assert bp.rank(replace(b, weight=[1.0, 2.0]), "borda").winners == ("y",)


UNCERTAIN = ("bradley_terry_firth", "bradley_terry_posterior", "bradley_terry_structured", "thurstone")


@pytest.mark.parametrize("key", UNCERTAIN)
@pytest.mark.parametrize("clustered", [False, True])
def test_weights_of_a_thousand_make_no_thousand_battles(key, clustered):
    rng = np.random.default_rng(0)
    rows = [(a, b, float(rng.random() < p)) for a, b, p in (("x", "y", 0.7), ("y", "z", 0.6), ("x", "z", 0.8)) * 20]
    factors = {"cluster": bp.Factor.of([str(i // 4) for i in range(60)])} if clustered else {}
    plain, heavy = (bp.Battles.of(rows, factors=factors, weight=w) for w in (None, [1000.0] * 60))
    one, other = (bp.rank(battles, key).details for battles in (plain, heavy))
    part = "standard_deviation" if key == "bradley_terry_posterior" else "standard_errors"
    assert one[part] == pytest.approx(other[part], rel=1e-6)
    assert min(one[part].values()) > 0.05


def test_ratings_that_update_battle_by_battle_say_that_a_weight_multiplies_the_step():
    heavy = bp.Battles.of([("x", "y", 1), ("y", "x", 1)], weight=[3.0, 1.0])
    for key in ("elo", "glicko2", "weng_lin"):
        assert "of weight w moves" in bp.rank(heavy, key).status
        assert "of weight w moves" not in bp.rank(replace(heavy, weight=[1.0, 1.0]), key).status
