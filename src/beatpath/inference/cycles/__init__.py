"""Cycles: which survive the noise, and how transitive the rest is."""
