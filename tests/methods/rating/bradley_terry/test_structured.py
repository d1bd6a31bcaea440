"""Strengths explained by covariates: published tables, known truths, clusters, agents not seen, and what is refused."""

import numpy as np
import pytest
from scipy.optimize import minimize

import beatpath as bp
from beatpath import Battles, DataError, Factor, UsageError

METHOD = "bradley_terry_structured"


@pytest.fixture
def lizards(shared):
    folder = shared / "classic_r_datasets"
    known = bp.read_agents(folder / "flatlizards_predictors.csv")
    return bp.read(folder / "flatlizards_contests.csv"), known


def effect_of(ranking, name):
    effect = ranking.details["effects"][name]
    return effect["estimate"], effect["standard_error"]


WHITING = ["throat.PC1", "throat.PC3", "head.length", "SVL"]


def test_flat_lizards_of_whiting_with_random_effects_as_bradleyterry2_prints_them(lizards):
    """flatlizards.Rout.save of its tests. Lizard 96 never lost and has no finite strength, so its contests say nothing."""
    battles, known = lizards
    ranking = bp.rank(bp.without(battles, ["lizard096"]), METHOD, covariates=known, columns=WHITING)
    printed = {
        "throat.PC1": (-0.0869, 0.0412),
        "throat.PC3": (0.373, 0.153),
        "head.length": (-1.38, 0.739),
        "SVL": (0.172, 0.137),
    }
    for name, numbers in printed.items():
        assert effect_of(ranking, name) == pytest.approx(numbers, rel=4e-3)
    assert (ranking.details["spread"], ranking.details["spread_error"]) == pytest.approx((1.110, 0.322), abs=5e-4)
    assert ranking.details["apart"] == ["lizard099"]


def test_flat_lizards_of_whiting_without_random_effects_as_their_table_1(lizards):
    battles, known = lizards
    ranking = bp.rank(bp.without(battles, ["lizard096"]), METHOD, covariates=known, columns=WHITING, spread=0)
    printed = {
        "throat.PC1": (-0.0926, 0.0291),
        "throat.PC3": (0.3421, 0.1109),
        "head.length": (-1.1252, 0.4944),
        "SVL": (0.1883, 0.0985),
    }
    for name, numbers in printed.items():
        assert effect_of(ranking, name) == pytest.approx(numbers, abs=5e-5)
    x = {name: sum(known[name][c] * effect_of(ranking, c)[0] for c in WHITING) for name in ("lizard003",)}
    own = ranking.scores["lizard099"] - ranking.scores["lizard003"]
    assert own == pytest.approx(0.8358 - x["lizard003"], abs=1e-3)


def test_the_flavours_of_springall_are_a_logistic_regression_on_differences(shared):
    """Nine drinks, ties as halves as BradleyTerry2 has them, against weighted least squares by turns; no table of it is printed."""
    contests, drinks = (
        np.genfromtxt(shared / "classic_r_datasets" / f"springall_{name}.csv", delimiter=",", names=True)
        for name in ("contests", "predictors")
    )
    names = [f"drink {k}" for k in range(1, 10)]
    row, col = (contests[side].astype(int) - 1 for side in ("row", "col"))
    counts = np.column_stack([contests["loss"], contests["win"], contests["tie"], 0 * contests["tie"]])
    pairs = bp.Pairs(tuple(names), row, col, counts)
    columns = list(drinks.dtype.names)
    known = {name: {c: float(drinks[c][k]) for c in columns} for k, name in enumerate(names)}
    ranking = bp.rank(pairs, METHOD, covariates=known, spread=0)
    X = np.column_stack([drinks[c][col] - drinks[c][row] for c in columns])
    n, beta = contests["win"] + contests["loss"] + contests["tie"], np.zeros(X.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-X @ beta))
        information = (X * (n * p * (1 - p))[:, None]).T @ X
        beta = beta + np.linalg.solve(information, X.T @ ((contests["win"] + contests["tie"] / 2) - n * p))
    assert [effect_of(ranking, c)[0] for c in columns] == pytest.approx(beta.tolist(), rel=1e-6)
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    assert [effect_of(ranking, c)[1] for c in columns] == pytest.approx(errors.tolist(), rel=1e-5)


def test_a_lizard_that_is_not_all_known_and_never_lost_is_refused_by_name(lizards):
    battles, known = lizards
    with pytest.raises(DataError, match="'lizard096' must have won and lost"):
        bp.rank(battles, METHOD, covariates=known, columns=WHITING)


def world(seed, n=25, battles=1500, beta=0.7, spread=0.4, copies=1):
    """Battles of agents of known sizes, each copied so many times, the copies a cluster."""
    rng = np.random.default_rng(seed)
    size = rng.standard_normal(n)
    strength = beta * size + spread * rng.standard_normal(n)
    a = rng.integers(n, size=battles)
    b = (a + rng.integers(1, n, size=battles)) % n
    won = (rng.random(battles) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    names, rows = tuple(f"m{i:02}" for i in range(n)), np.repeat(np.arange(battles), copies)
    factors = {"cluster": Factor.coded(rows, tuple(map(str, range(battles))))} if copies > 1 else {}
    known = {name: {"size": float(x)} for name, x in zip(names, size, strict=True)}
    return Battles(names, a[rows], b[rows], won[rows], factors=factors), known


def test_the_fixed_form_is_the_maximum_of_the_likelihood():
    battles, known = world(1)
    x = np.array([known[name]["size"] for name in battles.agents])
    difference = x[battles.a] - x[battles.b]

    def loss(beta):
        return np.logaddexp(0.0, -np.where(battles.outcome == 1, 1, -1) * difference * beta[0]).sum()

    best = minimize(loss, [0.0], tol=1e-12).x[0]
    ranking = bp.rank(battles, METHOD, covariates=known, spread=0)
    assert effect_of(ranking, "size")[0] == pytest.approx(best, abs=1e-5)


def test_units_and_origins_of_columns_move_no_strength():
    battles, known = world(2)
    plain = bp.rank(battles, METHOD, covariates=known)
    moved = bp.rank(battles, METHOD, covariates={k: {"size": 1000 + 5 * v["size"]} for k, v in known.items()})
    np.testing.assert_allclose(list(plain.scores.values()), list(moved.scores.values()), atol=1e-7)
    assert effect_of(plain, "size")[0] == pytest.approx(5 * effect_of(moved, "size")[0], rel=1e-6)


def test_counts_are_the_battles_and_turned_battles_the_same():
    battles, known = world(3)
    plain = bp.rank(battles, METHOD, covariates=known)
    turned = Battles(battles.agents, battles.b, battles.a, 1 - battles.outcome)
    for other in (battles.pairs(), turned):
        np.testing.assert_allclose(
            list(bp.rank(other, METHOD, covariates=known).scores.values()), list(plain.scores.values()), atol=1e-8
        )


def test_an_agent_in_no_battle_is_predicted_by_its_covariates():
    battles, known = world(4, n=60, battles=6000)
    out = battles.agents[:20]
    seen = bp.without(battles, list(out))
    ranking = bp.rank(seen, METHOD, covariates=known)
    whole = bp.rank(battles, METHOD, covariates=known)
    foretold = ranking.details["predictions"]
    assert sorted(foretold) == sorted(out)
    mean = np.mean([whole.scores[name] for name in seen.agents])
    z = [(whole.scores[name] - mean - foretold[name]["strength"]) / foretold[name]["standard_error"] for name in out]
    assert 0.5 < np.std(z) < 1.5
    assert np.corrcoef([whole.scores[n] for n in out], [foretold[n]["strength"] for n in out])[0, 1] > 0.5


def test_battles_repeated_in_clusters_widen_errors_by_the_root_of_the_number():
    (battles, known), (copied, _) = (world(5, battles=600, spread=0.0, copies=copies) for copies in (1, 4))
    once = bp.rank(battles, METHOD, covariates=known, spread=0)
    blind = bp.rank(copied, METHOD, covariates=known, spread=0, cluster=None)
    robust = bp.rank(copied, METHOD, covariates=known, spread=0)
    assert effect_of(blind, "size")[1] == pytest.approx(effect_of(once, "size")[1] / 2, rel=1e-6)
    assert effect_of(robust, "size")[1] == pytest.approx(effect_of(once, "size")[1], rel=0.1)
    assert robust.details["clusters"] == {"by": "cluster", "number": 600}


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 4])
def test_intervals_of_effects_cover_the_truth(copies):
    """Of 120 worlds at 95 %; less than 0.88 of them would be chance once in a thousand."""
    covered = []
    for seed in range(120):
        battles, known = world(seed, n=20, battles=600 // copies, copies=copies)
        effect = bp.rank(battles, METHOD, covariates=known).details["effects"]["size"]
        covered.append(effect["low"] <= 0.7 <= effect["high"])
    assert np.mean(covered) >= 0.88


def test_without_covariates_strengths_are_shrunk_together_and_all_finite():
    games = Battles.of([("ada", "bob", 1)] * 9 + [("bob", "cyd", 1)] * 6 + [("cyd", "bob", 1)] * 3)
    ranking = bp.rank(games, METHOD)
    assert ranking.levels == (("ada",), ("bob",), ("cyd",))
    assert np.isfinite(list(ranking.scores.values())).all()
    assert ranking.details["effects"] == {}


@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ({"spread": -1}, UsageError, "0 or more; got '-1'"),
        ({"spread": 0}, UsageError, "leaves strengths to covariates alone"),
        ({"covariates": {"zoe": {"size": 1}}}, DataError, "must name agents of the battles"),
        (
            {"covariates": {"ada": {"size": 1}, "bob": {"size": 1}, "cyd": {"size": 1}}},
            DataError,
            "must differ between",
        ),
        (
            {"covariates": {n: {"x": i, "y": 2 * i} for i, n in enumerate(("ada", "bob", "cyd"))}},
            DataError,
            "'y' must add information",
        ),
        (
            {"covariates": {n: {"x": i} for i, n in enumerate(("cyd", "bob", "ada"))}},
            DataError,
            "'x' must not predict",
        ),
        ({"cluster": "prompt"}, UsageError, "'prompt' must be a column"),
    ],
)
def test_what_has_no_answer_is_refused_with_a_sentence(more, kind, message):
    games = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("ada", "cyd", 1)])
    with pytest.raises(kind, match=message):
        bp.rank(games, METHOD, **more)


def test_of_several_covariates_the_one_that_predicts_by_most_is_named():
    """Both grow with strength, the second a thousand times as much."""
    known = {n: {"x": i + 0.1 * i**2, "y": 1000.0 * i} for i, n in enumerate(("dan", "cyd", "bob", "ada"))}
    games = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("ada", "cyd", 1), ("cyd", "dan", 1), ("ada", "dan", 1)])
    with pytest.raises(DataError, match="'y' must not predict"):
        bp.rank(games, METHOD, covariates=known)
