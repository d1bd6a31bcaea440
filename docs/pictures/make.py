"""Make the pictures of the README and the documentation: python docs/pictures/make.py."""

from pathlib import Path

import numpy as np

import beatpath as bp
from beatpath.reports.figures import save_picture, win_rate_matrix


def win_rates():
    """Return the matrix of win rates of the built-in example, the best agents first."""
    pairs = bp.example().pairs()
    rates = pairs.win_rates().matrix
    counts = np.zeros(rates.shape, dtype=int)
    counts[pairs.a, pairs.b] = counts[pairs.b, pairs.a] = pairs.battles
    best = np.argsort(-np.nanmean(rates, axis=1), kind="stable")
    names = [pairs.agents[i] for i in best]
    order = np.ix_(best, best)
    return win_rate_matrix(names, rates[order], counts[order], title="The built-in example")


def ranks():
    """Return the rank sets of the built-in example: a board from 1 to 30 beside what the data support."""
    return bp.report(bp.example()).figures()["rank_intervals"]


if __name__ == "__main__":
    save_picture(win_rates(), Path(__file__).with_name("win_rates.svg"))
    save_picture(ranks(), Path(__file__).with_name("ranks.svg"))
