"""Methods side by side: distances, movers, conventions, and errors that say what would do."""

import json

import pytest

import beatpath as bp
from beatpath import Ballots, Battles, Scores
from beatpath.inference.ranking.compare import compare_profile, vote_diversity
from beatpath.inference.ranking.rank import as_profile
from beatpath.methods.registry import METHODS

PENTATHLON = Ballots.of([[[n] for n in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])


def test_a_method_that_runs_by_name_alone_stands_first_beside_all():
    usual = [one.method for one in bp.compare_methods(PENTATHLON).rankings]
    assert [one.method for one in bp.compare_methods(PENTATHLON, ["all", "nanson"]).rankings] == ["nanson", *usual]
    with pytest.raises(bp.UsageError, match="'elo' takes battles"):
        bp.compare_methods(PENTATHLON, ["all", "elo"])


def test_all_methods_run_on_rankings_and_say_who_is_first():
    comparison = bp.compare_methods(PENTATHLON)
    assert len(comparison.rankings) == len(bp.compare_methods(PENTATHLON).to_dict()["results"])
    assert comparison.condorcet.strong == "C"
    assert set(comparison.not_run) == {"elo"}
    data = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert data["condorcet"] == {"strong": "C", "weak": ["C"]}
    assert data["distances"][0][0] == 0
    assert {"method", "levels", "scores", "status", "settings"} <= set(data["results"][0])


def test_battles_leave_out_the_rules_that_need_rankings_and_name_them():
    battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)])
    comparison = bp.compare_methods(battles)
    needing = {key for key, method in METHODS.items() if "battles" not in method.takes and not method.by_name}
    assert set(comparison.not_run) == needing >= {"plurality", "approval", "borda", "stv", "plackett_luce", "wsco"}
    with pytest.raises(bp.DataError, match=r"borda needs ballots or scores; battles are neither.*copeland"):
        bp.rank(battles, "borda")
    with pytest.raises(bp.UsageError, match="These do: copeland"):
        bp.compare_methods(battles, ["copeland", "borda"])


def test_movers_are_not_moved_by_a_method_that_ties_everyone():
    comparison = bp.compare_methods(PENTATHLON, ["copeland", "maximal_lottery"])
    moved = {name: (best, worst) for name, best, worst in comparison.movers()}
    assert moved == {"A": (2, 2), "B": (2, 3), "C": (1, 1)}


def test_weights_change_the_winner_and_are_reported():
    scores = Scores.from_table([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], ["bold", "safe"], ["code", "math", "toxicity"])
    assert bp.rank(scores, "borda").winners == ("bold",)
    cautious = bp.rank(scores, "borda", weights={"toxicity": 5})
    assert cautious.winners == ("safe",)
    assert any(made.name == "weights" and made.value == "toxicity=5" for made in cautious.conventions)
    for weights, message in [({"toxic": 5}, "Did you mean 'toxicity'"), ({"code": -1}, "not negative")]:
        with pytest.raises(bp.UsageError, match=message):
            bp.rank(scores, "borda", weights=weights)


def test_battles_are_weighted_by_task():
    task = bp.Factor.of(["easy", "easy", "hard"])
    battles = Battles.of([("x", "y", 1), ("x", "y", 1), ("y", "x", 1)], factors={"task": task})
    assert bp.rank(battles, "copeland").winners == ("x",)
    assert bp.rank(battles, "copeland", weights={"hard": 3}).winners == ("y",)
    assert bp.rank(battles, "copeland", weights={"hard": 2}).levels == (("x", "y"),)


def test_strength_by_rate_lets_every_pair_weigh_alike():
    rows = [("x", "y", 1)] * 60 + [("y", "x", 1)] * 40 + [("y", "z", 1)] * 3 + [("z", "x", 1)] * 2
    by_count, by_rate = (
        bp.rank(Battles.of(rows), "minimax", pair_weight=how, matrix="raw") for how in ("count", "rate")
    )
    assert by_count.winners == ("x",)  # its worst defeat is by 2 battles, that of y by 20, that of z by 3
    assert by_rate.winners == ("y",)  # its worst defeat is 60 to 40, the others' are total
    assert any(
        "have 2 to 100 battles" in note
        for note in bp.compare_methods(Battles.of(rows), ["minimax"], field="all", matrix="raw").notes
    )


def test_estimates_are_reported_and_their_condorcet_winner_is_that_of_the_comparison():
    rows = [("x", "y", 1)] * 70 + [("y", "x", 1)] * 30 + [("y", "z", 1)] * 70 + [("z", "y", 1)] * 30 + [("z", "x", 1)]
    comparison = bp.compare_methods(Battles.of(rows), ["bradley_terry", "copeland"])
    assert comparison.condorcet.strong == "x"
    assert "estimated win rate of each of 3 pairs, of which 3 were compared directly" in comparison.notes[0]
    assert bp.compare_methods(Battles.of(rows), ["bradley_terry", "copeland"], matrix="raw").condorcet.strong is None


def test_rules_that_cannot_order_across_components_are_named_with_the_reason():
    rows = [("x", "y", 1), ("y", "x", 1), ("u", "v", 1), ("v", "u", 1)]
    comparison = compare_profile(as_profile(Battles.of(rows), {}))
    assert "no chain of battles connects 2 components" in comparison.not_run["schulze"]
    assert {"elo", "sco"} <= {ranking.method for ranking in comparison.rankings}
    assert bp.compare_methods(Battles.of(rows)).rankings == ()  # no method orders agents of different components
    with pytest.raises(bp.DataError, match="2 components"):
        bp.rank(Battles.of(rows), "copeland")


@pytest.mark.parametrize("methods", ["all", ["copeland"]])
def test_every_component_is_ranked_by_itself_as_if_it_were_alone(methods):
    first = [("a", "b", 1)] * 9 + [("b", "a", 1)] * 3 + [("b", "c", 1)] * 8 + [("a", "c", 1)] * 9 + [("c", "a", 1)] * 2
    second = [("x", "y", 1)] * 9 + [("y", "x", 1)] * 3
    comparison = bp.compare_methods(Battles.of([*first, *second]), methods)
    alone = [bp.compare_methods(Battles.of(rows), methods) for rows in (first, second)]
    assert [one.rows() for one in comparison.components] == [one.rows() for one in alone]
    assert [row["component"] for row in comparison.rows()] == [1, 1, 1, 2, 2]
    assert comparison.condorcet.strong is None
    assert comparison.short_answer == (
        "The 5 agents form connected components, each ranked by itself: no agent is first of all."
    )
    for sentence in comparison.sentences:
        assert not ({"'a'", "'b'", "'c'"} & set(sentence.split()) and {"'x'", "'y'"} & set(sentence.split()))


def test_a_component_on_which_the_method_has_no_answer_does_not_stop_the_others():
    rows = [("a", "b", 1), ("b", "a", 1), ("a", "c", 1), ("c", "a", 1), ("x", "y", 1)]
    comparison = bp.compare_methods(Battles.of(rows), ["bradley_terry"])
    assert [one.agents for one in comparison.components] == [("a", "b", "c")]
    assert comparison.sentences[-1] == "2 agents of other components are not ranked; `only` selects agents."


def test_an_agent_without_battles_is_no_component():
    pairs = bp.Pairs(("a", "b", "c"), [0], [1], [[1, 1, 0, 0]])
    assert bp.compare_methods(pairs).components == ()


def test_agents_that_resolve_does_not_place_change_no_rank_and_are_named():
    rows = [("a", "b", 1)] * 70 + [("b", "a", 1)] * 50 + [("b", "c", 1)] * 70 + [("c", "b", 1)] * 50 + [("d", "a", 1)]
    comparison, alone = bp.rank(Battles.of(rows)), bp.rank(Battles.of(rows[:-1]))
    assert comparison.unplaced == tuple(one.agent for one in bp.resolve(Battles.of(rows)).unplaced) == ("d",)
    assert comparison.sentences[1].startswith(
        "1 agent has too little data to be placed: 'd'. The 3 others are ranked; "
    )
    assert comparison.rows() == alone.rows()
    assert alone.field_note == ()


def test_all_agents_are_ranked_on_request_and_by_one_method_requested_by_name():
    rows = [("a", "b", 1)] * 70 + [("b", "a", 1)] * 50 + [("b", "c", 1)] * 70 + [("c", "b", 1)] * 50 + [("d", "a", 1)]
    assert bp.rank(Battles.of(rows), field="all").agents == ("a", "b", "c", "d")
    assert bp.compare_methods(Battles.of(rows), ["elo"], field="all").agents == ("a", "b", "c", "d")
    assert bp.rank(Battles.of(rows), "elo").agents == ("a", "b", "c", "d")
    assert bp.rank(Battles.of(rows), "elo", field="auto").agents == ("a", "b", "c")
    with pytest.raises(bp.UsageError, match="`field` must be"):
        bp.rank(Battles.of(rows), "elo", field="some")


def test_a_prior_connects_components():
    rows = [("x", "y", 1), ("y", "x", 1), ("u", "v", 1), ("v", "u", 1)]
    settings = {"bradley_terry": {"prior": 0.5}}
    assert bp.compare_methods(Battles.of(rows), ["bradley_terry"], settings=settings).components == ()


def test_rounding_of_real_weights_makes_nobody_a_winner():
    rows = [("x", "y", 1), ("x", "y", 1), ("y", "x", 1)]
    assert bp.rank(Battles.of(rows, weight=[0.1, 0.2, 0.3]), "copeland").levels == (("x", "y"),)


def test_votes_tell_how_diverse_the_tasks_are():
    ballots = Ballots.of([[["x"], ["y"]], [["x"], ["y"]], [["y"], ["x"]], [["x", "y"]]], count=[1, 2, 1, 1])
    votes = vote_diversity(ballots)
    assert (votes.total, votes.distinct, votes.histogram) == (5, 3, {1: 2, 3: 1})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: bp.rank(PENTATHLON, "schulz"), bp.UsageError, "Did you mean 'schulze'"),
        (lambda: bp.rank(PENTATHLON, "borda", k=2), bp.UsageError, "borda takes no settings; got 'k'"),
        (lambda: bp.rank(PENTATHLON, "approval", k=9), bp.UsageError, "from 1 to 3, the agents there are"),
        (lambda: bp.rank(Ballots.of([]), "borda"), bp.DataError, "at least one agent"),
        (lambda: bp.rank(Ballots.of([], agents=["x"]), "borda"), bp.DataError, "at least one ballot"),
        (lambda: bp.rank(PENTATHLON, "borda", weights={"x": 1}), bp.UsageError, "name neither"),
        (lambda: bp.compare_methods(PENTATHLON, []), bp.UsageError, "at least one method"),
        (lambda: bp.rank(PENTATHLON, "borda").rank("Z"), bp.UsageError, "must be one of the agents"),
    ],
)
def test_bad_requests_get_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_path_is_read_and_one_that_is_not_there_is_named():
    for run in (lambda: bp.rank("battles.csv", "copeland"), lambda: bp.compare_methods("battles.csv")):
        with pytest.raises(bp.UsageError, match=r"'battles.csv' must be a file, folder or glob; there is none"):
            run()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("ada", "bob", 1), ("ada", "cyd", 1), ("bob", "cyd", 1)], "'ada' beats every other agent head to head"),
        ([("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)], "there is no Condorcet winner"),
        ([("ada", "bob", 0.5), ("bob", "cyd", 0.5), ("ada", "cyd", 0.5)], "no agent is above another"),
        ([("ada", "bob", 1), ("ada", "cyd", 0.5), ("bob", "cyd", 1)], "'ada' loses to none"),
        ([("ada", "bob", 0.5), ("ada", "cyd", 1), ("bob", "cyd", 1)], "'ada' and 'bob' lose to none"),
    ],
)
def test_the_summary_names_the_condorcet_winner(rows, message):
    assert message in bp.compare_methods(Battles.of(rows), ["copeland"], matrix="raw").head_to_head.text


def test_the_short_answer_comes_first_and_votes_are_counted():
    comparison = bp.compare_methods(PENTATHLON, ["copeland", "borda"])
    assert comparison.sentences[0] == "copeland ranks 'C' first; borda ties 'A' and 'C' for first."
    assert any(sentence.startswith("5 orders of 4 kinds") for sentence in comparison.sentences)
    assert comparison.to_dict()["answer"] == comparison.sentences[0]


def test_where_no_method_has_an_answer_the_reason_is_that_of_those_that_were_tried():
    n = 60_000
    table = Scores.from_table([[float(i), float(-i)] for i in range(n)], [f"m{i}" for i in range(n)], ["x", "y"])
    with pytest.raises(bp.DataError, match=r"who beats whom of 60,000 agents on 2 ballots"):
        bp.compare_methods(table)


def test_a_single_rule_is_not_counted_where_the_other_matrix_decides_otherwise():
    estimated, counted = (
        bp.compare_methods(bp.example(), ["minimax"], matrix=matrix) for matrix in ("estimated", "raw")
    )
    same = set(estimated.rankings[0].winners) == set(counted.rankings[0].winners)
    assert (
        estimated.notes[-1]
        == f"""With counted battles (`matrix="raw"`), the winner would be {"the same" if same else "different"}."""
    )


def test_how_many_rules_would_name_another_winner_with_the_other_matrix_is_counted():
    rules = ["copeland", "minimax", "schulze", "ranked_pairs"]
    estimated, counted = (bp.compare_methods(bp.example(), rules, matrix=matrix) for matrix in ("estimated", "raw"))
    changed = sum(set(a.winners) != set(b.winners) for a, b in zip(estimated.rankings, counted.rankings, strict=True))
    assert changed  # or the count below could be any constant
    sentence = f"{changed} of these 4 rules would name a different winner."
    assert estimated.notes[-1] == f'With counted battles (`matrix="raw"`), {sentence}'
    assert counted.notes[-1] == f'With estimated win rates (`matrix="estimated"`), {sentence}'


def test_components_without_an_order_of_all_agents_have_no_movers():
    pairs = bp.Pairs(("a", "b", "c", "d"), [0, 2], [1, 3], [[30, 10, 0, 0], [30, 10, 0, 0]])
    comparison = bp.compare_methods(pairs, ["maximal_lottery", "iml"])
    assert [one.agents for one in comparison.components] == [("a", "b"), ("c", "d")]
    assert comparison.movers() == comparison.to_dict()["movers"] == []
    assert [agent for agent, *_ in comparison.components[0].movers()] == ["a", "b"]
