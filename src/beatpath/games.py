"""Games of several populations: equilibria and the ratings that follow from them."""

from beatpath.methods.game.alpha_rank import alpha_rank_populations
from beatpath.methods.game.correlated import max_entropy_equilibrium, payoff_ratings
from beatpath.methods.game.payoffs import deviation_ratings

__all__ = [  # noqa: RUF022 (in an order to learn them)
    "alpha_rank_populations", "max_entropy_equilibrium", "payoff_ratings", "deviation_ratings",
]  # fmt: skip
