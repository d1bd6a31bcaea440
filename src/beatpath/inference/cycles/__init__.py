"""Cycles: which are statistically significant, and how transitive the rest is."""
