"""Laws that hold for all evidence: order of rows, numbering of agents, weights as repetition, counts by definition."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath import Battles, Factor, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from helpers.strategies import ballots, battles, scores


def same(one: Pairs, other: Pairs):
    assert one.agents == other.agents
    np.testing.assert_array_equal(one.a, other.a)
    np.testing.assert_array_equal(one.b, other.b)
    np.testing.assert_allclose(one.counts, other.counts, atol=1e-12)
    np.testing.assert_array_equal(one.battles, other.battles)
    assert {k: f.names() for k, f in one.keys.items()} == {k: f.names() for k, f in other.keys.items()}


def by_definition(b: Battles) -> dict[tuple[str, str], list[float]]:
    """Go through the battles one by one."""
    table: dict[tuple[str, str], list[float]] = {}
    for t in range(len(b)):
        first, second = b.agents[b.a[t]], b.agents[b.b[t]]
        s, w = b.outcome[t], 1.0 if b.weight is None else b.weight[t]
        if first > second:
            first, second, s = second, first, 1 - s
        cell = table.setdefault((first, second), [0.0] * 4)
        if b.both_bad[t]:
            cell[BOTH_BAD] += w
        elif s == 0.5:
            cell[TIE] += w
        else:
            cell[WIN] += w * s
            cell[LOSS] += w * (1 - s)
    return table


@given(battles(weighted=True))
def test_pairs_are_the_sums_that_the_definition_gives(b):
    pairs = b.pairs()
    got = {(pairs.agents[i], pairs.agents[j]): c for i, j, c in zip(pairs.a, pairs.b, pairs.counts, strict=True)}
    expected = by_definition(b)
    assert set(got) == set(expected)
    for pair, counts in expected.items():
        np.testing.assert_allclose(got[pair], counts)


@given(battles(), st.randoms(use_true_random=False))
def test_shuffling_rows_changes_nothing(b, random):
    order = list(range(len(b)))
    random.shuffle(order)
    same(b.pairs(["cluster", "position"]), b.take(np.array(order)).pairs(["cluster", "position"]))


@given(battles(), st.data())
def test_renaming_agents_renames_the_counts(b, data):
    code = np.array(data.draw(st.permutations(range(len(b.agents)))))
    renamed = replace(b, agents=tuple(b.agents[i] for i in np.argsort(code)), a=code[b.a], b=code[b.b])
    w, v = b.pairs().wins(), renamed.pairs().wins()
    np.testing.assert_allclose(w, v[np.ix_(code, code)])


@given(battles(weighted=True))
def test_whole_weights_equal_repetition(b):
    rows = np.repeat(np.arange(len(b)), b.weight.astype(int))
    repeated = replace(b.take(rows), weight=None).pairs()
    weighted = b.pairs()
    played = weighted.counts.sum(axis=1) > 0
    np.testing.assert_array_equal(weighted.a[played], repeated.a)
    np.testing.assert_allclose(weighted.counts[played], repeated.counts)


@given(battles(weighted=True))
def test_second_moments_give_the_variance_that_rows_give(b):
    """Sum of w^2 (s - psi)^2 over the rows of a pair, from the pair's own totals."""
    settled = b.pairs().settle(ties="half", both_bad="tie")
    second = settled.squares if settled.squares is not None else settled.counts
    soft = np.zeros(len(settled)) if settled.soft is None else settled.soft
    for k in range(len(settled)):
        i, j = settled.a[k], settled.b[k]
        rows = ((b.a == i) & (b.b == j)) | ((b.a == j) & (b.b == i))
        s = np.where(b.a[rows] == i, b.outcome[rows], 1 - b.outcome[rows])
        psi = 0.375
        expected = (b.weight[rows] ** 2 * (s - psi) ** 2).sum()
        win, loss = second[k, WIN], second[k, LOSS]
        got = (win - soft[k]) - 2 * psi * win + psi**2 * (win + loss)
        np.testing.assert_allclose(got, expected, atol=1e-9)


@given(battles())
def test_adding_up_over_a_key_gives_the_counts_without_it(b):
    same(b.pairs(["cluster"]).by(), b.pairs())


@given(battles())
def test_margins_win_rates_and_who_beats_whom_agree(b):
    pairs = b.pairs()
    margins, rates = pairs.margins(), pairs.win_rates()
    np.testing.assert_array_equal(margins.matrix, -margins.matrix.T)
    known = ~np.isnan(rates.matrix) & ~np.eye(len(b.agents), dtype=bool)
    np.testing.assert_array_equal(known, margins.played)
    np.testing.assert_allclose(rates.matrix[known] + rates.matrix.T[known], 1)
    for a, name in enumerate(b.agents):
        assert margins.beats(name) == tuple(other for c, other in enumerate(b.agents) if margins.matrix[a, c] > 0)


@pytest.mark.parametrize("ties", ["half", "drop", "keep"])
@pytest.mark.parametrize("both_bad", ["tie", "drop", "keep"])
@given(b=battles())
def test_settling_loses_only_what_it_says(b, ties, both_bad):
    pairs = b.pairs()
    settled = pairs.settle(ties=ties, both_bad=both_bad)
    lost = pairs.counts.sum() - settled.counts.sum()
    expected = (pairs.counts[:, BOTH_BAD].sum() if both_bad == "drop" else 0) + (
        pairs.counts[:, TIE].sum() + (pairs.counts[:, BOTH_BAD].sum() if both_bad == "tie" else 0)
        if ties == "drop"
        else 0
    )
    np.testing.assert_allclose(lost, expected, atol=1e-9)
    assert [c.name for c in settled.conventions] == ["both_bad", "ties"]


@given(ballots())
def test_ballots_compare_every_two_agents_they_rank(b):
    wins = np.zeros((len(b.agents),) * 2)
    index = {name: i for i, name in enumerate(b.agents)}
    for ballot, n in zip(b, b.count, strict=True):
        place = {name: k for k, group in enumerate(ballot) for name in group}
        for (x, i), (y, j) in permutations(place.items(), 2):
            wins[index[x], index[y]] += n * (1.0 if i < j else 0.5 if i == j else 0.0)
    np.testing.assert_allclose(b.pairs().wins(), wins)


@given(ballots())
def test_unranked_last_puts_everyone_on_every_ballot(b):
    full = b.with_unranked("last")
    assert all(len({n for g in ballot for n in g}) == len(b.agents) for ballot in full)
    for before, after in zip(b, full, strict=True):
        assert after[: len(before)] == before


@given(ballots())
def test_a_ballot_survives_its_own_lists(b):
    again = type(b).of(list(b), agents=b.agents, count=b.count)
    assert list(again) == list(b)


@given(scores())
def test_every_task_ranks_agents_by_falling_score(s):
    table, tasks = s.table()
    for task, ballot in zip(tasks, s.ballots(), strict=True):
        column = dict(zip(s.agents, table[:, tasks.index(task)], strict=True))
        values = [[column[name] for name in group] for group in ballot]
        flat = [group[0] for group in values]
        assert flat == sorted(flat, reverse=True)
        assert len(set(flat)) == len(flat)
        assert all(len(set(group)) == 1 for group in values)
        assert sum(map(len, values)) == np.isfinite(table[:, tasks.index(task)]).sum()


@given(st.lists(st.one_of(st.none(), st.text(max_size=4)), max_size=12))
def test_a_factor_gives_its_names_back(names):
    assert Factor.of(names).names() == names
