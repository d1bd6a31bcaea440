"""Chess games: tags in all the shapes they take, results and dates, and what is refused and in which words."""

import gzip
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath._errors import BeatpathError, ReadError, UnknownLabel, UsageError
from beatpath.data.formats.pgn import _open_comment, reader
from beatpath.data.formats.reader import Head
from beatpath.data.sources.source import Options, source
from beatpath.evidence import Battles

GAMES = r"""[Event "Casual \"blitz\" \\ night"]
[Site "Here"]
[Date "2024.02.29"]
[Round "1"]
[White "Ada"]
[Black "Bob, Jr."]
[Result "1-0"]
[ECO "C20"]

1. e4 {best by test
[White "Eve"]
[%clk 0:01:00]} e5 ; a { that opens nothing
2. Qh5 1-0

[Event "?"]
[Date "1999.??.??"]
[Round "-"]
[White "Bob, Jr."]
[Black "Cyd"]
[Result "1/2-1/2"]

1/2-1/2

[Event "Open"]
[UTCDate "2024.03.01"]
[UTCTime "12:00:00"]
[White "Cyd"]
[Black "Ada"]
[Result "0-1"]

0-1

[Event "Open"]
[Date "2024.03.02"]
[White "Cyd"]
[Black "Ada"]
[Result "*"]

*
"""


@pytest.fixture
def read(tmp_path):
    def read(data, name="games.pgn", **options):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return reader.read([source(path)], Options(**options))

    return read


def game(white="a", black="b", result="1-0", more="", moves="1. e4"):
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n{more}\n{moves} {result}\n\n'


def rows(battles):
    return [
        (battles.agents[a], battles.agents[b], o) for a, b, o in zip(battles.a, battles.b, battles.outcome, strict=True)
    ]


FINISHED = [("Ada", "Bob, Jr.", 1.0), ("Bob, Jr.", "Cyd", 0.5), ("Cyd", "Ada", 0.0)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_white_meets_black_and_unfinished_games_are_dropped(read, end):
    battles = read(GAMES.replace("\n", end))
    assert rows(battles) == FINISHED
    assert battles.position.tolist() == [1, 1, 1]
    assert battles.factor("task").names() == ['Casual "blitz" \\ night', None, "Open"]
    assert battles.factor("round").names() == ["1", None, None]
    assert dict(battles.reading.dropped) == {"unfinished": 1}
    assert battles.reading.rows_read == 4


def test_time_counts_days_and_a_partial_date_is_unknown(read):
    battles = read(GAMES)
    days = [date(2024, 2, 29).toordinal(), np.nan, date(2024, 3, 1).toordinal() + 0.5]
    np.testing.assert_array_equal(battles.time, days)
    assert battles.reading.notes == ("1 of 3 games have no full date",)


@pytest.mark.parametrize("day", ["2023.02.29", "2024.13.01", "0000.01.01", "????.??.??", "yesterday", ""])
def test_a_day_that_no_calendar_has_is_unknown(read, day):
    battles = read(game(more=f'[Date "{day}"]\n') + game(more='[Date "2024.01.01"]\n'))
    assert np.isnan(battles.time).tolist() == [True, False]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252"])
def test_encodings_are_seen_or_named(read, encoding):
    named = None if encoding in ("utf-8", "utf-8-sig", "utf-16") else encoding
    assert read(game("Müller").encode(encoding), encoding=named).agents == ("Müller", "b")


def test_text_in_another_encoding_is_refused_by_line(read):
    with pytest.raises(ReadError, match=r"games\.pgn must be utf-8 text; byte 0xfc in line 7 .*latin-1"):
        read((game() + game("Müller")).encode("latin-1"))
    with pytest.raises(UsageError, match="encoding"):
        read(game(), encoding="nonsense")


def test_moves_in_another_encoding_do_no_harm(read):
    assert len(read(game(moves="1. e4 {déjà vu}").encode("latin-1"))) == 1


def test_tags_may_share_a_line_and_moves_may_follow_them(read):
    assert rows(read('[White "a"] [Black "b"][Result "0-1"] 1. e4 e5 0-1\n' + game("c", "d"))) == [
        ("a", "b", 0.0),
        ("c", "d", 1.0),
    ]


def test_games_without_moves_are_distinguished_by_their_tags(read):
    bare = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n'
    assert len(read(bare + bare + "\n" + bare)) == 3


def test_quotes_inside_a_value_need_not_be_escaped(read):
    assert read(game('The "Rock"')).agents == ('The "Rock"', "b")


def test_names_survive_as_they_are(read):
    assert read(game("  {x} ; [y] ")).agents == ("  {x} ; [y] ", "b")


def test_unknown_results_are_listed_with_counts_and_can_be_mapped(read):
    games = game(result="1-0 FF") * 2 + game(result="½") + game()
    with pytest.raises(UnknownLabel) as caught:
        read(games)
    for word in ("'1-0 FF' (2)", "'½' (1)", "labels="):
        assert word in str(caught.value)
    battles = read(games, labels={"1-0 FF": "drop", "½": "tie"})
    assert battles.outcome.tolist() == [0.5, 1.0]
    with pytest.raises(UnknownLabel, match="half"):
        read(games, labels={"1-0 FF": "drop", "½": "half"})


def test_games_without_players_or_result_are_dropped_and_counted(read):
    battles = read(game() + game("?") + game(black="") + '[White "a"]\n[Black "b"]\n\n1. e4 *\n')
    assert dict(battles.reading.dropped) == {"a player is not known": 2, "no result": 1}


def test_a_player_against_himself_is_refused_or_dropped(read):
    with pytest.raises(ReadError, match="'a' is in the game at line 7 of"):
        read(game() + game("a", "a"), self_battles="error")
    assert len(read(game() + game("a", "a"))) == 1


def test_further_tags_become_columns_on_request(read):
    assert read(GAMES, keep=["ECO"]).factor("ECO").names() == ["C20", None, None]
    with pytest.raises(UsageError, match=r"'EC0' is none\. Did you mean 'ECO'"):
        read(GAMES, keep=["EC0"])
    with pytest.raises(UsageError, match="'outcome'"):
        read(GAMES, keep=["outcome"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["games.pgn", "at least one"]),
        ("1. e4 e5\n", ["games.pgn", "at least one"]),
        (game(result="*"), ["unfinished: 1"]),
        ('[White "a]\n[Black "b"]\n', ["line 1 of", '[White "a]', "[Name"]),
        (game(moves="1. e4 {never closed"), ["comment", "line 5 of", "does not", "cut short"]),
    ],
)
def test_bad_files_are_refused_with_a_sentence(read, text, words):
    with pytest.raises(ReadError) as caught:
        read(text)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_several_files_are_read_as_one(tmp_path):
    paths = [tmp_path / "one.pgn", tmp_path / "two.pgn"]
    for path, text in zip(paths, (game(), game("c", "d")), strict=True):
        path.write_text(text)
    assert len(reader.read([source(path) for path in paths], Options())) == 2


def test_compressed_files_are_streamed_and_damaged_ones_refused(tmp_path, read):
    assert rows(read(gzip.compress(GAMES.encode()), "games.pgn.gz")) == FINISHED
    noise = np.random.default_rng(0).bytes(100_000).hex()
    with pytest.raises(ReadError, match=r"games\.pgn\.gz must be a whole"):
        read(gzip.compress(game(moves=noise).encode())[:-5000], "games.pgn.gz")


def test_zstd_files_are_streamed_and_damaged_ones_refused(read):
    zstandard = pytest.importorskip("zstandard")
    whole = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(GAMES.encode() * 5000))
    assert len(read(bytes(whole), "games.pgn.zst")) == 3 * 5000
    whole[-1] ^= 1
    with pytest.raises(ReadError, match=r"games\.pgn\.zst must be a whole file.*checksum"):
        read(bytes(whole), "games.pgn.zst")


@pytest.mark.parametrize("content", [b"", b"any bytes"])
def test_skippable_frames_after_a_zstd_frame_are_skipped(read, content):
    """RFC 8878, section 3.1.2: a magic number from 0x184D2A50 to 0x184D2A5F, the size of the content, the content."""
    zstandard = pytest.importorskip("zstandard")
    games = zstandard.ZstdCompressor().compress(GAMES.encode())
    for number in (0x184D2A50, 0x184D2A5F):
        skipped = number.to_bytes(4, "little") + len(content).to_bytes(4, "little") + content
        assert rows(read(games + 2 * skipped, "games.pgn.zst")) == FINISHED


def by_definition(line, comment, number):
    """One character at a time."""
    for c in line:
        if comment:
            comment = 0 if c == "}" else comment
        elif c == ";":
            return 0
        elif c == "{":
            comment = number
    return comment


@given(st.text("{}; a", max_size=12), st.sampled_from([0, 3]))
def test_comments_are_followed_as_their_definition_says(line, comment):
    assert _open_comment(line, comment, 5) == by_definition(line, comment, 5)


def test_long_games_do_not_slow_the_reading_down(read):
    moves = "{}" * 500_000 + '{"' * 200_000 + "}"
    assert len(read(game(moves=moves) + game(moves="[" * 1_000_000))) == 2


def test_claims_by_ending_and_content(tmp_path):
    def claims(text, name):
        (tmp_path / name).write_bytes(text.encode())
        return reader.takes(Head(source(tmp_path / name)))

    assert claims(GAMES, "games.pgn")
    assert claims(GAMES, "games.txt")
    assert claims("", "empty.pgn")
    assert not claims("hello", "hello.pgn")
    assert not claims('[Event "x"]\n', "x.txt")
    assert not claims('[{"White": "a", "Black": "b", "Result": "1-0"}]', "x.json")


@settings(max_examples=200)
@given(st.data())
def test_any_damage_ends_in_a_sentence(tmp_path_factory, data):
    low = data.draw(st.integers(0, len(GAMES)))
    high = data.draw(st.integers(low, len(GAMES)))
    put = data.draw(st.one_of(st.binary(max_size=6), st.text('[]"\\{};\n\r ab*', max_size=12).map(str.encode)))
    path = tmp_path_factory.getbasetemp() / "damaged.pgn"
    path.write_bytes(GAMES[:low].encode() + put + GAMES[high:].encode())
    try:
        assert reader.takes(Head(source(path))) in (True, False)
        assert isinstance(reader.read([source(path)], Options()), Battles)
    except BeatpathError as error:
        assert str(error)  # noqa: PT017
