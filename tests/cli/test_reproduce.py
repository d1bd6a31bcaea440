"""`beatpath reproduce`: published figures beside ours."""

from helpers.command_line import beatpath


def test_reproduce_prints_published_beside_ours():
    done = beatpath("reproduce", "vase_pentathlon")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "published" in done.stdout
    done = beatpath("reproduce", "vasy")
    assert done.returncode == 2
    assert "is none of" in done.stderr
