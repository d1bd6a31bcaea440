"""Games of several populations: equilibria and the ratings that follow from them."""

from beatpath._guard import guard
from beatpath.methods.game.alpha_rank import alpha_rank_populations
from beatpath.methods.game.correlated import max_entropy_equilibrium, payoff_ratings
from beatpath.methods.game.payoffs import deviation_ratings

__all__ = ["alpha_rank_populations", "deviation_ratings", "max_entropy_equilibrium", "payoff_ratings"]

guard(globals())
