"""Generative models of the true majorities, each with its evidence and its cores."""
