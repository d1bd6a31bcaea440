"""Soft Condorcet optimisation: ratings whose order approximates Kemeny (SCO, WSCO)."""
