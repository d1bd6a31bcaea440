"""`beatpath serve`: what it takes; tests/web has the server itself."""

from helpers.command_line import beatpath


def test_help_says_what_may_be_read_and_that_nothing_is_encrypted():
    text = " ".join(beatpath("serve", "--help").stdout.split())
    for word in ("--host", "--port", "--token", "--max-upload", "--time-limit", "not encrypted"):
        assert word in text


def test_a_file_that_is_not_there_is_a_sentence():
    done = beatpath("serve", "nowhere.csv")
    assert done.returncode == 2
    assert "there is none" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
