"""What verbs take: files, standard input, the example, mappings."""

import json
import subprocess
import sys


def beatpath(*arguments, stdin=None, **options):
    return subprocess.run(
        [sys.executable, "-m", "beatpath", *map(str, arguments)],
        check=False,
        input=stdin,
        capture_output=True,
        text=True,
        **options,
    )


def test_standard_input_and_mapping():
    text = "p,q,verdict\nada,bob,L\nbob,ada,R\n"
    arguments = ("--map", "agent_a=p,agent_b=q,outcome=verdict", "--labels", "L=a,R=b", "--format", "json")
    done = beatpath("check", "-", *arguments, stdin=text)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["battles"] == 2


def test_the_example_needs_no_file_and_follows_its_seed():
    one, again, other = (beatpath("check", "--example", "--seed", s, "--format", "json").stdout for s in (1, 1, 2))
    assert one == again != other
    assert json.loads(one)["summary"]["agents"] == 30
