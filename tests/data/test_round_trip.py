"""What is written reads back as it was; what a file cannot hold is named, and nothing is lost in silence."""

import sys
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Factor, Pairs, Scores
from beatpath.data.formats.preflib import preflib_type
from beatpath.evidence.battles import POSITIONS

TABLES = [".parquet", ".csv", ".tsv", ".jsonl", ".csv.gz", ".csv.zst", ".tsv.gz", ".jsonl.gz", ".jsonl.zst"]
MARKED = ["null", "NULL", "NaN", "None", "true", "False", "1", "01", "1e3", "-0", "\\N", "#N/A", "0x1", "inf", "a", "b"]
HOSTILE = [
    "a\nb", "\n", "\r", "\r\n", "a,b", ";", "\t", '"', '""', "say \"hi\"", "'", " pad ", " ", "\u202eright", "\u200b",
    "\ufeff", "\x00", "\x1b[31m", "\x1f", "\x85", "\u2028", "=1+1", "//", "#", "\\", "{}", "é", "e\u0301", "y" * 9_000,
]  # fmt: skip
NAMES = st.one_of(st.sampled_from(MARKED + HOSTILE), st.text(st.characters(codec="utf-8"), min_size=1, max_size=6))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
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
        weight=maybe(draw, lambda: column(draw, st.floats(0, 1e6), n)),
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
        weight=maybe(draw, lambda: column(draw, st.floats(0, 1e6), n)),
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
    counts = np.array(column(draw, st.tuples(*[st.floats(0, 1e9)] * 4), n))
    whole = maybe(draw, lambda: column(draw, st.integers(0, 2**40), n))
    return Pairs.from_cells(agents, a, (a + step) % len(agents), counts, battles=whole, keys=keys)


def told(values):
    """Numbers as texts that tell every two apart, NaN being one of them; nothing where there are none."""
    return None if values is None else [repr(float(v)) for v in values]


def absent(values):
    """What says nothing: no column, or one that is false or zero throughout."""
    return None if values is None or not np.any(values) else np.asarray(values).tolist()


def plain_battles(b):
    return {
        "rows": [(b.agents[i], b.agents[j]) for i, j in zip(b.a, b.b, strict=True)],
        "outcome": told(b.outcome),
        "both_bad": absent(b.both_bad),
        "position": absent(b.position),
        "weight": told(b.weight),
        "time": told(b.time),
        "factors": {name: f.names() for name, f in b.factors.items()},
        "covariates": {name: told(values) for name, values in b.covariates.items()},
    }


def plain_ballots(b):
    """Ballots have no order among themselves, and numbers made up for their names are no names."""
    names = [name for name in b.factors if name != "ballot"]
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
        "value": told(s.value),
        "stderr": told(s.stderr),
        "better": s.sign().tolist(),
        "factors": {name: f.names() for name, f in s.factors.items()},
    }


def plain_pairs(p):
    """Cells by the names of the pair and its keys, whichever way round the pair stands."""
    cells = {}
    for k in range(len(p)):
        a, b, row = p.agents[p.a[k]], p.agents[p.b[k]], p.counts[k].tolist()
        keys = {name: f.names()[k] for name, f in p.keys.items()}
        if a > b:
            a, b, row = b, a, [row[1], row[0], *row[2:]]
            turned = {"a first": "b first", "b first": "a first"}
            keys |= {"position": turned.get(keys["position"], keys["position"])} if "position" in keys else {}
        cell = (a, b, tuple(sorted(keys.items())))
        assert cell not in cells
        cells[cell] = (row, int(p.battles[k]))
    return cells


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


ONE_LINE = NAMES.filter(lambda name: "\n" not in name and "\r" not in name)


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
    found = {tuple(frozenset(g) for g in vote): int(n) for vote, n in zip(back, back.count, strict=True)}
    assert found == expected
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


def test_an_empty_task_is_a_missing_one_in_separated_text_and_that_is_said(tmp_path):
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


def test_columns_that_would_be_taken_for_something_else_are_named(tmp_path):
    row = [("x", "y", 1)]
    said = bp.write(Battles.of(row, factors={"language": Factor.of(["en"])}), tmp_path / "x.csv")
    assert said == ("that 'language' is no task: read the file with `--map task=none`",)
    assert "task" not in bp.read(tmp_path / "x.csv", map={"task": "none"}, keep=["language"]).factors
    said = bp.write(Battles.of(row, factors={"round": Factor.of(["1"])}), tmp_path / "x.csv")
    assert said == ("that 'round' holds names: they look like numbers, and are read as such",)
    said = bp.write(Battles.of(row, factors={"outcome": Factor.of(["o"])}), tmp_path / "x.csv")
    assert said == ("the name of the column 'outcome': it is called 'outcome_' now",)
    both = {"winner": Factor.of(["x"]), "loser": Factor.of(["y"])}
    said = bp.write(Battles.of(row, factors=both), tmp_path / "x.csv")
    assert said == ("what kind of table it is: its columns look like winner and loser, so map them when reading",)
    said = bp.write(Scores(("x",), [0], [1.0], {"value": Factor.of(["v"])}), tmp_path / "x.csv")
    assert said == ("the name of the column 'value': it is called 'value_' now",)


def test_squared_weights_and_softness_are_named_when_pairs_are_written(tmp_path):
    soft = Battles.of([("x", "y", 0.25), ("x", "y", 1)], weight=[2.0, 1.0])
    said = bp.write(soft, tmp_path / "x.csv", to="pairs")
    assert [sentence.split()[0:2] for sentence in said] == [["the", "squared"], ["how", "soft"]]


CSV = "model_a,model_b,winner,prompt,w\n"
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ada", "bob", "cyd", ""]),
        st.sampled_from(["dan", "eve", ""]),
        st.sampled_from(["model_a", "model_b", "tie", "both_bad", ""]),
        st.sampled_from(["p", "q", ""]),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=12,
)


def table_text(rows):
    return CSV + "".join(",".join(map(str, row)) + "\n" for row in rows)


@THOROUGH
@given(rows=ROWS, seed=st.randoms(use_true_random=False))
def test_shuffling_rows_and_renaming_agents_changes_nothing_else(tmp_path, rows, seed):
    path = tmp_path / "x.csv"
    path.write_text(table_text(rows))
    before = bp.read(path, map={"weight": "w", "cluster": "prompt"}).pairs(["cluster"])
    new = {"ada": "zoe", "bob": "ann", "cyd": "\u202ex", "dan": "1", "eve": "NaN", "": ""}
    mixed = [(new[a], new[b], *rest) for a, b, *rest in rows]
    seed.shuffle(mixed)
    path.write_text(table_text(mixed))
    after = bp.read(path, map={"weight": "w", "cluster": "prompt"}).pairs(["cluster"])
    cells = {(a, b): value for (a, b, *_), value in ((k, v) for k, v in plain_pairs(before).items())}
    assert len(cells) <= len(before)
    renamed = Pairs(
        tuple(new[n] for n in before.agents), before.a, before.b, before.counts, before.battles, keys=before.keys
    )
    assert plain_pairs(after) == plain_pairs(renamed)


@THOROUGH
@given(rows=ROWS)
def test_a_weight_counts_like_so_many_equal_rows(tmp_path, rows):
    once, often = tmp_path / "once.csv", tmp_path / "often.csv"
    once.write_text(table_text(rows))
    often.write_text(table_text([row for row in rows for _ in range(row[4])]))
    weighted = bp.read(once, map={"weight": "w"}).pairs()
    repeated = bp.read(often, map={"weight": "none"}).pairs()
    counted = {k: v[0] for k, v in plain_pairs(weighted).items() if sum(v[0])}
    assert counted == {k: v[0] for k, v in plain_pairs(repeated).items()}


LAYOUTS = {
    "battles": CSV
    + "ada,bob,model_a,p,1\nbob,ada,tie,q,2\nada,bob,both_bad,,3\n,bob,tie,p,1\nada,cyd,,p,1\ncyd,ada,model_b,p,0\n",
    "winner and loser": "winner,loser,prompt,w\nada,bob,p,1\nbob,ada,q,2\nada,,p,1\ncyd,ada,,3\nada,bob,p,1\n",
    "battles by score": (
        "home,away,home_score,away_score,prompt,w\nada,bob,3,1,p,1\nbob,ada,2,2.0,,2\nbob,cyd,,2,p,1\nada,bob,3,1.0,p,1\n"
    ),
    "one-hot winners": (
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie,prompt,w\n"
        "ada,bob,1,0,0,p,1\nbob,ada,0,0,1,,2\nada,cyd,0,1,0,q,1\nada,cyd,True,false,0,q,1\nada,cyd,0,0,0,q,1\n"
    ),
    "names of winners": "player_a,player_b,winner,prompt,w\nada,bob,ada,p,1\nbob,ada,ada,,2\nbob,cyd,tie,q,1\ncyd,bob,,q,1\n",
    "soft preferences": "agent_a,agent_b,outcome,prompt,w\nada,bob,0.25,p,1\nbob,ada,0.250,,2\nbob,cyd,1,q,1\nada,bob,0.25,p,4\n",
}
READ_AS = {
    "battles by score": "battles by score",
    "winner and loser": "winner and loser",
    "one-hot winners": "one-hot winners",
}


@contextmanager
def route(name, monkeypatch):
    """Force one of the ways in which groups are counted."""
    with monkeypatch.context() as patch:
        if name != "arrow":
            patch.setattr("beatpath.data.tables.table.count_groups", lambda *_: None)
        if name == "texts":
            patch.setattr("beatpath.data.tables.table.Table._dictionaries", lambda *_: False)
        if name == "hashes":
            patch.setattr("beatpath.data.tables.table.Table._dictionaries", lambda *_: True)
        if name == "no pyarrow":
            patch.undo()
            patch.setitem(sys.modules, "pyarrow", None)
            patch.setitem(sys.modules, "pyarrow.parquet", None)
        yield


def as_parquet(text, path):
    """The rows as Parquet files whose row groups have dictionaries of their own."""
    head, *rows = [line.split(",") for line in text.splitlines()]
    columns = [pa.array([cell or None for cell in cells], pa.string()) for cells in zip(*rows, strict=True)]
    pq.write_table(pa.table(columns, names=head), path, row_group_size=2)


@pytest.mark.parametrize("way", ["arrow", "hashes", "texts", "no pyarrow", "csv"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("by", [(), ("cluster",)], ids=["whole", "split"])
def test_counting_where_the_rows_lie_equals_reading_rows_and_counting(tmp_path, monkeypatch, way, layout, weighted, by):
    path = tmp_path / ("x.csv" if way == "csv" else "x.parquet")
    path.write_text(LAYOUTS[layout]) if way == "csv" else as_parquet(LAYOUTS[layout], path)
    roles = {"cluster": "prompt", "weight": "w" if weighted else "none"}
    rows = bp.read(path, map=roles)
    assert READ_AS.get(layout, "battles") in rows.reading.format
    with route(way, monkeypatch):
        counted = bp.read(path, map=roles, to="pairs", by=by)
    by_rows = rows.pairs(by)
    assert plain_pairs(counted) == plain_pairs(by_rows)
    assert counted.agents == by_rows.agents
    assert counted.reading.dropped == rows.reading.dropped
    assert (counted.reading.rows_read, counted.reading.rows_used) == (rows.reading.rows_read, rows.reading.rows_used)
    for mine, theirs in ((counted.squares, by_rows.squares), (counted.soft, by_rows.soft)):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(mine, theirs)


@pytest.mark.parametrize("way", ["arrow", "hashes", "texts", "no pyarrow", "csv"])
@settings(SLOW, max_examples=15)
@given(rows=ROWS)
def test_every_way_of_counting_agrees_on_rows_with_holes(tmp_path, monkeypatch, way, rows):
    path = tmp_path / ("x.csv" if way == "csv" else "x.parquet")
    path.write_text(table_text(rows)) if way == "csv" else as_parquet(table_text(rows), path)
    with route(way, monkeypatch):
        counted = bp.read(path, to="pairs")
    expected = Counter()
    for a, b, label, *_ in rows:
        if a and b and label:
            expected[a, b, ["model_a", "model_b", "tie", "both_bad"].index(label)] += 1
    found = {(a, b, k): n for (a, b, _), (row, _) in plain_pairs(counted).items() for k, n in enumerate(row) if n}
    assert found == expected


@pytest.mark.parametrize("way", ["arrow", "hashes", "texts"])
def test_files_with_different_dictionaries_and_types_are_counted_together(tmp_path, monkeypatch, way):
    """One file has plain texts, one dictionary codes, one numbers for names."""
    first = pa.table({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["tie", "model_a"]})
    second = pa.table({"model_a": ["z", None], "model_b": ["x", "z"], "winner": ["model_b", "tie"]})
    coded = pa.table([column.dictionary_encode() for column in second.columns], names=second.column_names)
    numbers = pa.table({"model_a": [1], "model_b": [2], "winner": ["model_a"]})
    for i, table in enumerate((first, coded, numbers)):
        pq.write_table(table, tmp_path / f"{i}.parquet", use_dictionary=i == 1)
    with route(way, monkeypatch):
        two = bp.read([tmp_path / "0.parquet", tmp_path / "1.parquet"], to="pairs")
        three = bp.read(str(tmp_path / "*.parquet"), to="pairs")
    cells = {("x", "y", ()): ([0, 0, 1, 0], 1), ("x", "z", ()): ([1, 0, 0, 0], 1), ("y", "z", ()): ([1, 0, 0, 0], 1)}
    assert plain_pairs(two) == cells
    assert plain_pairs(three) == cells | {("1", "2", ()): ([1, 0, 0, 0], 1)}
    assert two.reading.dropped == three.reading.dropped == {"no agent": 1}
