"""What is written reads back as it was; what a file cannot hold is named, and nothing is lost in silence."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Factor, Pairs, Scores
from beatpath.data.formats.preflib import preflib_type
from beatpath.data.write import converted
from beatpath.evidence.battles import POSITIONS
from helpers.format_trial import plain_pairs

TABLES = [".parquet", ".csv", ".tsv", ".jsonl", ".csv.gz", ".csv.zst", ".tsv.gz", ".jsonl.gz", ".jsonl.zst"]
MARKED = ["null", "NULL", "NaN", "None", "true", "False", "1", "01", "1e3", "-0", "\\N", "#N/A", "0x1", "inf", "a", "b"]
HOSTILE = [
    "a\nb", "\n", "\r", "\r\n", "a,b", ";", "\t", '"', '""', "say \"hi\"", "'", " pad ", " ", "\u202eright", "\u200b",
    "\ufeff", "\x00", "\x1b[31m", "\x1f", "\x85", "\u2028", "=1+1", "//", "#", "\\", "{}", "é", "e\u0301", "y" * 9_000,
]  # fmt: skip
NAMES = st.one_of(st.sampled_from(MARKED + HOSTILE), st.text(st.characters(codec="utf-8"), min_size=1, max_size=6))
NUMBERS = st.floats(-1e100, 1e100)
WEIGHTS = st.one_of(st.just(0.0), st.floats(1e-100, 1e6))
SLOW = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
THOROUGH = settings(SLOW, max_examples=60)


def column(draw, elements, n):
    return draw(st.lists(elements, min_size=n, max_size=n))


def agent_names(draw, least=2):
    return tuple(draw(st.lists(NAMES, min_size=least, max_size=5, unique=True)))


def maybe(draw, make):
    return make() if draw(st.booleans()) else None


def factors_named(draw, n, *names):
    missing = st.one_of(st.none(), NAMES)
    return {name: Factor.of(column(draw, missing, n)) for name in names if draw(st.booleans())}


@st.composite
def battles(draw):
    agents, n = agent_names(draw), draw(st.integers(1, 8))
    a = np.array(column(draw, st.integers(0, len(agents) - 1), n))
    step = np.array(column(draw, st.integers(1, len(agents) - 1), n))
    outcome = np.array(column(draw, st.one_of(st.sampled_from([0, 0.5, 1]), st.floats(0, 1)), n), dtype=float)
    flags = np.array(column(draw, st.booleans(), n)) & (outcome == 0.5)
    free = st.one_of(st.none(), st.sampled_from(["x", "y z", "é", '"']))
    return Battles(
        agents,
        a,
        (a + step) % len(agents),
        outcome,
        both_bad=maybe(draw, lambda: flags),
        weight=maybe(draw, lambda: column(draw, WEIGHTS, n)),
        position=maybe(draw, lambda: column(draw, st.sampled_from([-1, 0, 1]), n)),
        time=maybe(draw, lambda: column(draw, st.one_of(st.just(np.nan), NUMBERS), n)),
        factors=factors_named(draw, n, "task", "cluster", "judge")
        | ({"opening": Factor.of(["x", *column(draw, free, n - 1)])} if draw(st.booleans()) else {}),
        covariates={"tokens": [1.0, *column(draw, st.one_of(st.just(np.nan), NUMBERS), n - 1)]}
        if draw(st.booleans())
        else {},
    )


@st.composite
def ballots(draw, names=NAMES):
    agents = tuple(draw(st.lists(names, min_size=2, max_size=5, unique=True)))
    votes = []
    for _ in range(draw(st.integers(1, 5))):
        order = draw(st.permutations(agents))[: draw(st.integers(1, len(agents)))]
        groups: list[list[str]] = []
        for name in order:
            if groups and draw(st.booleans()):
                groups[-1].append(name)
            else:
                groups.append([name])
        votes.append(groups)
    n = len(votes)
    named = {"ballot": Factor.of(draw(st.lists(NAMES, min_size=n, max_size=n, unique=True)))}
    return Ballots.of(
        votes,
        agents=agents,
        count=maybe(draw, lambda: column(draw, st.integers(0, 2**40), n)),
        weight=maybe(draw, lambda: column(draw, WEIGHTS, n)),
        factors=factors_named(draw, n, "voter", "task", "cluster", "colour") | (named if draw(st.booleans()) else {}),
    )


@st.composite
def scores(draw):
    agents, n = agent_names(draw, 1), draw(st.integers(1, 8))
    factors = factors_named(draw, n, "task", "item", "metric", "replicate", "colour")
    levels = [level for name in ("metric", "task") if name in factors for level in factors[name].levels]
    lower = draw(st.lists(st.sampled_from(levels), unique=True, max_size=2)) if levels else []
    return Scores(
        agents,
        column(draw, st.integers(0, len(agents) - 1), n),
        column(draw, NUMBERS, n),
        factors,
        dict.fromkeys(lower, False),
        maybe(draw, lambda: column(draw, st.one_of(st.just(np.nan), NUMBERS), n)),
    )


@st.composite
def pairs(draw):
    agents, n = agent_names(draw), draw(st.integers(1, 8))
    a = np.array(column(draw, st.integers(0, len(agents) - 1), n))
    step = np.array(column(draw, st.integers(1, len(agents) - 1), n))
    keys = factors_named(draw, n, "task", "cluster", "judge", "colour")
    if draw(st.booleans()):
        keys["position"] = Factor.of(column(draw, st.sampled_from(POSITIONS), n))
    counts = np.array(column(draw, st.tuples(*[WEIGHTS] * 4), n))
    whole = maybe(draw, lambda: column(draw, st.integers(0, 2**40), n))
    return Pairs.from_cells(agents, a, (a + step) % len(agents), counts, battles=whole, keys=keys)


def number_texts(values):
    """Numbers as texts that tell every two apart, NaN being one of them; nothing where there are none."""
    return None if values is None else [repr(float(v)) for v in values]


def absent(values):
    """What says nothing: no column, or one that is false or zero throughout."""
    return None if values is None or not np.any(values) else np.asarray(values).tolist()


def names_by_factor(factors):
    """Cells of every column that has any; a reader takes a column without cells for no column."""
    return {name: f.names() for name, f in factors.items() if f.levels}


def plain_battles(b):
    return {
        "rows": [(b.agents[i], b.agents[j]) for i, j in zip(b.a, b.b, strict=True)],
        "outcome": number_texts(b.outcome),
        "both_bad": absent(b.both_bad),
        "position": absent(b.position),
        "weight": number_texts(b.weight),
        "time": number_texts(b.time),
        "factors": names_by_factor(b.factors),
        "covariates": {name: number_texts(values) for name, values in b.covariates.items()},
    }


def plain_ballots(b):
    """Ballots have no order among themselves, and numbers made up for their names are no names."""
    names = [name for name in names_by_factor(b.factors) if name != "ballot"]
    rows = [
        (
            tuple(frozenset(group) for group in vote),
            int(n),
            None if b.weight is None else float(b.weight[i]),
            *((name, b.factors[name].names()[i]) for name in sorted(names)),
        )
        for i, (vote, n) in enumerate(zip(b, b.count, strict=True))
    ]
    return set(b.agents), Counter(rows)


def plain_scores(s):
    return {
        "rows": [s.agents[i] for i in s.agent],
        "value": number_texts(s.value),
        "stderr": number_texts(s.stderr),
        "better": s.sign().tolist(),
        "factors": names_by_factor(s.factors),
    }


def used_agents(evidence, *codes):
    return {evidence.agents[i] for i in np.concatenate(codes)}


FREE = {"opening", "tokens", "colour"}


def there_and_back(evidence, path, **options):
    lost = bp.write(evidence, path)
    free = [*getattr(evidence, "factors", getattr(evidence, "keys", {})), *getattr(evidence, "covariates", {})]
    return bp.read(path, keep=[name for name in free if name in FREE], **options), lost


@pytest.mark.parametrize("suffix", TABLES)
@SLOW
@given(evidence=battles())
def test_battles_come_back_from_every_table(tmp_path, suffix, evidence):
    back, lost = there_and_back(evidence, tmp_path / f"x{suffix}")
    assert plain_battles(back) == plain_battles(evidence)
    idle = set(evidence.agents) - used_agents(evidence, evidence.a, evidence.b)
    assert set(back.agents) == set(evidence.agents) - idle
    assert len(lost) == (1 if idle else 0)
    assert all("without a battle" in sentence for sentence in lost)


@pytest.mark.parametrize("suffix", TABLES)
@SLOW
@given(evidence=ballots())
def test_ballots_come_back_from_every_table_with_agents_that_nobody_ranked(tmp_path, suffix, evidence):
    back, lost = there_and_back(evidence, tmp_path / f"x{suffix}")
    assert plain_ballots(back) == plain_ballots(evidence)
    if "ballot" in evidence.factors:
        assert set(back.factors["ballot"].levels) == set(evidence.factors["ballot"].levels)
    assert lost == ()


@pytest.mark.parametrize("suffix", TABLES)
@SLOW
@given(evidence=scores())
def test_scores_come_back_from_every_table(tmp_path, suffix, evidence):
    back, lost = there_and_back(evidence, tmp_path / f"x{suffix}")
    before, after = plain_scores(evidence), plain_scores(back)
    if any("better when lower" in sentence for sentence in lost):
        del before["better"], after["better"]
    assert after == before
    idle = set(evidence.agents) - used_agents(evidence, evidence.agent)
    assert set(back.agents) == set(evidence.agents) - idle
    assert bool(idle) == any("without a score" in sentence for sentence in lost)


@pytest.mark.parametrize("suffix", TABLES)
@SLOW
@given(evidence=pairs())
def test_pairs_come_back_from_every_table(tmp_path, suffix, evidence):
    back, lost = there_and_back(evidence, tmp_path / f"x{suffix}")
    assert plain_pairs(back) == plain_pairs(evidence)
    assert all("without a battle" in sentence for sentence in lost)


# one line without blanks at its end, which PrefLib's files do not hold
ONE_LINE = NAMES.filter(lambda name: "\n" not in name and "\r" not in name and name == name.rstrip(" \t"))


@THOROUGH
@given(evidence=ballots(names=ONE_LINE), kind=st.sampled_from(["soc", "soi", "toc", "toi"]))
def test_preflib_holds_orders_and_counts_or_says_which_type_would(tmp_path, evidence, kind):
    path = tmp_path / f"x.{kind}"
    ties = any(len(group) > 1 for vote in evidence for group in vote)
    short = any(sum(map(len, vote)) < len(evidence.agents) for vote in evidence)
    assert preflib_type(evidence) == ("to" if ties else "so") + ("i" if short else "c")
    if (ties and kind[0] == "s") or (short and kind[2] == "c"):
        with pytest.raises(bp.UsageError, match=f"Name the output .{preflib_type(evidence)}"):
            bp.write(evidence, path)
        return
    lost = bp.write(evidence, path)
    back = bp.read(path)
    expected = Counter()
    for vote, n in zip(evidence, evidence.count, strict=True):
        expected[tuple(frozenset(group) for group in vote)] += int(n)
    orders = {tuple(frozenset(g) for g in vote): int(n) for vote, n in zip(back, back.count, strict=True)}
    assert orders == expected
    assert set(back.agents) == set(evidence.agents)
    assert any("weights" in s for s in lost) == (evidence.weight is not None and any(evidence.weight != 1))
    assert all(any(f"'{name}'" in s for s in lost) for name in evidence.factors)
    assert any("added up" in s for s in lost) == (len(expected) < len(evidence))


def test_a_name_of_two_lines_is_refused_by_preflib(tmp_path):
    with pytest.raises(bp.DataError, match="one line"):
        bp.write(Ballots.of([[["a\nb"], ["c"]]]), tmp_path / "x.soc")


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz"])
def test_the_empty_name_is_refused_where_separated_text_would_lose_a_row(tmp_path, suffix):
    with pytest.raises(bp.DataError, match=r"'agent_a' must not hold the empty name.*\.parquet or \.jsonl"):
        bp.write(Battles.of([("", "x", 1)]), tmp_path / f"x{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".jsonl.zst"])
def test_the_empty_name_is_a_name_where_files_tell_it_from_none(tmp_path, suffix):
    evidence = Battles.of([("", "x", 1)], factors={"task": Factor.of([""])})
    back, lost = there_and_back(evidence, tmp_path / f"x{suffix}")
    assert (back.agents, back.factors["task"].levels, lost) == (("", "x"), ("",), ())


def test_an_empty_task_is_a_missing_one_in_separated_text_and_reported(tmp_path):
    evidence = Battles.of([("x", "y", 1), ("x", "y", 0)], factors={"task": Factor.of(["", "t"])})
    back, lost = there_and_back(evidence, tmp_path / "x.csv")
    assert back.factors["task"].names() == [None, "t"]
    assert len(lost) == 1
    assert "the empty names in 'task'" in lost[0]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".soc"])
def test_half_a_character_is_refused_with_a_sentence(tmp_path, suffix):
    with pytest.raises(bp.DataError, match=r"\\ud800"):
        bp.write(Ballots.of([[["\ud800"], ["x"]]]), tmp_path / f"x{suffix}")


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_no_battles_are_no_battles(tmp_path, suffix):
    empty = Battles(("x", "y"), [], [], [])
    assert len(bp.write(empty, tmp_path / f"x{suffix}")) == 1
    assert len(bp.read(tmp_path / f"x{suffix}")) == 0
    with pytest.raises(bp.DataError, match="at least one row"):
        bp.write(empty, tmp_path / "x.jsonl")


@pytest.mark.parametrize("name", ["x.csv.bak", "x", "x.gz", "x.parquet.gz", "x.soc.zst", "x.xlsx", "csv"])
def test_a_name_that_does_not_say_how_to_write_is_refused(tmp_path, name):
    with pytest.raises(bp.UsageError, match=r"must end in one of|compressed by their names"):
        bp.write(Battles.of([("x", "y", 1)]), tmp_path / name)


def test_counts_of_pairs_become_no_ballots():
    with pytest.raises(bp.UsageError, match="pairs cannot become 'ballots'"):
        converted(Pairs(("a", "b"), [0], [1], [[1, 2, 0, 0]]), "ballots")


@pytest.mark.parametrize("shown", [["a", None, "b"], ["left", "right", "left"]])
def test_positions_of_pairs_that_name_no_side_are_written_under_another_name(tmp_path, shown):
    pairs = Pairs(("a", "b"), [0] * 3, [1] * 3, [[1, 2, 0, 0]] * 3, keys={"position": Factor.of(shown)})
    lost = bp.write(pairs, tmp_path / "pairs.csv")
    assert any("`position` says who was first" in what for what in lost)
    assert "position_" in (tmp_path / "pairs.csv").read_text().splitlines()[0].split(",")


def test_positions_of_pairs_that_name_sides_are_positions_again(tmp_path):
    pairs = Pairs(("a", "b"), [0] * 2, [1] * 2, [[1, 2, 0, 0]] * 2, keys={"position": Factor.of(POSITIONS[:2])})
    assert not any("position" in what for what in bp.write(pairs, tmp_path / "pairs.csv"))
