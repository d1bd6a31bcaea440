"""Data checks: whether evidence supports a conclusion.

`check` runs before any method. It looks for what would mislead, and reports findings with names, numbers and
consequences for the methods.
"""

from beatpath.checks.check import check
from beatpath.checks.finding import Check, Finding

__all__ = ["Check", "Finding", "check"]
