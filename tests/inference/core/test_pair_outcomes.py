"""Totals of resampled pairs, by all sequences of battles."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

torch = pytest.importorskip("torch")

from beatpath import DataError, Pairs, UsageError
from beatpath.inference.core.core_bootstrap import core_bootstrap, pair_outcomes, resampled_ranks

CPU = torch.device("cpu")


def resampled_matrices(pairs, draws, **options):
    table = pair_outcomes(pairs, **options)
    return table.values[torch.cat(list(resampled_ranks(table, draws, 0, CPU))).numpy()]


@pytest.mark.parametrize("counts", [(3, 2, 0), (1, 0, 3), (2, 1, 1), (0, 0, 4)])
def test_totals_have_the_probabilities_of_all_sequences_of_battles(counts):
    won, lost, tied = counts
    battles = [1.0] * won + [0.0] * lost + [0.5] * tied
    totals = np.array([sum(one) for one in product(battles, repeat=len(battles))])
    expected = [(totals <= half / 2).mean() for half in range(2 * len(battles) + 1)]
    outcomes = pair_outcomes(Pairs(("ada", "bob"), [0], [1], [[won, lost, tied, 0]]))
    assert np.allclose(outcomes.upto, expected, rtol=0, atol=1e-12)


def test_the_totals_of_many_battles_are_binomial():
    outcomes = pair_outcomes(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[700, 300, 0, 0], [1, 2999, 0, 0]]))
    for pair, battles, chance in ((0, 1000, 0.7), (1, 3000, 1 / 3000)):
        last, record = outcomes.last[outcomes.record[pair]], outcomes.record[pair]
        upto = outcomes.upto[last - 2 * battles : last + 1 : 2] - record
        assert np.allclose(upto, binom.cdf(np.arange(battles + 1), battles, chance), rtol=0, atol=1e-10)


def test_pairs_with_the_same_record_share_a_table_and_are_sampled_separately():
    agents, a, b = tuple("abcdef"), *np.triu_indices(6, 1)
    pairs = Pairs(agents, a, b, np.tile([3.0, 2.0, 0.0, 0.0], (15, 1)))
    outcomes = pair_outcomes(pairs)
    assert len(outcomes.upto) == 11
    assert len(np.unique(resampled_matrices(pairs, 4)[:, a, b], axis=1).T) > 1


@pytest.mark.parametrize(
    ("counts", "error"),
    [([[1.5, 1, 0, 0]], DataError), ([[1, 1, 0, 1]], UsageError)],
)
def test_battles_that_cannot_be_resampled_one_by_one_are_refused(counts, error):
    with pytest.raises(error, match="battles"):
        core_bootstrap(Pairs(("ada", "bob"), [0], [1], counts), device="cpu")
