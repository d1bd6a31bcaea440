"""Items that two agents need until "new > base" settles: in random order, with predictions, and choosing items that split agents.

    python reproductions/items/next_items.py /data/swebench_verified_bash_only/per_instance.parquet
    python reproductions/items/next_items.py /data/alpaca_eval_gpt4turbo/annotations.parquet
    python reproductions/items/next_items.py /data/livebench_tables/table_2025_05_30.csv

Every pair of agents is drawn at random; the others are the pilot. For the false rate the scores of the two are exchanged so that their
difference is exactly zero and every settlement is false. "plain" predicts one half of everything, which is to bet on the differences
themselves; "weighted" draws items with probabilities that follow the predicted standard deviation, mixed with even ones, and weighs by
their inverse.
"""

import sys

import duckdb
import numpy as np
from scipy.special import expit, logit

from beatpath.inference.anytime.boundary import FRACTIONS
from beatpath.inference.items.next_items import RIDGE

SHARES = {"plain": None, "predicted": 1.0, "weighted, 85 % even": 0.85, "weighted, 30 % even": 0.3}
ERROR, NULLS = 0.05, 3


def tables(path):
    """Agents by items, from 0 to 1."""
    frame = duckdb.sql(f"FROM '{path}'").df()
    if "model" in frame:  # a column a task, in percent
        return frame.dropna().drop(columns="model").to_numpy(float) / 100
    if "resolved" in frame:
        return frame.pivot_table(index="agent", columns="instance", values="resolved").to_numpy(float)
    frame = frame[frame.model_1 != frame.model_2]
    table = frame.pivot_table(index="model_2", columns="prompt", values="preference").to_numpy(float) - 1
    return table[~np.isnan(table).any(axis=1)]


def items_needed(x, base, easy, even, rng):
    """Items until the claim settles either way, all if never; `even` is the share of even draws."""
    m, left, run, ability = len(x), np.arange(len(x)), [], 0.0
    wealth = np.zeros((2, len(FRACTIONS)))  # as of `bounded_bets`, one increment at a time
    while len(left):
        p = expit(ability + easy) if even is not None else np.full(m, 0.5)
        root = np.sqrt(p[left] * (1 - p[left])) + 0.03
        share = 1.0 if even is None else even
        chance = share / len(left) + (1 - share) * root / root.sum()
        k = rng.choice(len(left), p=chance / chance.sum())
        known = (x[run] - base[run]).sum() + (p - base)[left].sum()
        one = left[k]
        gain = known + (x[one] - p[one]) / chance[k]
        low, high = known - (p[left] / chance).max(), known + ((1 - p[left]) / chance).max()
        wealth[0] += np.log1p(FRACTIONS * gain / max(-low, 1e-300))
        wealth[1] += np.log1p(-FRACTIONS * gain / max(high, 1e-300))
        run.append(one)
        left = np.delete(left, k)
        sums = (x[run] - base[run]).sum()
        if np.exp(np.minimum(wealth, 700)).mean(axis=1).max() > 2 / ERROR:
            return len(run)
        if sums > base[left].sum() or sums < -(1 - base[left]).sum():  # whatever the others are
            return len(run)
        if even is not None:
            p = expit(ability + easy[run])
            ability += np.clip(((x[run] - p).sum() - RIDGE * ability) / ((p * (1 - p)).sum() + RIDGE), -1, 1)
    return m


def exchanged(x, base, rng):
    """Scores of no difference: of every two items, the second has those of the first, exchanged."""
    order = rng.permutation(len(x))[: len(x) // 2 * 2]
    first, second = order[::2], order[1::2]
    new, old = x.copy(), base.copy()
    new[second], old[second] = base[first], x[first]
    rest = np.setdiff1d(np.arange(len(x)), order)
    new[rest] = old[rest]
    return new, old


def main(path, pairs=60, seed=0):
    """Print the items needed and the false rate, by how items are drawn."""
    table, rng = tables(path), np.random.default_rng(seed)
    n, m = table.shape
    needed, false = {name: [] for name in SHARES}, {name: [] for name in SHARES}
    for _ in range(int(pairs)):
        a, b = rng.choice(n, 2, replace=False)
        others = np.delete(table, [a, b], axis=0)
        easy = logit((others.sum(axis=0) + 0.5) / (len(others) + 1))
        for name, even in SHARES.items():
            needed[name].append(items_needed(table[a], table[b], easy, even, rng))
            for _ in range(NULLS):
                false[name].append(items_needed(*exchanged(table[a], table[b], rng), easy, even, rng) < m)
    print(f"{n} agents, {m} items, {pairs} pairs")
    for name in SHARES:
        spread = np.std(np.array(needed[name]) - needed["predicted"]) / np.sqrt(len(needed[name]))
        print(
            f"{name:22s} mean {np.mean(needed[name]):6.1f} (s.e. of the difference from predicted {spread:4.1f})  median "
            f"{np.median(needed[name]):6.1f}  false {np.mean(false[name]):.3f} of {len(false[name])}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
