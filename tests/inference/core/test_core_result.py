"""What a core says of itself: never more than its counts."""

import numpy as np

from beatpath import Ballots, Pairs
from beatpath.inference.core.core import core
from helpers.cores import drawn_wins, pairs_of

B3 = [[0.5, 0.1, 0.1, 0.9], [0.9, 0.5, 0.1, 0.1], [0.9, 0.9, 0.5, 0.1], [0.1, 0.9, 0.9, 0.5]]
H1 = [[0.5, 0.7, 0.6, 0.9], [0.3, 0.5, 0.8, 0.7], [0.4, 0.2, 0.5, 0.6], [0.1, 0.3, 0.4, 0.5]]


def letters(P):
    return list("ABCDEFGH"[: len(P)])


def scores(found):
    return list(found.top_cycle.scores.values()), list(found.uncovered_set.scores.values())


def chain(agents, won, lost, upset):
    """A chain of agents, each above all later ones by the same score, but for the first and the last."""
    n = len(agents)
    a, b = np.triu_indices(n, 1)
    counts = np.tile([won, lost, 0.0, 0.0], (len(a), 1))
    counts[(a == 0) & (b == n - 1), :2] = upset
    return Pairs(tuple(agents), a, b, counts)


def test_when_the_counts_favour_another_core_the_sentence_says_so():
    """One narrow upset makes a circle of all six; the counts make the first agent the likely core."""
    found = core(chain("uvwxyz", 18, 2, [9, 11]))
    assert found.top_cycle.members == tuple("uvwxyz")
    assert found.posterior.most_probable == ("u",)
    assert found.posterior.most_probable_probability > 0.5
    assert found.sentences[0].startswith("The most probable core is 'u' alone (")
    assert found.sentences[1].startswith("By bare majorities the core has 6 of 6 agents")


def test_majorities_and_counts_agree_only_where_the_core_is_likely():
    found = core(chain("uvwxyz", 18, 2, [18, 2]))
    assert found.posterior.most_probable == found.top_cycle.members == ("u",)
    assert found.sentences[0] == "Majorities and counts point to the same core, with a probability of over 99 %."
    assert found.sentences[1] == "The core is 'u' alone, who beats every rival."


def test_a_core_below_one_half_is_not_called_likely_even_where_majorities_agree():
    rng = np.random.default_rng(9)
    for _ in range(40):
        theta = rng.permutation(10) * 0.1
        found = core(pairs_of(drawn_wins(1 / (1 + np.exp(np.subtract.outer(-theta, -theta))), 3, rng)))
        if found.posterior.most_probable == found.top_cycle.members and not found.posterior.likely:
            break
    else:
        raise AssertionError("no such case drawn")
    assert found.sentences[0].startswith("No core is likely: the most probable has only ")
    assert found.sentences[1].startswith("By bare majorities the core ")


def test_parts_that_never_met_are_said_to_be():
    found = core(Pairs(tuple("wxyz"), [0, 2], [1, 3], [[6, 4, 0, 0], [6, 4, 0, 0]]))
    assert any(said.startswith("Nothing connects the agents: they are in 2 parts") for said in found.sentences)
    assert not any("same core" in said for said in found.sentences)


def test_one_agent_is_the_core_and_of_two_the_winner():
    assert core([[0.5]]).sentences[0] == "The core is 'agent 1', the only agent."
    assert scores(core([[0.5]])) == ([1.0], [1.0])
    assert (
        core([[0.5, 0.2], [0.8, 0.5]], agents=["a", "b"]).sentences[0]
        == "The core is 'b' alone, who beats every rival."
    )
    assert core(Ballots.of([[["only"]]])).top_cycle.members == ("only",)


def test_witnesses_come_from_the_core():
    inside, covered = core(B3, agents=letters(B3)).witness("B")
    assert inside.to_dict()["member"] is True
    assert covered.coverer == "C"


def test_hostile_names_are_shown_safely():
    found = core(H1, agents=["a\x1b[31m", "<b>", "c\n", "\u202ed"])
    assert "".join(found.sentences).isprintable()
    assert "<b>" not in found._repr_html_()
