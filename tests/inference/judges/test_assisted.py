"""Boards about human preference that judges assist: never biased, narrower by what judges explain, and no more."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.judges.assisted import assisted
from beatpath.inference.judges.worth import JudgeWorth
from beatpath.inference.options import ResolveOptions
from beatpath.inference.scores.estimands import leaderboard
from beatpath.stats.intervals import Interval


def battles_of(agents, pairs, human, judged, chosen, *, cluster=None):
    """Battles with the human's vote on those `chosen`, and the votes of every judge on all."""
    a, b = pairs
    total, judged = len(a), np.atleast_2d(judged)
    rows = np.concatenate([chosen, np.tile(np.arange(total), len(judged))])
    who = ["human"] * len(chosen) + [f"judge {k}" for k in range(len(judged)) for _ in range(total)]
    factors = {"judge": bp.Factor.of(who), "task": bp.Factor.of(map(str, rows))}
    if cluster is not None:
        factors["cluster"] = bp.Factor.of(map(str, np.asarray(cluster)[rows]))
    outcome = np.concatenate([human[chosen], *judged])
    return bp.Battles(tuple(f"agent {k}" for k in range(agents)), a[rows], b[rows], outcome, factors=factors)


def world(seed, agents, total):
    """Pairs, and human votes by known strengths."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(0.8, -0.8, agents)
    a = rng.integers(agents, size=total)
    b = (a + rng.integers(1, agents, size=total)) % agents
    lead = strength[a] - strength[b]
    human = (rng.random(total) < 1 / (1 + np.exp(-lead))).astype(float)
    rates = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    return rng, (a, b), human, lead, (rates.sum(axis=1) - 0.5) / (agents - 1)


def both(battles, column="task"):
    """The board of human votes alone, the assisted one, and the worth."""
    rows = np.flatnonzero(np.array(battles.factors["judge"].names()) == "human")
    plain = leaderboard(battles.take(rows), estimand="mean_win_rate", cluster=column)
    return plain, *assisted(plain, battles, [column], ResolveOptions(humans="human"))


def test_the_correction_of_one_pair_is_that_of_its_definition():
    rng, pairs, human, _, _ = world(1, 2, 300)
    judge = np.where(rng.random(300) < 0.6, human, rng.integers(2, size=300).astype(float))
    chosen = np.arange(80)
    plain, board, _ = both(battles_of(2, pairs, human, judge, chosen))
    turned = pairs[0] == 1  # votes for agent 0
    y, x = (np.where(turned, 1 - vote, vote) for vote in (human, judge))
    e, off = y[:80] - plain.made.psi[0, 1], x[:80] - x[80:].mean()
    omega = 0.0
    for i in range(80):
        rest = np.arange(80) != i
        omega += (off[rest] @ e[rest]) / (off[rest] @ off[rest]) * 220 / 300 * off[i] / 80
    assert board.score[0] == pytest.approx(plain.score[0] - plain.made.influence[0, 0] * omega, abs=1e-6)
    assert abs(board.score[0] - plain.score[0]) > 1e-3


def test_a_judge_that_favors_an_agent_does_not_bias_the_board():
    errors = []
    for seed in range(30):
        rng, pairs, human, lead, truth = world(seed, 5, 1500)
        favored = 3.0 * ((pairs[0] == 4) * 1.0 - (pairs[1] == 4))
        judge = (rng.random(1500) < 1 / (1 + np.exp(-lead - favored))).astype(float)
        _, board, _ = both(battles_of(5, pairs, human, judge, rng.permutation(1500)[:300]))
        errors.append(board.score - truth)
    errors = np.array(errors)
    assert (np.abs(errors.mean(axis=0)) < 3.5 * errors.std(axis=0) / np.sqrt(30)).all()
    assert errors.std() < 0.05  # the favored agent's score by the judge alone is off by more than 0.2


def test_useless_judges_are_worth_nothing_although_slopes_are_fitted_to_few_votes():
    worths = []
    for seed in range(25):
        rng, pairs, human, _, _ = world(seed, 4, 1000)
        _, _, worth = both(battles_of(4, pairs, human, rng.integers(2, size=(6, 1000)).astype(float), np.arange(125)))
        worths.append(worth.more.estimate)
        more = worth.more  # an interval on the logarithm of how many times the battles are worth
        assert more.low <= more.estimate <= more.high
        assert (1 + more.low) * (1 + more.high) == pytest.approx((1 + more.estimate) ** 2)
    assert len(worth.slopes) == 6
    assert np.mean(worths) < 0.005  # slopes fitted to all votes would claim 6 / 125, or 0.05


def test_a_perfect_judge_is_worth_the_battles_it_judged():
    _, pairs, human, _, _ = world(3, 4, 3000)
    for calls, worth_of in ((1000, 1.0), (2000, 2.0)):  # 1,000 human votes: as many again, twice as many
        total = 1000 + calls
        battles = battles_of(4, (pairs[0][:total], pairs[1][:total]), human[:total], human[:total], np.arange(1000))
        assert both(battles)[2].more.estimate == pytest.approx(worth_of, rel=0.15)
    full = battles_of(4, pairs, human, human, np.arange(3000))
    whole = leaderboard(full.take(np.arange(3000)), estimand="mean_win_rate", cluster="task")
    assert np.abs(both(battles)[1].score - whole.score).max() < 0.01


def test_calls_in_the_cluster_of_a_human_vote_do_not_count_as_independent():
    """Every prompt has the same battle twice, with a human vote on one of them; the other tells nothing new."""
    _, (a, b), human, _, _ = world(4, 2, 400)
    a, b, human, prompt = (np.repeat(one, 2) for one in (a, b, human, np.arange(400)))
    plain, board, worth = both(battles_of(2, (a, b), human, human, np.arange(0, 800, 2), cluster=prompt), "cluster")
    assert board.score == pytest.approx(plain.score, abs=1e-3)
    assert abs(worth.more.estimate) < 0.05  # 1.0 if both battles were independent


def test_humans_who_did_not_vote_at_random_are_detected():
    rng, pairs, human, _, _ = world(5, 4, 2000)
    judge = np.where(rng.random(2000) < 0.5, human, rng.integers(2, size=2000).astype(float))
    low = np.where(pairs[0] < pairs[1], judge, 1 - judge) == 1
    chosen = rng.permutation(np.flatnonzero(low | (rng.random(2000) < 0.3)))[:500]
    worth = both(battles_of(4, pairs, human, judge, chosen))[2]
    assert worth.p_value < 1e-4
    assert "did not vote on a random part" in worth.condition
    fair = [both(battles_of(4, pairs, human, judge, rng.permutation(2000)[:500]))[2].p_value for _ in range(20)]
    assert np.mean(np.array(fair) < 0.05) <= 0.2


def test_where_the_judges_own_board_is_wrong_is_reported():
    rng, pairs, human, lead, _ = world(6, 4, 4000)
    judge = (rng.random(4000) < 1 / (1 + np.exp(-lead - 4.0 * ((pairs[0] == 3) * 1.0 - (pairs[1] == 3))))).astype(float)
    worth = both(battles_of(4, pairs, human, judge, np.arange(2000)))[2]
    assert ("agent 0", "agent 3") in worth.reversed
    assert worth.off["agent 3"].low > 0
    assert any("'agent 3' above 'agent 0'" in text for text in worth.sentences)


def worth_of(explained):
    return JudgeWorth(("h",), ("j",), 9, 9, 9, {}, explained, Interval(0.1, 0.05, 0.2), {}, (), 0.5, 0.95)


@pytest.mark.parametrize(
    ("explained", "price"), [(0.1, 0.001), (0.3, 0.02), (0.6, 0.2), (0.1, 0.2), (0.0, 0.01), (0.9, 0.5)]
)
def test_a_budget_is_split_as_a_search_over_all_splits_would(explained, price):
    split = worth_of(explained).split(human=1.0, judge=price)
    ratio = np.geomspace(1, 1e4, 200_001)  # calls per human vote
    votes = 1 / (1 + ratio * price)
    best = max(float((votes / ((1 - explained) + explained / ratio)).max()), 1.0)
    assert 1 + split.gain == pytest.approx(best, rel=1e-4)
    assert split.votes + price * split.calls == pytest.approx(1.0)


def test_calls_pay_from_the_price_that_is_printed():
    worth = worth_of(0.1)
    assert worth.split(human=1.0, judge=1 / (worth.pays_from * 1.01)).calls > 0
    assert worth.split(human=1.0, judge=1 / (worth.pays_from * 0.99)).calls == 0
    with pytest.raises(bp.UsageError, match="prices must be finite numbers above 0"):
        worth.split(human=0.0, judge=1.0)


def test_resolve_takes_humans_and_every_reader_sees_the_worth():
    rng, pairs, human, _, _ = world(7, 4, 1200)
    judge = np.where(rng.random(1200) < 0.7, human, rng.integers(2, size=1200).astype(float))
    battles = battles_of(4, pairs, human, judge, np.arange(300))
    resolution = bp.resolve(battles, humans="human")
    alone = bp.resolve(battles.take(np.arange(300)))
    assert (np.diag(resolution.board.covariance) < np.diag(alone.board.covariance)).all()
    assert resolution.test("agent 0 > agent 3").supported
    assert resolution.worth.sentence in resolution.sentences
    assert resolution.to_dict()["worth"]["votes"] == 300
    assert resolution.settings["humans"] == ["human"]
    assert "preference of 'human'" in resolution.answer.text
    assert resolution.worth.sentence in str(resolution.view())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"humans": "humn"}, "'judge 0'; 'humn' is none. Did you mean 'human'?"),
        ({"humans": ["human", "judge 0"]}, "must leave some other judge"),
        ({"humans": "human", "estimand": "bradley_terry"}, "is about mean win rates"),
        ({"humans": "human", "ties": "drop"}, "ties as half a win"),
        ({"humans": "judge 0"}, "here humans voted on all that judges judged"),
    ],
)
def test_what_cannot_be_assisted_gets_a_sentence(options, text):
    _, pairs, human, _, _ = world(8, 3, 200)
    battles = battles_of(3, pairs, human, human, np.arange(60))
    with pytest.raises(bp.BeatpathError, match=text.replace("?", r"\?")):
        bp.resolve(battles, **options)


def test_votes_that_cannot_be_matched_get_a_sentence():
    rows, judge = [("ada", "bob", 1), ("bob", "ada", 0)] * 50, ["human", "gpt"] * 50
    with pytest.raises(bp.DataError, match="a cluster or task column that shows which votes are on the same battle"):
        bp.resolve(bp.Battles.of(rows, factors={"judge": bp.Factor.of(judge)}), humans="human")


def test_next_pairs_splits_money_between_humans_and_judge_as_their_worth_says():
    rng, pairs, human, _, _ = world(3, 4, 2000)
    judge = np.where(rng.random(2000) < 0.8, human, rng.integers(2, size=2000).astype(float))
    board = bp.resolve(battles_of(4, pairs, human, judge, np.arange(300)), humans="human")
    cheap, dear = (bp.planning.next_pairs(board, budget=400, prices=(2.0, price)) for price in (0.01, 50.0))
    votes, calls = (sum(number for *_, number in plan) for plan in (cheap.pairs, cheap.calls))
    assert 390 <= 2.0 * votes + 0.01 * calls <= 400
    best = board.worth.split(human=2.0, judge=0.01)
    assert calls / votes == pytest.approx(best.calls / best.votes, rel=0.02)
    assert all("calls" in row for row in cheap.rows())
    assert not any(number for *_, number in dear.calls)  # nobody buys a judge that costs more than a human
    assert 390 <= 2.0 * sum(number for *_, number in dear.pairs) <= 400
    assert cheap.expected > dear.expected
    with pytest.raises(bp.UsageError, match="humans="):
        bp.planning.next_pairs(bp.example(), budget=400, prices=(2.0, 0.01))
