"""Confidence sequences: statements that hold at every look, under adaptive sampling."""
