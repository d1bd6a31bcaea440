"""First place by mixture, plotted: curves with strips between two contexts, shares and ways for more."""

from beatpath.reports.figures import first_by_mixture, first_over_mixtures, svg

HOSTILE = "<script>alert('x')</script>\u202e"


def _layers(spec, mark):
    return [one["data"]["values"] for one in spec["layer"] if one["mark"]["type"] == mark]


def _curves(n=2, most=6):
    agents = [HOSTILE, *(f"agent {i}" for i in range(1, n))]
    score = [[0.6 - 0.01 * i for i in range(n)], [0.4 + 0.01 * i for i in range(n)]]
    first = [(0.0, 0.5, HOSTILE), (0.5, 1.0, agents[-1])]
    spec = first_by_mixture(agents, [0.0, 1.0], score, score, score, first, [agents, agents[-1:]], way="x", most=most)
    return agents, spec


def test_a_strip_is_full_where_the_score_is_highest_and_pale_where_an_agent_may_be_first():
    _, spec = _curves()
    pale, full = _layers(spec, "rect")
    # as long first as the other, the last may be first more often and stands in the upper row
    assert [(one["row"], one["left"], one["right"]) for one in full] == [(1, 0, 150), (0, 150, 300)]
    assert [(one["row"], one["left"], one["right"]) for one in pale] == [(1, 0, 150), (0, 0, 150), (0, 150, 300)]


def test_of_many_contenders_those_first_most_often_are_plotted():
    agents, spec = _curves(9, most=2)
    assert {one["agent"] for one in _layers(spec, "text")[0]} == {"<script>alert('x')</script>\\u202e", agents[-1]}
    assert "2 of 9 contenders shown" in spec["title"]["subtitle"]


def test_shares_and_ways_stand_in_one_row_an_agent():
    rows = [{"agent": HOSTILE, "first": 0.75, "may_be_first": 1.0}, {"agent": "b", "first": 0.25, "may_be_first": 0.5}]
    ways = [{"context": HOSTILE, "highest": [[HOSTILE], ["b"]], "may_be_first": [[HOSTILE, "b"], ["b"]]}]
    spec = first_over_mixtures(rows, ways, mixtures=100)
    pale, full = _layers(spec, "rect")
    assert [(one["row"], one["step"]) for one in full] == [(0, 0), (1, 1)]
    assert [(one["row"], one["step"]) for one in pale] == [(0, 0), (1, 0), (1, 1)]
    bars = _layers(spec, "bar")[0]
    assert bars[0]["first"] / bars[0]["may"] == 0.75


def test_hostile_names_are_text_and_nothing_else():
    rows = [{"agent": HOSTILE, "first": 1.0, "may_be_first": 1.0}]
    ways = [{"context": HOSTILE, "highest": [[HOSTILE]], "may_be_first": [[HOSTILE]]}]
    for image in (svg(_curves()[1]), svg(first_over_mixtures(rows, ways, mixtures=10))):
        assert "<script" not in image
        assert "\u202e" not in image
