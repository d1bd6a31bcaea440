"""Files of answers: read whole, or refused with the line."""

import json

import pytest

import beatpath as bp
from beatpath.web.answers import read_answers
from helpers.answers import write_answers

GOOD = '{"prompt": "one?", "agent": "ada", "answer": "x"}\n{"prompt": "one?", "agent": "bob", "answer": "y"}\n'


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "answers.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_every_answer_is_looked_up_by_prompt_and_agent(tmp_path):
    answers = read_answers(write_answers(tmp_path / "answers.jsonl"))
    assert answers.agents == ("ada", "bob", "cyd")
    assert answers.prompts == ("one?", "two?")
    assert answers.texts["two?", "bob"] == "bob on two?"
    assert len(answers.texts) == 6


def test_empty_lines_further_fields_and_a_byte_order_mark_do_no_harm(written):
    assert read_answers(written("\ufeff\n" + GOOD.replace('"x"', '"x", "tokens": 3') + "\n")).agents == ("ada", "bob")


def test_an_agent_may_have_any_name_and_an_answer_may_be_empty(written):
    rows = [{"prompt": "", "agent": name, "answer": ""} for name in ("__proto__", "<b>", "constructor")]
    answers = read_answers(written("\n".join(map(json.dumps, rows))))
    assert answers.agents == ("__proto__", "<b>", "constructor")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "answers.jsonl must have answers of at least two agents; it has 0 agents"),
        (GOOD.splitlines()[0], "at least two agents; it has 1 agent: 'ada'"),
        (GOOD + "no json\n", "answers.jsonl, line 3 must be a JSON object with prompt, agent, answer; got 'no json'"),
        (GOOD + "[1]\n", "line 3 must be a JSON object"),
        (GOOD + "[" * 100_000, "line 3 must be a JSON object"),
        (GOOD + '{"prompt": "one?", "model": "cyd"}\n', "line 3 must have `agent`; it has 'prompt', 'model'"),
        (GOOD + '{"prompt": "one?", "agent": "cyd", "answer": 3}\n', "line 3: `answer` must be text; got '3'"),
        (GOOD + '{"prompt": "one?", "agent": " ", "answer": "z"}\n', "line 3: `agent` must be text with a sign"),
        (GOOD + '{"prompt": "one?", "agent": "\\ud800", "answer": "z"}\n', "line 3: `agent` must be whole characters"),
        (GOOD + GOOD, "line 3: an agent must answer a prompt once; 'ada' answered 'one?' in line 1 already"),
        (
            GOOD + '{"prompt": "two?", "agent": "ada", "answer": "z"}\n',
            "line 3: every agent must have answered every prompt; 'bob' has not answered 'two?'",
        ),
        (
            GOOD + GOOD.replace("one", "two").replace("bob", "cyd"),
            "line 1: every agent must have answered every prompt; 'cyd' has not answered 'one?'. Add the answer",
        ),
        (
            GOOD + "".join(f'{{"prompt": "two?", "agent": "{x}", "answer": "z"}}\n' for x in ("cyd", "dan", "eve")),
            "'cyd' has not answered 'one?' (nor have 2 others). Add the answer",
        ),
        (b"\xff\xfe\x00", "must be text in UTF-8"),
    ],
)
def test_what_will_not_do_is_a_sentence_with_file_and_line(written, text, says):
    with pytest.raises(bp.DataError) as raised:
        read_answers(written(text))
    assert says in str(raised.value)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(bp.ReadError, match="cannot: No such file"):
        read_answers(tmp_path / "nowhere.jsonl")
    with pytest.raises(bp.ReadError, match="cannot: Is a directory"):
        read_answers(tmp_path)


def test_prompts_have_categories_if_the_file_does(written):
    assert read_answers(written(GOOD)).pool == ["one?"]
    sorted_in = GOOD.replace('"x"', '"x", "category": "math"') + GOOD.replace("one?", "two?")
    assert read_answers(written(sorted_in)).pool == {"math": ["one?"], "": ["two?"]}
    with pytest.raises(bp.ReadError, match="line 1: `category` must be text"):
        read_answers(written(GOOD.replace('"x"', '"x", "category": 3')))
