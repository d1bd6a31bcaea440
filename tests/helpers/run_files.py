"""One run of an evaluation, item by item, as harnesses write it: every function puts the files of a run into a folder."""

import json
import zipfile

STAMP = "2026-11-15T02-40-51.198128"


def lm_eval(folder, right, model="org/model", task="tiny_mc", metrics=("acc",), filters=("none",)):
    """lm-evaluation-harness with ``--log_samples``: aggregates, and samples of a task; returns the samples."""
    mean, key = sum(right) / len(right), model.replace("/", "__")
    results = {f"{m},{f}": mean for m in metrics for f in filters} | {"alias": task, "sample_len": len(right)}
    (folder / key).mkdir(parents=True)
    document = {
        "results": {task: results}, "group_subtasks": {}, "configs": {task: {"task": task}}, "versions": {task: 1.0},
        "n-shot": {task: 0}, "higher_is_better": {task: dict.fromkeys(metrics, True)},
        "n-samples": {task: {"original": len(right), "effective": len(right)}}, "task_hashes": {task: "3f48"},
        "model_source": "hf", "model_name": model, "model_name_sanitized": key, "lm_eval_version": "0.4.13",
        "config": {"model": "hf", "model_args": {"pretrained": model}, "limit": None},
    }  # fmt: skip
    (folder / key / f"results_{STAMP}.json").write_text(json.dumps(document, indent=1))
    samples = folder / key / f"samples_{task}_{STAMP}.jsonl"
    rows = [
        {"doc_id": i, "doc": {"id": f"m{i}", "question": "?"}, "target": "0", "arguments": {}, "resps": [], "filtered_resps": [],
         "filter": f, "metrics": list(metrics), "doc_hash": f"d{i}", "prompt_hash": f"p{i}", "target_hash": "t",
         **dict.fromkeys(metrics, float(x))}
        for f in filters for i, x in enumerate(right)
    ]  # fmt: skip
    samples.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return samples


def inspect_log(folder, right, model="openai/model", ending="json", epochs=None):
    """Inspect: one log of a task; `epochs` has further answers, one list an epoch. Returns the log."""
    every = [right, *(epochs or [])]
    samples = [
        {"id": f"q{i}", "epoch": e + 1, "input": "2+2=?", "target": "4",
         "scores": {"match": {"value": "C" if x else "I", "answer": "4"}}}
        for e, answers in enumerate(every) for i, x in enumerate(answers)
    ]  # fmt: skip
    header = {
        "version": 2, "status": "success",
        "eval": {"eval_id": "E", "run_id": "R", "created": "2026-11-15T02:38:42+00:00", "task": "tiny", "task_id": "T",
                 "model": model, "dataset": {"name": "tiny", "samples": len(right)}, "config": {"epochs": len(every)},
                 "scorers": [{"name": "match"}]},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": [
            {"name": "match", "scorer": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}}}]},
        "stats": {},
    }  # fmt: skip
    folder.mkdir(parents=True)
    path = folder / f"2026-11-15T02-38-42-00-00_tiny_T.{ending}"
    if ending == "json":
        path.write_text(json.dumps({**header, "samples": samples}))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps(header))
        log.writestr("summaries.json", json.dumps(samples))
        for one in samples:
            log.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
    return path


def promptfoo(folder, right, model="openai:gpt-5", ending="json"):
    """promptfoo ``--output results.json`` or ``results.jsonl``, one provider and one prompt; returns the file."""
    rows = [
        {"id": f"r{i}", "promptIdx": 0, "testIdx": i, "promptId": "p", "provider": {"id": model, "label": ""},
         "prompt": {"raw": f"What is {i}?", "label": "What is {{n}}?"}, "vars": {"n": i}, "testCase": {"vars": {"n": i}},
         "success": bool(x), "score": int(x), "namedScores": {}, "failureReason": int(not x), "latencyMs": 7, "cost": 0.01}
        for i, x in enumerate(right)
    ]  # fmt: skip
    folder.mkdir(parents=True)
    path = folder / f"results.{ending}"
    if ending == "json":
        results = {"version": 3, "timestamp": "2026-11-15T02:40:54.658Z", "prompts": [], "stats": {}, "results": rows}
        path.write_text(json.dumps({"evalId": "eval-5rl", "results": results, "config": {"description": "d"}}))
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def swe_bench(folder, right, model="org__model"):
    """SWE-bench: the report of a run; returns it."""
    ids = [f"django__django-{10000 + i}" for i in range(len(right))]
    solved, rest = ([one for one, x in zip(ids, right, strict=True) if bool(x) is side] for side in (True, False))
    document = {
        "total_instances": len(ids), "submitted_instances": len(ids), "completed_instances": len(ids),
        "resolved_instances": len(solved), "unresolved_instances": len(rest), "empty_patch_instances": 0, "error_instances": 0,
        "completed_ids": ids, "incomplete_ids": [], "empty_patch_ids": [], "submitted_ids": ids, "resolved_ids": solved,
        "unresolved_ids": rest, "error_ids": [], "schema_version": 2,
    }  # fmt: skip
    folder.mkdir(parents=True)
    path = folder / f"{model}.run1.json"
    path.write_text(json.dumps(document, indent=4))
    return path


def swe_bench_experiments(folder, right):
    """A submission of SWE-bench/experiments: lists of instances; returns the list."""
    ids = [f"django__django-{10000 + i}" for i in range(len(right))]
    solved = [one for one, x in zip(ids, right, strict=True) if x]
    path = folder / "20250101_agent" / "results" / "results.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"no_generation": [], "no_logs": [], "resolved": solved}))
    return path


def table(folder, right, header="id,correct", row="q{i},{x}", name="items.csv"):
    """A plain table; returns it."""
    folder.mkdir(parents=True)
    path = folder / name
    path.write_text("\n".join([header, *(row.format(i=i, x=x) for i, x in enumerate(right))]) + "\n")
    return path
