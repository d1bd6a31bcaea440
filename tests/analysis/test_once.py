"""A report counts its evidence once, validates these counts once, and fits each model of them once."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.matrix import win_matrix
from beatpath.inference.resolve import pairwise_resolution


def some_battles():
    rng = np.random.default_rng(0)
    pairs = [rng.choice(4, 2, replace=False) for _ in range(400)]
    return bp.Battles.of(
        [("abcd"[i], "abcd"[j], float(rng.random() < 0.5 + 0.1 * (int(j) - int(i)))) for i, j in pairs]
    )


@pytest.fixture
def calls(monkeypatch):
    """Count calls by name; of counting and validating, those on the evidence itself and not on subsets or copies of it."""
    seen = {"counted": [], "validated": [], "projected": [], "estimated": []}

    def watch(owner, name, key, of=lambda *_: None):
        own = getattr(owner, name)

        def watched(*args, **options):
            seen[key].append(of(*args))
            return own(*args, **options)

        monkeypatch.setattr(owner, name, watched)

    watch(bp.Pairs, "from_outcomes", "counted", lambda agents, a, *_: len(a))
    watch(bp.Pairs, "__post_init__", "validated", lambda pairs: float(np.sum(pairs.counts)))
    watch(pairwise_resolution, "bradley_terry_projection", "projected")
    watch(
        win_matrix, "estimate", "estimated", lambda rates: float(np.sum(rates.weight))
    )  # plans estimate what would be
    return seen


def test_a_report_counts_validates_and_fits_once(calls):
    battles = some_battles()
    bp.report(battles)
    assert calls["counted"].count(len(battles)) == 1
    assert calls["validated"].count(len(battles)) == 1
    assert len(calls["projected"]) == 1
    assert calls["estimated"].count(len(battles)) == 1


def test_a_resolution_counts_validates_and_fits_once_and_a_model_when_it_is_read(calls):
    resolution = bp.resolve(some_battles())
    assert [len(calls[name]) for name in ("counted", "validated", "projected", "estimated")] == [1, 1, 0, 1]
    assert resolution.to_dict()["bradley_terry"]["sentence"] == resolution.one_scale.sentence
    assert resolution.sentences
    assert len(calls["projected"]) == 1
