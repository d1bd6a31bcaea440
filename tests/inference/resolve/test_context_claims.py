"""Claims about contexts, in words."""

import pytest

import beatpath as bp
from beatpath.inference.resolve.context_claims import context_claim_of

AGENTS, CONTEXTS = ("ada", "bob", "bob in code", "x is better at chat than at code"), ("chat", "code", "more than chat")


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
def test_a_claim_is_read_whatever_the_names_hold(text, agent, context, other):
    said = context_claim_of(text, AGENTS, CONTEXTS)
    assert (said.claim.agent, said.context, said.other) == (agent, context, other)
    assert said.claim.text == text


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
        context_claim_of(text, AGENTS, CONTEXTS)
