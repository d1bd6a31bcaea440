"""Bradley-Terry as a projection of the win rates, and its goodness of fit."""
