"""How a method ended, in words fit to print."""

EXACT = "exact"
CONVERGED = "converged"
LOCAL = "converged to a local minimum"
