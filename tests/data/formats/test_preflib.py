"""PrefLib files: the counts of the index, both header forms, what is refused and in which words, and the way back."""

import csv
import gzip
import tarfile
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath._errors import BeatpathError, DataError, ReadError
from beatpath.data.formats.preflib import preflib_text, preflib_type, reader
from beatpath.data.formats.reader import Head
from beatpath.data.sources.source import Options, Source, source
from beatpath.evidence import Ballots, Factor
from helpers.paths import SHARED

SHARED = SHARED / "preflib"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason="the PrefLib files do not lie beside the checkout")

NEW = """# FILE NAME: lunch.toi
# TITLE: Lunch
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 6
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: soup
# ALTERNATIVE NAME 2: pie
# ALTERNATIVE NAME 3: fish, fried
3: 1,{2,3}
2: 3, 1
1: {3,2}
"""
OLD = "3\n1,soup\n2,pie\n3,fish, fried\n6,6,3\n3,1,{2,3}\n2,3,1\n1,{3,2}\n"
LUNCH = [[("soup",), ("fish, fried", "pie")], [("fish, fried",), ("soup",)], [("fish, fried", "pie")]]


class InMemory(Source):
    """A source whose bytes are at hand."""

    data = b""

    def read(self, most=-1):
        return self.data if most < 0 else self.data[:most]


def at(text, name="lunch.toi"):
    class Here(InMemory):
        data = text if isinstance(text, bytes) else text.encode()

    return Here(name, Path(name), Path(name).suffix)


def read(text, name="lunch.toi", **options):
    return reader.read([at(text, name)], Options(**options))


def claims(text, name):
    return reader.takes(Head(at(text, name)))


@pytest.mark.parametrize("text", [NEW, OLD, NEW.replace("\n", "\r\n"), OLD.replace("\n", "\r"), "\ufeff" + NEW])
def test_both_forms_and_all_line_ends_give_the_same_ballots(text):
    ballots = read(text)
    assert ballots.agents == ("fish, fried", "pie", "soup")
    assert list(ballots) == LUNCH
    assert ballots.count.tolist() == [3, 2, 1]


def test_the_title_and_the_type_are_in_the_account():
    assert read(NEW).reading.notes == ("title 'Lunch'", "data type toi, incomplete orders with ties")


def test_the_result_does_not_depend_on_how_alternatives_are_numbered():
    renumbered = NEW.replace("NAME 1: soup", "NAME 7: soup").replace("1,{2,3}", "7,{2,3}").replace("3, 1", "3, 7")
    one, two = read(NEW), read(renumbered)
    assert one.agents == two.agents
    assert list(one) == list(two)


def test_a_name_keeps_its_commas_and_colons_but_no_blanks_at_its_end():
    ballots = read("# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a: b, c \n# ALTERNATIVE NAME 2:x\t\n1: 2,1\n")
    assert ballots.agents == ("a: b, c", "x")
    assert preflib_text(Ballots.of([[["a "], ["b"]]]), title="t")[1] == ["blanks at the end of 'a '"]


STRICT = NEW.replace("{", "").replace("}", "").replace("toi", "soi")


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (NEW.replace("VOTERS: 6", "VOTERS: 7"), "x.toi", ["x.toi", "NUMBER VOTERS 7", "sum to 6", "cut short"]),
        (NEW.replace("ORDERS: 3", "ORDERS: 4"), "x.toi", ["x.toi", "NUMBER UNIQUE ORDERS 4", "has 3"]),
        (NEW.replace("ATIVES: 3", "ATIVES: 4"), "x.toi", ["x.toi", "NUMBER ALTERNATIVES 4", "names 3"]),
        (NEW.replace("VOTERS: 6", "VOTERS: six"), "x.toi", ["NUMBER VOTERS", "whole number", "'six'"]),
        (NEW.replace("3, 1", "3, 9"), "x.toi", ["line 11 of x.toi", "9", "none of its 3"]),
        (NEW.replace("3, 1", "3, 3"), "x.toi", ["line 11 of x.toi", "3 ('fish, fried') twice"]),
        (NEW.replace("{3,2}", "{3,2"), "x.toi", ["line 12 of x.toi", "braces", "'1: {3,2'"]),
        (NEW.replace("{3,2}", "{{3},2}"), "x.toi", ["line 12 of x.toi", "not nested"]),
        (NEW.replace("{3,2}", "{3,2}{1}"), "x.toi", ["line 12 of x.toi", "one comma between"]),
        (NEW.replace("{3,2}", "{}"), "x.toi", ["line 12 of x.toi", "not ''"]),
        (NEW.replace("2: 3, 1", "-2: 3, 1"), "x.toi", ["line 11 of x.toi", "whole number", "'-2'"]),
        (NEW.replace("2: 3, 1", "2.5: 3, 1"), "x.toi", ["line 11 of x.toi", "whole number", "'2.5'"]),
        (NEW.replace("2: 3, 1", "9" * 30 + ": 3, 1"), "x.toi", ["line 11 of x.toi", "below 10^18"]),
        (NEW.replace("2: 3, 1", "2: 3,,1"), "x.toi", ["line 11 of x.toi", "one comma between"]),
        (NEW.replace("2: 3, 1", "2: 3 1"), "x.toi", ["line 11 of x.toi", "'3 1'"]),
        (NEW.replace("2: 3, 1", "2: 3, soup"), "x.toi", ["line 11 of x.toi", "'soup'"]),
        (NEW.replace("2: 3, 1", "hello"), "x.toi", ["line 11 of x.toi", "'hello'", "count: 1,2"]),
        (NEW.replace(": pie", ": soup"), "x.toi", ["'soup' stands for 1 and 2 in x.toi", "Rename"]),
        (NEW.replace("NAME 2", "NAME 1"), "x.toi", ["line 8 of x.toi", "alternative '1'"]),
        (NEW.replace("NAME 2", "NAME two"), "x.toi", ["line 8 of x.toi", "alternative 'TWO'"]),
        (NEW, "x.toc", ["a .toc file", "line 11 of x.toc ranks 2 of 3 alternatives", ".toi"]),
        (NEW, "x.soi", ["a .soi file", "line 10 of x.soi has a tie", ".toi"]),
        (STRICT, "x.soc", ["a .soc file", "line 11 of x.soc ranks 2 of 3 alternatives"]),
        (NEW.replace("TYPE: toi", "TYPE: cat"), "x.txt", ["soc, soi, toc, toi", "x.txt", "'cat'"]),
        ("", "x.soc", ["x.soc", "empty"]),
        ("# TITLE: nothing\n", "x.soc", ["x.soc", "names none"]),
        ("hello\n", "x.soc", ["line 1 of x.soc", "'hello'"]),
        ("3\n1,a\n2,b\n", "x.soc", ["x.soc", "3 alternatives", "ends after 2 lines"]),
        ("2\n1,a\n2,b\n3,c\n1,1,1\n", "x.soc", ["line 4 of x.soc", "voters,sum,distinct"]),
        (OLD.replace("6,6,3", "6,5,3"), "x.toi", ["NUMBER VOTERS 5", "sum to 6"]),
    ],
)
def test_errors_name_file_line_and_value(text, name, words):
    with pytest.raises(ReadError) as caught:
        read(text, name)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_bytes_that_are_not_text_are_refused_and_an_encoding_can_be_named():
    latin = NEW.replace("soup", "purée").encode("latin-1")
    with pytest.raises(ReadError, match="line 7"):
        read(latin)
    assert "purée" in read(latin, encoding="latin-1").agents


def test_a_file_without_orders_has_no_ballots():
    assert len(read("# NUMBER ALTERNATIVES: 1\n# NUMBER VOTERS: 0\n# ALTERNATIVE NAME 1: a\n", "x.soc")) == 0


def test_equal_orders_on_two_lines_are_counted_once_by_the_header_or_twice():
    for stated in (1, 2):
        text = f"# NUMBER UNIQUE ORDERS: {stated}\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,2\n4: 1, 2\n"
        assert read(text).count.tolist() == [1, 4]


def test_several_files_are_distinguished_by_the_column_file():
    other = (
        NEW.replace("3: 1,{2,3}", "3: 2").replace("NAME 1: soup", "NAME 1: pie").replace("NAME 2: pie", "NAME 2: soup")
    )
    ballots = reader.read([at(NEW, "one.toi"), at(other, "two.toi")], Options())
    assert ballots.factors["file"].names() == ["one.toi"] * 3 + ["two.toi"] * 3
    assert list(ballots)[:3] == LUNCH
    assert list(ballots)[3] == [("soup",)]
    assert ballots.count.sum() == 12
    assert ballots.reading.rows_used == 6


def test_files_with_other_alternatives_are_not_read_together():
    with pytest.raises(ReadError, match=r"'soup' stands in one\.toi and not in two\.toi \(2 names differ\)"):
        reader.read([at(NEW, "one.toi"), at(NEW.replace("soup", "stew"), "two.toi")], Options())


def test_compressed_files_are_read_and_damaged_ones_refused(tmp_path):
    whole, cut = tmp_path / "lunch.toi.gz", tmp_path / "cut.toi.gz"
    whole.write_bytes(gzip.compress(NEW.encode()))
    cut.write_bytes(gzip.compress(NEW.encode() * 100)[:-30])
    assert len(reader.read([source(whole)], Options())) == 3
    with pytest.raises(ReadError, match="ends early"):
        reader.read([source(cut)], Options())
    with pytest.raises(ReadError, match="ends early"):
        bp.read(cut)


def test_claims_by_ending_and_content():
    assert claims(NEW, "x.toi")
    assert claims(OLD, "x.toi")
    assert claims(NEW, "standard input")
    assert claims(OLD, "standard input")
    assert claims("", "x.soc")
    assert not claims(r"\contentsline {section}{1}{1}", "thesis.toc")
    assert not claims(NEW.replace("TYPE: toi", "TYPE: cat"), "x.cat")
    assert not claims("# a comment\na,b\n1,2\n", "x.csv")
    assert not claims("3\n1,2\n4,5\n6,7\n8,9\n", "x.csv")
    assert not claims(b"\x00\xff\x89PNG", "x.soc")


@given(st.binary(max_size=60), st.sampled_from(["x.soc", "x.toi", "x"]))
def test_claiming_never_raises(data, name):
    assert claims(data, name) in (True, False)


@settings(max_examples=300)
@given(st.data())
def test_any_damage_ends_in_a_sentence(data):
    text = data.draw(st.sampled_from([NEW, OLD]))
    low = data.draw(st.integers(0, len(text)))
    high = data.draw(st.integers(low, len(text)))
    put = data.draw(st.one_of(st.text(max_size=5), st.text("0123456789,:{}# \n\r\t", max_size=12)))
    try:
        ballots = read((text[:low] + put + text[high:]).encode("utf-8", "surrogatepass"))
    except BeatpathError as error:
        assert str(error)  # noqa: PT017
    else:
        assert isinstance(ballots, Ballots)


@st.composite
def some_ballots(draw):
    names = draw(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")).map(str.rstrip),
            min_size=1,
            max_size=6,
            unique=True,
        )
    )
    orders = []
    for _ in range(draw(st.integers(0, 6))):
        ranked = draw(st.permutations(names))[: draw(st.integers(0, len(names)))]
        groups = [[]]
        for name in ranked:
            if groups[-1] and draw(st.booleans()):
                groups.append([])
            groups[-1].append(name)
        orders.append([group for group in groups if group])
    orders = [order for i, order in enumerate(orders) if _sets(order) not in map(_sets, orders[:i])]
    count = draw(st.lists(st.integers(0, 10**6), min_size=len(orders), max_size=len(orders)))
    return Ballots.of(orders, agents=sorted(names), count=count)


def _sets(order):
    return [frozenset(group) for group in order]


@given(some_ballots())
def test_written_and_read_again_ballots_are_the_same(ballots):
    text, lost = preflib_text(ballots, title="any\ntitle")
    again = read(text, f"x.{preflib_type(ballots)}")
    assert lost == []
    assert again.agents == ballots.agents
    assert list(again) == list(ballots)
    np.testing.assert_array_equal(again.count, ballots.count)


def test_what_the_form_cannot_hold_is_listed():
    ballots = Ballots.of(
        [[["a"], ["b"]], [["b"], ["a"]], [["a"], ["b"]]], weight=[1, 2, 1], factors={"task": Factor.of("xyz")}
    )
    text, lost = preflib_text(ballots, title="t")
    assert text.endswith("2: 1,2\n1: 2,1\n")
    assert "# NUMBER UNIQUE ORDERS: 2\n" in text
    assert lost == [
        "weights other than one (1 ballot)",
        "the column 'task'",
        "rows with equal orders, now added up (3 rows, 2 orders)",
    ]


def test_names_that_blanks_alone_tell_apart_are_not_written():
    with pytest.raises(DataError, match=r"its own without blanks at its end.*'Ann', 'Ann ' cannot be"):
        preflib_text(Ballots.of([[["Ann"], ["Ann "], ["Bob"]]]), title="t")


@pytest.mark.parametrize("name", ["two\nlines", "back\rwards", "half \ud83d"])
def test_names_that_would_not_survive_are_refused(name):
    with pytest.raises(DataError, match=r"one line of Unicode text.*Rename"):
        preflib_text(Ballots.of([[[name], ["b"]]]), title="t")


def index():
    with (SHARED / "index.csv").open(encoding="utf-8", newline="") as stream:
        return {row["member"]: row for row in csv.DictReader(stream)}


def assert_as_indexed(ballots, row):
    sizes = len(ballots.agents), int(ballots.count.sum()), len(ballots)
    assert sizes == tuple(int(row[key]) for key in ("n_alternatives", "n_voters", "n_unique_orders")), row["file"]
    if row["min_ranked"]:
        length = np.diff(ballots.start)
        assert (length.min(), length.max()) == (float(row["min_ranked"]), float(row["max_ranked"])), row["file"]


@needs_data
def test_the_samples_hold_what_the_index_says():
    rows = {row["file"]: row for row in index().values()}
    paths = sorted((SHARED / "samples").iterdir())
    assert len(paths) == 56
    for path in paths:
        assert reader.takes(Head(source(path)))
        assert_as_indexed(reader.read([source(path)], Options()), rows[path.name])


@needs_data
@pytest.mark.parametrize("name", ["00007-00000024.soi", "00024-00000001.soc"])
def test_a_condorcet_winner_exists_where_the_index_has_one(name):
    row = next(row for row in index().values() if row["file"] == name)
    margins = reader.read([source(SHARED / "samples" / name)], Options()).pairs().margins().matrix
    beats_all = (margins > 0).sum(axis=1) == len(margins) - 1
    assert float(beats_all.any()) == float(row["condorcet_winner"])


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("archive", ["soc", "soi_a", "soi_b", "toc_toi"])
def test_every_archived_file_holds_what_the_index_says(archive):
    rows, seen = index(), 0
    with tarfile.open(SHARED / f"{archive}.tar.xz", "r:xz") as tar:
        for member in tar:
            if member.isfile():
                stream = tar.extractfile(member)
                assert stream is not None
                assert_as_indexed(read(stream.read(), member.name), rows[member.name])
                seen += 1
    assert seen == sum(row["archive"] == f"{archive}.tar.xz" for row in rows.values())


@pytest.mark.parametrize("n_lines", [10, 25])
def test_counts_that_no_machine_can_add_up_exactly_are_refused(tmp_path, n_lines):
    orders = [
        f"999999999999999999: {','.join(map(str, order))}" for order in list(permutations((1, 2, 3, 4)))[:n_lines]
    ]
    names = [f"# ALTERNATIVE NAME {i}: a{i}" for i in (1, 2, 3, 4)]
    orders += ["999999999999999999: 1,2,3,4"] * (n_lines - len(orders))
    path = tmp_path / "x.soc"
    path.write_text("\n".join(["# NUMBER ALTERNATIVES: 4", *names, *orders]) + "\n")
    with pytest.raises(DataError, match=r"at most 2\^53 ballots"):
        bp.read(path)
