"""`beatpath.testing`: what breaks a law or a contract is reported, and what satisfies them passes."""

import json
from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath._errors import DataError, ReadError
from beatpath.data.formats import reader_named
from beatpath.data.formats.reader import Reader
from beatpath.methods.registry import METHODS
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.results import Reading
from beatpath.testing import FOREIGN, LAWS, PROPERTIES, Broken, check_method, check_reader, example_ballots
from helpers.paths import FORMAT_FILES


def points(profile):
    """Pairs won less pairs lost, in votes: obeys every law."""
    return profile.margins.matrix.sum(axis=1)


def method(score, level=None, **details):
    """A method of a function that gives scores."""

    def made(profile):
        x = np.asarray(score(profile), dtype=float)
        levels = levels_by_score(x / max(1e-300, np.abs(x).max())) if level is None else level(x)
        return Outcome(levels, x / max(1e-300, np.abs(x).max()), **details)

    return made


def test_a_rule_that_keeps_the_laws_passes():
    check_method(method(points))


@pytest.mark.parametrize("key", ["borda", "schulze", "plurality"])
def test_rules_of_the_registry_pass_with_the_properties_they_claim(key):
    check_method(key, examples=8)


def first_listed(profile):
    return -np.arange(len(profile.agents))


def counted_once(profile):
    return np.bincount(profile.ballots.agent[profile.ballots.start[:-1]], minlength=len(profile.agents))


def first_vote(profile):
    votes = profile.ballots
    return np.bincount(votes.agent[:1], minlength=len(votes.agents))


def with_a_unit(profile):
    return np.minimum(points(profile), 1.0)


def by_luck(profile):
    return points(profile) + np.random.random(len(profile.agents))  # noqa: NPY002


FAULTY = {
    "neutral": (method(first_listed), "Renaming agents"),
    "anonymous": (method(first_vote), "The order of votes"),
    "counts": (method(counted_once), "count is that many"),
    "scaling": (method(with_a_unit), "change no level"),
    "ties": (method(points, level=lambda x: np.argsort(np.argsort(-x, kind="stable"))), "share one level"),
    "whole": (method(points, status=""), "a status is words"),
    "repeatable": (method(by_luck), "second run|alone"),
}


@pytest.mark.parametrize("law", LAWS)
def test_every_law_finds_the_rule_that_breaks_it(law):
    rule, message = FAULTY[law]
    with pytest.raises(Broken, match=message):
        check_method(rule, without=LAWS.keys() - {law})


def test_scores_that_change_with_the_names_break_neutrality_where_the_levels_do_not():
    def listed_scores(profile):
        return Outcome(levels_by_score(points(profile)), first_listed(profile).astype(float))

    with pytest.raises(Broken, match="Renaming agents"):
        check_method(listed_scores, without=LAWS.keys() - {"neutral"})


@pytest.mark.parametrize("claim", ["condorcet", "clone", "population", "agenda", "iia"])
def test_every_property_that_no_such_rule_has_is_reported_as_broken(claim):
    """Majority's points are no choice of a clone, agenda or third agent; plurality has no Condorcet winner; minimax no population."""
    rule = {"condorcet": "plurality", "population": "minimax"}.get(claim, "borda")
    assert claim not in METHODS[rule].properties

    def same(profile):
        return METHODS[rule].function()(profile)

    with pytest.raises(Broken, match=f"claims '{claim}'"):
        check_method(same, properties=[claim], without=LAWS)


def test_a_case_against_independence_has_the_same_votes_between_the_two_and_another_order():
    case = next(PROPERTIES["iia"](lambda votes: bp.rank(votes, "borda")))
    one, other = (
        Ballots.of(case[key], count=case[number]) for key, number in (("votes", "count"), ("then", "then_count"))
    )
    a, b = case["pair"]
    assert bp.only(one, [a, b]).pairs().counts.tolist() == bp.only(other, [a, b]).pairs().counts.tolist()
    assert bp.rank(one, "borda").rank(a) < bp.rank(one, "borda").rank(b)
    assert bp.rank(other, "borda").rank(a) >= bp.rank(other, "borda").rank(b)


def test_a_refusal_must_be_allowed_and_half_must_be_answered():
    def choosy(profile):
        if len(profile.agents) > 3:
            raise DataError("too many agents.")
        return method(points)(profile)

    with pytest.raises(DataError):
        check_method(choosy)
    check_method(method(points), may_refuse=True, examples=5)
    with pytest.raises(DataError):
        check_method(choosy, may_refuse=True, examples=40)


def test_unknown_laws_and_properties_are_refused():
    with pytest.raises(ValueError, match="got 'fair'"):
        check_method("borda", without=["fair"])


def test_examples_repeat_by_seed_and_hold_ties_and_gaps():
    one, other = (example_ballots(np.random.default_rng(4)) for _ in range(2))
    assert list(one) == list(other)
    many = [example_ballots(np.random.default_rng(k)) for k in range(60)]
    assert any(len(group) > 1 for votes in many for vote in votes for group in vote)
    assert any(sum(map(len, vote)) < len(votes.agents) for votes in many for vote in votes)
    assert {len(votes.agents) for votes in many} == {2, 3, 4, 5, 6}


# Readers: lines of two names and who won


def claims(head):
    return head.text.startswith("#duels\n")


def duels(sources, _options):
    rows = []
    for source in sources:
        for number, line in enumerate(source.read().decode("utf-8", "replace").splitlines()[1:], 2):
            parts = line.split("|")
            if len(parts) != 3 or parts[2] not in ("0", "1") or not all(parts) or parts[0] == parts[1]:
                raise ReadError(f"line {number} must hold two names and who won; got {line[:50]!r}.")
            rows.append((parts[0], parts[1], float(parts[2])))
    if not rows:
        raise ReadError("the file must hold duels; it holds none.")
    reading = Reading(tuple(s.name for s in sources), "duels", rows_read=len(rows), rows_used=len(rows))
    return replace(Battles.of(rows), reading=reading)


SOUND = Reader("duels", "Duels.", claims, duels)


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "one.duels"
    path.write_text("#duels\nada|bob|1\nbob|cyd|0\ncyd|ada|1\n")
    return path


def test_a_reader_that_keeps_the_contract_passes(sample):
    check_reader(SOUND, sample)


def crashes(sources, options):
    line = sources[0].read().decode("utf-8", "replace").splitlines()[2]
    return duels(sources, options) if line else None


def loses(sources, options):
    battles = duels(sources, options)
    return replace(battles, reading=replace(battles.reading, rows_read=battles.reading.rows_read + 1))


def forgets(sources, options):
    return replace(duels(sources, options), reading=None)


CALLS = []


def wavers(sources, options):
    CALLS.append(1)
    battles = duels(sources, options)
    return replace(battles, outcome=1 - battles.outcome) if len(CALLS) % 2 else battles


def mutters(sources, options):
    try:
        return duels(sources, options)
    except ReadError:
        raise ReadError("bad file") from None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"claims": lambda head: False}, "must claim 'one.duels'"),
        ({"claims": lambda head: 1}, "must be true or false"),
        ({"claims": lambda head: True}, "leave files of others alone"),
        ({"read": crashes}, "must end in a sentence; 'IndexError"),
        ({"read": loses}, "must account for every row"),
        ({"read": forgets}, "must say in `reading`"),
        ({"read": wavers}, "the same every time"),
        ({"read": mutters}, "it says 'bad file'"),
    ],
)
def test_every_breach_of_the_contract_is_detected(sample, change, message):
    with pytest.raises(Broken, match=message):
        check_reader(replace(SOUND, **change), sample)


@pytest.mark.parametrize(
    ("name", "file", "foreign"),
    [
        ("arena-hard", "arena_hard/v2/deepseek-r1.jsonl", FOREIGN),
        ("alpaca-eval", None, FOREIGN),
    ],
)
def test_our_own_readers_pass(name, file, foreign, tmp_path):
    if file is None:
        path = tmp_path / "annotations.json"
        record = {"instruction": "x", "generator_1": "base", "generator_2": "ada", "preference": 2.0}
        path.write_text(json.dumps([record, {**record, "instruction": "y", "preference": 1.0}]))
    else:
        path = FORMAT_FILES / file
    check_reader(reader_named(name), path, foreign=foreign)
