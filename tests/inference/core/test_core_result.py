"""What a core says of itself: never more than its counts."""

import re

import numpy as np
import pytest

from beatpath import Ballots, Pairs, Scores
from beatpath.inference.core.core import core
from helpers.cores import pairs_of, simulated_wins

B3 = [[0.5, 0.1, 0.1, 0.9], [0.9, 0.5, 0.1, 0.1], [0.9, 0.9, 0.5, 0.1], [0.1, 0.9, 0.9, 0.5]]
H1 = [[0.5, 0.7, 0.6, 0.9], [0.3, 0.5, 0.8, 0.7], [0.4, 0.2, 0.5, 0.6], [0.1, 0.3, 0.4, 0.5]]


def letters(P):
    return list("ABCDEFGH"[: len(P)])


def scores(core_result):
    return list(core_result.top_cycle.scores.values()), list(core_result.uncovered_set.scores.values())


def chain(agents, won, lost, upset):
    """A chain of agents, each above all later ones by the same score, but for the first and the last."""
    n = len(agents)
    a, b = np.triu_indices(n, 1)
    counts = np.tile([won, lost, 0.0, 0.0], (len(a), 1))
    counts[(a == 0) & (b == n - 1), :2] = upset
    return Pairs(tuple(agents), a, b, counts)


def test_when_the_counts_favor_another_core_the_sentence_says_so():
    """One narrow upset makes a cycle of all six; the counts make the first agent the likely core."""
    core_result = core(chain("uvwxyz", 18, 2, [9, 11]), matrix="raw")
    assert core_result.top_cycle.members == tuple("uvwxyz")
    assert core_result.posterior.most_probable == ("u",)
    assert core_result.posterior.most_probable_probability > 0.5
    assert core_result.sentences[0].startswith("The most probable core is 'u' alone (")
    assert core_result.sentences[1].startswith("By majorities alone the core is all 6 agents: chains of wins or ties")
    assert "no agent is singled out" in core_result.sentences[1]


def test_the_estimate_is_reported_to_give_the_same_core_only_where_it_does():
    core_result = core(chain("uvwxyz", 18, 2, [18, 2]))
    assert core_result.posterior.most_probable == core_result.top_cycle.members == ("u",)
    assert core_result.sentences[0] == "The most probable core is 'u' alone (over 99 %)."
    assert core_result.sentences[1].endswith("the core is the same: 'u' beats every rival.")


def test_a_core_below_one_half_is_not_called_likely_even_where_majorities_agree():
    rng = np.random.default_rng(9)
    for _ in range(40):
        theta = rng.permutation(10) * 0.1
        core_result = core(
            pairs_of(simulated_wins(1 / (1 + np.exp(np.subtract.outer(-theta, -theta))), 3, rng)), matrix="estimated"
        )
        smaller = len(core_result.posterior.most_probable) < 10
        if (
            smaller
            and core_result.posterior.most_probable == core_result.top_cycle.members
            and not core_result.posterior.likely
        ):
            break
    else:
        raise AssertionError("no such case sampled")
    assert core_result.sentences[0].startswith("No core is likely: the most probable")
    assert core_result.sentences[1].startswith("By the estimated win rates alone (")


def test_noise_is_reported_to_single_nobody_out():
    """Every pair even, 50 battles each: whatever is most probable, it is no core of all agents."""
    rng = np.random.default_rng(3)
    for n in (12, 20):
        core_result = core(pairs_of(simulated_wins(np.full((n, n), 0.5), 50, rng)))
        if len(core_result.posterior.most_probable) == n:
            assert core_result.sentences[0].startswith("The data do not single out any agent: no core")
        assert f"{n} of {n} agents" not in " ".join(core_result.sentences)
        if len(core_result.top_cycle.members) == 1:
            assert f"{n - 1} of these {n - 1} leads are not resolved." in core_result.sentences[1]


def test_a_cycle_of_everybody_singles_nobody_out():
    core_result = core(Pairs(tuple("xyz"), [0, 1, 0], [1, 2, 2], [[90, 10, 0, 0], [90, 10, 0, 0], [10, 90, 0, 0]]))
    assert core_result.posterior.most_probable == tuple("xyz")
    assert (
        core_result.sentences[0]
        == "The data do not single out any agent: no core smaller than all 3 agents is likely (over 99 %)."
    )


def test_every_connected_component_has_its_own_core_and_no_sentence_names_agents_of_two():
    cells = [(0, 1, 60, 20), (0, 2, 60, 20), (1, 2, 45, 35), (3, 4, 70, 10)]
    a, b, won, lost = zip(*cells, strict=True)
    core_result = core(Pairs(tuple("uvwxyz"), a, b, np.column_stack([won, lost, np.zeros((4, 2))])), field="all")
    assert [one.agents for one in core_result.components] == [("u", "v", "w"), ("x", "y"), ("z",)]
    assert core_result.posterior is None
    assert [one.posterior.most_probable for one in core_result.components] == [("u",), ("x",), ("z",)]
    assert core_result.top_cycle.members == ("u", "x", "z")
    assert core_result.sentences[0].startswith("The 6 agents form 3 connected components: each")
    first, second, alone = core_result.sentences[1:]
    assert first.startswith("Component 1 (3 agents: 'u', 'v', 'w'): The most probable core is 'u' alone")
    assert second.startswith("Component 2 (2 agents: 'x', 'y'): The most probable core is 'x' alone")
    assert alone == "1 agent has no battle: 'z'."
    assert not any(name in first for name in ("'x'", "'y'", "'z'"))
    assert "all 2 rivals" in core_result.witness("u")[0].sentence
    assert core_result.reasons("u") == tuple(one.sentence for one in core_result.witness("u"))
    assert core_result.undetermined == ()
    by_itself = core(Pairs(tuple("uvw"), a[:3], b[:3], np.column_stack([won, lost, np.zeros((4, 2))])[:3]))
    assert core_result.components[0].posterior.to_dict() == by_itself.posterior.to_dict()
    assert [core_result.win_rate[name] for name in "uvw"] == list(by_itself.win_rate.values())


def test_one_agent_is_the_core_and_of_two_the_winner():
    assert core([[0.5]]).sentences[0] == "The core is 'agent 1', the only agent."
    assert scores(core([[0.5]])) == ([1.0], [1.0])
    assert (
        core([[0.5, 0.2], [0.8, 0.5]], agents=["a", "b"]).sentences[0]
        == "The core is 'b' alone, which beats every rival."
    )
    assert core(Ballots.of([[["only"]]])).top_cycle.members == ("only",)


def test_witnesses_come_from_the_core():
    inside, covered = core(B3, agents=letters(B3)).witness("B")
    assert inside.to_dict()["member"] is True
    assert covered.coverer == "C"


def test_witnesses_of_an_estimate_say_which_steps_are_not_resolved():
    counts = [[600, 400, 0, 0], [600, 400, 0, 0], [6, 7, 0, 0]]
    core_result = core(Pairs(tuple("xyz"), [0, 1, 0], [1, 2, 2], counts))
    steps = [step for name in "xyz" for step in core_result.witness(name)[0].sentence.split(",")]
    shares = [float(one) for step in steps for one in re.findall(r"beats 'y' \(([\d.]+) %", step)]
    assert shares
    assert shares == pytest.approx([60.0] * len(shares), abs=0.5)  # 600 of 1,000, shrunk by less than half a point
    pairs = [(i, j) for i, j in ((0, 1), (1, 2), (0, 2)) if not core_result.resolved[i, j]]
    assert len(pairs) == core_result.to_dict()["unresolved_pairs"]
    assert ("not resolved" in " ".join(one.sentence for name in "xyz" for one in core_result.witness(name))) == bool(
        pairs
    )


def test_hostile_names_are_shown_safely():
    core_result = core(H1, agents=["a\x1b[31m", "<b>", "c\n", "\u202ed"])
    assert "".join(core_result.sentences).isprintable()
    assert "<b>" not in core_result._repr_html_()


def test_a_witness_of_counted_majorities_gives_the_margin_in_votes():
    """Ada wins seven of eight tasks against bob: a margin of six, and no probability."""
    table = Scores.from_table(
        [[9.0] * 7 + [0.0], [1.0] * 8, [0.5] * 7 + [-1.0]], ["ada", "bob", "cyd"], list("abcdefgh")
    )
    _, covered = core(table).witness("bob")
    assert "'ada' covers 'bob': it beats 'bob' by 6;" in covered.sentence
