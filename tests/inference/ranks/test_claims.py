"""Claims in words."""

import pytest

import beatpath as bp
from beatpath.inference.ranks.claims import Claim, claim_of

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
    assert claim_of(text, AGENTS) == Claim(text, agent, below, top, last)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("arora > basalt", r"'arora' is none\. .*aurora"),
        ("nobody is first", "'nobody' is none"),
        ("aurora", "must read"),
        ("", "must read"),
        ("aurora > aurora", "two different"),
        ("aurora is in the top 9", "from 1 to 5"),
        ("aurora is in the top 0", "from 1 to 5"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(text, words):
    with pytest.raises(bp.UsageError, match=words):
        claim_of(text, AGENTS)


def test_a_claim_with_two_readings_is_refused():
    with pytest.raises(bp.UsageError, match="2 ways"):
        claim_of("a > b > c", ["a", "a > b", "b > c", "c"])


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
    said = claim_of(text, WITH_CONTEXTS, CONTEXTS)
    assert (said.agent, said.context, said.other) == (agent, context, other)
    assert said.text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ada > bob in code", "in 2 ways"),
        ("ada is better at code than at code", "two different contexts"),
        ("ada is better at maths than at code", "The contexts are 'chat', 'code'"),
        ("eve is better at chat than at code", "the agents 'ada', 'bob'"),
        ("ada > bob in maths", "'bob in maths' is none.*the contexts are"),
        ("nonsense", 'must read.*"A is better at X than at Y"'),
    ],
)
def test_what_cannot_be_read_or_in_two_ways_is_refused(text, words):
    with pytest.raises(bp.UsageError, match=words):
        claim_of(text, WITH_CONTEXTS, CONTEXTS)
