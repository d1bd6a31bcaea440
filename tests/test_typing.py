"""Names of array types, once."""

from typing import get_args

from beatpath._typing import BothBad, Missing, PairWeight, Ties, Unranked
from beatpath.evidence.conventions import MEANINGS


def test_an_option_takes_the_words_that_its_meanings_explain():
    options = {"ties": Ties, "both_bad": BothBad, "pair_weight": PairWeight, "unranked": Unranked, "missing": Missing}
    for name, words in options.items():
        assert set(get_args(words)) == set(MEANINGS[name])
