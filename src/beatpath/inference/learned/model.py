"""A learned tournament: who wins against whom, in which context."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beatpath._errors import UsageError
from beatpath._text import listed
from beatpath.evidence import Battles
from beatpath.inference.learned.contexts import ContextDistribution, ContextFeatures
from beatpath.inference.learned.encoder import Network, marginal_tournament


@dataclass(frozen=True, slots=True, eq=False)
class TournamentModel:
    """The network, the names of its agents, and how battles describe a context to it.

    Examples
    --------
    >>> from beatpath.inference.learned.encoder import ContextualBTL
    >>> model = TournamentModel(("ada", "bob"), ContextFeatures(), ContextualBTL(2, 0))
    >>> model.logits(Battles.of([("bob", "ada", 1)])).tolist()
    [0.0]
    """

    agents: tuple[str, ...]
    features: ContextFeatures
    network: Network

    @torch.no_grad()
    def logits(self, battles: Battles) -> NDArray[np.float64]:
        """Return the log-odds of *a* in every battle; its agents and contexts must be known to the model."""
        place = {name: i for i, name in enumerate(self.agents)}
        unknown = [name for name in battles.agents if name not in place]
        if unknown:
            raise UsageError(f"agents must be among the {len(self.agents):,} that were learned; got {listed(unknown)}.")
        own = np.array([place[name] for name in battles.agents], dtype=np.int64)
        a, b = torch.from_numpy(own[battles.a]), torch.from_numpy(own[battles.b])
        found: NDArray[np.float64] = self.network(a, b, torch.from_numpy(self.features.rows(battles))).numpy()
        return found

    def tournament(
        self,
        battles: Battles,
        *,
        by: str | None = None,
        mixture: Mapping[str, float] | None = None,
        draws: int = 1024,
        seed: int = 0,
    ) -> tuple[NDArray[np.float64], float]:
        """Return win probabilities averaged over contexts, eq. (3), and the largest Monte Carlo standard error among them.

        Parameters
        ----------
        battles : Battles
            Their contexts are what is averaged over.
        by, mixture
            A factor, and weights of its levels to use instead of the frequencies in the battles.
        draws : int
            Contexts to draw; where there are no more the average is exact, and the error 0.
        seed : int
        """
        Q = ContextDistribution.of(self.features, battles, by, mixture)
        contexts, share = Q.draw(draws, torch.Generator().manual_seed(seed))
        P, square = self._moments(contexts, share)
        spread = (square - P**2).clamp(min=0)
        error = 0.0 if len(Q.share) <= draws else float((spread / (len(share) - 1)).sqrt().max())
        return P.numpy(), error

    @torch.no_grad()
    def _moments(self, contexts: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
        """The mean over contexts of the probabilities and of their squares, a context at a time."""
        P = torch.zeros((len(self.agents),) * 2, dtype=share.dtype)
        square = torch.zeros_like(P)
        for x, q in zip(contexts, share, strict=True):
            p = marginal_tournament(self.network, x[None], torch.ones_like(q)[None])
            P, square = P + q * p, square + q * p**2
        return P, square
