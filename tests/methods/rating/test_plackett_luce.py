"""Plackett-Luce with ties against published fits, choix, brute force over all sets, and its own symmetries."""

import csv
import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

import beatpath as bp
from beatpath import Ballots, DataError, Scores, UsageError
from beatpath.fit.laplacian import centered_inverse
from beatpath.methods.profile import profile_of
from beatpath.methods.rating import plackett_luce as module
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry
from beatpath.methods.rating.plackett_luce import davidson_luce, fit_ballots, plackett_luce
from helpers.paths import GOLDEN
from helpers.strategies import ballots

CHOIX = json.loads((GOLDEN / "bradley_terry_peers.json").read_text())["rankings"]
PUBLISHED = json.loads((GOLDEN / "bradley_terry_published.json").read_text())
few = settings(max_examples=25, deadline=None)


def ballot_covariance(model, x):
    """Of strengths of mean zero: the inverse of the observed information, tie parameters being free."""
    n, full = model.n_agents, np.array([model.product(x, unit) for unit in np.eye(len(x))])
    side, corner = full[:n, n:], full[n:, n:]
    return centered_inverse(full[:n, :n] - side @ np.linalg.pinv(corner) @ side.T)


def fit(votes, **options):
    return plackett_luce(profile_of(votes), **options)


def nascar(shared, last):
    with (shared / "classic_r_datasets/nascar2002_orderings.csv").open() as file:
        _, *rows = csv.reader(file)
    votes = [[[f"{int(n):02d}"] for n in row[1:] if int(n) <= last] for row in rows]
    return Ballots.of(votes, agents=tuple(f"{i:02d}" for i in range(1, last + 1)))


def ballot_probability(groups, worth, delta):
    """Eq. (1) of the PlackettLuce package, all sets written out."""
    left, p = [name for group in groups for name in group], 1.0
    for group in groups:
        all_sets = [s for size in delta for s in combinations(left, size)]
        weight = {s: delta[len(s)] * np.prod([worth[n] for n in s]) ** (1 / len(s)) for s in map(tuple, all_sets)}
        chosen = next(s for s in weight if set(s) == set(group))
        p *= weight[chosen] / sum(weight.values())
        left = [name for name in left if name not in group]
    return p


def test_the_nascar_season_comes_back_with_a_prior(shared):
    expected, votes = PUBLISHED["nascar"], nascar(shared, 87)
    fitted = fit(votes, prior=expected["prior"])
    strength = fitted.score - fitted.score[0]
    np.testing.assert_allclose(strength[-4:], expected["last_four"], atol=2e-6)
    for published in expected["some"]:
        assert np.abs(strength - published).min() < 0.0051
    V = ballot_covariance(davidson_luce(votes), fit_ballots(davidson_luce(votes), prior=0.5).x)
    error = np.sqrt(np.diag(V) + V[0, 0] - 2 * V[0])
    np.testing.assert_allclose(error[-4:], expected["last_four_standard_error"], atol=2e-6)


def test_hunters_nascar_fit_leaves_out_the_four_who_were_always_last(shared):
    with pytest.raises(DataError, match="which never won against the others") as error:
        fit(nascar(shared, 87))
    assert "leave out '84', '85', '86', '87'" in str(error.value)
    strength = fit(nascar(shared, 83)).score
    for published in PUBLISHED["nascar"]["some_without_last_four"]:
        assert np.abs(strength - strength[0] - published).min() < 0.0051
    np.testing.assert_allclose(np.sort(strength - strength[0])[::-1][:2], (4.15, 3.62), atol=0.0051)


def test_the_toy_network_of_the_package_comes_back():
    case = PUBLISHED["toy"]
    votes = [[[x], [y]] for x, y in case["votes"]]
    strength = fit(Ballots.of(votes), prior=case["prior"]).score
    np.testing.assert_allclose(strength[1:] - strength[0], list(case["strength"].values()), atol=2e-7)
    three = Ballots.of([vote for vote in votes if ["D"] not in vote])
    strength = fit(three).score
    np.testing.assert_allclose(strength[1:] - strength[0], list(case["without_D"].values()), atol=5.1e-5)
    V = ballot_covariance(davidson_luce(three), strength)
    error = np.sqrt(np.diag(V) + V[0, 0] - 2 * V[0])[1:]
    np.testing.assert_allclose(error, list(case["without_D_standard_error"].values()), atol=5.1e-5)


def test_ballots_of_two_with_ties_are_davidsons_puddings(shared):
    with (shared / "classic_r_datasets/pudding.csv").open() as file:
        rows = list(csv.DictReader(file))
    votes = [v for r in rows for v in ([[r["i"]], [r["j"]]], [[r["j"]], [r["i"]]], [[r["i"], r["j"]]])]
    count = [int(r[c]) for r in rows for c in ("w_ij", "w_ji", "t_ij")]
    fitted = fit(Ballots.of(votes, count=count))
    expected = PUBLISHED["pudding"]
    worth = np.exp(fitted.score) / np.exp(fitted.score).sum()
    np.testing.assert_allclose(worth, expected["worth"], rtol=expected["tolerance"])
    tie = fitted.details["tie_parameters"]["2"]
    assert tie["estimate"] == pytest.approx(expected["nu"], rel=expected["tolerance"])
    assert tie["standard_error"] / tie["estimate"] == pytest.approx(expected["log_nu_standard_error"], abs=5e-5)


def test_partial_rankings_are_those_of_choix():
    names = [f"{i}" for i in range(CHOIX["agents"])]
    fitted = fit(Ballots.of([[[names[i]] for i in r] for r in CHOIX["rankings"]], agents=names))
    np.testing.assert_allclose(fitted.score, CHOIX["strength"], atol=1e-8)


@few
@given(b=ballots(), seed=st.integers(0, 1000))
def test_the_likelihood_is_the_product_over_all_sets(b, seed):
    model = davidson_luce(b)
    x = np.random.default_rng(seed).normal(0, 1, len(model.won))
    n = len(b.agents)
    worth = dict(zip(b.agents, np.exp(x[:n]), strict=True))
    delta = dict(zip(model.sizes, np.exp(np.append(0.0, x[n:])), strict=True))
    written = sum(
        count * np.log(ballot_probability(vote, worth, delta))
        for vote, count in zip(b, b.count, strict=True)
        if sum(map(len, vote)) > 1
    )
    value, gradient = model.value_and_gradient(x)
    assert float(value) == pytest.approx(written, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(
        gradient, approx_fprime(x, lambda z: float(model.value_and_gradient(z)[0]), 1e-7), atol=1e-4
    )
    v = np.random.default_rng(seed + 1).normal(size=len(x))
    slope = (model.value_and_gradient(x + 1e-6 * v)[1] - model.value_and_gradient(x - 1e-6 * v)[1]) / 2e-6
    np.testing.assert_allclose(model.product(x, v), -slope, atol=1e-5)


def test_ballots_of_similar_lengths_share_a_sheet_and_count_as_by_themselves():
    votes = [
        [["a", "b"], *"cdefghi"],
        [*"jhgfdecb", ["a", "i"]],
        [*"bfa", ["c", "d"], *"ejgi"],
    ]  # of 9, 10 and 9 agents
    whole = davidson_luce(Ballots.of(votes, count=[1, 2, 3]))
    alone = [davidson_luce(Ballots.of([vote], agents="abcdefghij", count=[k])) for k, vote in enumerate(votes, 1)]
    x = np.random.default_rng(0).normal(size=len(whole.won))
    assert len(whole.sheets) == 1
    value, gradient = whole.value_and_gradient(x)
    each = [one.value_and_gradient(x) for one in alone]
    assert value == pytest.approx(sum(one for one, _ in each))
    np.testing.assert_allclose(gradient, sum(one for _, one in each))


def test_rare_ties_in_long_ballots_take_few_newton_steps():
    rng = np.random.default_rng(0)
    votes = [[[f"{i}"] for i in np.argsort(np.arange(40) / 8 + rng.gumbel(size=40))] for _ in range(30)]
    votes[0][:2] = [[*votes[0][0], *votes[0][1]]]
    assert fit_ballots(davidson_luce(Ballots.of(votes))).iterations <= 9


def test_ties_of_several_sizes_maximize_the_likelihood_as_printed():
    """The rankings of the package's own test of tie orders that do not all occur."""
    votes = [
        [["apple"], ["banana"]],
        [["banana"], ["orange"], ["pear"], ["apple"]],
        [["banana", "orange"], ["apple"]],
        [["apple"], ["banana"], ["orange"]],
        [["banana"], ["apple"], ["orange"]],
        [["apple"], ["pear"], ["orange"]],
        [["apple", "banana", "orange", "pear"]],
    ]
    fruit = ["apple", "banana", "orange", "pear"]

    def loss(x):
        worth, delta = dict(zip(fruit, np.exp(x[:4]), strict=True)), {1: 1.0, 2: np.exp(x[4]), 4: np.exp(x[5])}
        return -sum(np.log(ballot_probability(vote, worth, delta)) for vote in votes) + x[:4].sum() ** 2

    best = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-9})
    fitted = fit(Ballots.of(votes))
    np.testing.assert_allclose(fitted.score, best.x[:4] - best.x[:4].mean(), atol=2e-6)
    assert {k: v["estimate"] for k, v in fitted.details["tie_parameters"].items()} == pytest.approx(
        {"2": np.exp(best.x[4]), "4": np.exp(best.x[5])}, rel=1e-5
    )
    assert fitted.details["log_likelihood"] == pytest.approx(-best.fun, abs=1e-8)


def finite(b, **options):
    """The fit, where there is one."""
    try:
        return fit(b, **options)
    except DataError:
        assume(False)


@few
@given(b=ballots(), data=st.data())
def test_renaming_agents_renames_the_ratings(b, data):
    names = data.draw(st.permutations(b.agents))
    to = dict(zip(b.agents, names, strict=True))
    renamed = Ballots.of([[[to[n] for n in group] for group in vote] for vote in b], agents=b.agents, count=b.count)
    one, other = (dict(zip(b.agents, finite(v, prior=0.5).score, strict=True)) for v in (b, renamed))
    for name in b.agents:
        assert one[name] == pytest.approx(other[to[name]], abs=1e-8)


@few
@given(b=ballots())
def test_a_count_is_that_many_ballots_and_a_weight_its_share(b):
    repeated = Ballots.of([vote for vote, n in zip(b, b.count, strict=True) for _ in range(n)], agents=b.agents)
    weighted = Ballots.of(list(b), agents=b.agents, weight=b.count.astype(float))
    one = finite(b, prior=0.5).score
    np.testing.assert_allclose(one, fit(repeated, prior=0.5).score, atol=1e-8)
    number = b.count.sum() / (b.count**2).sum()  # effective ballots for one repeated ballot, Kish
    np.testing.assert_allclose(one, fit(weighted, prior=0.5 * number).score, atol=1e-8)


@few
@given(b=ballots(), seed=st.integers(0, 100))
def test_two_agents_a_ballot_without_ties_are_bradley_terry(b, seed):
    rng = np.random.default_rng(seed)
    n = len(b.agents)
    pairs = [rng.permutation(n)[:2] for _ in range(30)]
    votes = Ballots.of([[[b.agents[i]], [b.agents[j]]] for i, j in pairs], agents=b.agents)
    np.testing.assert_allclose(
        fit(votes, prior=0.5).score, bradley_terry(profile_of(votes), prior=0.5).score, atol=1e-8
    )


@few
@given(b=ballots())
def test_what_converged_has_no_slope_left(b):
    fit = finite(b)
    assert fit.status == "converged"
    assert fit.details["gradient"] < 1e-7


def test_ballots_of_weight_zero_count_for_nothing():
    votes = [[["a"], ["b"]], [["b"], ["a"]], [["b"], ["a"], ["c"]], [["c"], ["a"]]]
    with pytest.raises(DataError, match="'c'}, which were never compared with the others"):
        fit(Ballots.of(votes, weight=[1.0, 2.0, 0.0, 0.0]))


def test_score_tables_are_the_rankings_of_their_tasks():
    scores = Scores.from_table([[3.0, 1, 2], [2, 2, 3], [1, 3, 1]], ["x", "y", "z"], ["t1", "t2", "t3"])
    votes = [[["x"], ["y"], ["z"]], [["z"], ["y"], ["x"]], [["y"], ["x"], ["z"]]]
    np.testing.assert_allclose(fit(scores).score, fit(Ballots.of(votes)).score, atol=1e-10)


def test_ties_that_only_grow_are_refused():
    with pytest.raises(DataError, match="tie parameters must have finite estimates"):
        fit(Ballots.of([[["a", "b", "c"]]]))
    # strengths 0, 3.5, 0.1, 4.5 and 3 of a to e, log delta 0.4 and 1.9, times anything: nothing else is as likely
    separated = [[["c", "b", "d"], ["a"]], [["d"], ["e"], ["c", "a"]]]
    with pytest.raises(DataError, match="tie parameters must have finite estimates"):
        fit(Ballots.of(separated, count=[4, 3]))


def test_a_tie_of_too_many_is_refused_with_what_to_do():
    everyone = [f"{i:02d}" for i in range(30)]
    with pytest.raises(DataError, match=r"up to 20 agents tied in one place; there are 30.*bradley_terry"):
        fit(Ballots.of([[everyone], [[name] for name in everyone]]))


def test_ballots_whose_ties_would_take_minutes_are_refused_with_what_to_do(monkeypatch):
    votes = Ballots.of([[["a", "b"], ["c"]], [["c"], ["b"], ["a"]], [["a", "b", "c"]]])
    monkeypatch.setattr(module, "MOST_PRODUCTS", 9 * (2 + 3))  # nine places of agents, ties of two and of three
    assert fit(votes).status.startswith("converged")
    monkeypatch.setattr(module, "MOST_PRODUCTS", 44)
    with pytest.raises(DataError, match=r"up to 44 ranked agents times sizes of ties; there are 45\..*bradley_terry"):
        fit(votes)


def test_scale_anchor_and_limits_are_those_of_bradley_terry():
    votes = Ballots.of([[["a"], ["b"]], [["b"], ["a"]]], count=[10, 1])
    assert fit(votes, scale="elo", anchor="b", anchor_rating=1000).score == pytest.approx([1400.0, 1000.0])
    with pytest.raises(UsageError, match="`anchor` must be one of the 2 agents"):
        fit(votes, anchor="c")
    ranking = bp.rank(votes, "plackett_luce", max_iter=1)
    assert "not converged" in str(ranking)


def test_battles_are_refused_in_words():
    with pytest.raises(DataError, match="plackett_luce needs ballots or scores"):
        bp.rank(bp.Battles.of([("a", "b", 1)]), "plackett_luce")
