"""Ranks: confidence sets for the ranks of agents, each one separately or all simultaneously."""
