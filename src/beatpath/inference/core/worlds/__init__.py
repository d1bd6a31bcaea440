"""Kinds of world that may have made the counts, each with its evidence and its cores."""
