"""Kemeny's rule: the order that contradicts the fewest preferences, with a proof of optimality."""
