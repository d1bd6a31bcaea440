"""No option is accepted and unused: every one changes the answer, or is refused with a sentence."""

import inspect
import json
from contextlib import suppress

import numpy as np
import pytest

import beatpath as bp
from beatpath import games, metrics, online, planning, robustness
from helpers.public import PUBLIC, public

NAMES = list("abcde")


def _battles():
    rng, rows = np.random.default_rng(0), []
    for _ in range(200):
        i, j = rng.choice(5, 2, replace=False)
        u = rng.random()
        rows.append((NAMES[i], NAMES[j], 1.0 if u < 0.4 + 0.08 * (j - i) else 0.5 if u > 0.8 else 0.0))
    bad = [outcome == 0.5 and rng.random() < 0.5 for *_, outcome in rows]
    factors = {name: bp.Factor.of([f"{name}{k % n}" for k in range(200)]) for name, n in (("cluster", 40), ("task", 4))}
    return bp.Battles.of(rows, both_bad=bad, factors=factors)


def _ballots():
    rng, orders = np.random.default_rng(1), []
    for k in range(40):
        places = [[name] for name in rng.permutation(NAMES)[: rng.integers(2, 6)].tolist()]
        orders.append([places[0] + places[1], *places[2:]] if k % 3 == 0 and len(places) > 2 else places)
    return bp.Ballots.of(orders)


def _scores():
    rng = np.random.default_rng(2)
    cells = [(a, t, i) for a in range(5) for t in range(4) for i in range(5) if rng.random() > 0.1]
    return bp.read(
        {
            "model": [NAMES[a] for a, _, _ in cells],
            "task": [f"task{t}" for _, t, _ in cells],
            "item": [str(i) for *_, i in cells],
            "value": [round(float(rng.random()) + 0.05 * a, 1) for a, *_ in cells],
        }
    )


EVIDENCE = {"battles": _battles(), "ballots": _ballots(), "scores": _scores(), "pairs": _battles().pairs()}
# By option, a value other than the default.
OTHERWISE = {
    "ties": "drop",
    "both_bad": "drop",
    "pair_weight": "rate",
    "unranked": "last",
    "missing": "last",
    "per": "item",
    "tolerance": 0.2,
    "matrix": "estimated",
    "weights": {"task0": 9.0},
}
FUNCTIONS = {
    "rank": lambda evidence, **options: bp.compare_methods(evidence, ["minimax", "bradley_terry"], **options),
    "leaderboard": bp.leaderboard,
    "resolve": lambda evidence, **options: bp.resolve(evidence, multiplicity="bonferroni", **options),
    "core": bp.core,
    "win_matrix": bp.win_matrix,
    "bootstrap": lambda evidence, **options: bp.bootstrap(evidence, "bradley_terry", draws=10, **options),
}
# What may change nothing, and why.
NEUTRAL = {
    ("ballots", "both_bad"): "a ranking has no verdict 'both bad'",
    ("scores", "both_bad"): "a score has no verdict 'both bad'",
    ("ballots", "matrix"): "rules use rankings as they are, which is what 'auto' means",
    ("scores", "matrix"): "rules use scores as they are, which is what 'auto' means",
    ("scores", "ties"): "mean scores compare no pairs",
    ("scores", "unranked"): "mean scores compare no pairs",
    ("scores", "missing"): "mean scores are of the tasks that an agent has",
    ("scores", "tolerance"): "mean scores compare no pairs",
}


def _answer(function, evidence, **options):
    result = FUNCTIONS[function](evidence, **options)
    plain = result.to_dict() if hasattr(result, "to_dict") else {"matrix": result.matrix}
    for key in ("conventions", "settings", "notes", "sentences"):
        plain.pop(key, None)
    return json.dumps(plain, sort_keys=True, default=lambda value: np.asarray(value).tolist())


@pytest.mark.parametrize("kind", EVIDENCE)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_convention_matters_or_is_refused(function, kind):
    usual, unused = _answer(function, EVIDENCE[kind]), []
    for option, value in OTHERWISE.items():
        try:
            if _answer(function, EVIDENCE[kind], **{option: value}) == usual and (kind, option) not in NEUTRAL:
                unused.append(option)
        except bp.BeatpathError:
            continue
    assert not unused


def _judged():
    """Battles that three judges vote on each, with lengths."""
    rng = np.random.default_rng(3)
    a, b = np.array([rng.choice(4, 2, replace=False) for _ in range(300)]).T
    won = rng.random((3, 300)) < np.array([[0.5], [0.5], [0.2]]) + 0.1 * (b - a)
    names = {"judge": np.repeat(["ada", "x", "y"], 300), "cluster": np.tile([f"p{k}" for k in range(300)], 3)}
    return bp.Battles(
        tuple(NAMES[:4]), np.tile(a, 3), np.tile(b, 3), won.ravel().astype(float),
        factors={name: bp.Factor.of(values.tolist()) for name, values in names.items()}, covariates={"length": rng.normal(size=900)},
    )  # fmt: skip


def _answers():
    """Right and wrong answers of eight agents on 60 items of 6 documents, five samples each, with prices."""
    rng, cells = np.random.default_rng(4), np.indices((8, 60, 5)).reshape(3, -1)
    return {
        "model": [f"m{k}" for k in cells[0]],
        "item": [f"q{k}" for k in cells[1]],
        "metric": ["acc"] * cells.shape[1],
        "seed": [f"s{k}" for k in cells[2]],
        "document": [f"d{k % 6}" for k in cells[1]],
        "value": (rng.random(cells.shape[1]) < 0.1 + 0.1 * cells[0]).astype(float).tolist(),
        "price": rng.uniform(1, 2, cells.shape[1]).tolist(),
    }


def _of(answers, agent):
    rows = [k for k, name in enumerate(answers["model"]) if name == agent]
    return {name: [values[k] for k in rows] for name, values in answers.items()}


def newer():
    """Functions with an option each, and a value other than its default."""
    answers, judged = _answers(), _judged()
    runs = {"base": _of(answers, "m2"), "new": _of(answers, "m4")}
    options = {
        "compare": (lambda **o: bp.compare(runs, **o), {
            "level": 0.8, "cluster": "document", "samples": "pass@2", "cost": "price", "claims": ["new > base"],
            "read": {"where": ["document!=d0"]}, "metric": "loss",
        }),
        "items": (lambda **o: bp.items(bp.read(answers), **o), {"top": 2, "level": 0.8, "seed": 5}),
        "judges": (lambda **o: bp.judges(judged, **o), {
            "families": {"x": "f", "a": "f"}, "covariates": "length", "gold": "x", "level": 0.8, "min_votes": 400, "seed": 5,
        }),
        "diff": (lambda **o: bp.diff(judged, judged, **o), {"claims": ["a > b"]}),
    }  # fmt: skip
    return [
        pytest.param(call, name, value, id=f"{verb} {name}")
        for verb, (call, own) in options.items()
        for name, value in own.items()
    ]


@pytest.mark.parametrize(("call", "name", "value"), newer())
def test_every_option_of_the_newer_verbs_matters_or_is_refused(call, name, value):
    plain = _without_settings(call().to_dict())
    with suppress(bp.BeatpathError):
        assert _without_settings(call(**{name: value}).to_dict()) != plain


def _without_settings(plain):
    return {key: value for key, value in plain.items() if key not in ("conventions", "settings", "level")}


def test_what_columns_mean_is_refused_for_runs_that_have_been_read():
    runs = [bp.read(_of(_answers(), name)) for name in ("m1", "m2")]
    for option in ({"read": {"where": ["document!=d0"]}}, {"cost": "price"}):
        with pytest.raises(bp.UsageError, match=r"^`read` and `cost` must be left out for runs that have been read"):
            bp.compare(base=runs[0], new=runs[1], **option)


def test_a_refused_option_is_named():
    with pytest.raises(
        bp.UsageError, match="`matrix` must be left out: it changes nothing in the scores of a leaderboard"
    ):
        bp.leaderboard(EVIDENCE["battles"], matrix="raw")
    with pytest.raises(bp.UsageError, match="`per` must be left out: it changes nothing in what is made of battles"):
        bp.rank(EVIDENCE["battles"], "copeland", per="item")


WRONG = {
    "a number": 7,
    "nothing": None,
    "a list": [1, 2, 3],
    "bytes": b"x",
    "columns": {"x": [1]},
    **EVIDENCE,
    "margins": EVIDENCE["pairs"].margins(),
    "win rates": EVIDENCE["pairs"].win_rates(),
}
TAKES = {
    "OnlineElo": (online.OnlineElo().update, {"battles"}),
    "OnlineGlicko2": (online.OnlineGlicko2().update, {"battles"}),
    "OnlineWengLin": (online.OnlineWengLin().update, {"battles", "ballots"}),
    "OnlineSco": (online.OnlineSco().update, {"battles", "ballots"}),
    "Ledger": (online.Ledger().add, {"battles", "pairs"}),
    "load": (online.load, set()),
    "payoff_ratings": (games.payoff_ratings, set()),
    "deviation_ratings": (games.deviation_ratings, set()),
    "max_entropy_equilibrium": (games.max_entropy_equilibrium, set()),
    "kendall_tau_distance": (lambda order: metrics.kendall_tau_distance(order, order), {"columns"}),
    "held_out_distance": (lambda test: robustness.held_out_distance(NAMES, test), {"battles", "ballots"}),
    "rank": (lambda evidence: bp.rank(evidence, "copeland"), {*EVIDENCE, "margins", "win rates"}),
    "check": (bp.check, {*EVIDENCE, "margins", "win rates"}),
}


@pytest.mark.parametrize("function", TAKES)
def test_the_wrong_kind_of_evidence_is_a_sentence(function):
    call, takes = TAKES[function]
    for kind, value in WRONG.items():
        if kind in takes:
            call(value)
        else:
            with pytest.raises(bp.BeatpathError, match=r"[.?]$"):
                call(value)


def functions():
    """The public functions by name, but those that write a page, or take positions or functions alone."""
    left_out = {"report", "plot", "claim", "testing.check_method", "testing.check_reader"}
    return [name for name in PUBLIC if name not in left_out and inspect.isfunction(public(name))]


@pytest.mark.parametrize("name", functions())
def test_the_wrong_kind_of_any_other_argument_is_a_sentence(name):
    few = bp.Battles.of([("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "b", 0.5)] * 3)
    function = public(name)
    others = list(inspect.signature(function).parameters.values())[1:]
    needed = {p.name: few for p in others if p.kind is not p.VAR_KEYWORD and p.default is p.empty}
    for other in (p.name for p in others if p.kind is not p.VAR_KEYWORD):
        for wrong in (object(), b"x"):
            with suppress(bp.BeatpathError):  # anything else fails the test
                function(few, **{**needed, other: wrong})


def test_the_wrong_argument_is_named_with_what_it_must_be():
    for call, sentence in (
        (lambda: bp.without(EVIDENCE["battles"], 7), "`agents` must be a list of texts; got '7'."),
        (lambda: bp.resolve(EVIDENCE["battles"], level=None), "`level` must be a number; got 'None'."),
        (
            lambda: bp.rank(EVIDENCE["battles"], "copeland", ties=["x"]),
            "`ties` must be one of half, drop, keep; got list.",
        ),
        (lambda: planning.comparisons_needed("x"), "`P` must be an array of numbers; got 'x'."),
    ):
        with pytest.raises(bp.UsageError) as refused:
            call()
        assert str(refused.value).startswith(sentence)


def test_the_wrong_argument_of_a_class_or_a_method_is_named_with_what_it_must_be(tmp_path):
    """Also of objects whose class nobody has named: `bp.read` returns evidence, `bp.resolve` a result."""
    with bp.Arena(":memory:", agents=["a", "b"]) as arena:
        for call, sentence in (
            (lambda: bp.Arena(7), "`address` must be a text or a path; got '7'."),
            (lambda: bp.Battles(7, 8, 9, 1), "`agents` must be a list of texts; got '7'."),
            (lambda: bp.Factor(None, ("x",)), "`codes` must be a list; got 'None'."),
            (lambda: EVIDENCE["battles"].pairs(by=7), "`by` must be a list of texts; got '7'."),
            (lambda: EVIDENCE["battles"].take(0.5), "`rows` must be a list; got '0.5'."),
            (lambda: bp.Ballots.of([[["a"]]], agents=7), "`agents` must be a list of texts or None; got '7'."),
            (lambda: bp.resolve(EVIDENCE["pairs"]).save(7.5), "`path` must be a text or a path; got '7.5'."),
            (lambda: online.OnlineElo().save(None), "`path` must be a text or a path; got 'None'."),
            (lambda: bp.Factor.of(np.array(3.0)), "`names` must be a list; got ndarray."),
            (lambda: bp.Battles.of("ab"), "`rows` must be a list; got 'ab'."),
            (lambda: bp.Scores.from_table(10**400, ["a"], ["t"]), "`table` must be an array of numbers"),
            (
                lambda: EVIDENCE["scores"].ballots(tolerance="x"),
                "`tolerance` must be a finite number, 0 or more; got 'x'.",
            ),
            (lambda: arena.board(judges="\ud800"), "a judge must be whole characters"),
            (lambda: arena.ask(10**400), "`count` must be a whole number from 1 to 1,000,000"),
            (lambda: online.Ledger(by=7), "`by` must be a list of texts; got '7'."),
            (lambda: arena.board(judges=7), "`judges` must be a text or a list of texts or None; got '7'."),
            (
                lambda: arena.tell("x"),
                "the call must be `Arena.tell(battle, outcome, *, judge, criteria, comment, style)`",
            ),
        ):
            with pytest.raises(bp.BeatpathError) as refused:
                call()
            assert str(refused.value).startswith(sentence)


def test_numbers_that_no_option_can_be_are_refused():
    few = EVIDENCE["battles"]
    for call, name in (
        (lambda: bp.resolve(few, draws=0), "draws"),
        (lambda: bp.resolve(few, draws=10**400), "draws"),
        (lambda: bp.rank(few, "copeland", tolerance=10**400), "tolerance"),
        (lambda: planning.comparisons_needed([0.5, 0.7]), "P"),
        (lambda: bp.only(few, np.zeros((2, 2))), "agents"),
        (lambda: bp.only(few, bp.Ballots.of([[["a"]]])), "agents"),
        (lambda: bp.only(few, min_battles=10**400), "min_battles"),
        (lambda: online.load("a\x00b"), "cannot be read"),
        (lambda: bp.plots.badge(7), "resolution"),
    ):
        with pytest.raises(bp.BeatpathError, match=name):
            call()


def test_numbers_of_numpy_are_numbers():
    assert (
        bp.core(EVIDENCE["battles"], tau=np.float32(0.5)).to_dict() == bp.core(EVIDENCE["battles"], tau=0.5).to_dict()
    )
    with bp.Arena(":memory:", agents=["a", "b"]) as arena:
        arena.change(level=np.float32(0.75), patience=np.float64(60))
        assert arena.ask() is not None


def test_an_error_about_runs_called_as_the_parameters_names_what_is_wrong():
    """`bp.compare(base=..., new=...)`, where `new` is also the name of a parameter that is given by place alone."""
    runs = {"base": _of(_answers(), "m1"), "new": _of(_answers(), "m2")}
    with pytest.raises(bp.UsageError, match=r"^`metric` must be one that all runs have: 'acc'; got 'loss'\."):
        bp.compare(**runs, metric="loss")
    with pytest.raises(bp.UsageError, match=r"^every run must have a name; got '', 'new'\."):
        bp.compare({"": runs["base"], "new": runs["new"]})
    with pytest.raises(bp.UsageError, match=r"the call must be `bp\.compare\("):
        bp.compare({}, {}, {})
