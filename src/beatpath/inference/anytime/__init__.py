"""Statements that hold at every look at once, for battles whose schedule follows what was seen."""
