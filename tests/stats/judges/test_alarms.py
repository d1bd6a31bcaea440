"""What is flagged about a judge, as text."""

import numpy as np

from beatpath.stats.judges.examined import alarms_of, examined
from beatpath.stats.judges.votes import counted_votes, with_kin
from helpers.judged import votes_of


def test_each_planted_judge_is_called_what_it_is():
    rng = np.random.default_rng(0)
    r, position, kin = np.ones(12), np.zeros(12), np.zeros(12)
    r[0], r[1], r[2], r[5] = 0, 0, -1, 0.25
    position[1], position[3], kin[4] = 8, -1.2, 3
    who, a, b, outcome, first = votes_of(
        rng, agents=12, judges=12, each=1500, reliability=r, position=position, kin=kin
    )
    votes = with_kin(counted_votes(who, a, b, outcome, first[:, None].astype(float))[0], np.eye(12, dtype=bool), 1)
    found = examined(votes, ("position", "kin"))
    said = [alarms_of(votes, found, k, 0.95) for k in range(12)]
    assert said[0] == ("answers as if at random",)
    assert (
        said[1][-1] == "takes the side shown first in over 99 % of battles between equals"
    )  # planted at 1 / (1 + exp(-8))
    assert said[2][0] == "votes against the others"
    assert said[3] in [
        (f"takes the side shown second in {n} % of battles between equals",) for n in (75, 76, 77, 78, 79)
    ]  # planted at 77
    assert said[4] == ("favors its own family",)
    assert said[5] == ("agrees with the others less than they agree with each other",)
    assert not any(said[6:])
