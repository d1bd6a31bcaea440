"""Files as evaluation tools write them, simulated, for the page of tools: `python docs/tool_files.py FOLDER` writes them.

Four models answer 300 questions of two tasks; the same answers stand in the files of every tool. aspen and birch differ by one question
in two hundred on average, cedar and elm are clearly weaker.
"""

import csv
import json
import sys
from io import StringIO
from pathlib import Path

import duckdb
import numpy as np

CHANCE = {
    "aspen": 0.80,
    "birch": 0.795,
    "cedar": 0.65,
    "elm": 0.45,
}  # of a right answer to a question of average difficulty
TASKS = ("math", "law")
EACH = 150  # questions of a task


def answers(seed=0):
    """Return for every model, task and question whether the answer is right; questions differ in difficulty."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 1.2, (len(TASKS), EACH))
    logit = {model: np.log(chance / (1 - chance)) for model, chance in CHANCE.items()}
    right = {model: rng.random(ease.shape) < 1 / (1 + np.exp(-(logit[model] + ease))) for model in CHANCE}
    return [
        (model, task, f"{task}-{k:03d}", int(right[model][t, k]))
        for model in CHANCE
        for t, task in enumerate(TASKS)
        for k in range(EACH)
    ]


def battles(seed=1):
    """Return 3,000 votes between two models, right answers being preferred nine times in ten."""
    rng = np.random.default_rng(seed)
    names, right = list(CHANCE), {(model, item): value for model, _, item, value in answers()}
    items = sorted({item for _, item in right})
    rows = []
    for number in range(3000):
        a, b = (names[k] for k in rng.permutation(len(names))[:2])
        item = items[int(rng.integers(len(items)))]
        better = right[a, item] - right[b, item]
        chance = 0.5 + 0.4 * better
        vote = "tie" if better == 0 and rng.random() < 0.4 else "model_a" if rng.random() < chance else "model_b"
        rows.append({"question_id": item, "model_a": a, "model_b": b, "winner": vote, "judge": f"user_{number % 400}"})
    return rows


def write(folder):
    """Write the files of every tool below a folder."""
    for name, text in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "data").mkdir(exist_ok=True)
    votes, shards = folder / "arena.jsonl", folder / "data" / "train-00000-of-00001.parquet"
    duckdb.sql(f"COPY (FROM read_json_auto('{votes}')) TO '{shards}'")


def files():
    """Return the text of every file by its path."""
    rows = answers()
    by_model = {model: [row[1:] for row in rows if row[0] == model] for model in CHANCE}
    texts = {
        "scores.csv": _csv(("model", "task", "question_id", "correct"), rows),
        "arena.jsonl": _lines(battles()),
        "table.json": json.dumps({"columns": ["model", "task", "question_id", "score"], "data": rows}),
        "langsmith.csv": _csv(
            ("id", "inputs", "outputs", "reference_outputs", "run", "error", "latency", "tokens", "correctness"),
            [(k, item, "…", "…", model, "", 1.2, 300, value) for k, (model, _, item, value) in enumerate(rows)],
        ),
        "promptfoo.json": json.dumps(_promptfoo(by_model)),
    }
    for model, own in by_model.items():
        texts[f"logs/{TASKS[0]}_{model}.json"] = json.dumps(_inspect(model, own))
        texts |= _lm_eval(model, own) | _helm(model, own)
        texts[f"verified/20260{1 + list(CHANCE).index(model)}01_{model}/results/results.json"] = json.dumps(
            {"no_generation": [], "no_logs": [], "resolved": [item for _, item, value in own if value]}
        )
        texts[f"mlruns/{model}/eval_results_table.json"] = json.dumps(
            {"columns": ["inputs", "targets", "outputs", "exact_match/v1/score"],
             "data": [[item, "…", "…", value] for _, item, value in own]}
        )  # fmt: skip
    return texts


def _csv(head, rows):
    text = StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def _lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


def _inspect(model, own):
    task = TASKS[0]
    samples = [
        {"id": item, "epoch": 1, "scores": {"match": {"value": "C" if value else "I"}}}
        for of, item, value in own
        if of == task
    ]
    about = {"task": task, "task_id": task, "model": f"openai/{model}", "dataset": {"name": task}, "config": {}}
    return {"version": 2, "status": "success", "eval": about, "samples": samples}


def _lm_eval(model, own):
    time = "2026-01-01T10-00-00.000000"
    shares = {task: float(np.mean([value for of, _, value in own if of == task])) for task in TASKS}
    results = {
        "results": {
            task: {"alias": task, "acc,none": share, "acc_stderr,none": 0.03} for task, share in shares.items()
        },
        "versions": dict.fromkeys(TASKS, 1),
        "n-shot": dict.fromkeys(TASKS, 0),
        "higher_is_better": {task: {"acc": True} for task in TASKS},
        "n-samples": {task: {"original": EACH, "effective": EACH} for task in TASKS},
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
        "model_name": model,
    }
    texts = {f"lm_eval/{model}/results_{time}.json": json.dumps(results)}
    for task in TASKS:
        values = [value for of, _, value in own if of == task]
        texts[f"lm_eval/{model}/samples_{task}_{time}.jsonl"] = _lines(
            {"doc_id": k, "doc": {"question": "…"}, "target": "…", "arguments": [], "resps": [], "filtered_resps": [],
             "filter": "none", "metrics": ["acc"], "doc_hash": f"{task}{k}", "prompt_hash": "p", "target_hash": "t", "acc": value}
            for k, value in enumerate(values)
        )  # fmt: skip
    return texts


def _helm(model, own):
    run = f"helm/runs/v1/{TASKS[0]}:model=example_{model}"
    spec = {"name": f"{TASKS[0]}:model=example/{model}", "scenario_spec": {"class_name": "helm.Scenario", "args": {}},
            "adapter_spec": {"model": f"example/{model}"}, "metric_specs": []}  # fmt: skip
    stats = [
        {"instance_id": item, "train_trial_index": 0, "stats": [_stat("exact_match", value)]}
        for of, item, value in own
        if of == TASKS[0]
    ]
    return {f"{run}/run_spec.json": json.dumps(spec), f"{run}/per_instance_stats.json": json.dumps(stats)}


def _stat(name, value):
    moments = {"count": 1, "sum": value, "sum_squared": value, "min": value, "max": value, "mean": value}
    return {"name": {"name": name, "split": "test"}, **moments, "variance": 0, "stddev": 0}


def _promptfoo(by_model):
    rows = [
        {"promptIdx": 0, "testIdx": k, "promptId": "p", "provider": {"id": f"openai:{model}", "label": ""},
         "prompt": {"raw": "{{question}}", "label": "{{question}}"}, "vars": {"question": item},
         "testCase": {"vars": {"question": item}}, "success": bool(value), "score": value, "namedScores": {},
         "failureReason": 0, "latencyMs": 300, "cost": 0.01}
        for model, own in by_model.items() for k, (_, item, value) in enumerate(own)
    ]  # fmt: skip
    results = {"version": 3, "timestamp": "2026-01-01T00:00:00Z", "prompts": [], "stats": {}, "results": rows}
    return {"evalId": "eval-1", "results": results, "config": {"description": "questions"}}


if __name__ == "__main__":
    write(Path(sys.argv[1]))
