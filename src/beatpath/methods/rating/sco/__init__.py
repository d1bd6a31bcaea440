"""Soft Condorcet optimization: ratings whose order approximates Kemeny's (SCO, WSCO)."""
