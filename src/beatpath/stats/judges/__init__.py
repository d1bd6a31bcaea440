"""Judges compared with the consensus of the others: counted votes, consensus, slopes, tests. Arrays only."""
