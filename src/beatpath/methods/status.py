"""How a method ended, in words fit to print."""

from beatpath.fit.newton import CONVERGED

__all__ = ["CONVERGED", "EXACT", "LOCAL"]

EXACT = "exact"
LOCAL = "converged to a local minimum"
