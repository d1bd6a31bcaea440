"""Removal: the smallest influential set, the fewest battles whose removal changes the answer."""
