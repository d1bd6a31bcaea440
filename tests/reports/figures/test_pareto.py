"""Quality and cost: names that do not run into each other."""

from beatpath.reports.figures import pareto


def run(name, score, cost):
    ends = {f"{what}{end}": at for what, at in (("score", score), ("cost", cost)) for end in ("", "_low", "_high")}
    return {"run": name, **ends, "dominated_by": ()}


def named(spec):
    return [value["label"] for value in spec["layer"][2]["data"]["values"]]


def test_of_two_runs_at_one_place_the_better_is_named_and_the_other_shown_on_hover():
    spec = pareto([run("worse", 0.500, 1.0), run("better", 0.501, 1.0), run("far", 0.9, 3.0)])
    assert named(spec) == ["far", "better"]
    assert [value["label"] for value in spec["layer"][4]["data"]["values"]] == ["worse", "better", "far"]


def test_runs_that_stand_apart_are_all_named():
    spec = pareto([run("ada", 0.1, 1.0), run("bob", 0.5, 1.0), run("cyd", 0.9, 1.0)])
    assert named(spec) == ["cyd", "bob", "ada"]
    many = [run(f"run {k}", 0.1 * k, 1.0) for k in range(6)]
    assert ["names where" in pareto(some)["title"]["subtitle"][-1] for some in (many[:5], many)] == [False, True]
