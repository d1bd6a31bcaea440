r"""Models of who wins in a context: an antisymmetric encoder of pairs, and contextual Bradley-Terry-Luce.

Both give the logit :math:`h_\theta(a, b, x) = -h_\theta(b, a, x)`, so that the two probabilities of a pair add up to one.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion


class PairEncoder(nn.Module):
    r"""A pair of embedded agents in a context, through one hidden layer, antisymmetrised.

    .. math::  h_\theta(a, b, x) = g_\theta(a, b, x) - g_\theta(b, a, x), \qquad
               g_\theta(a, b, x) = v \cdot \tanh(E_a A + E_b B + x C + c),

    eq. (1) of Soft Tournament Equilibrium with the construction of its section D.1. No order of strength is built in: cycles
    within one context can be learned.

    Parameters
    ----------
    n_agents, n_features : int
        Agents, and numbers that describe a context (may be 0).
    embedding, width : int
        Numbers that describe an agent, and units of the hidden layer.
    generator : torch.Generator, optional
        Where the first parameters are drawn; zeros without one, to be filled from a file.

    Examples
    --------
    >>> network = PairEncoder(3, 2, generator=torch.Generator().manual_seed(0))
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
        embedding: int = 8,
        width: int = 32,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.n_agents = n_agents
        self.embedding = _parameter((n_agents, embedding), 1.0, generator)
        self.first = _parameter((embedding, width), embedding**-0.5, generator)
        self.second = _parameter((embedding, width), embedding**-0.5, generator)
        self.context = _parameter((n_features, width), max(1, n_features) ** -0.5, generator)
        self.offset = _parameter((width,), 1.0, generator)
        self.output = _parameter((width,), width**-0.5, generator)

    def forward(self, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
        """Return the logit of *a* over *b* in context *x*; shapes ``(...)``, ``(...)`` and ``(..., d)`` broadcast."""
        first, second = self.embedding @ self.first, self.embedding @ self.second
        context = x @ self.context + self.offset
        one_way = torch.tanh(first[a] + second[b] + context)
        other_way = torch.tanh(first[b] + second[a] + context)
        return (one_way - other_way) @ self.output

    def shape(self) -> dict[str, int]:
        """Return what it takes to build another of the same shape."""
        embedding, width = self.first.shape
        n_features = self.context.shape[0]
        return {"n_agents": self.n_agents, "n_features": n_features, "embedding": embedding, "width": width}


class ContextualBTL(nn.Module):
    r"""Every agent has a strength that is linear in the context.

    .. math::  h_\theta(a, b, x) = s_\theta(a, x) - s_\theta(b, x), \qquad s_\theta(a, x) = \theta_a + \beta_a \cdot x,

    the special case of section 4.1 of Soft Tournament Equilibrium. Within a context agents are always in order; a cycle can
    only come from the mixture of contexts. The likelihood is concave, so there is one answer.

    Examples
    --------
    >>> network = ContextualBTL(2, 0)
    >>> _ = network.strength.data.copy_(torch.tensor([1.5, 0.5]))
    >>> network(torch.tensor([0]), torch.tensor([1]), torch.zeros(1, 0, dtype=torch.float64)).tolist()
    [1.0]
    """

    def __init__(self, n_agents: int, n_features: int) -> None:
        super().__init__()
        self.n_agents = n_agents
        self.strength = _parameter((n_agents,), 0.0, None)
        self.slope = _parameter((n_agents, n_features), 0.0, None)

    def forward(self, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
        """Return the logit of *a* over *b* in context *x*; shapes ``(...)``, ``(...)`` and ``(..., d)`` broadcast."""
        return self.strength[a] - self.strength[b] + ((self.slope[a] - self.slope[b]) * x).sum(-1)

    def shape(self) -> dict[str, int]:
        """Return what it takes to build another of the same shape."""
        return {"n_agents": self.n_agents, "n_features": self.slope.shape[1]}


Network = PairEncoder | ContextualBTL
NETWORKS: Mapping[str, type[Network]] = {"pair": PairEncoder, "btl": ContextualBTL}


def require_network(name: str) -> None:
    """Refuse a kind of model that does not exist.

    >>> require_network("pairs")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `network` must be one of pair, btl; got 'pairs'. Did you mean 'pair'?
    """
    if name not in NETWORKS:
        raise UsageError(
            f"`network` must be one of {', '.join(NETWORKS)}; got {quoted(name)}.{suggestion(str(name), NETWORKS)}"
        )


def marginal_tournament(network: Network, contexts: Tensor, share: Tensor) -> Tensor:
    r"""Return the win probabilities averaged over contexts.

    .. math::  P_{ab} = \mathbb{E}_{x \sim Q} [\sigma(h_\theta(a, b, x))], \qquad P_{aa} = 1/2,

    eq. (3) of Soft Tournament Equilibrium, for the contexts and their shares handed in.

    Parameters
    ----------
    network : PairEncoder or ContextualBTL
    contexts : (m, d) float
    share : (m,) float
        Adding up to one.

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
    """Normal values from the generator alone, or zeros."""
    zeros = torch.zeros(shape, dtype=torch.float64)
    return nn.Parameter(zeros if generator is None else zeros.normal_(generator=generator) * scale)
