"""Ranks: the sets of ranks an agent may have, one by one or all at once."""
