r"""Models of win probabilities by context: an antisymmetric pair encoder, and contextual Bradley-Terry-Luce.

Both give the logit :math:`h_\theta(a, b, x) = -h_\theta(b, a, x)`, so the two probabilities of a pair sum to one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from beatpath._errors import UsageError
from beatpath._text import listed
from beatpath.evidence import Battles
from beatpath.inference.learned.contexts import ContextDistribution, ContextFeatures


class PairEncoder(nn.Module):
    r"""An antisymmetric network of two embedded agents and a context, with one hidden layer.

    .. math::  h_\theta(a, b, x) = g_\theta(a, b, x) - g_\theta(b, a, x), \qquad
               g_\theta(a, b, x) = v \cdot \tanh(E_a A + E_b B + x C + c),

    eq. (1) of Soft Tournament Equilibrium with the construction of its section D.1. The model does not assume
    transitivity: it can learn cycles within one context.

    Parameters
    ----------
    n_agents, n_features : int
        Number of agents, and of features of a context (may be 0).
    embedding, width : int
        Size of the embedding of an agent, and of the hidden layer.
    known : (n, d) tensor, optional
        Features of the agents; the embedding is linear in them. Without them every agent has its own embedding.
    generator : torch.Generator, optional
        Initializes the parameters; without one they are zero, to be loaded from a file.

    Examples
    --------
    >>> network = PairEncoder(3, 2, embedding=8, width=32, generator=torch.Generator().manual_seed(0))
    >>> a, b, x = torch.tensor([0, 1]), torch.tensor([1, 0]), torch.ones(2, 2, dtype=torch.float64)
    >>> h = network(a, b, x)
    >>> bool(h[0] == -h[1])
    True
    """

    def __init__(
        self,
        n_agents: int,
        n_features: int,
        *,
        embedding: int,
        width: int,
        known: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.n_agents = n_agents
        self.register_buffer("known", known)
        rows = n_agents if known is None else known.shape[1]
        self.embedding = _parameter((rows, embedding), 1.0 if known is None else rows**-0.5, generator)
        self.first = _parameter((embedding, width), embedding**-0.5, generator)
        self.second = _parameter((embedding, width), embedding**-0.5, generator)
        self.context = _parameter((n_features, width), max(1, n_features) ** -0.5, generator)
        self.offset = _parameter((width,), 1.0, generator)
        self.output = _parameter((width,), width**-0.5, generator)

    def forward(self, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
        """Return the logit of *a* over *b* in context *x*; shapes ``(...)``, ``(...)`` and ``(..., d)`` broadcast."""
        own = of_agents(self.known, self.embedding)
        first, second = own @ self.first, own @ self.second
        context = x @ self.context + self.offset
        one_way = torch.tanh(first[a] + second[b] + context)
        other_way = torch.tanh(first[b] + second[a] + context)
        return (one_way - other_way) @ self.output


class ContextualBTL(nn.Module):
    r"""A Bradley-Terry-Luce model whose strengths are linear in the context.

    .. math::  h_\theta(a, b, x) = s_\theta(a, x) - s_\theta(b, x), \qquad s_\theta(a, x) = \theta_a + \beta_a \cdot x,

    the special case of section 4.1 of Soft Tournament Equilibrium; with features `known` of the agents both coefficients
    are linear in them. Within a context agents are always ordered; cycles
    can only come from the mixture of contexts. The likelihood is concave, so the optimum is unique.

    Examples
    --------
    >>> network = ContextualBTL(2, 0)
    >>> _ = network.strength.data.copy_(torch.tensor([1.5, 0.5]))
    >>> network(torch.tensor([0]), torch.tensor([1]), torch.zeros(1, 0, dtype=torch.float64)).tolist()
    [1.0]
    """

    def __init__(self, n_agents: int, n_features: int, *, known: Tensor | None = None) -> None:
        super().__init__()
        self.n_agents = n_agents
        self.register_buffer("known", known)
        rows = n_agents if known is None else known.shape[1]
        self.strength = _parameter((rows,), 0.0, None)
        self.slope = _parameter((rows, n_features), 0.0, None)

    def forward(self, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
        """Return the logit of *a* over *b* in context *x*; shapes ``(...)``, ``(...)`` and ``(..., d)`` broadcast."""
        strength, slope = of_agents(self.known, self.strength), of_agents(self.known, self.slope)
        return strength[a] - strength[b] + ((slope[a] - slope[b]) * x).sum(-1)


def of_agents(known: Any, parameter: Tensor) -> Tensor:
    """Return the row of every agent: its own, or what its features give."""
    return parameter if known is None else known @ parameter


Network = PairEncoder | ContextualBTL
NETWORKS: Mapping[str, type[Network]] = {"pair": PairEncoder, "btl": ContextualBTL}  # The models by key.


def marginal_tournament(network: Network, contexts: Tensor, share: Tensor) -> Tensor:
    r"""Return the win probabilities averaged over contexts.

    .. math::  P_{ab} = \mathbb{E}_{x \sim Q} [\sigma(h_\theta(a, b, x))], \qquad P_{aa} = 1/2,

    eq. (3) of Soft Tournament Equilibrium, for the given contexts and probabilities.

    Parameters
    ----------
    network : PairEncoder or ContextualBTL
    contexts : (m, d) float
    share : (m,) float
        Sums to one.

    Returns
    -------
    (n, n) float

    Examples
    --------
    >>> network = ContextualBTL(2, 0)
    >>> marginal_tournament(network, torch.zeros(1, 0, dtype=torch.float64), torch.ones(1, dtype=torch.float64)).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    a, b = torch.triu_indices(network.n_agents, network.n_agents, 1, device=share.device)
    won = share @ torch.sigmoid(network(a, b, contexts.unsqueeze(1)))
    even = torch.full((network.n_agents,) * 2, 0.5, dtype=won.dtype, device=won.device)
    return even.index_put((a, b), won).index_put((b, a), 1 - won)


def _parameter(shape: tuple[int, ...], scale: float, generator: torch.Generator | None) -> nn.Parameter:
    """Return normal values from the generator, or zeros."""
    zeros = torch.zeros(shape, dtype=torch.float64)
    return nn.Parameter(zeros if generator is None else zeros.normal_(generator=generator) * scale)


@dataclass(frozen=True, slots=True, eq=False)
class TournamentModel:
    """A network, the names of its agents, and the encoding of contexts.

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
        """Return the log odds of *a* in every battle; the model must know its agents and contexts."""
        place = {name: i for i, name in enumerate(self.agents)}
        unknown = [name for name in battles.agents if name not in place]
        if unknown:
            raise UsageError(f"agents must be among the {len(self.agents):,} that were learned; got {listed(unknown)}.")
        own = np.array([place[name] for name in battles.agents], dtype=np.int64)
        a, b = torch.from_numpy(own[battles.a]), torch.from_numpy(own[battles.b])
        return self.network(a, b, torch.from_numpy(self.features.rows(battles))).numpy()

    @torch.no_grad()
    def tournament(
        self,
        battles: Battles,
        *,
        by: str | None = None,
        mix: Mapping[str, float] | None = None,
        draws: int = 1024,
        seed: int = 0,
    ) -> tuple[NDArray[np.float64], float]:
        """Return win probabilities averaged over contexts, eq. (3), and their largest Monte Carlo standard error.

        Parameters
        ----------
        battles : Battles
            Their contexts are averaged over.
        by, mix
            A factor, and weights of its levels to use instead of the frequencies in the battles.
        draws : int, default 1024
            Contexts to sample; with no more distinct contexts the average is exact, and the error 0.
        seed : int, default 0
            Seed of the samples.
        """
        Q = ContextDistribution.of(self.features, battles, by, mix)
        contexts, share = Q.draw(draws, torch.Generator().manual_seed(seed))
        P, square = (torch.zeros((len(self.agents),) * 2, dtype=share.dtype) for _ in range(2))
        for x, q in zip(contexts, share, strict=True):  # one at a time: a table of all contexts may be large
            p = marginal_tournament(self.network, x[None], torch.ones_like(q)[None])
            P, square = P + q * p, square + q * p**2
        spread = (square - P**2).clamp(min=0)
        error = 0.0 if len(Q.share) <= draws else float((spread / (len(share) - 1)).sqrt().max())
        return P.numpy(), error
