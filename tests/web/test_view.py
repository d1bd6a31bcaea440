"""What the page shows: the same as the arena says."""

import numpy as np

from beatpath.arena.arena import Arena
from beatpath.web.live import tiered, view_of

ROW = {"rank_low": 1, "rank_high": 3}


def test_it_says_what_the_arena_says(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd"], goal="first", seed=1)
    rng = np.random.default_rng(0)
    for _ in range(6):
        arena.tell_many((one, "a" if rng.random() < 0.8 else "b") for one in arena.ask(50))
    view, status = view_of(arena), arena.status()
    for name in ("battles", "goal", "done", "reason", "battles_left", "pending", "sentences", "level"):
        assert view[name] == status[name]
    assert [{k: v for k, v in row.items() if k != "tier"} for row in view["rows"]] == status["ranks"]
    assert view["withdrawn"] == 0
    assert view["next"]["policy"] == "adaptive"


def test_tiers_are_those_not_certainly_below_the_leader_then_again():
    rows = [{"agent": name, "win_rate": rate, **ROW} for name, rate in (("a", 0.9), ("b", 0.7), ("c", 0.4), ("d", 0.2))]
    above = [["a", "c"], ["a", "d"], ["b", "d"], ["c", "d"]]
    assert [row["tier"] for row in tiered({"ranks": rows, "above": above})] == [1, 1, 2, 3]


def test_agents_with_equal_scores_lead_together():
    rows = [{"agent": name, "win_rate": rate, **ROW} for name, rate in (("a", 0.6), ("b", 0.6), ("c", 0.3))]
    assert [row["tier"] for row in tiered({"ranks": rows, "above": [["b", "c"]]})] == [1, 1, 2]
