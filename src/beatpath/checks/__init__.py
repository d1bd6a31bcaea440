"""A first honest look at evidence, to see whether it can carry a conclusion.

`check` runs before any method. It counts, looks for what would mislead, and says so in sentences with names and
numbers; each comes with its consequence for the methods downstream.
"""

from beatpath.checks.check import check
from beatpath.checks.finding import Check, Finding

__all__ = ["Check", "Finding", "check"]
