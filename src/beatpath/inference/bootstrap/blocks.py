"""Blocks of resamples: cut at fixed places, seeded by their number, and done by any number of workers with one result."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.bootstrap.answers import Answer
from beatpath.inference.bootstrap.replicates import ResamplingStrategy
from beatpath.inference.bootstrap.resampling import Resampling
from beatpath.inference.bootstrap.workers import results

BLOCK = 64  # resamples; another size gives other random numbers
HELD = 1 << 22  # weights held at a time

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers of many resamples, and how many have none.

    Parameters
    ----------
    levels : (r, n) int
    scores : (r, n) float
    sets : mapping of name to (r, n) bool
    failures, caveats : Counter
        How often each reason, and each remark, was given.
    """

    levels: NDArray[np.int32]
    scores: NDArray[np.float64]
    sets: Mapping[str, NDArray[np.bool_]]
    failures: Counter[str]
    caveats: Counter[str]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """All there is to do, in a form that travels to workers."""

    road: ResamplingStrategy
    drawn: Resampling
    n_agents: int
    draws: int
    seed: int

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.draws // BLOCK)

    def size(self, block: int) -> int:
        """Return how many resamples a block has: the same for all but the last."""
        return min(BLOCK, self.draws - block * BLOCK)

    def answers(self, block: int) -> Answers:
        """Return the answers of one block, which depend on nothing but its number."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(block,)))
        found: list[Answer] = []
        failures: Counter[str] = Counter()
        height = max(1, HELD // max(self.drawn.parts, 1))
        for low in range(0, self.size(block), height):
            weights = self.drawn.weights(rng, min(height, self.size(block) - low))
            for answer in self.road.answers(weights):
                if isinstance(answer, Answer):
                    found.append(answer)
                else:
                    failures[answer] += 1
        return _stacked(found, failures, self.n_agents)


def done(work: Work, workers: int, progress: Progress | None) -> Answers:
    """Return the answers of all blocks, the same however many workers there are."""
    blocks: list[Answers] = []
    for found in results(work.answers, range(work.n_blocks), workers):
        blocks.append(found)
        if progress is not None:
            progress(min(len(blocks) * BLOCK, work.draws), work.draws)
    return _joined(blocks)


def _stacked(found: list[Answer], failures: Counter[str], n: int) -> Answers:
    names = found[0].sets if found else ()
    return Answers(
        np.array([one.level for one in found], dtype=np.int32).reshape(-1, n),
        np.array([one.score for one in found], dtype=np.float64).reshape(-1, n),
        {name: np.array([one.sets[name] for one in found]) for name in names},
        failures,
        Counter(one.caveat for one in found if one.caveat),
    )


def _joined(blocks: list[Answers]) -> Answers:
    names = next((block.sets for block in blocks if block.sets), {})
    return Answers(
        np.concatenate([block.levels for block in blocks]),
        np.concatenate([block.scores for block in blocks]),
        {name: np.concatenate([block.sets[name] for block in blocks if block.sets]) for name in names},
        sum((block.failures for block in blocks), Counter()),
        sum((block.caveats for block in blocks), Counter()),
    )
