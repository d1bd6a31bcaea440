"""`resolve`: one result with ranks, ties, cycles and goodness of fit, and claims tested against it."""
