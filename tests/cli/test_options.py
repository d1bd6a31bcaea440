"""What verbs take: files, standard input, the example, mappings."""

from helpers.command_line import beatpath
from helpers.schemas import validated


def test_standard_input_and_mapping():
    text = "p,q,verdict\nada,bob,L\nbob,ada,R\n"
    arguments = ("--map", "agent_a=p,agent_b=q,outcome=verdict", "--labels", "L=a,R=b", "--format", "json")
    done = beatpath("check", "-", *arguments, stdin=text)
    assert done.returncode == 0, done.stderr
    assert validated(done.stdout)["summary"]["battles"] == 2


def test_the_example_needs_no_file_and_follows_its_seed():
    one, again, other = (beatpath("check", "--example", "--seed", s, "--format", "json").stdout for s in (1, 1, 2))
    assert one == again != other
    assert validated(one)["summary"]["agents"] == 30
