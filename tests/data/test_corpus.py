"""A corpus of files in the shapes that tools write: each is read right, with no option or with the one that is printed.

Mutations of it, with a column or a field renamed, missing or in another place, are read right or refused.
"""

import ast
import csv
import io
import json
import re
import subprocess
from collections import Counter

import numpy as np
import pytest

import beatpath as bp
from helpers.shapes import EXPECTED, LOWER, TASKS, S

OFFER = re.compile(r"`((?:map|lower)=.*?)`")


def put(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return "." if len(files) > 1 else next(iter(files))


def as_a_user(source):
    """Read without a parameter; if that is refused with some to paste, with them."""
    try:
        return bp.read(source)
    except bp.ReadError as error:
        offer = OFFER.search(str(error))
        if offer is None or "COLUMN" in offer[1]:
            raise
    call = ast.parse(f"read({offer[1]})", mode="eval").body
    return bp.read(source, **{one.arg: ast.literal_eval(one.value) for one in call.keywords})


def content(evidence):
    """What `EXPECTED` states of evidence."""
    if isinstance(evidence, bp.Scores):
        values = {agent: [] for agent in evidence.agents}
        for code, value in zip(evidence.agent, evidence.value, strict=True):
            values[evidence.agents[code]].append(round(float(value), 9))
        return {agent: sorted(some) for agent, some in values.items()}
    if isinstance(evidence, bp.Battles):
        names = evidence.agents
        rows = zip(evidence.a, evidence.b, evidence.outcome, strict=True)
        return [(names[a], names[b], float(outcome)) for a, b, outcome in rows]
    if isinstance(evidence, bp.Ballots):
        orders = Counter()
        for order, count in zip(evidence, evidence.count, strict=True):
            orders[tuple(name for group in order for name in group)] += int(count)
        return dict(orders)
    pairs = isinstance(evidence, bp.Pairs)
    upper = evidence.counts[:, 0] if pairs else evidence.matrix[np.triu_indices(len(evidence.agents), 1)]
    return evidence.kind, [round(float(x), 9) for x in upper]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_corpus_is_large():
    assert len(EXPECTED) >= 260
    assert set(EXPECTED) == set(S)


@pytest.mark.parametrize("name", S)
def test_a_shape_is_read_right_or_refused_with_what_to_do(name, here):
    expected, source = EXPECTED[name], put(here, S[name])
    if isinstance(expected, str):
        with pytest.raises(bp.ReadError, match=re.escape(expected)):
            bp.read(source)
        return
    evidence = as_a_user(source)
    assert content(evidence) == expected
    assert evidence.reading.rows_read == evidence.reading.rows_used + sum(evidence.reading.dropped.values())
    if isinstance(evidence, bp.Scores):
        assert evidence.tasks == TASKS.get(name, ("all",))


def test_several_metrics_of_the_same_items_are_asked_for_with_what_to_paste(here):
    source = put(here, S["pyterrier"])
    with pytest.raises(bp.DataError, match="these have 'map', 'ndcg'") as asked:
        bp.resolve(source)
    offer = ast.literal_eval(re.search(r"`where=(.*?)`", str(asked.value))[1])
    one = bp.read(source, where=offer)
    assert content(one) == {"BM25": [0.2, 0.2], "DPH": [0.3, 0.3]}
    bp.resolve(one)


def test_metrics_of_different_tasks_are_not_asked_for(here):
    rows = [
        ("x", "law", "acc", 1),
        ("y", "law", "acc", 2),
        ("x", "sum", "rouge", 3),
        ("y", "sum", "rouge", 5),
        ("y", "sum", "bleu", 5),
    ]
    text = "model,task,metric,value\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    bp.resolve(put(here, {"s.csv": "\n".join(text.splitlines()[:-1]) + "\n"}))
    with pytest.raises(bp.DataError, match=re.escape('Choose, for example `where=["metric!=bleu"]`')):
        bp.resolve(put(here, {"s.csv": text}))


def test_the_printed_line_makes_a_table_of_markdown(here):
    with pytest.raises(bp.ReadError) as refused:
        bp.read(put(here, S["md_board"]))
    subprocess.run(["bash", "-c", re.search(r"`(grep.*)`", str(refused.value))[1]], check=True)
    assert content(bp.read("table.tsv")) == {
        "**gpt-x**": [81.2, 90.1],
        "[llama](https://x.y)": [60.5, 70.0],
        "qwen": [61.0, 65.3],
    }


def test_an_empty_object_is_refused(here):
    with pytest.raises(bp.ReadError, match="must have at least two columns"):
        bp.read(put(here, {"empty.json": "{}"}))


def mutations(text):
    """Separated text with its columns turned round, each renamed, and each missing."""
    sign = "\t" if "\t" in text else ";" if ";" in text.partition("\n")[0] else ","
    rows = list(csv.reader(io.StringIO(text), delimiter=sign))
    for at, name in enumerate(rows[0]):
        yield name, [[*rows[0][:at], "zz", *rows[0][at + 1 :]], *rows[1:]], sign
        if name != "result":
            yield None, [[*row[:at], *row[at + 1 :]] for row in rows], sign
    yield None, [row[::-1] for row in rows], sign


def joined(rows, sign):
    out = io.StringIO()
    csv.writer(out, delimiter=sign, lineterminator="\n").writerows(rows)
    return out.getvalue()


def agrees(mutated, expected, more=()):
    """Whether the same agents have values that the file holds for them, or battles among those of the file.

    `more` are numbers of a column whose new name says no longer that they are no scores.
    """
    if isinstance(expected, dict) and any(isinstance(order, tuple) for order in expected):
        return mutated == expected
    if isinstance(expected, dict) and isinstance(mutated, dict):
        values = {
            agent: Counter(some) - Counter(expected[agent]) for agent, some in mutated.items() if agent in expected
        }
        return set(mutated) == set(expected) and all(set(left) <= set(more) for left in values.values())
    turned = Counter(frozenset([(a, o), (b, 1 - o)]) for a, b, o in mutated if a != b)
    return not turned - Counter(frozenset([(a, o), (b, 1 - o)]) for a, b, o in expected)


def is_number(text):
    return re.fullmatch(r"-?[0-9]+([.,][0-9]+)?", text) is not None


# Names that alone say what stands where: without them a table reads as another one, and so it should.
ONLY_SIGN = {
    "amlb": ["result"], "openrlbenchmark": [""], "judgebench": ["judge_model", "judgment"], "tasks_first": ["task"], "opencompass": ["dataset"], "tbench": ["n_resolved", "results"],
    "braintrust_ids": ["experiment_id"], "harbor": ["model_name"], "lighteval": ["all"], "average_row": ["task"],
    "epoch": ["Training compute (FLOP)"], "lm_eval_old": ["model_args"], "gaia_board": ["score_level1", "score_level2", "score_level3"],
    "evalscope_report": ["dataset_name", "model_name", "metrics"], "average_of_agents": ["task", "Mean"], "metrics_of_tasks": ["task"], "described_tasks": ["task", "n_examples", "num_classes", "difficulty"],
}  # fmt: skip
TABLES = [
    name
    for name, files in S.items()
    if len(files) == 1 and next(iter(files)).endswith((".csv", ".tsv")) and isinstance(EXPECTED[name], dict | list)
    if "headerless" not in name
    if name not in ("average_task_long", "total_item_long")  # without its name an average is a value like the others
    if name != "openllm_v2"  # it names its agents twice
]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_with_other_columns_is_read_right_or_refused(name, here):
    ((file, text),) = S[name].items()
    for renamed, rows, sign in mutations(text):
        if renamed in ONLY_SIGN.get(name, ()):
            continue
        source = put(here, {file: joined(rows, sign)})
        try:
            mutated = content(bp.read(source))
        except bp.BeatpathError:
            continue
        # a column of a new name, and an average beside one task, which may be of others
        free = [at for at, column in enumerate(rows[0]) if column in ("zz", "Average", "Avg. Score", "Avg")]
        more = [float(row[at].replace(",", ".")) for row in rows[1:] for at in free if is_number(row[at])]
        expected = (
            {"zz" if agent == renamed else agent: some for agent, some in EXPECTED[name].items()}
            if isinstance(EXPECTED[name], dict)
            else EXPECTED[name]
        )
        assert agrees(mutated, expected, more), (renamed, rows[0], mutated)


def cells_changed(text, change):
    """Separated text with the cells of its first column of decimals changed, `None` if it has none."""
    sign = "\t" if "\t" in text else ";" if ";" in text.partition("\n")[0] else ","
    head, *rows = csv.reader(io.StringIO(text), delimiter=sign)
    for at in range(len(head)):
        if all(re.fullmatch(r"-?\d+\.\d+", row[at]) for row in rows):
            return joined(
                [head, *([*row[:at], change(row[at], i), *row[at + 1 :]] for i, row in enumerate(rows))], sign
            )
    return None


def with_index(text):
    sign = "\t" if "\t" in text else ";" if ";" in text.partition("\n")[0] else ","
    head, *rows = csv.reader(io.StringIO(text), delimiter=sign)
    return joined([["", *head], *([str(i), *row] for i, row in enumerate(rows))], sign)


def header_again(text):
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:3], lines[0], *lines[3:]])


# Ways to write a table that change nothing, and ways that must not be guessed at.
SAME = {
    "byte order mark": lambda text: "\ufeff" + text,
    "blank rows": lambda text: text.replace("\n", "\n\n", 2) + "\n\n",
    "lines of Windows": lambda text: text.replace("\n", "\r\n"),
    "index of pandas": with_index,
    "percent signs": lambda text: cells_changed(text, lambda cell, _: f"{cell}%"),
    "blanks": lambda text: cells_changed(text, lambda cell, _: f" {cell} "),
    "spreads": lambda text: cells_changed(text, lambda cell, _: f"{cell} ± 0.1"),
}
REFUSED = {
    "two ends of lines": lambda text: text.replace("\n", "\r\n", 2),
    "header again": header_again,
    **{
        sign: lambda text, sign=sign: cells_changed(text, lambda cell, at: sign if at == 0 else cell)
        for sign in ("NaN", "inf", "1,234", "**0.5**", "n/a*")
    },
    "thousands": lambda text: cells_changed(text, lambda *_: "1,234"),
    "dollars": lambda text: cells_changed(text, lambda cell, _: f"${cell}"),
}
# Cells that say that there is no number.
ABSENT = ("N/A", "n/a", "NA", "-", "—", "null", "None", "#N/A")
WRITTEN_OTHERWISE = [
    "amlb", "football_data", "kaggle", "langsmith", "lmarena_board", "leaderboard_params", "mos", "tsv_scores", "wandb_runs",
    "wide_with_time", "winner_loser", "arena_hard_board",
]  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
def test_a_table_written_otherwise_is_read_alike_or_refused(name, here):
    ((file, text),) = S[name].items()
    for way, change in (SAME | REFUSED).items():
        changed = change(text)
        if changed is None:
            continue
        source = put(here, {file: changed})
        if way in SAME:
            assert content(as_a_user(source)) == EXPECTED[name], way
            continue
        try:
            read = content(bp.read(source))
        except bp.BeatpathError:
            continue
        assert read == EXPECTED[name], way  # the cells are in a column that is not used


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
def test_a_cell_that_says_that_there_is_no_number_is_missing_and_counted(name, here):
    ((file, text),) = S[name].items()
    if cells_changed(text, lambda cell, _: cell) is None or not isinstance(EXPECTED[name], dict):
        return
    for sign in ABSENT:
        marked = put(here, {file: cells_changed(text, lambda cell, at, sign=sign: sign if at == 0 else cell)})
        scores = as_a_user(marked)
        empty = as_a_user(put(here, {file: cells_changed(text, lambda cell, at: "" if at == 0 else cell)}))
        assert content(scores) == content(empty)
        if content(scores) != EXPECTED[name]:  # otherwise the cell is in a column that is not used
            assert f"1 cell without a number, marked {sign!r}" in scores.reading.notes
        assert not empty.reading.notes


@pytest.mark.parametrize("name", LOWER)
def test_what_is_better_when_lower_is_not_read_as_better_when_higher(name, here):
    source = put(here, S[name])
    scores = as_a_user(source)
    assert {name for name, up in scores.higher_is_better.items() if not up} == set(LOWER[name])


def test_where_no_name_says_what_agents_are_both_readings_are_given(here):
    for name, one, other in (
        ("mlperf", "'SystemName' names agents", "'Model' names agents"),
        ("mixeval", "the rows are agents", "the columns are agents"),
        ("openrlbenchmark", "the columns are agents", "the rows are agents"),
        ("instances_by_name", "the rows are agents", "the columns are agents"),
        ("tsml_clusterers", "the rows are agents", "the columns are agents"),
        ("zeroeval_summaries", "'Model' names agents", "'file' names agents"),
        ("llmbar", "'folder2' names agents", "'folder' names agents"),
        ("appworld", "'llm.name' names agents", "'method.name' names agents"),
    ):
        with pytest.raises(bp.ReadError, match=f"If {one}, `map=.*(;|.) [iI]f {other}, `map="):
            bp.read(here / name / put(here / name, S[name]))


@pytest.mark.parametrize(
    ("name", "table", "expected"),
    [
        ("tsml_resamples", "scores.csv", {"EE_accuracy.csv": [0.53, 0.55, 0.61, 0.647, 0.655, 0.675]}),
        ("osworld_full", "scores.csv", {"gpt-4o": [0, 1, 1], "claude": [0, 1, 1]}),
        ("wmt_esa", "named.csv", {"NTTSU": [84, 84, 91, 91, 98, 98], "refA": [80, 80, 95, 95, 97, 97]}),
        ("voicemos", "parts.csv", {"sys00691": [2.625, 3.5], "sys4bafa": [3.75, 4.125]}),
    ],
)
def test_the_printed_line_makes_a_table_that_is_read_right(name, table, expected, here):
    with pytest.raises(bp.ReadError) as refused:
        bp.read(put(here, S[name]))
    subprocess.run(["bash", "-c", re.search(r"`([(s].*)`", str(refused.value))[1]], check=True)
    assert content(as_a_user(table)) == expected


def test_lines_before_a_header_are_no_part_of_a_table(here):
    text = S["tsv_scores"]["s.tsv"].replace("\t", ",")
    for comment in ("# written by a tool\n", '# {"seed": 1, "note": "x, y"}\n# and more\n'):
        source = put(here, {"s.csv": comment + text})
        assert content(bp.read(source)) == EXPECTED["tsv_scores"]
    with pytest.raises(bp.UsageError, match="leave `engine` out"):
        bp.read("s.csv", engine="duckdb")
    scores = bp.read(put(here, {"s.csv": "# Rank,model,law,bio\n1,x,0.5,0.25\n2,y,0.25,0.75\n"}))
    assert content(scores) == {"x": [0.25, 0.5], "y": [0.25, 0.75]}


def test_votes_for_nobody_are_left_out_by_the_printed_line(here):
    put(here, S["rcv"])
    places = {"places": "+".join(f"Mayor Choice {i} of 3" for i in (1, 2, 3))}
    with pytest.raises(bp.ReadError, match="'overvote', 'undervote' stand for nobody") as refused:
        bp.read("cvr.csv", map=places)
    subprocess.run(["bash", "-c", re.search(r"`(sed.*)`", str(refused.value))[1]], check=True)
    assert content(bp.read("ballots.csv", map=places)) == {("Ann", "Bob", "Cyd"): 1, ("Bob",): 1, ("Cyd", "Ann"): 1}


def keys_of(value):
    if isinstance(value, dict):
        return set(value) | {key for inner in value.values() for key in keys_of(inner)}
    return {key for inner in value for key in keys_of(inner)} if isinstance(value, list) else set()


def without(value, key, new):
    """The value with a key renamed, or removed if `new` is empty, wherever it is."""
    if isinstance(value, dict):
        pairs = [(new if k == key else k, without(inner, key, new)) for k, inner in value.items()]
        return {k: inner for k, inner in pairs if k}
    return [without(inner, key, new) for inner in value] if isinstance(value, list) else value


def parsed(text):
    return [json.loads(line) for line in text.splitlines()] if text.count("\n") else json.loads(text)


def under(value, key):
    """The numbers under a key, wherever it is."""
    if isinstance(value, dict):
        own = [value[key]] if isinstance(value.get(key), int | float) else []
        return [*own, *(x for inner in value.values() for x in under(inner, key))]
    return [x for inner in value for x in under(inner, key)] if isinstance(value, list) else []


def fits(mutated, expected, more):
    """Whether agents, with all or a part of their names, have values that the log holds for them."""
    for agent, values in mutated.items():
        known = [Counter(expected[name]) for name in expected if agent in name or name in agent]
        if not any(set(Counter(values) - some) <= set(more) for some in known):
            return False
    return True


JSON = [
    name
    for name, files in S.items()
    if next(iter(files)).endswith(("json", "jsonl")) and isinstance(EXPECTED[name], dict)
]


@pytest.mark.parametrize("name", JSON)
def test_a_log_with_other_fields_is_read_right_or_refused(name, here):
    files = {file: parsed(text) for file, text in S[name].items()}
    fields = {key for value in files.values() for key in keys_of(value)}
    fields = sorted(fields - set(ONLY_SIGN.get(name, ())))
    for key in fields:
        for new in ("zz", ""):
            texts = {}
            for file, value in files.items():
                changed = without(value, key, new)
                lines = S[name][file].count("\n") > 0
                texts[file] = "\n".join(map(json.dumps, changed)) + "\n" if lines else json.dumps(changed)
            source = put(here, texts)
            try:
                mutated = content(bp.read(source))
            except bp.BeatpathError:
                continue
            assert fits(mutated, EXPECTED[name], {x for value in files.values() for x in under(value, key)}), (
                key,
                new,
                mutated,
            )
