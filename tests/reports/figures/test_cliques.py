"""The picture of cliques: bars hold whom they are given, fit beside each other, and name nobody in a field."""

import numpy as np

import beatpath as bp
from beatpath.reports.figures import cliques, svg
from helpers.every_picture import HOSTILE


def dots(spec):
    """The places of the agents on every bar, by column and top."""
    return spec["layer"][2]["data"]["values"]


def test_every_bar_has_a_dot_for_each_of_its_agents_and_for_nobody_else():
    spec = cliques(list("abcde"), [[0, 2], [1, 2, 3], [4]])
    bars = spec["layer"][1]["data"]["values"]
    assert [(bar["top"], bar["end"]) for bar in bars] == [(0, 2), (1, 3), (4, 4)]
    by_bar = {
        tooltip: sorted(dot["top"] for dot in dots(spec) if dot["tooltip"] == tooltip)
        for tooltip in {d["tooltip"] for d in dots(spec)}
    }
    assert sorted(by_bar.values()) == [[0, 2], [1, 2, 3], [4]]


def test_no_two_bars_of_one_column_touch():
    rng = np.random.default_rng(0)
    bars = [sorted(rng.choice(60, 4, replace=False).tolist()) for _ in range(50)]
    spans = [
        (v["column"], v["top"], v["end"])
        for v in cliques([f"a{i}" for i in range(60)], bars)["layer"][1]["data"]["values"]
    ]
    for k, (column, top, end) in enumerate(spans):
        assert not [s for s in spans[:k] if s[0] == column and s[1] <= end and top <= s[2]]


def test_beyond_the_limit_the_first_are_plotted_with_a_note():
    bars = [[i, i + 1] for i in range(299)]
    spec = cliques([f"a{i}" for i in range(300)], bars)
    assert "130 of 300 agents shown" in spec["description"]
    assert max(dot["top"] for dot in dots(spec)) == 129


def test_two_agents_on_no_common_bar_are_those_of_a_certain_order():
    resolution = bp.resolve(bp.example())
    spec = bp.tiers(resolution).plot().to_dict()
    order = [resolution.agents[i] for i in resolution.ranks.order]
    on = {(dot["column"], dot["tooltip"]): set() for dot in dots(spec)}
    for dot in dots(spec):
        on[dot["column"], dot["tooltip"]].add(order[dot["top"]])
    for i, one in enumerate(order):
        for other in order[i + 1 :]:
            assert any({one, other} <= bar for bar in on.values()) == (not resolution.ranks.certain(one, other))


def test_hostile_names_stay_text():
    image = svg(cliques(list(HOSTILE), [range(len(HOSTILE))]))
    assert "<script>" not in image
    assert "\u202e" not in image
