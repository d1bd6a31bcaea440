"""Laws between verbs: what is the same evidence gets the same answer from `rank`, `core`, `resolve`, `report` and `diff`."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import beatpath as bp

METHODS = ("copeland", "schulze", "bradley_terry_firth", "thurstone", "rank_centrality")
BALLOT_METHODS = ("borda", "stv", "plackett_luce")
KINDS = ("plain", "clustered", "judged and weighted", "two components", "lopsided", "scores", "ballots")
BATTLES = KINDS[:5]


def battles(kind: str, seed: int) -> bp.Battles:
    """A few hundred battles of six agents with a scale of strengths; some kinds have prompts, judges and weights."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n, rows = 6, 240
    strength = np.sort(rng.normal(0, 3.0 if kind == "lopsided" else 0.8, n))
    a = rng.integers(0, n, rows)
    b = (a + rng.integers(1, n, rows)) % n
    if kind == "two components":
        b = np.where(a < 3, (a + rng.integers(1, 3, rows)) % 3, 3 + (a - 3 + rng.integers(1, 3, rows)) % 3)
    wins = rng.random(rows) < 1 / (1 + np.exp(strength[b] - strength[a]))
    outcome = np.where(rng.random(rows) < 0.1, 0.5, wins)
    factors, weight = {}, None
    if kind in ("clustered", "judged and weighted"):
        factors = {"cluster": bp.Factor.of([f"p{i // 3}" for i in range(rows)])}
    if kind == "judged and weighted":
        factors["judge"] = bp.Factor.of([f"j{i % 3}" for i in range(rows)])
        weight = rng.choice([0.5, 1.0, 2.0], rows)
    return bp.Battles(tuple(f"agent {i}" for i in range(n)), a, b, outcome, factors=factors, weight=weight)


def evidence(kind: str, seed: int):
    """Evidence of one kind, from a known scale."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    names = tuple(f"agent {i}" for i in range(5))
    if kind == "scores":
        return bp.Scores.from_table(
            rng.normal(np.arange(5)[:, None] / 4, 1, (5, 40)), names, [f"t{i}" for i in range(40)]
        )
    if kind == "ballots":
        orders = np.argsort(-rng.normal(np.arange(5) / 3, 1, (60, 5)), axis=1)
        return bp.Ballots.of([[[names[i]] for i in order] for order in orders])
    return battles(kind, seed)


def number(value):
    return None if value is None or np.isnan(value) else float(value)


def statements(given, back=str) -> dict[str, object]:
    """What the verbs say of every agent and of all, with names translated `back`; numbers apart from words."""
    resolution, core = bp.resolve(given), bp.core(given)
    ranks = resolution.to_dict()["ranks"]
    facts: dict[str, object] = {
        "pairs": (resolution.to_dict()["pairs"], resolution.to_dict()["resolved_pairs"]),
        "above": {
            (back(x), back(y)) for x in ranks for y in ranks if x != y and resolution.test(f"{x} > {y}").supported
        },
        "core": {back(name) for name in core.top_cycle.members},
        "win rate": {back(name): number(v) for name, v in core.to_dict()["win_rate"].items()},
    }
    for part in ("score", "low", "high"):
        facts[part] = {back(name): number(row[part]) for name, row in ranks.items()}
    for part in ("best", "worst", "tier"):
        facts[part] = {back(name): row[part] for name, row in ranks.items()}
    for method in METHODS + (BALLOT_METHODS if isinstance(given, bp.Ballots | bp.Scores) else ()):
        try:
            ranking = bp.rank(given, method)
        except bp.DataError as refused:  # no finite estimate, for the same reason however the rows are given
            facts[method] = str(refused)[:40]
            continue
        facts[method] = [sorted(map(back, level)) for level in ranking.levels]
        facts[f"{method} scores"] = {back(name): number(v) for name, v in dict(ranking.scores or {}).items()}
    return facts


@cache
def usual(kind: str, seed: int) -> dict[str, object]:
    """The statements from the evidence as it is."""
    return statements(evidence(kind, seed))


def agree(one, other, *, but=(), atol=1e-7):
    """Words are the same, numbers too but for rounding; agents with no number on one side have none on the other."""
    for part in one.keys() - set(but):
        if isinstance(one[part], dict) and any(isinstance(v, float) for v in one[part].values()):
            assert one[part] == pytest.approx(other[part], abs=atol, nan_ok=True), part
        else:
            assert one[part] == other[part], part


def over(kinds):
    """One data set of each kind in every run, and seven more in the nightly one."""
    nightly = [pytest.param(kind, seed, marks=pytest.mark.nightly) for kind in kinds for seed in range(1, 8)]
    return pytest.mark.parametrize(("kind", "seed"), [*((kind, 0) for kind in kinds), *nightly])


every_kind, every_battles = over(KINDS), over(BATTLES)


@every_kind
def test_the_order_of_the_rows_changes_nothing(kind, seed):
    given, rng = evidence(kind, seed), np.random.default_rng(7)
    if isinstance(given, bp.Scores):
        order = rng.permutation(len(given.tasks))
        shuffled = bp.Scores.from_table(given.table()[0][:, order], given.agents, [given.table()[1][i] for i in order])
    else:
        shuffled = given.take(rng.permutation(len(given)))
    agree(usual(kind, seed), statements(shuffled))


@every_kind
def test_renaming_agents_renames_every_answer(kind, seed):
    given = evidence(kind, seed)
    order = np.random.default_rng(8).permutation(len(given.agents))
    new = {name: f"renamed {order[i]}" for i, name in enumerate(given.agents)}
    old = {name: before for before, name in new.items()}
    if isinstance(given, bp.Scores):
        renamed = bp.Scores.from_table(given.table()[0], tuple(new.values()), given.table()[1])
    elif isinstance(given, bp.Ballots):
        renamed = bp.Ballots.of([[[new[name] for name in group] for group in vote] for vote in given])
    else:
        names = tuple(sorted(old))
        code = np.array([names.index(new[name]) for name in given.agents])
        renamed = replace(given, agents=names, a=code[given.a], b=code[given.b])
    agree(usual(kind, seed), statements(renamed, old.__getitem__))


@every_battles
def test_swapping_sides_changes_nothing(kind, seed):
    given = battles(kind, seed)
    turn = np.random.default_rng(9).random(len(given)) < 0.5
    a, b = np.where(turn, given.b, given.a), np.where(turn, given.a, given.b)
    agree(
        usual(kind, seed),
        statements(replace(given, a=a, b=b, outcome=np.where(turn, 1 - given.outcome, given.outcome))),
    )


@every_battles
def test_reversing_every_battle_reverses_every_answer(kind, seed):
    given = battles(kind, seed)
    one, other = usual(kind, seed), statements(replace(given, outcome=1 - given.outcome))
    assert one["above"] == {(y, x) for x, y in other["above"]}
    assert one["score"] == pytest.approx({name: 1 - v for name, v in other["score"].items()}, abs=1e-7)
    assert one["low"] == pytest.approx({name: 1 - v for name, v in other["high"].items()}, abs=1e-6)
    size = {name: len(given.agents) // (2 if kind == "two components" else 1) for name in given.agents}
    assert one["best"] == {name: size[name] + 1 - v for name, v in other["worst"].items()}
    assert one["pairs"] == other["pairs"]


@every_battles
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "two files"])
def test_the_form_of_the_files_changes_nothing(kind, seed, form, tmp_path):
    given = battles(kind, seed)
    if form == "two files":
        paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
        bp.write(given.take(np.arange(90)), paths[0])
        bp.write(given.take(np.arange(90, len(given))), paths[1])
    else:
        paths = [tmp_path / f"battles.{form}"]
        bp.write(given, paths[0])
    agree(usual(kind, seed), statements(bp.read(paths)))


@pytest.mark.parametrize("kind", ["plain", "two components", "lopsided"])
def test_counts_of_pairs_say_what_their_battles_say(kind):
    given = battles(kind, 0)
    agree(usual(kind, 0), statements(given.pairs()))


def test_an_arena_gives_back_what_was_added_to_it(tmp_path):
    given, kind, seed = battles("plain", 0), "plain", 0
    names = given.agents
    with bp.Arena(tmp_path / "arena.db", agents=names, seed=0) as arena:
        arena.add([(names[a], names[b], float(s)) for a, b, s in zip(given.a, given.b, given.outcome, strict=True)])
        agree(usual(kind, seed), statements(arena.evidence()))
    agree(usual(kind, seed), statements(bp.read(tmp_path / "arena.db")))


@every_battles
def test_only_the_ratio_of_weights_counts(kind, seed):
    """A column of ones is no column, and weights times a number are the same weights."""
    given = battles(kind, seed)
    one = usual(kind, seed)
    weight = np.ones(len(given)) if given.weight is None else given.weight
    for scale in (1.0, 1000.0):
        scaled = statements(replace(given, weight=scale * weight))
        agree(one, scaled, but=["schulze scores"], atol=1e-6)  # of counts: total weights


@pytest.mark.parametrize("scale", [0.001, 2.0, 1000.0])
def test_only_the_ratio_of_weights_counts_in_correlated_clusters_with_a_position_bias(scale):
    """The core's probabilities divide by a design effect, and the bias of the side shown first has a prior."""
    rng = np.random.default_rng(11)
    a = np.repeat(rng.integers(0, 4, 60), 5)
    b = (a + np.repeat(rng.integers(1, 4, 60), 5)) % 4
    outcome = (np.repeat(rng.random(60), 5) < 0.6).astype(float)  # battles of one prompt always agree
    prompt = {"cluster": bp.Factor.of(f"p{i // 5}" for i in range(300))}
    given = bp.Battles(tuple("abcd"), a, b, outcome, factors=prompt, position=np.ones(300), weight=np.ones(300))
    scaled = replace(given, weight=np.full(300, scale))
    one, other = (bp.core(which).posterior for which in (given, scaled))
    assert one.settings["design_effect"] > 2
    assert other.settings["design_effect"] == pytest.approx(one.settings["design_effect"])
    assert dict(other.top_cycle) == pytest.approx(dict(one.top_cycle), abs=1e-6)
    before, after = (bp.design(which).position for which in (given, scaled))
    assert (after.share, after.low, after.high) == pytest.approx((before.share, before.low, before.high), abs=1e-9)


@pytest.mark.parametrize("kind", ["plain", "lopsided"])
def test_twice_the_data_and_weights_of_two_agree_on_every_total(kind):
    """Estimates from totals are equal; only twice the data are more certain."""
    given = battles(kind, 0)
    twice, heavy = given.take(np.tile(np.arange(len(given)), 2)), replace(given, weight=np.full(len(given), 2.0))
    for method in ("copeland", "schulze", "thurstone", "rank_centrality"):
        assert bp.rank(twice, method, matrix="raw").levels == bp.rank(heavy, method, matrix="raw").levels
    wide = {name: row["high"] - row["low"] for name, row in bp.resolve(heavy).to_dict()["ranks"].items()}
    narrow = {name: row["high"] - row["low"] for name, row in bp.resolve(twice).to_dict()["ranks"].items()}
    assert all(narrow[name] < 0.9 * wide[name] for name in wide)


@every_battles
def test_an_agent_that_never_plays_changes_nothing_for_the_others(kind, seed):
    given = battles(kind, seed)
    one, other = usual(kind, seed), statements(replace(given, agents=(*given.agents, "idle")))
    for part in other.values():
        if isinstance(part, dict):
            part.pop("idle", None)
        elif isinstance(part, list):
            part[:] = [rest for level in part if (rest := [name for name in level if name != "idle"])]
    agree(one, other)


@every_kind
def test_seeds_move_no_estimate_and_the_same_seed_moves_nothing(kind, seed):
    given = evidence(kind, seed)
    agree(usual(kind, seed), statements(given), atol=0)
    first, second = (bp.resolve(given, seed=seed).to_dict()["ranks"] for seed in (1, 2))
    assert {name: row["score"] for name, row in first.items()} == {name: row["score"] for name, row in second.items()}


@every_kind
def test_the_report_says_what_the_verbs_say(kind, seed):
    given = evidence(kind, seed)
    report = bp.report(given, methods=["copeland"])
    one, resolution = report.resolution, bp.resolve(given)
    if one is not None:
        assert one.answer == resolution.answer
        assert one.to_dict()["ranks"] == resolution.to_dict()["ranks"]
    assert report.core.top_cycle.members == bp.core(given).top_cycle.members
    for compared in () if report.comparison is None else report.comparison.by_component:
        alone = bp.only(given, compared.agents) if report.comparison.components else given
        assert [one.levels for one in compared.rankings] == [bp.rank(alone, "copeland").levels]


@every_kind
def test_nothing_changed_between_evidence_and_itself(kind, seed):
    given = evidence(kind, seed)
    changes, resolution = bp.diff(given, given).to_dict(), bp.resolve(given).to_dict()
    assert not any(
        changes[part] for part in ("rose", "fell", "entered", "left", "lost_pairs", "gained_pairs", "reversed_pairs")
    )
    assert changes["unchanged_pairs"] == resolution["resolved_pairs"]
    assert {row["agent"]: row["old_score"] for row in changes["agents"]} == pytest.approx(
        {name: row["score"] for name, row in resolution["ranks"].items()}
    )


@pytest.mark.parametrize("weight", [1.0, 1000.0])
def test_equal_weights_are_no_weights_where_every_battle_is_a_cluster_of_its_own(weight):
    given = replace(battles("plain", 3), factors={"cluster": bp.Factor.of([f"p{i}" for i in range(240)])})
    one, other = (bp.resolve(which).to_dict() for which in (given, replace(given, weight=np.full(240, weight))))
    for part in ("score", "low", "high", "best", "worst"):
        values = [{name: row[part] for name, row in board["ranks"].items()} for board in (one, other)]
        assert values[0] == pytest.approx(values[1], abs=1e-9)
    assert one["bradley_terry"]["lack_of_fit"]["p_value"] == pytest.approx(
        other["bradley_terry"]["lack_of_fit"]["p_value"]
    )


@pytest.mark.parametrize("seed", [12, 19, 22])  # in these, more than three rivals are out of reach
def test_what_judges_says_of_a_judge_depends_on_no_name_and_no_order(seed):
    """Also which votes of it would change the winner, of whom only the nearest rivals are searched."""
    rng, rows = np.random.default_rng([seed, 5]), 400
    strength = rng.normal(0, 1, 7)
    a = rng.integers(0, 7, rows)
    b = (a + rng.integers(1, 7, rows)) % 7
    outcome = np.where(rng.random(rows) < 0.2, 0.5, rng.random(rows) < 1 / (1 + np.exp(strength[b] - strength[a])))
    judge, order = rng.integers(0, 4, rows), rng.permutation(rows)

    def answers(agent: list[str], name: list[str], rows: np.ndarray) -> list[tuple]:
        codes = np.argsort(np.argsort(agent))
        factors = {"judge": bp.Factor.of([name[k] for k in judge[rows]])}
        given = bp.Battles(tuple(sorted(agent)), codes[a[rows]], codes[b[rows]], outcome[rows], factors=factors)
        found = {row["name"]: row for row in bp.judges(given).to_dict()["judges"]}
        back = dict(zip(agent, range(7), strict=True)) | {None: None}
        return [
            (
                one["votes"],
                *((one[part]["votes"], back[one[part]["rival"]]) for part in ("dropped", "reversed")),
                one["reliability"],
            )
            for one in (found[name[k]] for k in range(4))
        ]

    plain = answers([f"m{k}" for k in range(7)], list("wxyz"), np.arange(rows))
    other = answers([f"z{9 - k}" for k in range(7)], list("dcba"), order)
    for one, same in zip(plain, other, strict=True):
        assert one[:3] == same[:3]
        assert one[3] == pytest.approx(same[3])
