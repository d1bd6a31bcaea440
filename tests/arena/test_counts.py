"""Counts beside the battles: what they are after any order of adding and taking off."""

import random

import pytest
import sqlalchemy as sa

from beatpath.arena.arena import Arena
from beatpath.arena.battles import count_outcomes
from beatpath.arena.storage import CELL, TALLY


@pytest.fixture
def arena(address):
    made = Arena(address, agents=["ada", "bob", "cyd"])
    yield made
    made.close()


def test_counts_are_those_of_the_outcomes_in_any_order_and_batches(arena):
    rng = random.Random(1)
    outcomes = [(rng.randint(1, 3), 0, rng.randint(1, 2), rng.choice([0.0, 0.5, 1.0, 0.25])) for _ in range(500)]
    with arena._storage.changing() as db:
        for k in range(0, 500, 37):
            count_outcomes(db, outcomes[k : k + 37])
    with arena._storage.reading() as db:
        cells = {(c.stage, c.a, c.b): (c.battles, c.total, c.squares) for c in db.execute(sa.select(CELL))}
        tally = {one.stage: one.answered for one in db.execute(sa.select(TALLY))}
    for key, cell in cells.items():
        own = [x for *k, x in outcomes if tuple(k) == key]
        assert cell == (len(own), sum(own), sum(x * x for x in own))
    assert len(cells) == len({tuple(one[:3]) for one in outcomes})
    assert tally == {stage: sum(one[0] == stage for one in outcomes) for stage in (1, 2, 3)}


def test_what_is_taken_off_again_leaves_nothing_but_the_mark_of_a_change(arena):
    with arena._storage.changing() as db:
        count_outcomes(db, [(1, 0, 1, 0.25)])
        count_outcomes(db, [(1, 0, 1, 0.25)], sign=-1)
        assert tuple(db.execute(sa.select(CELL)).one()) == (1, 0, 1, 0, 0.0, 0.0)
        assert tuple(db.execute(sa.select(TALLY)).one()) == (1, 0, 0, 2)
