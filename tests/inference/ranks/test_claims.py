"""Claims in words."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.claims import Claim, ClaimTest, claims_of, joined
from beatpath.inference.ranks.rank_sets import rank_sets

AGENTS = ("aurora", "basalt", "a > b", "x is first", "c<d")


@pytest.mark.parametrize(
    ("text", "agent", "below", "top", "last"),
    [
        ("aurora > basalt", "aurora", "basalt", None, False),
        ("aurora<basalt", "basalt", "aurora", None, False),
        ("  aurora is first ", "aurora", None, 1, False),
        ("basalt is last", "basalt", None, None, True),
        ("basalt is in the top 3", "basalt", None, 3, False),
        ("basalt is among the best 2", "basalt", None, 2, False),
        ("a > b > aurora", "a > b", "aurora", None, False),
        ("x is first is first", "x is first", None, 1, False),
        ("c<d > aurora", "c<d", "aurora", None, False),
    ],
)
def test_a_claim_is_read_whatever_the_names_hold(text, agent, below, top, last):
    assert claims_of(text, AGENTS) == (Claim(text, agent, below, top, last),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("arora > basalt", r"got 'arora'\. .*aurora"),
        ("nobody is first", "got 'nobody'"),
        ("aurora", "must read"),
        ("", "must read"),
        ("aurora > aurora", "two different"),
        ("aurora is in the top 9", "from 1 to 5"),
        ("aurora is in the top 0", "from 1 to 5"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(text, words):
    with pytest.raises(bp.UsageError, match=words):
        claims_of(text, AGENTS)


def test_a_claim_with_two_readings_is_refused():
    with pytest.raises(bp.UsageError, match="2 ways"):
        claims_of("a > b > c", ["a", "a > b", "b > c", "c"])


WITH_CONTEXTS, CONTEXTS = (
    ("ada", "bob", "bob in code", "x is better at chat than at code"),
    ("chat", "code", "more than chat"),
)


@pytest.mark.parametrize(
    ("text", "agent", "context", "other"),
    [
        ("ada is better at code than at chat", "ada", "code", "chat"),
        ("ada is better in code than chat", "ada", "code", "chat"),
        ("ada is better at more than chat than at code", "ada", "more than chat", "code"),
        ("ada > bob", "ada", None, None),
        ("ada < bob in chat", "bob", "chat", None),
        ("ada is in the top 2 in code", "ada", "code", None),
        ("ada is last at chat", "ada", "chat", None),
        ("bob in code is first", "bob in code", None, None),
        (
            "x is better at chat than at code is better at code than at chat",
            "x is better at chat than at code",
            "code",
            "chat",
        ),
    ],
)
def test_a_claim_about_contexts_is_read_whatever_the_names_hold(text, agent, context, other):
    (claim,) = claims_of(text, WITH_CONTEXTS, CONTEXTS)
    assert (claim.agent, claim.context, claim.other) == (agent, context, other)
    assert claim.text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ada > bob in code", "in 2 ways"),
        ("ada is better at code than at code", "two different contexts"),
        ("ada is better at math than at code", "The contexts are 'chat', 'code'"),
        ("eve is better at chat than at code", "the agents 'ada', 'bob'"),
        ("ada > bob in math", "got 'bob in math'.*the contexts are"),
        ("nonsense", 'must read.*"A is better at X than at Y"'),
    ],
)
def test_what_cannot_be_read_or_in_two_ways_is_refused(text, words):
    with pytest.raises(bp.UsageError, match=words):
        claims_of(text, WITH_CONTEXTS, CONTEXTS)


NAMES = ("new", "base", "rock and roll", "base by 3 points", "a within 2 of b")


@pytest.mark.parametrize(
    ("text", "agent", "below", "over", "under", "points"),
    [
        ("new > rock and roll by 3 points", "new", "rock and roll", 3.0, float("inf"), True),
        ("new < rock and roll by 3.5", "rock and roll", "new", 3.5, float("inf"), False),
        ("new is better than base", "new", "base", 0.0, float("inf"), False),
        ("new within 2 points of base", "new", "base", -2.0, 2.0, True),
        ("a within 2 of b is within 1 point of new", "a within 2 of b", "new", -1.0, 1.0, True),
        ("new at most 1 point below base", "new", "base", -1.0, float("inf"), True),
        ("new is at most 0.5 worse than base", "new", "base", -0.5, float("inf"), False),
    ],
)
def test_margins_are_read_whatever_the_names_hold(text, agent, below, over, under, points):
    assert claims_of(text, NAMES) == (Claim(text, agent, below, over=over, under=under, points=points),)
    with pytest.raises(bp.UsageError, match="2 ways"):  # above 'base by 3 points', or above 'base' by a margin
        claims_of("new > base by 3 points", NAMES)


def test_and_joins_claims_but_not_inside_a_name():
    both = claims_of("new > rock and roll and rock and roll at most 1 point below new", NAMES)
    assert [(one.agent, one.below, one.over) for one in both] == [
        ("new", "rock and roll", 0.0),
        ("rock and roll", "new", -1.0),
    ]
    assert [one.top for one in claims_of("new first and base in top 3", NAMES)] == [1, 3]
    with pytest.raises(bp.UsageError, match=r"got 'bse'.*Did you mean 'base'"):
        claims_of("new > base and new > bse", ["new", "base"])


def board(score, stderr=0.01):
    n = len(score)
    unlimited = np.full((n, n), np.inf)
    return Leaderboard(
        tuple("abcdefgh"[:n]), np.array(score), stderr**2 * np.eye(n), unlimited, "mean score", bounds=(0.0, 1.0)
    )


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("a > b", "supported"),
        ("b > a", "shown to be false"),
        ("b > c", "not shown"),
        ("a > b by 20 points", "supported"),
        ("a > b by 30 points", "not shown"),
        ("a > b by 40 points", "shown to be false"),
        ("b within 5 points of c", "supported"),
        ("b within 1 point of c", "not shown"),
        ("a within 5 points of c", "shown to be false"),
        ("c at most 5 points below b", "supported"),
        ("c at most 1 point below b", "not shown"),
        ("c at most 1 point below a", "shown to be false"),
        ("a is first", "supported"),
        ("b is first", "shown to be false"),
        ("b in top 2", "not shown"),
        ("b in top 3", "supported"),
        ("a is last", "shown to be false"),
        ("c is last", "not shown"),
        ("a > b and b within 5 points of c", "supported"),
        ("a > b and b in top 2", "not shown"),
        ("b in top 2 and b > a", "shown to be false"),
    ],
)
def test_a_claim_is_supported_not_shown_or_shown_to_be_false(text, verdict):
    """Differences have a standard error of 1.4 points: 30 points between a and the others, 0.5 between b and c."""
    ranks = rank_sets(board([0.8, 0.5, 0.495]))
    claims = claims_of(text, ranks.agents)
    assert joined(text, [ClaimTest("", ranks.verdict(one, 1, len(claims)), "") for one in claims]).verdict == verdict


def test_margins_on_shares_must_be_in_points():
    ranks = rank_sets(board([0.8, 0.5]))
    with pytest.raises(bp.UsageError, match=r"must be in points, because scores are shares. Write `2 points`"):
        ranks.verdict(claims_of("a within 2 of b", ranks.agents)[0], 1)


def test_false_refutations_stay_at_the_level():
    """The claim is true at its edge: a is exactly 5 points above b, second and last of four equals."""
    rng, runs = np.random.default_rng(3), 800
    worlds = {
        "a within 5 points of b and a at most 1 point below b": [0.55, 0.5],
        "a in top 2": [0.5] * 4,
        "a is last": [0.5] * 4,
    }
    for text, truth in worlds.items():
        wrong = 0
        for _ in range(runs):
            ranks = rank_sets(board(np.array(truth) + 0.01 * rng.normal(size=len(truth))), multiplicity="bonferroni")
            parts = claims_of(text, ranks.agents)
            wrong += any(ranks.verdict(one, 1, len(parts)) == "shown to be false" for one in parts)
        assert wrong / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs), text


@pytest.mark.parametrize(
    ("gap", "parts", "verdict"), [(2.1, 1, "shown to be false"), (2.1, 2, "not shown"), (2.3, 2, "shown to be false")]
)
def test_a_part_of_two_claims_is_refuted_at_half_the_error(gap, parts, verdict):
    """By 1.96 standard errors alone, and by 2.24 as one of two."""
    two = Leaderboard(("a", "b"), np.array([0.0, gap]), np.eye(2) / 2, np.full((2, 2), np.inf), "mean")
    assert rank_sets(two).verdict(claims_of("a > b", two.agents)[0], 1, parts) == verdict
