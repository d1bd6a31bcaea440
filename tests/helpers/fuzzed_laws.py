"""Laws on damaged files: what can be read says the same in another order, under other names, and with equal weights."""

import random
from dataclasses import replace

import numpy as np

import beatpath as bp
from beatpath.evidence.select import renumbered

Evidence = bp.Battles | bp.Ballots | bp.Scores
MOST_ROWS, MOST_AGENTS = 2_000, 30  # beyond which a case would take too long
CLOSE = 1e-6  # relative difference of numbers
LARGEST = 1e6  # a larger score, or number of equal ballots, leaves rounding in small ones beside it


def law_fault(number: int, evidence: object) -> str | None:
    """Apply the laws to evidence that was read; return the statements that change, or nothing."""
    if not isinstance(evidence, bp.Battles | bp.Ballots | bp.Scores):
        return None
    if len(evidence) > MOST_ROWS or len(evidence.agents) > MOST_AGENTS:
        return None
    numbers = getattr(evidence, "value", getattr(evidence, "count", np.zeros(0)))
    if np.abs(numbers).max(initial=0.0) > LARGEST:
        return None
    plain = _statements(evidence, {})
    for law, (other, old) in _others(random.Random(f"law {number}"), evidence).items():
        same = _statements(other, old)
        changed = [part for part in plain.keys() | same.keys() if not _alike(plain.get(part), same.get(part))]
        if changed:
            shown = [(part, plain.get(part), same.get(part)) for part in changed[:3]]
            return f"the law of {law} changes {len(changed)} statements: {shown}"
    return None


def _others(rng: random.Random, evidence: Evidence) -> dict[str, tuple[Evidence, dict[str, str]]]:
    """The same evidence by law, with the old names of renamed agents."""
    order = np.array(rng.sample(range(len(evidence)), len(evidence)), dtype=np.int64)
    names = tuple(f"agent {len(evidence.agents) - k:03}" for k in range(len(evidence.agents)))
    renamed = renumbered(replace(evidence, agents=names), np.argsort(names))
    others = {"order": (evidence.take(order), {}), "names": (renamed, dict(zip(names, evidence.agents, strict=True)))}
    if isinstance(evidence, bp.Battles) and evidence.weight is None:
        others["weights"] = replace(evidence, weight=np.full(len(evidence), 3.0)), {}
    return others


def _statements(evidence: Evidence, old: dict[str, str]) -> dict[str, object]:
    """What is said of every agent by three verbs, by its old name; that a verb refuses, without its words."""
    said: dict[str, object] = {}
    try:
        ranks = bp.resolve(evidence).to_dict()["ranks"]
    except bp.BeatpathError:
        ranks = {"": {"score": "refused"}}
    for name, row in ranks.items():
        said |= {
            f"{old.get(name, name)} {part}": value
            for part, value in row.items()
            if part in ("score", "low", "high", "best", "worst")
        }
    try:
        said |= {
            f"{old.get(name, name)} level": k
            for k, level in enumerate(bp.rank(evidence, "copeland").levels)
            for name in level
        }
    except bp.BeatpathError:
        said["copeland"] = "refused"
    try:
        said["core"] = sorted(old.get(name, name) for name in bp.core(evidence).top_cycle.members)
    except bp.BeatpathError:
        said["core"] = "refused"
    return said


def _alike(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.isclose(one, other, rtol=CLOSE, atol=CLOSE, equal_nan=True))
    return one == other
