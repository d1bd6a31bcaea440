"""What the reproductions of SCO and WSCO are made of: simulated data, samples, judgements; their runs are in test_readme."""

import importlib.util
import sys
from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath.methods.profile import profile_of
from helpers.paths import REPRODUCTIONS

FOLDER = REPRODUCTIONS


def load(path, name, monkeypatch):
    """A script or module of the reproductions, imported by its path with its neighbours in reach."""
    monkeypatch.setattr(sys, "path", [str(FOLDER / "common"), str((FOLDER / path).parent), *sys.path])
    spec = importlib.util.spec_from_file_location(name, FOLDER / path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def contests(monkeypatch):
    return load("common/contests.py", "contests", monkeypatch)


@pytest.fixture
def script(monkeypatch):
    return load("common/script.py", "script", monkeypatch)


@pytest.mark.parametrize("paper", ["sco", "wsco"])
def test_every_folder_of_a_paper_has_a_script_a_readme_and_what_was_published(paper):
    folders = sorted(FOLDER.glob(f"{paper}_*"))
    assert len(folders) == {"sco": 5, "wsco": 2}[paper]
    for folder in folders:
        assert all((folder / name).is_file() for name in ("reproduce.py", "expected.json", "README.md")), folder.name
        assert '"--full"' in (folder / "reproduce.py").read_text(), "by which `beatpath reproduce --full` knows it"


def test_two_agents_miss_each_other_in_uniform_contests_as_often_as_counting_says(contests):
    shares = [contests.contests(20, "uniform", np.random.default_rng(seed)).missing for seed in range(60)]
    exact = (1 - (4 * 3) / (20 * 19)) ** 20
    assert abs(np.mean(shares) - exact) < 4 * np.std(shares) / np.sqrt(60)


@pytest.mark.parametrize("distribution", ["uniform", "skill-matched"])
def test_a_contest_seats_four_different_agents_and_the_better_wins_more_often(contests, distribution):
    played = contests.contests(300, distribution, np.random.default_rng(0))
    assert all(len(set(order)) == 4 for order in played.orders.tolist())
    assert (played.skill[played.orders[:, 0]] > played.skill[played.orders[:, -1]]).mean() > 0.9


def test_skill_matched_contests_are_between_likes(contests):
    def range_of(distribution):
        played = contests.contests(300, distribution, np.random.default_rng(1))
        return np.ptp(played.skill[played.orders], axis=1).mean()

    assert range_of("skill-matched") < 0.8 * range_of("uniform")


def test_a_published_mean_is_near_within_chance_and_not_beyond(script):
    ours = np.random.default_rng(0).normal(10.0, 2.0, 50)
    half = 1.96 * 2.0 / np.sqrt(50)
    assert script.near(ours, 10.0, half, 50, 0.005)
    assert not script.near(ours, 13.0, half, 50, 0.005)


def test_a_sample_is_spread_from_the_first_to_the_last(monkeypatch):
    files = load("common/preflib_files.py", "preflib_files", monkeypatch)
    assert files.spread(range(100), 3) == [0, 49, 99]
    assert files.spread(range(4), 0) == files.spread(range(4), 9) == [0, 1, 2, 3]


def test_full_descent_settles_on_the_best_order_at_the_published_iteration(monkeypatch):
    table = load("sco_convergence/reproduce.py", "sco_convergence", monkeypatch)
    ballots = table.example({"A B C": 2, "C A B": 3})
    rule = table.Settings(200, 0.1, None, 0.5)
    assert abs(table.settled_at(ballots, [2, 0, 1], rule, 0) - 28) <= 3
    assert table.settled_at(ballots, [0, 1, 2], rule, 0) == 201  # an order that does not stay


def test_an_answer_is_judged_by_the_winner_and_by_every_kemeny_order(monkeypatch):
    table = load("sco_preflib/reproduce.py", "sco_preflib", monkeypatch)
    cycle = [[["A"], ["B"], ["C"], ["D"]], [["B"], ["C"], ["A"], ["D"]], [["C"], ["A"], ["B"], ["D"]]]
    profile = profile_of(bp.Ballots.of(cycle))
    outcome = table.sco(profile)
    best = replace(outcome, details={**outcome.details, "order": list("BCAD"), "order_disagreement": 4.0})
    judged = table.judged(profile)(best)
    assert judged.first is None
    assert judged.nearest == judged.excess == 0.0
    worse = replace(outcome, details={**outcome.details, "order": list("DBCA"), "order_disagreement": 13.0})
    assert table.judged(profile)(worse).excess == (13 - 4) / 4
    assert table.judged(profile)(worse).nearest == 3 / 6

    votes = profile_of(bp.Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3]))
    assert table.judged(votes)(table.sco(votes)).first is True
    assert table.judged(votes)(table.sco(votes, loss="fenchel_young")).first is False


def test_a_preflib_file_is_rated_in_every_way(monkeypatch, tmp_path):
    table = load("sco_preflib/reproduce.py", "sco_preflib", monkeypatch)
    path = tmp_path / "00001-00000001.soc"
    names = "".join(f"# ALTERNATIVE NAME {k}: {name}\n" for k, name in enumerate("ABC", start=1))
    path.write_text(f"# NUMBER ALTERNATIVES: 3\n{names}2: 1,2,3\n3: 3,1,2\n")
    settings = {"iterations": 300, "learning_rate": 0.1, "temperature": 0.5, "batch": 32}
    measurement = table.measured(path, settings, 2)
    assert set(measurement.answers) == {"default 0", "sp 0", "gd 0", "gd 1"}
    assert all(answer.first and answer.excess == 0.0 for answer in measurement.answers.values())


def test_weighted_descent_is_judged_against_one_kemeny_order_and_the_nearest(monkeypatch):
    table = load("wsco_preflib/reproduce.py", "wsco_preflib", monkeypatch)
    votes = profile_of(bp.Ballots.of([[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]]]))
    outcome = table.wsco(votes)
    outcome = replace(outcome, details={**outcome.details, "order": ["A", "C", "B"]})
    values = table.judged(outcome, [["A", "B", "C"], ["A", "C", "B"]], votes.agents, 0)
    assert values["KT to Kemeny (mean)"] == pytest.approx(1 / 3)
    assert values["KT to the nearest"] == 0.0
    assert values["perfect Kemeny match (%)"] == 0.0
    assert values["top-1 accuracy (%)"] == values["Condorcet winner first, all (%)"] == 100.0


def test_wilcoxons_test_finds_a_paired_difference_and_none_between_equals(monkeypatch):
    table = load("wsco_simulation/reproduce.py", "wsco_simulation", monkeypatch)
    one = np.random.default_rng(0).random(50)
    assert table.p_value(one, one.copy()) == 1.0
    assert table.p_value(one, one + 0.01) < 1e-6


def test_a_simulated_site_seats_everyone_and_nobody_twice_in_a_game(monkeypatch):
    games = load("sco_online/games.py", "games", monkeypatch)
    ballots = games.diplomacy(530, 310, 7, np.random.default_rng(0))
    assert len(ballots) == 310
    played = np.bincount(ballots.agent, minlength=530)
    assert played.min() >= 1
    assert played.sum() == 7 * 310
    assert played.max() > 20


def test_a_real_set_becomes_games_in_order_with_ties(monkeypatch, tmp_path):
    games = load("sco_online/games.py", "games", monkeypatch)
    (tmp_path / "pgg_bench").mkdir()
    (tmp_path / "pgg_bench" / "results.csv").write_text(
        "game_id,agent,final_tokens,carry_over_fund\n7,x,3,1\n7,y,5,1\n7,z,3,1\n9,z,8,1\n9,x,1,1\n"
    )
    assert games.real(tmp_path, "Step Game, 3 agents a game") is None
    ballots = games.real(tmp_path, "Public Goods, 5 agents a game")
    assert list(ballots) == [[("y",), ("x", "z")], [("z",), ("x",)]]


def test_the_pairs_of_a_game_are_battles_at_one_time_and_may_share_one_weight(monkeypatch):
    online = load("sco_online/reproduce.py", "sco_online", monkeypatch)
    ballots = bp.Ballots.of([[["x"], ["y", "z"]], [["z"], ["y"]]])
    battles = online.battles(ballots, np.array([1, 0]), shared=True)
    assert battles.time.tolist() == [0, 1, 1, 1]
    assert battles.weight.tolist() == [1, 1 / 3, 1 / 3, 1 / 3]
    assert sorted(battles.outcome.tolist()) == [0.5, 1, 1, 1]


def test_more_rivals_beaten_is_copelands_order(monkeypatch):
    from beatpath.methods.voting.pairwise import copeland

    online = load("sco_online/reproduce.py", "sco_online", monkeypatch)
    rng = np.random.default_rng(3)
    votes = bp.Ballots.of([[[str(a)] for a in rng.permutation(9)[:4]] for _ in range(30)])
    profile = profile_of(votes)
    score = online.more_beaten(profile)
    np.testing.assert_array_equal(np.unique(-score, return_inverse=True)[1], copeland(profile).level)
