import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from beatpath import Margins
from beatpath._errors import UsageError
from beatpath.methods.graph.paths import strongest_paths, widest_paths
from beatpath.methods.tournament.solutions import covers, top_cycle, uncovered_set
from beatpath.methods.tournament.witnesses import (
    Covered,
    InTopCycle,
    OutOfTopCycle,
    Uncovered,
    top_cycle_sentence,
    top_cycle_witness,
    uncovered_witness,
)
from helpers.game_cases import games, named, skew

some = settings(max_examples=60, deadline=None)


def rows(m, names):
    return [m.agents.index(name) for name in names]


def walks(m, path):
    """Whether each agent of the path has the margin it says over the next, and none is negative."""
    at = rows(m, path.agents)
    return [m.matrix[a, b] for a, b in pairwise(at)] == list(path.margins) and path.strength >= 0


def simple_paths(M, a, b):
    def on(path):
        if path[-1] == b:
            yield path
            return
        for c in range(len(M)):
            if c not in path and M[path[-1], c] >= 0:
                yield from on([*path, c])

    return on([a])


@some
@given(games(max_agents=5))
def test_the_paths_are_the_strongest_of_all_and_of_these_the_shortest(M):
    m = named(M)
    for a in range(len(M)):
        paths = {path.agents[-1]: path for path in strongest_paths(m, a)}
        for b in set(range(len(M))) - {a}:
            every = [(min(M[x, y] for x, y in pairwise(p)), -len(p)) for p in simple_paths(M, a, b)]
            name = m.agents[b]
            assert (name in paths) == bool(every)
            if every:
                assert walks(m, paths[name])
                assert (paths[name].strength, -len(paths[name].agents)) == max(every)
                assert (paths[name].agents[0], paths[name].agents[-1]) == (m.agents[a], name)


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_those_of_the_max_min_closure(seed):
    rng = np.random.default_rng(seed)
    m = named(skew(rng.normal(size=(40, 40))))
    widest = widest_paths(np.maximum(m.matrix, 0))
    for a in range(0, 40, 7):
        assert {path.agents[-1]: path.strength for path in strongest_paths(m, a)} == {
            m.agents[b]: widest[a, b] for b in np.flatnonzero(widest[a] > 0)
        }


@some
@given(games())
def test_a_witness_speaks_for_every_agent_as_the_top_cycle_does(M):
    m, inside = named(M), top_cycle(named(M))
    for a, name in enumerate(m.agents):
        witness = top_cycle_witness(m, name)
        assert isinstance(witness, InTopCycle if inside[a] else OutOfTopCycle)
        if isinstance(witness, InTopCycle):
            assert [path.agents[-1] for path in witness.paths] == [other for other in m.agents if other != name]
            assert all(walks(m, path) for path in witness.paths)
        else:
            reached = {path.agents[-1] for path in strongest_paths(m, a)} | {name}
            assert set(witness.unreached) == set(m.agents) - reached
            assert set(np.flatnonzero(inside)) <= set(rows(m, witness.unreached))


@some
@given(games())
def test_the_sentence_alone_is_that_of_all_paths(M):
    m = named(M)
    for name in m.agents:
        assert top_cycle_sentence(m, name) == top_cycle_witness(m, name).sentence


@some
@given(games())
def test_a_witness_speaks_for_every_agent_as_the_uncovered_set_does(M):
    m, inside, over = named(M), uncovered_set(named(M)), covers(named(M))
    for a, name in enumerate(m.agents):
        witness = uncovered_witness(m, name)
        assert isinstance(witness, Uncovered if inside[a] else Covered)
        if isinstance(witness, Covered):
            c = m.agents.index(witness.coverer)
            assert over[c, a]
            assert inside[c]
            assert witness.margin == M[c, a] == max(M[over[:, a] & inside, a]) > 0
            assert set(rows(m, witness.beaten)) == set(np.flatnonzero(M[a] > 0)) <= set(np.flatnonzero(M[c] > 0))
            assert set(rows(m, witness.losses)) == set(np.flatnonzero(M[c] < 0)) <= set(np.flatnonzero(M[a] < 0))
        else:
            assert [path.agents[-1] for path in witness.answers] == [m.agents[c] for c in np.flatnonzero(M[a] < 0)]
            for path in witness.answers:
                assert walks(m, path)
                assert len(path.agents) == 3
                assert max(path.margins) > 0


@some
@given(games(max_agents=5))
def test_witnesses_do_not_depend_on_the_order_of_the_rows(M):
    m = named(M)
    turned = Margins(M[::-1, ::-1], m.agents[::-1])
    for name in m.agents:
        for why in (top_cycle_witness, uncovered_witness):
            assert why(m, name).sentence == why(turned, name).sentence


@some
@given(games(max_agents=5))
def test_witnesses_survive_json(M):
    m = named(M)
    for name in m.agents:
        for why in (top_cycle_witness, uncovered_witness):
            data = json.loads(json.dumps(why(m, name).to_dict(), allow_nan=False))
            assert data["agent"] == name
            assert data["sentence"] == why(m, name).sentence


def test_ste_example_b3_names_the_coverer_of_the_paper():
    wins = np.zeros((4, 4))
    for winner, loser in ("BA", "CA", "CB", "DB", "DC", "AD"):
        wins["ABCD".index(winner), "ABCD".index(loser)] = 1
    m = Margins.from_wins(wins, list("ABCD"))
    witness = uncovered_witness(m, "B")
    assert (witness.coverer, witness.beaten, witness.losses) == ("C", ("A",), ("D",))
    assert {path.agents for path in top_cycle_witness(m, "A").paths} >= {("A", "D", "C"), ("A", "D")}


def test_of_equal_answers_the_one_with_the_stronger_second_step_is_shown():
    """Zoe loses to cyd. By bob or by dan she answers with a weakest step of 1; by ann and eve with a tie."""
    agents = ("ann", "bob", "cyd", "dan", "eve", "zoe")
    margins = {"ann": (0, 0), "bob": (1, 1), "dan": (1, 3), "eve": (0, 1)}  # of zoe over each, and of each over cyd
    M = np.zeros((6, 6))
    M[2, 5] = 1
    for name, (lost, won) in margins.items():
        M[5, agents.index(name)], M[agents.index(name), 2] = lost, won
    M -= M.T
    assert [path.agents for path in uncovered_witness(Margins(M, agents), "zoe").answers] == [("zoe", "dan", "cyd")]
    fewer = [0, 2, 4, 5]
    m = Margins(M[np.ix_(fewer, fewer)], tuple(agents[i] for i in fewer))
    assert [path.agents for path in uncovered_witness(m, "zoe").answers] == [("zoe", "eve", "cyd")]


def test_a_condorcet_winner_is_beaten_by_nobody_and_the_only_agent_is_alone():
    m = named(skew([[0, 2], [0, 0]]))
    assert uncovered_witness(m, "agent000").sentence == "'agent000' is uncovered: no agent beats it."
    assert top_cycle_witness(m, "agent000").sentence == (
        "'agent000' is in the top cycle: chains of wins or ties lead from it to its only rival. "
        "The weakest, to 'agent001': 'agent000' beats 'agent001' by 2."
    )
    assert uncovered_witness(m, "agent001").sentence == (
        "'agent000' covers 'agent001': it beats 'agent001' by 2; 'agent001' beats no agent; and 'agent000' loses to no agent."
    )
    assert top_cycle_witness(named(np.zeros((1, 1))), "agent000").sentence == "'agent000' is the only agent."


def test_a_step_over_a_pair_without_battles_says_so():
    played = np.array([[False, True, False], [True, False, False], [False, False, False]])
    m = Margins([[0, -1, 0], [1, 0, 0], [0, 0, 0]], ("ada", "bob", "cyd"), played)
    assert top_cycle_witness(m, "ada").paths[0].sentence == (
        "'ada' ties with 'cyd' (not compared directly), 'cyd' ties with 'bob' (not compared directly)."
    )
    tied = Margins([[0, 0], [0, 0]], ("ada", "bob"))
    assert top_cycle_witness(tied, "ada").paths[0].sentence == "'ada' ties with 'bob'."


@pytest.mark.parametrize("why", [top_cycle_witness, uncovered_witness], ids=lambda f: f.__name__)
def test_an_agent_that_is_not_there_is_refused_by_name(why):
    m = Margins(np.zeros((2, 2)), ("gpt-4", "llama"))
    with pytest.raises(UsageError, match=r"one of the 2 agents; got 'gpt4'. Did you mean 'gpt-4'"):
        why(m, "gpt4")


def test_hostile_names_are_shown_safely():
    m = Margins(skew([[0, 1, -1], [0, 0, 1], [0, 0, 0]]), ("a\x1b[31m", "b\n", "\u202ec"))
    for name in m.agents:
        assert top_cycle_witness(m, name).sentence.isprintable()
        assert uncovered_witness(m, name).sentence.isprintable()
