"""Payoff matrices: the figures of the games at hand, what rounding leaves, and every way a file can be wrong."""

import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath._errors import BeatpathError, ReadError, UsageError
from beatpath.data.formats.payoff import reader
from beatpath.data.formats.reader import Head
from beatpath.data.sources.source import Options, source
from beatpath.evidence import Margins, WinRates
from helpers.paths import SHARED

SHARED = SHARED / "game_payoff_matrices"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason="the payoff matrices do not lie beside the checkout")
RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def saved(folder, name="game.npz", **arrays):
    path = folder / name
    np.savez(path, **arrays)
    return path


def read(path):
    return reader.read([source(path)], Options())


def claims(path):
    return reader.takes(Head(source(path)))


def three_cycles(matrix):
    beats = (matrix > 0).astype(np.int64)
    return int(np.trace(beats @ beats @ beats)) // 3


@needs_data
@pytest.mark.parametrize(
    ("name", "agents"), [("rps", 3), ("5_3_blotto", 21), ("5_4_blotto", 56), ("kuhn_poker", 64), ("10_3_blotto", 66)]
)
def test_the_games_at_hand_are_read_as_they_are(name, agents):
    path = SHARED / f"{name}.npz"
    assert claims(path)
    margins = read(path)
    assert isinstance(margins, Margins)
    assert len(margins.agents) == agents
    assert margins.reading.notes == ()
    np.testing.assert_array_equal(margins.matrix, np.load(path)["payoff"])


@needs_data
@pytest.mark.parametrize(("name", "cycles"), [("rps", 1), ("5_3_blotto", 58), ("10_3_blotto", 4060)])
def test_three_cycles_are_as_many_as_the_readme_of_the_games_counts(name, cycles):
    assert three_cycles(read(SHARED / f"{name}.npz").matrix) == cycles


def test_agents_without_names_are_numbers_that_sort(tmp_path):
    margins = read(saved(tmp_path, payoff=np.zeros((11, 11))))
    assert margins.agents[:2] == ("00", "01")
    assert list(margins.agents) == sorted(margins.agents)


@pytest.mark.parametrize("key", ["agents", "names"])
@pytest.mark.parametrize("kind", [str, bytes, int])
def test_names_may_come_along(tmp_path, key, kind):
    names = np.array([b"10", b"20", b"30"]).astype({str: "U", bytes: "S", int: int}[kind])
    margins = read(saved(tmp_path, anything=RPS, **{key: names}))
    assert margins.agents == ("10", "20", "30")
    np.testing.assert_array_equal(margins.matrix, RPS)


def test_a_single_array_in_npy_is_the_matrix(tmp_path):
    np.save(tmp_path / "game.npy", RPS.astype(np.int8))
    assert claims(tmp_path / "game.npy")
    np.testing.assert_array_equal(read(tmp_path / "game.npy").matrix, RPS)


def test_rounding_remainders_are_shared_and_reported(tmp_path):
    matrix = RPS + 1e-12 * np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    margins = read(saved(tmp_path, payoff=matrix))
    np.testing.assert_array_equal(margins.matrix, -margins.matrix.T)
    np.testing.assert_allclose(margins.matrix, RPS, atol=1e-12)
    assert margins.reading.notes == ("made exactly antisymmetric as (M - M^T) / 2; the largest |M + M^T| was 1e-12",)


def test_single_precision_is_held_to_its_own_rounding(tmp_path):
    rates = np.array([[0.5, 0.1], [0.9, 0.5]], dtype=np.float32)
    assert np.abs(rates.astype(np.float64) + rates.T.astype(np.float64) - 1).max() > 1e-9
    evidence = read(saved(tmp_path, payoff=rates))
    assert isinstance(evidence, WinRates)
    np.testing.assert_allclose(evidence.matrix, rates, atol=1e-7)


def test_complementary_entries_from_0_to_1_are_win_rates(tmp_path):
    rates = read(saved(tmp_path, payoff=[[0.5, 0.75], [0.25, 0.5]]))
    assert isinstance(rates, WinRates)
    np.testing.assert_array_equal(rates.matrix, [[0.5, 0.75], [0.25, 0.5]])
    assert "read as win rates" in str(rates.reading)


def test_a_diagonal_left_at_zero_becomes_a_half_in_win_rates(tmp_path):
    rates = read(saved(tmp_path, payoff=[[0, 0.75], [0.25, 0]]))
    np.testing.assert_array_equal(rates.matrix, [[0.5, 0.75], [0.25, 0.5]])
    assert "the diagonal was 0 and is now 1/2" in rates.reading.notes


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"payoff": [[0, 2.0], [-1, 0]]}, ["minus its transpose", "2 for '0' against '1'", "-1 the other way"]),
        ({"payoff": [[1, 0], [0, -1]]}, ["minus its transpose", "'0' against '0'"]),
        ({"payoff": [[0, np.nan], [0, 0]]}, ["finite", "nan for '0' against '1'"]),
        ({"payoff": [[0, np.inf], [-np.inf, 0]]}, ["finite", "inf", "2 such entries"]),
        ({"payoff": [[0, 1, 2], [1, 2, 3]]}, ["square", "(2, 3)"]),
        ({"payoff": np.zeros((2, 2, 2))}, ["square", "(2, 2, 2)"]),
        ({"payoff": np.zeros((0, 0))}, ["square", "(0, 0)"]),
        ({"payoff": [["a", "b"], ["c", "d"]]}, ["real numbers", "<U1"]),
        ({"payoff": np.zeros((2, 2), complex)}, ["real numbers", "complex128"]),
        ({"payoff": np.array([[0, None], [None, 0]])}, ["cannot be loaded", "allow_pickle", "without object arrays"]),
        ({"x": RPS, "y": RPS}, ["one called 'payoff'", "'x', 'y'"]),
        ({"agents": ["a"]}, ["one called 'payoff'", "'agents'"]),
        ({}, ["holds none"]),
        ({"payoff": RPS, "agents": ["a", "b"]}, ["'agents'", "3 names", "(2,)"]),
        ({"payoff": RPS, "agents": [0.5, 1.5, 2.5]}, ["'agents'", "3 names", "float64"]),
        ({"payoff": RPS, "names": ["a", "b", "a"]}, ["'names'", "distinct", "'a'"]),
        ({"payoff": RPS, "names": np.array([b"\xff", b"b", b"c"])}, ["'names'", "utf-8"]),
    ],
)
def test_bad_files_are_refused_with_a_sentence(tmp_path, arrays, words):
    with pytest.raises(ReadError) as caught:
        read(saved(tmp_path, **arrays))
    for word in ["game.npz", *words]:
        assert word in str(caught.value), str(caught.value)


def test_a_pickle_is_never_opened(tmp_path):
    for name in ("game.npy", "game.npz"):
        (tmp_path / name).write_bytes(pickle.dumps(RPS.tolist()))
        with pytest.raises(ReadError, match="cannot be loaded"):
            read(tmp_path / name)


def test_an_encrypted_or_foreign_zip_is_refused(tmp_path):
    path = tmp_path / "game.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ReadError, match="real numbers"):
        read(path)
    whole = bytearray(saved(tmp_path, payoff=RPS).read_bytes())
    whole[6] |= 1  # the flag of encryption, in the local header and in the directory
    whole[whole.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(whole)
    with pytest.raises(ReadError, match="cannot be loaded"):
        read(path)


def test_several_matrices_are_not_one(tmp_path):
    one = source(saved(tmp_path, payoff=RPS))
    with pytest.raises(UsageError, match="one payoff matrix"):
        reader.read([one, one], Options())


def test_claims_by_ending_and_first_bytes(tmp_path):
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "words.npz").write_text("a,b\n")
    saved(tmp_path, "renamed.npz", payoff=RPS).rename(tmp_path / "renamed.zip")
    assert claims(tmp_path / "empty.npz")
    assert not claims(tmp_path / "words.npz")
    assert not claims(tmp_path / "renamed.zip")


@settings(max_examples=300)
@given(st.data())
def test_any_damage_ends_in_a_sentence(tmp_path_factory, data):
    stream = io.BytesIO()
    if data.draw(st.booleans()):
        data.draw(st.sampled_from([np.savez, np.savez_compressed]))(stream, payoff=RPS, names=["a", "b", "c"])
    else:
        np.save(stream, RPS)
    whole = stream.getvalue()
    low = data.draw(st.integers(0, len(whole)))
    high = data.draw(st.integers(low, min(low + 8, len(whole)) if data.draw(st.booleans()) else len(whole)))
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(whole[:low] + data.draw(st.binary(max_size=8)) + whole[high:])
    try:
        assert claims(path) in (True, False)
        assert isinstance(read(path), Margins | WinRates)
    except BeatpathError as error:
        assert str(error)  # noqa: PT017
