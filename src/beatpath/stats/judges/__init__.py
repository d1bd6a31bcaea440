"""Judges held against the consensus of the other judges: votes counted, consensus, slopes, tests. Arrays only."""
