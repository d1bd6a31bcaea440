"""Statements that hold at every look, for battles whose schedule follows what was seen."""
