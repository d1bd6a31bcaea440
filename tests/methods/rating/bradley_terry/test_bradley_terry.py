"""Bradley-Terry against published fits, other libraries, brute force, its own symmetries, and data that will not do."""

import csv
import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

import beatpath as bp
from beatpath import Ballots, Battles, DataError, Margins, Pairs, UsageError, WinRates
from beatpath.fit import laplacian
from beatpath.fit.pairs import Comparisons, fit_pairs, pairs_model
from beatpath.fit.ties import TIE_MODELS, Prior
from beatpath.methods.graph.connection import require_finite_ties
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import bradley_terry, comparisons
from helpers.paths import GOLDEN

PEERS = json.loads((GOLDEN / "bradley_terry_peers.json").read_text())
PUBLISHED = json.loads((GOLDEN / "bradley_terry_published.json").read_text())
few = settings(max_examples=25, deadline=None)


def fit(evidence, *, ties="half", both_bad="tie", pair_weight="count", **options):
    return bradley_terry(
        profile_of(evidence, bp.Conventions(ties=ties, both_bad=both_bad, pair_weight=pair_weight)), **options
    )


def coded(case, **columns):
    names = tuple(f"{i:03d}" for i in range(case["agents"]))
    return Battles(names, case["a"], case["b"], np.array(case["outcome"]), **columns)


def against(outcome, agents, reference):
    rating = dict(zip(agents, outcome.score, strict=True))
    return {name: rating[name] - rating[reference] for name in agents if name != reference}


@st.composite
def connected(draw, max_agents=6, ties=True):
    """Counts in which every pair has won both ways, so that all estimates exist."""
    n = draw(st.integers(2, max_agents))
    a, b = np.triu_indices(n, 1)
    cell = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 5 if ties else 0), st.just(0))
    counts = np.array(draw(st.lists(cell, min_size=len(a), max_size=len(a))), dtype=float)
    return Pairs(tuple(f"a{i}" for i in range(n)), a, b, counts)


# ---- published fits


def baseball(shared):
    with (shared / "classic_r_datasets/baseball1987.csv").open() as file:
        rows = list(csv.DictReader(file))
    played = [(r["home.team"], r["away.team"], side) for r in rows for side in (1.0, 0.0)]
    times = [int(r[column]) for r in rows for column in ("home.wins", "away.wins")]
    return Battles.of(played, position=[1] * len(played)).take(np.repeat(np.arange(len(played)), times))


def citations(shared):
    with (shared / "classic_r_datasets/citations.csv").open() as file:
        _, *rows = csv.reader(file)
    wins = np.array([[float(v) for v in row[1:]] for row in rows])
    a, b = np.triu_indices(len(wins), 1)
    zero = np.zeros(len(a))
    return Pairs(tuple(row[0] for row in rows), a, b, np.stack([wins[a, b], wins[b, a], zero, zero], axis=1))


def pudding(shared):
    with (shared / "classic_r_datasets/pudding.csv").open() as file:
        rows = list(csv.DictReader(file))
    counts = [[float(r[c]) for c in ("w_ij", "w_ji", "t_ij")] + [0.0] for r in rows]
    return Pairs.from_cells(tuple("123456"), [int(r["i"]) - 1 for r in rows], [int(r["j"]) - 1 for r in rows], counts)


def differences(evidence, reference, x, tie_model="half"):
    rows, _ = comparisons(profile_of(evidence), tie_model=tie_model)
    V = pairs_model(rows, TIE_MODELS[tie_model]).information(x).covariance()
    i = evidence.agents.index(reference)
    error = np.sqrt(np.diag(V) + V[i, i] - 2 * V[i])
    return {name: error[j] for j, name in enumerate(evidence.agents) if j != i}


@pytest.mark.parametrize(("name", "load"), [("baseball", baseball), ("citations", citations)])
def test_the_published_coefficients_and_their_errors_come_back(shared, name, load):
    expected, evidence = PUBLISHED[name], load(shared)
    fitted = fit(evidence)
    assert fitted.status == "converged"
    assert against(fitted, evidence.agents, expected["reference"]) == pytest.approx(expected["strength"], abs=5.1e-5)
    errors = differences(evidence, expected["reference"], fitted.score)
    assert errors == pytest.approx(expected["standard_error"], abs=5.1e-5)


def test_the_published_home_advantage_comes_back(shared):
    expected, battles = PUBLISHED["baseball_home"], baseball(shared)
    fitted = fit(battles, position=True)
    assert against(fitted, battles.agents, "Baltimore") == pytest.approx(expected["strength"], abs=5.1e-5)
    effect = fitted.details["position_effect"]
    assert effect["estimate"] == pytest.approx(expected["position"], abs=5.1e-5)
    assert effect["standard_error"] == pytest.approx(expected["standard_error"], abs=5.1e-5)


def test_davidsons_puddings_come_back(shared):
    expected, pairs = PUBLISHED["pudding"], pudding(shared)
    fitted = fit(pairs, tie_model="davidson")
    worth = np.exp(fitted.score) / np.exp(fitted.score).sum()
    np.testing.assert_allclose(worth, expected["worth"], rtol=expected["tolerance"])
    tie = fitted.details["tie_parameter"]
    assert tie["estimate"] == pytest.approx(expected["nu"], rel=expected["tolerance"])
    assert tie["standard_error"] / tie["estimate"] == pytest.approx(expected["log_nu_standard_error"], abs=5e-5)
    errors = differences(pairs, "1", np.append(fitted.score, np.log(tie["estimate"])), "davidson")
    np.testing.assert_allclose(list(errors.values()), expected["standard_error"], rtol=1e-3)


# ---- other libraries


@pytest.mark.parametrize("case", PEERS["cases"], ids=lambda c: f"{c['agents']} agents")
def test_strengths_are_those_of_every_peer(case):
    fitted = fit(coded(case, weight=case["weight"]))
    for strength in case["estimates"].values():
        np.testing.assert_allclose(fitted.score, strength, atol=1e-8)


def test_the_arena_counts_give_the_strengths_of_every_peer(shared):
    pairs = bp.read(shared / "chatbot_arena_20240814_counts/pair_counts.csv")
    rating = dict(zip(pairs.agents, fit(pairs).score, strict=True))
    for library, strength in PEERS["arena"]["estimates"].items():
        ours = [rating[name] for name in PEERS["arena"]["agents"]]
        np.testing.assert_allclose(ours, strength, atol=1e-8, err_msg=library)


def test_position_and_covariates_are_those_of_scikit_learn():
    case = PEERS["design"]
    columns = {"length": np.array(case["length"]), "up": np.array(case["tone"]) + 7.0, "down": np.full(300, 7.0)}
    fitted = fit(
        coded(case, position=case["position"], covariates=columns), position=True, covariates=["length", "up - down"]
    )
    np.testing.assert_allclose(fitted.score, case["estimates"]["strength"], atol=1e-8)
    assert fitted.details["position_effect"]["estimate"] == pytest.approx(case["estimates"]["position"], abs=1e-8)
    assert fitted.details["covariates"]["length"]["estimate"] == pytest.approx(case["estimates"]["length"], abs=1e-10)
    assert fitted.details["covariates"]["up - down"]["estimate"] == pytest.approx(case["estimates"]["tone"], abs=1e-8)


# ---- brute force on the written likelihood


def probabilities(tie_model, lead, parameter):
    """P(win), P(loss), P(tie) as the papers print them, with strengths e^lead and 1."""
    a, b = np.exp(lead), 1.0
    if tie_model == "davidson":
        weights = np.array([a, b, parameter * np.sqrt(a * b)])
        return weights / weights.sum()
    win, loss = a / (a + parameter * b), b / (parameter * a + b)
    return np.array([win, loss, (parameter**2 - 1) * a * b / ((a + parameter * b) * (parameter * a + b))])


@pytest.mark.parametrize("tie_model", ["davidson", "rao_kupper"])
@pytest.mark.parametrize("seed", range(3))
def test_tie_models_maximize_the_likelihood_as_printed(tie_model, seed):
    rng = np.random.default_rng(seed)
    n = 4
    a, b = np.triu_indices(n, 1)
    counts = np.column_stack([rng.integers(1, 20, (len(a), 3)), np.zeros(len(a), int)]).astype(float)
    floor = 0.0 if tie_model == "davidson" else 1.0

    def loss(x):
        parameter = floor + np.exp(x[-1])
        p = np.array([probabilities(tie_model, x[i] - x[j], parameter) for i, j in zip(a, b, strict=True)])
        return -(counts[:, :3] * np.log(p)).sum() + (x[:n].sum()) ** 2

    best = minimize(loss, np.zeros(n + 1), method="BFGS", options={"gtol": 1e-9, "maxiter": 1000})
    fitted = fit(Pairs(tuple("abcd"), a, b, counts), tie_model=tie_model)
    np.testing.assert_allclose(fitted.score, best.x[:n] - best.x[:n].mean(), atol=2e-6)
    assert fitted.details["tie_parameter"]["estimate"] == pytest.approx(floor + np.exp(best.x[-1]), abs=2e-6)
    assert fitted.details["log_likelihood"] == pytest.approx(-best.fun, abs=1e-8)


@pytest.mark.parametrize("prior", [0.0, 0.7])
@pytest.mark.parametrize("tie_model", list(TIE_MODELS))
def test_gradient_and_information_are_those_of_finite_differences(tie_model, prior):
    rng = np.random.default_rng(5)
    a, b = np.array([0, 0, 0, 1, 2]), np.array([1, 1, 2, 2, 3])
    counts = rng.integers(1, 9, (5, 3)) * (1.0, 1.0, float(tie_model != "half"))
    rows = Comparisons(4, a, b, counts, rng.normal(size=(5, 2)))
    model = pairs_model(rows, TIE_MODELS[tie_model], Prior(prior))
    x = np.append(rng.normal(size=6), [0.4] if tie_model != "half" else [])
    slopes = approx_fprime(x, lambda z: model.at(z).value, 1e-7)
    np.testing.assert_allclose(model.at(x).gradient, slopes, atol=1e-4)
    ours = model.information(x).matrix()
    theirs = -np.array([approx_fprime(x, lambda z, i=i: model.at(z).gradient[i], 1e-7) for i in range(len(x))])
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    step = model.at(x).step(1e-9)
    np.testing.assert_allclose(ours @ step, model.at(x).gradient, atol=1e-8)


def test_a_prior_is_that_many_wins_and_losses_against_an_agent_of_strength_zero():
    pairs = Pairs(tuple("abc"), [0, 1], [1, 2], [[3, 0, 0, 0], [2, 1, 0, 0]])
    ghost = Pairs(
        tuple("abcg"), [0, 0, 1, 1, 2], [1, 3, 2, 3, 3], [[3, 0, 0, 0], *([p, q, 0, 0] for p, q in [(0.5, 0.5), (2, 1)]),
        [0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0]],
    )  # fmt: skip
    ours, full = fit(pairs, prior=0.5).score, fit(ghost).score
    np.testing.assert_allclose(np.diff(ours), np.diff(full[:3]), atol=1e-9)


# ---- laws


@few
@given(
    pairs=connected(), tie_model=st.sampled_from(list(TIE_MODELS)), prior=st.sampled_from([0.0, 0.5]), data=st.data()
)
def test_renaming_agents_renames_the_ratings(pairs, tie_model, prior, data):
    n = len(pairs.agents)
    to = np.array(data.draw(st.permutations(range(n))))
    turned = Pairs.from_cells(pairs.agents, to[pairs.a], to[pairs.b], pairs.counts)
    one, other = (fit(p, tie_model=tie_model, prior=prior) for p in (pairs, turned))
    np.testing.assert_allclose(one.score, other.score[to], atol=1e-9)
    np.testing.assert_array_equal(one.level, other.level[to])


@few
@given(pairs=connected(), tie_model=st.sampled_from(list(TIE_MODELS)))
def test_turning_all_outcomes_round_turns_the_ratings_round(pairs, tie_model):
    turned = Pairs(pairs.agents, pairs.a, pairs.b, pairs.counts[:, [1, 0, 2, 3]])
    one, other = (fit(p, tie_model=tie_model) for p in (pairs, turned))
    np.testing.assert_allclose(one.score, -other.score, atol=1e-9)


@few
@given(pairs=connected())
def test_at_the_fit_expected_wins_are_the_wins(pairs):
    score = fit(pairs).score
    wins = pairs.wins()
    p = 1 / (1 + np.exp(score[None, :] - score[:, None]))
    np.testing.assert_allclose(((wins + wins.T) * p).sum(axis=1), wins.sum(axis=1), atol=1e-9)


@few
@given(seed=st.integers(0, 10**6))
def test_a_weighted_fit_equals_the_fit_of_repeated_rows_but_for_their_number(seed):
    case = PEERS["design"]
    weight = np.random.default_rng(seed).integers(0, 4, 300)
    columns = {"position": np.array(case["position"]), "covariates": {"length": np.array(case["length"])}}
    weighted = coded(case, weight=weight, **columns)
    repeated = coded(case, **columns).take(np.repeat(np.arange(300), weight))
    options = {"position": True, "covariates": "length", "tie_model": "davidson"}
    one, other = (fit(b, **options) for b in (weighted, repeated))
    np.testing.assert_allclose(one.score, other.score, atol=1e-9)
    number = weight.sum() / (weight**2).sum()  # effective battles for one repeated row, Kish
    length, repeated_length = one.details["covariates"]["length"], other.details["covariates"]["length"]
    assert length["estimate"] == pytest.approx(repeated_length["estimate"])
    assert length["standard_error"] == pytest.approx(repeated_length["standard_error"] / number**0.5)
    assert one.details["log_likelihood"] == pytest.approx(other.details["log_likelihood"] * number)


@few
@given(pairs=connected(max_agents=4), factor=st.sampled_from([1e-6, 0.3, 1e6]))
def test_all_weights_times_a_number_change_nothing(pairs, factor):
    scaled = Pairs(pairs.agents, pairs.a, pairs.b, pairs.counts * factor)
    np.testing.assert_allclose(fit(pairs).score, fit(scaled).score, atol=1e-8)


def test_battles_given_from_either_side_are_the_same_battles():
    case = PEERS["design"]
    columns = {"position": np.array(case["position"]), "covariates": {"length": np.array(case["length"])}}
    one = coded(case, **columns)
    other = Battles(
        one.agents,
        one.b,
        one.a,
        1 - one.outcome,
        position=-one.position,
        covariates={"length": -np.array(case["length"])},
    )
    options = {"position": True, "covariates": ["length"], "tie_model": "rao_kupper"}
    np.testing.assert_allclose(fit(one, **options).score, fit(other, **options).score, atol=1e-10)


def test_agents_with_the_same_record_are_exactly_tied():
    rng = np.random.default_rng(3)
    n = 40
    a, b = np.triu_indices(n, 1)
    wins = rng.integers(1, 30, (n, n)).astype(float)
    wins[1], wins[:, 1] = wins[0], wins[:, 0]  # agent 1 is agent 0 again
    wins[0, 1] = wins[1, 0] = 5
    zero = np.zeros(len(a))
    pairs = Pairs(tuple(f"{i:02d}" for i in range(n)), a, b, np.stack([wins[a, b], wins[b, a], zero, zero], axis=1))
    fitted = fit(pairs)
    assert fitted.level[0] == fitted.level[1]
    assert fitted.score[0] == fitted.score[1]
    assert len(np.unique(fitted.level)) == n - 1


def test_the_sparse_and_the_dense_implementation_agree(monkeypatch):
    rng = np.random.default_rng(0)
    case = PEERS["design"]
    columns = {"position": np.array(case["position"]), "covariates": {"length": np.array(case["length"])}}
    options = {"position": True, "covariates": ["length"], "tie_model": "davidson"}
    n = 300
    a = np.repeat(np.arange(n), 3)
    b = (a + np.tile([1, 2, 7], n)) % n
    ring = Pairs.from_cells(
        tuple(f"{i:03d}" for i in range(n)),
        a,
        b,
        np.column_stack([rng.integers(1, 9, (3 * n, 3)), np.zeros(3 * n, int)]),
    )
    dense = [fit(coded(case, **columns), **options), fit(ring), fit(ring, prior=0.5)]
    monkeypatch.setattr(laplacian, "DENSE", 0)
    sparse = [fit(coded(case, **columns), **options), fit(ring), fit(ring, prior=0.5)]
    for one, other in zip(dense, sparse, strict=True):
        np.testing.assert_allclose(one.score, other.score, atol=1e-8)


def test_thousands_of_agents_are_fitted_without_a_square_matrix():
    rng = np.random.default_rng(1)
    n, m = 4000, 40_000
    truth = rng.normal(0, 0.5, n)
    a = rng.integers(0, n, m)
    b = (a + rng.integers(1, n, m)) % n
    outcome = (rng.random(m) < 1 / (1 + np.exp(truth[b] - truth[a]))).astype(float)
    rows, _ = comparisons(profile_of(Battles(tuple(map(str, range(n))), a, b, outcome)))
    fit = fit_pairs(rows, prior=Prior(0.5))
    assert fit.ended.converged
    gradient = pairs_model(rows, prior=Prior(0.5)).at(fit.ended.x).gradient
    assert np.abs(gradient).max() < 1e-9
    assert np.corrcoef(fit.strength, truth)[0, 1] > 0.6


def test_true_strengths_lie_within_their_errors():
    """A simulation with known truth: squared errors over their variances average one."""
    rng = np.random.default_rng(11)
    n = 30
    truth = rng.normal(0, 1, n)
    truth -= truth.mean()
    a, b = np.triu_indices(n, 1)
    wins = rng.binomial(40, 1 / (1 + np.exp(truth[b] - truth[a]))).astype(float)
    rows = Comparisons(
        n, a.astype(np.int32), b.astype(np.int32), np.column_stack([wins, 40 - wins, 0 * wins]), np.zeros((len(a), 0))
    )
    fit = fit_pairs(rows)
    V = fit.covariance()
    z = (fit.strength - truth) / np.sqrt(np.diag(V))
    assert 0.5 < (z**2).mean() < 1.8  # chi-square on 29 degrees of freedom, far tails


# ---- scales, conventions, kinds of evidence


def test_elo_points_put_the_anchor_at_its_rating():
    pairs = Pairs(("ada", "bob"), [0], [1], [[10, 1, 0, 0]])
    ranking = bp.rank(pairs, "bradley_terry", scale="elo", anchor="bob", anchor_rating=1000)
    assert ranking.scores == pytest.approx({"ada": 1400.0, "bob": 1000.0})
    assert bp.rank(pairs, "bradley_terry", scale="elo").scores == pytest.approx({"ada": 1700.0, "bob": 1300.0})
    assert ranking.details["scale"] == "elo"


def test_ties_and_both_bad_follow_their_conventions():
    pairs = Pairs(("ada", "bob"), [0], [1], [[3, 1, 2, 4]])
    gap = {
        (ties, bad): float(np.ptp(fit(pairs, ties=ties, both_bad=bad).score))
        for ties in ("half", "drop")
        for bad in ("tie", "drop")
    }
    assert gap == pytest.approx(
        {
            ("half", "tie"): np.log(6 / 4),
            ("half", "drop"): np.log(4 / 2),
            ("drop", "tie"): np.log(3),
            ("drop", "drop"): np.log(3),
        }
    )
    for bad, share in (("tie", 6 / 10), ("drop", 2 / 6)):
        fitted = fit(pairs, tie_model="davidson", both_bad=bad)
        nu = fitted.details["tie_parameter"]["estimate"]
        assert nu / (nu + np.sqrt(3) + 1 / np.sqrt(3)) == pytest.approx(
            share
        )  # fitted exactly: one pair, two parameters
        battles = Battles.of(
            [("ada", "bob", o) for o in (1, 0, 0.5, 0.5)],
            both_bad=[0, 0, 0, 1],
            weight=[3, 1, 2, 4],
            position=[1, 1, -1, 1],
        )
        assert fit(battles, tie_model="davidson", both_bad=bad).score == pytest.approx(fitted.score)


def test_without_ties_a_tie_model_is_the_plain_one():
    pairs = Pairs(tuple("abc"), [0, 0, 1], [1, 2, 2], [[3, 1, 0, 0], [2, 2, 0, 0], [1, 4, 0, 0]])
    for tie_model, bound in (("davidson", 0.0), ("rao_kupper", 1.0)):
        fitted = fit(pairs, tie_model=tie_model)
        np.testing.assert_array_equal(fitted.score, fit(pairs).score)
        assert fitted.details["tie_parameter"]["estimate"] == bound
        assert fitted.details["tie_parameter"]["standard_error"] is None


def test_win_rates_are_one_battle_a_pair():
    rates = WinRates([[0.5, 0.75, np.nan], [0.25, 0.5, 0.75], [np.nan, 0.25, 0.5]], tuple("abc"))
    np.testing.assert_allclose(fit(rates).score, [np.log(3), 0, -np.log(3)], atol=1e-9)


def test_ballots_are_the_battles_of_their_pairs():
    ballots = Ballots.of([[["a"], ["b"], ["c"]], [["c"], ["a", "b"]], [["b"], ["c"], ["a"]]], count=[4, 2, 3])
    np.testing.assert_array_equal(fit(ballots).score, fit(ballots.pairs()).score)


def test_cells_in_any_order_and_repeated_are_one_set_of_counts():
    tidy = Pairs(tuple("abc"), [0, 0, 1], [1, 2, 2], [[3, 1, 0, 0], [2, 2, 0, 0], [1, 4, 0, 0]])
    untidy = Pairs(tuple("abc"), [1, 0, 0, 0], [2, 2, 1, 1], [[1, 4, 0, 0], [2, 2, 0, 0], [1, 1, 0, 0], [2, 0, 0, 0]])
    np.testing.assert_allclose(fit(tidy).score, fit(untidy).score, atol=1e-12)


def test_one_agent_has_the_center_of_the_scale():
    fitted = fit(Ballots.of([[["only"]]]), scale="elo")
    assert (fitted.level.tolist(), fitted.score.tolist(), fitted.status) == ([0], [1500.0], "converged")


def test_a_ranking_is_plain_data_and_says_how_it_ended():
    case = PEERS["design"]
    ranking = bp.rank(coded(case, position=case["position"]), "bradley_terry", position=True, tie_model="davidson")
    document = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert document["status"] == "converged"
    assert document["details"]["iterations"] >= 1
    assert {"gradient", "log_likelihood", "scale", "tie_parameter", "position_effect"} <= document["details"].keys()


# ---- data that will not do


CHAIN = Pairs(tuple("abcde"), [0, 1, 2, 3], [1, 2, 3, 4], [[1, 1, 0, 0], [1, 1, 0, 0], [2, 0, 0, 0], [1, 1, 0, 0]])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            CHAIN,
            "2 groups without such paths both ways: {'a', 'b', 'c'}, which never lost to the others; {'d', 'e'}, which never won",
        ),
        (
            Pairs(tuple("abcd"), [0, 2], [1, 3], [[1, 1, 0, 0], [1, 1, 0, 0]]),
            "{'a', 'b'}, which were never compared with the others",
        ),
        (Pairs(tuple("abc"), [0, 0], [1, 2], [[1, 1, 0, 0], [3, 0, 0, 0]]), "leave out 'c'"),
        (
            Pairs(tuple("abc"), [0, 0], [1, 2], [[1, 1, 0, 0], [0, 0, 0, 0]]),
            "{'c'}, which were never compared with the others",
        ),
    ],
    ids=["separated", "disconnected", "never won", "weights of zero"],
)
def test_without_strong_connection_the_groups_and_the_ways_out_are_named(pairs, message):
    with pytest.raises(DataError, match="needs a path of wins or ties") as error:
        fit(pairs)
    assert message in str(error.value)
    assert "prior=0.5" in str(error.value)
    assert "fit one group at a time" in str(error.value)
    assert fit(pairs, prior=0.5).status == "converged"


def test_an_agent_without_a_win_leaves_the_others_their_ratings():
    """Three that beat each other, one that lost to all, one that beat all, and one that only lost to the latter."""
    pairs = Pairs(
        tuple("abcdef"),
        [0, 0, 1, 0, 1, 0, 2, 4],
        [1, 2, 2, 3, 3, 4, 4, 5],
        [
            [6, 4, 0, 0],
            [7, 3, 0, 0],
            [5, 5, 0, 0],
            [3, 0, 0, 0],
            [4, 0, 0, 0],
            [0, 2, 0, 0],
            [0, 1, 0, 0],
            [1, 0, 0, 0],
        ],
    )
    fitted, alone = fit(pairs), fit(bp.only(pairs, ["a", "b", "c"]))
    assert fitted.score[:3] == pytest.approx(alone.score, abs=1e-9)
    assert np.isnan(fitted.score[3:]).all()
    assert fitted.level.tolist() == [*(alone.level + 1), 3 + 1, 0, 3 + 2]
    assert "ranked above all with one, having never lost to them: 'e'" in fitted.status
    assert "ranked below all with one, having never won against them: 'd'" in fitted.status
    assert "listed last, as no path of wins connects" in fitted.status
    with pytest.raises(DataError, match="needs a path of wins"):
        fit(pairs, anchor="d", anchor_rating=0.0)


def test_many_groups_with_hostile_names_are_described_briefly():
    agents = tuple(f"\x1b[31m{i}" + "x" * 500 for i in range(60))
    with pytest.raises(DataError, match="60 groups") as error:
        fit(Pairs(agents, [0], [1], [[1, 0, 0, 0]]))
    assert "\x1b" not in str(error.value)
    assert "and 56 more groups" in str(error.value)
    assert len(str(error.value)) < 2500


def test_battles_of_weight_zero_connect_nobody():
    battles = Battles.of([("a", "b", 1), ("b", "a", 1)], weight=[1.0, 0.0])
    with pytest.raises(DataError, match="never won"):
        fit(battles)


def designed(**covariates):
    case = PEERS["design"]
    return coded(
        case, position=case["position"], covariates={k: np.asarray(v, dtype=float) for k, v in covariates.items()}
    )


def agent_level():
    case = PEERS["design"]
    level = np.array([3.0, 1, 4, 1, 5])
    return level[case["a"]] - level[case["b"]]


@pytest.mark.parametrize(
    ("covariates", "columns", "error", "message"),
    [
        (["x"], {"x": np.full(300, 2.0)}, DataError, "covariate 'x' must vary between battles; it is 2 in all of them"),
        (["x"], {"x": [np.nan, *range(299)]}, DataError, "covariate 'x' must be a number in every battle; it is missing in 1 battle of 300"),
        (["x", "y"], {"x": np.arange(300), "y": 2 * np.arange(300)}, DataError, "'y' must say something that the agents and 'x' do not"),
        (["x"], {"x": agent_level()}, DataError, "'x' must say something that the agents do not"),
        (["lenght"], {"length": np.arange(300)}, UsageError, "'lenght' is not among them. Did you mean 'length'?"),
        (["a - z"], {"a": np.arange(300)}, UsageError, "'z' is not among them"),
        (["x", "x"], {"x": np.arange(300)}, UsageError, "'x' stands twice"),
        (["x"], {"x": np.array(PEERS["design"]["outcome"]) - 0.5}, DataError, "outcomes are separated by 'x'"),
        (["y", "x"], {"x": np.array(PEERS["design"]["outcome"]) - 0.5, "y": np.arange(300) % 7 - 3.0}, DataError, "are separated by 'x'"),
    ],
    ids=["constant", "missing", "collinear", "agents", "unknown", "unknown half", "twice", "separated", "one separated"],
)  # fmt: skip
def test_a_covariate_that_will_not_do_is_named(covariates, columns, error, message):
    with pytest.raises(error) as raised:
        fit(designed(**columns), covariates=covariates)
    assert message in str(raised.value)


def test_position_and_covariates_need_battles_that_know_them():
    case = PEERS["design"]
    with pytest.raises(DataError, match="need battles, one row each"):
        fit(coded(case).pairs(), position=True)
    with pytest.raises(DataError, match="these battles do not say"):
        fit(coded(case), position=True)
    always_first = Battles(
        coded(case).agents,
        case["a"],
        case["b"],
        np.array(case["outcome"]) > 0.5,
        position=np.where(np.array(case["outcome"]) > 0.5, 1, -1),
    )
    with pytest.raises(DataError, match="separated by 'position'"):
        fit(always_first, position=True)


def test_margins_have_no_counts_to_fit():
    with pytest.raises(DataError, match="margins hold only their difference"):
        fit(Margins([[0, 1], [-1, 0]], ("a", "b")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"anchor": "zed"}, "`anchor` must be one of the 5 agents; 'zed' is not"),
        ({"anchor_rating": np.inf}, "`anchor_rating` must be a finite number"),
        ({"scale": "ello"}, "Did you mean 'elo'?"),
        ({"tie_model": "david"}, "`tie_model` must be one of half, davidson, rao_kupper; got 'david'"),
        ({"prior": -1.0}, "`prior` must be a number of wins and losses, 0 or more; got '-1.0'"),
        ({"max_iter": 0}, "`max_iter` must be a whole number"),
        ({"position": "yes"}, "`position` must be true or false"),
        ({"tie_model": "davidson", "ties": "drop"}, "`ties='drop'` leaves them out"),
        ({"tie_model": "davidson", "pair_weight": "rate"}, "Leave `pair_weight` at count"),
    ],
)
def test_settings_that_cannot_be_are_named(options, message):
    with pytest.raises(UsageError) as error:
        fit(coded(PEERS["design"]), **options)
    assert message in str(error.value)


def test_a_fit_that_did_not_converge_says_so_wherever_it_is_shown():
    ranking = bp.rank(coded(PEERS["cases"][0]), "bradley_terry", max_iter=1)
    assert ranking.status.startswith("not converged: stopped after 1 steps")
    assert "not converged" in str(ranking)
    assert "not converged" in ranking._repr_html_()
    assert ranking.details["converged"] is False


@pytest.mark.parametrize(
    ("counts", "finite"),
    [
        ([[5, 0, 5], [0, 0, 1], [0, 0, 1]], False),  # one winner, ties around: the ties and the lead grow together
        ([[1, 0, 0], [0, 1, 0], [1, 0, 1]], True),  # a cycle of wins
        ([[1, 1, 1], [0, 0, 1], [0, 0, 1]], True),  # both have won
        ([[2, 0, 0], [0, 0, 3], [2, 0, 0]], True),  # a beats b, b beats c, a ties c: two wins to one tie
        ([[0, 0, 2], [0, 0, 1], [0, 0, 1]], False),  # nothing but ties
    ],
)
def test_a_tie_model_is_refused_exactly_where_its_estimate_runs_away(counts, finite):
    pairs = Pairs(tuple("abc"), [0, 0, 1], [1, 2, 2], np.column_stack([counts, np.zeros(3)]))
    if finite:
        for tie_model in ("davidson", "rao_kupper"):
            assert fit(pairs, tie_model=tie_model).status == "converged"
    else:
        with pytest.raises(DataError, match="a cycle with more wins than ties"):
            fit(pairs, tie_model="davidson")


@few
@given(data=st.data())
def test_the_test_for_tie_models_agrees_with_where_newton_ends(data):
    cell = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1))
    counts = np.array(data.draw(st.lists(cell, min_size=6, max_size=6)), dtype=float)
    a, b = np.triu_indices(4, 1)
    pairs = Pairs(tuple("abcd"), a, b, np.column_stack([counts, np.zeros(6)]))
    assume(counts[:, 2].any() and counts[:, :2].any())
    try:
        assume(np.isfinite(fit(pairs).score).all())
    except DataError:
        assume(False)
    played = counts.sum(axis=1) > 0
    rows = Comparisons(
        4, a[played].astype(np.int32), b[played].astype(np.int32), counts[played], np.zeros((played.sum(), 0))
    )
    ended = fit_pairs(rows, TIE_MODELS["davidson"]).ended
    try:
        require_finite_ties(tuple("abcd"), a, b, counts, prior=0.0)
    except DataError:
        assert not ended.converged
    else:
        assert ended.converged
