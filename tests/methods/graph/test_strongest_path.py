"""Beatpaths: the strongest chain of wins to each agent."""

import numpy as np
from hypothesis import given, settings

from beatpath.methods.graph.paths import strongest_paths, widest_paths
from helpers.game_cases import games, named


@settings(max_examples=40, deadline=None)
@given(games(max_agents=6))
def test_every_beatpath_is_as_strong_as_the_widest_path(M):
    margins = named(np.asarray(M, dtype=float))
    widest = widest_paths(np.maximum(margins.matrix, 0.0))
    for agent in range(len(M)):
        for path in strongest_paths(margins, agent):
            end = margins.agents.index(path.agents[-1])
            assert path.agents[0] == margins.agents[agent]
            assert min(path.margins) == widest[agent, end]
