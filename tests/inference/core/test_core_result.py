"""A core in words, with witnesses."""

import numpy as np

from beatpath import Ballots, Pairs
from beatpath.inference.core.core import core

B3 = [[0.5, 0.1, 0.1, 0.9], [0.9, 0.5, 0.1, 0.1], [0.9, 0.9, 0.5, 0.1], [0.1, 0.9, 0.9, 0.5]]


H1 = [[0.5, 0.7, 0.6, 0.9], [0.3, 0.5, 0.8, 0.7], [0.4, 0.2, 0.5, 0.6], [0.1, 0.3, 0.4, 0.5]]


def letters(P):
    return list("ABCDEFGH"[: len(P)])


def scores(found):
    return list(found.top_cycle.scores.values()), list(found.uncovered_set.scores.values())


def test_when_the_counts_favour_another_core_the_sentence_says_so():
    """One narrow upset makes a circle of all four; the counts make the first agent the likely core."""
    cells = [(0, 1, 19, 1), (0, 2, 19, 1), (0, 3, 9, 11), (1, 2, 18, 2), (1, 3, 18, 2), (2, 3, 18, 2)]
    a, b, won, lost = zip(*cells, strict=True)
    found = core(Pairs(tuple("wxyz"), a, b, np.column_stack([won, lost, np.zeros((6, 2))])))
    assert found.top_cycle.members == tuple("wxyz")
    assert found.posterior.most_probable != found.top_cycle.members
    assert found.sentences[0].startswith("The most probable core is 'w' alone")
    assert found.sentences[1].startswith("By bare majorities the core has 4 of 4 agents")


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
