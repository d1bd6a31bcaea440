"""PrefLib's elections beside two other libraries, whose answers are stored; the files themselves are not."""

import json
import tarfile
from pathlib import Path

import pytest

import beatpath as bp
from helpers.paths import GOLDEN, SHARED

ORACLES = json.loads((GOLDEN / "preflib_oracles.json").read_text(encoding="utf-8"))["cases"]
ARCHIVE = SHARED / "preflib" / "soc.tar.xz"


@pytest.fixture(scope="module")
def elections(tmp_path_factory):
    if not ARCHIVE.exists():
        pytest.skip(f"{ARCHIVE} is not here")
    folder, wanted, read = tmp_path_factory.mktemp("preflib"), {case["member"] for case in ORACLES}, {}
    with tarfile.open(ARCHIVE, "r:xz") as members:
        for member in members:
            if member.name in wanted:
                path = folder / Path(member.name).name
                path.write_bytes(members.extractfile(member).read())
                read[member.name] = bp.read(path)
    return read


def test_pref_voting_elects_the_same_in_preflib(elections):
    for case in ORACLES:
        for rule, expected in case["pref_voting"].items():
            key, settings = ("stv", {"k": 1}) if rule == "instant_runoff_put" else (rule, {})
            ranking = bp.rank(elections[case["member"]], key, **settings)
            got = ranking.details.get("possible winners", ranking.winners)
            assert sorted(got) == expected, (case["member"], rule, ranking.status)


def test_open_spiel_scores_the_same_in_preflib(elections):
    for case in ORACLES:
        for rule, expected in case["open_spiel"].items():
            ranking = bp.rank(elections[case["member"]], rule)
            assert ranking.scores == pytest.approx(expected), (case["member"], rule)
