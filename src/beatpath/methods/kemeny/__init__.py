"""Kemeny: the order that contradicts the fewest preferences, found and proven."""
