"""Whether one number an agent can stand for the win rates: the rule, the flow, and the sentences."""

import json
from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.cycles.transitivity import flow, one_scale, transitivity
from beatpath.inference.scale.lack_of_fit import MATERIAL, LackOfFit
from beatpath.inference.scale.projection import bradley_terry_projection
from beatpath.inference.win_rates.win_rates import win_rate_inference


def of(*rows):
    return win_rate_inference(bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], rows))


def ring(battles, won):
    return of([won, battles - won, 0, 0], [battles - won, won, 0, 0], [won, battles - won, 0, 0])


def lack_of_fit_with(p_value, rms, rms_high):
    return LackOfFit(5, 10, 6, 100.0, 1.0, 0.95, p_value=p_value, rms=rms, rms_high=rms_high)


@pytest.mark.parametrize(
    ("lack_of_fit", "defensible", "sentence"),
    [
        (lack_of_fit_with(0.5, 0.0, MATERIAL / 2), True, "A Bradley-Terry model is defensible"),
        (lack_of_fit_with(0.001, MATERIAL / 3, MATERIAL / 2), True, "A Bradley-Terry model is defensible"),
        (lack_of_fit_with(0.5, 0.01, 2 * MATERIAL), None, "Nothing contradicts a Bradley-Terry model, but"),
        (lack_of_fit_with(0.01, MATERIAL / 2, 2 * MATERIAL), None, "A Bradley-Terry model does not fit exactly, and"),
        (lack_of_fit_with(0.01, 1.1 * MATERIAL, 2 * MATERIAL), False, "A Bradley-Terry model is not defensible"),
        (lack_of_fit_with(0.06, 2 * MATERIAL, 4 * MATERIAL), None, "Nothing contradicts a Bradley-Terry model, but"),
        (lack_of_fit_with(None, 0.5, None), None, "Whether a Bradley-Terry model fits cannot be determined"),
    ],
)
def test_lack_of_fit_rules_bradley_terry_out_if_certain_and_large_and_allows_it_if_surely_small(
    lack_of_fit, defensible, sentence
):
    assert lack_of_fit.defensible is defensible
    assert lack_of_fit.sentences[0].startswith(sentence)


def test_a_cycle_that_survives_rules_out_a_scale():
    win_rates = ring(1000, 550)
    verdict = one_scale(cycles(win_rates), bradley_terry_projection(win_rates))
    assert verdict.defensible is False
    assert (
        verdict.sentence
        == "A Bradley-Terry model is not defensible: 1 three-cycle survives the noise, and the model allows none."
    )


def test_without_a_projection_only_a_cycle_can_decide():
    win_rates = of([9, 0, 0, 0], [9, 0, 0, 0], [9, 0, 0, 0])
    verdict = transitivity(win_rates).one_scale
    assert verdict.defensible is None
    assert "no strength is finite" in verdict.sentence


def test_the_flow_is_that_of_hodge_rank():
    battles = replace(bp.example(), position=None)
    shares = bp.rank(battles, "hodge_rank").details["shares"]
    decomposition = flow(win_rate_inference(battles))
    assert decomposition.gradient == pytest.approx(shares["gradient"])
    assert decomposition.curl == pytest.approx(shares["curl"])
    assert decomposition.cyclic == pytest.approx(decomposition.curl + decomposition.harmonic)


@pytest.mark.parametrize("clusters", [0, 30])
def test_equal_agents_have_the_cyclic_share_of_noise(clusters):
    rng, seen = np.random.default_rng(4), []
    a, b = (np.repeat(side, 6) for side in np.triu_indices(8, 1))
    for _ in range(100):
        of = rng.integers(max(clusters, 1), size=len(a))
        taste = rng.normal(size=(max(clusters, 1), 8)) * bool(clusters)
        outcome = taste[of, a] - taste[of, b] + rng.normal(size=len(a)) > 0
        factors = {"cluster": bp.Factor.of(f"{c:02d}" for c in of)} if clusters else {}
        battles = bp.Battles(tuple("abcdefgh"), a, b, outcome.astype(float), factors=factors)
        rates = win_rate_inference(battles)
        decomposition, whole = flow(rates), rates.weight @ (2 * rates.rate - 1) ** 2
        seen.append((decomposition.cyclic * whole, decomposition.noise * whole, whole))
    cyclic, noise, whole = np.mean(seen, axis=0)
    assert cyclic > 0.5 * whole
    assert noise == pytest.approx(cyclic, rel=0.1)


def test_unconnected_agents_have_no_common_flow():
    pairs = bp.Pairs(tuple("abcd"), [0, 2], [1, 3], [[3, 2, 0, 0], [1, 4, 0, 0]])
    assert flow(win_rate_inference(pairs)) is None
    assert flow(of([2, 2, 0, 0], [2, 2, 0, 0], [2, 2, 0, 0])) is None


def test_the_summary_says_cycles_flow_and_verdict():
    summary = transitivity(ring(1000, 700))
    assert summary.cyclic_triads == 1
    assert summary.sentences[2].endswith("of 1 complete triple are cycles; equal agents would give 25 %.")
    assert summary.sentences[3].startswith("One score per agent explains 0")
    assert str(summary).endswith("and the model allows none.")
    few = transitivity(ring(10, 7))
    assert few.cyclic_triads is None
    for one in (summary, few):
        json.dumps(one.to_dict(), allow_nan=False)


def test_a_notebook_shows_names_escaped():
    rows = [[70, 30, 0, 0], [30, 70, 0, 0], [70, 30, 0, 0]]
    win_rates = win_rate_inference(bp.Pairs(("<i>", "b", "c"), [0, 0, 1], [1, 2, 2], rows))
    seen = transitivity(win_rates)
    for one in (seen, seen.cycles, seen.projection):
        assert "&lt;i&gt;" in one._repr_html_()
        assert "<i>" not in one._repr_html_()


def test_the_defaults_are_those_of_cycles_as_documented():
    ours, theirs = signature(transitivity).parameters, signature(cycles).parameters
    for name in ("level", "min_battles", "most"):
        assert ours[name].default == theirs[name].default
