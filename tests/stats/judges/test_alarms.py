"""What is flagged about a judge, as text."""

import re

import numpy as np

from beatpath.stats.judges.examined import alarms_of, examined
from beatpath.stats.judges.votes import counted_votes, with_own_family
from helpers.judged import votes_of


def test_each_planted_judge_is_called_what_it_is():
    rng = np.random.default_rng(0)
    r, position, own_family = np.ones(12), np.zeros(12), np.zeros(12)
    r[0], r[1], r[2], r[5] = 0, 0, -1, 0.25
    position[1], position[3], own_family[4] = 8, -1.2, 3
    who, a, b, outcome, first = votes_of(
        rng, agents=12, judges=12, each=1500, reliability=r, position=position, own_family=own_family
    )
    votes = with_own_family(
        counted_votes(who, a, b, outcome, first[:, None].astype(float))[0], np.eye(12, dtype=bool), 1
    )
    examination = examined(votes, ("position", "own_family"))
    alarms = [alarms_of(votes, examination, k, 0.95) for k in range(12)]
    assert alarms[0] == ("answers as if at random",)
    assert (
        alarms[1][-1] == "takes the side shown first in over 99 % of battles between equals"
    )  # planted at 1 / (1 + exp(-8))
    assert alarms[2][0] == "votes against the others"
    share = re.fullmatch(r"takes the side shown second in ([0-9.]+) % of battles between equals", *alarms[3])[1]
    assert abs(float(share) - 76.9) < 2.5  # planted at 1 / (1 + exp(-1.2)); one standard error is about 1.2
    assert alarms[4] == ("favors its own family",)
    assert alarms[5] == ("agrees with the others less than they agree with each other",)
    assert not any(alarms[6:])
