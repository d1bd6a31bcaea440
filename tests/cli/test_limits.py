"""Every number and every word that an option takes has its limits, and one sentence that tells them."""

from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import pytest
from typer.models import OptionInfo

from beatpath import UsageError
from beatpath.cli.main import app
from beatpath.cli.options import LIMITS, Limit
from helpers.command_line import beatpath

OPTIONS = {
    f"{command.name} {name}": (name, *get_args(kind)[:2])
    for command in app.registered_commands
    for name, kind in get_type_hints(command.callback, include_extras=True).items()
    if get_origin(kind) is Annotated and isinstance(get_args(kind)[1], OptionInfo)
}
NUMBERS = {key: one for key, one in OPTIONS.items() if {int, float} & {one[1], *get_args(one[1])}}
CHOICES = {key: one for key, one in OPTIONS.items() if Literal in map(get_origin, (one[1], *get_args(one[1])))}
ABSURD = ("-1", "nan", "inf", "-inf", "1e400", "99999999999999999999", "1e-320", "", "x", "9" * 5000, "0x10", "-0.5")


@pytest.mark.parametrize(("name", "kind", "info"), NUMBERS.values(), ids=NUMBERS)
def test_every_number_has_its_limits_in_the_one_table(name, kind, info):
    assert name in LIMITS
    for text in ABSURD if LIMITS[name].least or LIMITS[name].whole else set(ABSURD) - {"1e-320"}:
        with pytest.raises(
            UsageError, match=r"^`--[a-z-]+` must be a (whole )?number from [\d.,e-]+ to [\d.,e+-]+; got '"
        ):
            info.parser(text)


@pytest.mark.parametrize(("name", "kind", "info"), NUMBERS.values(), ids=NUMBERS)
def test_the_ends_of_the_limits_are_within_them(name, kind, info):
    limit = LIMITS[name]
    assert [info.parser(str(end)) for end in (limit.least, limit.most)] == [limit.least, limit.most]


@pytest.mark.parametrize(("name", "kind", "info"), NUMBERS.values(), ids=NUMBERS)
def test_decimals_are_read_where_the_type_has_them(name, kind, info):
    assert LIMITS[name].whole != (float in {kind, *get_args(kind)})


@pytest.mark.parametrize(("name", "kind", "info"), CHOICES.values(), ids=CHOICES)
def test_every_choice_names_its_words_and_lets_the_shell_complete_them(name, kind, info):
    words = next(get_args(part) for part in (kind, *get_args(kind)) if get_origin(part) is Literal)
    assert [info.parser(word) for word in words] == list(words)
    assert info.autocompletion() == list(words)
    with pytest.raises(UsageError, match=f"must be one of {', '.join(words)}; got 'perhaps'"):
        info.parser("perhaps")


def test_whole_numbers_are_whole():
    assert Limit(0, 10).number("--n", "7") == 7
    with pytest.raises(UsageError, match=r"must be a whole number from 0 to 10; got '7\.5'"):
        Limit(0, 10).number("--n", "7.5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.csv", "--seed", "-1"], "`--seed` must be a whole number from 0 to"),
        (["resolve", "nowhere.csv", "--level", "1e-12"], "`--level` must be a number from 0.5 to 0.999; got '1e-12'"),
        (["resolve", "nowhere.csv", "--min-battles", "9" * 20], "`--min-battles` must be a whole number from 1 to"),
        (["core", "nowhere.csv", "--gamma", "1e-320"], "`--gamma` must be a number from 1e-06 to 1,000,000; got"),
        (
            ["rank", "nowhere.csv", "--ties", "hlaf"],
            "`--ties` must be one of half, drop, keep; got 'hlaf'. Did you mean",
        ),
        (["serve", "--port", "77777"], "`--port` must be a whole number from 0 to 65,535; got '77777'."),
    ],
)
def test_a_number_out_of_its_limits_ends_before_anything_is_read(arguments, message):
    done = beatpath(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"beatpath: {message}")
    assert done.stdout == ""


@pytest.mark.parametrize("weight", ["nan", "-1", "1e300", "x"])
def test_a_weight_has_its_limits_too(games, weight):
    done = beatpath("resolve", games, "--estimand", f"ada={weight}")
    assert done.returncode == 2
    assert f"`--estimand ada` must be a number from 0 to 1e+100; got '{weight}'." in done.stderr
